"""Spans for OpenTelemetry, an optional extra: `pip install 'twentyfour[otel]'`.

It is switched on by the variable that all of OpenTelemetry's programs know, OTEL_EXPORTER_OTLP_ENDPOINT; the
SDK reads the others by itself: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
A span's trace id is made of the update's own trace, so that what is sent after a restart, or by another bot,
is found with what caused it.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot import trace

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

NAME = "twentyfour-bot"
LAST_SPANS = 1.5
"""Seconds that the last spans have to leave when the bot stops."""

NEEDED = ("opentelemetry.sdk.trace.export", "opentelemetry.exporter.otlp.proto.http.trace_exporter")
"""What of the extra is imported."""


class LackingError(Exception):
    """The extra is not installed."""


def is_installed() -> bool:
    """Whether the extra is there."""
    try:
        for name in NEEDED:
            import_module(name)
    except ImportError:
        return False
    return True


class Telemetry:
    """Sends spans until it is closed. Raises LackingError where the extra is not installed."""

    def __init__(self, version: str, exporter: "SpanExporter | None" = None) -> None:
        try:
            from opentelemetry import trace as api  # here: it is an extra
            from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

            if exporter is None:
                from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

                exporter = OTLPSpanExporter(timeout=1)
        except ImportError:
            raise LackingError from None
        self._api: Any = api
        about = Resource.create({SERVICE_NAME: NAME, SERVICE_VERSION: version})
        self._provider = TracerProvider(resource=about, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer: Any = self._provider.get_tracer(NAME, version)
        trace.spans(self._open)

    @contextmanager
    def _open(self, following: str, what: str, attributes: trace.Attributes) -> Iterator[None]:
        api = self._api
        inside = api.get_current_span().get_span_context().is_valid
        above = None if inside or not following else api.set_span_in_context(self._root(following))
        marked = {f"twentyfour.{key}": value for key, value in attributes.items()}
        quiet = {"record_exception": False, "set_status_on_exception": False}
        with self._tracer.start_as_current_span(what, above, attributes=marked, **quiet) as span:
            try:
                yield
            except BaseException as error:
                span.set_status(api.StatusCode.ERROR, type(error).__name__)  # its words may quote somebody's
                raise

    def _root(self, following: str) -> Any:
        """A span that nobody sends: all that is done because of the update hangs below it."""
        made = hashlib.sha256(following.encode()).digest()
        number, span = int.from_bytes(made[:16]), int.from_bytes(made[16:24])
        flags = self._api.TraceFlags(self._api.TraceFlags.SAMPLED)
        return self._api.NonRecordingSpan(self._api.SpanContext(number, span, True, flags))

    def close(self) -> None:
        """Send what is left, if somebody takes it soon."""
        trace.spans(None)
        ending = threading.Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(LAST_SPANS)
