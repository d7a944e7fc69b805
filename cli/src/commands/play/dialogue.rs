//! The dialogue of a game: what the person types, and what the program answers.

use super::opponent::{Opponent, Thought};
use crate::terminal;
use anyhow::Result;
use report::number::{counted, percent};
use rules::{Game, Move, MoveError, MoveList, MoveReader, Notation, Outcome, Side, Termination, Variant};
use search::Proof;
use std::io::{BufRead, Write};

const HELP: &str = "\
Type a move or one of these commands:
  moves    list the legal moves
  hint     say what the opponent would play in your place
  undo     take back your last move and the answer to it
  board    draw the board again
  fen      print the position as FEN
  resign   give up the game
  quit     leave without finishing the game
  help     print this list";

/// A game between a person and the opponent.
pub struct Dialogue<V: Variant> {
    /// The game so far.
    pub game: Game<V>,
    /// The opponent.
    pub opponent: Opponent<V>,
    /// The person's side.
    pub person: Side,
    /// How moves are shown.
    pub notation: &'static Notation<V>,
    /// Reads what the person types, in any notation.
    pub reader: MoveReader<V>,
    /// Whether to print a prompt, for a person at a terminal. A pipe needs none.
    pub prompt: bool,
}

/// What follows a line of input.
enum Next {
    /// Ask again.
    Ask,
    /// A move has been made or taken back.
    Moved,
    /// The game is over.
    Over(Outcome),
    /// The person leaves.
    Leave,
}

impl<V: Variant> Dialogue<V> {
    /// A game whose moves are shown in `notation` and may be typed in any.
    pub fn new(
        game: Game<V>,
        opponent: Opponent<V>,
        person: Side,
        notation: &'static Notation<V>,
        prompt: bool,
    ) -> Dialogue<V> {
        Dialogue { game, opponent, person, notation, reader: MoveReader::new(notation), prompt }
    }

    /// Plays until the game ends, the person leaves or the input ends.
    ///
    /// # Errors
    /// The input cannot be read, the output cannot be written, or the opponent fails.
    pub fn play(&mut self, mut input: impl BufRead, mut out: impl Write) -> Result<()> {
        let ruleset = self.game.rules().name();
        writeln!(out, "{} against {}, rule set {ruleset}.", V::TITLE, self.opponent.name)?;
        writeln!(out, "You are the {} player. `help` lists what you can type.\n", self.person)?;
        write!(out, "{}", self.board())?;
        let mut legal = MoveList::new();
        loop {
            self.game.legal_moves(&mut legal);
            if let Some(outcome) = self.game.outcome(&legal) {
                return self.finish(outcome, &mut out);
            }
            if self.game.side() != self.person {
                self.answer(&mut out)?;
                continue;
            }
            if self.game.position().is_check() {
                writeln!(out, "You are in check.")?;
            }
            match self.turn(&legal, &mut input, &mut out)? {
                Next::Over(outcome) => return self.finish(outcome, &mut out),
                Next::Leave => return Ok(()),
                Next::Moved | Next::Ask => {}
            }
        }
    }

    /// Reads lines until one of them changes the game.
    fn turn(&mut self, legal: &[Move], input: &mut impl BufRead, out: &mut impl Write) -> Result<Next> {
        loop {
            if self.prompt {
                write!(out, "your move> ")?;
            }
            out.flush()?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                writeln!(out, "End of input; the game stays unfinished at\n{}", self.game.position().fen())?;
                return Ok(Next::Leave);
            }
            let line = String::from_utf8_lossy(&line);
            match self.respond(line.trim(), legal, out)? {
                Next::Ask => {}
                next => return Ok(next),
            }
        }
    }

    /// Plays the move or carries out the command of a line.
    fn respond(&mut self, text: &str, legal: &[Move], out: &mut impl Write) -> Result<Next> {
        match text.to_lowercase().as_str() {
            "" => {}
            "help" | "?" => writeln!(out, "{HELP}")?,
            "board" => write!(out, "{}", self.board())?,
            "fen" => writeln!(out, "{}", self.game.position().fen())?,
            "moves" => {
                let heading = counted(legal.len() as u64, "legal move", "legal moves") + ":";
                writeln!(out, "{}", terminal::wrap(&heading, &self.texts(legal), 2, terminal::width()))?;
            }
            "hint" => {
                let thought = self.opponent.think(&self.game)?;
                writeln!(out, "{}", wrapped("hint:", &self.describe(&thought, "you")))?;
            }
            "undo" => {
                if self.undo() {
                    writeln!(out, "Taken back.")?;
                    write!(out, "{}", self.board())?;
                    return Ok(Next::Moved);
                }
                writeln!(out, "You have no move to take back.")?;
            }
            "resign" => return Ok(Next::Over(Outcome::win(self.person.other(), Termination::Resign))),
            "quit" | "exit" => {
                writeln!(out, "Bye. The position was\n{}", self.game.position().fen())?;
                return Ok(Next::Leave);
            }
            _ => match self.reader.read(self.game.position(), text) {
                Ok(mv) => {
                    self.game.play(mv);
                    return Ok(Next::Moved);
                }
                Err(error) => self.refuse(text, &error, legal, out)?,
            },
        }
        Ok(Next::Ask)
    }

    /// Takes back to the person's last turn; `false` if there was none.
    fn undo(&mut self) -> bool {
        // The person moved on every second ply before this one, whichever side began.
        if self.game.ply() < 2 {
            return false;
        }
        self.game.undo();
        self.game.undo();
        true
    }

    /// The board with the coordinates of the notation.
    fn board(&self) -> String {
        self.notation.draw(self.game.position())
    }

    fn texts(&self, moves: &[Move]) -> Vec<String> {
        let mut texts: Vec<String> = moves.iter().map(|&mv| self.notation.words(self.game.position(), mv)).collect();
        texts.sort();
        texts
    }

    /// Prints why a move cannot be played, and which moves can.
    fn refuse(&self, text: &str, error: &MoveError, legal: &[Move], out: &mut impl Write) -> Result<()> {
        let text = match error {
            MoveError::Illegal { text, .. } => text,
            MoveError::Ambiguous { .. } => return Ok(writeln!(out, "{error}")?),
            MoveError::Malformed(_, example) => {
                let shown: String = text.chars().take(32).filter(|character| !character.is_control()).collect();
                writeln!(
                    out,
                    "{shown:?} is neither a move nor a command. A move looks like {example}; `help` lists the commands."
                )?;
                return Ok(());
            }
        };
        let is_uci = matches!(Notation::UCI.read(self.game.position(), text), Err(MoveError::Illegal { .. }));
        if self.notation.name != Notation::<V>::UCI.name || !is_uci {
            writeln!(out, "{text} is not legal here; `moves` lists the legal moves.")?;
            return Ok(());
        }
        let origin: String = match text.split_once('@') {
            Some((piece, _)) => format!("{piece}@"),
            None => {
                let digits = text.bytes().skip(1).take_while(u8::is_ascii_digit).count();
                text.chars().take(1 + digits).collect()
            }
        };
        let same: Vec<String> = self
            .texts(legal)
            .into_iter()
            .filter(|other| {
                other.strip_prefix(&origin).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            })
            .collect();
        if same.is_empty() {
            writeln!(out, "{text} is not legal here, and no legal move begins with {origin}; `moves` lists them all.")?;
        } else {
            writeln!(out, "{text} is not legal here; the legal moves with {origin}: {}", same.join(" "))?;
        }
        Ok(())
    }

    /// The opponent's move.
    fn answer(&mut self, out: &mut impl Write) -> Result<()> {
        if self.prompt {
            writeln!(out, "…")?;
            out.flush()?;
        }
        let thought = self.opponent.think(&self.game)?;
        let described = self.describe(&thought, "it");
        self.game.play(thought.best);
        writeln!(out, "{}\n", wrapped("The opponent plays", &described))?;
        write!(out, "{}", self.board())?;
        Ok(())
    }

    /// A move with the opponent's evaluation, from the point of view of `whom` ("you" or "it").
    fn describe(&self, thought: &Thought, whom: &str) -> String {
        let [win, draw, loss] = thought.wdl.map(|share| percent(f64::from(share), 0));
        let opinion = match thought.proven {
            Some((Proof::Win, 1)) => format!("a win for {whom} at once"),
            Some((Proof::Win, plies)) => format!("a certain win for {whom}, within {plies} plies"),
            Some((Proof::Loss, plies)) => format!("a certain loss for {whom}, within {plies} plies if answered well"),
            Some((Proof::Draw, _)) => "a certain draw".to_owned(),
            _ => format!("for {whom}: win {win}, draw {draw}, loss {loss}"),
        };
        let mut position = self.game.position().clone();
        let mut line = Vec::new();
        for &mv in &thought.line {
            line.push(self.notation.words(&position, mv));
            position.play(mv);
        }
        let expected = match line.get(1..) {
            Some(rest) if !rest.is_empty() => format!("; expects {}", rest.join(" ")),
            _ => String::new(),
        };
        format!("{} ({opinion}; {} visits{expected})", line[0], thought.visits)
    }

    fn finish(&self, outcome: Outcome, out: &mut impl Write) -> Result<()> {
        let reason = outcome.termination.name().replace('_', " ");
        match outcome.winner() {
            Some(side) if side == self.person => writeln!(out, "You win: {reason}.")?,
            Some(_) => writeln!(out, "The opponent wins: {reason}.")?,
            None => writeln!(out, "Draw: {reason}.")?,
        }
        if let Some([first, second]) = outcome.points {
            writeln!(out, "Points: {first} for the first player, {second} for the second.")?;
        }
        let plies = counted(self.game.ply().into(), "ply", "plies");
        writeln!(out, "{plies}; final position {}", self.game.position().fen())?;
        Ok(())
    }
}

/// A sentence in lines that fit the terminal.
fn wrapped(beginning: &str, rest: &str) -> String {
    terminal::wrap(beginning, &rest.split(' ').collect::<Vec<_>>(), 2, terminal::width())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Janggi, Position, Rules, Shogi, Wangqi, Xiangqi};

    fn played<V: Variant>(game: Game<V>, person: Side, typed: &str) -> String {
        let mut out = Vec::new();
        let opponent = Opponent::without_network(8);
        Dialogue::new(game, opponent, person, &Notation::UCI, false).play(typed.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn start<V: Variant>() -> Game<V> {
        Game::start(Rules::default())
    }

    #[test]
    fn a_game_is_played_taken_back_and_left() {
        let out = played(start::<Xiangqi>(), Side::First, "h3e3\nhint\nundo\nundo\nmoves\nfen\nquit\n");
        assert!(out.contains("The opponent plays ") && out.contains("hint: "), "{out}");
        assert!(out.contains("Taken back.") && out.contains("You have no move to take back"), "{out}");
        assert!(out.contains("44 legal moves: a1a2 "), "back at the start: {out}");
        assert!(out.contains("Bye."), "{out}");
    }

    #[test]
    fn wrong_input_is_explained_and_the_game_goes_on() {
        let out = played(start::<Xiangqi>(), Side::First, "h3h11\nh3i9\nb5b6\n\u{7}what\n\nresign\n");
        assert!(out.contains("h3i9 is not legal here; the legal moves with h3: h3"), "{out}");
        assert!(out.contains("no legal move begins with b5"), "{out}");
        assert!(out.contains("\"what\" is neither a move nor a command"), "{out}");
        assert!(out.contains("The opponent wins: resign."), "{out}");
    }

    #[test]
    fn the_input_may_end_anywhere() {
        for typed in [&b""[..], b"h3e3", b"h3e3\n\xff\xfe\n"] {
            let mut out = Vec::new();
            let opponent = Opponent::without_network(4);
            let mut dialogue = Dialogue::new(start::<Xiangqi>(), opponent, Side::Second, &Notation::UCI, true);
            dialogue.play(typed, &mut out).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(out.contains("End of input"), "{out}");
        }
    }

    #[test]
    fn a_mate_is_announced_with_its_reason() {
        let position = Position::<Xiangqi>::from_fen("4k4/R8/1R7/9/9/9/9/9/9/3K5 w - - 0 1").unwrap();
        let game = Game::from_position(Rules::default(), position);
        let out = played(game.clone(), Side::First, "b8b10\n");
        assert!(out.contains("You win: checkmate."), "{out}");
        let out = played(game, Side::Second, "");
        assert!(out.contains("a win for it at once") && out.contains("The opponent wins: "), "{out}");
    }

    #[test]
    fn moves_are_typed_and_shown_in_another_notation() {
        let mut out = Vec::new();
        let notation = Notation::<Xiangqi>::named("chinese").unwrap();
        let opponent = Opponent::without_network(8);
        let mut dialogue = Dialogue::new(start(), opponent, Side::First, notation, false);
        dialogue.play("moves\n炮二平五\nundo\nh3e3\n俥一進九\nquit\n".as_bytes(), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("44 legal moves: ") && out.contains(" 炮二平五 "), "{out}");
        assert_eq!(out.matches("The opponent plays ").count(), 2, "both notations are read: {out}");
        assert!(out.contains("俥一進九 is not legal here"), "{out}");
    }

    #[test]
    fn moves_in_any_notation_are_understood_at_once_and_a_pass_is_called_one() {
        for typed in ["7g7f\nquit\n", "７六歩\nquit\n", "c3c4\nquit\n"] {
            let out = played(start::<Shogi>(), Side::First, typed);
            assert!(out.contains("The opponent plays "), "{typed}: {out}");
        }
        let out = played(start::<Janggi>(), Side::First, "moves\npass\nquit\n");
        assert!(out.contains(" e2e2 (pass 한수쉼)") && out.contains("The opponent plays "), "{out}");
        let out = played(start::<Xiangqi>(), Side::First, "俥一進九\nquit\n");
        assert!(out.contains("俥一進九 is not legal here; `moves` lists the legal moves."), "{out}");
    }

    #[test]
    fn drops_are_refused_by_piece() {
        let out = played(start::<Wangqi>(), Side::First, "P@e5\nquit\n");
        assert!(out.contains("P@e5 is not legal here, and no legal move begins with P@"), "{out}");
    }
}
