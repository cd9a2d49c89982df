"""Why does a text get a tag? Trains on the docstrings of numpy and scipy, and explains one answer.

python examples/explain.py [question] [--label scipy.sparse.linalg] [--picture explain.png]
"""

import argparse

from sklearn.feature_extraction.text import TfidfVectorizer

from labeltree import PLTClassifier, plot
from labeltree.datasets import python_docs


def main() -> None:
    """Train, explain, and draw if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", nargs="?", default="eigenvalues of a sparse matrix")
    parser.add_argument("--label", help="tag to explain; the most probable one if not given")
    parser.add_argument("--picture", help="file to draw the explanation to")
    options = parser.parse_args()

    docs = python_docs(packages=["numpy", "scipy"])
    words = TfidfVectorizer(sublinear_tf=True)
    clf = PLTClassifier().fit(words.fit_transform(docs.texts), docs.tags)

    row = words.transform([options.question])
    why = clf.explain(row, options.label, feature_names=words.get_feature_names_out())
    print(why)
    if options.picture:
        plot.explanation(why).savefig(options.picture)


if __name__ == "__main__":
    main()
