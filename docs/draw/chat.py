"""Draw a group's messages as a messenger on a phone shows them."""

from base64 import b64encode
from html import escape
from pathlib import Path

from playwright.async_api import Page

from docs.draw.family import READER, Bubble, View

PAGE = (Path(__file__).parent / "chat.html").as_uri()
HEADER = "<header><i>F</i><div><b>Family</b><small>4 members</small></div></header>"
# The font for emoji has one colour.
EMOJI_COLOURS = {"🏆": "brass", "🏅": "brass", "💡": "brass", "🥇": "brass", "👎": "red"}


async def show_chat(page: Page, view: View) -> None:
    body = f"{HEADER}<main>{''.join(map(_render_bubble, view))}</main>"
    await page.evaluate("(body) => { document.body.innerHTML = body }", body)
    await page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")


def _render_bubble(bubble: Bubble) -> str:
    is_own = bubble.author == READER
    parts = [] if is_own else [f'<div class="author {bubble.author}">{bubble.author}</div>']
    if bubble.reply_to:
        parts.append(f"<blockquote><b>{bubble.reply_to}</b>{escape(bubble.quote)}</blockquote>")
    if bubble.photo:
        parts.append(f'<img alt="" src="data:image/png;base64,{b64encode(bubble.photo).decode()}">')
    parts.append(f"<p>{_colour_emoji(escape(bubble.text))}</p>")
    if bubble.reaction:
        parts.append(f'<span class="reaction">{_colour_emoji(bubble.reaction)}</span>')
    avatar = "" if is_own else f'<i class="{bubble.author}">{bubble.author[0]}</i>'
    keys = "".join(f"<div>{''.join(map(_render_key, row))}</div>" for row in bubble.buttons)
    return (
        f'<article{" class=own" if is_own else ""}>{avatar}<div class="bubble">{"".join(parts)}</div>'
        f"{f'<div class=keys>{keys}</div>' if keys else ''}</article>"
    )


def _render_key(label: str) -> str:
    return f"<span>{escape(label)}</span>"


def _colour_emoji(text: str) -> str:
    for emoji, colour in EMOJI_COLOURS.items():
        text = text.replace(emoji, f'<span class="{colour}">{emoji}</span>')
    return text
