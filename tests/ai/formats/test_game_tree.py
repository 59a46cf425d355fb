"""The tree of a game: variations, comments and judgements come back from a file as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.formats import GameTree, Ply, WrittenGame, written_of
from ai.formats.game_tree import plain_text
from ai.formats.sgf import read, write
from ai.game import BLACK, EMPTY, PASS, WHITE, Board, GameRecord, Rules, from_text

EXAMPLES = settings(max_examples=25, deadline=None)
TEXTS = st.one_of(
    st.text(st.sampled_from("a ]\\[;():é曹冬\n\t.\r"), max_size=12), st.text(max_size=8),
    st.sampled_from(["陈科翰 ]\\", "CA[GBK]", "\\", "]", "\n", "𝕏🎉\u2028\u0085\ufeff", "\\\n\\"]),
)  # fmt: skip


def read_tree(text):
    (game,) = read("a.sgf", text.encode())
    return GameTree(game.record(1), game)


def back(tree):
    text = write([tree.written()], "a")
    found = read_tree(text)
    assert found.plain() == tree.plain()
    assert write([found.written()], "a") == text, "what is read is written alike"
    return found


@st.composite
def trees(draw):
    """A game, with lines that leave it or one another, and comments anywhere."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    rules = draw(st.sampled_from([Rules(15), Rules(7, 5, full_board_winner=WHITE), Rules(9)]))
    board = Board(rules)
    for _ in range(draw(st.integers(1, 9))):
        board.push(int(rng.choice([*board.legal_moves])))
    game = written_of(GameRecord(rules, tuple(board.moves), EMPTY, "unfinished", 1))
    if draw(st.booleans()):
        game = replace(game, plies=game.plies[1:], setup=((game.plies[0].move, BLACK),))
    tree = GameTree(game.record(1), replace(game, black=plain_line(draw(TEXTS))))
    for _ in range(draw(st.integers(0, 5))):
        begin = tree.moves(int(rng.integers(len(tree.nodes))))
        if game.setup and not begin:
            continue
        line = Board.from_moves(begin, rules)
        for _ in range(draw(st.integers(1, 4))):
            if line.outcome() is None:
                line.push(int(rng.choice([*line.legal_moves])))
        tree.add(line.moves, name=plain_line(draw(TEXTS)))
    for index in range(len(tree.nodes)):
        if draw(st.booleans()):
            tree.set_comment(index, draw(TEXTS))
    return tree


def plain_line(text):
    return " ".join(plain_text(text).split())


@EXAMPLES
@given(trees())
def test_a_tree_with_comments_of_any_letters_comes_back(tree):
    found = back(tree)
    assert (found.record.moves, found.game.black) == (tree.record.moves, tree.game.black)


@EXAMPLES
@given(trees(), st.data())
def test_judgements_stand_at_their_moves_and_nothing_else_changes(tree, data):
    marks = {
        index: (("V", ("0.25",)), ("BM", ("2",)))
        for index in range(1, len(tree.nodes)) if data.draw(st.booleans())
    }  # fmt: skip
    found = read_tree(write([tree.written(marks)], "a"))
    for index, node in enumerate(tree.nodes):
        place = found.find(tree.moves(index))
        expected = marks.get(index, ()) if node.is_written else ()
        assert set(expected) <= set(found.nodes[place].other)
        assert found.nodes[place].comment == node.comment
    assert len(found.nodes) == len(tree.nodes)


FILE = (
    "(;GM[4]SZ[15]PB[曹冬]PW[陈科翰]C[begin];B[hh]C[centre];W[ii]N[a name]"
    "(;B[hi]C[main];W[hg])"
    "(;B[jj]C[first]N[one];W[kk]DO[](;B[ll]C[deep])(;B[mm];W[zz]C[no point])(;C[said];B[nn]))"
    "(;B[oo];AB[aa];W[bb])(;C[x])(;C[a][b];B[ih];C[after];W[gg]))"
)


def points(text):
    return tuple(PASS if word == "-" else from_text(word, 15) for word in text.split())


def test_a_file_with_variations_in_variations_is_a_tree():
    tree = read_tree(FILE)
    assert tree.is_whole
    said = {tree.moves(index): node.comment for index, node in enumerate(tree.nodes)}
    assert said[()] == "begin"
    assert said[points("h8 i7 j6")] == "first"
    assert said[points("h8 i7 j6 k5 l4")] == "deep"
    assert said[points("h8 i7 j6 k5 n2")] == "said"
    assert said[points("h8 i7 i8")] == "a\nb\nafter"
    assert points("h8 i7 i8 g9") in said
    assert points("h8 i7 j6 k5 m3") in said
    assert points("h8 i7 o1") in said
    named = tree.nodes[tree.find(points("h8 i7 j6"))]
    assert (named.name, named.ply, named.color) == ("one", 3, BLACK)
    hidden = [text for node in tree.nodes for text in node.hidden]
    assert hidden == ["(;C[x])", "(;W[zz]C[no point])", "(;AB[aa];W[bb])"]
    assert tree.line(tree.find(points("h8 i7 j6"))) == points("h8 i7 j6 k5 l4")
    assert tree.line(tree.main[1]) == points("h8 i7 h7 h9")
    back(tree)


def test_a_line_played_here_and_a_comment_are_added_to_the_file():
    tree = read_tree(FILE)
    end = tree.add(points("h8 i7 j6 k5 l4 m3"), name="you against pattern")
    tree.set_comment(end, "好棋 ]\\\r\nyes\x00")
    found = back(tree)
    node = found.nodes[found.find(points("h8 i7 j6 k5 l4 m3"))]
    assert (node.comment, node.name) == ("好棋 ]\\\nyes", "you against pattern")
    assert found.add(points("h8 i7")) == found.main[2], "what is there is shared"


def test_passes_set_up_and_games_that_no_file_holds():
    game = WrittenGame(
        Rules(15), (Ply(10, WHITE), Ply(11, WHITE)), setup=((0, BLACK), (2, BLACK), (30, WHITE)),
    )  # fmt: skip
    tree = GameTree(game.record(1), game)
    assert tree.moves(tree.main[-1]) == (0, 30, 2, 10, PASS, 11)
    tree.set_comment(tree.main[2], "laid at once")
    assert tree.nodes[0].comment == "laid at once"
    tree.add((0, 30, 2, 10, PASS, 12, 13))
    tree.add((0, 5), name="leaves the set-up: no file can hold it")
    found = read_tree(write([tree.written()], "a"))
    assert found.find((0, 30, 2, 10, PASS, 12, 13)) is not None
    assert found.find((0, 5)) is None
    record = GameRecord(Rules(9), (1, PASS), EMPTY, "unfinished", 1)
    assert GameTree.of(record).moves(2) == (1, PASS)


@pytest.mark.parametrize("depth", [3000])
def test_a_comb_of_variations_is_read_without_recursion(depth):
    """Each variation leaves the one before; a file of such nesting must not end the program."""
    text = "(;GM[4]SZ[15];B[aa](;W[bb])" + "(;W[cc];B[dd](;C[x])" * depth + ")" * depth + ")"
    tree = read_tree(text)
    assert len(tree.nodes) == 5
    back(tree)


def test_of_very_many_variations_the_first_are_shown_and_all_are_kept(monkeypatch):
    monkeypatch.setattr("ai.formats.game_tree.MOST_TEXT", 60)
    many = "".join(f"(;B[{row}{col}]C[number {row}{col}])" for row in "abc" for col in "abcde")
    tree = read_tree(f"(;GM[4]SZ[15](;B[hh];W[ii]){many})")
    assert not tree.is_whole
    assert 3 < len(tree.nodes) < 8
    text = write([tree.written()], "a")
    assert text.count("C[number") == 15
