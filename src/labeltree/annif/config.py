"""Annif configurations that register the backend; set ANNIF_CONFIG to one of these.

Annif imports the module named in ANNIF_CONFIG before it reads any project, on the command line and
in its web server. For this reason only, this module has a side effect when it is imported.
"""

from __future__ import annotations

from annif import default_config

from labeltree.annif import register


class Config(default_config.Config):  # type: ignore[misc]
    """Configuration of the `annif` command line."""


class ProductionConfig(default_config.ProductionConfig):  # type: ignore[misc]
    """Configuration of Annif's web server, which loads projects at startup."""


class DevelopmentConfig(default_config.DevelopmentConfig):  # type: ignore[misc]
    """Configuration for the development of Annif."""


register()
