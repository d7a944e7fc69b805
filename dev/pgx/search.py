"""What a search by mctx needs of shogi by pgx: judged positions, and the rules as its dynamics."""

import jax
import jax.numpy as jnp
import mctx
import pgx
from jax import Array

from network import Network, evaluate

env = pgx.make("shogi")


def judged(network: Network, state: pgx.State) -> tuple[Array, Array]:
    """Logits of legal moves (others get the lowest number there is) and values of a batch of positions."""
    logits, value = evaluate(network, state.observation)
    return jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min), value


def simulate(network: Network, _: Array, action: Array, state: pgx.State) -> tuple[mctx.RecurrentFnOutput, pgx.State]:
    """mctx's recurrent function: the position is the embedding, the rules are the dynamics."""
    mover = state.current_player
    state = jax.vmap(env.step)(state, action)
    logits, value = judged(network, state)
    reward = jnp.take_along_axis(state.rewards, mover[:, None], axis=1)[:, 0]
    return (
        mctx.RecurrentFnOutput(
            reward=reward,
            # The value is the next mover's, so it changes sign; after the end there is none.
            discount=jnp.where(state.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(state.terminated, 0.0, value),
        ),
        state,
    )


def searched(
    network: Network, state: pgx.State, key: Array, simulations: int, gumbel_scale: float = 1.0
) -> mctx.PolicyOutput:
    """A full search of every position of a batch; without noise if `gumbel_scale` is 0."""
    logits, value = judged(network, state)
    return mctx.gumbel_muzero_policy(
        params=network,
        rng_key=key,
        root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state),
        recurrent_fn=simulate,
        num_simulations=simulations,
        invalid_actions=~state.legal_action_mask,
        gumbel_scale=gumbel_scale,
    )
