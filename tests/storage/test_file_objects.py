"""Models from open files and addresses."""

import io

import pytest

import labeltree as lt
from labeltree.storage.hub_files import HubAddress


@pytest.fixture
def saved(tmp_path) -> str:
    path = tmp_path / "model.lt"
    lt.TextTagger(n_jobs=1).fit(["green tea", "rye bread"], [["tea"], ["bread"]]).save(path)
    return str(path)


def test_a_model_opens_from_an_open_file(saved) -> None:
    with open(saved, "rb") as file:  # noqa: PTH123  # as users do
        model = lt.load(file)
    assert model.tag(["tea"]) == lt.load(saved).tag(["tea"])


def test_a_model_opens_from_bytes_in_memory(saved) -> None:
    with open(saved, "rb") as file:  # noqa: PTH123
        model = lt.load(io.BytesIO(file.read()))
    assert model.tag(["tea"]) == lt.load(saved).tag(["tea"])


def test_an_open_file_that_is_no_model_is_refused() -> None:
    with pytest.raises(lt.ModelFileError, match="stream: it is not a labeltree model file"):
        lt.load(io.BytesIO(b"something else"))


def test_a_file_that_is_open_as_text_is_refused() -> None:
    with pytest.raises(TypeError, match="open it in binary mode"):
        lt.load(io.TextIOWrapper(io.BytesIO()))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("hf://me/tags", HubAddress("me/tags")),
        ("hf://me/tags/a/b.lt", HubAddress("me/tags", "a/b.lt")),
        ("hf://me/tags@v1", HubAddress("me/tags", revision="v1")),
        ("hf://me/tags/b.lt@refs/pr/1", HubAddress("me/tags", "b.lt", "refs/pr/1")),
        ("hf://me/tags@v1/b.lt", HubAddress("me/tags", "b.lt", "v1")),
    ],
)
def test_an_address_has_a_repository_a_file_and_a_revision(text, address) -> None:
    assert HubAddress.parse(text) == address


@pytest.mark.parametrize(
    "text", ["hf://me", "hf://me/", "hf://../x", "hf://a/b@c/d@e", "hf://a b/c"]
)
def test_an_address_that_is_not_one_is_refused(text) -> None:
    with pytest.raises(ValueError, match=r"must be hf://owner/name\[/file\]\[@revision\]"):
        lt.load(text)
