"""TextTagger: training, prediction, embeddings, and its model file."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

import labeltree as lt
from labeltree import ModelFileError, PLTClassifier, TextTagger
from labeltree.estimators.summary import summarize
from labeltree.storage.parameters import RUN_ONLY
from tests.model_files import content_edit, edited, put, section, with_array

TEXTS = ["green tea", "black tea", "white bread", "rye bread with butter", ""]
TAGS = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"], []]
NEW_TEXTS = ["tea with butter", "", "kohlrabi", "Bread!"]
EMBEDDINGS = np.array([[1, 0], [2, 0.1], [0, 3], [0.1, 2], [1, 1]])
OPTIONS = [
    {},
    {"n_features": 64},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"stop_words": ["with"], "min_df": 2, "sublinear_tf": False, "lowercase": False},
    {"stop_words": "english", "max_features": 3, "C": 2.0, "n_trees": 2, "tree": "kmeans"},
]


@pytest.fixture
def tagger() -> TextTagger:
    return TextTagger(n_jobs=1, ngram_range=(1, 1)).fit(TEXTS, TAGS)


def reloaded(tagger: TextTagger, folder) -> TextTagger:
    tagger.save(folder / "model.lt")
    return lt.load(folder / "model.lt")


def lower(text: str) -> str:
    return text.lower()


# Tags -------------------------------------------------------------------------------------------


def test_a_text_gets_the_tags_of_its_words(tagger) -> None:
    [tea, bread] = tagger.tag(["tea", "some bread"], k=1)
    assert tea[0][0] in ("drink", "tea")
    assert bread[0][0] == "bread"


def test_features_are_those_of_scikit_learn(tagger) -> None:
    X = TfidfVectorizer(sublinear_tf=True, dtype=np.float32).fit_transform(TEXTS)
    np.testing.assert_array_equal(tagger.features_.transform(TEXTS).toarray(), X.toarray())


def test_tags_are_best_first(tagger) -> None:
    for found in tagger.tag(NEW_TEXTS):
        probabilities = [probability for _, probability in found]
        assert probabilities == sorted(probabilities, reverse=True)
        assert len(found) == 4


def test_a_threshold_drops_improbable_tags(tagger) -> None:
    every = tagger.tag(["tea"], k=None)[0]
    minimum = every[1][1]
    assert tagger.tag(["tea"], k=None, threshold=minimum) == [
        [pair for pair in every if pair[1] >= minimum]
    ]


def test_texts_without_known_words_get_the_same_tags(tagger) -> None:
    empty, unknown, punctuation = tagger.tag(["", "kohlrabi", "?!"])
    assert empty == unknown == punctuation
    assert len(empty) == 4


def test_no_texts_get_no_tags(tagger) -> None:
    assert tagger.tag([]) == []


def test_one_tag_is_enough() -> None:
    [[(tag, probability)]] = TextTagger().fit(["tea", "rain"], [["drink"], []]).tag(["tea"])
    assert tag == "drink"
    assert probability > 0


def test_one_tag_for_each_text_makes_classes() -> None:
    tagger = TextTagger().fit(["tea", "bread", "tea"], ["drink", "food", "drink"])
    assert tagger.predict(["tea", "bread"]) == ["drink", "food"]


def test_tags_may_contain_commas_and_spaces() -> None:
    tagger = TextTagger().fit(["tea", "bread"], [["hot, wet"], ["dry "]])
    assert tagger.tag(["tea"], k=1)[0][0][0] == "hot, wet"


def test_predict_returns_only_probable_tags(tagger) -> None:
    assert set(tagger.predict(["green tea"], threshold=0.6)[0]) == {"drink", "tea"}


def test_evaluate_counts_new_tags_as_missed(tagger) -> None:
    assert tagger.evaluate(["green tea"], [["wine"]])["P@1"] == 0
    assert tagger.evaluate(["green tea"], [["tea", "drink"]])["P@1"] == 1


def test_calibrate_ignores_new_tags(tagger) -> None:
    before = tagger.tag(["tea"])[0]
    tagger.calibrate(TEXTS, [[*tags, "new"] for tags in TAGS])
    after = tagger.tag(["tea"])[0]
    assert [tag for tag, _ in before] == [tag for tag, _ in after]
    assert before != after


def test_thresholds_are_tuned_with_texts(tagger) -> None:
    tagger.tune_thresholds(TEXTS, TAGS, "micro_f1")
    assert tagger.classifier_.thresholds_ is not None


@pytest.mark.parametrize(
    "options", [{"ngram_range": (1, 1)}, {"ngram_range": (1, 1), "n_features": 2**20}]
)
def test_an_explanation_names_words(options) -> None:
    why = TextTagger(**options).fit(TEXTS, TAGS).explain("a tea with Butter", "drink")
    names = {entry.name for step in why.steps for entry in step.evidence.contributions}
    assert names == {"tea", "with", "butter"}


def test_rare_words_are_dropped_if_there_are_a_thousand_texts() -> None:
    texts = ["tea"] * 998 + ["green"]
    tags = [["a"]] * 999
    few = TextTagger().fit(texts, tags)
    many = TextTagger().fit([*texts, "tea"], [*tags, ["a"]])
    assert few.features_.names.tolist() == ["green", "tea"]
    assert many.features_.names.tolist() == ["tea"]


# Embeddings -------------------------------------------------------------------------------------


def test_embeddings_alone_are_enough(tmp_path) -> None:
    tagger = TextTagger().fit(None, TAGS, embeddings=EMBEDDINGS)
    assert tagger.tag(None, k=1, embeddings=[[0, 5]])[0][0][0] == "bread"
    assert reloaded(tagger, tmp_path).tag(None, embeddings=EMBEDDINGS) == tagger.tag(
        None, embeddings=EMBEDDINGS
    )
    assert tagger.explain(None, embedding=[0, 5]).steps[-1].evidence.contributions[0].name == (
        "embedding[1]"
    )


def test_embeddings_are_combined_with_words(tmp_path) -> None:
    tagger = TextTagger().fit(TEXTS, TAGS, embeddings=EMBEDDINGS)
    assert tagger.n_features_in_ == len(tagger.features_.names) + 2
    found = tagger.tag(["tea"], embeddings=[[1, 0]])
    assert found == reloaded(tagger, tmp_path).tag(["tea"], embeddings=[[1, 0]])
    why = tagger.explain("tea", "tea", embedding=[1, 0])
    names = [entry.name for entry in why.steps[0].evidence.contributions]
    assert sorted(names) == ["embedding[0]", "tea"]


# scikit-learn -----------------------------------------------------------------------------------


def without_objects(tagger) -> dict[str, object]:
    """The parameters that are saved; the classifier is represented by its own parameters."""
    given = tagger.get_params()
    omitted = ("classifier", *(f"classifier__{name}" for name in RUN_ONLY))
    return {name: value for name, value in given.items() if name not in omitted}


def test_a_clone_has_the_same_parameters() -> None:
    tagger = TextTagger(analyzer="char", C=3.0, tree="huffman")
    assert without_objects(clone(tagger)) == without_objects(tagger)
    classifier = "PLTClassifier(C=3.0, tree='huffman')"
    assert repr(tagger) == f"TextTagger(analyzer='char', classifier={classifier})"


def test_parameters_are_passed_to_the_classifier() -> None:
    tagger = TextTagger(loss="logistic").set_params(classifier__C=7.0).fit(TEXTS, TAGS)
    assert tagger.classifier_.get_params() == PLTClassifier(loss="logistic", C=7.0).get_params()


def test_a_tagger_can_be_copied_and_pickled(tagger, tmp_path) -> None:
    expected = tagger.tag(NEW_TEXTS)
    loaded = reloaded(tagger, tmp_path)
    for other in (tagger, loaded):
        assert copy.deepcopy(other).tag(NEW_TEXTS) == expected
        assert pickle.loads(pickle.dumps(other)).tag(NEW_TEXTS) == expected


# Errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "tags", "message"),
    [
        ("tea", [["a"]], "texts must be a list of strings, but is one string"),
        (["tea", 3], [["a"], ["b"]], "text 1 must be a string, but is int"),
        (["tea", None], [["a"], ["b"]], "text 1 must be a string, but is NoneType"),
        (["tea"], "a", "tags must be a list, but is of type str"),
        (["tea"], [["a"], ["b"]], "tags must be given for each of 1 texts, but are for 2"),
        ([], [], "there must be at least one text"),
        (None, [["a"]], "texts or embeddings must be given, but both are None"),
        (["tea"], [[]], "Y must have at least one label"),
        (["?"], [["a"]], "no text has a word"),
    ],
)
def test_invalid_texts_and_tags_are_refused(texts, tags, message) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        TextTagger().fit(texts, tags)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"analyzer": "words"}, "analyzer must be one of word, char, char_wb, but is 'words'"),
        ({"ngram_range": (2, 1)}, r"1 <= min <= max <= 100, but is \(2, 1\)"),
        ({"ngram_range": (1, 2**63 - 2)}, r"max <= 100, but is \(1, 9223372036854775806\)"),
        ({"ngram_range": 2}, "ngram_range must be two integers, but is 2"),
        ({"stop_words": "german"}, "stop_words must be None, 'english' or a list of words"),
        (
            {"min_df": "rare"},
            "min_df must be 'auto', an integer of at least 1 or a share from 0 to 1, but is 'rare'",
        ),
        ({"n_features": 0}, "n_features must be None or 1 to"),
        ({"lowercase": "yes"}, "lowercase must be True or False, but is 'yes'"),
    ],
)
def test_invalid_parameters_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        TextTagger(**options).fit(TEXTS, TAGS)


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'arity'"):
        TextTagger(arity=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, {"embeddings": [[1, 0]]}), "texts must not be None, because"),
        ((["tea"], {"embeddings": [[1, 0]]}), "embeddings must be None, because"),
        ((["tea"], {"k": 0}), "k must be at least 1, but is 0"),
        ((["tea"], {"threshold": 2}), "threshold must lie in 0..1, but is 2"),
    ],
)
def test_invalid_arguments_of_tag_are_refused(arguments, message, tagger) -> None:
    with pytest.raises(ValueError, match=message):
        tagger.tag(arguments[0], **arguments[1])


def test_embeddings_of_another_number_or_size_are_refused() -> None:
    with pytest.raises(
        ValueError, match="embeddings must be given for each of 5 texts, but are for 2"
    ):
        TextTagger().fit(TEXTS, TAGS, embeddings=EMBEDDINGS[:2])
    tagger = TextTagger().fit(TEXTS, TAGS, embeddings=EMBEDDINGS)
    with pytest.raises(ValueError, match="embeddings must not be None, because"):
        tagger.tag(["tea"])
    with pytest.raises(ValueError, match="must have 2 numbers per text, as in fit, but have 1"):
        tagger.tag(["tea"], embeddings=[[1]])


def test_an_unfitted_tagger_is_refused(tmp_path) -> None:
    with pytest.raises(NotFittedError):
        TextTagger().tag(["tea"])
    with pytest.raises(NotFittedError):
        TextTagger().save(tmp_path / "model.lt")


def test_a_fit_that_fails_changes_nothing(tagger) -> None:
    expected = tagger.tag(NEW_TEXTS)
    with pytest.raises(ValueError):
        tagger.fit(["?"], [["a"]])
    assert tagger.tag(NEW_TEXTS) == expected


# The model file ---------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTIONS)
def test_a_loaded_tagger_predicts_the_same_as_the_saved_one(options, tmp_path) -> None:
    tagger = TextTagger(n_jobs=1, **options).fit(TEXTS, TAGS)
    loaded = reloaded(tagger, tmp_path)
    assert loaded.tag(NEW_TEXTS, k=None) == tagger.tag(NEW_TEXTS, k=None)
    assert without_objects(loaded) == without_objects(tagger)
    assert str(loaded.explain("tea with bread")) == str(tagger.explain("tea with bread"))
    again = reloaded(loaded, tmp_path)
    assert again.tag(NEW_TEXTS) == tagger.tag(NEW_TEXTS)


def test_words_are_decoded_on_demand(tagger, tmp_path) -> None:
    loaded = reloaded(tagger, tmp_path)
    assert "names" not in vars(loaded.features_)
    loaded.tag(["tea"])
    assert loaded.features_.names.tolist() == tagger.features_.names.tolist()


@pytest.mark.parametrize("name", ["tokenizer", "preprocessor"])
def test_a_function_is_not_saved(name, tmp_path) -> None:
    functions = {"tokenizer": str.split, "preprocessor": lower}
    tagger = TextTagger(**{name: functions[name]}).fit(TEXTS, TAGS)
    with pytest.raises(ValueError, match=f"{name} must be None for a model file"):
        tagger.save(tmp_path / "model.lt")
    assert list(tmp_path.iterdir()) == []


def test_the_summary_describes_the_features(tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    summary = str(summarize(tmp_path / "model.lt"))
    assert "TextTagger, trained on sets" in summary
    assert "8, words" in summary


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (["words"], {}, "words must be stored as text"),
        (["classifier"], "TextTagger", "must have a classifier"),
        (["classifier"], None, "estimator None is unknown"),
        (["n_words"], 3, "text must be a JSON object of words, n_embeddings"),
        (["words"], None, "text must be a JSON object of words, n_embeddings"),
        (["words"], "numbers", "words must be stored as text"),
        (["n_embeddings"], True, "n_embeddings of text is of the wrong kind"),
        (["n_embeddings"], -1, "must make up the 8 features"),
        (["n_embeddings"], 9, "must make up the 8 features"),
        (["options", "analyzer"], "code", "analyzer must be one of"),
        (["options", "ngram_range"], [0, 1], "ngram_range must be .min, max."),
        (["options", "ngram_range"], [1.5, 2], "ngram_range must be two integers"),
        (["options", "stop_words"], [1], "stop_words must be"),
        (["options", "n_features"], 9, "words.idf must have 9 entries, but has 8"),
        (["options", "tokenizer"], [1], "tokenizer must be null or a name"),
        (["options", "tokenizer"], "\x1b[2J", "tokenizer must be null or a name"),
        (["options", "preprocessor"], "os.system", "preprocessor must be null"),
    ],
)
def test_a_hostile_text_section_is_refused(key, value, message, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    edit = content_edit("text", *key, value=value)
    file = put(tmp_path, edited((tmp_path / "model.lt").read_bytes(), edit))
    with pytest.raises(ModelFileError, match=message):
        lt.load(file)


def test_words_are_stored_just_where_they_are_not_hashed(tagger, tmp_path) -> None:
    def edit(parts) -> None:
        section(parts, "text")["content"]["words"] = None

    tagger.save(tmp_path / "model.lt")
    file = put(tmp_path, edited((tmp_path / "model.lt").read_bytes(), edit))
    with pytest.raises(ModelFileError, match="words must be stored just where they are not hashed"):
        lt.load(file)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (["parameters", "arity"], 3, "parameter 'arity' is unknown"),
        (["kind"], "PLTClassifier", "section 'text' does not belong to a PLTClassifier"),
    ],
)
def test_a_hostile_estimator_section_is_refused(key, value, message, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    edit = content_edit("estimator", *key, value=value)
    file = put(tmp_path, edited((tmp_path / "model.lt").read_bytes(), edit))
    with pytest.raises(ModelFileError, match=message):
        lt.load(file)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("words.idf", np.full(8, np.nan, np.float32).tobytes(), "words.idf must hold finite"),
        ("words.ends", np.full(9, 10**9, np.int64).tobytes(), "words.ends must begin with 0"),
        ("words.text", b"\xff" * 36, "words.text must be UTF-8"),
    ],
)
def test_hostile_words_are_refused(name, content, message, tagger, tmp_path) -> None:
    tagger.save(tmp_path / "model.lt")
    whole = (tmp_path / "model.lt").read_bytes()
    with pytest.raises(ModelFileError, match=message):
        lt.load(put(tmp_path, with_array(whole, name, content)))


def test_the_explanation_of_a_text_without_known_words_says_so(tagger) -> None:
    assert "no feature of the row has a weight" in str(tagger.explain("qqq zzz"))
    assert "no feature of the row has a weight" not in str(tagger.explain(TEXTS[0]))
