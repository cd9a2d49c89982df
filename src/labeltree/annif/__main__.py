"""The commands of Annif, with the backend in its table: `python -m labeltree.annif`."""

from __future__ import annotations

from labeltree.annif import register


def main() -> None:
    """Hand over to Annif; it exits with its own code."""
    register()
    from annif.cli import cli

    cli(prog_name="annif")


if __name__ == "__main__":
    main()
