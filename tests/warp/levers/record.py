"""A lever file from the events of a run: record.py EVENTS prebuild|threads|lto|all FILE. Prints what it names."""

from __future__ import annotations

import glob
import json
import os
import sys


def read_events(folder: str) -> list[dict]:
    events = []
    for path in glob.glob(os.path.join(folder, "*.jsonl")):
        with open(path) as file:
            events += [json.loads(line) for line in file]
    return sorted(events, key=lambda event: event["t"])


def modules(events: list[dict]) -> list[dict]:
    files = {e["module"]: e["where"]["file"] for e in events if e["ev"] == "declare" and "where" in e}
    kernels = {e["identity"]: sorted(e["kernels"]) for e in events if e["ev"] == "hash" and e.get("kernels")}
    found = []
    for e in events:
        if e["ev"] == "compile" and e.get("step") == "module" and e["result"] == "compiled":
            found.append(dict(name=e["module"], file=files.get(e["module"]), device=e["device"], block_dim=e["block_dim"],
                              identity=e["identity"], kernels=kernels.get(e["identity"]), cost_ms=e["dur"] // 1000000))
    return found


def calls(events: list[dict]) -> list[dict]:
    return [{name: e[name] for name in ("symbol", "function", "arguments")}
            for e in events if e["ev"] == "link" and e.get("function")]


def main() -> None:
    events, what, levers = read_events(sys.argv[1]), sys.argv[2], []
    if what in ("lto", "all"):
        levers.append({"id": "lto_ahead", "calls": calls(events)})
        print("link-time objects: %d" % len(levers[-1]["calls"]))
    if what in ("prebuild", "threads", "all"):
        how = "threads" if what == "threads" else "processes"
        levers.append({"id": "prebuild", "how": how, "modules": modules(events)})
        for module in levers[-1]["modules"]:
            print("module %(name)s, block size %(block_dim)s, %(cost_ms)d ms" % module)
    with open(sys.argv[3], "w") as file:
        json.dump({"schema": "kiln-levers-1", "levers": levers}, file, indent=1)


main()
