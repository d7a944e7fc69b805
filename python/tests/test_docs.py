"""The examples of docstrings and of the documentation."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import kirin

# Objects whose methods need no examples, and why. Properties need none either: those of their class show them.
OF_AN_INTERFACE = {
    "kirin.gymnasium.Game": "its methods are those of gymnasium.Env",
    "kirin.pettingzoo.raw_env": "its methods are those of pettingzoo.AECEnv",
}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "python-rules.md"


def documented():
    """Every public object, with its name. kirin.net needs PyTorch and has tests of its own (net_tests)."""
    for module in map(importlib.import_module, ("kirin", "kirin.pettingzoo", "kirin.gymnasium")):
        yield module.__name__, module
        for name in module.__all__:
            public = getattr(module, name)
            if name.startswith("__") or isinstance(public, tuple):
                continue
            yield f"{module.__name__}.{name}", public
            if inspect.isclass(public) and f"{module.__name__}.{name}" not in OF_AN_INTERFACE:
                members = ((member, getattr(public, member)) for member in vars(public) if not member.startswith("_"))
                yield from ((f"{name}.{member}", value) for member, value in members)


def test_examples_are_true():
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    for name, public in documented():
        assert public.__doc__, f"{name} has no docstring"
        test = parser.get_doctest(inspect.cleandoc(public.__doc__), {}, name, None, None)
        is_property = inspect.isgetsetdescriptor(public) or inspect.ismemberdescriptor(public)
        assert test.examples or is_property, f"{name} has no example"
        runner.run(test)
    assert runner.summarize().failed == 0


def test_the_page_is_true():
    runner, examples, known = doctest.DocTestRunner(), 0, {}
    for block in re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        test = doctest.DocTestParser().get_doctest(block, known, PAGE.name, str(PAGE), 0)
        examples += len(test.examples)
        runner.run(test, clear_globs=False)
        known.update(test.globs)
    assert runner.summarize().failed == 0 and examples > 20
