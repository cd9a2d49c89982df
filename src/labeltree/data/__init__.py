"""Input data: validation of features and labels, and readers and writers for their files.

`as_features` converts features to float32 CSR, and `as_labels` converts labels to `LabelRows`. Both
accept the usual input types, avoid a copy if the input already has the right form, and name the row
and column of an invalid value. XMC text and npz files hold numbers. JSONL, TSV, CSV and fastText
files hold texts with tags and are read one line at a time; Parquet files and other tables are read
a few thousand rows at a time. Files whose names end in .gz or .zst are compressed. Files are
written completely or not at all, and errors in a file name its path and line or row.
"""

from labeltree.data.csv_text import read_csv
from labeltree.data.fasttext import read_fasttext, write_fasttext
from labeltree.data.features import as_features
from labeltree.data.folders import read_folder
from labeltree.data.labels import LabelRows, as_labels
from labeltree.data.mapped import read_mapped, write_mapped
from labeltree.data.npz import read_npz, read_npz_labels, write_npz
from labeltree.data.parquet import read_parquet, write_parquet
from labeltree.data.parquet_features import read_parquet_features, write_parquet_features
from labeltree.data.tables import read_table
from labeltree.data.text import read_jsonl, read_tsv, write_jsonl, write_tsv
from labeltree.data.text_shards import TextShards
from labeltree.data.xmc import read_xmc, write_xmc

__all__ = [
    "LabelRows",
    "TextShards",
    "as_features",
    "as_labels",
    "read_csv",
    "read_fasttext",
    "read_folder",
    "read_jsonl",
    "read_mapped",
    "read_npz",
    "read_npz_labels",
    "read_parquet",
    "read_parquet_features",
    "read_table",
    "read_tsv",
    "read_xmc",
    "write_fasttext",
    "write_jsonl",
    "write_mapped",
    "write_npz",
    "write_parquet",
    "write_parquet_features",
    "write_tsv",
    "write_xmc",
]
