//! Counting what other threads do in a span of time.

use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs `work`, and reads its counters at the beginning and at the end of a span of `time`. The span begins `warm_up`
/// after `began` has first found that the counters (those before the work, and those of now) show work: by then all
/// networks are loaded. `work` is given a flag, and must end soon after that is set.
pub(super) fn window<C: Send, R, E>(
    [warm_up, time]: [Duration; 2],
    read: impl Fn() -> C + Sync,
    began: impl Fn(&C, &C) -> bool + Sync,
    work: impl FnOnce(&AtomicBool) -> Result<R, E>,
) -> anyhow::Result<([C; 2], Duration)>
where
    anyhow::Error: From<E>,
{
    let stop = AtomicBool::new(false);
    let counted = std::thread::scope(|scope| {
        let counting = || {
            let while_working = |is: &dyn Fn() -> bool| {
                while is() && !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            };
            let before = read();
            while_working(&|| !began(&before, &read()));
            let begin = Instant::now();
            while_working(&|| begin.elapsed() < warm_up);
            let (begin, before) = (Instant::now(), read());
            while_working(&|| begin.elapsed() < time);
            let counted = ([before, read()], begin.elapsed());
            stop.store(true, Ordering::Relaxed);
            counted
        };
        let clock = std::thread::Builder::new()
            .spawn_scoped(scope, counting)
            .context("cannot start the thread that watches the clock; raise the limit of processes (ulimit -u)")?;
        let done = work(&stop);
        stop.store(true, Ordering::Relaxed);
        let counted = clock.join();
        done.map(|_| counted).map_err(anyhow::Error::from)
    })?;
    counted.map_err(|_| anyhow::anyhow!("the clock's thread panicked"))
}
