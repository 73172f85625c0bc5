"""initData as Telegram would make it: with a bot's token, and with keys of our own in place of Telegram's."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import quote

TOKEN = "123456:TEST"  # noqa: S105 - opens nothing
ANN: dict[str, Any] = {"id": 7, "first_name": "Ann & Bo", "username": "ann", "language_code": "pt-br"}
NOW = 1_790_000_000


def joined(pairs: dict[str, str]) -> str:
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()))


def written(pairs: dict[str, str]) -> str:
    return "&".join(f"{key}={quote(value, safe='')}" for key, value in pairs.items())


def hashed(pairs: dict[str, str], token: str = TOKEN) -> str:
    secret = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    return hmac.new(secret, joined(pairs).encode(), hashlib.sha256).hexdigest()


def init_data(token: str = TOKEN, at: float = NOW, user: Any = ANN, **more: str) -> str:
    """Sound for whoever has the token."""
    known = user if isinstance(user, str) else json.dumps(user, separators=(",", ":"))
    pairs = {"auth_date": str(int(at)), "chat_instance": "-42", "chat_type": "supergroup", "user": known}
    pairs |= {"signature": "A" * 86} | more
    return written(pairs | {"hash": hashed(pairs, token)})
