"""A configuration file is read strictly: what is wrong in it is told with its place, never passed over."""

from pathlib import Path

import pytest

from judgeloop.cli import config, parser
from judgeloop.errors import BadInput


def refusal(folder: Path) -> BadInput:
    with pytest.raises(BadInput) as caught:
        config.read(folder)
    return caught.value


def test_no_file_is_no_setting(tmp_path: Path) -> None:
    assert config.read(tmp_path) == config.Settings()


@pytest.mark.parametrize("name", ["fail-on", "fail_on"])
def test_a_key_is_spelt_as_the_option_or_as_in_python(tmp_path: Path, name: str) -> None:
    (tmp_path / "judgeloop.toml").write_text(f'{name} = "fail"')
    assert config.read(tmp_path).values == {"fail_on": "fail"}


def test_pyproject_has_a_table_for_it(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[project]\nname = "x"\n[tool.other]\na = 1\n[tool.judgeloop]\nkg = ["세계.ttl"]\n', "utf-8")
    assert config.read(tmp_path) == config.Settings({"kg": ["세계.ttl"]}, str(path))


def test_the_own_file_wins_over_pyproject_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.judgeloop]\nquiet = true\n")
    (tmp_path / "judgeloop.toml").write_text("locked = true")
    assert config.read(tmp_path).values == {"locked": True}


@pytest.mark.parametrize("content", ["", "# nothing\n", "[project]\nname = 'x'\n", "[tool.ruff]\n", "\ufeff"])
def test_a_project_without_the_table_is_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content, "utf-8")
    assert config.read(tmp_path) == config.Settings()


@pytest.mark.parametrize(
    ("content", "key", "place", "english"),
    [
        ('format = "json"\nlocked = yes\n', "config-syntax", ":2:10", "not TOML: Invalid value"),
        ('lang = "ko', "config-syntax", "", "not TOML: Unterminated string"),
        ("colour = true", "config-key", "", "unknown setting colour; known are lang, format, store"),
        ("locked = 1", "config-value", "", "locked takes a true | false"),
        ('quiet = "yes"', "config-value", "", "quiet takes a true | false"),
        ('kg = "world.ttl"', "config-value", "", "kg takes a list of strings"),
        ("kg = [1]", "config-value", "", "kg takes a list of strings"),
        ("fail-on = true", "config-value", "", "fail-on takes a string"),
        ('[format]\na = "json"', "config-value", "", "format takes a string"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, content: str, key: str, place: str, english: str) -> None:
    path = tmp_path / "judgeloop.toml"
    path.write_text(content, "utf-8")
    error = refusal(tmp_path)
    assert (error.key, error.exit_code) == (key, 2)
    assert error.place.startswith(str(path))
    assert error.place.removeprefix(str(path)) == place or not place
    assert english in error.text("en")
    assert any("가" <= c <= "힣" for c in error.text("ko"))


@pytest.mark.parametrize("content", ["tool = 1", "[tool]\njudgeloop = true", '[tool]\njudgeloop = ["x"]'])
def test_a_table_that_is_none_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "pyproject.toml").write_text(content)
    assert refusal(tmp_path).key == "config-value"


def test_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "judgeloop.toml").write_bytes('store = "판정"'.encode("cp949"))
    assert refusal(tmp_path).key == "not-utf8"


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "judgeloop.toml").write_text("quiet = true")

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert refusal(tmp_path).key == "file-unreadable"


@pytest.mark.parametrize(("name", "value"), [("lang", "fr"), ("format", "yaml")])
def test_a_value_that_no_verb_knows_is_told(name: str, value: str) -> None:
    _, verbs = parser()
    with pytest.raises(BadInput) as caught:
        config.apply(verbs, config.Settings({name: value}, "judgeloop.toml"))
    assert caught.value.place == "judgeloop.toml"
    assert f"{name} does not know '{value}'; it knows " in caught.value.text("en")


def test_a_value_that_some_verbs_know_changes_these_only() -> None:
    _, verbs = parser()
    config.apply(verbs, config.Settings({"format": "csv"}, "judgeloop.toml"))
    assert verbs["query"].parse_args(["ASK {}"]).format == "csv"
    assert verbs["judge"].parse_args(["a.json"]).format == "text"
    assert verbs["contract"].parse_args(["show", "x"]).format == "text"


def test_a_setting_never_fills_an_operand() -> None:
    main, verbs = parser()
    config.apply(verbs, config.Settings({"contract": "mine.ttl"}, "judgeloop.toml"))
    assert main.parse_args(["judge", "a.json"]).contract == "mine.ttl"
    with pytest.raises(BadInput):
        main.parse_args(["contract", "show"])
