"""Steps of winning answers in messages and alerts."""

from bot.games.countdown.rules import Draw
from bot.games.twentyfour import explain
from bot.rounds.puzzle import Find, Kind
from bot.rounds.rules import Round

DRAW = Draw((25, 50, 7, 3, 9, 1), 573, "(25+50)*(7+1)-9*3", 573, "fiendish", 50.0)
OVER = Round(7, -1, 0, Kind.BEST, "countdown", DRAW, 1, 0.0, 60.0)
FINDS = [Find(1, "(25+50)*(7+1)-9*3", "0", 10), Find(2, "(25+50)*(1+7)-3*9", "1", 10)]


def test_winning_answers_are_shown_with_their_finders_and_steps() -> None:
    result = explain.render_winners(OVER, FINDS, {1: "Ann", 2: "Bob"})
    assert [line for line in result.splitlines() if line.startswith("🏆")] == [
        "🏆 \u2068Ann\u2069: <b>(25+50)×(7+1)−9×3 = 573</b>",
        "🏆 \u2068Bob\u2069: <b>(25+50)×(1+7)−3×9 = 573</b>",
    ]
    assert result.count("5. 600 − 27 = 573") == 2


def test_alert_has_only_whole_answers() -> None:
    both = explain.render_alert(OVER, FINDS)
    assert len(both) <= explain.MAX_ALERT_LENGTH
    assert both.count("600 − 27 = 573") == 2
    more = [Find(3, "(25+50)*(7+1)-3*9", "2", 10), Find(4, "(50+25)*(7+1)-9*3", "3", 10)]
    many = explain.render_alert(OVER, [*FINDS, *more])
    assert len(many) <= explain.MAX_ALERT_LENGTH
    assert all(line == "" or " = " in line for line in many.splitlines())
    assert many.splitlines()[:5] == both.splitlines()[:5]
