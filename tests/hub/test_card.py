"""The model card."""

import pytest

import labeltree as lt
from labeltree.hub import model_card
from tests.crossed_words import crossed


def test_the_card_has_the_task_and_the_number_of_labels(tagger) -> None:
    card = model_card(tagger, "me/tags")
    assert "predicts tags for a text, out of 2, with the probability of each." in card
    assert "| labels | 2 |" in card
    assert "pipeline_tag: text-classification" in card


def test_the_card_says_how_to_use_the_model(tagger) -> None:
    assert 'model = labeltree.load("hf://me/tags")\nmodel.tag(["a text"])' in model_card(
        tagger, "me/tags"
    )


def test_the_card_names_an_encoder_that_can_be_opened_by_name() -> None:
    tagger = lt.TextTagger(n_jobs=1).fit(["tea", "rye"], ["a", "b"], embeddings=[[1, 0], [0, 1]])
    tagger.set_encoder("model2vec:owner/name")
    card = model_card(tagger, "me/tags")
    assert "model.set_encoder('model2vec:owner/name')" in card
    assert "labeltree predict hf://me/tags texts.txt --encoder model2vec:owner/name\n" in card


def test_the_card_names_all_labels_if_they_are_few(tagger) -> None:
    assert "The tags are `bread`, `tea`." in model_card(tagger, "me/tags")


def test_the_card_names_some_of_many_labels() -> None:
    names = [[f"t{i:02}`\n<b>"] for i in range(40)]
    clf = lt.PLTClassifier(n_jobs=1).fit([[i] for i in range(1, 41)], names)
    card = model_card(clf, "me/rows")
    line = next(line for line in card.splitlines() if "Examples of labels" in line)
    assert line.count("`") == 16
    assert "`t00' <b>`" in line
    assert "`t39' <b>`" in line


def test_the_card_has_a_command_for_texts_only(tagger) -> None:
    assert "labeltree predict hf://me/tags texts.txt\n" in model_card(tagger, "me/tags")
    clf = lt.PLTClassifier(n_jobs=1).fit([[1, 0], [0, 1]], ["a", "b"])
    assert "labeltree predict" not in model_card(clf, "me/classes")


def test_the_card_has_the_number_of_pairs() -> None:
    clf = lt.PLTClassifier(interactions=1.0, n_jobs=1, C=1.0).fit(*crossed(400))
    n_pairs = len(clf.interactions_)
    assert f"| features | 72, {n_pairs} pairs of them |" in model_card(clf, "me/rows")
    assert "numeric features" in model_card(clf, "me/rows")


def test_a_model_of_classes_predicts_one(tagger) -> None:
    clf = lt.PLTClassifier(n_jobs=1).fit([[1, 0], [0, 1]], ["a", "b"])
    card = model_card(clf, "me/classes")
    assert "one of 2 classes for a row of 2 numeric features" in card
    assert "multi-label" not in card


def test_the_card_has_the_metrics_of_an_evaluation(tagger) -> None:
    report = {**tagger.evaluate(["tea", "rye"], [["tea"], ["bread"]]), "n_rows": 2}
    card = model_card(tagger, "me/tags", report=report)
    assert "## Evaluation on 2 rows\n" in card
    assert "| P@1 | 1.0000 |" in card


def test_the_card_has_the_cost_and_its_bound(tagger) -> None:
    card = model_card(tagger, "me/tags", report={"lower_bound_per_row": 1.5})
    assert (
        "| training cost | 3.0 nodes per row, 2.00 times the lower bound of any tree (1.5) |"
        in card
    )


def test_a_card_without_a_report_has_no_metrics(tagger) -> None:
    assert "Evaluation" not in model_card(tagger, "me/tags")


@pytest.mark.parametrize("value", ["<script>", float("nan"), True])
def test_a_metric_that_is_not_a_number_is_refused(tagger, value) -> None:
    with pytest.raises(ValueError, match="P@1 of the report must be a number"):
        model_card(tagger, "me/tags", report={"P@1": value})


def test_the_card_names_another_file(tagger) -> None:
    assert 'labeltree.load("hf://me/tags/small.lt")' in model_card(tagger, "me/tags/small.lt")


def test_a_repository_has_an_owner_and_a_name(tagger) -> None:
    with pytest.raises(ValueError, match="an address must be hf://owner/name"):
        model_card(tagger, "tags")


def test_a_training_report_tells_which_rows_were_held_out(tagger) -> None:
    report = {"n_rows": 90, "n_evaluation_rows": 10, "metrics": {"P@1": 0.5}}
    card = model_card(tagger, "me/tags", report=report)
    assert "## Evaluation on 10 rows that were not used in training\n" in card


def test_a_license_is_an_identifier(tagger) -> None:
    assert "license: cc-by-4.0" in model_card(tagger, "me/tags", license="cc-by-4.0")
    with pytest.raises(ValueError, match="license must be an identifier"):
        model_card(tagger, "me/tags", license="mit\nfoo: bar")
