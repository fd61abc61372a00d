#!/usr/bin/env python3
"""Make the inputs of the measurements: the same files on every machine.

    python3 benches/make_inputs.py FOLDER [--lines N] [--tasks N] [--only pairs|tasks]

FOLDER then holds
    old.c new.c      N lines of C and a counterpart with 20 % of its lines changed
    old.py new.py    the same in Python
    tasks.jsonl      N faulty instances (default 200,000) as rows of FeedbackEval's HumanEval shape

Only the standard library. Every file has its own seed, so each can be made alone.
"""

import argparse
import json
import pathlib
import random

NOUNS = """account archive balance bucket cell channel cluster column command cursor deadline
device digest domain edge element event factor field filter flag folder gate group handle heap
index interval invoice item job key label layer ledger limit link lock margin marker matrix member
message meter node number offset option order packet page parcel path peer pixel plan point pool
port price prefix quota range rate record region report ring route row sample score segment sensor
session shard signal slot source stack stage step stream suffix surface table tag target task
ticket timer token total track tree unit user value vertex volume weight window word zone""".split()
VERBS = """add align apply balance bind check clamp clear close collect compare compress count
decode drop encode expand fetch fill find flush fold format group join load lock map mask match
merge move normalise open pack parse pick probe pull push rank read reduce release remove repair
resize rotate scale scan seek send shift skip sort split store sum swap trim unpack update verify
wrap write""".split()
TYPES = ["int", "long", "unsigned", "size_t", "double", "uint32_t", "const char *"]
OPERATORS = ["+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|"]
SYMPTOMS = """returns the wrong value|is off by one|ignores the last element|fails on an empty
list|loses the order|keeps duplicates|overflows on large numbers|mixes up the arguments|never
stops|treats zero as missing|rounds the wrong way|changes its argument""".replace("\n", " ").split("|")


class Words:
    """Names and numbers from one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def noun(self):
        return self.random.choice(NOUNS)

    def verb(self):
        return self.random.choice(VERBS)

    def name(self):
        return f"{self.noun()}_{self.noun()}"

    def number(self, most=100):
        return self.random.randrange(most)

    def chance(self, share):
        return self.random.random() < share


def c_statement(w, depth, argument, count):
    """Some lines of C, indented by `depth` tabs."""
    tab = "\t" * depth
    field = w.noun()
    kind = w.random.choice(["if", "loop", "call", "assign", "print", "switch", "comment"])
    if depth > 3 and kind in ("if", "loop", "switch"):
        kind = "assign"
    if kind == "if":
        inner = c_statement(w, depth + 1, argument, count)
        lines = [f"{tab}if ({argument}->{field} {w.random.choice(OPERATORS[3:9])} {w.number()}) {{", *inner]
        if w.chance(0.3):
            lines += [f"{tab}}} else {{", *c_statement(w, depth + 1, argument, count)]
        return [*lines, f"{tab}}}"]
    if kind == "loop":
        head = f"{tab}for (size_t i = {w.number(3)}; i < {count}; i++) {{"
        return [head, *c_statement(w, depth + 1, argument, count), f"{tab}}}"]
    if kind == "call":
        return [f"{tab}{w.verb()}_{field}({argument}, &{w.name()}, {w.number()}, \"{w.noun()} %d\\n\");"]
    if kind == "assign":
        left, right = f"{argument}->{field}[{w.number(9)}]", f"({w.name()} << {w.number(8)}) + {count}"
        return [f"{tab}{left} {w.random.choice(['=', '+=', '|=', '^='])} {right};"]
    if kind == "print":
        return [f"{tab}fprintf(stderr, \"%s: {w.noun()} %zu of %u\\n\", __func__, {count}, 0x{w.number(65536):x}u);"]
    if kind == "switch":
        cases = [f"{tab}case {w.name().upper()}: {field} = '{w.noun()[0]}'; break;" for _ in range(3)]
        return [f"{tab}switch ({argument}->{field}) {{", *cases, f"{tab}}}"]
    return [f"{tab}// {w.verb()} the {w.noun()} while the {w.noun()} is held"]


def c_function(w):
    argument, count = w.name(), w.noun()
    lines = [f"/* Each {w.noun()} has its {w.noun()}; {w.verb()} it before the {w.noun()} is gone. */"]
    if w.chance(0.2):
        lines.insert(0, f"#define {w.name().upper()} {w.number(1000)}")
    head = f"static {w.random.choice(TYPES)} {w.verb()}_{w.name()}(struct {w.noun()} *{argument}, size_t {count})"
    lines += [head, "{", f"\tunsigned {w.name()} = {w.number()}u;", ""]
    for _ in range(3 + w.number(8)):
        lines += c_statement(w, 1, argument, count)
    return [*lines, f"\treturn {w.number()};", "}", ""]


def python_statement(w, depth, argument, count):
    """Some lines of Python, indented by `depth` steps."""
    pad = "    " * depth
    kind = w.random.choice(["if", "loop", "call", "assign", "text", "raise", "comment"])
    if depth > 3 and kind in ("if", "loop"):
        kind = "assign"
    if kind == "if":
        head = f"{pad}if {argument}.{w.noun()} {w.random.choice(OPERATORS[3:9])} {w.number()} and not {count}:"
        return [head, *python_statement(w, depth + 1, argument, count)]
    if kind == "loop":
        head = f"{pad}for {w.noun()}, {w.noun()} in enumerate({argument}.{w.noun()}s):"
        return [head, *python_statement(w, depth + 1, argument, count)]
    if kind == "call":
        return [f"{pad}{argument}.{w.verb()}_{w.noun()}({count}, {w.noun()}={w.number()})"]
    if kind == "assign":
        return [f"{pad}{w.name()} = [x * {w.number()} for x in {argument} if x {w.random.choice(OPERATORS[3:9])} {count}]"]
    if kind == "text":
        return [f"{pad}{w.name()} = f\"{w.noun()} {{{count}}}: {{{argument}!r}}\\n\" + '{w.noun()}'"]
    if kind == "raise":
        return [f"{pad}assert {count} is not None, \"{w.noun()} without {w.noun()}\""]
    return [f"{pad}# {w.verb()} the {w.noun()} while the {w.noun()} is held"]


def python_function(w):
    argument, count = w.name(), w.noun()
    lines = [f"def {w.verb()}_{w.name()}({argument}, {count}: int = {w.number()}) -> list[int]:"]
    lines.append(f'    """{w.verb().title()} the {w.noun()} of each {w.noun()}."""')
    if w.chance(0.2):
        lines.insert(0, f"@{w.verb()}s(\"{w.noun()}\")")
    for _ in range(3 + w.number(8)):
        lines += python_statement(w, 1, argument, count)
    return [*lines, f"    return [{w.number()}, {count}]", "", ""]


def words_of(line):
    """Where the words of a line are."""
    start, places = None, []
    for at, letter in enumerate(line + " "):
        if letter.isalnum() or letter == "_":
            start = at if start is None else start
        elif start is not None:
            places.append((start, at))
            start = None
    return places


def changed(w, line):
    """The line with one change, or None if there is nothing to change."""
    places = words_of(line)
    if not places:
        return None
    start, end = w.random.choice(places)
    word = line[start:end]
    kind = w.random.choice(["word", "word", "word", "number", "operator", "argument", "space", "break"])
    if kind == "number" or word.isdigit():
        return line[:start] + str(w.number(1000)) + line[end:]
    if kind == "operator":
        for operator in OPERATORS:
            if f" {operator} " in line:
                return line.replace(f" {operator} ", f" {w.random.choice(OPERATORS)} ", 1)
    if kind == "argument" and "(" in line:
        return line.replace("(", f"({w.name()}, ", 1)
    if kind == "space" and line.strip():
        return line.replace(" ", "  ", 1) if " " in line.strip() else line + " "
    if kind == "break" and w.chance(0.3):
        # A few lines no longer parse, as in real faulty code.
        return line[:end] + w.random.choice([")", "}", "\"", "/*"]) + line[end:]
    return line[:start] + w.name() + line[end:]


def counterpart(w, lines, share):
    """The lines with `share` of them altered, deleted, doubled or moved."""
    out = []
    for line in lines:
        if not w.chance(share):
            out.append(line)
            continue
        kind = w.number()
        if kind < 65:
            out.append(changed(w, line) or f"{line} ")
        elif kind < 80:
            continue
        elif kind < 95:
            out += [line, changed(w, line) or "\t"]
        elif out:
            out.insert(len(out) - 1, line)
    return out


def write_pair(folder, ending, function, head, count):
    w = Words(f"pair {ending}")
    lines = list(head)
    while len(lines) < count:
        lines += function(w)
    lines = lines[:count]
    for name, text in (("old", lines), ("new", counterpart(Words(f"change {ending}"), lines, 0.2))):
        (folder / f"{name}.{ending}").write_text("\n".join(text) + "\n", encoding="utf-8")


def task_code(w, name, argument):
    """A small function: its documentation, then its lines."""
    low, step, sign = w.number(9), 1 + w.number(8), w.random.choice(["<", ">", "<=", ">="])
    first, second = w.noun(), w.noun()
    head = [f"def {name}({argument}, limit={w.number()}):"]
    text = [f'    """{w.verb().title()} every {first} of {argument} whose {second} is {sign} limit.', "",
            f"    >>> {name}([{low}, {low + step}])", f"    [{low}]", '    """']
    body = [f"    {first}s = []", f"    for index, {second} in enumerate({argument}):"]
    body += [f"        if {second} {sign} limit and index % {step} == {low % step}:", f"            {first}s.append({second})"]
    for _ in range(w.number(5)):
        body.append(f"        limit {w.random.choice(['+=', '-='])} {second} * {w.number(5)}")
    if w.chance(0.5):
        body += [f"    if not {first}s:", f"        return [{low}]"]
    return head + text, [*body, f"    return {first}s"]


def write_tasks(folder, instances):
    """Rows of one reference solution and some faulty ones each, until there are enough of these."""
    w = Words("tasks")
    made = row = 0
    with open(folder / "tasks.jsonl", "w", encoding="utf-8") as out:
        while made < instances:
            name, argument = f"{w.verb()}_{w.name()}", f"{w.noun()}s"
            head, body = task_code(w, name, argument)
            results = []
            for _ in range(min(1 + w.number(14), instances - made)):
                faulty, changes = list(body), 1 + w.number(3)
                while changes > 0 or faulty == body:
                    at = w.number(len(faulty))
                    faulty[at] = changed(w, faulty[at]) or faulty[at]
                    changes -= 1
                symptom = w.random.choice(SYMPTOMS)
                results.append({
                    "source": w.random.choice(["rule_based", "llm-based", "existing"]),
                    "generate_code": "\n".join(head + faulty) + "\n",
                    "test_feedback": f"E   AssertionError: {name} {symptom}",
                    "compiler_feedback": [f"Unused argument '{argument}'"] if w.chance(0.3) else [],
                    "llm_skilled_feedback": f"The function {symptom}: look at the {w.noun()}.",
                    "minimal_feedback": "The code is wrong. Please fix it.",
                    "llm_expert_feedback": f"The function {symptom}; {w.verb()} the {w.noun()} first.",
                })
            made += len(results)
            out.write(json.dumps({
                "task_id": f"HumanEval/{row}",
                "false_results": results,
                "test": f"\n\ndef check(candidate):\n    assert candidate([]) == []\n\n\ncheck({name})",
                "correct_code": "\n".join(head + body) + "\n",
            }) + "\n")
            row += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--tasks", type=int, default=200_000)
    parser.add_argument("--only", choices=["pairs", "tasks"])
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    if chosen.only != "tasks":
        write_pair(chosen.folder, "c", c_function, ["#include <stdio.h>", "#include <stdint.h>", ""], chosen.lines)
        write_pair(chosen.folder, "py", python_function, ["from __future__ import annotations", ""], chosen.lines)
    if chosen.only != "pairs":
        write_tasks(chosen.folder, chosen.tasks)


if __name__ == "__main__":
    main()
