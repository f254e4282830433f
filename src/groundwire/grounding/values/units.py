"""Units of measure: the families in which one may be converted into another."""

from __future__ import annotations

import re
from decimal import Decimal

from groundwire.grounding.values.value import Unit

_FAMILIES: dict[str, dict[str, str]] = {
    "share": {"%": "1", "percent": "1", "pct": "1", "per cent": "1"},
    "data": {
        "B": "1", "byte": "1", "bytes": "1", "KB": "1e3", "kB": "1e3", "MB": "1e6", "GB": "1e9",
        "TB": "1e12", "PB": "1e15", "KiB": "1024", "MiB": "1048576", "GiB": "1073741824",
        "TiB": "1099511627776", "gigabytes": "1e9", "gigabyte": "1e9", "megabytes": "1e6",
        "megabyte": "1e6", "terabytes": "1e12", "terabyte": "1e12", "kilobytes": "1e3",
    },
    "rate": {"bps": "1", "kbps": "1e3", "Mbps": "1e6", "Gbps": "1e9", "Mbit/s": "1e6"},
    "speed": {
        "m/s": "1", "km/h": "0.277777777777777777777777777778", "kph": "0.277777777777777777777777777778",
        "mph": "0.44704", "knots": "0.514444444444444444444444444444",
    },
    "time": {
        "ms": "0.001", "msec": "0.001", "milliseconds": "0.001", "millisecond": "0.001", "s": "1",
        "sec": "1", "secs": "1", "second": "1", "seconds": "1", "min": "60", "mins": "60",
        "minute": "60", "minutes": "60", "h": "3600", "hr": "3600", "hrs": "3600", "hour": "3600",
        "hours": "3600", "day": "86400", "days": "86400", "week": "604800", "weeks": "604800",
    },
    "length": {
        "nm": "1e-9", "mm": "0.001", "cm": "0.01", "m": "1", "km": "1000", "meters": "1",
        "metres": "1", "meter": "1", "metre": "1", "kilometers": "1000", "kilometres": "1000", '"': "0.0254",
        "in": "0.0254", "inch": "0.0254", "inches": "0.0254", "ft": "0.3048", "feet": "0.3048",
        "mi": "1609.344", "mile": "1609.344", "miles": "1609.344",
    },
    "mass": {
        "mg": "0.001", "g": "1", "kg": "1000", "grams": "1", "gram": "1", "kilograms": "1000",
        "lb": "453.59237", "lbs": "453.59237", "pounds": "453.59237", "oz": "28.349523",
    },
    "power": {"mW": "0.001", "W": "1", "watt": "1", "watts": "1", "kW": "1e3", "MW": "1e6"},
    "charge": {"mAh": "1", "Ah": "1000"},
    "energy": {"Wh": "1", "kWh": "1e3", "MWh": "1e6"},
    "frequency": {"Hz": "1", "kHz": "1e3", "MHz": "1e6", "GHz": "1e9"},
    "pixels": {"MP": "1", "megapixel": "1", "megapixels": "1", "px": "1e-6", "pixels": "1e-6"},
    "density": {"ppi": "1", "dpi": "1", "pixels per inch": "1", "dots per inch": "1"},
    "celsius": {"°C": "1", "C": "1", "°": "1", "degrees": "1", "degree": "1"},
    "fahrenheit": {"°F": "1"},
    "light": {"nits": "1", "lm": "1"},
    "voltage": {"mV": "0.001", "V": "1", "kV": "1000"},
    "money": {
        "$": "1", "€": "1", "£": "1", "¥": "1", "₹": "1", "USD": "1", "EUR": "1", "GBP": "1",
        "dollar": "1", "dollars": "1", "euro": "1", "euros": "1", "INR": "1", "CHF": "1",
    },
}  # fmt: skip
UNITS: dict[str, Unit] = {
    name: Unit(name, family, Decimal(size))
    for family, names in _FAMILIES.items()
    for name, size in names.items()
}
_BY_LOWER: dict[str, Unit] = {
    name.lower(): unit for name, unit in UNITS.items() if len(name) > 1 or not name.isalpha()
}
# Written apart from its number, a single letter or `in` is a word as often as a unit.
_APART = re.compile(
    r"[ \u00a0]?-?[ \u00a0]?("
    + "|".join(
        re.escape(name)
        for name in sorted(UNITS, key=len, reverse=True)
        if len(name) > 1 and name not in {"in", "mi", "ms"}
    )
    + r"|%|°|ms|[BVW](?![\w'\u2019]))(?![A-Za-z])"
)
_MAGNITUDES: dict[str, Decimal] = {
    "k": Decimal(1000), "thousand": Decimal(1000), "m": Decimal(10**6), "mn": Decimal(10**6),
    "mio": Decimal(10**6), "million": Decimal(10**6), "millions": Decimal(10**6),
    "b": Decimal(10**9), "bn": Decimal(10**9), "billion": Decimal(10**9),
    "billions": Decimal(10**9), "t": Decimal(10**12), "tn": Decimal(10**12),
    "trillion": Decimal(10**12), "lakh": Decimal(10**5), "crore": Decimal(10**7),
}  # fmt: skip
_MAGNITUDE = re.compile(
    r"[ \u00a0-]?(thousand|millions?|billions?|trillion|mio|mn|bn|tn|lakh|crore)(?![A-Za-z])", re.I
)

# What one of the two above can begin with; mostly a comma or a bracket stands behind a number.
_BEGINS = frozenset(" \u00a0-%°BVW" + "".join(name[0] for name in (*UNITS, *_MAGNITUDES)) + "TMBLC")


def unit_of(name: str) -> Unit | None:
    """The unit of this name; capitals count where two units differ only in them."""
    return UNITS.get(name) or _BY_LOWER.get(name.lower())


def unit_after(text: str, position: int) -> tuple[Unit, int] | None:
    """The unit that stands at this position, apart by at most one space, and where it ends."""
    if text[position : position + 1] not in _BEGINS:
        return None
    found = _APART.match(text, position)
    if found is None:
        return None
    unit = unit_of(found[1])
    return None if unit is None else (unit, found.end())


def magnitude_of(letter: str) -> Decimal | None:
    """What a magnitude glued to a number stands for: `5k`, `2bn`; capital `M` and `B` too."""
    return _MAGNITUDES.get(letter.lower())


def magnitude_after(text: str, position: int) -> tuple[Decimal, int] | None:
    """The magnitude word at this position (`million`) and where it ends."""
    if text[position : position + 1] not in _BEGINS:
        return None
    found = _MAGNITUDE.match(text, position)
    return None if found is None else (_MAGNITUDES[found[1].lower()], found.end())
