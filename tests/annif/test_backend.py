"""The backend in a real Annif, through its command line; skipped if Annif is not installed."""

import pickle
import re
import warnings

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its dependencies
    pytest.importorskip("annif")
    import annif.backend
    import annif.cli
    import annif.registry
    from annif.corpus import Document
    from annif.exception import NotInitializedException, OperationFailedException
    from click.testing import CliRunner

    import labeltree as lt
    from labeltree.annif import register
    from labeltree.annif.backend import LabeltreeBackend
    from tests.model_files import arrays_of
    from tests.shown_errors import not_raised

pytestmark = pytest.mark.filterwarnings("ignore")

PROJECT = """[tea]
language=en
backend=labeltree
analyzer=snowball(english)
vocab=food
"""
SUBJECTS = ["bread", "drink", "tea", "unused"]
CORPUS = {
    "Green teas are drunk": ["drink", "tea"],
    "black tea in the pot": ["drink", "tea"],
    "rye breads": ["bread"],
    "white bread with butter": ["bread"],
    "weather": [],
}
PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")


def uri(subject: str) -> str:
    return f"<http://example.org/{subject}>"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a project, a vocabulary and a corpus."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNIF_CONFIG", "labeltree.annif.config.Config")
    words = tmp_path / "nltk" / "tokenizers" / "punkt_tab" / "english"
    words.mkdir(parents=True)
    for name in PUNKT:
        (words / name).touch()
    import nltk.data

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk")])
    (tmp_path / "projects.cfg").write_text(PROJECT)
    (tmp_path / "vocab.tsv").write_text("".join(f"{uri(s)}\t{s}\n" for s in SUBJECTS))
    lines = (f"{text}\t{' '.join(map(uri, tags))}\n" for text, tags in CORPUS.items())
    (tmp_path / "corpus.tsv").write_text("".join(lines))
    run("load-vocab", "--language", "en", "food", "vocab.tsv")
    return tmp_path


def run(*arguments: str, text: str | None = None, code: int = 0) -> str:
    done = CliRunner().invoke(annif.cli.cli, arguments, input=text)
    assert done.exit_code == code, done.output
    return done.output


def project():
    """Return the project, newly opened."""
    register()
    return annif.registry.AnnifRegistry("projects.cfg", "data", False).get_project("tea")


def suggested(text: str, **params) -> list[str]:
    opened = project()
    batch = opened.backend.suggest([Document(text=text)], params)
    return [opened.subjects[found.subject_id].labels["en"] for found in batch[0]]


@pytest.fixture
def trained(home):
    run("train", "tea", "corpus.tsv")
    return home


def model_file(home):
    return home / "data" / "projects" / "tea" / LabeltreeBackend.MODEL_FILE


def test_the_command_line_trains_suggests_and_evaluates(trained) -> None:
    assert "bread" in run("suggest", "tea", "--limit", "1", text="a loaf of bread")
    # Four of five: one text has no subject.
    assert "Precision@1:                  \t0.8" in run("eval", "tea", "corpus.tsv")


def test_the_analyzer_of_the_project_splits_texts_into_words(trained) -> None:
    # Training has "teas" and "breads"; the features are their stems.
    assert suggested("breads", limit=1) == suggested("bread", limit=1) == ["bread"]
    names = lt.load(model_file(trained)).features_.names
    assert "bread" in names
    assert "breads" not in names


def test_several_processes_suggest_the_same(trained) -> None:
    one = run("eval", "tea", "corpus.tsv", "--jobs", "1")
    assert run("eval", "tea", "corpus.tsv", "--jobs", "2") == one


def test_the_limit_is_the_maximum_number_of_suggestions(trained) -> None:
    assert [len(suggested("tea", limit=k)) for k in (0, 1, 2, 3, 100)] == [0, 1, 2, 3, 3]


def test_subjects_without_documents_are_never_suggested(trained) -> None:
    assert "unused" not in suggested("unused tea")


def test_nothing_is_suggested_for_a_text_without_known_words(trained) -> None:
    assert suggested("kohlrabi") == suggested("") == []


def test_subjects_removed_from_the_vocabulary_are_not_suggested(trained) -> None:
    kept = [s for s in SUBJECTS if s != "tea"]
    (trained / "vocab.tsv").write_text("".join(f"{uri(s)}\t{s}\n" for s in kept))
    run("load-vocab", "--language", "en", "food", "vocab.tsv")
    assert suggested("a pot of tea") == ["drink", "bread"]


def test_a_model_works_with_a_shorter_vocabulary(trained) -> None:
    (trained / "vocab.tsv").write_text(f"{uri('bread')}\tbread\n")
    run("load-vocab", "--force", "--language", "en", "food", "vocab.tsv")
    assert suggested("bread and tea") == ["bread"]


def test_batch_equals_single(trained) -> None:
    backend = project().backend
    texts = [Document(text=text) for text in ("tea", "", "rye bread")]
    batch = backend.suggest(texts).array.toarray()
    alone = [backend.suggest([text]).array.toarray()[0] for text in texts]
    np.testing.assert_array_equal(batch, alone)


def test_a_loaded_model_can_be_pickled(trained) -> None:
    model = project().backend
    model.initialize(parallel=True)
    again = pickle.loads(pickle.dumps(model._model))
    assert again.tag(["tea"]) == model._model.tag(["tea"])


def test_training_can_be_repeated_on_the_cached_corpus(trained) -> None:
    before = suggested("tea")
    (trained / "corpus.tsv").unlink()
    run("train", "--cached", "tea", "-b", "labeltree.n_trees=2")
    assert len(lt.load(model_file(trained)).trees_) == 2
    assert suggested("tea") == before


def test_cached_training_needs_an_earlier_corpus(home) -> None:
    assert "train on a corpus first" in run("train", "--cached", "tea", code=1)


def test_the_same_corpus_gives_the_same_weights_for_any_number_of_jobs(trained) -> None:
    before = arrays_of(model_file(trained))
    run("train", "tea", "corpus.tsv", "--jobs", "1")
    after = arrays_of(model_file(trained))
    assert before.keys() == after.keys()
    for name, values in before.items():
        np.testing.assert_array_equal(after[name], values)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("C=-1", "C must be above 0"),
        ("C=much", "C is 'much'"),
        ("interactions=many", "interactions is 'many'"),
        ("ngram=0", "ngram_range must be (min, max)"),
        ("tree=oak", "oak"),
    ],
)
def test_a_wrong_setting_is_named_and_keeps_the_model(setting, message, trained) -> None:
    before = model_file(trained).read_bytes()
    assert message in run("train", "tea", "corpus.tsv", "-b", f"labeltree.{setting}", code=1)
    assert model_file(trained).read_bytes() == before


def test_settings_of_a_project_are_used(home) -> None:
    (home / "projects.cfg").write_text(
        PROJECT + "n_trees=2\nngram=1\nmin_df=1\nmax_features=4\nsublinear_tf=no\nquantize=yes\n"
    )
    run("train", "tea", "corpus.tsv")
    model = lt.load(model_file(home))
    options = model.features_.options
    assert (len(model.trees_), options.ngram_range, options.sublinear_tf) == (2, (1, 1), False)
    assert len(model.features_.names) == 4


@pytest.mark.parametrize(("text", "value"), [("none", None), ("auto", "auto"), ("2", 2)])
def test_interactions_are_a_setting_of_a_project(text, value, home) -> None:
    (home / "projects.cfg").write_text(f"{PROJECT}interactions={text}\n")
    run("train", "tea", "corpus.tsv")
    assert lt.load(model_file(home)).classifier_.interactions == value


def test_an_empty_corpus_is_refused(home) -> None:
    (home / "corpus.tsv").write_text("")
    assert "no document has a subject" in run("train", "tea", "corpus.tsv", code=1)


def test_another_analyzer_requires_retraining(trained) -> None:
    (trained / "projects.cfg").write_text(PROJECT.replace("english", "finnish"))
    with pytest.raises(OperationFailedException, match=r"\(english\), but .*; retrain the project"):
        project().backend.initialize()


def test_there_is_no_model_before_training(home) -> None:
    assert not project().is_trained
    with pytest.raises(NotInitializedException, match=r"labeltree-model\.lt not found"):
        project().backend.initialize()


def test_a_damaged_model_is_named(trained) -> None:
    model_file(trained).write_bytes(b"no model")
    with pytest.raises(OperationFailedException, match=r"labeltree-model\.lt"):
        project().backend.initialize()


def test_the_model_file_refuses_texts_without_the_analyzer(trained) -> None:
    with pytest.raises(ValueError, match="tokenizer 'Annif snowball"):
        lt.load(model_file(trained)).tag(["tea"])


LEARNING = PROJECT + "allow_learn=yes\n"


def test_the_guide_shows_what_annif_prints(home) -> None:
    said = run("train", "--cached", "tea", code=1)
    (home / "other.tsv").write_text("tea\t<http://example.com/tea>\n")
    said += run("train", "tea", "other.tsv", code=1)
    (home / "projects.cfg").write_text(LEARNING + "effort=high\n")
    run("train", "tea", "corpus.tsv")
    said += learn(home, "tea\ttea", code=1)
    (home / "projects.cfg").write_text(PROJECT.replace("english", "finnish"))
    said += run("suggest", "tea", "corpus.tsv", code=1)
    lines = [re.split(r"': ", line)[-1] for line in said.splitlines()]
    # Annif says this only in a process in which nothing has registered the backend.
    unknown = "Could not create backend labeltree, make sure …"
    assert not_raised("annif", lines) == [unknown]


def learn(home, *lines: str, code: int = 0) -> str:
    """Learn from texts, each with its subjects after a tab."""
    pairs = (line.split("\t") for line in lines)
    texts = (f"{text}\t{' '.join(map(uri, tags.split()))}\n" for text, tags in pairs)
    (home / "more.tsv").write_text("".join(texts))
    return run("learn", "tea", "more.tsv", code=code)


def test_a_new_subject_is_learned_without_training_again(trained) -> None:
    (trained / "projects.cfg").write_text(LEARNING)
    learn(trained, *["butter\tunused", "green tea\tdrink tea", "weather\t"] * 5)
    assert suggested("butter", limit=1) == ["unused"]
    assert suggested("black tea", limit=1)[0] in ("tea", "drink")


def test_learning_in_parts_is_the_same_as_at_once(trained, monkeypatch) -> None:
    (trained / "projects.cfg").write_text(LEARNING)
    before, lines = model_file(trained).read_bytes(), ["rye tea\ttea", "rye\tbread", "pot\tdrink"]
    learn(trained, *lines)
    at_once = arrays_of(model_file(trained))
    model_file(trained).write_bytes(before)
    monkeypatch.setattr("labeltree.annif.training_data._PART", 1)
    learn(trained, *lines)
    for name, values in arrays_of(model_file(trained)).items():
        np.testing.assert_array_equal(at_once[name], values)


def test_a_corpus_without_subjects_changes_nothing(trained) -> None:
    (trained / "projects.cfg").write_text(LEARNING)
    before = model_file(trained).read_bytes()
    learn(trained, "weather\t")
    assert model_file(trained).read_bytes() == before


def test_several_trees_do_not_learn_and_keep_the_model(home) -> None:
    (home / "projects.cfg").write_text(LEARNING + "n_trees=2\n")
    run("train", "tea", "corpus.tsv")
    before = model_file(home).read_bytes()
    assert "Cannot learn: " in learn(home, "rye\tbread", code=1)
    assert model_file(home).read_bytes() == before


def test_learning_needs_a_model(home) -> None:
    (home / "projects.cfg").write_text(LEARNING)
    assert "not found" in learn(home, "rye\tbread", code=1)


def test_hyperopt_recommends_settings_that_train_accepts(trained) -> None:
    found = run("hyperopt", "tea", "corpus.tsv", "--trials", "3", "--results-file", "trials.tsv")
    lines = found.split("---\n")[1].splitlines()
    assert [line.partition("=")[0] for line in lines] == ["effort", "C", "loss", "tree"]
    assert len((trained / "trials.tsv").read_text().splitlines()) == 4
    settings = [word for line in lines for word in ("-b", f"labeltree.{line}")]
    run("train", "--cached", "tea", *settings)


def test_hyperopt_keeps_the_settings_of_the_project(trained) -> None:
    (trained / "projects.cfg").write_text(PROJECT + "C=0.5\nloss=logistic\n")
    found = run("hyperopt", "tea", "corpus.tsv", "--trials", "2", "--metric", "Precision@1")
    lines = found.split("---\n")[1].splitlines()
    assert [line.partition("=")[0] for line in lines] == ["effort", "tree"]


def test_hyperopt_in_several_processes_finds_a_score(trained) -> None:
    found = run("hyperopt", "tea", "corpus.tsv", "--trials", "2", "--jobs", "2")
    assert "Got best NDCG score" in found


def test_hyperopt_needs_a_training_corpus(home) -> None:
    assert "train on a corpus first" in run("hyperopt", "tea", "corpus.tsv", code=1)


def excluding(*subjects: str) -> str:
    uris = "|".join(f"http://example.org/{subject}" for subject in subjects)
    return PROJECT.replace("vocab=food", f"vocab=food(exclude={uris})")


def test_subjects_that_the_project_excludes_are_not_trained(home) -> None:
    (home / "projects.cfg").write_text(excluding("tea"))
    run("train", "tea", "corpus.tsv")
    assert len(lt.load(model_file(home)).classes_) == 2


def test_excluded_subjects_leave_their_places_to_others(trained) -> None:
    assert suggested("black tea", limit=2) == ["drink", "tea"]
    (trained / "projects.cfg").write_text(excluding("drink"))
    assert suggested("black tea", limit=2) == ["tea", "bread"]


def test_the_module_runs_annif(home, monkeypatch, capsys) -> None:
    from labeltree.annif.__main__ import main

    monkeypatch.delitem(annif.backend._backend_fns, "labeltree", raising=False)
    monkeypatch.setattr("sys.argv", ["annif", "list-projects"])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    assert annif.backend.get_backend("labeltree") is LabeltreeBackend
    assert "tea" in capsys.readouterr().out
