//! Kō shogi 廣將棋: 19 × 19 points, 90 stones a side, 34 kinds; stones of two legs, shooters, fire, fog and lamp.
//!
//! The rules follow the Chinese Wikipedia text, and where it is silent what other sources agree on. Whatever had to be
//! decided beyond that is a named constant with its reason, next to the code that uses it.

mod aftermath;
mod attacks;
mod board;
mod commanders;
mod double;
mod encoding;
mod ends;
mod generate;
mod kinds;
mod notation;
mod promotion;
mod rule;
mod shoot;
mod thunder;
mod turn;
mod via;

use crate::fen::FenError;
use crate::game::Game;
use crate::moves::{Move, MoveList};
use crate::outcome::Outcome;
use crate::piece::Kind;
use crate::position::Position;
use crate::rulebook::Rulebook;
use crate::square_set::Set384;

/// Kō shogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Koshogi;

/// The camps 陣 of both sides: the six ranks next to each player.
static CAMPS: [Set384; 2] = [
    Set384::range(0, turn::CAMP_RANKS * board::SIZE),
    Set384::range(board::POINTS - turn::CAMP_RANKS * board::SIZE, board::POINTS),
];

impl Rulebook for Koshogi {
    const ID: &'static str = "koshogi";
    const FILES: usize = board::SIZE;
    const RANKS: usize = board::SIZE;
    const KINDS: usize = kinds::KINDS;
    /// No source knows a limit. Of 100 random games 76 were longer than 1,000 plies and none was longer than 2,974.
    const MAX_PLIES: u32 = 4_000;
    /// Rank 5 has seven 步兵 and two 步總, left and right unlike, as the Chinese text and Cazaux have it; English and
    /// Japanese Wikipedia have six and three.
    const START: &'static str = "ag,tp,en,cs,s,a,wr,ac,so,g,cl,ac,wr,a,s,cs,en,sm,ag/\
        rg,cr,1,q,1,m,1,sn,b,mt,d,sn,1,m,1,q,1,cr,rg/\
        e,c,xb,lb,e,c,xb,lb,e,fc,e,lb,xb,c,e,lb,xb,c,e/\
        ca,1,hs,1,hs,1,hs,1,hs,1,hs,1,hs,1,hs,1,hs,1,ca/\
        1,pu,1,p,1,p,1,p,1,pu,1,p,1,p,1,p,1,p,1/\
        cu,su,ch,sh,ch,sh,ch,sh,ch,su,ch,sh,ch,sh,ch,sh,ch,su,cu/\
        9,v,9/19/19/19/19/19/9,V,9/\
        CU,SU,CH,SH,CH,SH,CH,SH,CH,SU,CH,SH,CH,SH,CH,SH,CH,SU,CU/\
        1,P,1,P,1,P,1,P,1,PU,1,P,1,P,1,P,1,PU,1/\
        CA,1,HS,1,HS,1,HS,1,HS,1,HS,1,HS,1,HS,1,HS,1,CA/\
        E,C,XB,LB,E,C,XB,LB,E,FC,E,LB,XB,C,E,LB,XB,C,E/\
        RG,CR,1,Q,1,M,1,SN,D,MT,B,SN,1,M,1,Q,1,CR,RG/\
        AG,SM,EN,CS,S,A,WR,AC,CL,G,SO,AC,WR,A,S,CS,EN,TP,AG w - - 0 1";
    const PRESETS: &'static [(&'static str, ())] = &[("standard", ())];

    /// Plies since the last event that nothing undoes: a stone left the board or turned its face, a 高道 that turns up
    /// or back left out.
    type Extra = u16;
    type Preset = ();

    crate::rulebook::storage!(Koshogi, Set = Set384, KindSets = board::Index, NO_KINDS = board::Index::EMPTY);

    fn generate(position: &Position<Self>, moves: &mut MoveList) {
        generate::generate(position, moves);
    }

    fn count(position: &Position<Self>, scratch: &mut MoveList) -> usize {
        generate::count(position, scratch)
    }

    /// There is no check: commanders may be left to be taken.
    fn is_check(_position: &Position<Self>) -> bool {
        false
    }

    #[inline]
    fn apply(position: &mut Position<Self>, mv: Move) -> bool {
        aftermath::apply(position, mv)
    }

    fn promoted(kind: Kind) -> Kind {
        kinds::FACES[kind].promoted
    }

    /// Any set of stones is accepted; a position in which a side has lost is finished.
    fn validate(_position: &Position<Self>) -> Result<(), FenError> {
        Ok(())
    }

    fn without_moves(position: &Position<Self>) -> Outcome {
        ends::without_moves(position)
    }

    fn special_end(game: &Game<Self>) -> Option<Outcome> {
        ends::special_end(game)
    }

    /// A 高道 can turn up and be turned back by the 聖燈, so that the halfmove clock begins anew and the
    /// position still returns.
    fn repetition_window(position: &Position<Self>) -> usize {
        usize::from(position.extra)
    }

    fn win_in_one(position: &Position<Self>, legal: &[Move], scratch: &mut MoveList) -> Option<Move> {
        ends::win_in_one(position, legal, scratch)
    }
}
