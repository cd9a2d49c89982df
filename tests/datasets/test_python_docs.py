"""Docstrings become texts, and dotted paths become tags."""

import gc
import warnings
from pathlib import Path

import pytest

from labeltree.datasets import TextData, python_docs


def read(folder: Path, **options: object) -> TextData:
    return python_docs(paths=[folder], **{"min_count": 1, **options})  # type: ignore[arg-type]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def pairs(data: TextData) -> list[tuple[str, list[str]]]:
    return list(zip(data.texts, data.tags, strict=True))


def test_module_class_method_and_function_are_documents_in_source_order(tmp_path):
    write(
        tmp_path,
        {
            "zoo/__init__.py": '"""Animals."""',
            "zoo/cats.py": '"""Cats."""\n'
            'class BigCat:\n    """It roars."""\n'
            '    def lie_down(self):\n        """Rest."""\n'
            'def feed():\n    """Give food."""\n',
        },
    )
    assert pairs(read(tmp_path)) == [
        ("Animals.", ["zoo"]),
        ("Cats.", ["zoo", "zoo.cats"]),
        ("Big Cat. It roars.", ["zoo", "zoo.cats", "zoo.cats.BigCat"]),
        ("Big Cat lie down. Rest.", ["zoo", "zoo.cats", "zoo.cats.BigCat"]),
        ("feed. Give food.", ["zoo", "zoo.cats"]),
    ]


def test_private_modules_and_classes_belong_to_the_public_one_above(tmp_path):
    write(
        tmp_path,
        {
            "zoo/__init__.py": "",
            "zoo/_cats/lions.py": '"""Lions."""\n'
            'class Lion:\n    """A cat."""\nclass _Cub:\n    """A small cat."""',
        },
    )
    assert pairs(read(tmp_path)) == [
        ("Lions.", ["zoo"]),
        ("Lion. A cat.", ["zoo", "zoo.Lion"]),
        ("Cub. A small cat.", ["zoo"]),
    ]


def test_a_private_top_level_package_keeps_its_tag(tmp_path):
    write(tmp_path, {"_zoo/__init__.py": '"""Animals."""'})
    assert read(tmp_path).tags == [["_zoo"]]


def test_texts_of_rare_tags_keep_the_tags_above(tmp_path):
    write(
        tmp_path,
        {
            "zoo/cats.py": '"""Cats."""\ndef a():\n    """One."""',
            "zoo/dogs.py": '"""Dogs."""',
            "rare.py": '"""Alone."""',
        },
    )
    assert pairs(read(tmp_path, min_count=2)) == [
        ("Cats.", ["zoo", "zoo.cats"]),
        ("a. One.", ["zoo", "zoo.cats"]),
        ("Dogs.", ["zoo"]),
    ]


def test_max_labels_keeps_frequent_tags_and_those_above_them(tmp_path):
    write(tmp_path, {"a/b/c.py": '"""One."""', "z.py": '"""Two."""\ndef f():\n    """Three."""'})
    assert read(tmp_path, max_labels=1).tag_names == ["z"]
    assert read(tmp_path, max_labels=3).tag_names == ["a", "a.b", "z"]


def test_definitions_under_if_and_try_are_found(tmp_path):
    write(
        tmp_path,
        {
            "zoo.py": 'if x:\n    def a():\n        """One."""\n'
            'else:\n    def b():\n        """Two."""\n'
            'try:\n    def c():\n        """Three."""\nexcept E:\n    pass\n'
        },
    )
    assert read(tmp_path).texts == ["a. One.", "b. Two.", "c. Three."]


def test_doctest_lines_and_underlines_are_omitted(tmp_path):
    doc = "Feed.\n\nExamples\n--------\n>>> import zoo\n... # more\nyes\n"
    write(tmp_path, {"zoo.py": f"def f():\n    {doc!r}"})
    assert read(tmp_path).texts == ["f. Feed. Examples yes"]


@pytest.mark.parametrize("doc", ['""', '"  "', '"----"', "1", 'b"bytes"'])
def test_a_docstring_without_words_is_skipped(tmp_path, doc):
    write(tmp_path, {"zoo.py": f"def f():\n    {doc}\ndef g():\n    'Words.'"})
    assert read(tmp_path).texts == ["g. Words."]


@pytest.mark.parametrize("source", [b"def f(:", b"x = '\0'", b"# coding: no-such-code\n", b"\xff"])
def test_a_file_that_does_not_parse_is_skipped(tmp_path, source):
    (tmp_path / "broken.py").write_bytes(source)
    write(tmp_path, {"zoo.py": '"""Animals."""'})
    assert read(tmp_path).texts == ["Animals."]


def test_the_encoding_declaration_is_respected(tmp_path):
    (tmp_path / "zoo.py").write_bytes('# coding: latin-1\n"""Käse."""'.encode("latin-1"))
    assert read(tmp_path).texts == ["Käse."]


def test_texts_can_be_encoded_as_utf8(tmp_path):
    write(tmp_path, {"zoo.py": '"""Half \\ud83d a pair."""'})
    assert read(tmp_path).texts[0].encode() == b"Half  a pair."


def test_warnings_of_third_party_code_are_suppressed(tmp_path):
    write(tmp_path, {"zoo.py": '"""Animals."""\nx = "\\d"\ny = 1 is 1'})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(tmp_path).texts == ["Animals."]


def test_garbage_collection_is_enabled_again_afterward(tmp_path):
    write(tmp_path, {"zoo.py": '"""Animals."""'})
    read(tmp_path)
    assert gc.isenabled()


@pytest.mark.parametrize(
    "path",
    [
        "zoo/tests/a.py",
        "zoo/_vendor/a.py",
        "zoo/externals/a.py",
        "zoo/test_a.py",
        "zoo/conftest.py",
        "zoo/__pycache__/a.py",
        "zoo-1.0.dist-info/a.py",
        "zoo/a.txt",
    ],
)
def test_tests_and_vendored_copies_are_skipped(tmp_path, path):
    write(tmp_path, {path: '"""Not wanted."""', "zoo/a.py": '"""Wanted."""'})
    assert read(tmp_path).texts == ["Wanted."]


def test_links_and_repeated_texts_count_once(tmp_path):
    write(tmp_path, {"zoo/a.py": '"""Same."""', "zoo/b.py": '"""Same."""'})
    (tmp_path / "zoo" / "loop").symlink_to(tmp_path / "zoo")
    (tmp_path / "link.py").symlink_to(tmp_path / "zoo" / "a.py")
    assert pairs(read(tmp_path)) == [("Same.", ["link"])]


def test_the_first_folder_that_has_a_package_wins(tmp_path):
    first = write(tmp_path / "1", {"zoo.py": '"""First."""'})
    second = write(tmp_path / "2", {"zoo/__init__.py": '"""Second."""', "pub.py": '"""Beer."""'})
    data = python_docs(paths=[first, second, tmp_path / "absent"], min_count=1)
    assert data.texts == ["First.", "Beer."]


def test_no_code_is_executed(tmp_path):
    write(tmp_path, {"zoo.py": f'"""Animals."""\nopen({str(tmp_path / "ran")!r}, "w")'})
    read(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_packages_selects_top_level_names(tmp_path):
    write(tmp_path, {"zoo.py": '"""Animals."""', "pub.py": '"""Beer."""'})
    assert read(tmp_path, packages=["pub"]).tags == [["pub"]]


def test_a_package_that_is_not_installed_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"\['nowhere'\] are not found"):
        read(tmp_path, packages=["nowhere"])


def test_packages_as_one_string_is_refused(tmp_path):
    with pytest.raises(TypeError, match="list of names, but is the string 'zoo'"):
        read(tmp_path, packages="zoo")


@pytest.mark.parametrize("option", ["min_count", "max_labels", "max_rows"])
def test_limits_below_one_are_refused(tmp_path, option):
    with pytest.raises(ValueError, match=f"{option} must be at least 1, but is 0"):
        read(tmp_path, **{option: 0})


def test_max_rows_draws_by_random_state_and_keeps_order(tmp_path):
    functions = (f'def f{i:02}():\n    """Text {i:02}."""\n' for i in range(50))
    write(tmp_path, {"zoo.py": "".join(functions)})
    drawn = read(tmp_path, max_rows=10, random_state=1).texts
    assert len(drawn) == 10
    assert drawn == sorted(drawn)
    assert drawn == read(tmp_path, max_rows=10, random_state=1).texts
    assert drawn != read(tmp_path, max_rows=10, random_state=2).texts


def test_the_running_interpreter_has_documented_modules():
    data = python_docs(packages=["json"], min_count=1)
    assert "json.decoder.JSONDecoder" in data.tag_names
    assert ["json"] in data.tags


def test_texts_and_tags_of_different_length_are_refused():
    with pytest.raises(ValueError, match="the same length, but have 1 and 0"):
        TextData("pets", ["a dog"], [])
