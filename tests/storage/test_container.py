"""The file of sections: round trips, unknown sections, writing that fails, and memory."""

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
from labeltree.storage import Section, read_file, write_file
from labeltree.storage.table import DTYPES
from tests.model_files import START, put, with_section
from tests.reference import storage as reference
from tests.storage.small_file import BYTES, NAMES, SECTIONS, small_file


@pytest.fixture
def path(tmp_path) -> Path:
    return small_file(tmp_path)


def write_arrays(path: Path | str, arrays: dict[str, np.ndarray]) -> None:
    write_file(path, [Section("only", {}, arrays)])


def read_arrays(path: Path):
    return read_file(path, known={"only"}).sections["only"].arrays


# What is written is read ------------------------------------------------------------------------


def test_arrays_come_back_as_they_were(path) -> None:
    contents = read_file(path, known=NAMES)
    assert contents.sections["first"].content == {"n": 3}
    for section in SECTIONS:
        found = contents.sections[section.name].arrays
        assert list(found) == list(section.arrays)
        for name, array in section.arrays.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)


def test_sections_keep_their_order_and_whether_they_are_required(path) -> None:
    sections = read_file(path, known=NAMES).sections
    assert [(name, section.required) for name, section in sections.items()] == [
        ("first", True),
        ("second", False),
    ]


def test_a_reader_of_the_documented_format_finds_the_same(path) -> None:
    sections = reference.read_sections(path.read_bytes())
    assert list(sections) == [section.name for section in SECTIONS]
    for section in SECTIONS:
        found = sections[section.name]
        assert (found["required"], found["content"]) == (section.required, section.content)
        assert list(found["arrays"]) == list(section.arrays)
        for name, array in section.arrays.items():
            assert found["arrays"][name].dtype == array.dtype
            np.testing.assert_array_equal(found["arrays"][name], array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back(dtype, tmp_path) -> None:
    array = np.array([0, 1, 100], dtype)
    write_arrays(tmp_path / "file", {"x": array})
    found = read_arrays(tmp_path / "file")["x"]
    assert found.dtype == dtype
    assert found.tolist() == [0, 1, 100]


def test_big_endian_and_strided_arrays_are_written_in_order(tmp_path) -> None:
    write_arrays(tmp_path / "file", {"x": np.arange(6, dtype=">i4")[::2]})
    assert read_arrays(tmp_path / "file")["x"].tolist() == [0, 2, 4]


def test_an_empty_matrix_keeps_its_shape(tmp_path) -> None:
    write_arrays(tmp_path / "file", {"x": np.zeros((0, 1000), np.float32)})
    assert read_arrays(tmp_path / "file")["x"].shape == (0, 1000)


def test_a_file_of_no_arrays_is_read(tmp_path) -> None:
    write_file(tmp_path / "file", [Section("only", {"name": "é"})])
    contents = read_file(tmp_path / "file", known={"only"})
    assert contents.sections["only"].content == {"name": "é"}


def test_a_file_of_no_sections_is_read(tmp_path) -> None:
    write_file(tmp_path / "file", [])
    assert read_file(tmp_path / "file", known=NAMES).sections == {}


def test_arrays_are_aligned_in_the_file(path) -> None:
    length = START.unpack_from(path.read_bytes())[2]
    sections = read_file(path, known=NAMES).entries
    offsets = [entry.offset for section in sections for entry in section.arrays]
    assert all((START.size + length + offset) % 64 == 0 for offset in offsets)


def test_arrays_are_views_of_one_map_that_nobody_can_write_to(path) -> None:
    arrays = read_file(path, known=NAMES).sections["first"].arrays
    assert all(not array.flags.writeable for array in arrays.values())
    owner = arrays["numbers"].base
    while not isinstance(owner, mmap.mmap):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    assert len(owner) == path.stat().st_size


def test_the_same_contents_give_the_same_bytes(path, tmp_path) -> None:
    write_file(tmp_path / "again", SECTIONS)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_the_mode_of_a_new_file_is_what_the_umask_says(tmp_path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "file", [])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_map_outlives_the_file_that_is_replaced(path) -> None:
    arrays = read_file(path, known=NAMES).sections["first"].arrays
    write_arrays(path, {"numbers": np.zeros(5, np.int32)})
    assert arrays["numbers"].tolist() == [0, 1, 2, 3, 4]


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
        write_arrays(tmp_path / "file", {name: array})
    assert list(tmp_path.iterdir()) == []


def test_content_that_json_cannot_represent_leaves_nothing_behind(tmp_path) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_file(tmp_path / "file", [Section("only", {"n": float("nan")})])
    assert list(tmp_path.iterdir()) == []


def test_a_packed_file_cannot_be_mapped_so_its_name_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"leave .gz off"):
        write_file(tmp_path / "model.lt.gz", [])


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ([Section("a", {}), Section("a", {})], "names of sections must be unique, but a is there"),
        ([Section("", {})], "names of sections have .* but one is ''"),
        ([Section("A b", {})], "names of sections have .* but one is 'A b'"),
        ([Section("a", {}, BYTES), Section("b", {}, BYTES)], "names of arrays must be unique"),
    ],
)
def test_sections_that_no_file_holds_are_refused(sections, message, tmp_path) -> None:
    with pytest.raises(ValueError, match=message):
        write_file(tmp_path / "file", sections)
    assert list(tmp_path.iterdir()) == []


# Unknown sections -------------------------------------------------------------------------------


def test_an_unknown_optional_section_is_skipped(path) -> None:
    contents = read_file(path, known={"first"})
    assert list(contents.sections) == ["first"]
    assert contents.skipped == ["second"]


def test_no_section_is_skipped_where_all_are_known(path) -> None:
    assert read_file(path, known=NAMES).skipped == []


def test_an_unknown_section_between_others_is_skipped(tmp_path) -> None:
    others = [Section("a", {}, {"x": np.ones(3)}), Section("c", {}, {"z": np.ones(5)})]
    between = Section("b", {"odd": [1]}, {"y": np.ones(4)}, required=False)
    write_file(tmp_path / "file", [others[0], between, others[1]])
    sections = read_file(tmp_path / "file", known={"a", "c"}).sections
    assert [list(section.arrays) for section in sections.values()] == [["x"], ["z"]]
    assert sections["c"].arrays["z"].tolist() == [1] * 5


def test_an_unknown_required_section_is_refused(path) -> None:
    with pytest.raises(ModelFileError) as failure:
        read_file(path, known={"second"})
    assert str(failure.value) == (
        f"{path}: section 'first' is required, but this release does not know it. Upgrade labeltree"
    )


def test_a_known_section_may_be_optional_or_required(path, tmp_path) -> None:
    for required in (True, False):
        file = put(tmp_path, with_section(path.read_bytes(), "third", required=required))
        assert "third" in read_file(file, known={*NAMES, "third"}).sections


def test_arrays_of_skipped_sections_are_verified(path, tmp_path) -> None:
    whole = bytearray(with_section(path.read_bytes(), "later", required=False))
    whole[-1] ^= 1
    file = put(tmp_path, whole)
    with pytest.raises(ModelFileError, match=r"array later.values is damaged"):
        read_file(file, known=NAMES)
    assert read_file(file, known=NAMES, verify=False).skipped == ["later"]


def test_arrays_of_skipped_sections_are_within_the_file(path, tmp_path) -> None:
    whole = with_section(path.read_bytes(), "later", required=False)
    with pytest.raises(ModelFileError, match=r"array later.values .* ends beyond the file"):
        read_file(put(tmp_path, whole[:-1]), known=NAMES, verify=False)


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
        write_file(path, SECTIONS)
    assert failure.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match="No space left") as failure:
        write_arrays("/dev/full", {"x": np.zeros(100_000)})
    assert failure.value.filename == "/dev/full"


def test_ctrl_c_leaves_the_old_file_and_nothing_else(path, monkeypatch) -> None:
    before = path.read_bytes()
    fails(monkeypatch, lambda handle: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        write_file(path, SECTIONS)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


KILLED = """
import os, signal, sys
import numpy as np
from labeltree.storage import Section, write_file
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_file(sys.argv[1], [Section("only", {}, {"x": np.zeros(1_000_000)})])
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
def test_pages_do_not_stay_after_they_are_released(tmp_path) -> None:
    path = tmp_path / "large"
    write_arrays(path, {"x": np.ones(1_000_000)})
    contents = read_file(path, known={"only"})
    contents.release_pages()
    assert mapped_kb(path)["Rss"] < 1000
    assert contents.sections["only"].arrays["x"].sum() == 1_000_000
    assert mapped_kb(path)["Rss"] > 7000


@needs_smaps
def test_at_most_64_mib_of_pages_stay_after_verification(tmp_path) -> None:
    path = tmp_path / "large"
    write_arrays(path, {"x": np.ones(66 << 17), "y": np.ones(5, np.int8)})
    contents = read_file(path, known={"only"})
    assert mapped_kb(path)["Rss"] < 4096
    assert contents.sections["only"].arrays["x"].sum() == 66 << 17


OPENED = """
import sys
from labeltree.storage import read_file
contents = read_file(sys.argv[1], known={"only"})
print(contents.sections["only"].arrays["x"].sum(), flush=True)
sys.stdin.read()
"""


@needs_smaps
def test_two_processes_share_one_copy(tmp_path) -> None:
    path = tmp_path / "large"
    write_arrays(path, {"x": np.ones(1_000_000)})
    arrays = read_arrays(path)
    other = subprocess.Popen(
        [sys.executable, "-c", OPENED, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        assert float(other.stdout.readline()) == arrays["x"].sum()
        for pid in ("self", other.pid):
            figures = mapped_kb(path, pid)
            assert figures["Shared_Clean"] + figures["Shared_Dirty"] > 7000
            assert figures["Private_Clean"] + figures["Private_Dirty"] < 100
