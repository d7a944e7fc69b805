"""`python -m kirin` is the program `kirin` of the same installation."""

import subprocess
import sys

from kirin.program import find


def main() -> int:
    try:
        return subprocess.run([find(), *sys.argv[1:]], check=False).returncode
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 69
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
