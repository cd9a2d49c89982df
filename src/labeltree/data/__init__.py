"""What goes in: checks of features and labels, and the files they come from.

Features travel as float32 compressed rows made by `as_features`, labels as `LabelRows` made by
`as_labels`; both take whatever form the user has, copy nothing that is fit already, and name row
and column of what is wrong. XMC text and npz files hold numbers; JSONL and TSV files hold texts
with tags and are read one line at a time. Names ending in .gz or .zst are packed; files are written
whole or not at all, and errors in them name path and line.
"""

from labeltree.data.csv_text import read_csv
from labeltree.data.fasttext import read_fasttext, write_fasttext
from labeltree.data.features import as_features
from labeltree.data.folders import read_folder
from labeltree.data.labels import LabelRows, as_labels
from labeltree.data.npz import read_npz, read_npz_labels, write_npz
from labeltree.data.text import read_jsonl, read_tsv, write_jsonl, write_tsv
from labeltree.data.xmc import read_xmc, write_xmc

__all__ = [
    "LabelRows",
    "as_features",
    "as_labels",
    "read_csv",
    "read_fasttext",
    "read_folder",
    "read_jsonl",
    "read_npz",
    "read_npz_labels",
    "read_tsv",
    "read_xmc",
    "write_fasttext",
    "write_jsonl",
    "write_npz",
    "write_tsv",
    "write_xmc",
]
