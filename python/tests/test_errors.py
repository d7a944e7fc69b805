"""Bad input raises ValueError, TypeError or OverflowError with a message, whatever it is."""

import os
import pickle

import kirin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from kirin import _native

# Random inputs of each test. KIRIN_EXAMPLES=20000 takes some minutes.
EXAMPLES = int(os.environ.get("KIRIN_EXAMPLES", "300"))
START = kirin.Position("xiangqi").fen


def closed_file():
    with open(__file__, "rb") as file:
        return file


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kirin.Position("chess"), "no variant is called"),
        (lambda: kirin.Position("xiangqi", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "FEN"),
        (lambda: kirin.Position("xiangqi", ""), "FEN board: the text is empty"),
        (lambda: kirin.Position("shogi", START), "FEN"),
        (lambda: kirin.Position("xiangqi", START + "\0"), "FEN"),
        (lambda: kirin.Position("xiangqi", "9" * 10_000), "FEN length"),
        (lambda: kirin.Position("xiangqi", None, "blitz"), "has no rule set"),
        (lambda: kirin.Position("xiangqi", None, "full max-plies=many"), "is not understood"),
        (lambda: kirin.Position("xiangqi", moves="h3e3 h3e3"), "is not legal in"),
        (lambda: kirin.Position("xiangqi", moves=["h3e3", "?"]), "is not a move"),
        (lambda: kirin.Position("xiangqi", setups=("inner", "outer")), "has no setup"),
        (lambda: kirin.Position("janggi", START, setups=("inner", "outer")), "not both"),
        (lambda: kirin.Position("xiangqi").push("e1e9"), "is not legal in"),
        (lambda: kirin.Position("xiangqi").push("h3e3", "usi"), "has no notation"),
        (lambda: kirin.Position("xiangqi").push("x" * 100_000), "is not a move"),
        (lambda: kirin.Position("xiangqi").undo(), "there is no move to undo"),
        (lambda: kirin.Position("xiangqi").text("sfen"), "has no notation"),
        (lambda: kirin.Position("xiangqi").draw("kif"), "has no notation"),
        (lambda: kirin.Position("xiangqi").legal_moves("kif"), "has no notation"),
        (lambda: kirin.Position("xiangqi").action("e1e9"), "is not legal in"),
        (lambda: kirin.Position("xiangqi").move_of(-1), "is not legal in"),
        (lambda: kirin.Position("xiangqi").move_of(2**62), "is not legal in"),
        (lambda: kirin.Position("koshogi").action_mask(), "has no fixed table of actions"),
        (lambda: kirin.action_squares("koshogi"), "koshogi has no fixed table of actions"),
        (lambda: kirin.action_squares("chess"), "no variant is called"),
        (lambda: kirin.perft(kirin.Position("xiangqi"), -1), "depth is -1"),
        (lambda: kirin.divide(kirin.Position("shogi"), 1_000_000), "depth is 1000000; expected 0 to 20 plies"),
        (lambda: kirin.notations(""), "no variant is called"),
        (lambda: kirin.Outcome(2, "checkmate"), "2"),
        (lambda: kirin.Outcome(1, "boredom"), "is not the name of a termination"),
        (lambda: _native._restore("xiangqi", START, "full", b"\x00"), "cut off"),
        (lambda: _native._restore("xiangqi", START, "full", b"\xff" * 4), "is not legal in"),
        (lambda: kirin.Game.read(b"1. h3e3", "chess"), "no variant is called"),
        (lambda: kirin.Game.read(b"1. h3e3", "xiangqi", format="doc"), "no format is called"),
        (lambda: kirin.Game.read(b"1. h3e3", "xiangqi", encoding="morse"), "no encoding is called"),
        (lambda: kirin.Game.read(b"1. h3e3", "xiangqi", ruleset="blitz"), "has no rule set"),
        (lambda: kirin.Game.read(b"1. h3e9", "xiangqi"), "bytes:1: "),
        (lambda: kirin.Game.read(b"V2.2\nPI\n+\n+7776FU\n", "xiangqi"), "records no games of xiangqi"),
        (lambda: kirin.Game(kirin.Position("xiangqi")).text("doc"), "games are not written as"),
        (lambda: kirin.Game(kirin.Position("xiangqi")).text("kif"), "has no notation"),
        (lambda: kirin.Game(kirin.Position("xiangqi")).push("e1e9"), "is not legal in"),
        (lambda: kirin.Game(kirin.Position("xiangqi")).undo(), "there is no move to undo"),
        (lambda: kirin.VectorEnv("xiangqi", 0), "n is 0; expected 1 to"),
        (lambda: kirin.VectorEnv("xiangqi", 2**40), "expected 1 to"),
        (lambda: kirin.VectorEnv("xiangqi", 1, threads=0), "threads is 0"),
        (lambda: kirin.VectorEnv("xiangqi", 1, starts=[]), "starts is empty"),
        (lambda: kirin.VectorEnv("xiangqi", 1, starts=["?"]), "FEN"),
        (lambda: kirin.VectorEnv("xiangqi", 1, starts=["3k5/R8/9/9/9/9/9/9/9/4K4 b"]), "no game can start"),
        # Under the default rule set a pass would be legal here, as the generals face each other.
        (lambda: kirin.VectorEnv("janggi", 1, ruleset="casual", starts=["4k4/9/9/9/9/9/9/9/r8/r3K4 w"]), "no game can start"),
        (lambda: kirin.VectorEnv("xiangqi", 2).step([0]), "expected [2]"),
        (lambda: kirin.VectorEnv("xiangqi", 2).step([[0, 0]]), "expected [2]"),
        (lambda: kirin.VectorEnv("xiangqi", 2).step([-1, 0]), "action -1 of game 0 is not legal"),
        (lambda: kirin.VectorEnv("xiangqi", 1).step([2**40]), "is not legal"),
        (lambda: kirin.VectorEnv("koshogi", 1).step([100_000]), "is not legal"),
        (lambda: kirin.VectorEnv("xiangqi", 2).position(2), "there is no game 2; there are 0 to 1"),
    ],
)
def test_bad_values(call, message):
    with pytest.raises(ValueError) as raised:
        call()
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kirin.Position(),
        lambda: kirin.Position(7),
        lambda: kirin.Position("xiangqi", 7),
        lambda: kirin.Position("xiangqi", b"9/9"),
        lambda: kirin.Position("xiangqi", moves=7),
        lambda: kirin.Position("xiangqi", moves=[7]),
        lambda: kirin.Position("xiangqi").push(None),
        lambda: kirin.Position("xiangqi").push(),
        lambda: kirin.Position("xiangqi").legal_moves(1.5),
        lambda: kirin.Position("xiangqi").move_of("h3e3"),
        lambda: kirin.Game("xiangqi"),
        lambda: kirin.Game(kirin.Position("xiangqi"), first=7),
        lambda: kirin.Game(kirin.Position("xiangqi"), outcome=1),
        lambda: kirin.Game.read(7, "xiangqi"),
        lambda: kirin.Game.read(closed_file(), "xiangqi"),
        lambda: kirin.perft("xiangqi", 1),
        lambda: kirin.perft(kirin.Position("xiangqi"), "1"),
        lambda: kirin.VectorEnv("xiangqi"),
        lambda: kirin.VectorEnv("xiangqi", "8"),
        lambda: kirin.VectorEnv("xiangqi", 1, starts=7),
        lambda: kirin.VectorEnv("xiangqi", 1).step([0.5]),
        lambda: kirin.VectorEnv("xiangqi", 1).step(["h3e3"]),
        lambda: kirin.VectorEnv("xiangqi", 1).step(None),
        lambda: pickle.dumps(kirin.VectorEnv("xiangqi", 1)),
    ],
)
def test_bad_types(call):
    with pytest.raises(TypeError):
        call()


def test_a_panic_says_what_to_report():
    with pytest.raises(BaseException, match=r"^a test of panics\nThis is a bug in Kirin\. Please report") as raised:
        _native._panic()
    assert type(raised.value).__name__ == "PanicException" and str(raised.value).endswith(kirin.__version__)


def test_a_refused_step_plays_nothing():
    env = kirin.VectorEnv("xiangqi", 3, planes=False)
    actions = env.sample()
    actions[2] = env.action_count
    before = [env.position(game) for game in range(3)]
    with pytest.raises(ValueError, match="of game 2"):
        env.step(actions)
    assert [env.position(game) for game in range(3)] == before


def test_arrays_that_cannot_be_written_are_refused():
    env = kirin.VectorEnv("xiangqi", 2)
    env.mask.flags.writeable = False
    with pytest.raises(ValueError, match="changed from outside"):
        env.step(env.sample())
    env.mask.flags.writeable = True
    env.step(env.sample())


anything = some.one_of(some.none(), some.integers(), some.floats(), some.text(), some.binary(), some.lists(some.text()))
start_like = some.text(alphabet="rnbakcpRNBAKCP+-[]/ 0123456789wb,KQkqsfenlgx", max_size=120)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kirin.VectorEnv("xiangqi", 1, seed=-1),
        lambda: kirin.VectorEnv("xiangqi", 1).reset(seed=-1),
        lambda: kirin.elo((2**70, 0, 0)),
    ],
)
def test_integers_that_do_not_fit(call):
    with pytest.raises(OverflowError):
        call()


@settings(max_examples=EXAMPLES, deadline=None)
@given(some.sampled_from(kirin.VARIANTS), some.one_of(start_like, anything), some.one_of(some.text(), anything))
def test_junk_is_refused(variant, fen, text):
    for call in (
        lambda: kirin.Position(variant, fen),
        lambda: kirin.Position(variant, None, text),
        lambda: kirin.Position(variant, moves=text),
        lambda: kirin.Position(text),
        lambda: kirin.Position(variant).push(text),
        lambda: kirin.Position(variant).push("a1a2", text),
        lambda: kirin.Position(variant).move_of(text),
        lambda: kirin.VectorEnv(variant, 1, planes=False).step(text),
        lambda: _native._restore(variant, kirin.Position(variant).fen, "full", text),
        lambda: kirin.Outcome(fen, text),
        lambda: kirin.Game.read(text if isinstance(text, bytes) else repr(text).encode(), variant),
    ):
        try:
            call()
        except (ValueError, TypeError, OverflowError):
            pass


@settings(max_examples=EXAMPLES // 3, deadline=None)
@given(some.binary(max_size=64))
def test_junk_codes_are_refused(codes):
    for variant in kirin.VARIANTS:
        try:
            _native._restore(variant, kirin.Position(variant).fen, kirin.rulesets(variant)[0], codes)
        except ValueError:
            pass


def test_actions_of_any_integer_type():
    env = kirin.VectorEnv("xiangqi", 2)
    for kind in (np.int8, np.uint16, np.int32, np.uint64):
        env.reset(seed=0)
        legal = np.array([mask.nonzero()[0][0] for mask in env.mask])
        env.step(legal.astype(kind) if legal.max() <= np.iinfo(kind).max else legal)
    env.step(env.sample().tolist())
    env.step(np.repeat(env.sample(), 2)[::2])
