"""Keys of a class, which nobody can guess: the id of the class or pupil, encrypted for one purpose.

Nothing is stored: the keys follow from a secret that all bots on one database share, and are valid as long as
the class or the pupil exists.
"""

from enum import StrEnum

from bot.board.tokens import InvalidTokenError, TokenCipher


class Purpose(StrEnum):
    TEACHER = "teacher"  # Opens the teacher's page
    PROJECTOR = "projector"  # Opens the page for the wall, which shows no more than the class may see
    JOIN = "join"  # Takes the place of the typed code
    PUPIL = "pupil"  # Brings a pupil back


class ClassKeys:
    def __init__(self, secret: bytes) -> None:
        self._ciphers = {purpose: TokenCipher(secret, f"class {purpose}") for purpose in Purpose}

    def make_key(self, purpose: Purpose, number: int, device: str = "") -> str:
        """Return a key with an id, and of a pupil with the browser for which it is made."""
        return self._ciphers[purpose].encrypt(f"{number} {device}".encode())

    def read_key(self, purpose: Purpose, key: str) -> tuple[int, str]:
        """Return the id and the browser in a key. Raises InvalidTokenError if it is of another purpose."""
        try:
            number, device = self._ciphers[purpose].decrypt(key).decode().split(" ")
            return int(number), device
        except ValueError:
            raise InvalidTokenError from None
