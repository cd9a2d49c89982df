"""Models on the Hugging Face hub: one file and a generated model card.

Needs ``pip install "labeltree[hub]"``. `labeltree.load` opens ``hf://owner/name``. No address is
ever read from a file.
"""

from labeltree.hub.card import model_card
from labeltree.hub.repositories import pull, push

__all__ = ["model_card", "pull", "push"]
