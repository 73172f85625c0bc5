"""`check --fix`: let the bot read groups, answer inline and join groups, by its settings at Telegram."""

from dataclasses import dataclass

from telegram import Bot
from telegram.error import InvalidToken, TelegramError

from bot.checkup.finding import Finding, good, wrong
from bot.queue.refusals import is_refusal
from bot.telegram.api import call_api, describe_failure, require_true


@dataclass(frozen=True, slots=True)
class AccountSetting:
    """A setting of the bot at Telegram that is to be on."""

    name: str  # in getMe and in setMySettings
    subject: str
    change: str  # words for the operator after it was switched on
    on: str  # messages to @BotFather that switch it on, for the username {0} …
    off: str  # … or off


READS_GROUPS = AccountSetting(
    "can_read_all_group_messages",
    "privacy mode",
    "switched off; where the bot is in a group already, remove it and add it again",
    "/setprivacy, {0}, Disable",
    "/setprivacy, {0}, Enable",
)
WANTED_SETTINGS = (
    READS_GROUPS,
    AccountSetting(
        "supports_inline_queries",
        "inline mode",
        "switched on",
        "/setinline, {0}, 3 8 3 8",
        "/setinline, {0}, /empty",
    ),
    AccountSetting(
        "can_join_groups",
        "groups",
        "people may add the bot to groups from now on",
        "/setjoingroups, {0}, Enable",
        "/setjoingroups, {0}, Disable",
    ),
)
SUBJECT = "--fix"


async def fix_account(bot: Bot) -> list[Finding]:
    """Switch on the wanted settings that are off; report each, and how to undo it.

    If Telegram does not do so, report why, with the messages to @BotFather that do the same. Raises
    TelegramError if Telegram does not even say how the settings are.
    """
    me = await call_api(bot, "getMe", {})
    username = f"@{me['username']}"
    missing = [setting for setting in WANTED_SETTINGS if not me.get(setting.name)]
    if not missing:
        return [good(SUBJECT, "nothing to change")]
    try:
        await require_true(call_api(bot, "setMySettings", {setting.name: True for setting in missing}))
    except TelegramError as error:
        by_hand = "; ".join(setting.on.format(username) for setting in missing)
        return [wrong(SUBJECT, _explain_failure(error), f"write to @BotFather: {by_hand}")]
    return [
        good(
            setting.subject,
            setting.change,
            f"to undo it, write to @BotFather: {setting.off.format(username)}",
        )
        for setting in missing
    ]


def _explain_failure(error: TelegramError) -> str:
    if isinstance(error, InvalidToken):  # as for a token, but that was known a moment ago
        return "this server does not know setMySettings, which is new in Bot API 10.5; nothing was changed"
    if is_refusal(error):
        return f"Telegram refuses setMySettings ({describe_failure(error)}); nothing was changed"
    return f"Telegram did not answer setMySettings ({describe_failure(error)})"
