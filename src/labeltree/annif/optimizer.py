"""Hyper-parameter optimization through Annif's own command, `annif hyperopt`."""

from __future__ import annotations

from typing import Any, NamedTuple

from annif.backend.hyperopt import HPObjective, HPRecommendation, HyperparameterOptimizer
from annif.eval import EvaluationBatch

from labeltree.annif.suggestions import inactive_labels, suggest
from labeltree.annif.training_data import TrainingData
from labeltree.data.features import FeatureMatrix
from labeltree.estimators import PLTClassifier
from labeltree.tuning.space import MODEL_CHOICES


class _Work(NamedTuple):
    """What all trials share."""

    data: TrainingData
    X: FeatureMatrix  # of the validation documents
    subject_sets: list[Any]
    subjects: Any
    settings: dict[str, Any]
    choices: dict[str, list[Any]]
    limit: int
    metric: str
    n_jobs: int | None


# Annif has no type information, so its classes are Any to mypy.
class Objective(HPObjective):  # type: ignore[misc]
    """Score of one choice of settings on the validation documents."""

    @classmethod
    def objective(cls, trial: Any, work: _Work) -> float:
        """Train on the cached corpus with settings that the trial chooses, and evaluate them."""
        chosen = {
            name: trial.suggest_categorical(name, values) for name, values in work.choices.items()
        }
        classifier = PLTClassifier(n_jobs=work.n_jobs, **work.settings | chosen)
        classifier.fit(work.data.X, work.data.rows)
        inactive = inactive_labels(classifier.classes_, work.subjects)
        batch = EvaluationBatch(work.subjects)
        found = suggest(classifier, work.X, work.limit, len(work.subjects), inactive)
        batch.evaluate_many(found, work.subject_sets)
        return float(batch.results(metrics=[work.metric])[work.metric])


class Optimizer(HyperparameterOptimizer):  # type: ignore[misc]
    """Chooses among the settings that `labeltree tune` tries, unless the project sets them.

    Text settings are not among them: trials use the features of the last training corpus, so they
    do not read its texts again.
    """

    def _prepare(self, n_jobs: int = 1) -> _Work:
        backend = self._backend
        data = backend._cached_data()
        features = data.features.with_tokenizer(backend.project.analyzer.tokenize_words)
        documents = [document for document in self._corpus.documents if document.subject_set]
        return _Work(
            data=data,
            X=features.transform([document.text for document in documents]),
            subject_sets=[document.subject_set for document in documents],
            subjects=backend.project.subjects,
            settings=backend._model_settings(backend.params),
            choices=open_choices(backend.config_params),
            limit=int(backend.params["limit"]),
            metric=self._metric,
            # Trials that run at the same time share the cores.
            n_jobs=None if n_jobs == 1 else 1,
        )

    def _postprocess(self, study: Any) -> HPRecommendation:
        lines = [f"{name}={value}" for name, value in study.best_params.items()]
        return HPRecommendation(lines=lines, score=study.best_value)


def open_choices(given: Any) -> dict[str, list[Any]]:
    """Return the values to try for each setting that a project does not set, the default first."""
    default = PLTClassifier().get_params(deep=False)
    return {
        name: [default[name], *(option[name] for option in options if name in option)]
        for name, options in MODEL_CHOICES.items()
        if name not in given
    }
