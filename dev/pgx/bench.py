#!/usr/bin/env python3
"""Self-play of shogi: Kirin beside pgx + mctx, in turns on the same machine (README.md says what is compared).

Needs no packages itself. Those of the peer are where `scripts/oracles pgx` installs them; without them the bench
says SKIPPED and is done.
"""

import argparse
import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Target: positions per second of Kirin over those of the peer, both in fp32.
TARGET = 10.0
# Longest wait for an answer beyond the time that was asked for, in seconds: XLA compiles for a minute on a busy core.
PATIENCE = 420.0


@dataclasses.dataclass(frozen=True)
class Setting:
    """How the peer plays; `devices` parts of the batch run side by side."""

    batch: int
    devices: int
    simulations: int
    precision: str = "fp32"


class PeerFailed(Exception):
    """The peer ended, or did not answer in time."""


def packages() -> pathlib.Path:
    """Where `scripts/oracles pgx` puts the peer's packages."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    digest = hashlib.sha256((HERE / "requirements.txt").read_bytes()).hexdigest()[:12]
    return cache / "kirin" / "oracles" / f"pgx-{digest}"


class Peer:
    """A running `peer.py`."""

    def __init__(self, setting: Setting, net: str, errors) -> None:
        self.setting = setting
        command = [sys.executable, str(HERE / "peer.py"), "--net", net]
        for key, value in dataclasses.asdict(setting).items():
            command += [f"--{key}", str(value)]
        paths = [str(packages()), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=environment)
        try:
            self.compile_seconds = self.answer(0.0)["compiled"]
        except PeerFailed:
            self.end()
            raise

    def answer(self, seconds: float) -> dict:
        clock = threading.Timer(seconds + PATIENCE, self.process.kill)
        clock.start()
        line = self.process.stdout.readline()
        clock.cancel()
        if not line:
            code = self.process.wait()
            raise PeerFailed(f"exit status {code}" + (", out of time or memory" if code < 0 else ""))
        return json.loads(line)

    def ask(self, what: str, seconds: float) -> dict:
        try:
            print(json.dumps({what: seconds}), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            pass  # `answer` tells how it ended
        return self.answer(2 * seconds)

    def play(self, seconds: float) -> tuple[float, float]:
        """Positions per second, and the number of cores kept busy."""
        played = self.ask("play", seconds)
        return played["positions"] / played["seconds"], played["cores"]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def peer(setting: Setting, net: str) -> Iterator[Peer]:
    """Starts a peer and ends it. What it says on standard error is shown only if it fails."""
    with tempfile.TemporaryFile("w+") as errors:
        try:
            running = Peer(setting, net, errors)
            try:
                yield running
            finally:
                running.end()
        except PeerFailed:
            errors.seek(0)
            sys.stderr.write("".join(errors.readlines()[-20:]))
            raise


def cpu_seconds_of_children() -> float:
    """Of those that have ended; the peer, which is still running, is not among them."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def kirin(arguments: argparse.Namespace, simulations: int, precision: str) -> dict:
    """One turn of `kirin bench selfplay`: its JSON, `known_per_s`, and `cores`, how many it kept busy on the whole.

    All games move at about the same time, and in a turn of seconds they do so only a few times: positions counted
    when their search is over come in waves. So positions per second are computed here from evaluations, by the
    network or known already, which come evenly. A search takes one for each simulation and one for its root, or
    fewer where the game is over or its outcome proven: this never says too much.
    """
    command = [arguments.kirin, "bench", "selfplay", "--variant", "shogi", "--net", arguments.net, "--device", "cpu"]
    command += ["--visits", str(simulations), "--precision", precision, "--seconds", str(arguments.seconds), "--json"]
    begin, used = time.perf_counter(), cpu_seconds_of_children()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    cores = (cpu_seconds_of_children() - used) / (time.perf_counter() - begin)
    found = json.loads(done.stdout)
    hits = found["cache_hit_rate"]
    found["cores"] = cores
    found["known_per_s"] = found["evals_per_s"] * hits / (1.0 - hits)
    found["counted_positions_per_s"] = found["positions_per_s"]
    found["positions_per_s"] = (found["evals_per_s"] + found["known_per_s"]) / (simulations + 1)
    return found


def say(text: str) -> None:
    print(f"pgx bench: {text}", file=sys.stderr, flush=True)


def best_setting(arguments: argparse.Namespace, simulations: int) -> tuple[Setting, list[dict]]:
    """The peer's fastest batch with a part for each core; and whether one part, which uses all cores, beats it."""
    cores = len(os.sched_getaffinity(0))
    sweep: list[tuple[float, Setting]] = []

    def attempt(setting: Setting) -> None:
        try:
            with peer(setting, arguments.net) as running:
                rate, busy = running.play(arguments.sweep_seconds)
        except PeerFailed as failure:
            say(f"batch {setting.batch} in {setting.devices} parts left out: {failure}")
            return
        say(f"peer, {simulations} simulations, batch {setting.batch} in {setting.devices} parts: "
            f"{rate:.1f} positions/s, {busy:.1f} cores busy")
        sweep.append((rate, setting))

    for batch in arguments.batches:
        attempt(Setting(max(batch // cores, 1) * cores, cores, simulations))
    if not sweep:
        raise PeerFailed("no batch size works")
    if cores > 1:
        attempt(dataclasses.replace(max(sweep, key=lambda tried: tried[0])[1], devices=1))
    best = max(sweep, key=lambda tried: tried[0])[1]
    return best, [dataclasses.asdict(setting) | {"positions_per_s": rate} for rate, setting in sweep]


def compare(arguments: argparse.Namespace, setting: Setting) -> list[dict]:
    """Rounds of peer, Kirin in fp32, Kirin in bf16: a row of means for each. A ratio is taken within its round."""
    theirs: list[dict] = []
    ours: dict[str, list[dict]] = {"fp32": [], "bf16": []}
    with peer(setting, arguments.net) as running:
        for number in range(arguments.rounds):
            rate, busy = running.play(arguments.seconds)
            theirs.append({"positions_per_s": rate, "cores": busy})
            for precision, found in ours.items():
                found.append(kirin(arguments, setting.simulations, precision))
            rates = ", ".join(f"{precision} {found[-1]['positions_per_s']:.1f}" for precision, found in ours.items())
            say(f"{setting.simulations} simulations, round {number + 1}: peer {rate:.1f} positions/s, Kirin {rates}")
        parts = running.ask("parts", arguments.sweep_seconds)
    evaluations = setting.simulations + 1
    row = dataclasses.asdict(setting) | means(theirs, "positions_per_s", "cores") | parts
    rows = [row | {"who": "pgx + mctx", "evals_per_s": row["positions_per_s"] * evaluations, "known_per_s": 0.0}]
    keys = ("positions_per_s", "counted_positions_per_s", "evals_per_s", "known_per_s", "net_evals_per_s", "cores")
    for precision, found in ours.items():
        ratios = [one["positions_per_s"] / other["positions_per_s"] for one, other in zip(found, theirs)]
        row = {"who": "Kirin", "simulations": setting.simulations, "precision": precision, "ratios": ratios}
        rows.append(row | {"batch": found[-1]["evaluator"]["batch"]} | means(found, *keys))
    return rows


def means(found: list[dict], *keys: str) -> dict[str, float]:
    return {key: statistics.mean(one[key] for one in found) for key in keys}


def table(rows: list[dict]) -> str:
    """Markdown. The rate of the network alone was measured beside the turns."""
    lines = [
        "| simulations | who | network in | batch | positions/s | by the network/s | known already/s | network alone/s | cores busy | times the peer |",
        "|---:|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        ratios = row.get("ratios")
        times = f"**{statistics.mean(ratios):.1f}** ({min(ratios):.1f}–{max(ratios):.1f})" if ratios else ""
        lines.append(
            f"| {row['simulations']} | {row['who']} | {row['precision']} | {row['batch']} | {row['positions_per_s']:.1f} "
            f"| {row['evals_per_s']:,.0f} | {row['known_per_s']:,.0f} | {row['net_evals_per_s']:,.0f} | {row['cores']:.1f} | {times} |"
        )
    return "\n".join(lines)


def where_the_peer_spends(row: dict) -> str:
    """What the peer's parts do alone, and what is the most that they could do in turns."""
    network, rules = row["net_evals_per_s"], row["steps_per_s"]
    most = network * rules / (network + rules)
    return (
        f"peer, {row['simulations']} simulations: its network alone {network:,.0f} evaluations/s, its rules without a network {rules:,.0f} steps/s; "
        f"{most:,.0f}/s would be both in turns, {row['evals_per_s']:,.0f}/s are done in self-play"
    )


def machine() -> str:
    """The processor's name and the number of cores this process may use."""
    with contextlib.suppress(OSError):
        names = [line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        if names:
            return f"{names[0].split(':', 1)[1].strip()}, {len(os.sched_getaffinity(0))} cores"
    return f"{platform.machine()}, {os.cpu_count()} cores"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kirin", default=str(ROOT / "target/release/kirin"), help="the program")
    parser.add_argument("--net", default="4x64", help="blocks x channels of both networks")
    parser.add_argument("--simulations", type=int, nargs="+", default=[16, 32], help="simulations a move")
    parser.add_argument("--batches", type=int, nargs="+", default=[16, 64, 256], help="the peer's batch sizes to try")
    parser.add_argument("--seconds", type=float, default=8.0, help="seconds of each turn of play")
    parser.add_argument("--sweep-seconds", type=float, default=3.0, help="seconds for each batch size tried")
    parser.add_argument("--rounds", type=int, default=2, help="turns of each")
    parser.add_argument("--bf16-peer", action="store_true", help="also the peer with its network in bf16")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    return parser.parse_args()


def main() -> int:
    arguments = read_arguments()
    if not packages().is_dir():
        say("SKIPPED: pgx and mctx are not installed; scripts/oracles pgx does it")
        return 0
    if not os.access(arguments.kirin, os.X_OK):
        say(f"no program {arguments.kirin}; make build")
        return 1
    rows = []
    try:
        best, sweep = best_setting(arguments, arguments.simulations[0])
        for simulations in arguments.simulations:
            rows += compare(arguments, dataclasses.replace(best, simulations=simulations))
        if arguments.bf16_peer:
            with peer(dataclasses.replace(best, precision="bf16"), arguments.net) as running:
                rate, busy = running.play(arguments.seconds)
            say(f"peer with its network in bf16, {best.simulations} simulations: {rate:.1f} positions/s, {busy:.1f} cores busy")
    except PeerFailed as failure:
        say(f"the peer failed: {failure}")
        return 1
    except subprocess.CalledProcessError as failure:
        say(f"{failure.cmd[0]} ended with exit status {failure.returncode}")
        return 1
    date = datetime.date.today().isoformat()
    if arguments.json:
        print(json.dumps({"machine": machine(), "date": date, "net": arguments.net, "sweep": sweep, "rows": rows}))
        return 0
    print(f"{machine()}; {date}; shogi, {arguments.net}\n\n{table(rows)}\n")
    for row in rows:
        if row["who"] != "Kirin":
            print(where_the_peer_spends(row))
        elif row["precision"] == "fp32":
            ratio = statistics.mean(row["ratios"])
            verdict = "met" if ratio >= TARGET else "missed"
            print(f"{row['simulations']} simulations, both in fp32: {ratio:.1f} times; target {TARGET:.0f}: {verdict}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
