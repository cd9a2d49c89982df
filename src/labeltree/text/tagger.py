"""Tags for texts: words into features, features into a label tree."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from labeltree import metrics, storage
from labeltree.data import targets
from labeltree.estimators import PLTClassifier, validation
from labeltree.explain.explanation import Explanation
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.storage.registry import register
from labeltree.text.checks import check_numbers, checked_texts
from labeltree.text.features import OPTION_NAMES, TextFeatures, TextOptions
from labeltree.text.online import OnlineTagger, Tags
from labeltree.trees import LabelTree


# scikit-learn has no type information, so its classes are Any to mypy.
@register
class TextTagger(OnlineTagger, BaseEstimator):  # type: ignore[misc]
    """Learns tags from texts and tags new texts.

    Texts become TF-IDF features by scikit-learn, and a `PLTClassifier` is trained on them.
    Parameters are those below and all of `PLTClassifier`, such as C, tree, n_trees, verbose.

    Parameters
    ----------
    analyzer
        "word" for words, "char_wb" for runs of characters within words, "char" for runs across.
    ngram_range
        Shortest and longest run of words or characters that is a feature.
    lowercase
        Whether Tea and tea are the same word.
    stop_words
        Words to pass over: None, "english" or a list.
    tokenizer, preprocessor
        Functions of your own, as in scikit-learn's TfidfVectorizer. A tagger with one can be
        pickled, but not saved, as a model file holds no code.
    sublinear_tf
        Whether a word that is there n times counts 1 + log n instead of n.
    min_df
        Words of fewer texts are dropped; a float is a share of the texts. "auto" is 2 from 1,000
        texts on, and 1 below.
    max_features
        Keep so many words, the most frequent; None for all.
    n_features
        Hash words to so many columns and keep no vocabulary; None keeps one. `min_df` and
        `max_features` are then not used.
    **parameters
        Parameters of `PLTClassifier`.

    Attributes
    ----------
    classes_ : array of the tags
    classifier_ : the fitted PLTClassifier
    features_ : what was learnt about words

    Examples
    --------
    >>> texts = ["green tea", "black tea", "white bread", "rye bread with butter"]
    >>> tags = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]
    >>> tagger = TextTagger().fit(texts, tags)
    >>> [[tag for tag, probability in row] for row in tagger.tag(["a pot of tea"], top_k=2)]
    [['drink', 'tea']]
    """

    def __init__(
        self,
        *,
        analyzer: str = TextOptions.analyzer,
        ngram_range: Sequence[int] = TextOptions.ngram_range,
        lowercase: bool = TextOptions.lowercase,
        stop_words: str | Sequence[str] | None = TextOptions.stop_words,
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        preprocessor: Callable[[str], str] | None = None,
        sublinear_tf: bool = TextOptions.sublinear_tf,
        min_df: float | str = TextOptions.min_df,
        max_features: int | None = TextOptions.max_features,
        n_features: int | None = TextOptions.n_features,
        **parameters: Any,
    ) -> None:
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.tokenizer = tokenizer
        self.preprocessor = preprocessor
        self.sublinear_tf = sublinear_tf
        self.min_df = min_df
        self.max_features = max_features
        self.n_features = n_features
        defaults = PLTClassifier().get_params(deep=False)
        unknown = parameters.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"{min(unknown)!r} is no parameter of TextTagger or PLTClassifier")
        for name, value in (defaults | parameters).items():
            setattr(self, name, value)

    # Training -----------------------------------------------------------------------------------

    def fit(self, texts: Any, tags: Any, *, embeddings: Any = None) -> Self:
        """Learn words and tags; a fit that fails leaves all as it was.

        With `warm_start=True` a tagger that has learnt before keeps its words and its tree.

        Parameters
        ----------
        texts
            One string for each text, empty ones too; None to learn from embeddings alone.
        tags
            A list of tags for each text, or one tag for each.
        embeddings
            An array with a row for each text, such as a sentence encoder gives. It counts as much
            as the words do.
        """
        options = TextOptions(**{name: getattr(self, name) for name in OPTION_NAMES})
        goes_on = self.warm_start and "classifier_" in self.__dict__
        classifier = copy.copy(self.classifier_) if goes_on else PLTClassifier()
        classifier.set_params(
            **{name: getattr(self, name) for name in classifier.get_params(False)}
        )
        checked = checked_texts(texts)
        check_numbers(checked, tags, embeddings)
        if goes_on:
            features, X = self.features_, self.features_.transform(checked, embeddings)
        else:
            features, X = TextFeatures.fit(options, checked, embeddings)
        classifier.fit(X, tags)
        self.features_ = features
        self.classifier_ = classifier
        return self

    def calibrate(
        self, texts: Any, tags: Any, method: str | None = "auto", *, embeddings: Any = None
    ) -> Self:
        """Learn what probabilities mean from texts not in `fit`; see `PLTClassifier.calibrate`.

        Tags that are unknown from `fit` are passed over.
        """
        self.classifier_.calibrate(*self._known(texts, tags, embeddings), method)
        return self

    def tune_thresholds(
        self, texts: Any, tags: Any, objective: str | None = "macro_f1", *, embeddings: Any = None
    ) -> Self:
        """Learn which tags `predict` gives; see `PLTClassifier.tune_thresholds`."""
        self.classifier_.tune_thresholds(*self._known(texts, tags, embeddings), objective)
        return self

    def compress(self) -> Self:
        """Make a byte of each weight, here and in the file; see `PLTClassifier.compress`."""
        self._fitted().compress()
        return self

    # Answers ------------------------------------------------------------------------------------

    def tag(
        self,
        texts: Any,
        top_k: int | None = 5,
        threshold: float | None = None,
        *,
        embeddings: Any = None,
    ) -> list[Tags]:
        """Return the tags of each text with their probabilities, best first.

        A text without any known word gets what is probable of texts in general.

        Parameters
        ----------
        texts
            One string for each text.
        top_k
            So many tags at most; None for any number.
        threshold
            Tags with at least this probability; None for any.
        embeddings
            As in `fit`.
        """
        X = self._transform(texts, embeddings)
        if top_k is not None and top_k < 1:
            raise ValueError(f"top_k must be at least 1, but is {top_k}")
        if threshold is not None:
            validation.check_share("threshold", threshold)
        found, _ = self.classifier_._search(X, top_k, threshold)
        pairs = list(zip(self.classes_[found.indices].tolist(), found.data.tolist(), strict=True))
        return [pairs[first:last] for first, last in pairwise(found.indptr.tolist())]

    def predict(
        self, texts: Any, threshold: float | None = None, *, embeddings: Any = None
    ) -> list[Any]:
        """Return the tags of each text that are probable enough; see `PLTClassifier.predict`."""
        X = self._transform(texts, embeddings)
        if self.label_kind_ == "classes":
            return list(self.classifier_.predict(X).tolist())
        return self.classifier_.predict_labels(X, threshold)

    def explain(
        self,
        text: str | None,
        tag: Hashable = None,
        top_features: int = 5,
        *,
        embedding: Any = None,
    ) -> Explanation:
        """Return why a tag has its probability, word by word; see `PLTClassifier.explain`.

        Parameters
        ----------
        text
            One text.
        tag
            A tag of `classes_`; the most probable one if None.
        top_features
            So many words of each node are listed, and the others summed.
        embedding
            That of the text, if the tagger was fitted with embeddings.

        Examples
        --------
        >>> tagger = TextTagger().fit(["green tea", "rye bread"], [["tea"], ["bread"]])
        >>> why = tagger.explain("a cup of tea", "tea")
        >>> [word.name for word in why.steps[-1].evidence.contributions]
        ['tea']
        """
        texts = None if text is None else [text]
        rows = None if embedding is None else np.asarray(embedding).reshape(1, -1)
        X = self._transform(texts, rows)
        names = self.features_.names_for(text)
        return self.classifier_.explain(X, tag, top_features, feature_names=names)

    def evaluate(
        self, texts: Any, tags: Any, *, ks: Sequence[int] = (1, 3, 5), embeddings: Any = None
    ) -> dict[str, float]:
        """Return P@k, R@k, nDCG@k, coverage@k and ECE@k by name; see `metrics.evaluate`."""
        X = self._transform(texts, embeddings)
        truth = targets.true_labels(tags, self.classes_)
        labels, probabilities = self.classifier_.top_k(X, max(ks))
        return metrics.evaluate(truth, labels, ks=ks, probabilities=probabilities)

    def _transform(self, texts: Any, embeddings: Any) -> Any:
        check_is_fitted(self, "classifier_")
        return self.features_.transform(checked_texts(texts), embeddings)

    def _query(self, texts: Any) -> Any:
        return self.classifier_._query(self._transform(texts, None))

    def _known(self, texts: Any, tags: Any, embeddings: Any) -> tuple[Any, Any]:
        """Return features and the tags that were in training."""
        X = self._transform(texts, embeddings)
        check_numbers(checked_texts(texts), tags, embeddings)
        if self.label_kind_ == "classes":
            return X, tags
        rows = targets.true_labels(tags, self.classes_)
        return X, rows.to_csr()[:, : len(self.classes_)]

    # What the classifier knows --------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        """The tags."""
        classes: NDArray[Any] = self._fitted().classes_
        return classes

    @property
    def label_kind_(self) -> str:
        """What tags were: "sets" for lists of tags, "classes" for one tag each."""
        return self._fitted().label_kind_

    @property
    def model_(self) -> Any:
        """Trees with their weights."""
        return self._fitted().model_

    @property
    def trees_(self) -> list[LabelTree]:
        """The trees."""
        return self._fitted().trees_

    @property
    def n_features_in_(self) -> int:
        """Words, or columns that they are hashed to, and numbers of an embedding."""
        return self._fitted().n_features_in_

    def _fitted(self) -> PLTClassifier:
        if "classifier_" not in self.__dict__:
            raise AttributeError("the tagger is not fitted; call fit first")
        return self.classifier_

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to one file, words included; `labeltree.load` opens it."""
        storage.save(self, path)

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        header, arrays = self.classifier_._contents()
        text, words = self.features_.to_arrays()
        header["parameters"] |= store_parameters(vars(self.features_.options), [])
        return {**header, "estimator": type(self).__name__, "text": text}, arrays | words

    @classmethod
    def _from_contents(
        cls, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], *, every_weight: bool
    ) -> Self:
        if "text" not in header:
            raise ValueError("'text' of the header is missing")
        parameters = header["parameters"]
        if not isinstance(parameters, dict):
            raise ValueError("parameters must be a JSON object")
        own = {name: value for name, value in parameters.items() if name in OPTION_NAMES}
        passed = {name: value for name, value in parameters.items() if name not in OPTION_NAMES}
        inner = {name: value for name, value in header.items() if name != "text"}
        classifier = PLTClassifier._from_contents(
            {**inner, "parameters": passed}, arrays, every_weight=every_weight
        )
        options = vars(TextOptions()) | restore_parameters(own, OPTION_NAMES, [])
        n_columns = classifier.n_features_in_
        features = TextFeatures.from_arrays(header["text"], options, arrays, n_columns)
        tagger = cls(**classifier.get_params(deep=False), **vars(features.options))
        tagger.features_ = features
        tagger.classifier_ = classifier
        return tagger


def _signature() -> inspect.Signature:
    """Return the parameters of the tagger and of its classifier, as scikit-learn asks for them."""
    own = list(inspect.signature(TextTagger.__init__).parameters.values())
    passed = list(inspect.signature(PLTClassifier.__init__).parameters.values())
    return inspect.Signature(own[:-1] + passed[1:])


TextTagger.__init__.__signature__ = _signature()  # type: ignore[attr-defined]
