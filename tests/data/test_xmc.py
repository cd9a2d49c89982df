import gzip
import io
import itertools
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeltree import _core
from labeltree.data import as_features, as_labels, read_xmc, write_xmc
from tests.reference import xmc as reference


def read(text: bytes, **options):
    return read_xmc(io.BytesIO(text), **options)


def rows_of(text: bytes):
    X, Y = read(text)
    return [
        (
            Y.row(i).tolist(),
            dict(zip(X[[i]].indices.tolist(), X[[i]].data.tolist(), strict=True)),
        )
        for i in range(Y.n_rows)
    ]


def test_a_handwritten_file_is_read() -> None:
    X, Y = read(b"3 4 5\n1,4 0:0.5 3:-2\n 1:1e-3\n2\n")
    assert X.toarray().tolist() == [[0.5, 0, 0, -2], [0, np.float32(1e-3), 0, 0], [0, 0, 0, 0]]
    assert (Y.indptr.tolist(), Y.indices.tolist(), Y.n_labels) == ([0, 2, 2, 3], [1, 4, 2], 5)
    assert (Y.kind, Y.names) == ("indicator", None)


def test_arrays_have_the_shared_types() -> None:
    X, Y = read(b"1 2 2\n1 0:1\n")
    assert (X.data.dtype, X.indices.dtype) == (np.float32, np.int32)
    assert (Y.indptr.dtype, Y.indices.dtype) == (np.int64, np.int32)
    assert X.has_canonical_format


def test_windows_line_endings_are_read() -> None:
    assert rows_of(b"2 2 2\r\n1 0:1\r\n 1:2\r\n") == [([1], {0: 1}), ([], {1: 2})]


def test_tabs_and_repeated_spaces_are_separators() -> None:
    assert rows_of(b" 1\t2  2 \n1\t0:1  1:2 \n") == [([1], {0: 1, 1: 2})]


def test_unsorted_features_are_sorted() -> None:
    assert rows_of(b"1 3 1\n0 2:1 0:2\n") == [([0], {0: 2, 2: 1})]


def test_duplicate_features_are_summed() -> None:
    assert rows_of(b"1 3 1\n0 2:1 0:2 2:0.5\n") == [([0], {0: 2, 2: 1.5})]


def test_duplicate_labels_count_once() -> None:
    assert rows_of(b"1 1 3\n2,0,2 0:1\n") == [([0, 2], {0: 1})]


def test_row_without_labels_may_lack_its_leading_space() -> None:
    assert rows_of(b"1 2 2\n0:1 1:2\n") == [([], {0: 1, 1: 2})]


def test_empty_line_is_an_empty_row() -> None:
    assert rows_of(b"2 1 1\n\n0 0:1\n") == [([], {}), ([0], {0: 1})]


def test_last_line_may_lack_its_line_break() -> None:
    assert rows_of(b"1 1 1\n0 0:1") == [([0], {0: 1})]


def test_empty_lines_after_the_last_row_are_skipped() -> None:
    assert rows_of(b"1 1 1\n0 0:1\n\n \n") == [([0], {0: 1})]


def test_zero_rows_keep_the_sizes_of_the_header() -> None:
    X, Y = read(b"0 7 3\n")
    assert X.shape == (0, 7)
    assert (Y.n_rows, Y.n_labels) == (0, 3)


def test_sizes_come_from_the_data_without_a_header() -> None:
    X, Y = read(b"1 4:1\n\n3,0 0:2\n", header=False)
    assert X.shape == (3, 5)
    assert (Y.n_labels, Y.row(2).tolist()) == (4, [0, 3])


def test_sizes_can_be_given_without_a_header() -> None:
    X, Y = read(b"1 0:1\n", header=False, n_features=9, n_labels=8)
    assert (X.shape, Y.n_labels) == ((1, 9), 8)


def test_given_sizes_bound_a_file_without_a_header() -> None:
    with pytest.raises(ValueError, match=r'line 1: feature "9" is outside 0\.\.8'):
        read(b"1 9:1\n", header=False, n_features=9)


def test_sizes_in_addition_to_a_header_are_refused() -> None:
    with pytest.raises(ValueError, match="header=False"):
        read(b"1 1 1\n0 0:1\n", n_features=1)


def test_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="n_labels must be at least 0, but is -1"):
        read(b"", header=False, n_labels=-1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", r'line 1: expected the header "rows features labels", but the file is empty'),
        (b"\n", r'line 1: expected the header "rows features labels", but found ""'),
        (b"1 2\n", 'line 1: expected the header "rows features labels", but found "1 2"'),
        (b"1 2 3 4\n", "line 1: expected the header"),
        (b"1 -2 3\n", "line 1: expected the header"),
        (b"1 2.0 3\n", "line 1: expected the header"),
        (b"0 0:1 1:2\n", "line 1: expected the header"),
        (b"1 99999999999999999999 3\n", "line 1: expected the header"),
        (b"1 2147483648 3\n", "line 1: features and labels must number at most 2147483647"),
        (b"3 1 1\n0 0:1\n", "line 2: the header promises 3 rows, but the file ends after 1"),
        (b"1 1 1\n0 0:1\n0 0:1\n", "line 3: the header promises 1 rows, but here is one more"),
        (b"1 2 3\n0 2:1\n", r'line 2: feature "2" is outside 0\.\.1'),
        (b"1 0 3\n0 0:1\n", 'line 2: feature "0" is outside an empty range'),
        (b"1 2 3\n3 0:1\n", r'line 2: label "3" is outside 0\.\.2'),
        (b"1 2 3\n0 -1:1\n", 'line 2: feature numbers must not be negative, but one is "-1"'),
        (b"1 2 3\n-1 0:1\n", 'line 2: label numbers must not be negative, but one is "-1"'),
        (b"1 2 3\n0 99999999999999999999:1\n", 'line 2: feature "99999999999999999999" is out'),
        (b"1 2 3\n99999999999999999999 0:1\n", 'line 2: label "99999999999999999999" is out'),
        (b"1 2 3\n0 0:nan\n", 'line 2: expected a finite number, but found "nan"'),
        (b"1 2 3\n0 0:inf\n", 'line 2: expected a finite number, but found "inf"'),
        (b"1 2 3\n0 0:-Infinity\n", "line 2: expected a finite number"),
        (b"1 2 3\n0 0:1e39\n", 'line 2: values must fit into float32, but one is "1e39"'),
        (b"1 2 3\n0 0:3e38 0:3e38\n", "line 2: the values of feature 0 must sum to a float32"),
        (b"1 2 3\n0 0\n", 'line 2: expected feature:value, but found "0" without a colon'),
        (b"1 2 3\n 0,1 0:1\n", 'line 2: expected feature:value, but found "0,1" without'),
        (b"1 2 3\n0 0:\n", 'line 2: expected a finite number, but found ""'),
        (b"1 2 3\n0 :1\n", 'line 2: expected a feature number, but found ""'),
        (b"1 2 3\n0 +1:1\n", r'line 2: expected a feature number, but found "\+1"'),
        (b"1 2 3\n0 0:1:2\n", 'line 2: expected a finite number, but found "1:2"'),
        (b"1 2 3\n0 0:0x1p3\n", 'line 2: expected a finite number, but found "0x1p3"'),
        (b"1 2 3\n0, 0:1\n", 'line 2: expected a label number, but found ""'),
        (b"1 2 3\nabc 0:1\n", 'line 2: expected a label number, but found "abc"'),
        (b"1 2 3\n\xc3\xa9 0:1\n", r'line 2: expected a label number, but found "\\xc3\\xa9"'),
        (b"1 2 3\n0 0:1\x00\n", r'line 2: expected a finite number, but found "1\\x00"'),
        (b"1 2 3\n0 0:1\r\r\n", r"line 2: expected a finite number"),
        (b"1 2 3\n0 " + b"x" * 99 + b"\n", r'found "x{40}\.\.\."'),
    ],
)
def test_malformed_text_is_refused_with_its_line(text: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(text)


def test_errors_name_the_path(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_bytes(b"1 1 1\n0 0\n")
    with pytest.raises(ValueError, match=r"rows\.txt: line 2: expected feature:value"):
        read_xmc(path)


def test_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_xmc(tmp_path / "rows.txt")


def test_parser_accepts_no_input_after_an_error() -> None:
    parser = _core.RowParser(True, -1, -1)
    with pytest.raises(ValueError, match="line 1"):
        parser.feed(b"broken\n")
    with pytest.raises(ValueError, match="the parser has ended"):
        parser.feed(b"1 1 1\n")


def test_parser_cannot_be_finished_twice() -> None:
    parser = _core.RowParser(True, -1, -1)
    parser.feed(b"0 1 1\n")
    parser.finish()
    with pytest.raises(ValueError, match="the parser has ended"):
        parser.finish()


def test_file_is_read_in_pieces() -> None:
    class Long(io.RawIOBase):
        """64 pieces, each a row padded with spaces to the requested size."""

        left = 64

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"0" + b" " * (size - 2) + b"\n" if self.left >= 0 else b""

    tracemalloc.start()
    X, _ = read_xmc(Long(), header=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert X.shape[0] == 64
    assert peak < 8 << 20


# Bytes that are often almost valid, so that both accepted and refused input occurs.
BITS = (
    [b"0", b"1", b"2", b"10", b",", b":", b" ", b" ", b"\t", b"\n", b"\n", b"\r", b"-", b"+", b"."],
    [b"e", b"0:1", b"1:2.5", b"1:1e-3", b"0,1", b"nan", b"\x00", b"\xff", b"1e38"],
)
nearly = st.lists(st.sampled_from([*BITS[0], *BITS[1]]), max_size=25).map(b"".join)
rows = st.lists(
    st.sampled_from(
        [b"0 0:1", b" 1:2", b"1,0 1:1 0:.5", b"", b" ", b"0", b"1:1", b"1\r", b"0 1:+3."]
    ),
    max_size=4,
).map(b"\n".join)
texts = st.one_of(
    nearly,
    st.binary(max_size=40),
    st.tuples(st.sampled_from([b"0 2 2\n", b"1 2 2\n", b"2 2 2\n"]), nearly).map(b"".join),
    st.tuples(st.integers(0, 4), rows).map(lambda pair: b"%d 2 2\n" % pair[0] + pair[1]),
)


@settings(deadline=None, max_examples=400)
@given(texts)
def test_any_bytes_are_read_or_refused_like_the_reference(text: bytes) -> None:
    try:
        sizes, expected = reference.parse_xmc(text)
    except ValueError:
        with pytest.raises(ValueError, match="line "):
            read(text)
        return
    X, Y = read(text)
    assert (X.shape, Y.n_labels) == ((len(expected), sizes[0]), sizes[1])
    for i, (labels, features) in enumerate(expected):
        assert Y.row(i).tolist() == labels
        assert X[[i]].indices.tolist() == list(features)
        assert X[[i]].data.tolist() == list(features.values())


@settings(deadline=None, max_examples=100)
@given(texts, st.lists(st.integers(0, 60), max_size=6))
def test_the_result_does_not_depend_on_the_pieces(text: bytes, cuts: list[int]) -> None:
    def parse(pieces: list[bytes]):
        parser = _core.RowParser(True, -1, -1)
        try:
            for piece in pieces:
                parser.feed(piece)
            return [part.tolist() for part in parser.finish()[:5]]
        except ValueError as error:
            return str(error)

    bounds = [0, *sorted(cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(bounds)]
    assert parse(pieces) == parse([text])


decimals = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(
        r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,60})([eE][+-]?[0-9]{1,3})?", fullmatch=True
    ),
    # Halfway between two float32 values, where double rounding could go wrong.
    st.integers(2**24, 2**25).map(lambda i: repr((2 * i + 1) / 2**30)),
    st.sampled_from(
        ["1e-400", "1e400", "0e999999999999", "1e-45", "7e-46", "3.4028235677973366e38"]
    ),
    st.sampled_from(["0." + "0" * 400 + "1e400", "1" + "0" * 400 + "e-400", "-0", "3.40282356e38"]),
)


@settings(deadline=None, max_examples=400)
@given(decimals)
def test_values_equal_those_of_numpy(text: str) -> None:
    file = b"1 1 1\n0 0:" + text.encode() + b"\n"
    try:
        expected = reference.xmc_value(text)
    except ValueError:
        with pytest.raises(ValueError, match="line 2: values must fit"):
            read(file)
        return
    value = read(file)[0].data
    assert value.tobytes() == np.array([expected], np.float32).tobytes()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sets(st.integers(0, 4)),
            st.lists(
                st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=3, max_size=3
            ),
        ),
        max_size=5,
    )
)
def test_what_is_written_is_read_back(rows) -> None:
    X = as_features(np.array([row[1] for row in rows], np.float32).reshape(len(rows), 3))
    Y = as_labels([row[0] for row in rows], n_labels=5)
    file = io.BytesIO()
    write_xmc(file, X, Y)
    X2, Y2 = read(file.getvalue())
    for a, b in ((X.data, X2.data), (X.indices, X2.indices), (X.indptr, X2.indptr)):
        assert a.tobytes() == b.tobytes()
    assert (Y2.indptr.tolist(), Y2.indices.tolist()) == (Y.indptr.tolist(), Y.indices.tolist())
    assert (X2.shape, Y2.n_labels) == (X.shape, 5)


def test_rows_of_several_pieces_are_written_in_order() -> None:
    n_rows = 10_000
    X = as_features(np.arange(n_rows, dtype=np.float32).reshape(-1, 1))
    file = io.BytesIO()
    write_xmc(file, X, [[i % 3] for i in range(n_rows)])
    X2, Y2 = read(file.getvalue())
    assert X2.toarray().ravel().tolist() == list(range(n_rows))
    assert Y2.indices.tolist() == [i % 3 for i in range(n_rows)]


def test_different_numbers_of_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the same number of rows, but have 2 and 1"):
        write_xmc(tmp_path / "rows.txt", [[1], [2]], [[0]])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz", ".txt.zst"])
def test_compressed_files_are_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows{suffix}"
    write_xmc(path, [[1, 2]], [[0]])
    X, _ = read_xmc(path)
    assert X.toarray().tolist() == [[1, 2]]


def test_truncated_gzip_is_refused_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt.gz"
    path.write_bytes(gzip.compress(b"1 1 1\n0 0:1\n")[:-6])
    with pytest.raises(ValueError, match=r"rows\.txt\.gz: broken gzip data"):
        read_xmc(path)
