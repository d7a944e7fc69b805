use crate::chance::{self, Style};
use rules::{
    Authority, Game, Judgement, MoveKind, MoveList, Outcome, Rules, Side, Termination, UnknownAuthority, Variant,
};

/// Ends that the moves before them are judged for.
const JUDGED: [Termination; 6] = [
    Termination::Repetition,
    Termination::PerpetualCheck,
    Termination::PerpetualThreat,
    Termination::PerpetualChase,
    Termination::MutualPass,
    Termination::Bikjang,
];

pub fn judgements_are_the_ends_of_games<V: Variant>() {
    let mut judged = 0;
    for (preset, _) in V::PRESETS {
        for seed in 0..24 {
            let rules = Rules::<V>::named(preset).expect("a listed preset exists");
            let mut last: Option<(Game<V>, Outcome)> = None;
            chance::play(rules, Style::Shuttling, seed, |game, legal| {
                last = game.outcome(legal).map(|outcome| (game.clone(), outcome));
            });
            let (game, outcome) = last.expect("every game ends");
            let found = rules::judge(&game, &Authority::RULE_SET);
            if JUDGED.contains(&outcome.termination) {
                assert_eq!(found.len(), 1, "{} {preset} {seed}: {}", V::ID, game.moves_text());
                assert_eq!((found[0].to, found[0].outcome), (game.ply(), outcome), "{}: {}", V::ID, game.moves_text());
                check(&game, &found[0]);
                judged += 1;
            } else {
                assert!(found.is_empty(), "{} {preset} {seed}: {found:?}", V::ID);
            }
        }
    }
    assert!(judged > 5, "{}: {judged} games ended by what is judged", V::ID);
}

/// What is said of the cycle is true of the game.
fn check<V: Variant>(game: &Game<V>, judgement: &Judgement) {
    let text = game.moves_text();
    let [from, to] = [judgement.from, judgement.to].map(|ply| ply as usize);
    assert_eq!(judgement.moves.len(), to - from, "{text}");
    for (at, judged) in judgement.moves.iter().enumerate() {
        assert_eq!(judged.ply as usize, from + at, "{text}");
        assert_eq!(judged.mv, game.moves()[from + at], "{text}");
        assert_eq!(judged.side, game.positions()[from + at].side(), "{text}");
        let is_check = game.positions()[from + at + 1].is_check();
        let special = matches!(judged.kind, MoveKind::Pass | MoveKind::Facing);
        assert!(special || (judged.kind == MoveKind::Check) == is_check, "{} {at}: {text}", judged.kind);
    }
    if judgement.occurrences > 1 {
        let key = game.positions()[to].key();
        let equal = game.positions()[from..=to].iter().filter(|position| position.key() == key).count();
        assert_eq!((equal, game.positions()[from].key()), (judgement.occurrences as usize, key), "{text}");
    }
    assert_eq!(judgement.loser(), judgement.outcome.winner().map(Side::other));
    let [first, second] = &judgement.conduct;
    assert_eq!([first.side, second.side], Side::BOTH);
    for conduct in &judgement.conduct {
        let kinds = judgement.moves.iter().filter(|judged| judged.side == conduct.side).map(|judged| judged.kind);
        assert!(kinds.clone().all(|kind| conduct.kinds.contains(&kind)), "{text}");
        assert!(conduct.kinds.iter().all(|&kind| kinds.clone().any(|each| each == kind)), "{text}");
    }
    assert!(!judgement.rule.text.is_empty());
    // Who loses for perpetual check has offended.
    if judgement.outcome.termination == Termination::PerpetualCheck {
        let loser = judgement.loser().expect("one side loses");
        assert!(judgement.conduct[loser.index()].is_offence, "{text}");
        assert_eq!(judgement.conduct[loser.index()].kinds, [MoveKind::Check], "{text}");
    }
}

pub fn authorities_are_named<V: Variant>() {
    assert_eq!(V::AUTHORITIES[0], Authority::RULE_SET);
    for (at, authority) in V::AUTHORITIES.iter().enumerate() {
        assert_eq!(Authority::named::<V>(authority.id), Ok(authority));
        assert!(V::AUTHORITIES[..at].iter().all(|other| other.id != authority.id), "{} twice", authority.id);
    }
    let known = V::AUTHORITIES.iter().map(|authority| authority.id).collect::<Vec<_>>().join(", ");
    let unknown = UnknownAuthority { variant: V::ID, id: "nobody".to_owned(), known };
    assert_eq!(Authority::named::<V>("nobody"), Err(unknown));
    // A game without a move has nothing to judge.
    let start = Game::<V>::start(Rules::default());
    assert!(V::AUTHORITIES.iter().all(|authority| rules::judge(&start, authority).is_empty()));
    let mut legal = MoveList::new();
    start.legal_moves(&mut legal);
    assert!(start.outcome(&legal).is_none());
}
