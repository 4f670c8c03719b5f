"""``python -m judgeloop`` and the ``judgeloop`` command."""

import sys


def main() -> int:
    """Run one verb and return its exit code."""
    from judgeloop.cli import run  # noqa: PLC0415 - `--version` must not wait for anything

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
