"""The fixtures that Annif's tests of backends use, over a small vocabulary and corpus.

Copied as conftest.py into the folder that the patched Annif is tested in.
"""

import unittest.mock

import annif.analyzer
import annif.corpus
import annif.vocab
import pytest

URI = "http://www.yso.fi/onto/yso/"
SUBJECTS = {"p1265": "arkeologia", "p4625": "kivikausi", "p7804": "linnat", "p1747": "laivat"}
TEXTS = {
    "p1265": ["arkeologia ja kaivaukset", "arkeologinen tutkimus", "tiede tutkii menneisyyttä"],
    "p4625": ["kivikauden kirves", "kivikausi Suomessa", "kivikautinen asuinpaikka"],
    "p7804": ["linnan torni", "linnat ja muurit", "vanha linna"],
    "p1747": ["laivan hylky", "laivat merellä", "vanha laiva"],
}


@pytest.fixture(scope="module")
def datadir(tmpdir_factory):
    return tmpdir_factory.mktemp("data")


@pytest.fixture(scope="module")
def subject_index(tmpdir_factory):
    folder = tmpdir_factory.mktemp("vocab")
    lines = (f"<{URI}{number}>\t{label}\n" for number, label in SUBJECTS.items())
    folder.join("subjects.tsv").write_text("".join(lines), "utf-8")
    vocabulary = annif.vocab.AnnifVocabulary("my-vocab", str(folder))
    source = annif.vocab.VocabFileTSV(str(folder.join("subjects.tsv")), "fi")
    vocabulary.load_vocabulary(source)
    return vocabulary.subjects


@pytest.fixture(scope="module")
def document_corpus(tmpdir_factory, subject_index):
    file = tmpdir_factory.mktemp("corpus").join("documents.tsv")
    lines = (f"{text}\t<{URI}{number}>\n" for number, texts in TEXTS.items() for text in texts)
    file.write_text("".join(lines), "utf-8")
    return annif.corpus.DocumentFileTSV(str(file), subject_index)


@pytest.fixture(scope="module")
def project(subject_index, datadir):
    project = unittest.mock.Mock()
    project.analyzer_spec = "snowball(finnish)"
    project.analyzer = annif.analyzer.get_analyzer(project.analyzer_spec)
    project.subjects = subject_index
    project.datadir = str(datadir)
    return project


@pytest.fixture
def empty_corpus(tmpdir, subject_index):
    return annif.corpus.DocumentFileTSV(str(tmpdir.ensure("empty.tsv")), subject_index)
