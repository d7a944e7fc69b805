"""`python -m kirin` is the program `kirin` of the same installation."""

import os
import signal
import sys

from kirin.program import find


def main() -> int:
    try:
        program = find()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 69
    # Python ignores these, and a program that takes its place would too.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    # It takes the place of Python, so that a signal reaches it alone and it may take its time to stop.
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
