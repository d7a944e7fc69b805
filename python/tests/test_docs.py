"""The examples of docstrings and of the documentation."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import kirin

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "python-rules.md"


def documented():
    """Every public object, with its name."""
    for module in map(importlib.import_module, ("kirin", "kirin.pettingzoo", "kirin.gymnasium")):
        yield module.__name__, module
        for name in module.__all__:
            public = getattr(module, name)
            if name.startswith("__") or isinstance(public, tuple):
                continue
            yield f"{module.__name__}.{name}", public
            if inspect.isclass(public) and public.__module__ == "kirin":
                members = ((member, getattr(public, member)) for member in vars(public) if not member.startswith("_"))
                yield from ((f"{name}.{member}", value) for member, value in members)


def test_examples_are_true():
    runner, parser, examples = doctest.DocTestRunner(), doctest.DocTestParser(), 0
    for name, public in documented():
        assert public.__doc__, f"{name} has no docstring"
        test = parser.get_doctest(inspect.cleandoc(public.__doc__), {}, name, None, None)
        examples += len(test.examples)
        runner.run(test)
    assert runner.summarize().failed == 0
    assert examples > 40


def test_the_page_is_true():
    runner, examples, known = doctest.DocTestRunner(), 0, {}
    for block in re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        test = doctest.DocTestParser().get_doctest(block, known, PAGE.name, str(PAGE), 0)
        examples += len(test.examples)
        runner.run(test, clear_globs=False)
        known.update(test.globs)
    assert runner.summarize().failed == 0 and examples > 20
