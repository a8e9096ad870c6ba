"""One run on a GPU: kiln's events against the cache folder, the program's own facts and a driver recorder.

compare.py NAME EVENTS CACHE TRUTH [DRIVER]: prints a row per figure; exit status 1 when two of them differ.
"""

import glob
import json
import os
import struct
import sys
from collections import Counter
from typing import Optional

SLOTS = 4096


def read_lines(path: str) -> list[dict]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def launches_of(folder: str) -> int:
    """Sum of all counters, read without kiln."""
    total = 0
    for path in glob.glob(os.path.join(folder, "*.count")):
        with open(path, "rb") as file:
            data = file.read()
        for slot in range(SLOTS):
            count, key = struct.unpack_from("<QQ", data, 4096 + 64 * slot)
            total += count if key else 0
    return total


def from_events(folder: str) -> tuple[dict, list[dict]]:
    events = [event for path in glob.glob(os.path.join(folder, "*.jsonl")) for event in read_lines(path)]
    warp = [event for event in events if event.get("framework") == "warp"]
    built = [e for e in warp if e["ev"] == "compile" and e["step"] == "module" and e["result"] == "compiled"]
    facts = {
        "builds": len(built),
        "blocks": sorted({e["block_dim"] for e in built}),
        "identities": sorted(e["identity"][:7] for e in built),
        "lto": sum(e["ev"] == "link" and e["result"] == "compiled" for e in warp),
        "loads": sum(e["ev"] == "load" for e in warp),
        "jit": sum(e["ev"] == "load" and bool(e.get("jit")) for e in warp),
        "launches": launches_of(folder),
    }
    return facts, [e for e in events if e["ev"] == "error"]


def from_cache(root: str) -> dict:
    folders = [path for path in glob.glob(os.path.join(root, "*", "wp_*")) if os.path.isdir(path)]
    objects = glob.glob(os.path.join(root, "*", "lto", "*.lto"))
    return {
        "builds": len(folders),
        "identities": sorted(path.rsplit("_", 1)[1] for path in folders),
        "lto": sum(not path.endswith("_fatbin.lto") for path in objects),
    }


def from_driver(path: Optional[str]) -> dict:
    if path is None or not os.path.exists(path):
        return {}
    events = read_lines(path)
    calls = Counter(e["fn"] for e in events if e["ev"] == "api" and e["rc"] == 0)
    print("  driver calls: " + ", ".join("%s %d" % item for item in sorted(calls.items())))
    compiles = [e for e in events if e["ev"] == "jit" and e["op"] == "compile"]
    print("  driver compiles: %s" % (dict(Counter(e["entry"] for e in compiles)) or "none"))
    return {"loads": calls["cuModuleLoadDataEx"] + calls["cuModuleLoadData"] + calls["cuModuleLoad"]}


def main() -> int:
    name, events, cache, truth = sys.argv[1:5]
    kiln, errors = from_events(events)
    with open(truth, encoding="utf-8") as file:
        program = json.load(file)
    note = program.pop("note", None)
    sources = {"cache": from_cache(cache), "program": program}
    sources["driver"] = from_driver(sys.argv[5] if len(sys.argv) > 5 else None)
    if note == "condition":
        sources["driver"] = {}  # warp loads a module of its own for conditions
    wrong = [e for e in errors if e["hook"] != note]
    for error in errors:
        print("  said: %s: %s" % (error["hook"], error["message"]))
    if note is not None and not any(e["hook"] == note for e in errors):
        wrong.append({"hook": note, "message": "was not said"})
    for figure, value in kiln.items():
        others = {source: facts[figure] for source, facts in sources.items() if figure in facts}
        same = all(other == value for other in others.values())
        wrong += [] if same else [figure]
        print("  %-10s kiln %s %s %s" % (figure, value, others, "ok" if same else "DIFFERS"))
    print("%s: %s" % (name, "agrees" if not wrong else "DOES NOT AGREE: %s" % wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
