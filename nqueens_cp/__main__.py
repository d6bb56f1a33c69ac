"""The program: ``nqueens-cp`` and ``python -m nqueens_cp``."""

import sys


def run() -> None:
    """Run the command line; what it needs is imported here, so that Ctrl-C during the import is no traceback either."""
    try:
        from nqueens_cp.cli import main

        status = main()
    except KeyboardInterrupt:
        print("interrupted: no answer yet", file=sys.stderr)
        status = 130
    sys.exit(status)


if __name__ == "__main__":
    run()
