from kirin._native import (
    REASONS as REASONS,
    VARIANTS as VARIANTS,
    Outcome as Outcome,
    Position as Position,
    VectorEnv as VectorEnv,
    __version__ as __version__,
    action_count as action_count,
    divide as divide,
    notations as notations,
    perft as perft,
    planes_shape as planes_shape,
    position_formats as position_formats,
    rulesets as rulesets,
    setups as setups,
)

__all__: list[str]
