"""EURLex-4K: EU law documents and their EuroVoc descriptors."""

import os
from pathlib import Path

from labeltree.datasets.kinds import MatrixData
from labeltree.datasets.package_index import IndexUnreachableError, SourceFiles, fetch
from labeltree.datasets.xmc_files import xmc

_EURLEX = SourceFiles(
    package="napkinxc",
    version="0.6.2",
    sha256="927766f18fa214d9789901810b28dcce7ea360650229c5438ba17698d1e56868",
    members=(
        "python/examples/data/Eurlex/eurlex_train.txt",
        "python/examples/data/Eurlex/eurlex_test.txt",
    ),
)


def eurlex4k(*, cache: str | os.PathLike[str] | None = None, normalize: bool = False) -> MatrixData:
    """Return EURLex-4K: 15,539 training and 3,809 test rows, 5,000 features, 3,993 labels.

    The first call downloads the source distribution of napkinxc 0.6.2 (44 MB) from the package
    index that pip is configured for, verifies its checksum and stores the two data files. No code
    of the package is executed. This requires ``pip install "labeltree[fetch]"``. Later calls read
    the stored files.

    Parameters
    ----------
    cache
        Folder for the stored files. The default is ``eurlex-4k`` in ``$LABELTREE_CACHE``, or in
        ``labeltree`` under ``$XDG_CACHE_HOME`` or ``~/.cache``.
    normalize
        Whether to scale each row to unit length, as in published results.

    Examples
    --------
    >>> from labeltree import datasets
    >>> datasets.eurlex4k(normalize=True)  # doctest: +SKIP
    <MatrixData eurlex4k: 15,539 rows, 3,809 test rows, 5,000 features, 3,993 labels>
    """
    folder = cache_folder() / "eurlex-4k" if cache is None else Path(cache)
    train, test = (folder / Path(member).name for member in _EURLEX.members)
    if not (train.is_file() and test.is_file()):
        try:
            fetch(_EURLEX, folder)
        except IndexUnreachableError as error:
            raise ConnectionError(
                f"{error}. Without network, put {train.name} and {test.name} into {folder}, or "
                "read other files with datasets.xmc(train, test)"
            ) from error
    return xmc(train, test, normalize=normalize, name="eurlex4k")


def cache_folder() -> Path:
    """Return the folder for fetched files; it need not exist yet."""
    if own := os.environ.get("LABELTREE_CACHE"):
        return Path(own)
    # The XDG specification says to ignore relative paths.
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "labeltree"
