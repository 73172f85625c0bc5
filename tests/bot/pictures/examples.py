"""Example pictures of each kind in several languages, with odd names and large numbers."""

from collections.abc import Mapping, Sequence

from bot.pictures.values import (
    Badge,
    Card,
    DailyPicture,
    DuelPicture,
    HandPicture,
    Operation,
    Picture,
    PodiumFact,
    PodiumPicture,
    ProfilePicture,
    RankedLine,
    RankingPicture,
    RecordsPicture,
    RollPicture,
    ScoreCardPicture,
    ScoreRow,
    SolutionPicture,
    Tile,
    TilesPicture,
    WeekPicture,
)

# The longest name that Telegram allows
LONG = "Anastasia Konstantinopolskaya the Third of Her Name, Empress of E"[:64]
FAMILY = "👩‍👩‍👧‍👦"
# Names that read from the right, join letters, stack marks, or are in no typeface as a whole
ODD = (
    "Zoë 🦊",
    "شهرزاد بنت الملك",
    "דוד (בן־גוריון) 7",
    LONG,
    "王小明",
    "नरेन्द्र शर्मा",
    f"{FAMILY}🏳️‍🌈🇩🇪1️⃣",
    "𝕬𝖓𝖓𝖆 ✨ z̸̡̢̛̗a̵̡͎l̵͔g̷̢o",
    "Nguyễn Thị Ánh",
    "ཀ་ཁ་ག bo ꧁༺Ann༻꧂",
)
POINTS = (3, 0, 1, 5, 8, 0, 0, 2, 4, 4, 9, 1, 0, 0, 3, 6, 2, 8, 12, 0, 0, 1, 2, 3, 5, 0, 0, 4, 6, 7)
ROLLS = (
    *((1, 1, 1, 3, 4), (2, 2, 2, 5, 6), (3, 3, 3, 1, 2), (4, 4, 4, 4, 2), (5, 5, 5, 1, 2), (6, 6, 6, 1, 3)),
    *((6, 6, 5, 4, 3), (5, 5, 5, 2, 1), (6, 6, 6, 6, 2), (3, 3, 3, 3, 3), (1, 2, 3, 4, 6), (2, 3, 4, 5, 6)),
    (2, 2, 6, 6, 6),
)


def _make_rows(names: Sequence[str], scores: Sequence[int | None], first: int = 0) -> list[ScoreRow]:
    rolls = ROLLS[first:]
    return [
        ScoreRow(name) if score is None else ScoreRow(name, score, roll)
        for name, score, roll in zip(names, scores, rolls, strict=False)
    ]


def _make_score_card(
    title: str,
    upper: Sequence[str],
    lower: Sequence[str],
    others: tuple[str, str],
    scores: Sequence[int | None],
) -> ScoreCardPicture:
    above = sum(score or 0 for score in scores[:6])
    bonus = 35 if above >= 63 else 0
    total = sum(score or 0 for score in scores) + bonus
    return ScoreCardPicture(
        title,
        _make_rows(upper, scores[:6]),
        ScoreRow(others[0], bonus),
        _make_rows(lower, scores[6:], 6),
        total,
        others[1],
    )


ENGLISH_CARD = _make_score_card(
    "Ann",
    ("Ones", "Twos", "Threes", "Fours", "Fives", "Sixes"),
    (
        *("Chance", "Three of a kind", "Four of a kind", "Five of a kind"),
        *("Short straight", "Long straight", "Full house"),
    ),
    ("Bonus", "Total"),
    (3, 6, 9, 16, 15, 18, 24, 18, 26, 50, 30, 40, None),
)
RUSSIAN_CARD = _make_score_card(
    f"Анна-Мария 😀 {LONG}",
    ("Единицы", "Двойки", "Тройки", "Четвёрки", "Пятёрки", "Шестёрки"),
    ("Шанс", "Тройка", "Каре", "Пять одинаковых", "Малый стрит", "Большой стрит", "Фул-хаус"),
    ("Бонус", "Всего"),
    (3, 6, 9, None, 15, 18, 24, None, 26, 50, 30, 40, 25),
)
EIGHTS = Operation(
    "÷",
    Card(8, "♥"),
    Operation("−", Card(3, "♠"), Operation("÷", Card(8, "♣"), Card(3, "♦"), "2 2/3"), "1/3"),
    "24",
)
CHAIN = Operation(
    "+",
    Operation(
        "×",
        Operation(
            "−", Operation("×", Operation("×", Tile(25), Tile(3), "75"), Tile(2), "150"), Tile(7), "143"
        ),
        Tile(4),
        "572",
    ),
    Tile(1),
    "573",
)
PAIRS = Operation(
    "+",
    Operation("÷", Card(12, "♠"), Card(13, "♥"), "12/13"),
    Operation("×", Card(11, "♦"), Operation("−", Card(1, "♣"), Card(9, "♠"), "−8"), "−88"),
    "−87 1/13",
)
BADGES = (
    *(
        Badge("👹", "Fiend tamer"),
        Badge("⚡", "Lightning"),
        Badge("🧗", "Undaunted"),
        Badge("🔥", "Ten in a row"),
    ),
    *(Badge("🧠", "Every idea"), Badge("💯", "A hundred hands"), Badge("🐦", "Early bird")),
    *(Badge("🦉", "Night owl"), Badge("🗓", "Seven days"), Badge("🌙", "Thirty days")),
)
COURTS = (
    *(Card(12, "♠"), Card(13, "♥"), Card(12, "♦")),
    *(Card(11, "♣"), Card(13, "♠"), Card(11, "♥")),
)

# Language and picture by name
EXAMPLES: Mapping[str, tuple[str, Picture]] = {
    "deal": ("en", HandPicture((Card(3, "♠"), Card(8, "♥"), Card(3, "♦"), Card(8, "♣")), 24)),
    "deal-courts": ("en", HandPicture((Card(1, "♠"), *COURTS[1:4]), 24)),
    "deal-four-courts": ("en", HandPicture(COURTS[:4], 24)),
    "deal-three": ("en", HandPicture((Card(10, "♣"), Card(9, "♥"), Card(7, "♦")), 100)),
    "deal-five": ("en", HandPicture((*COURTS[:3], Card(9, "♠"), Card(10, "♥")), 1000)),
    "deal-six": ("en", HandPicture(COURTS, 24)),
    "draw": ("en", TilesPicture((25, 50, 7, 3, 100, 1), 573)),
    "roll-bare": ("en", RollPicture((1, 1, 1, 1, 1))),
    "scorecard": ("en", ENGLISH_CARD),
    "scorecard-ru": ("ru", RUSSIAN_CARD),
    "solution": ("en", SolutionPicture("Bob", "+5 points", EIGHTS)),
    "solution-tiles": ("es", SolutionPicture("محمد عبد الله", "+10 puntos", CHAIN)),
    "solution-pairs": ("ru", SolutionPicture(LONG, "+5 очков", PAIRS)),
    "race": (
        "en",
        RankingPicture(
            "The race is over.",
            (
                RankedLine(1, "Bob", 14),
                RankedLine(2, "Ann", 9),
                RankedLine(3, "Zoë", 4),
                RankedLine(3, "王", 4),
            ),
        ),
    ),
    "race-odd": (
        "ru",
        RankingPicture("Гонка окончена.", [RankedLine(n, name, 33 - 3 * n) for n, name in enumerate(ODD, 1)]),
    ),
    "duel": ("en", DuelPicture("The duel is won", ("Ann", "Bob"), (1, 3), ((0,), (1,), (), (1,), (1,)), 1)),
    "duel-given-up": ("en", DuelPicture("Given up", ("สมหญิง", "שרה"), (0, 1), ((1,),), 0)),
    "duel-offered": ("es", DuelPicture("Duelo", (LONG, "?"), (0, 0), ((),) * 5, None)),
    "duel-zh": (
        "zh_Hant",
        DuelPicture("決鬥打平", ("王小明", ODD[1]), (2, 2), ((0,), (1,), (), (1,), (0,)), None),
    ),
    "podium": (
        "en",
        PodiumPicture(
            "The week’s winner",
            (RankedLine(1, "Bob", 42), RankedLine(2, LONG, 31), RankedLine(3, "王小明", 18)),
            (PodiumFact("The fastest answer", "3 s", "Zoë"), PodiumFact("Nobody found", "3 8 3 8 → 24")),
        ),
    ),
    "podium-shared": (
        "ru",
        PodiumPicture(
            "Итоги недели",
            (RankedLine(1, "Боб", 1042), RankedLine(1, ODD[2], 1042)),
            (PodiumFact("Самый быстрый ответ", "3 с", LONG),),
        ),
    ),
    "profile": (
        "en",
        ProfilePicture(
            "Ann",
            (("152", "points"), ("40", "wins"), ("#2", "here"), ("7", "in a row")),
            "Best times",
            (("easy", "0:04"), ("medium", "0:11"), ("hard", "0:48"), ("fiendish", "2:05")),
            "30 days",
            POINTS,
            "Daily hands: 21",
            [day % 3 != 1 for day in range(32)],
            "Achievements",
            BADGES,
        ),
    ),
    "profile-zh": (
        "zh_Hant",
        ProfilePicture(
            f"王小明 🐼 {ODD[1]} {LONG}",
            (("10204", "分"), ("340", "勝"), ("第 1 名", "本群")),
            "最快用時",
            (("簡單", "0:04"), ("中等", "1:00:11")),
            "30 天",
            POINTS,
            "每日一題：21",
            [day % 3 != 1 for day in range(29)],
            "成就",
            (Badge("👹", "馴魔者"), Badge("⚡", "閃電"), Badge("🧗", "不屈不撓")),
            "Countdown",
        ),
    ),
    "profile-new": (
        "es",
        ProfilePicture(
            "Eva", (("1", "punto"), ("1", "ganada")), "", (), "30 días", (*[0] * 29, 1), "", (), "", ()
        ),
    ),
    "week": (
        "en",
        WeekPicture(
            "Leaderboard · this chat · this week",
            ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"),
            (
                (RankedLine(1, "Bob", 42), (5, 8, 0, 12, 9, 8)),
                (RankedLine(2, LONG, 31), (5, 0, 7, 6, 13, 0)),
                (RankedLine(3, "王小明", 18), (0, 0, 3, 0, 0, 15)),
            ),
        ),
    ),
    "week-ru": (
        "ru",
        WeekPicture(
            "Таблица лидеров · этот чат · эта неделя",
            ("пн", "вт", "ср", "чт", "пт", "сб", "вс"),
            [(RankedLine(n, name, 10000 - 3 * n), (5, 8, 0, 12, 9, 8, n)) for n, name in enumerate(ODD, 1)],
        ),
    ),
    "records": (
        "en",
        RecordsPicture(
            "Records of this chat",
            [
                PodiumFact("easy", "4 s", "Bob"),
                PodiumFact("fiendish", "1 min 12 s", LONG),
                PodiumFact("in a row", "7", "王小明"),
                PodiumFact("points in a day (UTC)", "31", ODD[1]),
            ],
        ),
    ),
    "records-none": ("ru", RecordsPicture("Рекорды этого чата", [])),
    "daily": ("en", DailyPicture("Twenty-Four 21 Nov", "fiendish", 2, 1, "42 s", 12, "days in a row")),
    "daily-ru": (
        "ru",
        DailyPicture("Двадцать четыре 21 нояб.", "дьявольски сложно", 9, 3, "23 ч 2 мин", 1, "день подряд"),
    ),
}
