"""What a program on a GPU knows about itself; written as one JSON object to the file named by KILN_TRUTH."""

import json
import os


def write(**facts: object) -> None:
    """Facts: launches (kernels that ran), builds, blocks (block sizes built), lto, loads, jit (driver compiles)."""
    name = os.environ.get("KILN_TRUTH")
    if name:
        with open(name, "w") as file:
            json.dump(facts, file)
    print(json.dumps(facts, sort_keys=True))
