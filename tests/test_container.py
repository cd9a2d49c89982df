"""The file of a header and arrays: round trips, attacks and accidents."""

import gzip
import json
import mmap
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labeltree import ModelFileError
from labeltree.storage import header, read_file, write_file
from labeltree.storage.container import DTYPES
from tests.model_files import MAGIC, START, assemble, edited, put, take_apart

ARRAYS = {
    "numbers": np.arange(5, dtype=np.int32),
    "empty": np.zeros((0, 3), np.float32),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
    "bytes": np.arange(3, dtype=np.uint8),
}


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "file.lt"
    write_file(path, {"kind": "test", "n": 3}, ARRAYS)
    return path


def is_refused(path: Path, match: str | None = None, verify: bool = True) -> bool:
    with pytest.raises(ModelFileError, match=match) as failure:
        read_file(path, verify=verify)
    return str(failure.value).startswith(str(path))


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


def test_an_empty_matrix_may_be_as_wide_as_the_limit(path, tmp_path) -> None:
    attacked = edited(path.read_bytes(), change(1, shape=[0, 2**40]))
    assert read_file(put(tmp_path, attacked)).arrays["empty"].shape == (0, 2**40)


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


# What is no such file ---------------------------------------------------------------------------


def test_a_missing_file_is_not_found(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none.lt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"some words\n", "no labeltree model file"),
        (b"x", "no labeltree model file"),
        (gzip.compress(b"words"), "packed with gzip"),
        (b"\x28\xb5\x2f\xfd0000", "packed with zstd"),
        (b"PK\x03\x04000000", "zip or npz"),
        (b"\x80\x05\x95\x00", "perhaps a pickle"),
        (MAGIC.replace(b"\r\n", b"\n") + bytes(60), "no labeltree model file"),
        (MAGIC[:5], "cut off after 5 bytes"),
        (MAGIC, "cut off after 8 bytes"),
    ],
)
def test_another_kind_of_file_is_named(content, message, tmp_path) -> None:
    assert is_refused(put(tmp_path, content), message)


def test_a_folder_is_no_model_file(tmp_path) -> None:
    assert is_refused(tmp_path, "it is a folder")


def test_a_pipe_is_refused_without_waiting(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert is_refused(tmp_path / "pipe", "pipe or a device")


def test_a_newer_version_asks_for_an_upgrade(path, tmp_path) -> None:
    newer = assemble(b"anything", version=2)
    assert is_refused(
        put(tmp_path, newer), "has format 2; this release reads format 1. Upgrade labeltree"
    )


def test_there_is_no_version_0(tmp_path) -> None:
    assert is_refused(put(tmp_path, assemble(b"{}", version=0)), "formats count from 1")


# Accidents --------------------------------------------------------------------------------------


def test_a_file_cut_off_anywhere_is_refused(path, tmp_path) -> None:
    whole = path.read_bytes()
    for size in range(len(whole)):
        assert is_refused(put(tmp_path, whole[:size]), verify=False)


def test_every_flipped_bit_is_found(path, tmp_path) -> None:
    whole = bytearray(path.read_bytes())
    for place in range(len(whole)):
        whole[place] ^= 1 << place % 8
        assert is_refused(put(tmp_path, whole))
        whole[place] ^= 1 << place % 8


def test_bytes_at_the_end_are_found(path, tmp_path) -> None:
    added = put(tmp_path, path.read_bytes() + b"\0")
    assert is_refused(added, "end 1 bytes before the file", verify=False)


def test_without_verify_a_flip_in_an_array_is_not_looked_for(path, tmp_path) -> None:
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    assert is_refused(put(tmp_path, whole), "array bytes is damaged")
    read_file(put(tmp_path, whole), verify=False)


# Hostile headers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object, but is a list"),
        (b"null", "must be a JSON object"),
        (b'"\xff"', "not JSON"),
        (b"{}", '"header" and "arrays"'),
        (b'{"header":[],"arrays":[]}', '"header" and "arrays"'),
        (b'{"header":{},"arrays":{}}', '"arrays" of the header must be a list'),
        (b'{"header":{},"arrays":[],"more":1}', '"header" and "arrays"'),
        (b'{"header":{"a":1,"a":2},"arrays":[]}', "the key 'a' twice"),
        (b'{"header":{},"header":{},"arrays":[]}', "the key 'header' twice"),
        (b'{"header":{"a":NaN},"arrays":[]}', "must be finite, but one is NaN"),
        (b'{"header":{"a":-Infinity},"arrays":[]}', "must be finite, but one is -Infinity"),
        (b'{"header":{"a":1e999},"arrays":[]}', "must be finite, but one is 1e999"),
        (b'{"header":{"a":' + b"9" * 5000 + b'},"arrays":[]}', "not JSON"),
        (b'{"header":{"a":' + b"[" * 20 + b"]" * 20 + b'},"arrays":[]}', "nested more than 16"),
        (b'{"header":' + b'{"a":' * 20 + b"1" + b"}" * 20 + b',"arrays":[]}', "nested more"),
        (b"[" * 100_000, "nested more than 16"),
        (b'{"a":' * 100_000, "nested more than 16"),
    ],
)
def test_a_hostile_header_is_refused(text, message, tmp_path) -> None:
    assert is_refused(put(tmp_path, assemble(text)), message)


def change(number: int, **fields):
    return lambda parts: parts["arrays"][number].update(fields)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change(0, offset=-64), "multiples of 64 from 0, but that of numbers is -64"),
        (change(0, offset=4), "multiples of 64 from 0, but that of numbers is 4"),
        (change(0, offset=64), "gap before array numbers"),
        (change(2, offset=0), "array table overlaps"),
        (change(3, offset=2**70), "bytes of shape .* ends beyond the file"),
        (change(0, offset=0.0), "offset of array 0 must be int"),
        (change(0, offset=True), "offset of array 0 must be int"),
        (change(0, offset=None), "offset of array 0 must be int"),
        (change(0, shape=[2**40]), "numbers of shape .* ends beyond the file"),
        (change(0, shape=[2**32, 2**32]), "numbers of shape .* ends beyond the file"),
        (change(0, shape=[10**4000, 10**4000]), "ends beyond the file"),
        (change(1, shape=[0, 2**62]), "empty of shape .* ends beyond the file"),
        (change(0, shape=[-5]), "shape of numbers must be"),
        (change(0, shape=[-1, -5]), "shape of numbers must be"),
        (change(0, shape=[5.0]), "shape of numbers must be"),
        (change(0, shape=[True]), "shape of numbers must be"),
        (change(0, shape=["5"]), "shape of numbers must be"),
        (change(0, shape=[]), "shape of numbers must be"),
        (change(0, shape=[5, 1, 1]), "shape of numbers must be"),
        (change(0, shape=5), "shape of array 0 must be list"),
        (change(3, shape=[2]), "end 1 bytes before the file"),
        (change(0, dtype="O"), "unknown dtype 'O'"),
        (change(0, dtype=">i4"), "unknown dtype '>i4'"),
        (change(0, dtype="i4,i4"), "unknown dtype"),
        (change(0, dtype="f8"), "array numbers is damaged"),
        (change(0, dtype="f8", shape=[9]), "array empty overlaps"),
        (change(0, dtype=4), "dtype of array 0 must be str"),
        (change(1, name="numbers"), "two arrays have the name numbers"),
        (change(0, name="../x"), "but one is '../x'"),
        (change(0, name=""), "but one is ''"),
        (change(0, checksum="0"), "16 hexadecimal digits"),
        (change(0, checksum="0" * 16), "array numbers is damaged"),
        (change(0, more=1), "array 0 of the header must have name, dtype"),
        (lambda parts: parts["arrays"][0].pop("offset"), "array 0 of the header must have"),
        (lambda parts: parts["arrays"].append([]), "array 4 of the header must have"),
        (lambda parts: parts["arrays"].pop(), "bytes before the file"),
        (lambda parts: parts["arrays"].reverse(), "gap|overlaps"),
    ],
)
def test_a_hostile_table_of_arrays_is_refused(edit, message, path, tmp_path) -> None:
    limit = sys.get_int_max_str_digits()
    assert limit > 4001
    attacked = put(tmp_path, edited(path.read_bytes(), edit))
    assert is_refused(attacked, message)


def start_of(file: bytes, **fields: int) -> bytes:
    magic, version, length, checksum = START.unpack_from(file)
    length = fields.get("length", length)
    return START.pack(magic, version, length, fields.get("checksum", checksum)) + file[32:]


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (0, "multiple of 64, but here at 32"),
        (2**64 - 1, "a header has at most"),
        (2**26, "the header ends at byte 67108896, but the file has"),
        (33, "multiple of 64, but here at 65"),
        (32, "the header is damaged"),
    ],
)
def test_a_hostile_length_of_the_header_is_refused(length, message, path, tmp_path) -> None:
    attacked = start_of(path.read_bytes(), length=length)
    assert is_refused(put(tmp_path, attacked), message)


def test_bytes_between_arrays_are_0(path, tmp_path) -> None:
    parts, data = take_apart(path.read_bytes())
    hidden = data[:20] + b"x" + data[21:]
    attacked = put(tmp_path, assemble(json.dumps(parts).encode(), hidden))
    assert is_refused(attacked, "bytes before array empty must be 0")


def test_a_header_beyond_the_limit_is_not_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(header, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="at most 100 bytes"):
        write_file(tmp_path / "file", {"x": "x" * 100}, {})


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
