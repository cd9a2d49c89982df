"""Text tagging: learns from texts with tags, and predicts tags with probabilities."""

from labeltree.text.rescoring import Rescorer
from labeltree.text.tagger import TextTagger

__all__ = ["Rescorer", "TextTagger"]
