"""The Bot API over HTTP."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.telegram import BotApi, Gate, ThreadedBotApi, User, World


@pytest.fixture
def ann(world: World) -> User:
    ann = world.user("Ann")
    world.start(ann)
    return ann


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    async with BotApi(world) as api, httpx.AsyncClient(base_url=api.url) as client:
        yield client


@pytest.mark.parametrize("shape", ["query", "form", "json", "parts"])
async def test_parameters_are_accepted_in_every_encoding(
    world: World, ann: User, http: httpx.AsyncClient, shape: str
) -> None:
    params = {"chat_id": str(ann.id), "text": " 3 8 → 24", "reply_markup": '{"inline_keyboard": []}'}
    path = f"/bot{world.token}/sendMessage"
    match shape:
        case "query":
            answer = await http.get(path, params=params)
        case "form":
            answer = await http.post(path, data=params)
        case "json":
            answer = await http.post(path, json=params | {"chat_id": ann.id})
        case _:
            answer = await http.post(path, files={name: (None, value) for name, value in params.items()})
    assert answer.json()["result"]["text"] == "3 8 → 24"
    assert world.violations == []


async def test_rotated_token_is_refused_and_the_new_one_accepted(
    world: World, http: httpx.AsyncClient
) -> None:
    before = world.token
    after = world.rotate()
    answers = [await http.get(f"/bot{token}/getMe") for token in (before, after)]
    assert [answer.status_code for answer in answers] == [401, 200]
    assert answers[1].json()["result"]["id"] == world.bot.id


async def test_uploads_are_found_by_attachment_and_by_name(
    world: World, ann: User, http: httpx.AsyncClient
) -> None:
    path = f"/bot{world.token}/sendPhoto"
    for photo, part in (("attach://cards", "cards"), (None, "photo")):
        data = {"chat_id": str(ann.id)} | ({"photo": photo} if photo else {})
        answer = await http.post(path, data=data, files={part: b"picture"})
        assert answer.status_code == 200, answer.text
    assert [post.file for post in world.posts(ann)] == [b"picture", b"picture"]
    lost = await http.post(path, data={"chat_id": str(ann.id), "photo": "attach://nothing"})
    error_text = "Bad Request: part 'nothing' that the request attaches isn't in it"
    assert (lost.status_code, lost.json()["description"]) == (400, error_text)


@pytest.mark.parametrize(
    ("path", "status", "description"),
    [
        ("/bot1:wrong/getMe", 401, "Unauthorized"),
        ("/botwrong/getMe", 404, "Not Found"),
        ("/bot{token}/getNothing", 404, "Not Found"),
    ],
)
async def test_unknown_tokens_and_methods_are_refused(
    world: World, http: httpx.AsyncClient, path: str, status: int, description: str
) -> None:
    answer = await http.get(path.format(token=world.token))
    assert (answer.status_code, answer.json()["description"]) == (status, description)


async def test_polling_acknowledges_by_offset(world: World, ann: User, http: httpx.AsyncClient) -> None:
    path = f"/bot{world.token}/getUpdates"
    world.say(ann, ann, "two")
    first, second = (await http.get(path)).json()["result"]
    assert [u["update_id"] for u in (await http.get(path)).json()["result"]] == [
        first["update_id"],
        second["update_id"],
    ]
    rest = await http.get(path, params={"offset": second["update_id"], "timeout": 1})
    assert rest.json()["result"] == [second]
    waiting = asyncio.create_task(http.get(path, params={"offset": second["update_id"] + 1, "timeout": 5}))
    await world.wait_until(lambda: not world.updates.pending)
    world.say(ann, ann, "three")
    assert (await waiting).json()["result"][0]["message"]["text"] == "three"
    assert world.updates.deliveries[first["update_id"]] == 2


async def test_polling_is_refused_while_a_webhook_is_set(world: World, http: httpx.AsyncClient) -> None:
    root = f"/bot{world.token}"
    assert (await http.get(f"{root}/setWebhook", params={"url": "http://example.org"})).status_code == 400
    await http.get(
        f"{root}/setWebhook", params={"url": "https://127.0.0.1:1/", "allowed_updates": '["message"]'}
    )
    info = (await http.get(f"{root}/getWebhookInfo")).json()["result"]
    assert (info["url"], info["allowed_updates"]) == ("https://127.0.0.1:1/", ["message"])
    assert (await http.get(f"{root}/getUpdates")).status_code == 409
    await http.get(f"{root}/deleteWebhook")
    assert (await http.get(f"{root}/getUpdates")).status_code == 200


async def test_killed_poller_takes_no_updates(world: World, ann: User, http: httpx.AsyncClient) -> None:
    path = f"/bot{world.token}/getUpdates"
    world.updates.drop_all()
    poll = asyncio.create_task(http.get(path, params={"timeout": 30}))
    await world.wait_until(lambda: world.calls("getUpdates"))
    poll.cancel()
    await asyncio.gather(poll, return_exceptions=True)
    world.say(ann, ann, "still here?")
    (update,) = (await http.get(path)).json()["result"]
    assert update["message"]["text"] == "still here?"
    assert world.updates.conflicts == 0


async def test_faults_over_http(world: World, ann: User, http: httpx.AsyncClient) -> None:
    path = f"/bot{world.token}/sendMessage"
    form = {"chat_id": str(ann.id), "text": "x"}
    faults = world.faults
    faults.add("send*", close=True, count=1)
    with pytest.raises(httpx.RemoteProtocolError):
        await http.post(path, data=form)
    assert world.posts(ann) == []
    faults.add("send*", close=True, effect=True, count=1)
    with pytest.raises(httpx.RemoteProtocolError):
        await http.post(path, data=form)
    assert [post.text for post in world.posts(ann)] == ["x"]
    faults.add("sendMessage", status=502, count=1)
    assert (await http.post(path, data=form)).status_code == 502
    faults.add("sendMessage", body=b"", count=1)
    assert (await http.post(path, data=form)).content == b""
    rule = faults.add("sendMessage", chat=ann.id, retry_after=3)
    answer = await http.post(path, data=form)
    assert (answer.status_code, answer.json()["parameters"]) == (429, {"retry_after": 3})
    assert (await http.post(path, data=form | {"chat_id": "5"})).status_code == 400
    faults.remove(rule)
    slow = faults.add("sendMessage", delay=0.02)
    start = time.monotonic()
    assert (await http.post(path, data=form)).status_code == 200
    assert time.monotonic() - start >= 0.019, "but for the clock's own steps"
    assert (rule.hits, slow.hits, len(world.posts(ann))) == (1, 1, 2)


async def test_unreadable_body_is_refused(world: World, http: httpx.AsyncClient) -> None:
    answer = await http.post(
        f"/bot{world.token}/getMe", content=b"{", headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400


def test_server_on_its_own_thread(world: World, ann: User) -> None:
    with ThreadedBotApi(world) as api:
        root = f"{api.url}/bot{world.token}"
        assert httpx.get(f"{root}/getMe").json()["result"]["username"] == "TwentyFourTestBot"
        api.do(world.say, ann, ann, "/help")
        updates = httpx.get(f"{root}/getUpdates").json()["result"]
        assert updates[-1]["message"]["text"] == "/help"
        httpx.post(f"{root}/sendMessage", data={"chat_id": str(ann.id), "text": "here"})
        assert api.wait(world.next_post(ann)).text == "here"


@pytest.mark.long
async def test_fake_is_fast_enough_for_load_tests(world: World, ann: User) -> None:
    """1500 posts a second of CPU time, with checks and keyboard: the bot is slower."""
    gate = Gate(world)
    keyboard = json.dumps({"inline_keyboard": [[{"text": "Next", "callback_data": "n"}]]})
    form = {"chat_id": str(ann.id), "text": "<b>3</b>", "parse_mode": "HTML", "reply_markup": keyboard}
    best = 0.0
    for _ in range(3):
        start = time.thread_time()  # whatever else the machine does
        for _ in range(1000):
            await gate.answer(world.token, "sendMessage", form, {})
        best = max(best, 1000 / (time.thread_time() - start))
    assert best > 1500
