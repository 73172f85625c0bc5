"""initData as Telegram signs it with a bot's token."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import quote

TOKEN = "123456:TEST"  # noqa: S105 - opens nothing
ANN: dict[str, Any] = {"id": 7, "first_name": "Ann & Bo", "username": "ann", "language_code": "pt-br"}
NOW = 1_790_000_000


def join_pairs(pairs: dict[str, str]) -> str:
    return "\n".join(f"{key}={value}" for key, value in sorted(pairs.items()))


def encode_pairs(pairs: dict[str, str]) -> str:
    return "&".join(f"{key}={quote(value, safe='')}" for key, value in pairs.items())


def sign_pairs(pairs: dict[str, str], token: str = TOKEN) -> str:
    secret = hmac.new(b"WebAppData", token.encode(), hashlib.sha256).digest()
    return hmac.new(secret, join_pairs(pairs).encode(), hashlib.sha256).hexdigest()


def make_init_data(token: str = TOKEN, at: float = NOW, user: Any = ANN, **more: str) -> str:
    """Return initData that is valid for the token's bot."""
    known = user if isinstance(user, str) else json.dumps(user, separators=(",", ":"))
    pairs = {"auth_date": str(int(at)), "chat_instance": "-42", "chat_type": "supergroup", "user": known}
    pairs |= {"signature": "A" * 86} | more
    return encode_pairs(pairs | {"hash": sign_pairs(pairs, token)})
