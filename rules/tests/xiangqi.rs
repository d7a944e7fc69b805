//! Xiangqi.

use rules::{Position, Xiangqi};

#[test]
fn perft_from_the_start() {
    let start = Position::<Xiangqi>::start();
    for (depth, nodes) in [(1, 44), (2, 1_920), (3, 79_666), (4, 3_290_240), (5, 133_312_995)] {
        let clock = std::time::Instant::now();
        assert_eq!(start.perft(depth), nodes, "depth {depth}");
        println!("depth {depth}: {:?}", clock.elapsed());
    }
}

#[test]
fn perft_from_play() {
    for (fen, counts) in [
        ("3a1a3/4k3r/4b3b/4p1C1p/3r5/9/P1P1P1PNP/N3B4/9/R2AKABR1 b - - 8 19", [31, 927, 26_364, 826_410]),
        ("rn3a1n1/3k5/b7b/2p1pC3/P5p1p/9/2P1P1P2/9/4K4/6r2 b - - 1 23", [26, 461, 12_704, 218_285]),
        (
            "2bakab2/4c4/n3n4/p1p1p1R1p/2c3p2/5r3/P1P1P1P1P/N1C1C1N2/9/R1BAKAB2 w - - 0 1",
            [32, 1_276, 42_065, 1_623_483],
        ),
    ] {
        let position = Position::<Xiangqi>::from_fen(fen).expect("a valid FEN");
        for (depth, nodes) in (1..).zip(counts) {
            assert_eq!(position.perft(depth), nodes, "{fen} depth {depth}");
        }
    }
}
