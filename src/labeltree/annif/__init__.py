"""labeltree as a backend of Annif, the indexing tool of the National Library of Finland.

Annif only knows the backends in its own registry, so this one must be registered first. There are
three ways:

- ``ANNIF_CONFIG=labeltree.annif.config.Config annif train my-project corpus.tsv`` for any Annif
  command, and ``...ProductionConfig`` for its web server;
- ``python -m labeltree.annif train my-project corpus.tsv``, without an environment variable;
- `register()` in a program.

A project then sets ``backend=labeltree``. The package extra is "labeltree[annif]".
"""

from __future__ import annotations

from typing import Any

NAME = "labeltree"

__all__ = ["NAME", "register"]


def register() -> None:
    """Register the backend with Annif; calling this twice has no further effect.

    Raises
    ------
    ImportError
        If Annif is not installed.
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
    # Imported when a project uses it, like Annif's own backends.
    from labeltree.annif.backend import LabeltreeBackend

    return LabeltreeBackend
