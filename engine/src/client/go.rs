//! The `go` command for a player's clock.

use crate::limit::{GameClock, Limit};
use crate::protocol::{Clocks, Dialect, Go, PlayerTime, Protocol};
use rules::Side;
use std::time::Duration;

/// The command to think for `side`. `clocks`: that of the player to move, then the opponent's.
pub(super) fn go(dialect: Dialect, side: Side, clocks: [&GameClock; 2]) -> Go {
    match clocks[0].limit {
        Limit::Own => Go::default(),
        Limit::Nodes(nodes) => Go { nodes: Some(nodes), ..Go::default() },
        Limit::Depth(depth) => Go { depth: Some(depth), ..Go::default() },
        Limit::Time(time) => go_for_time(dialect, side, time),
        Limit::Clock { .. } | Limit::Byoyomi { .. } => go_by_clock(dialect.protocol, side, clocks),
    }
}

/// One move in a given time. UCCI has no word for that, so it gets a clock with one move to go.
fn go_for_time(dialect: Dialect, side: Side, time: Duration) -> Go {
    let milliseconds = time.as_millis().max(1) as u64;
    let time = if dialect.in_seconds {
        Duration::from_secs(milliseconds.div_ceil(1_000))
    } else {
        Duration::from_millis(milliseconds)
    };
    match dialect.protocol {
        Protocol::Uci | Protocol::Usi => Go { movetime: Some(time), ..Go::default() },
        Protocol::Ucci => {
            let own = PlayerTime { left: Some(time), increment: None };
            let clocks = Clocks::new(Protocol::Ucci, side, own, PlayerTime::default());
            Go { clocks, moves_to_go: Some(1), ..Go::default() }
        }
    }
}

fn go_by_clock(protocol: Protocol, side: Side, clocks: [&GameClock; 2]) -> Go {
    if let (Protocol::Usi, Limit::Byoyomi { period, .. }) = (protocol, clocks[0].limit) {
        let [own, opponent] = clocks.map(|clock| PlayerTime { left: Some(clock.left), increment: None });
        let clocks = Clocks::new(protocol, side, own, opponent);
        return Go { clocks, byoyomi: Some(period), ..Go::default() };
    }
    // The other protocols have no byoyomi. While there is main time, a period is sent as an increment that was added
    // already; after that, as a clock with one move to go.
    let time = |clock: &GameClock| {
        let (left, increment) = match clock.limit {
            Limit::Clock { increment, .. } => (clock.left, increment),
            Limit::Byoyomi { period, .. } if clock.left.is_zero() => (period, Duration::ZERO),
            Limit::Byoyomi { period, .. } => (clock.left + period, period),
            _ => (clock.left, Duration::ZERO),
        };
        PlayerTime { left: Some(left), increment: Some(increment) }
    };
    let in_byoyomi = matches!(clocks[0].limit, Limit::Byoyomi { .. }) && clocks[0].left.is_zero();
    Go {
        clocks: Clocks::new(protocol, side, time(clocks[0]), time(clocks[1])),
        moves_to_go: in_byoyomi.then_some(1),
        ..Go::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::GuiCommand;

    fn clock(limit: &str) -> GameClock {
        GameClock::new(limit.parse().unwrap(), Duration::ZERO)
    }

    #[test]
    fn limits_in_each_protocol() {
        let uci = Dialect::new(Protocol::Uci);
        let usi = Dialect::new(Protocol::Usi);
        let seconds = Dialect::new(Protocol::Ucci);
        let ucci = seconds.with_milliseconds();
        let text = |dialect, side, own: &str, other: &str| {
            GuiCommand::Go(go(dialect, side, [&clock(own), &clock(other)])).write(dialect)
        };
        let against = |dialect, side, limit: &str| text(dialect, side, limit, "clock:2s+1s");
        assert_eq!(against(uci, Side::First, "nodes:500"), "go nodes 500");
        assert_eq!(against(usi, Side::Second, "time:250ms"), "go movetime 250");
        assert_eq!(against(seconds, Side::Second, "time:250ms"), "go time 1 movestogo 1");
        assert_eq!(against(uci, Side::Second, "clock:5s+1s"), "go wtime 2000 btime 5000 winc 1000 binc 1000");
        assert_eq!(against(usi, Side::First, "clock:5s+1s"), "go btime 5000 wtime 2000 binc 1000 winc 1000");
        assert_eq!(
            against(ucci, Side::First, "clock:5s+1s"),
            "go time 5000 increment 1000 opptime 2000 oppincrement 1000"
        );
        let even = |dialect, limit: &str| text(dialect, Side::First, limit, limit);
        assert_eq!(even(usi, "byoyomi:0s+3s"), "go btime 0 wtime 0 byoyomi 3000");
        assert_eq!(even(uci, "byoyomi:0s+3s"), "go wtime 3000 btime 3000 winc 0 binc 0 movestogo 1");
        assert_eq!(even(uci, "byoyomi:9s+3s"), "go wtime 12000 btime 12000 winc 3000 binc 3000");
        assert_eq!(even(uci, "own"), "go");
    }
}
