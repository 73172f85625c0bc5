"""The files in deploy/ hold together, and name nothing that is not there."""

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from bot.checkup.variables import KNOWN
from bot.metrics import REGISTRY
from tests.bot.web.test_health import LOOKED_UP

DEPLOY = Path(__file__).parent.parent / "deploy"
NAME = re.compile(r"\b(?:twentyfour|process)_[a-z_]+")
ENDINGS = ("", "_total", "_bucket", "_sum", "_count")
COMMANDS = {"migrate"}


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return found


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / "twentyfour.yaml").read_text("utf-8")))


def asked() -> Iterator[tuple[str, str]]:
    """Each alert and each line of the dashboard, with what it asks."""
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))["groups"]:
        yield from ((rule["alert"], rule["expr"]) for rule in group["rules"])
    for panel in json.loads((DEPLOY / "grafana" / "twentyfour.json").read_text("utf-8"))["panels"]:
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])


ASKED = list(asked())


@pytest.mark.parametrize(("what", "expression"), ASKED, ids=[what for what, _ in ASKED])
def test_what_is_asked_can_be_asked_and_is_counted(what: str, expression: str) -> None:
    promql_parser.parse(expression.replace("$__rate_interval", "5m"))
    families = {f"twentyfour_{name}" for name in LOOKED_UP} | {each.name for each in REGISTRY.collect()}
    counted = {f"{family}{ending}" for family in families for ending in ENDINGS}
    assert set(NAME.findall(expression)) <= counted


def test_every_alert_says_what_it_means_and_how_urgent_it_is() -> None:
    for group in yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))["groups"]:
        for rule in group["rules"]:
            assert rule["labels"]["severity"] in {"page", "ticket"}
            assert rule["annotations"]["summary"]
            assert rule["annotations"]["description"].endswith(".")


def test_the_dashboards_panels_do_not_overlap() -> None:
    taken = set[tuple[int, int]]()
    for panel in json.loads((DEPLOY / "grafana" / "twentyfour.json").read_text("utf-8"))["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_containers_mount_what_is_there_and_publish_to_this_machine_alone() -> None:
    whole = compose()
    for service in whole["services"].values():
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in whole["volumes"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        assert "build" in service or re.search(r":v?[0-9]", service["image"])
        assert service["restart"] == "unless-stopped"


def test_one_bot_starts_alone_and_the_rest_with_its_profile() -> None:
    services = compose()["services"]
    assert {name for name, each in services.items() if "profiles" not in each} == {"bot"}
    assert {tuple(each["profiles"]) for each in services.values() if "profiles" in each} == {("many",)}
    assert services["bot"]["depends_on"]["database"]["required"] is False


def test_proxy_and_prometheus_ask_the_bots_where_they_listen() -> None:
    environment = compose()["services"]["bot"]["environment"]
    web, health = (environment[key].rpartition(":")[2] for key in ("WEBHOOK_LISTEN", "HEALTH_LISTEN"))
    proxy = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert "set $bots bot;" in proxy
    assert f"proxy_pass http://$bots:{web};" in proxy
    (job,) = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    assert (found["names"], str(found["port"])) == (["bot"], health)


def test_in_kubernetes_every_variable_is_one_that_the_bot_reads() -> None:
    given = [each.get("data") or each.get("stringData") for each in manifests()]
    assert {name for each in given if each for name in each} <= set(KNOWN)
    settings = next(each["data"] for each in manifests() if each["kind"] == "ConfigMap")
    assert settings["LOG_FORMAT"] == "json"


def test_in_kubernetes_the_bots_are_spread_probed_and_kept() -> None:
    kinds = {each["kind"]: each for each in manifests()}
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    (bot,) = pod["containers"]
    ports = {each["name"]: each["containerPort"] for each in bot["ports"]}
    settings = kinds["ConfigMap"]["data"]
    assert settings["WEBHOOK_LISTEN"].endswith(f":{ports['webhook']}")
    assert settings["HEALTH_LISTEN"].endswith(f":{ports['health']}")
    assert bot["readinessProbe"]["httpGet"]["path"] == "/healthz"
    assert "httpGet" not in bot["livenessProbe"]  # an outage elsewhere is no reason to be ended
    assert pod["terminationGracePeriodSeconds"] > 3 + 8
    (job,) = kinds["Job"]["spec"]["template"]["spec"]["containers"]
    assert set(job["args"]) <= COMMANDS
    assert job["image"] == bot["image"]
    wanted = kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]
    assert wanted.items() <= kinds["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    assert not wanted.items() <= kinds["Job"]["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.long
@pytest.mark.parametrize("version", ["1.30", "1.33"])
def test_kubernetes_takes_the_manifests(version: str) -> None:
    schemas = importlib.import_module("kubernetes_validate")
    for manifest in manifests():
        schemas.validate(manifest, version, strict=True)
    broken = manifests()[3]
    broken["spec"]["replicas"] = "three"
    with pytest.raises(schemas.ValidationError):
        schemas.validate(broken, version, strict=True)


def fits(file: Path, schema: str) -> bool:
    """Whether a file is as its published schema says."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return done.returncode == 0


@pytest.mark.long
def test_compose_takes_its_file(tmp_path: Path) -> None:
    assert fits(DEPLOY / "compose.yaml", "compose-spec")
    broken = compose()
    broken["services"]["bot"]["restarts"] = "always"
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(broken), "utf-8")
    assert not fits(tmp_path / "compose.yaml", "compose-spec")


@pytest.mark.long
def test_github_takes_its_workflow() -> None:
    assert fits(DEPLOY.parent / ".github" / "workflows" / "ci.yml", "github-workflows")
