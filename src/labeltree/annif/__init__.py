"""labeltree as a backend of Annif, the indexing tool of the National Library of Finland.

Annif knows only the backends of its own table, so this one is put there first. Three ways:

- ``ANNIF_CONFIG=labeltree.annif.config.Config annif train my-project corpus.tsv`` for any command
  of Annif, and ``...ProductionConfig`` for its web server;
- ``python -m labeltree.annif train my-project corpus.tsv``, the same commands without a setting;
- `register()` in a program.

A project then says ``backend=labeltree``. The package extra is "labeltree[annif]".
"""

from __future__ import annotations

from typing import Any

NAME = "labeltree"

__all__ = ["NAME", "register"]


def register() -> None:
    """Put the backend into Annif's table; to do so twice does no harm.

    Raises
    ------
    ImportError
        If there is no Annif.
    """
    try:
        import annif.backend
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "annif":
            raise
        raise ImportError(
            'the backend needs the package annif: pip install "labeltree[annif]"'
        ) from None
    annif.backend._backend_fns[NAME] = _backend


def _backend() -> Any:
    # Made when a project asks for it, as Annif's own backends are.
    from labeltree.annif.backend import LabeltreeBackend

    return LabeltreeBackend
