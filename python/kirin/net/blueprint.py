"""A network without weights: the sizes of its variant's encoding, and its own (train/src/network/blueprint.rs)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from .problem import FileProblem

# Numbers of a token after its query and key: leaves, arrives, promotes from, promotes at, touches.
SCALARS = 5


@dataclass(frozen=True)
class Features:
    """What a network is shown beside pieces and counters.

    >>> import kirin.net
    >>> kirin.net.Features()
    Features(attacks=False)
    """

    attacks: bool = False


@dataclass(frozen=True)
class Shape:
    """Sizes of a variant's network input and policy.

    >>> import kirin.net
    >>> shape = kirin.net.Shape(planes=5, ranks=4, files=3, hand_slots=2, material=6)
    >>> shape.squares, shape.tokens
    (12, 15)
    """

    planes: int
    ranks: int
    files: int
    hand_slots: int
    material: int
    # 1 in a network that says the points at the end.
    points: int = 0

    @property
    def squares(self) -> int:
        return self.ranks * self.files

    @property
    def tokens(self) -> int:
        """Squares, hand slots, and last the pass."""
        return self.squares + self.hand_slots + 1


@dataclass(frozen=True)
class Config:
    """The size of a network. What a file does not say has these values.

    >>> import kirin.net
    >>> config = kirin.net.Config(blocks=10, channels=128)
    >>> config.blocks, config.mixing
    (10, 'se')
    """

    blocks: int = 4
    channels: int = 64
    mixing: str = "se"
    se_hidden: int = 16
    policy_dim: int = 32
    value_channels: int = 8
    value_hidden: int = 64
    features: Features = Features()
    # Whether it says the points at the end, in variants that count them.
    points: bool = False


@dataclass(frozen=True)
class Blueprint:
    """Everything that decides the names and shapes of a network's tensors.

    >>> import kirin.net
    >>> blueprint = kirin.net.read_network("train/networks/xiangqi.safetensors").blueprint
    >>> blueprint.variant, blueprint.shape.ranks, blueprint.shape.files
    ('xiangqi', 10, 9)
    """

    variant: str
    shape: Shape
    config: Config

    @staticmethod
    def of_json(value: Any) -> Blueprint:
        """Reads what a file says, and checks it.

        Raises FileProblem: something is missing, unknown, or out of range.

        >>> import kirin.net
        >>> shape = {"planes": 5, "ranks": 4, "files": 3, "hand_slots": 2, "material": 6}
        >>> blueprint = kirin.net.Blueprint.of_json({"variant": "small", "shape": shape, "config": {"blocks": 2}})
        >>> blueprint.config.blocks, blueprint.config.channels
        (2, 64)
        """
        known = section("blueprint", value, {"variant", "shape", "config"})
        given = known["config"]
        if isinstance(given, dict):
            given = _without_retired(given)
        config = dict(section("config", given, {field.name for field in dataclasses.fields(Config)}, set()))
        features = _record(Features, "config.features", config.pop("features", {}))
        blueprint = Blueprint(
            variant=str(known["variant"]),
            shape=_record(Shape, "shape", known["shape"]),
            config=dataclasses.replace(_record(Config, "config", config), features=features),
        )
        blueprint._check()
        return blueprint

    def _check(self) -> None:
        shape, config = self.shape, self.config
        for name in ("planes", "ranks", "files"):
            _within(f"shape.{name}", getattr(shape, name), 1, 4096)
        for name in ("hand_slots", "material"):
            _within(f"shape.{name}", getattr(shape, name), 0, 4096)
        _within("shape.points", shape.points, 0, 1)
        if config.mixing not in ("none", "se", "pool"):
            raise FileProblem(f"config.mixing is {config.mixing!r}, and this kirin.net knows none, se and pool")
        _within("config.blocks", config.blocks, 1, 60)
        _within("config.channels", config.channels, 8, 512)
        if config.mixing == "se":
            _within("config.se_hidden", config.se_hidden, 4, config.channels)
        _within("config.policy_dim", config.policy_dim, 4, 256)
        _within("config.value_channels", config.value_channels, 1, config.channels)
        _within("config.value_hidden", config.value_hidden, 8, 1024)


# Keys of experiments without gain (docs/research/2026-11-26-retired-keys.md), which files say were not used.
RETIRED = {"kind_channels": 0, "reply_dim": 0, "material": "counts"}
RETIRED_FEATURES = {"hand_steps": False, "last_move": False}


def _without_retired(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration without the retired keys, all of which must be off."""

    def kept(values: Mapping[str, Any], retired: Mapping[str, Any]) -> dict[str, Any]:
        for key, off in retired.items():
            if values.get(key, off) != off:
                raise FileProblem(f"it was made with {key}, an experiment that brought no gain; a kirin.net of November 2026 reads it")
        return {key: value for key, value in values.items() if key not in retired}

    config = kept(config, RETIRED)
    if isinstance(config.get("features"), dict):
        config["features"] = kept(config["features"], RETIRED_FEATURES)
    return config


def section(name: str, value: Any, known: set[str], required: set[str] | None = None) -> Mapping[str, Any]:
    """A JSON object whose keys are all known, with all that are required (by default all)."""
    if not isinstance(value, dict):
        raise FileProblem(f"its {name} is no JSON object; restore it from a copy")
    for key in value:
        if key not in known:
            raise FileProblem(f"its {name} has {key!r}, which this kirin.net does not know; use a newer one")
    for key in sorted(known if required is None else required):
        if key not in value:
            raise FileProblem(f"its {name} has no {key!r}; restore it from a copy")
    return value


_Record = TypeVar("_Record", Features, Shape, Config)


def _record(kind: type[_Record], name: str, value: Any) -> _Record:
    """A record of numbers, names and yes or no; every value is of the type of its field."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    required = {field.name for field in fields.values() if field.default is dataclasses.MISSING}
    found = section(name, value, set(fields), required)
    for key, given in found.items():
        # Annotations are text here: "bool", "int", "str".
        wanted = fields[key].type
        if type(given).__name__ != wanted:
            raise FileProblem(f"its {name}.{key} is {given!r}, which is no {wanted}; restore it from a copy")
    return kind(**found)


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise FileProblem(f"its {name} is {value}, out of range; {least} to {most}")
