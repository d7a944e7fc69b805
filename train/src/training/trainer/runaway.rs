//! Whether a training has diverged.

use crate::error::{Result, Runaway};
use crate::training::checkpoint::Saved;

/// The largest norm of a gradient, as a mean between two reports and before clipping, with which training continues. It
/// is our choice: losses are a few nats, and gradients are clipped to a norm of 1 by default.
const LARGEST_NORM: f64 = 1000.0;

/// What is wrong with a mean loss, a mean norm of the gradient, or what would be saved now, if anything is.
pub(super) fn runaway(loss: f64, norm: f64, state: &Saved<'_>) -> Result<Option<Runaway>> {
    if !loss.is_finite() {
        return Ok(Some(Runaway::Loss(loss)));
    }
    let is_usable = norm.is_finite() && norm <= LARGEST_NORM;
    if !is_usable {
        return Ok(Some(Runaway::Gradient { norm, most: LARGEST_NORM }));
    }
    // The last step may have done damage that no loss has shown yet.
    Ok(state.not_finite()?.map(Runaway::Weight))
}
