"""The Annif commands with the backend registered: `python -m labeltree.annif`."""

from __future__ import annotations

from labeltree.annif import register


def main() -> None:
    """Run Annif, which exits with its own code."""
    register()
    from annif.cli import cli

    cli(prog_name="annif")


if __name__ == "__main__":
    main()
