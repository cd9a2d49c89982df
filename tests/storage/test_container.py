"""The file of a header and arrays: round trips, writing that fails, and memory."""

import mmap
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labeltree.storage import read_file, write_file
from labeltree.storage.container import DTYPES
from tests.model_files import START
from tests.storage.small_file import ARRAYS, small_file


@pytest.fixture
def path(tmp_path) -> Path:
    return small_file(tmp_path)


# What is written is read ------------------------------------------------------------------------


def test_arrays_come_back_as_they_were(path) -> None:
    contents = read_file(path)
    assert contents.header == {"kind": "test", "n": 3}
    assert list(contents.arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert contents.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(contents.arrays[name], array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back(dtype, tmp_path) -> None:
    array = np.array([0, 1, 100], dtype)
    write_file(tmp_path / "file", {}, {"x": array})
    found = read_file(tmp_path / "file").arrays["x"]
    assert found.dtype == dtype
    assert found.tolist() == [0, 1, 100]


def test_big_endian_and_strided_arrays_are_written_in_order(tmp_path) -> None:
    write_file(tmp_path / "file", {}, {"x": np.arange(6, dtype=">i4")[::2]})
    assert read_file(tmp_path / "file").arrays["x"].tolist() == [0, 2, 4]


def test_an_empty_matrix_keeps_its_shape(tmp_path) -> None:
    write_file(tmp_path / "file", {}, {"x": np.zeros((0, 1000), np.float32)})
    assert read_file(tmp_path / "file").arrays["x"].shape == (0, 1000)


def test_a_file_of_no_arrays_is_read(tmp_path) -> None:
    write_file(tmp_path / "file", {"name": "é"}, {})
    assert read_file(tmp_path / "file").header == {"name": "é"}


def test_arrays_are_aligned_in_the_file(path) -> None:
    length = START.unpack_from(path.read_bytes())[2]
    offsets = [START.size + length + entry.offset for entry in read_file(path).entries]
    assert all(offset % 64 == 0 for offset in offsets)


def test_arrays_are_views_of_one_map_that_nobody_can_write_to(path) -> None:
    arrays = read_file(path).arrays
    assert all(not array.flags.writeable for array in arrays.values())
    owner = arrays["numbers"].base
    while not isinstance(owner, mmap.mmap):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    assert len(owner) == path.stat().st_size


def test_the_same_contents_give_the_same_bytes(path, tmp_path) -> None:
    write_file(tmp_path / "again", {"kind": "test", "n": 3}, ARRAYS)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_mode_of_a_new_file_is_what_the_umask_says(tmp_path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "file", {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_map_outlives_the_file_that_is_replaced(path) -> None:
    contents = read_file(path)
    write_file(path, {}, {"numbers": np.zeros(5, np.int32)})
    assert contents.arrays["numbers"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("name", "array", "error", "message"),
    [
        ("x", np.array([object()]), TypeError, "x has dtype object"),
        ("x", np.array(["a"]), TypeError, "x has dtype <U1"),
        ("x", np.zeros((1, 1, 1)), ValueError, "1 or 2 dimensions, but x has 3"),
        ("x", np.array(1.0), ValueError, "1 or 2 dimensions, but x has 0"),
        ("a/b", np.zeros(1), ValueError, "but one is 'a/b'"),
    ],
)
def test_arrays_that_no_file_holds_are_refused(name, array, error, message, tmp_path) -> None:
    with pytest.raises(error, match=message):
        write_file(tmp_path / "file", {}, {name: array})
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_json_cannot_say_leaves_nothing_behind(tmp_path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_file(tmp_path / "file", {"n": float("nan")}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_packed_file_cannot_be_mapped_so_its_name_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"leave .gz off"):
        write_file(tmp_path / "model.lt.gz", {}, {})


# Writing that fails -----------------------------------------------------------------------------


def fails(monkeypatch, failure) -> None:
    """Let the write of the next file fail when all its bytes are there but not yet on the disk."""
    monkeypatch.setattr(os, "fsync", failure)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(path, monkeypatch) -> None:
    def full(handle) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    fails(monkeypatch, full)
    with pytest.raises(OSError, match="No space left") as failure:
        write_file(path, {}, ARRAYS)
    assert failure.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match="No space left") as failure:
        write_file("/dev/full", {}, {"x": np.zeros(100_000)})
    assert failure.value.filename == "/dev/full"


def test_ctrl_c_leaves_the_old_file_and_nothing_else(path, monkeypatch) -> None:
    before = path.read_bytes()
    fails(monkeypatch, lambda handle: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        write_file(path, {}, ARRAYS)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


KILLED = """
import os, signal, sys
import numpy as np
from labeltree.storage import write_file
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_file(sys.argv[1], {}, {"x": np.zeros(1_000_000)})
"""


def test_kill_9_leaves_the_old_file(path) -> None:
    before = path.read_bytes()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_bytes() == before


# Memory -----------------------------------------------------------------------------------------

SMAPS = Path("/proc/self/smaps")
needs_smaps = pytest.mark.skipif(not SMAPS.exists(), reason="/proc/self/smaps is Linux's")


def mapped_kb(path: Path, pid: int | str = "self") -> dict[str, int]:
    """Figures of the operating system about the map of a file in a process."""
    lines = iter(Path(f"/proc/{pid}/smaps").read_text().splitlines())
    assert any(line.endswith(str(path)) for line in lines)
    figures: dict[str, int] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if not value.endswith(" kB"):
            break
        figures[name] = int(value.split()[0])
    return figures


@needs_smaps
def test_pages_do_not_stay_after_verification(tmp_path) -> None:
    path = tmp_path / "large"
    write_file(path, {}, {"x": np.ones(1_000_000)})
    contents = read_file(path)
    assert mapped_kb(path)["Rss"] < 1000
    assert contents.arrays["x"].sum() == 1_000_000
    assert mapped_kb(path)["Rss"] > 7000


OPENED = """
import sys
from labeltree.storage import read_file
contents = read_file(sys.argv[1])
print(contents.arrays["x"].sum(), flush=True)
sys.stdin.read()
"""


@needs_smaps
def test_two_processes_share_one_copy(tmp_path) -> None:
    path = tmp_path / "large"
    write_file(path, {}, {"x": np.ones(1_000_000)})
    contents = read_file(path)
    other = subprocess.Popen(
        [sys.executable, "-c", OPENED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert float(other.stdout.readline()) == contents.arrays["x"].sum()
        for pid in ("self", other.pid):
            figures = mapped_kb(path, pid)
            assert figures["Shared_Clean"] + figures["Shared_Dirty"] > 7000
            assert figures["Private_Clean"] + figures["Private_Dirty"] < 100
