"""Position against the vectors of the rules, and against itself in two ways."""

import copy
import pickle
import random
import re
import threading
from xml.etree import ElementTree

import kirin
import pytest
from vectors import lines, perft_suite, unrolled

TABLED = [variant for variant in kirin.VARIANTS if kirin.action_count(variant)]


def random_games(variant, games, plies, seed=1):
    """Positions of random play."""
    choice = random.Random(seed)
    for _ in range(games):
        game = kirin.Position(variant)
        for _ in range(plies):
            if game.outcome():
                break
            yield game
            game.push(choice.choice(game.legal_moves()))


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_perft(variant):
    checked = 0
    for fen, depth, nodes in perft_suite(variant, 400_000):
        position = kirin.Position(variant, fen)
        assert kirin.perft(position, depth) == nodes, (fen, depth)
        if nodes < 40_000:
            assert sum(count for _, count in kirin.divide(position, depth)) == nodes, (fen, depth)
        checked += 1
    assert checked > 10


@pytest.mark.parametrize("variant", ["xiangqi", "janggi"])
def test_moves_of_single_pieces(variant):
    for line in lines(f"{variant}/moves.txt"):
        fen, piece, count, *wanted = (field.strip() for field in line.split(";"))
        moves = kirin.Position(variant, fen).legal_moves()
        square, number = piece.split()
        from_square = [move for move in moves if move.startswith(square) and not move[len(square)].isdigit()]
        assert (len(from_square), len(moves)) == (int(number), int(count)), line
        for sign, move in ((word[0], word[1:]) for word in " ".join(wanted).split()):
            assert (move in moves) == (sign == "+"), line


def end_of(game, moves):
    """How the game has ended after as many of the moves as it takes."""
    moves = iter(moves)
    while True:
        outcome = game.outcome()
        if outcome:
            points = "".join(f" {outcome.points[0]:g} : {outcome.points[1]:g}" for _ in [0] if outcome.points)
            return f"{game.ply} {outcome.winner or 'draw'} {outcome.reason}{points}"
        move = next(moves, None)
        if move is None:
            return "none"
        game.push(move)


@pytest.mark.parametrize("variant", ["xiangqi", "janggi"])
def test_ends_of_games(variant):
    presets = set(kirin.rulesets(variant))
    checked = 0
    for line in lines(f"{variant}/ends.txt"):
        _, fen, moves, *verdicts = (field.strip() for field in line.split(";"))
        for verdict in verdicts:
            preset, expected = verdict.split(": ", 1)
            if preset in presets:
                assert end_of(kirin.Position(variant, fen, preset), unrolled(moves)) == expected, line
                checked += 1
    assert checked > 20


@pytest.mark.parametrize("variant", ["shogi", "wangqi"])
def test_expectations(variant):
    kinds = set()
    for line in lines(f"{variant}/vectors.txt"):
        fields = [field.strip() for field in line.split(";")]
        if len(fields) != 4:
            continue
        _, fen, moves, expectations = fields
        start = kirin.Position(variant, None if fen in ("", "start") else fen)
        for expected in expectations.split():
            game = start.copy()
            if expected[0] in "+-":
                for move in unrolled(moves):
                    game.push(move)
                assert (expected[1:] in game.legal_moves()) == (expected[0] == "+"), line
                kinds.add(expected[0])
            elif expected.startswith("legal="):
                for move in unrolled(moves):
                    game.push(move)
                assert len(game.legal_moves()) == int(expected[6:]), line
                kinds.add("legal")
    assert kinds >= {"+", "-"}


def test_ends_of_koshogi():
    for line in lines("koshogi/ends.txt"):
        _, fen, moves, expected = (field.strip() for field in line.split(";"))
        game = kirin.Position("koshogi", None if fen == "start" else fen)
        assert end_of(game, unrolled(moves)) == expected, line


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_notations_and_formats_round_trip(variant):
    for game in random_games(variant, 2, 40):
        for notation in kirin.notations(variant):
            moves = game.legal_moves(notation)
            assert len(set(moves)) == len(moves)
            for move in moves[::7]:
                after = game.copy()
                after.push(move, notation=notation)
                assert after.moves(notation)[-1] == move
        for name in kirin.position_formats(variant):
            read = kirin.Position(variant, game.text(name))
            assert read.legal_moves() == game.legal_moves(), (name, game.text(name))
    assert game.text("fen") == game.fen


def test_notation_vectors():
    for line in lines("shogi/notation.txt"):
        sfen, usi, csa, kif = line.split("\t")
        start = kirin.Position("shogi", sfen)
        after = []
        for notation, text in (("usi", usi), ("csa", csa), ("kif", kif)):
            after.append(start.copy())
            after[-1].push(text, notation=notation)
        assert after[0] == after[1] == after[2] and after[0].moves("usi") == [usi], line


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_pickles_and_copies_are_equal(variant):
    for game in random_games(variant, 2, 60):
        for twin in (pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy([game])[0]):
            assert twin == game and hash(twin) == hash(game) and twin.repetitions == game.repetitions
            twin.push(twin.legal_moves()[0])
            assert twin != game
            twin.undo()
            assert twin == game
        assert eval(repr(game), {"Position": kirin.Position}) == game
    for outcome in (kirin.Outcome(1, "checkmate"), kirin.Outcome(0, "points", (36.0, 36.0))):
        twin = pickle.loads(pickle.dumps(outcome))
        assert twin == outcome and hash(twin) == hash(outcome) and repr(twin) == repr(outcome)


def test_the_past_is_part_of_equality():
    there_and_back = kirin.Position("xiangqi", moves="a1a2 a10a9 a2a1 a9a10")
    start = kirin.Position("xiangqi")
    assert there_and_back.key == start.key and there_and_back.repetitions == 1
    assert there_and_back != start and start != kirin.Position("xiangqi", None, "simple")
    assert start != "xiangqi" and start == kirin.Position("xiangqi", start.fen)


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_undo_goes_back_to_the_start(variant):
    *_, game = random_games(variant, 1, 80)
    played = game.moves()
    undone = [game.undo() for _ in played]
    assert undone == played[::-1] and game == kirin.Position(variant)


@pytest.mark.parametrize("variant", kirin.VARIANTS)
def test_boards_are_drawn(variant):
    for game in random_games(variant, 1, 30):
        svg = ElementTree.fromstring(game._repr_svg_())
        discs = svg.iter("{http://www.w3.org/2000/svg}circle")
        pieces = sum(letter.isalpha() for letter in game.fen.split()[0].split("[")[0])
        if variant != "koshogi":  # whose codes have several letters
            assert len(list(discs)) == pieces
        assert str(game) == game.draw("uci")


def test_setups():
    assert kirin.setups("janggi")
    fens = {kirin.Position("janggi", setups=(a, b)).fen for a in kirin.setups("janggi") for b in kirin.setups("janggi")}
    assert len(fens) == len(kirin.setups("janggi")) ** 2


@pytest.mark.parametrize("variant", TABLED)
def test_actions_are_moves(variant):
    for game in random_games(variant, 2, 60):
        actions = [game.action(move) for move in game.legal_moves()]
        assert [game.move_of(action) for action in actions] == game.legal_moves()
        assert sorted(actions) == game.action_mask().nonzero()[0].tolist()


def square(text, game):
    """The square `b10`, as the planes of the side to move count it."""
    _, ranks, files = kirin.planes_shape(game.variant)
    number = (int(text[1:]) - 1) * files + ord(text[0]) - ord("a")
    return number if game.side == "first" else ranks * files - 1 - number


@pytest.mark.parametrize("variant", TABLED)
def test_action_squares_are_those_of_the_moves(variant):
    squares = kirin.action_squares(variant)
    planes, ranks, files = kirin.planes_shape(variant)
    kinds, hands = {"janggi": (7, 0), "xiangqi": (7, 0), "shogi": (14, 7), "wangqi": (15, 7)}[variant]
    board = ranks * files
    assert squares.dtype.name == "int16" and squares.shape == (kirin.action_count(variant), 3)
    assert len({tuple(row) for row in squares.tolist()}) == len(squares)
    assert squares[-1].tolist() == [board + hands, board + hands, 0]
    assert squares[:-1, 1].max() == board - 1 and squares[:-1].min() == 0
    kinds_of_row = set()
    for game in random_games(variant, 3, 120):
        seen = game.planes()
        for text in game.legal_moves():
            source, target, promotes = squares[game.action(text)].tolist()
            dropped, start, end, promotion = re.fullmatch(r"(?:([A-Z])@|([a-i]\d+))([a-i]\d+)(\+?)", text).groups()
            assert promotes == bool(promotion)
            kinds_of_row.add((game.side, dropped is not None, bool(promotes), start == end))
            if start == end:
                assert source == target == board + hands
                continue
            assert target == square(end, game)
            if dropped is None:
                assert source == square(start, game)
                assert seen[:kinds, source // files, source % files].sum() == 1, "a piece of the side to move"
                continue
            # The hand whose plane counts the kind is one smaller after the drop.
            slot = source - board
            game.push(text)
            before, after = seen[2 * kinds + slot, 0, 0], game.planes()[2 * kinds + hands + slot, 0, 0]
            game.undo()
            assert 0 <= slot < hands and before - after == pytest.approx(1 / 8)
    assert len(kinds_of_row) == {"xiangqi": 2, "janggi": 4, "shogi": 6, "wangqi": 6}[variant], kinds_of_row


@pytest.mark.parametrize("variant", TABLED)
def test_action_squares_are_the_tokens_of_legal_moves(variant):
    env, squares = kirin.VectorEnv(variant, 16, planes=False, seed=2), kirin.action_squares(variant)
    for _ in range(100):
        env.step(env.sample())
        moves, begin = env.legal()
        for index, mask in enumerate(env.mask):
            assert sorted(squares[mask].tolist()) == sorted(moves[begin[index] : begin[index + 1], :3].tolist())


def composed(variant, choice):
    """A FEN with some pieces of the start position on other squares, which may not be a position."""
    board, *rest = kirin.Position(variant).fen.split()
    board, *hands = board.split("[")
    pieces = sorted({letter for letter in board if letter.isalpha() and letter.upper() != "K"})
    if variant in ("shogi", "wangqi"):
        pieces += ["+" + piece for piece in pieces if piece.upper() != "G"]
    ranks = [re.sub(r"\d+", lambda run: "1" * int(run[0]), rank) for rank in board.split("/")]
    kings = [[letter if letter.upper() == "K" else "1" for letter in rank] for rank in ranks]
    for _ in range(choice.randint(1, 14)):
        rank = choice.choice(kings)
        file = choice.randrange(len(rank))
        if rank[file] == "1":
            rank[file] = choice.choice(pieces)
    text = "/".join(re.sub("1+", lambda run: str(len(run[0])), "".join(rank)) for rank in kings)
    return " ".join(["[".join([text, *hands]), choice.choice("wb"), *rest[1:]])


@pytest.mark.parametrize("variant", TABLED)
def test_every_position_has_actions(variant):
    choice, positions = random.Random(7), 0
    for _ in range(2000):
        try:
            game = kirin.Position(variant, composed(variant, choice))
        except ValueError:
            continue
        positions += 1
        assert int(game.action_mask().sum()) == len(game.legal_moves()), game.fen
    assert positions > 100


def test_perft_lets_other_threads_run():
    position = kirin.Position("xiangqi")
    counted = []
    thread = threading.Thread(target=lambda: counted.append(kirin.perft(position, 5)))
    thread.start()
    steps = 0
    while not counted:
        position.push("h3e3")
        position.undo()
        steps += 1
    thread.join()
    # With the GIL held this thread would have waited for the end.
    assert counted == [133312995] and steps > 1000
