"""The window's languages: catalogues whole and current, places kept, and no text that is not marked."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from base.files import SHIPPED_ROOT
from base.language.catalogs import (
    COMMA,
    LANGUAGES,
    Catalog,
    system_language,
    use,
    using,
    wanted_language,
)
from base.language.wording import (
    Wording,
    dated,
    numeral,
    refusal,
    tr,
    tr_many,
    translated,
    wording,
)
from tests.catalogs import (
    TRANSLATED,
    compiled,
    forms,
    is_translated,
    places,
    po_file,
    read,
    template,
    update,
)
from tests.marks import loose, lost, unknown_errors, unmarked

UNMARKED_ROOMS = {
    "sim/core": "what the engine says of files and values: also said by the command line",
    "ai": "descriptions of settings: also said by the command line",
}


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_has_every_text(language):
    catalog = read(language)
    texts = template()
    lacking = [
        message.id
        for message in update(catalog, texts)
        if message.id and not is_translated(message)
    ]
    assert not lacking, "write them in the .po file, then run python -m tests.catalogs write"
    known = {(str(message.id), message.context) for message in catalog if message.id}
    unused = known - {(str(message.id), message.context) for message in texts}
    assert not unused, "run python -m tests.catalogs write"


@pytest.mark.parametrize("language", TRANSLATED)
def test_compiled_catalogue_is_current(language):
    made = po_file(language).with_suffix(".mo").read_bytes()
    assert made == compiled(read(language)), "run python -m tests.catalogs write"


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_the_places(language):
    wrong = []
    for message in read(language):
        english, said = forms(message)
        if message.id:
            wanted = places(english[-1])
            wrong += [(message.id, text) for text in said if places(text) != wanted]
    assert not wrong


@pytest.mark.parametrize("language", TRANSLATED)
def test_translations_keep_spaces_at_lines(language):
    """A text with line breaks keeps their number: tooltips are laid out by them."""
    for message in read(language):
        english, said = forms(message)
        if message.id:
            assert all(text.count("\n") == english[-1].count("\n") for text in said), message.id


def test_no_text_of_the_window_is_unmarked():
    assert not unmarked()


def test_no_marked_text_becomes_english_on_its_way():
    assert not lost()


def test_no_sentence_of_the_window_is_left_out():
    assert not loose()


def test_errors_that_dialogs_show_are_known():
    """An error is English; the window knows its words by `base/language/refusals.py`."""
    assert not unknown_errors(lambda text: isinstance(refusal(text), Wording))


def test_an_error_stays_english_and_is_shown_in_the_language():
    own = "expected a project of your own, found Goishi's examples: File, New project makes one"
    said = {
        "size: expected a whole number from 3 to 20, found 2":
            "size: erwartet: eine ganze Zahl von 3 bis 20, gefunden: 2",
        "text: expected a position, found nothing": "Text: erwartet: eine Stellung, gefunden: nichts",
        f"Import asset: {own}": "Asset importieren: dies sind Goishis Beispiele: Datei, Neues "
            "Projekt legt ein eigenes Projekt an",
        "a.py: could not be saved: Permission denied":
            "a.py: konnte nicht gespeichert werden: keine Berechtigung",
        "an error that nobody knows": "an error that nobody knows",
    }  # fmt: skip
    for english, german in said.items():
        assert refusal(english) == english
        with using("de"):
            assert translated(refusal(english)) == german
    told = tr("Not read: {error}").format(
        error=ValueError("text: expected a position, found nothing")
    )
    with using("ko"):
        assert translated(told) == "읽지 못함: 글: 필요: 국면, 실제: 빈 값"
    assert str(told) == "Not read: text: expected a position, found nothing"


UNMARKED = (
    'ui.text("Take back")', 'imgui.button(f"{icon}  Take back##x")', 'self.say("Take back")',
    'ui.tip("Take back" if is_on else tr("Put"))', 'ui.button(x, tip="Take back")',
    "imgui.button(f\"{icon} {'Save' if x else 'Replace'}\")", 'imgui.table_setup_column("Kind")',
    'imgui.table_setup_column("script")', 'imgui.small_button("undo" if n else tr("Put"))',
    'ui.chart(tr("Loss"), [("loss", "amber", n, n)])', 'ui.chart(tr("Loss"), [], x_name="games")',
    'curves = [("moves", "text", *n)]', 'draw_table(ui, "points", ("point", tr("after")), n)',
)  # fmt: skip
LOST = (
    'f"{tr(\'Black\')} wins"', 'f"{SIDE} wins"', 'tr("Black")[:3]', '" ".join([tr("a"), tr("b")])',
    'tr("Black").lower()', 'str(tr("Black"))', '"{}".format(tr("Black"))',
)  # fmt: skip
LOOSE = ('answer = "Nobody has a move"', 'return f"{n} moves were made"', "names = ['all of them']")


@pytest.mark.parametrize(
    ("law", "line"),
    [
        *((unmarked, line) for line in UNMARKED),
        *((lost, line) for line in LOST),
        *((loose, line) for line in LOOSE),
    ],
)
def test_each_way_to_forget_a_mark_is_found(tmp_path, law, line):
    folder = tmp_path / "sim" / "ui"
    folder.mkdir(parents=True)
    source = f'SIDE = tr("Black")\n\n\ndef draw(ui, icon, n):\n    {line}\n'
    (folder / "made.py").write_text(source)
    assert law(tmp_path)
    (folder / "made.py").write_text(
        'def draw(ui):\n    """Draw what is there."""\n    ui.text(tr("Take back") + "##x")\n'
        '    log.info(f"{tr(\'Black\')} wins a game")\n    raise ValueError("not so good")\n'
    )
    assert not law(tmp_path)


def test_wording_is_english_and_knows_other_languages():
    text = tr("{side} wins").format(side=tr("Black"))
    assert text == "Black wins"
    assert translated(text) == "Black wins"
    with using("ko"):
        assert translated(text) == "흑 승"
        assert str(text) == "Black wins"
    with using("de"):
        assert translated(text) == "Schwarz gewinnt"
    assert f"{text}." == "Black wins."


def test_joined_and_changed_texts_stay_translated():
    with using("ja"):
        assert translated("x " + tr("Black") + "##name") == "x 黒##name"
        assert translated((tr("Black") + "##name").partition("##")[0]) == "黒"
        assert translated(wording(", ").join([tr("Black"), "y"])) == "黒, y"
        assert translated((" " + tr("Black")).strip()) == "黒"
        assert translated(wording("no such text")) == "no such text"


def test_plural_and_numbers_follow_the_language():
    assert tr_many("{count} game", "{count} games", 1) == "1 game"
    assert tr_many("{count} game", "{count} games", 2) == "2 games"
    half = tr("{end:.2f} s ago").format(end=1234.5)
    with using("de"):
        assert translated(tr_many("{count} game", "{count} games", 1)) == "1 Partie"
        assert translated(tr_many("{count} game", "{count} games", 3)) == "3 Partien"
        assert translated(half) == "vor 1234,50 s"
    with using("ko"):
        assert translated(tr_many("{count} game", "{count} games", 1)) == "1판"
        assert translated(half) == "1234.50초 전"


def test_dates_and_written_numbers_follow_the_language():
    moment = datetime(2026, 5, 31, 9, 7)
    written = {"en": "31 May 2026 09:07", "de": "31.05.2026 09:07", "ja": "2026/05/31 09:07",
               "ko": "2026. 05. 31. 09:07", "zh": "2026/05/31 09:07"}  # fmt: skip
    assert set(written) == set(LANGUAGES)
    for language, text in written.items():
        with using(language):
            assert translated(dated(moment)) == text
            assert translated(dated(moment, is_short=True)) in ("31 May", "31.05.", "05/31",
                                                               "05. 31.", "05月31日")  # fmt: skip
    assert dated(moment) == "31 May 2026 09:07"
    with using("de"):
        assert translated(numeral("1,234.5 s")) == "1.234,5 s"
    with using("ja"):
        assert translated(numeral("1,234.5 s")) == "1,234.5 s"


def test_wrong_places_fall_back_to_english():
    class Odd(Catalog):
        def find(self, text, context=""):
            return "{other}"

    before, Catalog.current = Catalog.current, Odd("ko")
    try:
        assert translated(tr("{side} wins").format(side="X")) == "X wins"
    finally:
        Catalog.current = before


def test_wording_survives_pickle_and_json():
    import copy
    import json
    import pickle

    text = tr("{side} wins").format(side=tr("Black"))
    for same in (pickle.loads(pickle.dumps(text)), copy.deepcopy(text)):
        assert isinstance(same, Wording)
        with using("zh"):
            assert translated(same) == "黑方胜"
    assert json.dumps(text) == '"Black wins"'


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "de_AT"}, "de"),
        ({"LANGUAGE": "fr:ja", "LANG": "en_US"}, "ja"),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "de_DE"}, "zh"),
        ({"LANG": "zh-Hans-CN"}, "zh"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_system_chooses_the_language(variables, language):
    assert system_language(variables) == language
    assert wanted_language("system", variables) == language


def test_environment_and_settings_come_before_the_system():
    assert wanted_language("de", {"LANG": "ko_KR"}) == "de"
    assert wanted_language("de", {"LANG": "ko_KR", "GOISHI_LANGUAGE": "ja"}) == "ja"
    assert wanted_language("de", {"GOISHI_LANGUAGE": "klingon"}) == "de"


def test_english_is_usual_until_a_window_begins():
    assert Catalog.current.language == "en"
    assert set(TRANSLATED) | {"en"} == set(LANGUAGES)
    assert set(LANGUAGES) >= COMMA
    use("en")


@pytest.mark.parametrize("page", ["README.md", "docs/first_hour.md"])
@pytest.mark.parametrize("language", TRANSLATED)
def test_translated_pages_have_the_same_commands(language, page):
    """A page in another language has the code, commands and pictures of the English one."""
    name = page.rpartition("/")[2]
    english = (SHIPPED_ROOT / page).read_text("utf-8")
    said = (SHIPPED_ROOT / "docs" / language / name).read_text("utf-8")
    assert f"{language}/{name}" in english, "expected a link to it at the top"
    for pattern in (r"```\w+\n.*?```", r"`python [^`]+`", r"!\[[^]]*\]\([^)]*?([^/)]+)\)"):
        assert re.findall(pattern, said, re.DOTALL) == re.findall(pattern, english, re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", said):
        assert (SHIPPED_ROOT / "docs" / language / target).exists(), target
