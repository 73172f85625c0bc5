"""Spans as OpenTelemetry's own collector would get them."""

import builtins
import sys
import threading
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bot import telemetry, trace
from bot.telemetry import LackingError, Telemetry


def number(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.trace_id)


def test_an_update_its_effect_and_what_is_sent_later_are_one_trace() -> None:
    kept = InMemorySpanExporter()
    told = Telemetry("1.0", kept)
    with trace.following("u1", "update", kind="answer"), trace.step("effect"):
        pass
    with trace.following("u1", "send", method="sendMessage"):
        pass
    with trace.following("u2", "update"):
        pass
    told.close()
    effect, update, send, other = kept.get_finished_spans()
    assert [span.name for span in (effect, update, send, other)] == ["effect", "update", "send", "update"]
    assert number(update) == number(effect) == number(send) != number(other)
    assert update.context is not None
    assert effect.parent is not None
    assert effect.parent.span_id == update.context.span_id
    assert update.parent == send.parent
    assert dict(update.attributes or {}) == {"twentyfour.kind": "answer"}
    assert update.resource.attributes["service.name"] == "twentyfour-bot"


def test_what_fails_is_marked_without_its_words() -> None:
    kept = InMemorySpanExporter()
    told = Telemetry("1.0", kept)
    with pytest.raises(ValueError, match="canary"), trace.following("u1", "update"):
        raise ValueError("canary")
    told.close()
    (span,) = kept.get_finished_spans()
    assert not span.status.is_ok
    assert "canary" not in span.to_json()


def test_after_the_end_nothing_is_opened() -> None:
    kept = InMemorySpanExporter()
    Telemetry("1.0", kept).close()
    with trace.following("u1", "update"):
        pass
    assert kept.get_finished_spans() == ()


class Stuck(SpanExporter):
    """Nobody takes spans until the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def export(self, spans: object) -> SpanExportResult:
        self.over.wait()
        return SpanExportResult.FAILURE


def test_a_collector_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "LAST_SPANS", 0.01)
    stuck = Stuck()
    told = Telemetry("1.0", stuck)
    with trace.following("u1", "update"):
        pass
    before = set(threading.enumerate())
    told.close()
    assert all(thread.daemon for thread in set(threading.enumerate()) - before)
    stuck.over.set()


def test_spans_go_where_the_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[object]()

    def exporter(**given: object) -> InMemorySpanExporter:
        made.append(given)
        return InMemorySpanExporter()

    monkeypatch.setattr("opentelemetry.exporter.otlp.proto.http.trace_exporter.OTLPSpanExporter", exporter)
    Telemetry("1.0").close()
    assert made == [{"timeout": 1}]


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def lacking(name: str, *more: Any) -> Any:
        if name.startswith("opentelemetry"):
            raise ImportError(name)
        return genuine(name, *more)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(LackingError):
        Telemetry("1.0")


def test_whether_the_extra_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert telemetry.is_installed()
    for name in telemetry.NEEDED:
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails from now on
        assert not telemetry.is_installed()
        monkeypatch.undo()
