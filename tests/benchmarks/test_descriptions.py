"""WordNet's files as texts with tags."""

from pathlib import Path

from benchmarks.pages.descriptions import ancestors, read_synsets

NOUNS = """\
  1 This is a license.
00000010 03 n 01 food 0 001 ~ 00000020 n 0000 | what is eaten
00000020 13 n 02 baked_goods 0 bread 1 002 @ 00000010 n 0000 ~ 00000030 n 0000 | of dough
00000030 13 n 01 rye_bread 0 001 @ 00000020 n 0000 | of rye
"""


def test_synsets_have_words_a_gloss_and_hypernyms(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text(NOUNS)
    (tmp_path / "data.verb").write_text("00000010 30 v 01 bake 0 000 01 + 08 00 | cook\n")
    synsets = read_synsets(tmp_path)
    assert synsets["n00000020"] == ("baked goods bread of dough", ("n00000010",))
    assert synsets["v00000010"] == ("bake cook", ())
    assert ancestors("n00000030", synsets) == {"n00000010", "n00000020"}
