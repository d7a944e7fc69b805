//! Sequential halving: how many visits a root move must have to be considered by a simulation.

/// Writes into `out`, for each of `simulations` simulations, the visit count of the moves it chooses from,
/// when `considered` moves start.
///
/// As in `mctx` (Danihelka et al. 2022, after Karnin, Koren and Somekh 2013): all considered moves are
/// visited in turn for a share of the simulations, then the better half of them, and so on down to two.
/// Choosing the best of those with the stated visit count does the halving without a list of survivors.
///
/// ```
/// let mut out = Vec::new();
/// search::considered_visits(4, 8, &mut out);
/// assert_eq!(out, [0, 0, 0, 0, 1, 1, 2, 2]);
/// ```
pub fn considered_visits(considered: usize, simulations: u32, out: &mut Vec<u32>) {
    out.clear();
    let simulations = simulations as usize;
    if considered <= 1 {
        out.extend(0..simulations as u32);
        return;
    }
    let rounds = considered.next_power_of_two().trailing_zeros() as usize;
    let mut left = considered;
    // All moves still considered have equal visits, so one number is enough.
    let mut visits = 0;
    while out.len() < simulations {
        let each = (simulations / (rounds * left)).max(1);
        for _ in 0..each {
            out.extend(std::iter::repeat_n(visits, left));
            visits += 1;
        }
        left = (left / 2).max(2);
    }
    out.truncate(simulations);
}
