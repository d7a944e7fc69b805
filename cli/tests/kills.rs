//! What `kill -9` costs, measured: runs are killed at moments spread over their whole length, and resumed by the same
//! command.
//!
//! `make kills` runs this with `KIRIN_KILLS` kills (200) and prints the figures that docs/explanation/reliability.md has.

use crate::lab::Lab;
use crate::lab::state::temporaries;
use std::time::{Duration, Instant};

/// Default number of kills.
const KILLS: u32 = 200;

/// The moments of the kills are multiples of this, modulo 1: they fill the run evenly for any number of them.
const GOLDEN: f64 = 0.618_033_988_749_895;

#[test]
#[ignore = "ten minutes: make kills"]
fn what_kills_cost() {
    let kills = std::env::var("KIRIN_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let begin = Instant::now();
    let sound = Lab::new("wangqi");
    sound.succeed("run", &[]);
    let (reference, mut whole) = (sound.state(), begin.elapsed());
    // Opening a run that is over: what every call costs, killed or not.
    let begin = Instant::now();
    sound.succeed("run", &[]);
    let opening = begin.elapsed();
    let (mut hits, mut tries, mut kept_games, mut kept_stages) = (0, 0, 0, 0);
    let mut repeated: Vec<Duration> = Vec::new();
    while hits < kills {
        tries += 1;
        assert!(tries < 3 * kills, "{tries} runs, and only {hits} of them were killed at work");
        let lab = Lab::new("wangqi");
        let moment = whole.mul_f64(f64::from(tries) * GOLDEN % 1.0);
        let mut child = lab.start(&[]);
        std::thread::sleep(moment);
        child.kill().expect("killed");
        if child.wait().expect("waited for").success() {
            whole = whole.mul_f64(0.98);
            continue;
        }
        hits += 1;
        let state = lab.state();
        kept_games += state.games.len() + state.matches.len();
        kept_stages += state.stages.len();
        let begin = Instant::now();
        lab.succeed("run", &[]);
        repeated.push((moment + begin.elapsed()).saturating_sub(whole + opening));
        let end = lab.state();
        // Every finished game, stage, network and shard is there, and the final state is that of an undisturbed run.
        state.assert_kept_in(&end);
        end.assert_same(&reference);
        assert!(temporaries(lab.path()).is_empty(), "{:?} are left", temporaries(lab.path()));
    }
    repeated.sort();
    let seconds = |share: f64| repeated[(share * (repeated.len() - 1) as f64) as usize].as_secs_f64();
    println!(
        "{hits} kills of a run of {:.1} s, which is opened in {:.1} s",
        whole.as_secs_f64(),
        opening.as_secs_f64()
    );
    println!("finished and kept: {kept_games} games, {kept_stages} stages; lost: none");
    println!(
        "work done again: median {:.1} s, 95 % below {:.1} s, most {:.1} s",
        seconds(0.5),
        seconds(0.95),
        seconds(1.0)
    );
}
