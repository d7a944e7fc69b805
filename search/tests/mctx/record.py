"""Records searches of DeepMind's mctx as a fixture for Kirin's Gumbel search.

    python3 -m venv venv && venv/bin/pip install mctx==0.0.71 'jax[cpu]'
    venv/bin/python record.py > searches.json

The game is an endless tree made of a hash: state h (32 bits) has `actions` moves, move a leads to
h * 1664525 + (a + 1) * 1013904223. Its policy logits and its value (for the player to move) are read from
two tables of 256 numbers, at ((h >> 7) + 31 a) & 255 and at (h >> 11) & 255.
"""

import functools
import json

import jax
import jax.numpy as jnp
import mctx
import numpy as np

# actions, simulations, max_num_considered_actions, gumbel_scale, maxvisit_init, value_scale, logit spread
SETTINGS = [
    (2, 1, 16, 1.0, 50.0, 0.1, 1.0),
    (2, 16, 16, 1.0, 50.0, 0.1, 1.0),
    (5, 4, 4, 1.0, 50.0, 0.1, 2.0),
    (7, 20, 3, 0.0, 50.0, 0.1, 1.0),
    (9, 8, 16, 1.0, 50.0, 1.0, 1.0),
    (16, 16, 16, 1.0, 50.0, 0.1, 1.0),
    (24, 32, 16, 0.0, 50.0, 0.1, 3.0),
    (40, 32, 16, 1.0, 50.0, 0.1, 1.0),
    (40, 50, 16, 1.0, 10.0, 0.3, 2.0),
    (40, 64, 32, 1.0, 50.0, 0.1, 1.0),
    (48, 128, 16, 1.0, 50.0, 0.1, 1.0),
    (3, 200, 16, 1.0, 50.0, 0.1, 1.0),
]
BATCH = 5


def tables(index, spread):
    rng = np.random.default_rng(index)
    return (
        rng.normal(0.0, spread, 256).astype(np.float32),
        rng.uniform(-1.0, 1.0, 256).astype(np.float32),
    )


def evaluate(h, actions, logit_table, value_table):
    a = jnp.arange(actions, dtype=jnp.uint32)
    logits = logit_table[((h[:, None] >> 7) + 31 * a[None, :]) & 255]
    return logits, value_table[(h >> 11) & 255]


def record(index, setting):
    actions, simulations, considered, scale, init, value_scale, spread = setting
    logit_table, value_table = tables(index, spread)
    look = functools.partial(
        evaluate, actions=actions, logit_table=jnp.array(logit_table), value_table=jnp.array(value_table)
    )

    def step(_params, _key, action, h):
        h = h * jnp.uint32(1664525) + (action.astype(jnp.uint32) + 1) * jnp.uint32(1013904223)
        logits, value = look(h)
        zero = jnp.zeros_like(value)
        return mctx.RecurrentFnOutput(
            reward=zero, discount=zero - 1.0, prior_logits=logits, value=value
        ), h

    roots = jnp.array(np.random.default_rng(1000 + index).integers(0, 2**32, BATCH), dtype=jnp.uint32)
    logits, value = look(roots)
    output = mctx.gumbel_muzero_policy(
        params=(),
        rng_key=jax.random.PRNGKey(index),
        root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=roots),
        recurrent_fn=step,
        num_simulations=simulations,
        max_num_considered_actions=considered,
        gumbel_scale=scale,
        qtransform=functools.partial(
            mctx.qtransform_completed_by_mix_value, maxvisit_init=init, value_scale=value_scale
        ),
    )
    summary = output.search_tree.summary()
    searches = [
        {
            "root": int(roots[i]),
            "gumbel": output.search_tree.extra_data.root_gumbel[i].tolist(),
            "action": int(output.action[i]),
            "policy": output.action_weights[i].tolist(),
            "value": float(summary.value[i]),
            "visits": [int(n) for n in summary.visit_counts[i]],
            "qvalues": summary.qvalues[i].tolist(),
        }
        for i in range(BATCH)
    ]
    return {
        "actions": actions,
        "simulations": simulations,
        "max_considered": considered,
        "c_visit": init,
        "c_scale": value_scale,
        "logit_table": logit_table.tolist(),
        "value_table": value_table.tolist(),
        "searches": searches,
    }


def rounded(x):
    """Nine digits hold a float32 exactly."""
    if isinstance(x, float):
        return float(f"{x:.9g}")
    if isinstance(x, list):
        return [rounded(y) for y in x]
    if isinstance(x, dict):
        return {key: rounded(y) for key, y in x.items()}
    return x


if __name__ == "__main__":
    lines = [json.dumps(rounded(record(i, s)), separators=(",", ":")) for i, s in enumerate(SETTINGS)]
    print("[" + ",\n".join(lines) + "]")
