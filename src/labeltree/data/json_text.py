"""JSON text of any origin."""

from __future__ import annotations

import json
from typing import Any


def parsed_json(text: str) -> Any:
    """Return the value of JSON text.

    Raises
    ------
    ValueError
        If the text is not JSON, is nested too deeply or cannot be written as UTF-8.

    Examples
    --------
    >>> parsed_json('{"len": }')
    Traceback (most recent call last):
    ...
    ValueError: broken JSON: Expecting value at character 9
    """
    try:
        value = json.loads(text)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("broken JSON: half of a surrogate pair") from None
    except json.JSONDecodeError as error:
        problem = error.msg.removesuffix(" at")
        line = f" of line {error.lineno}" if error.lineno > 1 else ""
        raise ValueError(f"broken JSON: {problem} at character {error.colno}{line}") from None
    except RecursionError:
        raise ValueError("broken JSON: lists and objects are nested too deeply") from None
    except ValueError:  # Python limits the digits of integers
        raise ValueError("broken JSON: a number has too many digits") from None
    return value
