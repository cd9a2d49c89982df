"""Annif's configurations; to name one of these in ANNIF_CONFIG puts the backend into its table.

Annif imports the module that ANNIF_CONFIG names before it looks at any project, on its command line
as in its web server. That is the only reason for this module to do something when it is imported.
"""

from __future__ import annotations

from annif import default_config

from labeltree.annif import register


class Config(default_config.Config):  # type: ignore[misc]
    """What `annif` uses on the command line."""


class ProductionConfig(default_config.ProductionConfig):  # type: ignore[misc]
    """What Annif's web server uses: projects are opened at once."""


class DevelopmentConfig(default_config.DevelopmentConfig):  # type: ignore[misc]
    """For those who work on Annif."""


register()
