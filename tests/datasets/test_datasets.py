"""Matrix data sets from files: your own, or downloaded once from the package index."""

import hashlib
import io
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labeltree import datasets
from labeltree.datasets import eurlex, package_index

TRAIN = b"2 3 2\n0,1 0:3 2:4\n 1:2\n"
TEST = b"1 3 2\n1 2:1\n"
FOLDER = "napkinxc-0.6.2/python/examples/data/Eurlex"
FILES = {f"{FOLDER}/eurlex_train.txt": TRAIN, f"{FOLDER}/eurlex_test.txt": TEST}


def source_distribution(folder: Path, files: dict[str, bytes]) -> str:
    """Write napkinxc-0.6.2.tar.gz and return its checksum."""
    archive = folder / "napkinxc-0.6.2.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return hashlib.sha256(archive.read_bytes()).hexdigest()


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Use a folder as the only package index, and accept the checksum of what is put into it."""
    index = tmp_path / "index"
    index.mkdir()
    options = {"no-index": ["true"], "find-links": [str(index)]}
    monkeypatch.setattr(package_index, "pip_options", lambda: options)
    monkeypatch.setenv("LABELTREE_CACHE", str(tmp_path / "cache"))

    def put(files: dict[str, bytes]) -> None:
        checksum = source_distribution(index, files)
        monkeypatch.setattr(eurlex, "_EURLEX", replace(eurlex._EURLEX, sha256=checksum))

    return put


def cached(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "cache" / "eurlex-4k").iterdir())


def test_eurlex4k_reads_the_two_files_of_the_source_distribution(offer):
    offer(FILES)
    data = datasets.eurlex4k()
    assert repr(data) == "<MatrixData eurlex4k: 2 rows, 1 test rows, 3 features, 2 labels>"
    assert data.X.toarray().tolist() == [[3, 0, 4], [0, 2, 0]]
    assert data.Y.indices.tolist() == [0, 1]
    assert data.Y_test.indices.tolist() == [1]


def test_only_the_two_files_are_stored(offer, tmp_path):
    offer({**FILES, "napkinxc-0.6.2/setup.py": b"raise SystemExit", "../evil.txt": b"evil"})
    datasets.eurlex4k()
    assert cached(tmp_path) == ["eurlex_test.txt", "eurlex_train.txt"]
    assert not list(tmp_path.rglob("evil.txt"))


def test_the_second_call_reads_the_stored_files(offer, monkeypatch):
    offer(FILES)
    datasets.eurlex4k()
    monkeypatch.setattr(eurlex, "fetch", None)
    assert datasets.eurlex4k().Y.n_labels == 2


def test_files_put_into_the_cache_by_hand_are_read(tmp_path, monkeypatch):
    (tmp_path / "eurlex_train.txt").write_bytes(TRAIN)
    (tmp_path / "eurlex_test.txt").write_bytes(TEST)
    monkeypatch.setattr(eurlex, "fetch", None)
    assert datasets.eurlex4k(cache=tmp_path).X.shape == (2, 3)


def test_a_wrong_checksum_is_refused_and_leaves_nothing(offer, tmp_path, monkeypatch):
    offer(FILES)
    monkeypatch.setattr(eurlex, "_EURLEX", replace(eurlex._EURLEX, sha256="0" * 64))
    with pytest.raises(ValueError, match="must have the sha256 0000"):
        datasets.eurlex4k()
    assert cached(tmp_path) == []


def test_a_missing_file_is_named_and_leaves_nothing(offer, tmp_path):
    offer({f"{FOLDER}/eurlex_train.txt": TRAIN})
    with pytest.raises(ValueError, match=r"must hold the file .*eurlex_test\.txt, but does not"):
        datasets.eurlex4k()
    assert cached(tmp_path) == []


def test_the_error_for_an_index_without_the_file_names_the_remedy(offer, tmp_path):
    with pytest.raises(ConnectionError, match="it does not offer this file") as caught:
        datasets.eurlex4k()
    folder = tmp_path / "cache" / "eurlex-4k"
    assert f"put eurlex_train.txt and eurlex_test.txt into {folder}" in str(caught.value)
    assert "datasets.xmc(train, test)" in str(caught.value)


def test_the_error_without_network_names_the_remedy(offer, monkeypatch):
    # No server listens on port 9.
    options = {"index-url": ["http://user:secret@127.0.0.1:9/simple"]}
    monkeypatch.setattr(package_index, "pip_options", lambda: options)
    with pytest.raises(
        ConnectionError, match=r"from the package index: .*Without network, put"
    ) as caught:
        datasets.eurlex4k()
    assert "secret" not in str(caught.value)


def test_the_error_for_missing_unearth_names_the_extra(offer, monkeypatch):
    monkeypatch.setitem(sys.modules, "unearth", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "labeltree\[fetch\]"'):
        datasets.eurlex4k()


def test_the_environment_overrides_the_configuration_files_of_pip():
    listing = "global.index-url='https://a/simple'\nglobal.find-links='/x /y'\n"
    options = package_index.parsed_options(listing, {"PIP_INDEX_URL": "https://b/simple", "X": "1"})
    assert options == {"index-url": ["https://b/simple"], "find-links": ["/x", "/y"]}


def test_several_lines_of_a_pip_option_are_several_values():
    listing = "global.extra-index-url='\\nhttps://a/simple\\nhttps://b/simple'\n:env:.x='1'\n"
    options = package_index.parsed_options(listing, {})
    assert options == {"extra-index-url": ["https://a/simple", "https://b/simple"]}


def test_extra_indexes_are_queried_after_the_default_one(monkeypatch):
    options = {"extra-index-url": ["https://b.example/simple"]}
    monkeypatch.setattr(package_index, "pip_options", lambda: options)
    urls = [source["url"] for source in package_index._finder("napkinxc").sources]
    assert len(urls) == 2
    assert urls[1] == "https://b.example/simple"


def test_without_pip_only_the_environment_is_used(monkeypatch):
    failed = subprocess.CompletedProcess([], 1, stdout="No module named pip", stderr="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    monkeypatch.setenv("PIP_INDEX_URL", "https://b.example/simple")
    assert package_index.pip_options()["index-url"] == ["https://b.example/simple"]


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"LABELTREE_CACHE": "/own", "XDG_CACHE_HOME": "/shared"}, "/own"),
        ({"XDG_CACHE_HOME": "/shared"}, "/shared/labeltree"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/labeltree"),
        ({}, "/home/me/.cache/labeltree"),
    ],
)
def test_the_cache_folder_depends_on_the_environment(monkeypatch, variables, folder):
    for name in ("LABELTREE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert eurlex.cache_folder() == Path(folder)


def test_normalize_scales_rows_to_unit_length(tmp_path):
    (tmp_path / "train.txt").write_bytes(TRAIN)
    data = datasets.xmc(tmp_path / "train.txt", normalize=True)
    np.testing.assert_allclose(data.X.toarray(), [[0.6, 0, 0.8], [0, 1, 0]], rtol=1e-6)
    assert data.X.dtype == np.float32


def test_xmc_without_test_file_has_no_test_part(tmp_path):
    (tmp_path / "train.txt").write_bytes(TRAIN)
    data = datasets.xmc(tmp_path / "train.txt")
    assert (data.name, data.X_test, data.Y_test) == ("train.txt", None, None)


@pytest.mark.parametrize(("header", "what"), [(b"1 4 2\n", "features"), (b"1 3 5\n", "labels")])
def test_a_test_file_of_another_width_is_refused(tmp_path, header, what):
    (tmp_path / "train.txt").write_bytes(TRAIN)
    (tmp_path / "test.txt").write_bytes(header + b"1 2:1\n")
    with pytest.raises(ValueError, match=rf"test\.txt has \d {what}, but .*train\.txt has \d"):
        datasets.xmc(tmp_path / "train.txt", tmp_path / "test.txt")


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        datasets.xmc(tmp_path / "absent.txt")
