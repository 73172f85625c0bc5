"""The files in deploy/ hold together, and name nothing that is not there."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from bot.metrics import REGISTRY
from bot.settings import DEFAULT_ADDRESS, VARIABLES
from bot.web.health import LIVEZ, READYZ
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


@pytest.mark.long
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
    profiles = {name: each.get("profiles", []) for name, each in services.items()}
    assert {name for name, each in profiles.items() if not each} == {"bot"}
    assert {name for name, each in profiles.items() if each == ["many"]} == {
        "database",
        "proxy",
        "prometheus",
    }
    assert services["bot"]["depends_on"]["database"]["required"] is False


def test_the_head_of_compose_names_what_several_bots_need() -> None:
    head = (DEPLOY / "compose.yaml").read_text("utf-8").partition("\nname:")[0]
    many = head.partition("Several bots")[2]
    named = set(re.findall(r"^#   ([A-Z_]+)=", many, re.MULTILINE))
    assert named == {"DATABASE_URL", "WEBHOOK_URL", "WEBHOOK_SECRET"} <= set(VARIABLES)


def unit(name: str) -> dict[str, str]:
    """What a unit says, by its keys; the last of each."""
    lines = (DEPLOY / name).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_every_unit_that_is_installed_is_there() -> None:
    page = (DEPLOY / "README.md").read_text("utf-8")
    named = set(re.findall(r"deploy/([a-z.-]+\.(?:service|timer|conf|sh))", page))
    assert {path.name for path in DEPLOY.iterdir() if path.suffix in {".service", ".timer", ".sh"}} <= named
    assert [name for name in named if not (DEPLOY / name).exists()] == []
    assert "deploy/twentyfour-bot" in page
    assert (DEPLOY / "twentyfour-bot").stat().st_mode & 0o111


def test_sqlite_is_backed_up_daily_as_the_bots_user() -> None:
    said, bot = unit("twentyfour-backup.service"), unit("twentyfour.service")
    program, *arguments = said["ExecStart"].split()
    folder = arguments[-1]
    assert (program, arguments) == (bot["ExecStart"], ["backup", "--keep", "14", folder])
    same = ("EnvironmentFile", "Environment", "DynamicUser", "StateDirectoryMode", "UMask")
    assert [key for key in same if said[key] != bot[key]] == []
    assert said["User"] == "twentyfour"  # what systemd calls the user of twentyfour.service
    assert said["StateDirectory"].split() == [bot["StateDirectory"], Path(folder).name]
    assert unit("twentyfour-backup.timer")["OnCalendar"] == "*-*-* 03:30"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", sorted(path.name for path in DEPLOY.glob("twentyfour*.[st]*")))
def test_systemd_takes_the_units(name: str, tmp_path: Path) -> None:
    for path in DEPLOY.glob("twentyfour*.[st]*"):
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text("utf-8"), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text, "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "twentyfour" in line]) == (0, [])


def test_the_tools_use_the_settings_of_the_service() -> None:
    script = (DEPLOY / "twentyfour-bot").read_text("utf-8")
    service = unit("twentyfour.service")
    assert service["Environment"] in script.splitlines()
    assert f"\n. {service['EnvironmentFile']}\n" in script
    assert f'exec {service["ExecStart"]} "$@"\n' in script


def test_proxy_and_prometheus_ask_the_bots_where_they_listen() -> None:
    environment = compose()["services"]["bot"]["environment"]
    web, health = (environment[key].rpartition(":")[2] for key in ("WEBHOOK_LISTEN", "HEALTH_LISTEN"))
    proxy = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert "set $bots bot;" in proxy
    assert f"proxy_pass http://$bots:{web};" in proxy
    (job,) = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    (found,) = job["dns_sd_configs"]
    assert (found["names"], str(found["port"])) == (["bot"], health)


def test_where_alerts_are_sent_is_shown() -> None:
    """Without it they light up on Prometheus's own page alone."""
    text = (DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8")
    assert "alerting" not in yaml.safe_load(text)
    shown = yaml.safe_load(re.sub(r"^# (?=alerting:| )", "", text, flags=re.MULTILINE))
    (sent,) = shown["alerting"]["alertmanagers"]
    assert sent["static_configs"] == [{"targets": ["alertmanager:9093"]}]
    assert "`alerting:` in `deploy/prometheus/prometheus.yml`" in (DEPLOY / "README.md").read_text("utf-8")


def test_all_that_stands_for_ones_own_in_kubernetes_is_named() -> None:
    head = (DEPLOY / "kubernetes" / "twentyfour.yaml").read_text("utf-8").partition("\napiVersion")[0]
    assert {each for each in ("Secret", "ConfigMap", "image", "host", "secretName") if each in head} == {
        *("Secret", "ConfigMap", "image", "host", "secretName")
    }


def test_a_container_restores_into_its_volume_and_goes_on() -> None:
    page = (DEPLOY / "README.md").read_text("utf-8")
    (block,) = (block for block in page.split("```") if "run --rm bot restore" in block)
    commands = [line.removeprefix("$ ") for line in block.splitlines() if "$ " in line]
    mounts = [
        mount.partition(":")[2] for mount in compose()["services"]["bot"]["volumes"] if "data:" in mount
    ]
    assert commands == [
        "docker compose stop bot",
        f"docker compose run --rm bot restore {mounts[0]}/backup-2026-11-23.sqlite3",
        "docker compose up -d",
    ]


def test_a_browser_has_room_for_more_than_six_boards() -> None:
    """Each that is open holds a request for what it shows live."""
    site = (DEPLOY / "nginx-site.conf").read_text("utf-8")
    assert re.findall(r"^  listen (.*);$", site, re.MULTILINE) == ["443 ssl http2"]


def test_on_one_machine_nginx_asks_the_units_where_they_listen() -> None:
    site = (DEPLOY / "nginx-site.conf").read_text("utf-8")
    assert re.findall(r"^  server (\S+);$", site, re.MULTILINE) == [
        f"{DEFAULT_ADDRESS.host}:{DEFAULT_ADDRESS.port}"
    ]
    unit = (DEPLOY / "several.conf").read_text("utf-8")
    (line,) = re.findall(r"^Environment=(.*)$", unit, re.MULTILINE)
    variables = dict(each.split("=") for each in line.split())
    asked = re.findall(r"^  # server (\S+) fail_timeout=2s;$", site, re.MULTILINE)
    assert asked == [variables["WEBHOOK_LISTEN"].replace("%i", str(number)) for number in (1, 2, 3)]
    assert not {each.replace("%i", "1") for each in variables.values()} & set(asked[1:])
    assert set(variables) <= set(VARIABLES)
    example = (DEPLOY / "bot.env.example").read_text("utf-8")
    (health,) = re.findall(r"^#HEALTH_LISTEN=(\S+)$", example, re.MULTILINE)
    tens = {each.replace("%i", str(number)) for each in variables.values() for number in range(1, 10)}
    assert health not in tens | {f"{DEFAULT_ADDRESS.host}:{DEFAULT_ADDRESS.port}"}
    assert not [name for name in variables if f"\n{name}=" in example]  # it would go before the unit's


def test_in_kubernetes_every_variable_is_one_that_the_bot_reads() -> None:
    given = [each.get("data") or each.get("stringData") for each in manifests()]
    assert {name for each in given if each for name in each} <= set(VARIABLES)
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
    # not /healthz, which is 503 while Telegram can't post: without a bot to send to, it never could again
    assert bot["readinessProbe"]["httpGet"]["path"] == READYZ
    for probe in ("startupProbe", "livenessProbe"):  # an outage elsewhere is no reason to be ended
        assert bot[probe]["httpGet"]["path"] == LIVEZ
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
