"""Explain why a text gets a tag, with a tagger trained on the docstrings of numpy and scipy.

python examples/explain.py [text] [--label scipy.sparse.linalg] [--plot explain.png]
"""

import argparse

from sklearn.feature_extraction.text import TfidfVectorizer

from labeltree import PLTClassifier, plot
from labeltree.datasets import python_docs


def main() -> None:
    """Train, explain one prediction, and optionally save a plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", default="eigenvalues of a sparse matrix")
    parser.add_argument("--label", help="tag to explain (default: the most probable)")
    parser.add_argument("--plot", help="save a plot of the explanation to this file")
    options = parser.parse_args()

    docs = python_docs(packages=["numpy", "scipy"])
    words = TfidfVectorizer(sublinear_tf=True)
    clf = PLTClassifier().fit(words.fit_transform(docs.texts), docs.tags)

    row = words.transform([options.text])
    why = clf.explain(row, options.label, feature_names=words.get_feature_names_out())
    print(why)
    if options.plot:
        plot.explanation(why).savefig(options.plot)


if __name__ == "__main__":
    main()
