"""Tags for texts: words into features, features into a label tree."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from labeltree import metrics, storage
from labeltree.data import targets
from labeltree.data.labels import Kind
from labeltree.estimators import PLTClassifier, validation
from labeltree.explain.explanation import Explanation
from labeltree.model.interface import LabelModel
from labeltree.storage.parameters import restore_parameters, store_parameters
from labeltree.storage.registry import check_kind, find_kind, register
from labeltree.text.checks import check_numbers, checked_texts
from labeltree.text.features import OPTION_NAMES, TextFeatures, TextOptions
from labeltree.text.online import OnlineTaggerMixin, TaggerState, Tags
from labeltree.trees import LabelTree


# scikit-learn has no type information, so its classes are Any to mypy.
@register
class TextTagger(OnlineTaggerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns tags from texts and tags new texts.

    Texts become TF-IDF features, and a `PLTClassifier` is trained on them.

    Parameters
    ----------
    analyzer
        "word" for words, "char_wb" for character n-grams within words, "char" for character n-grams
        across words.
    ngram_range
        Minimum and maximum length of n-grams.
    lowercase
        Whether to convert texts to lowercase.
    stop_words
        Words to ignore: None, "english" or a list.
    tokenizer, preprocessor
        Functions of your own, as in scikit-learn's TfidfVectorizer. A tagger with one can be
        pickled, but not saved, as a model file holds no code.
    sublinear_tf
        Whether a word that occurs n times counts 1 + log n instead of n.
    min_df
        Words in fewer texts are dropped; a float is a share of the texts. "auto" is 2 from 1,000
        texts on, and 1 below.
    max_features
        Maximum number of words, the most frequent; None for all.
    n_features
        Hash words to this number of columns and keep no vocabulary; None keeps one. `min_df` and
        `max_features` are then not used.
    classifier
        The `PLTClassifier` or `HSMClassifier` to train; None for one with the parameters below.
    **classifier_params
        Parameters of `PLTClassifier`, such as C, tree, n_trees or verbose: ``TextTagger(C=2)`` is
        short for ``TextTagger(classifier=PLTClassifier(C=2))``. Later they are
        ``classifier__C`` in `set_params`.

    Attributes
    ----------
    classes_ : array of the tags
    classifier_ : the fitted PLTClassifier
    features_ : vocabulary and weights of words

    Examples
    --------
    >>> texts = ["green tea", "black tea", "white bread", "rye bread with butter"]
    >>> tags = [["drink", "tea"], ["drink", "tea"], ["bread"], ["bread", "butter"]]
    >>> tagger = TextTagger().fit(texts, tags)
    >>> [[tag for tag, probability in row] for row in tagger.tag(["a pot of tea"], k=2)]
    [['drink', 'tea']]
    """

    _state: TaggerState | None = None

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
        classifier: PLTClassifier | None = None,
        **classifier_params: Any,
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
        if classifier is not None and classifier_params:
            raise TypeError(
                f"{min(classifier_params)} is a parameter of the classifier, but a classifier is "
                "given; set it there"
            )
        self.classifier = PLTClassifier(**classifier_params) if classifier is None else classifier

    # Training -----------------------------------------------------------------------------------

    def fit(self, texts: Any, tags: Any, *, embeddings: Any = None) -> Self:
        """Learn words and tags; a fit that fails changes nothing.

        With `warm_start=True` a tagger that is fitted keeps its vocabulary and its tree.

        Parameters
        ----------
        texts
            One string for each text, empty ones too; None to learn from embeddings alone.
        tags
            A list of tags for each text, or one tag for each.
        embeddings
            An array with a row for each text, such as a sentence encoder gives. It has the same
            weight as the words.
        """
        before = self._state if self.classifier.warm_start else None
        checked = checked_texts(texts)
        check_numbers(checked, tags, embeddings)
        if before is None:
            classifier = clone(self.classifier)
            features, X = TextFeatures.fit(self._options(), checked, embeddings)
        else:
            classifier = copy.copy(before.classifier)
            classifier.set_params(**self.classifier.get_params(deep=False))
            features, X = before.features, before.features.transform(checked, embeddings)
        classifier._fit_checked(X, tags, in_place=True)
        self._state = TaggerState(features, classifier)
        return self

    def _options(self) -> TextOptions:
        return TextOptions(**{name: getattr(self, name) for name in OPTION_NAMES})

    def calibrate(
        self, texts: Any, tags: Any, method: str | None = "auto", *, embeddings: Any = None
    ) -> Self:
        """Calibrate probabilities with texts that were not in `fit`.

        Tags that `fit` did not see are ignored. See `PLTClassifier.calibrate`.
        """
        self.classifier_.calibrate(*self._known(texts, tags, embeddings), method)
        return self

    def tune_thresholds(
        self, texts: Any, tags: Any, objective: str | None = "macro_f1", *, embeddings: Any = None
    ) -> Self:
        """Learn which tags `predict` returns; see `PLTClassifier.tune_thresholds`."""
        self.classifier_.tune_thresholds(*self._known(texts, tags, embeddings), objective)
        return self

    def quantize(self) -> Self:
        """Round weights to 8 bits, in memory and in the file; see `PLTClassifier.quantize`."""
        self.classifier_.quantize()
        return self

    # Answers ------------------------------------------------------------------------------------

    def tag(
        self,
        texts: Any,
        k: int | None = 5,
        threshold: float | None = None,
        *,
        embeddings: Any = None,
    ) -> list[Tags]:
        """Return the tags of each text with their probabilities, best first.

        A text without any known word gets the tags that are most probable for texts in general.

        Parameters
        ----------
        texts
            One string for each text.
        k
            Maximum number of tags per text; None for any number.
        threshold
            Minimum probability; None for any.
        embeddings
            As in `fit`.
        """
        state = self._fitted
        X = self._transform(texts, embeddings)
        if k is not None and k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        if threshold is not None:
            validation.check_share("threshold", threshold)
        return state.classifier._ranked(X, k, threshold)

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
            Number of words listed per node; the others are summed.
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
        return self._fitted.features.transform(checked_texts(texts), embeddings)

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

    @classmethod
    def from_parts(cls, features: TextFeatures, classifier: PLTClassifier) -> Self:
        """Return the tagger of features of texts and a classifier that was fitted to them."""
        tagger = cls(classifier=clone(classifier), **vars(features.options))
        tagger._state = TaggerState(features, classifier)
        return tagger

    # What was learned -----------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self._state is not None

    @property
    def _fitted(self) -> TaggerState:
        if self._state is None:
            check_is_fitted(self)
        assert self._state is not None
        return self._state

    @property
    def classifier_(self) -> PLTClassifier:
        """The fitted classifier."""
        return self._fitted.classifier

    @property
    def features_(self) -> TextFeatures:
        """Vocabulary and weights of words."""
        return self._fitted.features

    @property
    def classes_(self) -> NDArray[Any]:
        """The tags."""
        return self.classifier_.classes_

    @property
    def label_kind_(self) -> Kind:
        """The form of the tags: "sets" for lists of tags, "classes" for one tag each."""
        return self.classifier_.label_kind_

    @property
    def model_(self) -> LabelModel:
        """Trees with their weights."""
        return self.classifier_.model_

    @property
    def trees_(self) -> list[LabelTree]:
        """The trees."""
        return self.classifier_.trees_

    @property
    def n_features_in_(self) -> int:
        """Number of words, or of columns that they are hashed to, and of numbers per embedding."""
        return self.classifier_.n_features_in_

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tagger to one file, words included; `labeltree.load` opens it."""
        storage.save(self, path)

    def _contents(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        features, classifier = self._fitted
        check_kind(classifier)
        header, arrays = classifier._contents()
        text, words = features.to_arrays()
        text |= {
            "classifier": type(classifier).__name__,
            "options": store_parameters(vars(features.options), []),
        }
        return {**header, "estimator": type(self).__name__, "text": text}, arrays | words

    @classmethod
    def _from_contents(
        cls, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]], *, every_weight: bool
    ) -> Self:
        stored = header.get("text")
        if not isinstance(stored, dict):
            raise ValueError("text of the header must be a JSON object")
        text = dict(stored)
        kind = find_kind(text.pop("classifier", None))
        if not issubclass(kind, PLTClassifier):
            raise ValueError(f"a TextTagger must have a classifier, but has a {kind.__name__}")
        inner = {name: value for name, value in header.items() if name != "text"}
        classifier = kind._from_contents(
            {**inner, "estimator": kind.__name__}, arrays, every_weight=every_weight
        )
        given = restore_parameters(text.pop("options", None), OPTION_NAMES, [])
        options = vars(TextOptions()) | given
        n_columns = classifier.n_features_in_
        features = TextFeatures.from_arrays(text, options, arrays, n_columns)
        return cls.from_parts(features, classifier)
