"""Prints the counter files of a folder, independently of kiln's own reader: count, dim, kernel, direction, pid."""

import glob
import json
import os
import struct
import sys

SLOTS = 4096
for path in glob.glob(os.path.join(sys.argv[1], "*.count")):
    with open(path, "rb") as file:
        data = file.read()
    magic, pid, slots, used, overflow, start = struct.unpack_from("<8sIIIIQ", data)
    assert magic == b"KILNCNT1" and slots == SLOTS and len(data) == 4096 + SLOTS * 64 + 262144, path
    assert os.path.basename(path) == "%d.%d.count" % (pid, start), path
    names, at, base = {}, 0, 4096 + SLOTS * 64
    while at < used:
        number, length = struct.unpack_from("<II", data, base + at)
        names[number] = json.loads(data[base + at + 8 : base + at + 8 + length])
        at += (8 + length + 7) // 8 * 8
    for slot in range(SLOTS):
        count, key, dim, signature = struct.unpack_from("<QQQI", data, 4096 + 64 * slot)
        if key:
            print(count, dim, names[signature]["kernel"], names[signature]["direction"], pid)
    if overflow:
        print(overflow, "overflow", "-", "-", pid)
