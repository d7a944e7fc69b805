"""`python -m kirin` becomes the program, which stops in its own time."""

import signal
import subprocess
import sys

PROGRAM = """#!/bin/sh
trap 'sleep 0.6; echo "stopped after $*"; exit 75' TERM
echo ready
while :; do sleep 0.02; done
"""


def test_a_signal_reaches_the_program(tmp_path):
    program = tmp_path / "kirin"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    code = f"import kirin.program; kirin.program.find = lambda: {str(program)!r}; from kirin.__main__ import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, "run", "a b"], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (75, "stopped after run a b\n")
