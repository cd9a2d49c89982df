"""A plain FastAPI handler over omikuji; runs in the environment of the rivals.

    plain.py train FOLDER      trains on train.tsv and vocab.tsv, the files of Annif
    uvicorn plain:app          answers; the folder is in PLAIN_FOLDER

This file imports nothing from the project.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any


def train(folder: Path) -> None:
    """Train omikuji with its defaults on TF-IDF features of scikit-learn."""
    import omikuji
    from sklearn.feature_extraction.text import TfidfVectorizer

    names = [line.split("\t") for line in (folder / "vocab.tsv").read_text().splitlines()]
    number = {uri: j for j, (uri, _) in enumerate(names)}
    lines = (folder / "train.tsv").read_text().splitlines()
    texts, uris = zip(*(line.split("\t") for line in lines), strict=True)
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(texts)
    path = folder / "plain.txt"
    with path.open("w") as file:
        file.write(f"{X.shape[0]} {X.shape[1]} {len(names)}\n")
        for i, row in enumerate(uris):
            labels = ",".join(str(number[uri]) for uri in row.split())
            start, end = X.indptr[i : i + 2]
            pairs = zip(X.indices[start:end], X.data[start:end], strict=True)
            file.write(labels + "".join(f" {j}:{x:.6g}" for j, x in pairs) + "\n")
    omikuji.Model.train_on_data(str(path)).save(str(folder / "plain-model"))
    with (folder / "plain.pickle").open("wb") as binary:
        pickle.dump((vectorizer, [name for _, name in names]), binary)


def make_app(folder: Path) -> Any:
    """Return the application."""
    import omikuji
    from fastapi import FastAPI
    from pydantic import BaseModel

    model = omikuji.Model.load(str(folder / "plain-model"))
    vectorizer, names = pickle.loads((folder / "plain.pickle").read_bytes())
    made = FastAPI()

    class Question(BaseModel):
        text: str
        k: int = 5

    # Not a plain function, which would run on another thread and take longer.
    async def tag(question: Question) -> list[dict[str, Any]]:
        row = vectorizer.transform([question.text])
        pairs = list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        found = model.predict(pairs, top_k=question.k)
        return [{"label": names[j], "score": score} for j, score in found]

    tag.__annotations__["question"] = Question
    made.post("/tag")(tag)
    return made


if __name__ == "__main__":
    train(Path(sys.argv[2]))
elif "PLAIN_FOLDER" in os.environ:
    app = make_app(Path(os.environ["PLAIN_FOLDER"]))
