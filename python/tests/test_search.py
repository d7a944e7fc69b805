"""Networks and the search, also with a function of Python as the network."""

import os
import signal
import threading
import time

import kirin
import numpy as np
import pytest

TABLED = [variant for variant in kirin.VARIANTS if kirin.action_count(variant) is not None]


def played(variant, plies, seed=1):
    """A position of a random game."""
    env = kirin.VectorEnv(variant, 1, planes=False, seed=seed)
    for _ in range(plies):
        env.step(env.sample())
    return env.position(0)


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_a_network_evaluates(variant):
    network = kirin.Network(f"builtin:{variant}")
    positions = [played(variant, plies, plies) for plies in range(0, 60, 4)]
    several, one = network.evaluate(positions, threads=3), network.evaluate(positions, threads=1)
    for position, evaluation, same in zip(positions, several, one, strict=True):
        assert evaluation.moves == position.legal_moves()
        assert (evaluation.policy == same.policy).all() and evaluation.wdl == same.wdl
        assert evaluation.policy.shape == (len(evaluation.moves),)
        assert abs(evaluation.policy.sum() - 1) < 1e-5 and evaluation.policy.min() >= 0
        assert abs(sum(evaluation.wdl) - 1) < 1e-5 and abs(evaluation.q) <= 1
        assert evaluation.best == evaluation.moves[int(evaluation.policy.argmax())]
    assert network.evaluate([]) == []


def test_integers_agree_with_fp32():
    positions = [played("xiangqi", plies, plies) for plies in range(40)]
    exact, integers = (
        kirin.Network("builtin:xiangqi", precision=precision).evaluate(positions) for precision in ("fp32", "int8")
    )
    q = [(a.q - b.q) ** 2 for a, b in zip(exact, integers, strict=True)]
    assert 0 < np.sqrt(np.mean(q)) < 0.03
    assert np.mean([a.best == b.best for a, b in zip(exact, integers, strict=True)]) > 0.8


def test_a_network_finds_what_wins():
    # A pawn can take a rook.
    game = kirin.Position("xiangqi", "rnbakabn1/9/1c5c1/p1p1p1p1p/9/4r4/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1")
    found = kirin.search(game, kirin.Network("builtin:xiangqi"), visits=200)
    assert found.best == "e4e5" and found.q > 0.5
    assert found.lines[0].moves[0] == found.best and max(found.policy, key=found.policy.get) == found.best
    assert abs(sum(found.policy.values()) - 1) < 1e-5
    assert sum(line.visits for line in found.lines) == found.visits == 200
    assert kirin.search(game, "builtin", visits=200).policy == found.policy
    assert game.moves() == [] and kirin.search(game, visits=50, notation="wxf").best == "P5+1"


def test_a_proof_needs_no_network():
    game = kirin.Position("xiangqi", "5k3/4a4/3a5/5N1N1/9/4p4/6R2/9/p3A4/4KAB2 w - - 11 132")
    found = kirin.search(game, None, visits=5000, batch=16)
    assert (found.best, found.proven, found.finish, found.wdl) == ("g4g10", ("win", 3), "proven", (1.0, 0.0, 0.0))
    assert len(found.lines[0].moves) == 3 and found.longest >= 2 and found.seconds > 0


@pytest.mark.parametrize("variant", TABLED)
@pytest.mark.parametrize("plies", [0, 1, 70])
def test_a_logit_is_that_of_its_action(variant, plies):
    position, count = played(variant, plies, 3), kirin.action_count(variant)
    # The policy of an action grows with its number.
    row = np.log(np.arange(1, count + 1, dtype=np.float64))
    sizes = []

    def by_action(planes):
        assert planes.dtype == np.float32 and planes.shape[1:] == kirin.planes_shape(variant)
        sizes.append(len(planes))
        return np.tile(row, (len(planes), 1)), np.zeros(len(planes))

    found = kirin.search(position, by_action, visits=60, batch=8)
    actions = {move: position.action(move) for move in position.legal_moves()}
    total = sum(action + 1 for action in actions.values())
    for line in found.lines:
        assert line.prior == pytest.approx((actions[line.moves[0]] + 1) / total, rel=1e-4)
    assert max(sizes) <= 8 and sum(sizes) == found.evaluations


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_a_function_may_answer_for_each_legal_move(variant):
    position = played(variant, 10, 5)

    def by_move(planes, moves, begin):
        assert moves.dtype == np.uint16 and moves.shape == (begin[-1], 9) and len(begin) == len(planes) + 1
        return moves[:, 1] / 10, np.tile([0.5, 0.25, 0.25], (len(planes), 1))

    found = kirin.search(position, by_move, visits=30, legal=True)
    moves, _ = kirin.VectorEnv(variant, 1, starts=[position.fen], planes=False).legal()
    shares = np.exp(moves[:, 1] / 10)
    shares = dict(zip(position.legal_moves(), shares / shares.sum(), strict=True))
    for line in found.lines:
        assert line.prior == pytest.approx(shares[line.moves[0]], rel=1e-4)
    if variant in TABLED:
        numbers = np.arange(kirin.action_count(variant)) / 500

        def by_action(planes, moves, begin):
            return np.tile(numbers, (len(planes), 1)), np.zeros((len(planes), 1))

        assert kirin.search(position, by_action, visits=30, legal=True).visits == 30


def test_the_planes_are_those_of_the_position():
    position, seen = played("shogi", 9), []

    def evaluate(planes):
        seen.append(planes.copy())
        return np.zeros((len(planes), kirin.action_count("shogi"))), np.zeros(len(planes))

    kirin.search(position, evaluate, visits=5, attacks=True)
    assert (seen[0][0] == position.planes(attacks=True)).all()


def test_arrays_of_another_library_are_taken():
    class Tensor:
        """As PyTorch has it: numpy may not look at it before it has left gradients and device."""

        def __init__(self, values, left=0):
            self.values, self.left = values, left

        def _leave(self):
            return Tensor(self.values, self.left + 1)

        detach = cpu = float = _leave

        def __array__(self, dtype=None, copy=None):
            assert self.left == 3
            return np.asarray(self.values, dtype)

    def evaluate(planes):
        return Tensor(np.zeros((len(planes), kirin.action_count("xiangqi")), np.float16)), Tensor(np.ones(len(planes)))

    found = kirin.search(kirin.Position("xiangqi"), evaluate, visits=20)
    assert found.visits == 20


def test_an_exception_of_the_function_is_raised_as_it_is():
    class Broken(Exception):
        pass

    error, calls = Broken("the GPU is on fire"), []

    def evaluate(planes):
        calls.append(len(planes))
        if len(calls) == 3:
            raise error
        return np.zeros((len(planes), kirin.action_count("wangqi"))), np.zeros(len(planes))

    with pytest.raises(Broken) as raised:
        kirin.search(kirin.Position("wangqi"), evaluate, visits=500)
    assert raised.value is error and len(calls) == 3


def interrupted(work):
    """Runs `work` and presses Ctrl-C meanwhile."""
    # A program that was started in the background ignores Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_the_keyboard_interrupts_a_search():
    game = kirin.Position("shogi")
    interrupted(lambda: kirin.search(game, seconds=600))
    interrupted(lambda: kirin.search(game, None, visits=1_000_000_000))

    def slow(planes):
        time.sleep(0.01)
        return np.zeros((len(planes), kirin.action_count("shogi"))), np.zeros(len(planes))

    interrupted(lambda: kirin.search(game, slow, visits=1_000_000))


def test_other_threads_run_during_a_search():
    turns, done = [], threading.Event()

    def count():
        while not done.wait(0.001):
            turns.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    found = kirin.search(kirin.Position("xiangqi"), seconds=1)
    done.set()
    thread.join()
    assert found.finish == "time" and len(turns) > 20


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n, count: (np.zeros((n, count - 1)), np.zeros(n)), "the policy has the shape"),
        (lambda n, count: (np.zeros(count), np.zeros(n)), "the policy has the shape"),
        (lambda n, count: (np.zeros((n, count)), np.zeros((n, 2))), "the values have the shape"),
        (lambda n, count: (np.zeros((n, count)), np.zeros(n + 1)), "the values have the shape"),
        (lambda n, count: (np.zeros((n, count)), np.full(n, 1.5)), "value 1.5; expected -1 to 1"),
        (lambda n, count: (np.zeros((n, count)), np.full(n, np.nan)), "NaN"),
        (lambda n, count: (np.full((n, count), np.inf), np.zeros(n)), "logit of move"),
        (lambda n, count: (np.zeros((n, count)), np.full((n, 3), 0.5)), "no distribution"),
        (lambda n, count: (np.zeros((n, count)), "seven"), "could not convert"),
    ],
)
def test_wrong_answers_are_refused(answer, message):
    count = kirin.action_count("wangqi")
    with pytest.raises(ValueError) as raised:
        kirin.search(kirin.Position("wangqi"), lambda planes: answer(len(planes), count), visits=20)
    assert message in str(raised.value)


@pytest.mark.parametrize("answer", [None, 1, (1,), (1, 2, 3), np.zeros(2)])
def test_what_is_no_pair_is_refused(answer):
    with pytest.raises(TypeError, match="must return a tuple"):
        kirin.search(kirin.Position("wangqi"), lambda planes: answer, visits=20)


def test_networks_that_cannot_be_used_are_refused(tmp_path):
    junk = tmp_path / "net.safetensors"
    junk.write_bytes(b"junk")
    (tmp_path / "nets").mkdir()
    with pytest.raises(ValueError, match="net.safetensors"):
        kirin.Network(junk)
    with pytest.raises(FileNotFoundError):
        kirin.Network(tmp_path / "none")
    with pytest.raises(ValueError, match="holds no network"):
        kirin.Network(tmp_path)
    with pytest.raises(ValueError, match="bf16 needs libtorch"):
        kirin.Network("builtin:xiangqi", precision="bf16")
    with pytest.raises(ValueError, match="plays xiangqi, and position 1 is one of shogi"):
        kirin.Network("builtin:xiangqi").evaluate([kirin.Position("xiangqi"), kirin.Position("shogi")])


def test_a_run_folder_stands_for_its_newest_network():
    run = "../../lab/tests/fixtures/run-of-41d492c"
    network = kirin.Network(run)
    assert (network.variant, network.generation) == ("wangqi", 0)
    assert network.id == kirin.Network(f"{run}/nets/gen-0000.safetensors").id
    assert kirin.search(kirin.Position("wangqi"), network, visits=10).visits == 10
