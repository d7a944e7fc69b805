//! An engine for tests: immediately plays some legal move of a variant, in any of the three protocols, and
//! misbehaves on order.
//!
//! ```sh
//! scripted_engine [--variant ID] [--only PROTOCOL] [--fault KIND] [--at MOVE] [--once FILE] [--plain] [--score WORDS]
//! ```
//! `--fault` says what it does wrong, when asked for its move number `--at` (from 1; 0 is the handshake): `exit`,
//! `crash`, `slow` (says nothing for 3.5 s), `stall`, `ignore-stop`, `illegal`, `no-move`, `garbage`, `flood`, `long-line`, `resign`, `win`, `deaf`,
//! `options` (declares choices of 6 MB, then continues as usual), `unlink` (removes its own program, then crashes),
//! `child` and `daemon` (crash and leave a process behind). With `--once FILE` it does so only if the file does not exist,
//! and creates it. With `--plain` it neither counts moves (`go perft`) nor has options; `--score "cp -50"` is the score
//! that it reports with every move; with `--other-game` it does not know the last legal move of each position.

use rules::{Game, Move, MoveList, Notation, Position, PositionFormat, Rules, Variant, VariantId};
use std::io::{self, BufRead, Write};
use std::process::{Command, exit};
use std::time::Duration;

/// How it was called.
#[derive(Default)]
struct Script {
    variant: String,
    only: String,
    fault: String,
    at: u32,
    once: String,
    plain: bool,
    score: String,
    other_game: bool,
}

fn main() {
    let mut script = Script { variant: "xiangqi".into(), at: 1, ..Script::default() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("a value");
        match argument.as_str() {
            "--variant" => script.variant = value(),
            "--only" => script.only = value(),
            "--fault" => script.fault = value(),
            "--at" => script.at = value().parse().expect("a number"),
            "--once" => script.once = value(),
            "--score" => script.score = value(),
            "--plain" => script.plain = true,
            "--other-game" => script.other_game = true,
            _ => panic!("{argument}?"),
        }
    }
    let variant: VariantId = script.variant.parse().expect("a variant");
    rules::dispatch!(variant, V => talk::<V>(&script));
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    // The output is closed: there is nothing left to do.
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn talk<V: Variant>(script: &Script) {
    let mut game = Game::<V>::start(Rules::default());
    let mut position = String::new();
    let mut notation = &Notation::<V>::UCI;
    let mut asked = 0;
    for line in io::stdin().lock().lines() {
        let line = line.expect("text");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied().unwrap_or_default() {
            word @ ("uci" | "usi" | "ucci") if script.only.is_empty() || script.only == word => {
                notation = Notation::named(word).expect("the variant can be written so");
                if script.at == 0 {
                    misbehave(script, "");
                }
                say("id name Scripted 1.0");
                if !script.plain {
                    let name = if word == "ucci" { "" } else { "name " };
                    say(&format!(
                        "option {name}{}_Variant type combo default none var none var {}",
                        word.to_uppercase(),
                        V::ID
                    ));
                    say(&format!("option {name}Hash type spin default 1 min 1 max 16"));
                }
                say(&format!("{word}ok"));
            }
            "isready" => say("readyok"),
            "position" => set_up(&mut game, &mut position, notation, &words),
            "go" => {
                let mut legal = MoveList::new();
                game.legal_moves(&mut legal);
                let known = legal.len() - usize::from(script.other_game && legal.len() > 1);
                if words.get(1) == Some(&"perft") && !script.plain {
                    let depth = words[2].parse().expect("a depth");
                    count(game.position(), &legal[..known], depth, notation);
                    continue;
                }
                let any = game.position().key().low64() as usize % known;
                let choice = notation.write(game.position(), if script.other_game { legal[known] } else { legal[any] });
                asked += 1;
                if asked == script.at {
                    misbehave(script, &choice);
                }
                let score = if script.score.is_empty() { String::new() } else { format!(" score {}", script.score) };
                say(&format!("info depth 1 nodes 1{score} pv {choice}"));
                say(&format!("bestmove {choice}"));
            }
            "quit" => return,
            _ => {}
        }
    }
}

fn count<V: Variant>(position: &Position<V>, known: &[Move], depth: u32, notation: &Notation<V>) {
    let mut total = 0;
    for (mv, leaves) in position.perft_divide(depth).into_iter().filter(|(mv, _)| known.contains(mv)) {
        say(&format!("{}: {leaves}", notation.write(position, mv)));
        total += leaves;
    }
    say(&format!("\nNodes searched: {total}"));
}

/// Does what was ordered. Returns only if the move is to follow all the same.
fn misbehave(script: &Script, mv: &str) {
    if !script.once.is_empty() && std::fs::File::create_new(&script.once).is_err() {
        return;
    }
    match script.fault.as_str() {
        "" => {}
        "exit" => exit(3),
        "crash" => {
            eprintln!("something terrible has happened");
            std::process::abort();
        }
        "unlink" => {
            std::fs::remove_file(std::env::current_exe().expect("a path")).expect("removed");
            exit(4);
        }
        "child" => {
            Command::new("sleep").arg("1000").spawn().expect("sleep");
            exit(5);
        }
        // It leaves the process group of its parent, as a daemon does.
        "daemon" => {
            Command::new("setsid").args(["sleep", "1000"]).spawn().expect("setsid");
            std::thread::sleep(Duration::from_millis(50));
            exit(6);
        }
        // It still reads its input, so it is not deaf, but obeys nothing.
        "stall" => {
            for line in io::stdin().lock().lines() {
                if line.is_ok_and(|line| line == "stop") {
                    return say(&format!("bestmove {mv}"));
                }
            }
        }
        "ignore-stop" => for _ in io::stdin().lock().lines() {},
        "deaf" => hang(),
        "slow" => std::thread::sleep(Duration::from_millis(3_500)),
        "illegal" => say("bestmove a1a9"),
        "no-move" => say("bestmove (none)"),
        "resign" => say("bestmove resign"),
        "win" => say("bestmove win"),
        "garbage" => {
            let _ = io::stdout().write_all(b"\xff\xfe\x00 lorem ipsum\nbestmove \xc3\x28\xf0\x9f\n");
        }
        "flood" => loop {
            say("info string and so on and so on");
        },
        "options" => {
            for number in 0..100 {
                say(&format!("option name Many{number} type combo default a{}", " var a".repeat(10_000)));
            }
        }
        "long-line" => {
            let megabyte = vec![b'x'; 1 << 20];
            for _ in 0..100 {
                if io::stdout().write_all(&megabyte).is_err() {
                    exit(0);
                }
            }
            say("");
        }
        fault => panic!("{fault}?"),
    }
}

fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1_000));
    }
}

/// Sets up a position, or plays on from the one before: `known` is the command without the moves.
fn set_up<V: Variant>(game: &mut Game<V>, known: &mut String, notation: &Notation<V>, words: &[&str]) {
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let fen = words[2..end].join(" ");
    let moves = words.get(end + 1..).unwrap_or_default();
    if *known != fen || game.ply() as usize > moves.len() {
        let format = PositionFormat::<V>::named(words[1]).expect("the variant can be written so");
        *game = Game::from_position(Rules::default(), format.read(&fen).expect("a position"));
        *known = fen;
    }
    for word in &moves[game.ply() as usize..] {
        let mv = notation.read(game.position(), word).expect("a legal move");
        game.play(mv);
    }
}
