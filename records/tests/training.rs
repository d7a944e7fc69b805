//! HCPE and PSV: boards and moves are those that another library writes, and what is written is read.

use records::training::{HCPE, PSV, TrainingFormat};
use records::{ReadOptions, RecordContents, TaggedGame, Tags, read};
use rules::{Game, MoveList, Outcome, Position, Rules, Shogi, Side, Termination};

/// Boards as rsshogi 1.7.3 (MIT) writes them: SFEN, HCP, PackedSfen.
const BOARDS: [[&str; 3]; 4] = [
    [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
    ],
    [
        "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
        "8d8c89120cb612f02a8145b982ddeb78843f20001ef0279828c1000018a37cbe",
        "8d8c91140cce14f04a81435a83db6b79845f20001ef02b1849c1000028653c9e",
    ],
    [
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685303c5e",
        "59a451220cab44fc2ca744385e89f0488457223ca744385689f858468930bc7e",
    ],
    [
        "4k4/9/9/9/9/9/9/9/4K4 b RB4G4S4N4L18P 1",
        "582400000000000000000000000000000000104208638c514a29e79cf3f93d5e",
        "582400000000000000000000000000000000104208a59432c618e79cf3f8bc7e",
    ],
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn record(game: Game<Shogi>, outcome: Outcome, opening_plies: u32) -> TaggedGame<Shogi> {
    TaggedGame { line: 1, tags: Tags { opening_plies, ..Tags::default() }, game, outcome: Some(outcome) }
}

fn written(format: TrainingFormat, record: &TaggedGame<Shogi>) -> Vec<u8> {
    let mut bytes = Vec::new();
    format.write(&mut bytes, record, |_| None).expect("Shogi has USI");
    bytes
}

fn games(file: &str, bytes: &[u8]) -> RecordContents<Shogi> {
    read(file, bytes, &ReadOptions::default()).expect("a record")
}

#[test]
fn boards_are_those_of_another_library() {
    for [sfen, hcp, packed] in BOARDS {
        let start = Position::from_text(sfen).expect("a position");
        let mut game = Game::from_position(Rules::default(), start);
        let mut legal = MoveList::new();
        game.legal_moves(&mut legal);
        game.play(legal[0]);
        let record = record(game, Outcome::draw(Termination::Adjudicated), 0);
        for (format, wanted) in [(HCPE, hcp), (PSV, packed)] {
            assert_eq!(hex(&written(format, &record)[..32]), wanted, "{sfen}");
        }
    }
}

#[test]
fn records_have_moves_values_and_winners() {
    let game = Game::from_moves_text(Rules::default(), Position::start(), "c3c4 g7g6 b2h8+ g9h8 B@f5").expect("legal");
    let record = record(game, Outcome::win(Side::Second, Termination::Resign), 1);
    let [mut hcpe, mut psv] = [const { Vec::new() }; 2];
    let chance = |ply: u32| (ply > 2).then_some(0.75);
    HCPE.write(&mut hcpe, &record, chance).expect("USI");
    PSV.write(&mut psv, &record, chance).expect("USI");
    let word = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    // The first move is left out. 3c3d, 8h2b+, 3a2b, B*4e; 756 ln 3 and 600 ln 3.
    let of =
        |bytes: &[u8], size: usize, at: usize| bytes.chunks(size).map(|record| word(record, at)).collect::<Vec<_>>();
    assert_eq!(of(&hcpe, 38, 34), [20 << 7 | 21, 0x630a, 18 << 7 | 10, 85 << 7 | 31]);
    assert_eq!(of(&psv, 40, 34), [20 << 7 | 21, 0xa30a, 18 << 7 | 10, 0x4000 | 5 << 7 | 31]);
    assert_eq!(of(&hcpe, 38, 32), [0, 0, 831, 831]);
    assert_eq!(of(&psv, 40, 32), [0, 0, 659, 659]);
    assert_eq!(of(&psv, 40, 36), [2, 3, 4, 5]);
    let results =
        |bytes: &[u8], size: usize, at: usize| bytes.chunks(size).map(|record| record[at] as i8).collect::<Vec<_>>();
    assert_eq!((results(&hcpe, 38, 36), results(&psv, 40, 38)), (vec![2; 4], vec![1, -1, 1, -1]));
}

#[test]
fn shuffled_and_damaged_records_are_read_one_by_one() {
    let game = Game::from_moves_text(Rules::default(), Position::start(), "c3c4 g7g6 b2h8+ g9h8").expect("legal");
    let record = record(game, Outcome::win(Side::First, Termination::Resign), 0);
    for (format, size, file) in [(HCPE, 38, "a.hcpe"), (PSV, 40, "a.psv")] {
        let bytes = written(format, &record);
        let contents = games("unnamed", &bytes);
        assert_eq!((contents.records.len(), contents.format.extensions), (1, &[&file[2..]][..]));
        let mut shuffled: Vec<&[u8]> = bytes.chunks(size).collect();
        shuffled.reverse();
        let contents = games(file, &shuffled.concat());
        let moves: Vec<String> = contents.records.iter().map(|record| record.game.moves_text()).collect();
        assert_eq!(moves, ["g9h8", "b2h8+", "g7g6", "c3c4"]);
        assert_eq!(contents.records[3].game.start_position(), &Position::start());
        // A record cut off, and one whose result is impossible.
        let mut damaged = bytes[..bytes.len() - 2].to_vec();
        damaged[size + if size == 38 { 36 } else { 38 }] = 7;
        let contents = games(file, &damaged);
        let lines: Vec<usize> = contents.problems.iter().map(|problem| problem.line).collect();
        assert_eq!((contents.records.len(), lines), (2, vec![2, 4]));
    }
    assert!(read::<rules::Xiangqi>("a.hcpe", &written(HCPE, &record), &ReadOptions::default()).is_err());
    assert!(HCPE.write(&mut Vec::new(), &record, |_| None).is_ok());
}
