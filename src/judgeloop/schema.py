r"""JSON Schema: the form of a document, before anything else is asked of it (the only door to jsonschema).

Draft 2020-12, or 2019-09 and 7 where ``$schema`` says so. Four things are stricter than in the library: no reference is
ever fetched; a ``format`` that can't be checked is refused, not passed over; patterns follow ECMA-262 as JSON Schema
asks (``$`` is the very end, ``\d`` and ``\w`` are ASCII); and ``uniqueItems`` takes linear time.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from jsonschema import Draft7Validator, Draft201909Validator, Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing.exceptions import Unresolvable
from referencing.jsonschema import SchemaRegistry, SchemaResource, specification_with

from judgeloop.errors import BadInput, EngineFailure
from judgeloop.messages import both
from judgeloop.model import Text
from judgeloop.sources import Json, WrittenFloat, WrittenInt, parse_json, pointer

_DRAFTS: Final = {
    draft.META_SCHEMA["$id"].rstrip("#"): draft
    for draft in (Draft7Validator, Draft201909Validator, Draft202012Validator)
}
_WORDED: Final = re.compile(
    r"type|enum|const|required|additionalProperties|pattern|format|anyOf|oneOf|uniqueItems|(min|max)(Length|Items)"
    r"|minProperties|(exclusiveM|m)(in|ax)imum"
)
"""Keywords that have a sentence of their own."""
_Engine: TypeAlias = Any  # the library's validator: its protocol leaves out what keywords call
_JSON_TYPES: Final = {bool: "boolean", str: "string", int: "number", float: "number", dict: "object", list: "array"}
_DATE_TIME: Final = re.compile(
    r"(?ai)(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)"
)
_IRI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
_DOLLAR: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
"""The dollars that end a text, and whatever may hold another dollar."""


@dataclass(frozen=True)
class SchemaViolation:
    """One place of a document and the keyword that it breaks."""

    pointer: str
    keyword: str
    message: Text


@lru_cache(maxsize=64)
def compiled(content: bytes, name: str) -> "Schema":
    """Return the schema in ``content``, read once per content."""
    return Schema(content, name)


class Schema:
    """One JSON Schema that was read and found sound; validates any number of documents."""

    def __init__(self, content: bytes, name: str) -> None:
        """Read ``content``; ``name`` is the file to be named where it is no schema.

        Raises:
            BadInput: not JSON, not a schema of a known draft, a reference that leads out of it, an unknown format.
        """
        document = parse_json(content, name)
        draft = _draft(document, name)
        formats = _formats(draft)
        try:
            draft.check_schema(document)
            _refuse_unknown(document, draft, formats, name)
        except SchemaError as error:
            place = f"{name} {pointer(*error.absolute_path)}".rstrip()
            raise BadInput("schema-broken", place=place, why=_sentence(error)) from None
        except RecursionError:
            raise BadInput("schema-broken", place=name, why=both("schema-why-deep")) from None
        strict = extend(draft, _STRICTER)  # type: ignore[no-untyped-call] # the library has no types here
        self._validator = strict(document, registry=SchemaRegistry(), format_checker=formats)

    def violations(self, instance: Json) -> list[SchemaViolation]:
        """Return what ``instance`` breaks, sorted by place and keyword; empty when it fits.

        A missing key is reported at its object, a key too many at itself, both with one violation per key.

        Raises:
            EngineFailure: this instance can't be validated to the end; nothing is known about it.
        """
        try:
            found = [
                SchemaViolation(pointer(*error.absolute_path), str(error.validator or "false"), _sentence(error))
                for error in self._validator.iter_errors(instance)
            ]
        except (RecursionError, OverflowError) as error:
            raise EngineFailure("schema-stopped", why=type(error).__name__) from None
        return sorted(found, key=lambda violation: (violation.pointer, violation.keyword, violation.message["en"]))

    def examined(self, instance: Json) -> int:
        """Return how many JSON values ``instance`` has, itself and containers included.

        Does not establish: that a keyword of the schema speaks of each of them.
        """
        count, waiting = 0, [instance]
        while waiting:
            value = waiting.pop()
            count += 1
            if isinstance(value, dict):
                waiting.extend(value.values())
            elif isinstance(value, list):
                waiting.extend(value)
        return count


def json_type(value: Json) -> str:
    """Return the JSON type of a value: object, array, string, number, boolean or null."""
    return next((name for kind, name in _JSON_TYPES.items() if isinstance(value, kind)), "null")


# --- reading a schema


def _draft(document: Json, name: str) -> type[Validator]:
    named = document.get("$schema") if isinstance(document, dict) else None
    if named is None:
        return Draft202012Validator
    if str(named).rstrip("#") not in _DRAFTS:
        raise BadInput("schema-broken", place=name, why=both("schema-why-draft", draft=str(named)))
    return _DRAFTS[str(named).rstrip("#")]


def _formats(draft: type[Validator]) -> FormatChecker:
    checker = FormatChecker(())
    checker.checkers = dict(draft.FORMAT_CHECKER.checkers)
    checker.checks("date-time", raises=ValueError)(_is_date_time)
    checker.checks("uri")(_is_iri)
    checker.checks("iri")(_is_iri)
    return checker


def _refuse_unknown(document: Json, draft: type[Validator], formats: FormatChecker, name: str) -> None:
    """Refuse references that nothing in the file answers, and formats that nothing here can check."""
    resource: SchemaResource = specification_with(draft.META_SCHEMA["$id"]).create_resource(document)
    waiting = [(resource, SchemaRegistry().resolver_with_root(resource))]
    while waiting:
        part, resolver = waiting.pop()
        words = part.contents if isinstance(part.contents, dict) else {}
        words.pop("$schema", None)  # the library would drop what is stricter here wherever it meets one
        for ref in (words[key] for key in ("$ref", "$dynamicRef") if key in words):
            try:
                resolver.lookup(ref)
            except Unresolvable:
                raise BadInput("schema-broken", place=name, why=both("schema-why-reference", reference=ref)) from None
        if words.get("format", "date") not in formats.checkers:
            raise BadInput("schema-broken", place=name, why=both("schema-why-format", format=words["format"]))
        waiting.extend((inner, resolver.in_subresource(inner)) for inner in part.subresources())


# --- what is stricter than the library (the signatures are its own)


def _required(validator: _Engine, keys: list[str], instance: Json, _: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        yield from (ValidationError(key) for key in keys if key not in instance)


def _additional(validator: _Engine, allowed: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    known, patterns = schema.get("properties", {}), [_ecma(p) for p in schema.get("patternProperties", {})]
    for key, value in instance.items():
        if key in known or any(pattern.search(key) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError(key, path=(key,))
        else:
            yield from validator.descend(value, allowed, path=key)


def _pattern(validator: _Engine, pattern: str, instance: Json, _: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _ecma(pattern).search(instance):
        yield ValidationError(pattern)


def _pattern_properties(validator: _Engine, parts: Json, instance: Json, _: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, schema in parts.items():
            for key in filter(_ecma(pattern).search, instance):
                yield from validator.descend(instance[key], schema, path=key, schema_path=pattern)


def _unique(validator: _Engine, wanted: bool, instance: Json, _: Json) -> Iterator[ValidationError]:  # noqa: FBT001
    if wanted and validator.is_type(instance, "array") and len({_identity(item) for item in instance}) < len(instance):
        yield ValidationError("")


_STRICTER: Final = {
    "required": _required,
    "additionalProperties": _additional,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique,
}


@cache
def _ecma(pattern: str) -> re.Pattern[str]:
    return re.compile(_DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern), re.ASCII)


def _identity(value: Json) -> object:
    """Return a hashable stand-in: equal where JSON Schema calls the values equal (1 and 1.0, not 1 and true)."""
    if isinstance(value, dict):
        return frozenset((key, _identity(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(_identity(item) for item in value)
    return json_type(value), value


def _is_date_time(value: object) -> bool:
    found = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    return not isinstance(value, str) or (found is not None and bool(date.fromisoformat(found[1])))


def _is_iri(value: object) -> bool:
    return not isinstance(value, str) or bool(_IRI.fullmatch(value))


def _sentence(error: ValidationError | SchemaError) -> Text:
    """Return what one keyword asks for and what stands there instead."""
    keyword = str(error.validator or "false")
    wanted: Json = error.validator_value
    return both(
        f"schema-{keyword}" if _WORDED.fullmatch(keyword) else "schema-other",
        keyword=keyword,
        member=json.dumps(error.message, ensure_ascii=False),
        wanted=" | ".join([wanted] if isinstance(wanted, str) else wanted) if keyword == "type" else _written(wanted),
        found=_written(error.instance),
        kind=json_type(error.instance),
        size=len(error.instance) if isinstance(error.instance, (str, list, dict)) else 0,
    )


def _written(value: Json) -> str:
    return value.text if isinstance(value, (WrittenInt, WrittenFloat)) else json.dumps(value, ensure_ascii=False)
