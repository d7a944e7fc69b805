//! Games that reached a position, by whatever moves.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::games::{Games, Member, ShortKey};
use super::lines::{Line, Lines};

/// Keys are as good as random already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The positions after lines, numbered.
type Places = HashMap<ShortKey, u32, BuildHasherDefault<AsItIs>>;

/// Games that one thread looks at before it takes others.
const TOGETHER: usize = 4096;

/// For each line the number of games, of those that the filter lets pass, that reached the position after it; `None` where
/// nobody recorded that position's key.
pub(super) fn position_games(games: &Games, lines: &Lines) -> Vec<Option<u64>> {
    let keys: Vec<Option<ShortKey>> = lines.lines.par_iter().map(|line| key_after(games, lines, line)).collect();
    let mut places = Places::default();
    let places_of: Vec<Option<u32>> = keys
        .iter()
        .map(|key| {
            let next = places.len() as u32;
            Some(*places.entry((*key)?).or_insert(next))
        })
        .collect();
    let reached: Vec<AtomicU32> = (0..places.len()).map(|_| AtomicU32::new(0)).collect();
    let arrive = |here: &mut Vec<u32>| {
        here.sort_unstable();
        here.dedup();
        for place in here.drain(..) {
            reached[place as usize].fetch_add(1, Ordering::Relaxed);
        }
    };
    let recorded = |game: Member, here: &mut Vec<u32>| {
        let of_shard = &games.shards[game.shard as usize];
        let keys = [&of_shard.early, &of_shard.late].map(|keys| keys.get(game.row as usize));
        here.extend(keys.into_iter().flatten().filter_map(|key| places.get(key)));
    };
    // Who comes there: by the line itself, recorded or not, and anybody with one of these keys at any ply.
    let of_lengths: Vec<(&[Line], &[Option<u32>])> = by_length(&lines.lines, &places_of);
    lines.order.par_chunks(TOGETHER).enumerate().for_each(|(chunk, members)| {
        let first = (chunk * TOGETHER) as u32;
        // Lines of a length are in the order of their games, so each is left behind once.
        let mut ahead = of_lengths.clone();
        for (lines, places) in &mut ahead {
            let passed = lines.partition_point(|line| line.games.end <= first);
            (*lines, *places) = (&lines[passed..], &places[passed..]);
        }
        let mut here = Vec::new();
        for (at, &game) in (first..).zip(members) {
            for (lines, places) in &mut ahead {
                while lines.first().is_some_and(|line| line.games.end <= at) {
                    (*lines, *places) = (&lines[1..], &places[1..]);
                }
                if lines.first().is_some_and(|line| line.games.start <= at) {
                    here.extend(places[0]);
                }
            }
            recorded(game, &mut here);
            arrive(&mut here);
        }
    });
    let others: Vec<Member> = games.elsewhere().collect();
    others.par_chunks(TOGETHER).for_each(|members| {
        let mut here = Vec::new();
        for &game in members {
            recorded(game, &mut here);
            arrive(&mut here);
        }
    });
    let reached_by = |place: Option<u32>| place.map(|place| reached[place as usize].load(Ordering::Relaxed).into());
    places_of.into_iter().map(reached_by).collect()
}

/// The lines of each length with their places.
fn by_length<'a>(lines: &'a [Line], mut places: &'a [Option<u32>]) -> Vec<(&'a [Line], &'a [Option<u32>])> {
    let of_length = |lines: &'a [Line]| {
        let (here, longer) = places.split_at(lines.len());
        places = longer;
        (lines, here)
    };
    lines.chunk_by(|a, b| a.ply == b.ply).map(of_length).collect()
}

/// The key of the position after a line, from any of its games that recorded it.
fn key_after(games: &Games, lines: &Lines, line: &Line) -> Option<ShortKey> {
    let members = &lines.order[line.games.start as usize..line.games.end as usize];
    members.iter().find_map(|&game| {
        let early = games.shards[game.shard as usize].early.get(game.row as usize);
        early.get(line.ply as usize - 1).copied().filter(|&key| key != 0)
    })
}
