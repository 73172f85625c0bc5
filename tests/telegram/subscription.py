"""Methods for polling and the webhook."""

# ruff: noqa: N802 - methods have the API's names

import re
from typing import Final

from tests.telegram.chats import Json
from tests.telegram.errors import Violation, bad_request
from tests.telegram.updates import Updates, Webhook
from tests.telegram.uploads import Files, Params

SECRET: Final = re.compile(r"[A-Za-z0-9_-]{1,256}")


class Subscription:
    """Polling and the webhook's settings; the queue is `Updates`."""

    def __init__(self, updates: Updates) -> None:
        self._updates = updates

    def setWebhook(self, params: Params, files: Files) -> bool:
        if not params["url"]:
            return self.deleteWebhook(params, files)
        local = re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])[:/]", params["url"])
        if not local and not params["url"].startswith("https://"):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        secret, connections = params.get("secret_token"), params.get("max_connections", 40)
        if secret is not None and not SECRET.fullmatch(secret):
            raise Violation("secret token contains unallowed characters")
        if not 1 <= connections <= 100:
            raise Violation("max_connections must be between 1 and 100")
        self._store_settings(params)
        self._updates.set_webhook(Webhook(params["url"], secret, connections))
        return True

    def deleteWebhook(self, params: Params, files: Files) -> bool:
        self._store_settings(params)
        self._updates.set_webhook(None)
        return True

    def _store_settings(self, params: Params) -> None:
        updates = self._updates
        if "allowed_updates" in params:
            updates.allowed = params["allowed_updates"]
        if params.get("drop_pending_updates"):
            updates.drop_all()

    def getWebhookInfo(self, params: Params, files: Files) -> Json:
        updates = self._updates
        webhook = updates.webhook
        body: Json = {"url": webhook.url if webhook else "", "has_custom_certificate": False}
        body["pending_update_count"] = len(updates.pending)
        if webhook is not None:
            body["max_connections"] = webhook.max_connections
        if updates.last_error is not None:
            body["last_error_date"], body["last_error_message"] = updates.last_error
        if updates.allowed:
            body["allowed_updates"] = updates.allowed
        return body

    async def getUpdates(self, params: Params, files: Files) -> list[Json]:
        self._store_settings(params)
        limit = params.get("limit", 100)
        if not 1 <= limit <= 100:
            raise Violation("limit must be between 1 and 100")
        return await self._updates.poll(params.get("offset", 0), limit, params.get("timeout", 0))
