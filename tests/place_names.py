"""Write `bot/places/cldr.txt`: names of cities and countries from CLDR (`make catalogues`).

babel carries CLDR; its 33 MB are too much for the bot, which needs these names alone.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from babel import Locale
from babel.core import get_global

from bot import zones
from tests import catalogues

FILE = Path(zones.__file__).parent / "places" / "cldr.txt"
LANGUAGES = ("en", *catalogues.LANGUAGES, "es_MX", "zh_Hant_HK")
# For countries with several time zones: those in which most people live.
MAIN = {
    "AR": ["America/Argentina/Buenos_Aires"],
    "AU": ["Australia/Sydney", "Australia/Brisbane", "Australia/Adelaide", "Australia/Perth"],
    "BR": ["America/Sao_Paulo"],
    "CA": ["America/Toronto", "America/Winnipeg", "America/Edmonton", "America/Vancouver"],
    "CL": ["America/Santiago"],
    "CN": ["Asia/Shanghai"],
    "CY": ["Asia/Nicosia"],
    "DE": ["Europe/Berlin"],
    "EC": ["America/Guayaquil"],
    "ES": ["Europe/Madrid"],
    "ID": ["Asia/Jakarta", "Asia/Makassar"],
    "KZ": ["Asia/Almaty"],
    "MN": ["Asia/Ulaanbaatar"],
    "MX": ["America/Mexico_City"],
    "MY": ["Asia/Kuala_Lumpur"],
    "NZ": ["Pacific/Auckland"],
    "PT": ["Europe/Lisbon"],
    "RU": ["Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"],
    "UA": ["Europe/Kyiv"],
    "US": ["America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"],
    "UZ": ["Asia/Tashkent"],
}
FORMER = get_global("zone_aliases")


def list_zones_of_countries() -> dict[str, list[str]]:
    """Return the zones of the countries that have one or are in `MAIN`, by the country's code."""
    found = defaultdict[str | None, list[str]](list)
    for zone in zones.list_city_zones():
        found[get_global("zone_territories").get(FORMER.get(zone, zone))].append(zone)
    return {country: of for country, of in found.items() if country and len(of) == 1} | MAIN


def list_names() -> Iterator[tuple[str, str]]:
    """Yield each zone's name with that of its city, then with that of its country, in every language."""
    current = {name: zone for zone in zones.list_city_zones() for name in (zone, FORMER.get(zone, zone))}
    current |= {former: current[name] for former, name in FORMER.items() if name in current} | current
    countries = list_zones_of_countries()
    for language in map(Locale.parse, LANGUAGES):
        for name, texts in language.time_zones.items():
            if name in current and "city" in texts:
                yield current[name], texts["city"]
        for country, of in countries.items():
            yield from ((zone, language.territories[country]) for zone in of)


def list_lines() -> Iterator[str]:
    """Yield a line for each zone: its identifier and its names, separated by tabs."""
    found: dict[str, set[str]] = {zone: set() for zone in zones.list_city_zones()}
    for zone, name in list_names():
        found[zone].add(name)
    for zone, known in found.items():
        if known:
            yield "\t".join((zone, *sorted(known)))


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in list_lines()), "utf-8")
