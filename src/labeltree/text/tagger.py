"""TextTagger: TF-IDF features of texts and a label tree."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from labeltree import metrics
from labeltree.arguments import checked
from labeltree.data import targets
from labeltree.data.text_shards import TextShards
from labeltree.estimators import PLTClassifier, validation
from labeltree.estimators.label_subsets import as_subset
from labeltree.estimators.learning_lock import one_at_a_time
from labeltree.explain.explanation import Explanation
from labeltree.progress import show_stage
from labeltree.storage.registry import register
from labeltree.text.checks import check_alone, checked_pairs, checked_texts
from labeltree.text.descriptions import DESCRIPTION_WEIGHT, with_descriptions
from labeltree.text.embedding_weight import AUTO
from labeltree.text.fitting import FeaturesMixin
from labeltree.text.online import OnlineTaggerMixin, TaggerState, Tags
from labeltree.text.options import TextOptions
from labeltree.text.rescoring import Rescorer
from labeltree.text.scoring import ScoringMixin
from labeltree.text.stored import StoredMixin


# scikit-learn has no type information, so its classes are Any to mypy.
@register
class TextTagger(FeaturesMixin, StoredMixin, OnlineTaggerMixin, ScoringMixin, BaseEstimator):  # type: ignore[misc]
    """Classifier that predicts tags for texts.

    Texts are converted to TF-IDF features, and a `PLTClassifier` is trained on them.

    Parameters
    ----------
    analyzer
        "word" for words, "char_wb" for character n-grams within words, "char" for character n-grams
        across words.
    ngram_range
        Minimum and maximum length of n-grams, at most 100.
    lowercase
        Whether to convert texts to lowercase.
    stop_words
        Words to ignore: None, "english" or a list.
    tokenizer, preprocessor
        Your own functions, as in scikit-learn's TfidfVectorizer. A tagger with such a function can
        be pickled but not saved, because model files have no code.
    sublinear_tf
        Whether a word that occurs n times counts 1 + log n instead of n.
    min_df
        Minimum number of texts that a word must occur in; a float is a share of the texts. "auto"
        is 2 if there are at least 1,000 texts, else 1.
    max_features
        Maximum number of words, the most frequent; None for all.
    n_features
        Number of columns that words are hashed to, without a vocabulary. `min_df` and
        `max_features` are then not used. None uses a vocabulary.
    language
        Language whose endings are removed from words, such as "english" or "de"; None for none.
        Needs ``pip install "labeltree[stem]"``, which has a Snowball stemmer for 33 languages.
    unicode_form
        Unicode form of texts, so that equal characters have equal codes: "NFKC", "NFC", "NFKD",
        "NFD", or None for texts as they are.
    cjk_bigrams
        Whether Chinese and Japanese, which have no spaces between words, are split into overlapping
        pairs of characters.
    encoder
        Function from a list of texts to an array with one row per text, whose numbers become
        features beside the words. Objects with a method `encode`, such as models of
        sentence-transformers, are accepted too, and names such as
        "model2vec:minishlab/potion-base-8M" and "sentence-transformers:all-MiniLM-L6-v2". If it
        has a method ``fit(texts, tags)``, a copy of it is fitted first. Model files have its name
        only; see `set_encoder`.
    embedding_weight
        Weight of embeddings relative to the words. "auto" finds it in small fits on training texts
        that are held out, if there are at least 2,000 texts; with fewer, it is 1.
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
        language: str | None = TextOptions.language,
        unicode_form: str | None = TextOptions.unicode_form,
        cjk_bigrams: bool = TextOptions.cjk_bigrams,
        encoder: Any = None,
        embedding_weight: float | str = AUTO,
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
        self.language = language
        self.unicode_form = unicode_form
        self.cjk_bigrams = cjk_bigrams
        self.encoder = encoder
        self.embedding_weight = embedding_weight
        if classifier is not None and classifier_params:
            raise TypeError(
                f"{min(classifier_params)} is a parameter of the classifier, but a classifier is "
                "given; set it there"
            )
        self.classifier = PLTClassifier(**classifier_params) if classifier is None else classifier

    # Training -----------------------------------------------------------------------------------

    @one_at_a_time
    def fit(
        self,
        texts: Any,
        tags: Any = None,
        *,
        embeddings: Any = None,
        descriptions: Mapping[Any, str] | None = None,
        description_weight: float = DESCRIPTION_WEIGHT,
    ) -> Self:
        """Fit the vocabulary and the classifier; a failed fit does not change the tagger.

        With `warm_start=True`, a fitted tagger keeps its vocabulary and its tree.

        Parameters
        ----------
        texts
            One string per text, which may be empty; None to learn from embeddings only. Or a table
            with a column "text": anything with ``__arrow_c_stream__``, such as that of pyarrow,
            Polars, DuckDB or pandas, or a dataset of Hugging Face. All methods accept tables. Or
            `labeltree.data.TextShards`, files with texts and tags that workers read.
        tags
            A list of tags per text, or one tag per text. For a table, None uses its first column of
            "tags", "labels", "tag", "label", "categories" and "category".
        embeddings
            An array with one row per text, such as the output of a sentence encoder. The `encoder`
            is then not called.
        descriptions
            A text about a tag, by tag. It is learned from like a text with this tag, but is never
            held back to evaluate settings or to calibrate. Tags without texts become predictable.
        description_weight
            Weight of a description relative to a text. It is multiplied by ten if the tag has no
            texts.
        """
        before = self._state if self.classifier.warm_start else None
        features = None if before is None else before.features
        classifier = self._unfitted(before)
        if isinstance(texts, TextShards):
            check_alone(tags=tags, embeddings=embeddings, descriptions=descriptions)
            self._state = TaggerState(self._fit_shards(texts, features, classifier), classifier)
            return self
        checked, tags = checked_pairs(texts, tags, embeddings)
        checked, tags, weight, n_extra = with_descriptions(
            checked, tags, embeddings, descriptions, description_weight
        )
        with show_stage("making features", quiet=self.classifier.verbose <= 0):
            if features is None:
                features, X = self._fit_features(checked, tags, embeddings, n_extra)
            else:
                X = features.transform(checked, embeddings)
        classifier._fit_checked(X, tags, weight, in_place=True, n_unheld=n_extra)
        self._state = TaggerState(features, classifier)
        return self

    def _unfitted(self, before: TaggerState | None) -> PLTClassifier:
        """Return the classifier to fit, which starts from that before."""
        if before is None:
            made: PLTClassifier = clone(self.classifier)
            return made
        classifier = copy.copy(before.classifier)
        classifier.set_params(**self.classifier.get_params(deep=False))
        return classifier

    @checked
    @one_at_a_time
    def calibrate(
        self, texts: Any, tags: Any = None, method: str | None = "auto", *, embeddings: Any = None
    ) -> Self:
        """Calibrate probabilities with texts that were not used in `fit`.

        Tags that did not occur in `fit` are ignored. See `PLTClassifier.calibrate`.
        """
        self.classifier_.calibrate(*self._known(texts, tags, embeddings), method)
        return self

    @checked
    @one_at_a_time
    def tune_thresholds(
        self,
        texts: Any,
        tags: Any = None,
        objective: str | None = "macro_f1",
        *,
        embeddings: Any = None,
    ) -> Self:
        """Learn from held-out texts which tags `predict` returns.

        See `PLTClassifier.tune_thresholds`.
        """
        self.classifier_.tune_thresholds(*self._known(texts, tags, embeddings), objective)
        return self

    @one_at_a_time
    def quantize(self) -> Self:
        """Convert weights to 8 bits, in memory and in files; see `PLTClassifier.quantize`."""
        self.classifier_.quantize()
        return self

    # Prediction ---------------------------------------------------------------------------------

    @checked
    def tag(
        self,
        texts: Any,
        k: int | None = 5,
        threshold: float | None = None,
        *,
        labels: Sequence[Hashable] | None = None,
        exclude_labels: Sequence[Hashable] | None = None,
        embeddings: Any = None,
        rescorer: Rescorer | None = None,
    ) -> list[Tags]:
        """Return the tags of each text with their probabilities, best first.

        A text without known words gets the tags that are most probable for texts in general.

        Parameters
        ----------
        texts
            One string per text.
        k
            Maximum number of tags per text; None for any number.
        threshold
            Minimum probability; None for any.
        labels
            Return only these tags of `classes_`.
        exclude_labels
            Never return these tags.
        embeddings
            As in `fit`.
        rescorer
            A `Rescorer`, which ranks the most probable tags again by a function of yours.
        """
        features, classifier = self._fitted
        checked = checked_texts(texts)
        if k is not None and k < 1:
            raise ValueError(f"k must be at least 1, but is {k}")
        if threshold is not None:
            validation.check_share("threshold", threshold)
        subset = as_subset(labels, exclude_labels)
        if rescorer is not None:
            return rescorer._tag(self, checked, embeddings, k, threshold, subset)
        is_one = checked is not None and len(checked) == 1 and embeddings is None
        if is_one and k is not None and features.has_rows:
            assert checked is not None
            return [classifier._ranked_row(*features.row(checked[0]), k, threshold, subset=subset)]
        X = features.transform(checked, embeddings)
        return classifier._ranked(X, k, threshold, subset=subset)

    @checked
    def explain(
        self,
        text: str | None,
        tag: Hashable = None,
        top_features: int = 5,
        *,
        embedding: Any = None,
    ) -> Explanation:
        """Explain why a tag has its probability, word by word; see `PLTClassifier.explain`.

        Parameters
        ----------
        text
            One text.
        tag
            A tag of `classes_`; the most probable one if None.
        top_features
            Maximum number of words to list per node; the others are summed.
        embedding
            Embedding of the text, if the tagger was fitted with embeddings.

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

    @checked
    def evaluate(
        self,
        texts: Any,
        tags: Any = None,
        *,
        ks: Sequence[int] = (1, 3, 5),
        embeddings: Any = None,
        rescorer: Rescorer | None = None,
    ) -> dict[str, float]:
        """Return P@k, R@k, nDCG@k, coverage@k and ECE@k by name; see `metrics.evaluate`."""
        listed, tags = checked_pairs(texts, tags, embeddings)
        truth = targets.true_labels(tags, self.classes_, self.label_kind_)
        labels, probabilities = (
            self.classifier_.top_k(self._transform(listed, embeddings), max(ks))
            if rescorer is None
            else rescorer._top_k(self, listed, embeddings, max(ks))
        )
        return metrics.evaluate(truth, labels, ks=ks, probabilities=probabilities)

    def _transform(self, texts: Any, embeddings: Any) -> Any:
        return self._fitted.features.transform(checked_texts(texts), embeddings)

    def _query(self, texts: Any) -> Any:
        return self.classifier_._query(self._transform(texts, None))

    def _known(self, texts: Any, tags: Any, embeddings: Any) -> tuple[Any, Any]:
        """Return features, and the tags that occurred in training."""
        listed, tags = checked_pairs(texts, tags, embeddings)
        X = self._transform(listed, embeddings)
        if self.label_kind_ == "classes":
            return X, tags
        rows = targets.true_labels(tags, self.classes_, self.label_kind_)
        return X, rows.to_csr()[:, : len(self.classes_)]
