"""The file of sections: attacks and accidents."""

import gzip
import json
import os
from pathlib import Path

import pytest

from labeltree import ModelFileError
from labeltree.storage import Section, header, read_file, write_file
from tests.model_files import MAGIC, START, assemble, edited, entries, put, take_apart
from tests.storage.small_file import NAMES, small_file


@pytest.fixture
def path(tmp_path) -> Path:
    return small_file(tmp_path)


def is_refused(path: Path, match: str | None = None, verify: bool = True) -> bool:
    with pytest.raises(ModelFileError, match=match) as failure:
        read_file(path, known=NAMES, verify=verify)
    return str(failure.value).startswith(str(path))


def test_an_empty_matrix_may_be_as_wide_as_the_limit(path, tmp_path) -> None:
    attacked = put(tmp_path, edited(path.read_bytes(), change(1, shape=[0, 2**40])))
    sections = read_file(attacked, known=NAMES).sections
    assert sections["first"].arrays["empty"].shape == (0, 2**40)


# What is not such a file ------------------------------------------------------------------------


def test_a_missing_file_is_not_found(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none.lt", known=NAMES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"some words\n", "not a labeltree model file"),
        (b"x", "not a labeltree model file"),
        (gzip.compress(b"words", mtime=0), "packed with gzip"),
        (b"\x28\xb5\x2f\xfd0000", "packed with zstd"),
        (b"PK\x03\x04000000", "zip or npz"),
        (b"\x80\x05\x95\x00", "perhaps a pickle"),
        (MAGIC.replace(b"\r\n", b"\n") + bytes(60), "not a labeltree model file"),
        (MAGIC[:5], "cut off after 5 bytes"),
        (MAGIC, "cut off after 8 bytes"),
    ],
)
def test_another_kind_of_file_is_named(content, message, tmp_path) -> None:
    assert is_refused(put(tmp_path, content), message)


def test_a_folder_is_not_a_model_file(tmp_path) -> None:
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
    read_file(put(tmp_path, whole), known=NAMES, verify=False)


# Hostile headers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object, but is a list"),
        (b"null", "must be a JSON object"),
        (b'"\xff"', "not JSON"),
        (b"{}", 'an object with "sections", a list'),
        (b'{"sections":{}}', 'an object with "sections", a list'),
        (b'{"sections":[],"more":1}', 'an object with "sections", a list'),
        (b'{"header":{},"arrays":[]}', 'an object with "sections", a list'),
        (b'{"sections":[{"a":1,"a":2}]}', "the key 'a' twice"),
        (b'{"sections":[],"sections":[]}', "the key 'sections' twice"),
        (b'{"sections":[NaN]}', "must be finite, but one is NaN"),
        (b'{"sections":[-Infinity]}', "must be finite, but one is -Infinity"),
        (b'{"sections":[1e999]}', "must fit into a float64, but one is 1e999"),
        (b'{"sections":[1e-999]}', "must fit into a float64, but one is 1e-999"),
        (b'{"sections":[1' + b"0" * 400 + b"]}", "but one is an integer of 1329 bits"),
        (b'{"sections":["\\ud800"]}', r"whole characters, but one is '\\ud800'"),
        (b'{"\\uDC00":[]}', r"whole characters, but one is '\\udc00'"),
        (b'{"sections":[' + b"9" * 5000 + b"]}", "not JSON"),
        (b'{"sections":' + b"[" * 20 + b"]" * 20 + b"}", "nested more than 16"),
        (b'{"sections":' + b'{"a":' * 20 + b"1" + b"}" * 20 + b"}", "nested more"),
        (b"[" * 100_000, "nested more than 16"),
        (b'{"a":' * 100_000, "nested more than 16"),
    ],
)
def test_a_hostile_header_is_refused(text, message, tmp_path) -> None:
    assert is_refused(put(tmp_path, assemble(text)), message)


def change(number: int, **fields):
    return lambda parts: entries(parts)[number].update(fields)


def change_section(number: int, **fields):
    return lambda parts: parts["sections"][number].update(fields)


def first_arrays(parts):
    return parts["sections"][0]["arrays"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change_section(1, name="first"), "two sections have the name first"),
        (change_section(0, name="../x"), "names of sections have .* but one is '../x'"),
        (change_section(0, name="First"), "names of sections have .* but one is 'First'"),
        (change_section(0, name=""), "names of sections have .* but one is ''"),
        (change_section(0, name="x" * 101), "names of sections have"),
        (change_section(0, name=1), "name of section 0 must be str, but is 1"),
        (change_section(0, required=1), "required of section 0 must be bool, but is 1"),
        (change_section(0, required="true"), "required of section 0 must be bool"),
        (change_section(0, required=None), "required of section 0 must be bool"),
        (change_section(0, content=[]), "content of section 0 must be dict"),
        (change_section(0, arrays={}), "arrays of section 0 must be list"),
        (change_section(0, more=1), "section 0 must be an object with name, required, content"),
        (lambda parts: parts["sections"][0].pop("required"), "section 0 must be an object with"),
        (lambda parts: parts["sections"][0].pop("content"), "section 0 must be an object with"),
        (lambda parts: parts["sections"].append([]), "section 2 must be an object with"),
        (lambda parts: parts["sections"].append("first"), "section 2 must be an object with"),
        (lambda parts: parts["sections"].pop(), "bytes before the file"),
        (lambda parts: parts["sections"].clear(), "bytes before the file"),
        (lambda parts: parts["sections"].reverse(), "gap before array bytes"),
        (change(3, name="numbers"), "two arrays have the name numbers"),
        (change(3, offset=64), "array bytes overlaps the one before"),
        (change(3, offset=192), "ends beyond the file"),
    ],
)
def test_a_hostile_table_of_sections_is_refused(edit, message, path, tmp_path) -> None:
    assert is_refused(put(tmp_path, edited(path.read_bytes(), edit)), message)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (change(0, offset=-64), "multiples of 64 from 0, but that of numbers is -64"),
        (change(0, offset=4), "multiples of 64 from 0, but that of numbers is 4"),
        (change(0, offset=64), "gap before array numbers"),
        (change(2, offset=0), "array table overlaps"),
        (change(3, offset=2**70), "bytes of shape .* ends beyond the file"),
        (change(0, offset=0.0), "offset of array 0 of section first must be int"),
        (change(0, offset=True), "offset of array 0 of section first must be int"),
        (change(0, offset=None), "offset of array 0 of section first must be int"),
        (change(0, shape=[2**40]), "numbers of shape .* ends beyond the file"),
        (change(0, shape=[2**32, 2**32]), "numbers of shape .* ends beyond the file"),
        (change(0, shape=[10**300, 10**300]), "ends beyond the file"),
        (change(1, shape=[0, 2**62]), "empty of shape .* ends beyond the file"),
        (change(0, shape=[-5]), "shape of numbers must be"),
        (change(0, shape=[-1, -5]), "shape of numbers must be"),
        (change(0, shape=[5.0]), "shape of numbers must be"),
        (change(0, shape=[True]), "shape of numbers must be"),
        (change(0, shape=["5"]), "shape of numbers must be"),
        (change(0, shape=[]), "shape of numbers must be"),
        (change(0, shape=[5, 1, 1]), "shape of numbers must be"),
        (change(0, shape=5), "shape of array 0 of section first must be list"),
        (change(3, shape=[2]), "end 1 bytes before the file"),
        (change(0, dtype="O"), "unknown dtype 'O'"),
        (change(0, dtype=">i4"), "unknown dtype '>i4'"),
        (change(0, dtype="i4,i4"), "unknown dtype"),
        (change(0, dtype="f8"), "array numbers is damaged"),
        (change(0, dtype="f8", shape=[9]), "array empty overlaps"),
        (change(0, dtype=4), "dtype of array 0 of section first must be str"),
        (change(1, name="numbers"), "two arrays have the name numbers"),
        (change(0, name="../x"), "but one is '../x'"),
        (change(0, name=""), "but one is ''"),
        (change(0, checksum="0"), "16 hexadecimal digits"),
        (change(0, checksum="0" * 16), "array numbers is damaged"),
        (change(0, more=1), "array 0 of section first must be an object with name"),
        (lambda parts: entries(parts)[0].pop("offset"), "array 0 of section first must be"),
        (lambda parts: first_arrays(parts).append([]), "array 3 of section first must be"),
        (lambda parts: parts["sections"][1]["arrays"].pop(), "bytes before the file"),
        (lambda parts: first_arrays(parts).reverse(), "gap|overlaps"),
    ],
)
def test_a_hostile_table_of_arrays_is_refused(edit, message, path, tmp_path) -> None:
    attacked = put(tmp_path, edited(path.read_bytes(), edit))
    assert is_refused(attacked, message)


def with_start(file: bytes, **fields: int) -> bytes:
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
    attacked = with_start(path.read_bytes(), length=length)
    assert is_refused(put(tmp_path, attacked), message)


def test_bytes_between_arrays_are_0(path, tmp_path) -> None:
    parts, data = take_apart(path.read_bytes())
    hidden = data[:20] + b"x" + data[21:]
    attacked = put(tmp_path, assemble(json.dumps(parts).encode(), hidden))
    assert is_refused(attacked, "bytes before array empty must be 0")


def test_a_header_beyond_the_limit_is_not_written(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(header, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="at most 100 bytes"):
        write_file(tmp_path / "file", [Section("long", {"x": "x" * 100})])


def test_an_integer_beyond_float64_is_not_written(tmp_path) -> None:
    with pytest.raises(ValueError, match="must fit into a float64"):
        write_file(tmp_path / "file", [Section("large", {"x": 10**400})])


def test_a_header_that_is_nested_too_deep_is_not_written(tmp_path) -> None:
    deep: list[object] = []
    for _ in range(20):
        deep = [deep]
    with pytest.raises(ValueError, match="nested more than 16"):
        write_file(tmp_path / "file", [Section("deep", {"x": deep})])
    assert list(tmp_path.iterdir()) == []
