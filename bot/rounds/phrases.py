"""Recognise the few phrases that people write to the bot instead of a command."""

import re
from collections.abc import Sequence
from enum import Enum, auto

from bot.levels import normalize_word
from bot.rounds.registry import may_contain_answer


class Phrase(Enum):
    GIVE_UP = auto()
    HOW_TO_PLAY = auto()
    HINT = auto()
    HELP = auto()
    NEXT = auto()


GROUP_PHRASES = {
    Phrase.GIVE_UP: (
        *("i give up", "we give up", "i'm giving up", "me rindo", "nos rendimos"),
        *("сдаюсь", "я сдаюсь", "мы сдаёмся", "сдаёмся"),
        *("我放弃", "我放棄", "我认输", "我認輸", "我们放弃", "我們放棄"),
    ),
    Phrase.HOW_TO_PLAY: (
        *("how do i play", "how do we play", "how do you play", "how do i play this", "how do you play this"),
        *("how does this work", "how does it work", "how does this game work", "what are the rules"),
        *("how to play", "how to play this", "how is this played", "can you explain the rules"),
        *("what do i have to do", "what do we have to do", "what am i supposed to do"),
        *("cómo se juega", "cómo se juega a esto", "cómo juego", "cómo jugamos", "cómo funciona"),
        *("cómo funciona esto", "cuáles son las reglas", "qué tengo que hacer", "qué hay que hacer"),
        *("qué tenemos que hacer", "как играть", "как в это играть", "как тут играть", "как здесь играть"),
        *("какие правила", "какие тут правила", "как это работает", "что надо делать", "что нужно делать"),
        *(
            "что мне делать",
            "что тут делать",
            "怎么玩",
            "怎麼玩",
            "这个怎么玩",
            "這個怎麼玩",
            "这怎么玩",
            "這怎麼玩",
        ),
        *("规则是什么", "規則是什麼", "要做什么", "要做什麼", "我要做什么", "我要做什麼"),
    ),
}
PRIVATE_PHRASES = {
    **GROUP_PHRASES,
    Phrase.HINT: (
        *("hint", "a hint", "give me a hint", "can i have a hint", "another hint", "one more hint"),
        *("pista", "una pista", "dame una pista", "otra pista", "подсказка", "подсказку", "дай подсказку"),
        *("подскажи", "ещё подсказку", "ещё подсказка"),
        *("提示", "给个提示", "給個提示", "给我提示", "給我提示", "再给个提示", "再給個提示"),
    ),
    Phrase.HELP: (
        "help",
        "help me",
        "ayuda",
        "ayúdame",
        "помощь",
        "помоги",
        "помоги мне",
        "帮助",
        "幫助",
        "帮帮我",
        "幫幫我",
    ),
    Phrase.NEXT: (
        *("yes", "yeah", "yep", "yup", "sure", "of course", "ok", "okay", "next", "next one", "next hand"),
        *("another", "another one", "another hand", "one more", "again", "more", "play", "let's play"),
        *("let's go", "go", "go on", "deal", "new hand", "i want to play"),
        *("sí", "claro", "claro que sí", "vale", "dale", "bueno", "venga", "otra", "otra más", "otra mano"),
        *("otra vez", "una más", "más", "siguiente", "la siguiente", "jugar", "quiero jugar", "a jugar"),
        *("да", "давай", "конечно", "хорошо", "ок", "ага", "ещё", "ещё одну", "давай ещё", "ещё раз"),
        *("дальше", "следующая", "следующую", "играть", "хочу играть", "поехали", "новая", "новую"),
        *("是", "是的", "好", "好的", "行", "可以", "要", "来", "來", "继续", "繼續", "开始", "開始"),
        *("下一个", "下一個", "下一题", "下一題", "下一手", "下一局", "再来", "再來", "再来一个", "再來一個"),
        *("再来一题", "再來一題", "再来一局", "再來一局", "再来一次", "再來一次", "还要", "還要"),
    ),
}
# Around a phrase they do not matter
COURTESIES = (
    *("hi", "hello", "hey", "hi there", "hi all", "hi everyone", "good morning", "good evening", "bot", "so"),
    *("please", "pls", "thanks", "thank you", "hola", "buenas", "hola a todos", "buenos días"),
    *("buenas tardes", "por favor", "porfa", "gracias", "oye", "привет", "всем привет", "здравствуй"),
    *("здравствуйте", "добрый день", "добрый вечер", "пожалуйста", "спасибо", "бот"),
)
# No space divides these from a phrase
CHINESE_COURTESIES = (
    *("你好", "您好", "大家好", "嗨", "请问", "請問", "请", "請", "谢谢", "謝謝"),
    *("吧", "啊", "呀", "呢", "吗", "嗎", "了"),
)


def _normalize(text: str) -> str:
    return " ".join(re.findall(r"\w+", normalize_word(text)))


def _join_alternatives(texts: Sequence[str]) -> str:
    """Return a pattern that finds the longest of the texts: “hi all” rather than “hi”."""
    return "|".join(sorted(texts, key=len, reverse=True))


LATIN, CHINESE = map(_join_alternatives, ([_normalize(text) for text in COURTESIES], CHINESE_COURTESIES))
COURTESY = re.compile(rf"^(?:(?:{LATIN}) |(?:{CHINESE}) ?)+|(?: (?:{LATIN})| ?(?:{CHINESE}))+$")
IN_GROUPS = {_normalize(text): phrase for phrase, texts in GROUP_PHRASES.items() for text in texts}
IN_PRIVATE = {_normalize(text): phrase for phrase, texts in PRIVATE_PHRASES.items() for text in texts}
BOT_NAME = re.compile(r"@\w*bot\b", re.IGNORECASE)  # Telegram's bots have such usernames
MAX_LENGTH = 60  # Characters of a text with a phrase


def find_phrase(text: str, *, private: bool = False) -> Phrase | None:
    """Return the phrase that is all of the text, whatever its case and signs; None for other texts.

    A bot's name, a greeting and a "please" beside it do not matter. A question with such a name asks how to
    play.
    """
    if len(text) > MAX_LENGTH:
        return None
    normal = _normalize(BOT_NAME.sub("", text))
    phrases = IN_PRIVATE if private else IN_GROUPS
    is_question = names_bot(text) and text.rstrip().endswith(("?", "？"))
    found = phrases.get(normal) or phrases.get(COURTESY.sub("", normal))
    return found or (Phrase.HOW_TO_PLAY if is_question else None)


def names_bot(text: str) -> bool:
    return BOT_NAME.search(text) is not None


def may_be_for_bot(text: str) -> bool:
    """Whether a text in a group may contain an answer, or is a phrase."""
    return find_phrase(text) is not None or may_contain_answer(text)
