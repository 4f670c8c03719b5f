"""What can't be read: exit 2, one sentence with the place, in Korean and English, and nothing is stored."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgeloop.assets import root
from judgeloop.store import open_store

if TYPE_CHECKING:
    from tests.integration.conftest import Cli

PREFIX = "@prefix k: <https://kg.example/> .\n"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
HANGUL = re.compile("[가-힣]")


def refused(cli: "Cli", *words: str | Path, english: str, korean: str = "", stdin: bytes = b"") -> None:
    """Hold a command to what every refusal is; the sentences are regular expressions of the whole message."""
    for lang, sentence in (("en", english), ("ko", korean)):
        before = {p: p.read_bytes() for p in cli.folder.rglob("*") if p.is_file()}
        done = cli(*words, "--lang", lang, stdin=stdin)
        assert done.code == 2
        assert done.out == ""
        assert done.err.startswith("judgeloop: ")
        assert done.err.count("\n") == 1, done.err
        message = done.err.removeprefix("judgeloop: ").rstrip("\n")
        assert bool(HANGUL.search(message)) is (lang == "ko")
        if sentence:
            assert re.fullmatch(sentence, message), message
        assert {p: p.read_bytes() for p in cli.folder.rglob("*") if p.is_file()} == before


def edited(cli: "Cli", change: Callable[[str], str]) -> str:
    """Return the right case as text, changed."""
    text = json.dumps(cli.good(), ensure_ascii=False)
    assert change(text) != text
    return change(text)


# --- files that are no case

CASES: dict[str, tuple[bytes | str, str, str]] = {
    "no JSON": ("hello", r"bad.json:1:1: not JSON: a value is expected here .*", r"bad.json:1:1: JSON 이 아닙니다: .*"),
    "cut off": ('{"case_id": "a",\n', r"bad.json:2:1: not JSON: the text ends before .*", r"bad.json:2:1: JSON 이 .*"),
    "a key twice": (
        '{"case_id": "a",\n "case_id": "b"}',
        r'bad.json:2:2: the key "case_id" stands twice in one object; keep one of them',
        r"bad.json:2:2: 한 객체에 키 .*",
    ),
    "NaN": ('{"risk": NaN}', r"bad.json:1:10: NaN is not a JSON number; .*", r"bad.json:1:10: NaN 은.*"),
    "Infinity": ('{"a":\n  -Infinity}', r"bad.json:2:3: -Infinity is not a JSON .*", r"bad.json:2:3: -Infinity .*"),
    "ten million characters": (
        json.dumps({"case_id": "x" * 10_000_000}),
        r"bad.json:1:13: a string of 10000000 characters; the limit is 1048576",
        r"bad.json:1:13: 문자열이 10000000 자입니다.*",
    ),
    "ten thousand levels": (
        '{"a":' * 10_000 + "1" + "}" * 10_000,
        r"bad.json:1:1001: nested deeper than 200 levels; no case needs that",
        r"bad.json:1:1001: 200 단계보다 .*",
    ),
    "empty": (b"", r"bad.json: the file is empty", r"bad.json: 파일이 비어 있습니다"),
    "UTF-16": ('{"a": 1}'.encode("utf-16"), r"bad.json:1: not UTF-8 text \(byte 0\); .*", r"bad.json:1: UTF-8 글이 .*"),
    "CP949": ('{"a":\n"한글"}'.encode("cp949"), r"bad.json:2: not UTF-8 text \(byte 7\); .*", r"bad.json:2: UTF-8 .*"),
    "a web page": ("<!DOCTYPE html>\n<html></html>", r"bad.json:1:1: not JSON: this looks like HTML .*", r".* HTML .*"),
    "an array": ("[]", r"bad.json: a case is a JSON object, this is array", r"bad.json: 사례는 JSON 객체여야 .*"),
    "merge markers": ('{\n<<<<<<< HEAD\n"a": 1}', r"bad.json:2:1: not JSON: a merge marker .*", r".* 병합 표시가 .*"),
    "no case at all": ("{}", r"bad.json: which contract\? give --contract, .*", r"bad.json: 어떤 계약입니까\? .*"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_is_no_case_is_refused_with_its_place(cli: "Cli", name: str) -> None:
    content, english, korean = CASES[name]
    cli.write("bad.json", content)
    refused(cli, "judge", "bad.json", "--quiet", english=english, korean=korean)


FIELDS: dict[str, tuple[Callable[[str], str], str]] = {
    "an id that is no text": (
        lambda t: t.replace('"acme-city"', "3", 1),
        r"bad.json: not a case: must be string, is number: 3 \(at /case_id\)",
    ),
    "an unknown risk": (
        lambda t: t.replace("{", '{"risk": "extreme", ', 1),
        r'bad.json: not a case: must be one of \["low", "medium", "high"\], is "extreme" \(at /risk\)',
    ),
    "a trace that is no list": (
        lambda t: t.replace("{", '{"trace": {}, ', 1),
        r"bad.json: not a case: must be array, is object: \{\} \(at /trace\)",
    ),
    "a control character in the id": (
        lambda t: t.replace("acme-city", "a\\u0007b", 1),
        r"bad.json#/case_id: the id 'a\\x07b' holds control, .*",
    ),
    "a line break in a node": (
        lambda t: t.replace('"c_acme"', '"c\\nacme"'),
        r"bad.json#/decision/path/0/src: the id 'c\\nacme' holds .*",
    ),
    "a bidirectional character in the answer": (
        lambda t: t.replace('"answer": "pl_', '"answer": "pl\u202e_'),
        r"bad.json#/decision/answer: the id 'pl\\u202e_seoul' holds .*",
    ),
    "half a surrogate pair in the id": (
        lambda t: t.replace("acme-city", "a\\ud800", 1),
        r"bad.json#/case_id: the id 'a\\ud800' holds .*",
    ),
    "half a surrogate pair in a text": (
        lambda t: t.replace("The chunk", "The \\udc00"),
        r"bad.json#/decision/reason: .*\\udc00.*",
    ),
    "an unknown contract": (
        lambda t: t.replace("multihop@1.0.0", "nosuch@1.0.0"),
        r"bad.json: no contract nosuch@1.0.0; shipped are .*multihop.*",
    ),
    "a version that nobody has": (
        lambda t: t.replace("multihop@1.0.0", "multihop@9.9.9"),
        r"bad.json: no contract multihop@9.9.9; shipped are multihop@1.0.0; .*",
    ),
    "a contract of its own making": (
        lambda t: t.replace("multihop@1.0.0", "../lax/policies/lax.ttl"),
        r"bad.json: a case names its contract by name \(.*multihop.*\), not by a path \(../lax/policies/lax.ttl\); .*",
    ),
    "no id": (
        lambda t: t.replace('"case_id"', '"case"').replace('"query_id"', '"query"'),
        r"bad.json: neither case_id nor query_id names this case",
    ),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_case_that_can_not_be_recorded_is_refused_with_its_pointer(cli: "Cli", name: str) -> None:
    change, english = FIELDS[name]
    cli.write("bad.json", edited(cli, change))
    refused(cli, "judge", "bad.json", "--quiet", english=english)


def test_the_pointer_is_one_of_the_file_that_was_handed_in(cli: "Cli") -> None:
    cli.write("bare.json", cli.good({"query_id": "q\u2066"})["decision"])
    refused(
        cli, "judge", "bare.json", "--quiet", english=r"bare.json#/query_id: the id .*", korean=r"bare.json#/query.*"
    )


def test_nothing_of_an_unreadable_case_is_stored(cli: "Cli") -> None:
    cli.write("bad.json", edited(cli, lambda t: t.replace('"c_acme"', '"c\\nacme"')))
    assert cli("judge", "bad.json", "missing.json", "--store", "kept").code == 2
    with open_store("kept", create=False) as store:
        assert store.graphs() == []


def test_a_missing_file_and_a_folder_without_cases_are_told(cli: "Cli") -> None:
    (cli.folder / "empty").mkdir()
    refused(
        cli, "judge", "no.json", "--quiet", english="no.json: no such file; check the path", korean="no.json: 파일이 .*"
    )
    refused(cli, "judge", "empty", "--quiet", english="empty: no case found; .*", korean="empty: 사례가 없습니다.*")


# --- worlds

WORLDS: dict[str, tuple[str, bytes | str, str, str]] = {
    "a syntax error": (
        "w.ttl",
        PREFIX + "k:a k:b k:c .\nk:a k:b k:c k:d .\n",
        r"w.ttl:3:13: Turtle syntax error: .*",
        r"w.ttl:3:13: Turtle 문법 오류: .*",
    ),
    "an undeclared prefix": ("w.ttl", "x:a x:b x:c .", r"w.ttl:1:1: Turtle syntax error: The prefix x: .*", ""),
    "a cut off TriG file": ("w.trig", PREFIX + "k:g { k:a k:b k:c", r"w.trig:\d+:\d+: TriG syntax error: .*", ""),
    "a web page": ("w.ttl", "<html>\n<body>404</body></html>", r"w.ttl:1:1: Turtle .*looks like HTML.*", ""),
    "a web page with a doctype": ("w.nt", "<!DOCTYPE html>\n<html/>", r"w.nt:1:1: N-Triples .*looks like HTML.*", ""),
    "merge markers": ("w.ttl", PREFIX + "<<<<<<< HEAD\nk:a k:b k:c .", r"w.ttl:2:\d+: Turtle .*a merge marker.*", ""),
    "a remote context": (
        "w.jsonld",
        '{"@context": "https://example.org/c", "@id": "https://kg.example/a"}',
        r'w.jsonld "https://example.org/c": a JSON-LD @context in user data is refused; .*',
        "",
    ),
    "an imported context": (
        "w.jsonld",
        '{"@context": {"@import": "https://example.org/c"}}',
        r"w.jsonld .*refused.*",
        "",
    ),
    "a DOCTYPE": (
        "w.rdf",
        '<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<r/>',
        r"w.rdf:2: RDF/XML with a DOCTYPE is refused: .*",
        r"w.rdf:2: DOCTYPE 이 있는 RDF/XML .*",
    ),
    "a doctype in small letters": (
        "w.rdf",
        "<!doctype x [<!ENTITY a 'b'>]><r/>",
        r"w.rdf:1: RDF/XML with a DOCTYPE .*",
        "",
    ),
    "a relative IRI in Turtle": ("w.ttl", "<a> <https://kg.example/b> 1 .", r"w.ttl:1:1: the relative IRI <a> .*", ""),
    "a relative IRI in JSON-LD": (
        "w.jsonld",
        '{"@id": "a", "https://kg.example/b": 1}',
        r"w.jsonld: the relative IRI <a> needs a base; give --base",
        r"w.jsonld: 상대 IRI <a> .*",
    ),
    "a relative IRI in RDF/XML": (
        "w.rdf",
        f'<r:RDF xmlns:r="{RDF}" xmlns:e="http://e/"><r:Description r:about="x"><e:p>1</e:p></r:Description></r:RDF>',
        r"w.rdf: the relative IRI <x> needs a base; give --base",
        "",
    ),
    "an empty file": ("w.ttl", b"", r"w.ttl: the file is empty", ""),
    "an empty file with a BOM": ("w.ttl", b"\xef\xbb\xbf\n", r"w.ttl: the file is empty", ""),
    "CP949": ("w.ttl", (PREFIX + 'k:a k:b "한".').encode("cp949"), r"w.ttl:2: not UTF-8 text \(byte 44\); .*", ""),
    "UTF-16": ("w.ttl", PREFIX.encode("utf-16"), r"w.ttl:1: not UTF-8 text \(byte 0\); .*", ""),
    "an unknown extension": ("w.xyz", "a", r"w.xyz: can't tell the RDF format from the name; use .ttl .*", ""),
    "tables that are no object": ("w.json", "[1]", r"w.json: .*object.* array", ""),
    "a table value of the wrong type": (
        "w.json",
        '{"edges": [{"src": "a", "rel": "r", "dst": "b", "grounded": "maybe"}]}',
        r'w.json: /edges/0/grounded: "maybe" is not of the type that the table wants .*',
        "",
    ),
    "tables that are no JSON": ("w.json", '{"nodes": [}', r"w.json:1:12: not JSON: .*", ""),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_that_can_not_be_read_is_refused_with_its_place(cli: "Cli", name: str) -> None:
    file, content, english, korean = WORLDS[name]
    cli.write(file, content)
    for number in (1, 2):  # one fault, however many cases meet it
        cli.write(f"case{number}.json", cli.good(case_id=f"case{number}"))
    refused(cli, "judge", "case1.json", "case2.json", "--kg", file, "--quiet", english=english, korean=korean)


def test_a_missing_world_is_refused(cli: "Cli") -> None:
    cli.write("case.json", cli.good())
    refused(cli, "judge", "case.json", "--kg", "no.ttl", "--quiet", english="no.ttl: no such file; check the path")
    (cli.folder / "folder.ttl").mkdir()
    refused(
        cli, "judge", "case.json", "--kg", "folder.ttl", "--quiet", english=r"folder.ttl: the file can't be read .*"
    )


@pytest.mark.parametrize(
    ("file", "content"),
    [("w.ttl", "<a> <https://kg.example/b> 1 ."), ("w.jsonld", '{"@id": "a", "https://kg.example/b": 1}')],
)
def test_a_base_makes_relative_iris_whole(cli: "Cli", file: str, content: str) -> None:
    cli.write(file, content)
    words = ("query", "SELECT ?s { ?s ?p 1 }", "--data", file, "--format", "csv")
    assert cli(*words, "--base", "https://kg.example/x/").out == "s\r\nhttps://kg.example/x/a\r\n"


# --- contracts

CONTRACTS: dict[str, tuple[Callable[[str], str], str]] = {
    "a syntax error": (
        lambda t: t.replace("mh:contract a", "mh:contract a a"),
        r"own/policies/mine.ttl:8:15: Turtle .*",
    ),
    "a missing asset": (
        lambda t: t.replace('"shapes/multihop.ttl"', '"shapes/gone.ttl"'),
        r"own/policies/mine.ttl: the contract names shapes/gone.ttl, which is not there",
    ),
    "an asset outside": (lambda t: t.replace('"shapes/multihop.ttl"', '"../secret.ttl"'), r"own/policies/mine.ttl: .*"),
    "no contract": (lambda _: PREFIX + "k:a k:b k:c .", r"own/policies/mine.ttl: the file holds no jl:Contract"),
    "a rule that nothing implements": (
        lambda t: t.replace("jl:rule mh:hop_limit ;", "jl:rule mh:hop_limits ;"),
        r"own/policies/mine.ttl: the rule https://w3id.org/judgeloop/multihop#hop_limits is neither .*",
    ),
    "a risk that its shapes refuse": (
        lambda t: t.replace("jl:risk jl:low", "jl:risk jl:tiny"),
        r"own/policies/mine.ttl <https://w3id.org/judgeloop/multihop#contract>: the contract may not be frozen: .*",
    ),
    "an empty file": (lambda _: "", r"own/policies/mine.ttl: the file is empty"),
}


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_that_may_not_be_frozen_is_refused_once(cli: "Cli", name: str) -> None:
    change, english = CONTRACTS[name]
    shipped = (root() / "policies/multihop.ttl").read_text("utf-8")
    assert change(shipped) != shipped
    cli.write("own/policies/mine.ttl", change(shipped))
    for number in (1, 2):
        cli.write(f"case{number}.json", cli.good(case_id=f"case{number}"))
    words = ("case1.json", "case2.json", "--contract", "own/policies/mine.ttl")
    refused(cli, "judge", *words, english=english)


@pytest.mark.parametrize("name", ["nosuch", "nosuch@1.0.0", "multihop@0.0.1", "no/such.ttl", ""])
def test_a_contract_that_is_not_there_is_refused(cli: "Cli", name: str) -> None:
    cli.write("case.json", cli.good())
    wanted = (
        r"no/such.ttl: no such file; check the path" if name.endswith(".ttl") else rf"no contract {name}; shipped .*"
    )
    if name:
        refused(cli, "judge", "case.json", "--contract", name, english=wanted)
    else:
        assert cli("judge", "case.json", "--contract", name).code == 0, "no name is none given: the case's own is used"


# --- the command itself

USAGE: dict[str, tuple[tuple[str, ...], str, str]] = {
    "no verb": ((), "VERB is missing; see judgeloop --help", r"VERB 이\(가\) 빠졌습니다. judgeloop --help 를 .*"),
    "an unknown verb": (("judgx",), "VERB does not know 'judgx'; it knows .*judge.*", "VERB 은.*'judgx'.*"),
    "no file": (("judge",), "FILE is missing; see judgeloop judge --help", "FILE 이.*"),
    "an unknown option": (
        ("judge", "a", "--nosuch"),
        "--nosuch is unknown; see judgeloop judge --help",
        "--nosuch 은.*",
    ),
    "an abbreviated option": (("judge", "a", "--form", "json"), "--form json is unknown; .*", ".*"),
    "an unknown form": (("judge", "a", "--format", "yaml"), "--format does not know 'yaml'; it knows .*text.*", ".*"),
    "an option without its value": (("judge", "a", "--kg"), "--kg needs a value; see judgeloop judge --help", ".*"),
    "a switch with a value": (("judge", "a", "--locked=yes"), "--locked.* takes no value, and got 'yes'; .*", ".*"),
    "a language that nobody speaks": (("judge", "a", "--lang", "fr"), "--lang does not know 'fr'; it knows .*", ".*"),
    "a store and files": (("query", "ASK {}", "--store", "s", "--data", "d.ttl"), ".* exclude each other; .*", ".*"),
}


@pytest.mark.parametrize("name", USAGE)
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_usage_error_shows_the_usage_and_says_what_is_wrong(
    cli: "Cli", monkeypatch: pytest.MonkeyPatch, name: str, lang: str
) -> None:
    words, *sentences = USAGE[name]
    monkeypatch.setenv("LC_ALL", f"{lang}_X.UTF-8")
    done = cli(*words)
    assert (done.code, done.out) == (2, "")
    usage, message = done.err.split("judgeloop: ", 1)
    assert usage.startswith({"en": "usage: judgeloop", "ko": "사용법: judgeloop"}[lang])
    assert re.fullmatch(sentences[lang == "ko"], message.rstrip("\n")), message
