//! What a format leaves to its writers, each in a text of a few lines: comments, blanks, headers without effect, forms
//! of a move, and statements that are refused.

use super::{end, games, names, said};
use records::{ReadOptions, RecordContents};
use rules::{Janggi, Position, Shogi, Variant, Xiangqi};

/// The moves and the end of the one game of a text.
fn one<V: Variant>(file: &str, text: &str) -> (String, Option<(i8, &'static str)>) {
    let contents = games::<V>(file, text);
    assert_eq!(contents.problems, [], "{text}");
    let [record] = contents.records.as_slice() else { panic!("{} games in\n{text}", contents.records.len()) };
    (record.game.moves_text(), end(record))
}

/// The only problem of a text without games.
fn refused<V: Variant>(file: &str, text: &str) -> (usize, &'static str) {
    let contents = games::<V>(file, text);
    assert!(contents.records.is_empty() && contents.problems.len() == 1, "{contents:?}");
    said(&contents)[0]
}

#[test]
fn a_comment_without_an_end_is_refused() {
    let gib = |moves: &str| {
        format!("[초차림 \"상마상마\"]\n[한차림 \"마상마상\"]\n[대국결과 \"한 완승\"]\n1. 79졸78 {moves}\n3. 한수쉼\n")
    };
    let two = gib("2. 41병42 {포석") + &gib("{포석} 2. 41병42");
    let contents = games::<Janggi>("a.gib", &two);
    assert_eq!((said(&contents), contents.records.len()), (vec![(5, "broken record")], 1), "{contents:?}");
    assert_eq!(contents.records[0].game.ply(), 3);
    assert_eq!(refused::<Janggi>("a.gib", &gib("2. 41병42 {포석 3. 19차18")), (4, "broken record"));
    // Nothing but words is lost.
    assert_eq!(games::<Janggi>("a.gib", &gib("2. 41병42").replace("3. 한수쉼", "{포석")).records.len(), 1);

    let list = |comment: &str| format!("1. h2e2 h9g7 2. h0g2 {comment} i9h9\n1-0\n");
    assert_eq!(refused::<Xiangqi>("a.txt", &list("(better i0i1")), (1, "broken record"));
    assert_eq!(one::<Xiangqi>("a.txt", &list("(better\ni0i1)")).0.split(' ').count(), 4);
}

#[test]
fn a_half_is_a_draw_and_blue_moves_before_red() {
    for text in ["[Result \"½-½\"]\n\n1. h3e3 h8e8 *", "[Result \"1/2-1/2\"]\n\n1. h3e3 h8e8 ½-½"] {
        let contents = games::<Xiangqi>("a.pgn", text);
        assert_eq!(contents.problems, [], "{text}");
        assert_eq!(end(&contents.records[0]).map(|(result, _)| result), Some(0), "{text}");
    }
    for tags in [["Blue \"Kim", "Red \"Lee"], ["Red \"Lee", "Blue \"Kim"]] {
        let [a, b] = tags;
        let text =
            format!("[{a}\"]\n[{b}\"]\n[RedElo \"1500\"]\n[BlueElo \"1600\"]\n[Result \"0-1\"]\n\n1. a4b4 a7b7 0-1\n");
        let contents = games::<Janggi>("a.pgn", &text);
        let [record] = contents.records.as_slice() else { panic!("{contents:?}") };
        assert_eq!(names(record), [Some("Kim"), Some("Lee")]);
        assert_eq!((record.tags.first_rating, record.tags.second_rating), (Some(1600.0), Some(1500.0)));
    }
}

#[test]
fn a_variation_says_nothing_of_the_game() {
    let kif = |end: &str, variation: &str| {
        format!(
            "手合割：平手\n手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n{end}\n変化：2手\n2 ８四歩(83)\n{variation}\n"
        )
    };
    let ki2 =
        |end: &str, variation: &str| format!("先手：甲\n▲７六歩 △３四歩\n{end}\n変化：2手\n△８四歩\n{variation}\n");
    for variation in [
        "まで2手で先手の勝ち",
        "3 投了\nまで2手で後手の勝ち",
        "*反則手にて終局",
        "# Kirin: result=1 termination=resign ruleset=points24",
    ] {
        for (end, wanted) in [
            ("3 投了\nまで2手で後手の勝ち", Some((-1, "resign"))),
            ("まで2手で後手の勝ち", Some((-1, "resign"))),
            ("3 中断", None),
            ("", None),
        ] {
            assert_eq!(
                one::<Shogi>("a.kif", &kif(end, variation)),
                ("c3c4 g7g6".to_owned(), wanted),
                "{end} {variation}"
            );
            let end = end.trim_start_matches("3 ").trim_start_matches(['投', '了', '中', '断', '\n']);
            let wanted = wanted.filter(|_| !end.is_empty());
            assert_eq!(
                one::<Shogi>("a.ki2", &ki2(end, variation)),
                ("c3c4 g7g6".to_owned(), wanted),
                "{end} {variation}"
            );
        }
    }
    // A game that follows has its own end again.
    let two = kif("", "まで2手で先手の勝ち") + &kif("3 投了", "");
    let contents = games::<Shogi>("two.kif", &two);
    assert_eq!(contents.records.iter().map(end).collect::<Vec<_>>(), [None, Some((-1, "resign"))]);
    // Ends of variations do not count in the other formats either.
    let pgn = "[Event \"x\"]\n[Variant \"xiangqi\"]\n\n1. h3e3 h10g8 (1... b10c8 2. h1g3 1-0 (红胜)) *\n";
    assert_eq!(one::<Xiangqi>("a.pgn", pgn), ("h3e3 h10g8".to_owned(), None));
    let list = "1. h3e3 h10g8 (1... b10c8 (1... a10a9 红胜) 2. h1g3 1-0) 2. h1g3 0-1\n";
    assert_eq!(one::<Xiangqi>("a.txt", list), ("h3e3 h10g8 h1g3".to_owned(), Some((-1, "resign"))));
}

#[test]
fn csa_has_comments_behind_statements() {
    let text = "PI,+\n+7776FU,'* 30\n-3334FU,T3,'a, b\n%TORYO,'* x\nthe server says goodbye\n";
    assert_eq!(one::<Shogi>("a.csa", text), ("c3c4 g7g6".to_owned(), Some((-1, "resign"))));
    assert_eq!(one::<Shogi>("unnamed", text).0, "c3c4 g7g6");
    let noted = "PI\n+\n+7776FU,'Kirin: result=0 termination=adjudicated ruleset=points24\n%CHUDAN\n";
    assert_eq!(one::<Shogi>("a.csa", noted).1, Some((0, "adjudicated")));
    let unknown = "PI\n+\n+7776FU\n-3334FU\n%OUTE_SENNICHITE\n";
    assert_eq!(one::<Shogi>("a.csa", unknown), ("c3c4 g7g6".to_owned(), None));
}

#[test]
fn moves_that_look_like_lines_of_csa_belong_to_their_own_format() {
    let pgn = "[Event \"x\"]\n[Variant \"xiangqi\"]\n\n1. C2=5 H8+7 2.\nP1+1 P9+1 *\n";
    for name in ["a.txt", "unnamed"] {
        assert_eq!(one::<Xiangqi>(name, pgn), ("h3e3 h10g8 i4i5 i7i6".to_owned(), None), "{name}");
        assert_eq!(one::<Xiangqi>(name, "P1+1 P9+1\n"), ("i4i5 i7i6".to_owned(), None), "{name}");
        assert_eq!(one::<Shogi>(name, "+7776FU -3334FU\n"), ("c3c4 g7g6".to_owned(), None), "{name}");
    }
}

#[test]
fn passes_at_the_end_are_moves() {
    for passes in ["pass pass", "虛手 한수쉼"] {
        let (moves, _) = one::<Janggi>("a.txt", &format!("79卒78 41兵42 {passes}\n"));
        assert_eq!(moves.split(' ').count(), 4, "{passes}: {moves}");
    }
}

#[test]
fn a_game_in_progress_keeps_its_rule_set_and_its_round() {
    let kif = "手合割：平手\n# Kirin: ruleset=declare27\n# Kirin: round=第１局\n手数----指手---------消費時間--\n   1 ７六歩(77)\n";
    let contents = games::<Shogi>("a.kif", kif);
    let record = &contents.records[0];
    assert_eq!((record.outcome, record.tags.round.as_deref()), (None, Some("第１局")));
    assert_eq!(record.game.rules().to_string(), "declare27");
    let mut written = String::new();
    records::kif::write(&mut written, record).expect("a game of Shogi");
    assert!(written.contains("# Kirin: ruleset=declare27\n# Kirin: round=第１局\n"), "{written}");
}

#[test]
fn ratings_and_times_of_day_are_read() {
    let says = |tags: &records::Tags| (tags.first_rating, tags.second_rating, tags.date.clone());
    let date = |text: &str| Some(text.to_owned());
    let pgn = |tags: &str| {
        let text = format!("[Event \"x\"]\n{tags}\n[Variant \"xiangqi\"]\n\n1. h3e3 h10g8 *\n");
        says(&games::<Xiangqi>("a.pgn", &text).records[0].tags)
    };
    assert_eq!(
        pgn("[Date \"2024.05.01\"]\n[Time \"10:30:15\"]\n[WhiteElo \"2450\"]\n[BlackElo \"1500.5?\"]"),
        (Some(2450.0), Some(1500.5), date("2024.05.01 10:30:15"))
    );
    assert_eq!(
        pgn(
            "[Date \"2024.05.02\"]\n[UTCDate \"2024.05.01\"]\n[UTCTime \"22:05:00\"]\n[RedElo \"inf\"]\n[BlackElo \"-\"]"
        ),
        (None, None, date("2024.05.01 22:05:00"))
    );
    assert_eq!(pgn("[Time \"noon\"]\n[Date \"2024.05.01\"]\n[WhiteElo \"?\"]"), (None, None, date("2024.05.01")));
    let csa = "'black_rate:name:of+it:2890.0\n'white_rate:b:3001.5\nPI\n+\n+7776FU\n%TORYO\n";
    assert_eq!(says(&games::<Shogi>("a.csa", csa).records[0].tags), (Some(2890.0), Some(3001.5), None));
}

#[test]
fn csa_boards_with_other_blanks() {
    let board = |second: &str, fourth: &str| {
        format!(
            "V2.2\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n{second}\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\n{fourth}\nP5\nP6\n\
             P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n+7776FU\n%TORYO\n"
        )
    };
    for (second, fourth) in [
        ("P2 * -HI *  *  *  *  * -KA * ", "P4 *  *  *  *  *  *  *  *  * "),
        ("P2 * -HI * * * * * -KA *", "P4 * * * * * * * * *"),
        ("P2* -HI * * * * * -KA * .", "P4 *  *  *  *  *  *  *  * *."),
        ("P2 * -HI *  *  *  *  * -KA *.", "P4"),
    ] {
        let contents = games::<Shogi>("a.csa", &board(second, fourth));
        assert_eq!(contents.problems, [], "{second}");
        assert_eq!(contents.records[0].game.start_position(), &Position::start(), "{second}");
    }
    assert_eq!(refused::<Shogi>("a.csa", &board("P2 * -HI * * * * * -KA * * *", "P4")), (3, "start position"));
}

#[test]
fn words_in_place_of_a_move() {
    let kif = |word: &str| format!("手合割：平手\n手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n3 {word}\n");
    for (word, wanted) in [
        ("Time-up", Some((-1, "error"))),
        ("最大手数   ( 0:00/00:00:00)", Some((0, "max_plies"))),
        ("宣言勝ち", Some((1, "declaration"))),
        ("入玉宣言勝ち", Some((1, "declaration"))),
        ("立会人裁定", None),
        ("Adjourned ( 0:01/00:00:01)", None),
    ] {
        assert_eq!(one::<Shogi>("a.kif", &kif(word)), ("c3c4 g7g6".to_owned(), wanted), "{word}");
    }
    assert_eq!(games::<Shogi>("a.kif", &kif("立会人裁定")).records[0].tags.result.as_deref(), Some("立会人裁定"));
    // In the middle of a game it hides a move.
    let hidden = kif("パス") + "4 ８四歩(83)\n";
    assert_eq!(refused::<Shogi>("a.kif", &hidden), (5, "unreadable move"));
    assert_eq!(
        one::<Shogi>("a.ki2", "先手：甲\n▲７六歩 △３四歩 ▲投了\n"),
        ("c3c4 g7g6".to_owned(), Some((-1, "resign")))
    );
    let pgn = |last: &str| format!("[Event \"x\"]\n[Variant \"xiangqi\"]\n\n1. 炮二平五 馬8進7 {last}\n");
    for (last, wanted) in [
        ("认输 1-0", Some((1, "resign"))),
        ("红胜", Some((1, "resign"))),
        ("和棋", Some((0, "adjudicated"))),
        ("timeout", None),
    ] {
        assert_eq!(one::<Xiangqi>("a.pgn", &pgn(last)), ("h3e3 h10g8".to_owned(), wanted), "{last}");
    }
    assert_eq!(refused::<Xiangqi>("a.pgn", &pgn("认输 2. 馬二進三 1-0")), (4, "unreadable move"));
    let gib = "[초대국자 \"甲\"]\n[초차림 \"마상상마\"]\n[한차림 \"마상상마\"]\n[대국결과 \"초 완승\"]\n\n1. 79졸78 2. 41병42 3. 기권\n";
    assert_eq!(one::<Janggi>("a.gib", gib).1, Some((1, "resign")));
}

#[test]
fn kif_of_81dojo_and_headers_without_effect() {
    // The illegal move stands in the record, and a comment says no more than that.
    let foul = "場所：81Dojo\n手合割：平手\n先手：a\n後手：b\n手数----指手--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ８八玉(59)\n*反則手にて終局\n";
    assert_eq!(one::<Shogi>("a.kif", foul), ("c3c4 g7g6".to_owned(), Some((-1, "error"))));
    let diagram = |head: &str, hand: &str| {
        format!(
            "{head}\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n|v香v桂v銀v金v玉v金v銀v桂v香|一\n\
             | ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n\
             | ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七\n\
             | ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n| 香 桂 銀 金 玉 金 銀 桂 香|九\n+---------------------------+\n{hand}\n\
             下手：a\n上手：b\n手数----指手--\n1 ６二銀(71)\n2 ７六歩(77)\n3 投了\n"
        )
    };
    let start = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[R] b - - 0 1";
    for (head, hand) in [
        ("手合割：その他", "下手の持駒　飛"),
        ("手合割：詰将棋\n盤面回転\n後手の持駒：なし", "先手の持駒：飛"),
        ("盤面回転\n名局選\n手合割：二枚落ち", "下手の持ち駒飛"),
    ] {
        let contents = games::<Shogi>("a.kif", &diagram(head, hand));
        assert_eq!(contents.problems, [], "{head}");
        assert_eq!(
            contents.records[0].game.start_position().fen(),
            start,
            "{head}: the side to move owns the piece that moves"
        );
    }
    let drop = "手合割：平手\n手数--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n5 ４五角打(00)\n";
    assert_eq!(one::<Shogi>("a.kif", drop).0, "c3c4 g7g6 b2h8+ g9h8 B@f5");
}

#[test]
fn wxf_files() {
    let text = "FORMAT WXF\nGAME 1\nEVENT Cup\nDATE 2001-5-3\nRED Hu; Shanghai\nBLACK Liu\nRESULT 1-0\nSTART{\n\
                1. C2.5 h8+7\n2. H2+3 {a remark} r9.8 3. R1.2\n}END\nsome words\n\
                FORMAT\tWXF\nFEN\t3k5/9/9/9/9/9/4R4/9/9/5K3 r - - 0 1\nSTART{ 1. R5+2 k4+1 1/2-1/2 }END\n";
    for file in ["a.wxf", "unnamed"] {
        let contents = games::<Xiangqi>(file, text);
        assert_eq!((contents.format.name, said(&contents)), ("wxf", vec![]));
        let [first, second] = contents.records.as_slice() else { panic!("{contents:?}") };
        assert_eq!(first.game.moves_text(), "h3e3 h10g8 h1g3 i10h10 i1h1");
        assert_eq!((end(first), names(first)), (Some((1, "resign")), [Some("Hu"), Some("Liu")]));
        assert_eq!((first.tags.event.as_deref(), first.tags.date.as_deref()), (Some("Cup"), Some("2001-5-3")));
        assert_eq!((second.game.moves_text().as_str(), end(second)), ("e4e6 d10d9", Some((0, "adjudicated"))));
    }
    assert_eq!(refused::<Xiangqi>("a.wxf", "FORMAT WXF\nSTART{\n1. C2.5 h8+7\n"), (2, "broken record"));
    assert_eq!(refused::<Xiangqi>("a.wxf", "FORMAT WXF\nSTART{\n1. C2.5 h8+6\n}END"), (3, "illegal move"));
}

#[test]
fn ranks_may_begin_with_0_and_signs_tell_nothing() {
    let pgn = |moves: &str| format!("[Event \"x\"]\n[Variant \"xiangqi\"]\n\n{moves} *\n");
    let opening = "h3e3 h10g8 h1g3 i10h10 i1h1";
    for moves in [
        "1. Che2 Hg7 2. Hg2 Rh9 3. Rh0",
        "1. Che2 Ng7 2. Ng2 Rh9 3. Rh0+",
        "1. Che3+ Hg8# 2. Hg3!? Rh10+! 3. Rh1",
        "1. H2-E2+ H9-G7! 2. H0-G2 I9-H9 3. I0-H0",
        "1. 炮二平五+ 馬8進7! 2. 马二进三# 車9平8 3. 車一平二",
        "1. C2=5+ H8+7 2. H2+3! R9=8 3. R1=2#",
    ] {
        assert_eq!(one::<Xiangqi>("a.pgn", &pgn(moves)), (opening.to_owned(), None), "{moves}");
    }
    // A mate that is written as a check.
    let mate = "[Event \"x\"]\n[FEN \"4k4/R8/9/9/9/9/9/9/9/1R1K5 w - - 0 1\"]\n\n1. Rb10+ *\n";
    assert_eq!(one::<Xiangqi>("a.pgn", mate), ("b1b10".to_owned(), Some((1, "checkmate"))));
    // Where a piece could promote, + says that it does.
    let shogi = "[Event \"x\"]\n[Variant \"shogi\"]\n\n1. Pc4 Pg6 2. Bxh8+ Sxh8 3. B@f5+ *\n";
    assert_eq!(one::<Shogi>("a.pgn", shogi).0, "c3c4 g7g6 b2h8+ g9h8 B@f5");
}

#[test]
fn text_behind_a_result_is_no_game() {
    let pgn = "[Event \"a\"]\n[Variant \"xiangqi\"]\n\n1. h3e3 h10g8 1-0\n\n=====\nvisit example (the best:\n2. of all) pages\n\n\
               [Event \"b\"]\n[Variant \"xiangqi\"]\n\n1. h3e3 0-1\n=====\ntwo more\nlines {\n";
    let contents = games::<Xiangqi>("a.pgn", pgn);
    assert_eq!(said(&contents), []);
    assert_eq!(contents.records.iter().map(end).collect::<Vec<_>>(), [Some((1, "resign")), Some((-1, "resign"))]);
    // But a game may follow without tags.
    let two = "[Event \"a\"]\n[Variant \"xiangqi\"]\n\n1. h3e3 h10g8 1-0\n1. h3e3 b10c8 0-1\n";
    assert_eq!(games::<Xiangqi>("a.pgn", two).records.len(), 2);
    let kif = "手合割：平手\n手数--\n1 ７六歩(77)\n2 投了\nまで1手で先手の勝ち\n=====\n感想戦は省略\n";
    assert_eq!(one::<Shogi>("a.kif", kif), ("c3c4".to_owned(), Some((1, "resign"))));
    let list = "h3e3 h10g8 1-0\n\n=====\nfrom some page\n\nh3e3 0-1\n";
    assert_eq!((games::<Xiangqi>("a.txt", list).records.len(), said(&games::<Xiangqi>("a.txt", list))), (2, vec![]));
}

#[test]
fn numbers_of_moves_in_every_form() {
    let opening = "h3e3 h10g8 h1g3 i10h10";
    for moves in [
        "1．炮二平五 马8进7 2．马二进三 车9平8",
        "1、炮二平五 马8进7\n2、 马二进三 车９平８",
        "１．炮二平五 马８进７ ２． 马二进三 车9平8",
    ] {
        let text = format!("[Event \"x\"]\n[Result \"红胜\"]\n\n{moves} １－０\n");
        assert_eq!(one::<Xiangqi>("a.pgn", &text), (opening.to_owned(), Some((1, "resign"))), "{moves}");
    }
    let quoted = "[Event “x”]\n[Red “许”]\n\n1. 炮二平五 马8进7 *\n";
    assert_eq!(names(&games::<Xiangqi>("a.pgn", quoted).records[0])[0], Some("许"));
    // Numbers without points on lines of their own.
    for list in ["1 炮二平五 馬8進7\n2 马二进三 車９平８\n", "9 炮二平五 馬8進7\n10 马二进三 車９平８ 和棋\n"]
    {
        assert_eq!(one::<Xiangqi>("a.txt", list).0, opening, "{list}");
    }
    assert_eq!(games::<Xiangqi>("a.txt", "h3e3 h10g8\nh3e3 b10c8\n").records.len(), 2);
}

#[test]
fn a_result_alone_in_a_line_belongs_to_the_moves_before_it() {
    let opening = "h3e3 h10g8 h1g3 i10h10";
    for list in [
        "1 炮二平五 馬8進7\n2 马二进三 車9平8\n1-0\n",
        "炮二平五\n馬8進7\n马二进三\n車9平8\n红胜\n",
        "h3e3 h10g8 h1g3 i10h10\n1-0\n",
        "FEN rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1 moves h3e3 h10g8 h1g3 i10h10 1-0\n",
    ] {
        assert_eq!(one::<Xiangqi>("a.txt", list), (opening.to_owned(), Some((1, "resign"))), "{list}");
    }
    let contents = games::<Xiangqi>("a.txt", "h3e3 h10g8\n1-0\nh3e3 b10c8\nh3e3 b10a8\n0-1\n");
    assert_eq!(contents.records.iter().map(end).collect::<Vec<_>>(), [Some((1, "resign")), None, Some((-1, "resign"))]);
}

#[test]
fn the_ending_of_a_list_hides_no_other_format() {
    let wxf = "FORMAT WXF\nRESULT 1-0\nSTART{ 1. C2.5 h8+7 }END\n";
    let pgn = "[Event \"x\"]\n\n1. h3e3 h10g8 1-0\n";
    let html = "<html>[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist][DhtmlXQ_result]红胜[/DhtmlXQ_result]</html>\n";
    for (name, text) in [("wxf", wxf), ("pgn", pgn), ("dhtmlxq", html)] {
        let contents = games::<Xiangqi>("a.txt", text);
        assert_eq!((contents.format.name, said(&contents)), (name, vec![]));
        assert_eq!(contents.records.iter().map(end).collect::<Vec<_>>(), [Some((1, "resign"))], "{name}");
    }
    // Remarks in brackets make no KIF of a list.
    let list = "1 炮二平五 馬8進7 (the usual reply)\n2 马二进三 車9平8\n";
    let contents = games::<Xiangqi>("a.txt", list);
    assert_eq!((contents.format.name, contents.records.len()), ("moves", 1), "{contents:?}");
}

#[test]
fn soldiers_over_two_files_are_counted_from_the_front() {
    // Red: two soldiers on the fifth file and two on the third, the front one of which stands highest.
    let game = |mv: &str| {
        let text = format!("[Event \"x\"]\n[FEN \"3k5/6P2/4P4/9/4P4/6P2/9/9/9/5K3 w - - 0 1\"]\n\n1. {mv} *\n");
        games::<Xiangqi>("a.pgn", &text)
    };
    for (mv, wanted) in [
        ("一兵平四", "g9f9"),
        ("二兵进一", "e8e9"),
        ("三兵进一", "e6e7"),
        ("四兵平二", "g5h5"),
        ("前兵三平四", "g9f9"),
        ("后五平六", "e6d6"),
    ] {
        let contents = game(mv);
        if mv == "四兵平二" {
            assert_eq!(said(&contents), [(4, "illegal move")], "not over the river");
        } else {
            assert_eq!(
                contents.records.first().map(|record| record.game.moves_text()).as_deref(),
                Some(wanted),
                "{mv}"
            );
        }
    }
    assert_eq!(said(&game("五兵进一")), [(4, "illegal move")]);
    // On a rank from the right of the side to move to its left; Black's right is the other side.
    let text = "[Event \"x\"]\n[FEN \"3k5/9/9/9/9/p3p4/9/p3p4/9/5K3 b - - 0 1\"]\n\n1... 一卒平2 *\n";
    assert_eq!(one::<Xiangqi>("a.pgn", text).0, "a3b3");
}

/// No rule set judges a position without legal moves otherwise.
#[test]
fn a_result_against_the_mate_on_the_board_is_left_out() {
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR r - - 0 1";
    let moves = "1. b3e3 h8i8 2. h3h6 a7a6 3. g1i3 b8g8 4. e3e7 a10a7 5. h6e6";
    let read = |result: &str| {
        games::<Xiangqi>("a.pgn", &format!("[Result \"{result}\"]\n[FEN \"{fen}\"]\n\n{moves} {result}\n"))
    };
    for result in ["1-0", "*"] {
        assert_eq!(end(&read(result).records[0]), Some((1, "checkmate")), "{result}");
    }
    for result in ["0-1", "1/2-1/2"] {
        let contents = read(result);
        assert_eq!(said(&contents), [(4, "contradictory result")], "{contents:?}");
        let why = format!("the record says {result}, but the last move ends it 1-0 (checkmate)");
        assert_eq!((contents.records.len(), &contents.problems[0].why), (0, &why));
    }
}

#[test]
fn every_end_of_line_is_one() {
    fn same<V: Variant>(file: &str, text: &str) {
        let plain = games::<V>(file, text);
        for end in ["\r", "\r\n", "\r\r\n"] {
            let other = games::<V>(file, &text.replace("\r\n", "\n").replace('\n', end));
            assert_eq!((other.format.name, said(&other)), (plain.format.name, said(&plain)), "{file} with {end:?}");
            let shown = |contents: &RecordContents<V>| {
                let each = contents.records.iter();
                each.map(|record| (record.game.moves_text(), record.tags.clone())).collect::<Vec<_>>()
            };
            assert_eq!(shown(&other), shown(&plain), "{file} with {end:?}");
        }
    }
    let pgn = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. h3e3 h10g8 1-0\n\n[White \"C\"]\n\n1. h3e3 0-1\n";
    same::<Xiangqi>("a.pgn", pgn);
    same::<Shogi>("plain.kif", include_str!("../fixtures/plain.kif"));
    same::<Shogi>("handicap.kif", include_str!("../fixtures/handicap.kif"));
    same::<Shogi>("book.ki2", include_str!("../fixtures/book.ki2"));
    same::<Shogi>("two.csa", include_str!("../fixtures/two.csa"));
    same::<Xiangqi>("a.txt", "h3e3 h10g8 1-0\nh3e3 0-1\n");
}

#[test]
fn utf_16_without_its_mark_is_named() {
    let text = "[White \"王\"]\n[Result \"1-0\"]\n\n1. h3e3 h10g8 1-0\n";
    let read = |bytes: &[u8]| records::read::<Xiangqi>("a.pgn", bytes, &ReadOptions::default());
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, name) in [(little, "utf-16le"), (big, "utf-16be")] {
        let error = read(&bytes).expect_err("no text").to_string();
        assert!(error.ends_with(&format!("; it looks like a text in UTF-16: try `--encoding {name}`")), "{error}");
        let encoding = Some(records::TextEncoding::named(name).expect("a name"));
        let options = ReadOptions { encoding, ..ReadOptions::default() };
        assert_eq!(records::read::<Xiangqi>("a.pgn", &bytes, &options).expect("a text").records.len(), 1);
    }
    let error = read(b"\0\0\0\0").expect_err("no text").to_string();
    assert!(error.starts_with("a.pgn is not a text, nor in another format of games that is known (xqf, "), "{error}");
    assert!(error.ends_with(')'), "{error}");
}
