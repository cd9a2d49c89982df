"""From text to tags: texts and lists of tags in, tags with probabilities out."""

from labeltree.text.tagger import TextTagger

__all__ = ["TextTagger"]
