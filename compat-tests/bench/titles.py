# SPDX-License-Identifier: Apache-2.0
"""What the contenders are called in tables and pictures. The floor is another one in each work: see floor.c."""

TITLES = {"requests": "create with list + delete", "one_flight": "the same, in one flight", "c": "this library",
          "pending": "this library, release_for(0)", "java": "Curator", "kazoo": "kazoo", "mixed": "half of each",
          "bare": "`true`", "run": "`curator-lock -n PATH true`", "list": "`curator-lock list PATH`"}
HANDOFF_FLOOR = "floor: granted by the event"
FLOORS = {"uncontended": "floor: create + delete", "handoff": HANDOFF_FLOOR, "throughput": HANDOFF_FLOOR,
          "threads": TITLES["requests"]}


def title(name: str, work: str = "") -> str:
    return FLOORS[work] if name == "floor" else TITLES[name]


def short_title(name: str, work: str) -> str:
    """Without what the floor consists of."""
    return title(name, work).partition(":")[0]
