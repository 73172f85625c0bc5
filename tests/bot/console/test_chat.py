"""Language of the terminal chat."""

import pytest

from bot.console.chat import detect_language
from bot.i18n import choose_language


@pytest.mark.parametrize(
    ("environment", "tag", "spoken_to"),
    [
        ({}, "en", "en"),
        ({"LANG": "C.UTF-8"}, "en", "en"),
        ({"LANG": "POSIX", "LANGUAGE": "es"}, "en", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN", "zh_Hans"),
        ({"LANG": "zh_TW.UTF-8"}, "zh-TW", "zh_Hant"),
        ({"LANG": "es_MX@euro"}, "es-MX", "es"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "ru_RU.UTF-8"}, "ru-RU", "ru"),
        ({"LANG": "es_ES.UTF-8", "LC_MESSAGES": "ru_RU"}, "ru-RU", "ru"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "C"}, "en", "en"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""}, "es-ES", "es"),
        ({"LANG": "es_ES.UTF-8", "LANGUAGE": "pt:ru:en"}, "ru", "ru"),
        ({"LANG": "es_ES.UTF-8", "LANGUAGE": "en_GB:es"}, "en-GB", "en"),
        ({"LANG": "es_ES.UTF-8", "LANGUAGE": "pt:fr"}, "es-ES", "es"),
        ({"LANG": "pt_BR.UTF-8"}, "pt-BR", "en"),
    ],
)
def test_language_is_chosen_as_by_gettext(environment: dict[str, str], tag: str, spoken_to: str) -> None:
    assert detect_language(environment) == tag
    assert choose_language(tag) == spoken_to
