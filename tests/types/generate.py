"""Writes the Python and TypeScript types of the wire from the Rust types' JSON Schemas.

    python3 tests/types/generate.py            # writes python/standfast/wire.py and npm/src/wire.ts
    python3 tests/types/generate.py --check    # fails where one of them is stale

Python keeps the names of the wire. TypeScript has the fields in camelCase, as the npm package's objects do.
"""

from __future__ import annotations

import argparse
import difflib
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[2]
Schema = dict[str, Any]
RENAMED = {"Boundary": "BoundaryName"}
INLINED = {"Fraction": "number", "Digest": "string"}  # plain numbers and texts to every host


def schemas() -> dict[str, Schema]:
    """Every named type of the wire, each once, in alphabetical order."""
    command = ["cargo", "run", "--quiet", "--locked", "-p", "standfast", "--features", "schema", "--example", "schema"]
    printed: dict[str, Schema] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    named: dict[str, Schema] = {}
    for name, root in printed.items():
        for inner, definition in root.pop("$defs", {}).items():
            named.setdefault(inner, definition)
        named[name] = root
    return {RENAMED.get(name, name): named[name] for name in sorted(named) if name not in INLINED}


def words(schema: Schema) -> list[str] | None:
    """The words of an enum without data."""
    if "enum" in schema:
        return list(schema["enum"])
    variants = schema.get("oneOf", [])
    found = [word for variant in variants for word in ([variant["const"]] if "const" in variant else variant.get("enum", []))]
    return found if variants and all(isinstance(word, str) for word in found) and len(found) >= len(variants) else None


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found.group(1).upper(), name)


class Language:
    """How one language writes a type."""

    names: ClassVar[dict[str, str]]

    def type_of(self, schema: Any) -> str:
        if not isinstance(schema, dict) or not (schema.keys() - {"description", "default"}):
            return self.names["any"]
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return self.names[INLINED[name]] if name in INLINED else RENAMED.get(name, name)
        if (found := words(schema)) is not None:
            return self.literal(found)
        if "const" in schema:
            return self.literal([schema["const"]])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return " | ".join(dict.fromkeys(self.type_of(variant) for variant in schema[key]))
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self.type_of({**schema, "type": one}) for one in kind)
        if kind == "array":
            return self.tuple(schema["prefixItems"]) if "prefixItems" in schema else self.list(self.type_of(schema.get("items")))
        if kind == "object":
            return self.map(self.type_of(schema.get("additionalProperties")))
        return self.names[kind or "any"]

    def literal(self, found: list[str]) -> str:
        raise NotImplementedError

    def tuple(self, items: list[Schema]) -> str:
        raise NotImplementedError

    def list(self, item: str) -> str:
        raise NotImplementedError

    def map(self, value: str) -> str:
        raise NotImplementedError

    def alias(self, name: str, schema: Schema) -> str:
        raise NotImplementedError

    def record(self, name: str, schema: Schema) -> str:
        raise NotImplementedError

    def variants(self, name: str, schema: Schema) -> str:
        """A tagged enum: a record each, and their union."""
        records, union = [], []
        for variant in schema["oneOf"]:
            tag = next(iter(variant["properties"]))
            union.append(name + tag.title().replace("_", ""))
            records.append(self.record(union[-1], variant))
        either = {"description": schema.get("description", ""), "anyOf": [{"$ref": one} for one in union]}
        return "".join(records) + self.alias(name, either)

    def declare(self, name: str, schema: Schema) -> str:
        if "properties" in schema:
            return self.record(name, schema)
        if words(schema) is None and "oneOf" in schema and all("properties" in variant for variant in schema["oneOf"]):
            return self.variants(name, schema)
        return self.alias(name, schema)


class Python(Language):
    names: ClassVar = {"any": "Any", "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
    head = '''"""The wire types, for type checkers. Made by tests/types/generate.py from the Rust types; do not edit."""

from typing import Any, Literal, TypedDict, final
'''

    def literal(self, found: list[str]) -> str:
        return f"Literal[{', '.join(json.dumps(word) for word in found)}]"

    def tuple(self, items: list[Schema]) -> str:
        return f"tuple[{', '.join(map(self.type_of, items))}]"

    def list(self, item: str) -> str:
        return f"list[{item}]"

    def map(self, value: str) -> str:
        return f"dict[str, {value}]"

    def alias(self, name: str, schema: Schema) -> str:
        return f"\n{name} = {self.type_of(schema)}\n{self.doc(schema, '')}"

    def record(self, name: str, schema: Schema) -> str:
        required = set(schema.get("required", []))
        optional = {field: item for field, item in schema["properties"].items() if field not in required}
        if optional and required:
            needed = {field: item for field, item in schema["properties"].items() if field in required}
            base = self.typed_dict(f"_{name}", "TypedDict", {"properties": needed}, final=False)
            return base + self.typed_dict(name, f"_{name}, total=False", {**schema, "properties": optional})
        return self.typed_dict(name, "TypedDict" if required else "TypedDict, total=False", schema)

    def typed_dict(self, name: str, base: str, schema: Schema, *, final: bool = True) -> str:
        if any(map(keyword.iskeyword, schema["properties"])):
            fields = "".join(f'    "{field}": {self.type_of(item)},\n' for field, item in schema["properties"].items())
            return f'\n\n{name} = {base.split(",")[0]}("{name}", {{\n{fields}}})\n{self.doc(schema, "")}'
        fields = "".join(f"    {field}: {self.type_of(item)}\n" for field, item in schema["properties"].items())
        return f"\n\n{'@final' if final else ''}{chr(10) if final else ''}class {name}({base}):\n{self.doc(schema, '    ')}{fields}"

    def doc(self, schema: Schema, indent: str) -> str:
        text = " ".join(schema.get("description", "").split())
        return f'{indent}"""{text}"""{chr(10) * (2 if indent else 1)}' if text else ""

    def module(self, named: dict[str, Schema]) -> str:
        aliases = {name: schema for name, schema in named.items() if "properties" not in schema and words(schema) is not None}
        rest = {name: schema for name, schema in named.items() if name not in aliases}
        return self.head + "".join(self.declare(name, schema) for name, schema in [*aliases.items(), *in_order(rest)])


def in_order(named: dict[str, Schema]) -> list[tuple[str, Schema]]:
    """A type after those it is made of, since Python reads from the top."""
    done: dict[str, Schema] = {}

    def visit(name: str) -> None:
        if name in done or name not in named:
            return
        for inner in re.findall(r'"#/\$defs/(\w+)"', json.dumps(named[name])):
            visit(RENAMED.get(inner, inner))
        done[name] = named[name]

    for name in named:
        visit(name)
    return list(done.items())


class TypeScript(Language):
    names: ClassVar = {"any": "unknown", "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
    head = """// The wire types. Made by tests/types/generate.py from the Rust types; do not edit.

/** First and last seq, both included. */
export type SeqSpan = [number, number];
"""

    def literal(self, found: list[str]) -> str:
        return " | ".join(json.dumps(word) for word in found)

    def tuple(self, items: list[Schema]) -> str:
        inner = list(map(self.type_of, items))
        return "SeqSpan" if inner == ["number", "number"] else f"[{', '.join(inner)}]"

    def list(self, item: str) -> str:
        return f"({item})[]" if "|" in item else f"{item}[]"

    def map(self, value: str) -> str:
        return f"Record<string, {value}>"

    def alias(self, name: str, schema: Schema) -> str:
        return f"\n{self.doc(schema, '')}export type {name} = {self.type_of(schema)};\n"

    def record(self, name: str, schema: Schema) -> str:
        required = schema.get("required", [])
        lines = [
            f"{self.doc(item, '  ')}  {camel(field)}{'' if field in required else '?'}: {self.type_of(item)};\n"
            for field, item in schema["properties"].items()
        ]
        return f"\n{self.doc(schema, '')}export interface {name} {{\n{''.join(lines)}}}\n"

    def doc(self, schema: Any, indent: str) -> str:
        text = " ".join(schema.get("description", "").split()) if isinstance(schema, dict) else ""
        return f"{indent}/** {text} */\n" if text else ""

    def module(self, named: dict[str, Schema]) -> str:
        return self.head + "".join(self.declare(name, schema) for name, schema in named.items())


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--check", action="store_true", help="write nothing, fail where a file is stale")
    check = arguments.parse_args().check
    named = schemas()
    made = {ROOT / "python/standfast/wire.py": Python().module(named), ROOT / "npm/src/wire.ts": TypeScript().module(named)}
    stale = 0
    for path, text in made.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        if check:
            stale += 1
            name = str(path.relative_to(ROOT))
            sys.stderr.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), name, f"{name} (from Rust)", n=1))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{stale} stale: run python3 tests/types/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
