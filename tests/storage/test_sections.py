"""Sections of a model: which there are, and what later releases may add."""

import numpy as np
import pandas as pd
import pytest

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier, TextTagger
from tests.model_files import edited, put, section, with_section
from tests.reference import storage as reference
from tests.storage.small_model import X, Y


def sections_of(path) -> dict[str, bool]:
    """Names, and whether they are required."""
    sections = reference.read_sections(path.read_bytes())
    return {name: parts["required"] for name, parts in sections.items()}


def test_an_unknown_optional_section_does_not_change_predictions(clf, path, tmp_path) -> None:
    file = put(tmp_path, with_section(path.read_bytes(), "later", required=False))
    found, expected = lt.load(file).predict_proba(X), clf.predict_proba(X)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_saving_drops_an_unknown_optional_section(path, tmp_path) -> None:
    file = put(tmp_path, with_section(path.read_bytes(), "later", required=False))
    lt.load(file).save(file)
    assert file.read_bytes() == path.read_bytes()


def test_an_unknown_required_section_is_refused(path, tmp_path) -> None:
    file = put(tmp_path, with_section(path.read_bytes(), "later", required=True))
    with pytest.raises(ModelFileError) as failure:
        lt.load(file)
    assert str(failure.value) == (
        f"{file}: section 'later' is required, but this release does not know it. Upgrade labeltree"
    )


def test_sections_may_come_in_any_order(clf, path, tmp_path) -> None:
    def reorder(parts) -> None:
        # Those without arrays can move; arrays must stay in order.
        parts["sections"].append(parts["sections"].pop(0))

    loaded = lt.load(put(tmp_path, edited(path.read_bytes(), reorder)))
    assert loaded.predict_labels(X) == clf.predict_labels(X)


@pytest.mark.parametrize("name", ["written_by", "online", "features"])
def test_a_model_predicts_without_its_optional_sections(name, tmp_path) -> None:
    def rename(parts) -> None:
        section(parts, name)["name"] = "later"  # what a reader that does not know it would see

    frame = pd.DataFrame(X, columns=["sweet", "warm", "round"])
    clf = PLTClassifier(n_jobs=1).fit(frame, Y).partial_fit(frame, Y)
    clf.save(tmp_path / "model.lt")
    assert not sections_of(tmp_path / "model.lt")[name]
    loaded = lt.load(put(tmp_path, edited((tmp_path / "model.lt").read_bytes(), rename)))
    rows = X if name == "features" else frame
    expected = clf.predict_proba(frame).toarray()
    np.testing.assert_array_equal(loaded.predict_proba(rows).toarray(), expected)


def test_a_model_without_calibration_has_no_section_for_it(tmp_path) -> None:
    PLTClassifier(loss="logistic").fit(X, Y).save(tmp_path / "model.lt")
    assert sections_of(tmp_path / "model.lt") == {
        "estimator": True,
        "written_by": False,
        "settings": False,
        "labels": True,
        "model": True,
    }


def test_everything_that_predictions_need_is_required(tmp_path) -> None:
    clf = PLTClassifier(loss="logistic", feature_weighting=(0.5, 0.1)).fit(X, Y)
    clf.calibrate(X, Y).save(tmp_path / "model.lt")
    sections = sections_of(tmp_path / "model.lt")
    assert sections["calibration"]
    assert sections["row_scaling"]


def test_a_tagger_has_a_section_for_its_words(tmp_path) -> None:
    TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]]).save(tmp_path / "model.lt")
    assert sections_of(tmp_path / "model.lt")["text"]


def test_who_wrote_a_file_is_only_the_release(path) -> None:
    sections = reference.read_sections(path.read_bytes())
    assert sections["written_by"]["content"] == {"labeltree": lt.__version__}
