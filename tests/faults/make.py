#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""make.py MUTANTS.JSON PLANTED.PY > faults.diff: chooses the faults by a seed.

`grep '^# ' faults.diff` is their list: number, kind, file, function, what is changed. Those of kind
"guest" can only be seen in a guest, "named" are those that commit messages name, "spare" replaces
mutants that do not build.

MUTANTS.JSON is what `cargo mutants --list --json --diff` prints in the tree that
tests/mutants.sh makes; PLANTED.PY a list of (kind, file, what, [(old, new), ...]).
"""

import difflib
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 44
# Kind of change: the lines, the number in them, how many.
NUMBERS = [
    ("code", r'^\s+(?:event|packets|low|command|inc)\("|row!\(', r"\",\s*(0x[0-9a-f_]+)", 25),
    ("umask", r'^\s+sub\("', r",\s*(0x[0-9a-f]+)", 25),
    ("counters", r'^\s+event\("|^const (?:ANY|C\d+): u8', r"(?:,\s*0x[^,]*,\s*|= )(\w+)(?:,|;)", 10),
    ("width", r"width: \d|bits::<|low: \d", r"(?:width: |bits::<\d+, |high: |bits::<)(\d+)", 15),
    ("address", r"^(?!.*\b(?:event|sub|field|packets|bits|low|command|inc|row|preset|filter_unit)\b).*\b0x[0-9a-f_]+|1 << \d",
     r"(0x[0-9a-f_]+|(?<=1 << )\d+)", 25),
]


def texts():
    for path in sorted((ROOT / "rust/platforms").rglob("*.rs")):
        if path.name != "survey.rs":
            yield path.relative_to(ROOT), path.read_text().splitlines(keepends=True)


def changed(chance, kind, old):
    if kind == "counters" and old[:2] != "0b":
        return f"{old} ^ 0b10"
    if old[:2] in ("0x", "0b"):
        base, digits = old[:2], old[2:].replace("_", "")
        width = len(digits) * {"0x": 4, "0b": 1}[base]
        value = int(digits, 16 if base == "0x" else 2) ^ (1 << chance.randrange(width))
        return f"{value:#0{len(digits) + 2}{'x' if base == '0x' else 'b'}}"
    return str(int(old) + 1)


def difference(path, old, new):
    lines = list(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}", n=3))
    return "".join(lines)


def numbers():
    chance = random.Random(SEED)
    for kind, rows, number, wanted in NUMBERS:
        places = []
        for path, lines in texts():
            for at, line in enumerate(lines):
                code = line.split("//")[0]
                if re.search(rows, code):
                    found = [m.span(1) for m in re.finditer(number, code)]
                    places += [(path, lines, at, span) for span in found]
        for path, lines, at, (start, end) in chance.sample(places, wanted):
            line = lines[at]
            new = changed(chance, kind, line[start:end])
            copy = lines[:at] + [line[:start] + new + line[end:]] + lines[at + 1:]
            what = f"{kind} {line[start:end]} -> {new} in: {' '.join(line.split('//')[0].split())}"
            yield "number", path, "-", what, difference(path, lines, copy)


def mutants(listed):
    chance = random.Random(SEED)
    # What has no such value does not build.
    build = [m for m in listed if not re.search(
        r"Default::default|from_iter|::new\(\)|once\(|empty\(\)|leak\(|vec!", m["replacement"])]
    for mutant in chance.sample(build, 220):
        path = pathlib.Path("rust", mutant["file"].removeprefix("src/driver/"))
        lines = (ROOT / path).read_text().splitlines(keepends=True)
        start, end = mutant["span"]["start"], mutant["span"]["end"]
        text = "".join(lines)
        first, last = (sum(map(len, lines[:at["line"] - 1])) + at["column"] - 1
                       for at in (start, end))
        new = (text[:first] + mutant["replacement"] + " /* changed */" + text[last:]).splitlines(keepends=True)
        function = (mutant.get("function") or {}).get("function_name", "-")
        what = mutant["name"].split(": ", 1)[1]
        yield "mutant", path, function, what, difference(path, lines, new)


def planted(entries):
    for kind, file, what, edits in entries:
        old = (ROOT / file).read_text()
        new = old
        for before, after in edits:
            assert new.count(before) == 1, (file, before, new.count(before))
            new = new.replace(before, after)
        at = old[:old.index(edits[0][0]) + len(edits[0][0])]
        function = (re.findall(r"fn (\w+)", at) or ["-"])[-1]
        yield kind, file, function, what, difference(
            file, old.splitlines(keepends=True), new.splitlines(keepends=True))


def main():
    found = list(mutants(json.loads(pathlib.Path(sys.argv[1]).read_text())))
    names = {}
    exec(pathlib.Path(sys.argv[2]).read_text(), names)
    by_hand = list(planted(names["PLANTED"]))
    spare = [("spare", *rest) for _, *rest in found[200:]]
    faults = found[:200] + list(numbers()) + by_hand + spare
    print("# SPDX-License-Identifier: GPL-2.0")
    for number, (kind, path, function, what, diff) in enumerate(faults, 1):
        print(f"# {number:03} {kind} {path} {function}: {what}")
        print(diff, end="")


main()
