"""The files in deploy/: they are valid, agree with each other and name only what exists."""

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
from bot.web.health import HEALTHZ, LIVEZ, METRICS, READYZ
from tests.bot.web.test_health import LOOKED_UP
from tests.operator_pages import list_blocks, list_commands, read_page

DEPLOY = Path(__file__).parent.parent / "deploy"
METRIC = re.compile(r"\b(?:twentyfour|process)_[a-z_]+")
SUFFIXES = ("", "_total", "_bucket", "_sum", "_count")
COMMANDS = {"migrate"}
COMPOSE_COMMANDS = {"cp", "down", "exec", "logs", "ps", "restart", "run", "stop", "up"}


def read_compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return services


def read_manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / "twentyfour.yaml").read_text("utf-8")))


def read_alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def read_panels() -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = json.loads((DEPLOY / "grafana" / "twentyfour.json").read_text("utf-8"))[
        "panels"
    ]
    return panels


def list_expressions() -> Iterator[tuple[str, str]]:
    """Yield the name and the PromQL expression of each alert and of each line of the dashboard."""
    for rule in read_alerts():
        yield rule["alert"], rule["expr"]
    for panel in read_panels():
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])


EXPRESSIONS = list(list_expressions())


@pytest.mark.long
@pytest.mark.parametrize(("name", "expression"), EXPRESSIONS, ids=[name for name, _ in EXPRESSIONS])
def test_alerts_and_panels_use_valid_promql_and_existing_metrics(name: str, expression: str) -> None:
    promql_parser.parse(expression.replace("$__rate_interval", "5m"))
    families = {f"twentyfour_{name}" for name in LOOKED_UP} | {each.name for each in REGISTRY.collect()}
    series = {f"{family}{suffix}" for family in families for suffix in SUFFIXES}
    assert set(METRIC.findall(expression)) <= series


def test_every_alert_has_severity_summary_and_description() -> None:
    for rule in read_alerts():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"].endswith(".")


def test_dashboard_panels_do_not_overlap() -> None:
    taken = set[tuple[int, int]]()
    for panel in read_panels():
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_containers_mount_existing_files_and_publish_on_loopback_only() -> None:
    compose = read_compose()
    for service in compose["services"].values():
        for mount in service.get("volumes", ()):
            source = mount.partition(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        assert "build" in service or re.search(r":v?[0-9]", service["image"])
        assert service["restart"] == "unless-stopped"


def test_compose_without_profile_starts_one_bot_only() -> None:
    services = read_compose()["services"]
    profiles = {name: each.get("profiles", []) for name, each in services.items()}
    assert {name for name, each in profiles.items() if not each} == {"bot"}
    assert {name for name, each in profiles.items() if each == ["many"]} == {
        "database",
        "proxy",
        "prometheus",
    }
    assert services["bot"]["depends_on"]["database"]["required"] is False


def test_commands_name_services_and_volumes_of_compose() -> None:
    compose = read_compose()
    folder = "/var/lib/twentyfour/"
    commands = [line for line in list_commands() if line.startswith("docker compose ")]
    services = {word for line in commands for word in re.findall(r" (bot|database|proxy)\b", line)}
    assert services == {"bot", "database"} <= set(compose["services"])
    assert {line.split()[2] for line in commands} <= COMPOSE_COMMANDS
    paths = {path for line in commands for path in re.findall(r"[ :](/\S+)", line)} - {"/dev/null"}
    assert all(path.startswith(folder) for path in paths)
    assert f"data:{folder.rstrip('/')}" in compose["services"]["bot"]["volumes"]


def test_docker_alone_mounts_the_volume_of_the_image() -> None:
    (volume,) = re.findall(r"^VOLUME (\S+)$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    runs = [line for line in list_commands() if line.startswith("docker run ")]
    assert len(runs) == 2
    assert all(f" --env-file deploy/bot.env -v twentyfour:{volume} twentyfour" in line for line in runs)


def test_override_of_compose_publishes_the_port_of_the_webhook() -> None:
    (override,) = (yaml.safe_load(block) for block in list_blocks("yaml"))
    bot = read_compose()["services"]["bot"]
    port = bot["environment"]["WEBHOOK_LISTEN"].rpartition(":")[2]
    assert override == {"services": {"bot": {"ports": [f"127.0.0.1:{port}:{port}"]}}}
    assert "compose.override.yaml" in (DEPLOY.parent / ".gitignore").read_text("utf-8").splitlines()


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed")
def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    (text,) = list_blocks("caddy")
    (tmp_path / "Caddyfile").write_text(text, "utf-8")
    command = ["caddy", "adapt", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_paths_of_health_pages_exist() -> None:
    paths = set(re.findall(r"^\| `(/\w+)` \|", read_page("monitoring"), re.MULTILINE))
    assert paths == {HEALTHZ, READYZ, LIVEZ, METRICS}


def test_profile_of_several_bots_exists() -> None:
    (settings,) = (block for block in list_blocks("ini") if "COMPOSE_PROFILES=" in block)
    assert "COMPOSE_PROFILES=many" in settings.splitlines()


def read_unit(name: str) -> dict[str, str]:
    """Return the settings of a systemd unit; of a repeated key the last value."""
    lines = (DEPLOY / name).read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def test_commands_name_existing_files_and_all_of_systemd() -> None:
    names = set(re.findall(r"\bdeploy/([\w./-]+\w)", "\n".join(list_commands())))
    assert {name for name in names if not (DEPLOY / name).exists()} == {"bot.env"}
    assert {path.name for path in DEPLOY.glob("twentyfour*")} <= names
    assert all((DEPLOY / name).stat().st_mode & 0o111 for name in ("twentyfour-bot", "install.sh"))


def test_readme_names_every_file() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (DEPLOY / "README.md").read_text("utf-8"), re.MULTILINE)
    names = {name.rstrip("/") for row in rows for name in re.findall(r"`([^`]+)`", row)}
    assert names == {path.name for path in DEPLOY.iterdir()} - {"README.md"}


def test_backup_unit_runs_daily_as_user_of_bot() -> None:
    backup, bot = read_unit("twentyfour-backup.service"), read_unit("twentyfour.service")
    program, *arguments = backup["ExecStart"].split()
    folder = arguments[-1]
    assert (program, arguments) == (bot["ExecStart"], ["backup", "--keep", "14", folder])
    same = ("EnvironmentFile", "Environment", "DynamicUser", "StateDirectoryMode", "UMask")
    assert [key for key in same if backup[key] != bot[key]] == []
    assert backup["User"] == "twentyfour"  # DynamicUser takes the name of twentyfour.service
    assert backup["StateDirectory"].split() == [bot["StateDirectory"], Path(folder).name]
    assert read_unit("twentyfour-backup.timer")["OnCalendar"] == "*-*-* 03:30"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("name", sorted(path.name for path in DEPLOY.glob("twentyfour*.[st]*")))
def test_systemd_accepts_unit(name: str, tmp_path: Path) -> None:
    for path in DEPLOY.glob("twentyfour*.[st]*"):
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text("utf-8"), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text, "utf-8")
    result = subprocess.run(["systemd-analyze", "verify", tmp_path / name], capture_output=True, text=True)
    assert (result.returncode, [line for line in result.stderr.splitlines() if "twentyfour" in line]) == (
        0,
        [],
    )


def test_tools_use_settings_of_service() -> None:
    script = (DEPLOY / "twentyfour-bot").read_text("utf-8")
    service = read_unit("twentyfour.service")
    assert service["Environment"] in script.splitlines()
    assert f"\n. {service['EnvironmentFile']}\n" in script
    assert f'exec {service["ExecStart"]} "$@"\n' in script


def test_proxy_and_prometheus_use_ports_of_bots() -> None:
    environment = read_compose()["services"]["bot"]["environment"]
    web, health = (environment[key].rpartition(":")[2] for key in ("WEBHOOK_LISTEN", "HEALTH_LISTEN"))
    proxy = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert "set $bots bot;" in proxy
    assert f"proxy_pass http://$bots:{web};" in proxy
    (job,) = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    (target,) = job["dns_sd_configs"]
    assert (target["names"], str(target["port"])) == (["bot"], health)


def test_commented_alertmanager_settings_are_valid() -> None:
    text = (DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8")
    assert "alerting" not in yaml.safe_load(text)
    uncommented = yaml.safe_load(re.sub(r"^# (?=alerting:| )", "", text, flags=re.MULTILINE))
    (manager,) = uncommented["alerting"]["alertmanagers"]
    assert manager["static_configs"] == [{"targets": ["alertmanager:9093"]}]
    assert "`alerting:` in `deploy/prometheus/prometheus.yml`" in read_page("monitoring")


def test_head_of_kubernetes_manifests_names_values_to_replace() -> None:
    head = (DEPLOY / "kubernetes" / "twentyfour.yaml").read_text("utf-8").partition("\napiVersion")[0]
    assert [name for name in ("Secret", "ConfigMap", "image", "host", "secretName") if name not in head] == []


def test_nginx_site_uses_http2_for_more_than_six_boards_in_browser() -> None:
    site = (DEPLOY / "nginx-site.conf").read_text("utf-8")
    assert re.findall(r"^  listen (.*);$", site, re.MULTILINE) == ["443 ssl http2"]


def test_nginx_site_uses_addresses_of_units() -> None:
    site = (DEPLOY / "nginx-site.conf").read_text("utf-8")
    assert re.findall(r"^  server (\S+);$", site, re.MULTILINE) == [
        f"{DEFAULT_ADDRESS.host}:{DEFAULT_ADDRESS.port}"
    ]
    unit = (DEPLOY / "several.conf").read_text("utf-8")
    (line,) = re.findall(r"^Environment=(.*)$", unit, re.MULTILINE)
    variables = dict(each.split("=") for each in line.split())
    servers = re.findall(r"^  # server (\S+) fail_timeout=2s;$", site, re.MULTILINE)
    assert servers == [variables["WEBHOOK_LISTEN"].replace("%i", str(number)) for number in (1, 2, 3)]
    assert not {each.replace("%i", "1") for each in variables.values()} & set(servers[1:])
    assert set(variables) <= set(VARIABLES)
    example = (DEPLOY / "bot.env.example").read_text("utf-8")
    (health,) = re.findall(r"^#HEALTH_LISTEN=(\S+)$", example, re.MULTILINE)
    tens = {each.replace("%i", str(number)) for each in variables.values() for number in range(1, 10)}
    assert health not in tens | {f"{DEFAULT_ADDRESS.host}:{DEFAULT_ADDRESS.port}"}
    assert not [name for name in variables if f"\n{name}=" in example]  # bot.env would override the unit


def test_kubernetes_sets_only_variables_of_bot() -> None:
    contents = [each.get("data") or each.get("stringData") for each in read_manifests()]
    assert {name for each in contents if each for name in each} <= set(VARIABLES)
    settings = next(each["data"] for each in read_manifests() if each["kind"] == "ConfigMap")
    assert settings["LOG_FORMAT"] == "json"


def test_kubernetes_probes_ports_and_labels_agree() -> None:
    kinds = {each["kind"]: each for each in read_manifests()}
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    (bot,) = pod["containers"]
    ports = {each["name"]: each["containerPort"] for each in bot["ports"]}
    settings = kinds["ConfigMap"]["data"]
    assert settings["WEBHOOK_LISTEN"].endswith(f":{ports['webhook']}")
    assert settings["HEALTH_LISTEN"].endswith(f":{ports['health']}")
    # Not /healthz: it returns 503 while Telegram can't post, and without a ready bot Telegram never can.
    assert bot["readinessProbe"]["httpGet"]["path"] == READYZ
    for probe in ("startupProbe", "livenessProbe"):  # a restart does not help against an outage elsewhere
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
def test_kubernetes_accepts_manifests(version: str) -> None:
    schemas = importlib.import_module("kubernetes_validate")
    for manifest in read_manifests():
        schemas.validate(manifest, version, strict=True)
    broken = read_manifests()[3]
    broken["spec"]["replicas"] = "three"
    with pytest.raises(schemas.ValidationError):
        schemas.validate(broken, version, strict=True)


def is_valid(file: Path, schema: str) -> bool:
    """Whether a file follows its published schema."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode in {0, 1}, result.stderr
    return result.returncode == 0


@pytest.mark.long
def test_compose_accepts_its_file(tmp_path: Path) -> None:
    assert is_valid(DEPLOY / "compose.yaml", "compose-spec")
    broken = read_compose()
    broken["services"]["bot"]["restarts"] = "always"
    (tmp_path / "compose.yaml").write_text(yaml.safe_dump(broken), "utf-8")
    assert not is_valid(tmp_path / "compose.yaml", "compose-spec")


GITHUB = DEPLOY.parent / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").iterdir())
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").iterdir())


@pytest.mark.long
@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: str(file.stem))
def test_github_accepts_workflow(file: Path) -> None:
    assert is_valid(file, "github-workflows")


@pytest.mark.long
def test_github_accepts_dependabot() -> None:
    assert is_valid(GITHUB / "dependabot.yml", "dependabot")


@pytest.mark.long
def test_workflows_have_no_known_weakness() -> None:
    # Among them: an action without the digest of a commit, more permissions than needed, a stored credential.
    command = [str(Path(sys.executable).with_name("zizmor")), "--offline", "--quiet", str(GITHUB)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_workflows_need_no_secret() -> None:
    assert [file.name for file in WORKFLOWS if "secrets" in file.read_text("utf-8")] == []


def test_only_the_trusted_publisher_proves_itself_to_pypi() -> None:
    jobs = yaml.safe_load((GITHUB / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["pypi"]
    guide = (GITHUB.parent / "docs" / "developers" / "releasing.md").read_text("utf-8")
    assert f"the workflow `release.yml`, the environment `{jobs['pypi']['environment']}`." in guide


def test_pinned_actions_name_their_version() -> None:
    lines = [line for file in WORKFLOWS for line in re.findall(r"uses: ([^.].*)", file.read_text("utf-8"))]
    assert lines
    assert [each for each in lines if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


def test_base_images_are_pinned() -> None:
    bases = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    pinned = re.compile(r"python:3\.\d+[a-z-]*@sha256:[0-9a-f]{64}")
    assert bases
    assert [each for each in bases if not pinned.fullmatch(each)] == []
