"""What a case may do: return an answer or raise a plain sentence. Everything else is a finding."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import NotFittedError

from labeltree import ModelFileError

#: Classes of errors that state a rule; subclasses such as UnicodeDecodeError do not count.
PLAIN = (ValueError, TypeError, ModelFileError, NotFittedError, FileNotFoundError)
_MAX_MESSAGE = 2000  # characters
# Sentences of Python, numpy and nanobind, which name neither the argument nor the remedy.
_FOREIGN = re.compile(
    r"incompatible function arguments|not supported between|object is not|has no attribute"
    r"|unsupported operand|must be real number|unhashable type|cannot convert float|invalid literal"
    r"|truth value of an array|ufunc|unexpected keyword argument|required positional|keyword-only"
    r"|could not broadcast|could not be broadcast|cannot reshape|bad operand|only integer scalar"
    r"|only length-1|object cannot be interpreted|setting an array element|not JSON serializable"
    r"|expected str instance|argument of type|not iterable|null byte|codec can't|no types given"
    r"|out of bounds for axis|need at least one array|zero-size array|dimensions? mismatch"
    r"|std::|vector::|bad_alloc|should return|cannot be cast|buffer size|escape sequence"
    r"|embedded null|Exceeds the limit|must be non-negative|too large to convert"
)
# Attributes that an estimator has only in some states, as scikit-learn has it.
_OF_STATE = re.compile(
    r"This '\w+' has no attribute|call partial_fit first|names? of|no names|not fitted"
)
_OF_INDEX = re.compile(r"^(labels|nodes|rows) are 0\.\.")  # as sequences have it


class OddResultError(AssertionError):
    """Raised by a case whose answer breaks a promise, such as a probability of NaN."""


@dataclass(frozen=True)
class Finding:
    """One broken promise; findings with the same kind and place are the same."""

    kind: str  # name of the exception, or "crash", "hang", "memory"
    place: str  # innermost function of the project, or the summary of a sanitizer
    message: str
    report: str  # traceback or end of the sanitizer's report


def judged(error: BaseException, named: str | None = None) -> Finding | None:
    """Return what is wrong with an exception; None if it is a plain sentence.

    A sentence that begins with the name of a file, `named`, may quote the words of another library.
    """
    message = str(error)
    if type(error) in PLAIN and len(message) <= _MAX_MESSAGE:
        if named is not None and message.startswith(named):
            return None
        if " " in message.strip() and not _FOREIGN.search(message):
            return None
    if isinstance(error, OSError) and error.filename is not None:  # the file and the reason
        return None
    if isinstance(error, AttributeError) and _OF_STATE.search(message):
        return None
    if type(error) is IndexError and _OF_INDEX.search(message):
        return None
    report = "".join(traceback.format_exception(error)[-12:])
    kind = type(error).__name__
    if type(error) in PLAIN:
        kind += " (long)" if len(message) > _MAX_MESSAGE else " (foreign)"
    return Finding(kind, _place(error.__cause__ or error), message[:300], report[-6000:])


def _place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/labeltree/" in frame.filename.replace("\\", "/")]
    if not own:
        return frames[-1].name if frames else "unknown"
    name = own[-1].filename.rpartition("/labeltree/")[2]
    return f"{name}:{own[-1].name}"


def check_probabilities(values: object) -> None:
    """Check that all numbers are probabilities."""
    found = np.asarray(values, dtype=np.float64)
    if found.size and not ((found >= 0) & (found <= 1)).all():
        odd = found[~((found >= 0) & (found <= 1))]
        raise OddResultError(f"a probability must lie in 0..1, but one is {odd[0]!r}")


def check_finite(name: str, values: object) -> None:
    """Check that all numbers are finite."""
    found = np.asarray(values, dtype=np.float64)
    if not np.isfinite(found).all():
        raise OddResultError(f"{name} must be finite, but is not")
