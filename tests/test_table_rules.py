"""Ruled lines of drawn cards: followed over bent paper, and told from the edges of the paper they are printed on."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scanner.geometry import Homography
from scanner.locate.candidates import Patches, find_patches
from scanner.locate.prepare import smoothed
from scanner.locate.table_axis import Axis, axis_of, ruled_part, with_hardly_seen, within
from scanner.locate.table_frame import Frame, on_paper, on_sheet, regions
from scanner.locate.table_match import match, row_edges
from scanner.locate.table_rules import STRIPS, RuledLine, Rules, find_rules
from scanner.locate.table_sights import THRESHOLDS
from scanner.locate.tables import ACCEPT, _ways
from scanner.templates import get_template

KNIFFEL = get_template("kniffel")
PAPER, TABLE_TOP, INK = 200, 90, 110


def drawn(
    rows: list[float], columns: list[float], bend: float = 0.0, paper: tuple[float, float] | None = None
) -> Frame:
    """A card of lines at these places, px; bend: how far the right end of level lines lies below the left.

    paper: top and bottom of the paper, with a dark rim as a shadow makes it.
    """
    picture = np.full((1000, 900), PAPER, np.uint8)
    if paper is not None:
        picture[:] = TABLE_TOP
        top, bottom = (round(at) for at in paper)
        cv2.rectangle(picture, (40, top), (860, bottom), PAPER, -1)
        cv2.rectangle(picture, (40, top), (860, bottom), 40, 3)
    left, right = columns[0], columns[-1]

    def down(x: float) -> float:
        return bend * ((x - left) / (right - left)) ** 2

    steps = np.linspace(left, right, 60)
    for y in rows:
        line = np.array([[x, y + down(x)] for x in steps])
        cv2.polylines(picture, [np.round(line * 16).astype(np.int32)], False, INK, 2, cv2.LINE_AA, 4)
    for x in columns:
        ends = [(round(x * 16), round((y + down(x)) * 16)) for y in (rows[0], rows[-1])]
        cv2.line(picture, ends[0], ends[1], INK, 2, cv2.LINE_AA, 4)
    return Frame(Homography(np.eye(3)), picture, np.ones(picture.shape, np.bool_))


def found(frame: Frame) -> Rules:
    return find_rules(frame)


COLUMNS = [100.0, 300, 400, 450, 500, 550, 600, 650, 700]


@pytest.mark.parametrize("bend", [0.0, 30.0, -30.0])
def test_lines_are_followed_over_bent_paper(bend: float) -> None:
    """Neighbouring lines are 31 px apart, and each moves as far as that from one end to the other."""
    rows = [200 + 31.0 * k for k in range(20)]
    rules = found(drawn(rows, COLUMNS, bend))
    long = [line for line in rules.level if len(line.strips) > STRIPS // 2]
    assert len(long) == len(rows)
    for line, y in zip(long, rows, strict=True):
        x = (line.strips + 0.5) * rules.level_strip
        inside = (x > 120) & (x < 680)
        expected = y + bend * ((x[inside] - 100) / 600) ** 2
        assert np.abs(line.at[inside] - expected).max() < 2.5
        assert inside.sum() >= 14  # of the 15 strips or so that the table goes through


def test_the_edges_of_the_paper_are_no_lines_of_the_table() -> None:
    rows = [200 + 31.0 * k for k in range(20)]
    rules = found(drawn(rows, COLUMNS, paper=(140, 860)))
    level = axis_of(rules.level, rules.upright, rules.level_strip, rules.upright_strip)
    upright = axis_of(rules.upright, rules.level, rules.upright_strip, rules.level_strip)
    assert len(level.places) == len(rows) + 2
    ruled, across = ruled_part(level, upright, rules)
    assert ruled.places == pytest.approx(np.array(rows), abs=2)
    assert across.places == pytest.approx(np.array(COLUMNS), abs=2)


def test_a_card_without_its_heading_is_not_taken_a_row_too_low() -> None:
    """A high row for names, nineteen rows, and the paper's edge as far below them as one row more would be."""
    heights = [58.0] + 19 * [31.0]
    rows = [190.0]
    for height in heights:
        rows.append(rows[-1] + height)
    ways = _ways(found(drawn(rows, COLUMNS, paper=(130, rows[-1] + 38))), [KNIFFEL])
    best = ways[0]
    assert best.turns == 0
    assert best.share >= ACCEPT
    assert KNIFFEL.table is not None
    edge_of = {round(float(best.row_axis.places[line])): edge for line, edge in best.rows.pairs}
    by_edge = {edge: place for place, edge in edge_of.items()}
    names = [row.id for row in KNIFFEL.table.rows]
    assert by_edge[names.index("aces")] == pytest.approx(248, abs=2)
    assert by_edge[names.index("total") + 1] == pytest.approx(rows[-1], abs=2)


def test_rows_of_sums_may_be_a_third_higher() -> None:
    """As on many cards; it counts hardly against the match."""
    table = KNIFFEL.table
    assert table is not None
    edges = row_edges(table, frozenset({"name"}))
    sums = {item.row for item in table.formulas}
    at = [0.0]
    for row in table.rows:
        height = 14.0 if row.labels else 8.0 if row.id in sums else 6.0
        at.append(at[-1] + height)
    places = 5.0 * np.array(at)
    taken = match(places, np.ones(len(at)), np.ones(len(at)), edges, 5.0)
    assert taken is not None
    # the top of a heading that is twice as high tells nothing; all that is below it does
    assert [pair for pair in taken.pairs if pair[0]] == [(k, k) for k in range(1, len(at))]
    assert taken.share > ACCEPT


def axis(places: list[float], weights: list[float]) -> Axis:
    line = RuledLine(np.arange(STRIPS), np.zeros(STRIPS), 0.5)
    each = np.array(weights)
    return Axis((line,) * len(places), np.array(places), each, each)


def test_rows_in_a_shadow_belong_to_the_table_and_its_paper_does_not() -> None:
    """The last lines were hardly seen, but go on as those before; the paper ends further off, no line runs up to it."""
    whole = axis([10, 60, 90, 120, 150, 180, 210, 240, 285], [1, 1, 1, 1, 1, 1, 0.6, 0.5, 1])
    part = axis([60, 90, 120, 150, 180], [1.0] * 5)
    crossing = RuledLine(np.arange(6, 24), np.zeros(18), 0.5)
    across = Axis((crossing,) * 3, np.arange(3.0), np.ones(3), np.ones(3))
    assert within(whole, part, across, 10.0).places.tolist() == [60, 90, 120, 150, 180, 210, 240]


@pytest.mark.parametrize(("last", "to_strip", "kept"), [(222, 22, True), (222, 18, False), (240, 23, False)])
def test_a_row_of_sums_may_be_higher_and_its_lower_line_hardly_seen(last: int, to_strip: int, kept: bool) -> None:
    """If the lines of the columns run on to it, and it isn't as high as two rows."""
    whole = axis([60, 90, 120, 150, 180, last], [1, 1, 1, 1, 1, 0.5])
    part = axis([60, 90, 120, 150, 180], [1.0] * 5)
    crossing = RuledLine(np.arange(6, to_strip + 1), np.zeros(to_strip - 5), 0.5)
    across = Axis((crossing,) * 3, np.arange(3.0), np.ones(3), np.ones(3))
    for one in (within(whole, part, across, 10.0), with_hardly_seen(part, whole, across, 10.0)):
        assert (last in one.places) == kept


def test_a_line_that_halves_a_double_interval_was_hardly_seen() -> None:
    """Writing all over it; where nothing at all is seen, or not in the middle, a row may be twice as high."""
    crossing = RuledLine(np.arange(STRIPS), np.zeros(STRIPS), 0.5)
    across = Axis((crossing,) * 3, np.arange(3.0), np.ones(3), np.ones(3))
    part = axis([60, 90, 120, 180, 210, 270, 300], [1.0] * 7)
    whole = axis([60, 90, 120, 151, 180, 210, 252, 270, 300], [1, 1, 1, 0.3, 1, 1, 0.3, 1, 1])
    kept = with_hardly_seen(part, whole, across, 10.0).places.tolist()
    assert kept == [60, 90, 120, 151, 180, 210, 270, 300]


def test_faint_lines_close_off_cells() -> None:
    """Lines of 5 % in grain of 1 %, a pixel or two wide: pale blue print, photographed from far."""
    rng = np.random.default_rng(5)
    picture = np.full((1000, 750), 190.0)
    for row in range(21):
        picture[200 + 24 * row, 100:640] -= 11
    for column in range(10):
        picture[200:681, 100 + 60 * column] -= 11
    grainy = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.6) + rng.normal(0, 1.9, picture.shape), 0, 255).astype(
        np.uint8
    )
    most = 0
    for threshold in THRESHOLDS:
        patches = find_patches(smoothed(grainy, threshold.smooth), threshold)
        most = max([most, *(int(members.sum()) for members in regions(patches, grainy.shape))])
    assert most > 0.8 * 20 * 9


def test_the_grain_of_a_table_top_joins_no_cards() -> None:
    """Two cards of four by six cells, and dark fields of wood between them that would join them."""
    picture = np.full((600, 1000), 60, np.uint8)
    for left in (100, 560):
        picture[100:500, left - 20 : left + 340] = 200
        for row in range(7):
            picture[120 + 60 * row, left : left + 320] = 90
        for column in range(5):
            picture[120:480, left + 80 * column] = 90
    for top in range(140, 460, 60):
        cv2.rectangle(picture, (444, top), (536, top + 46), 75, -1)
        cv2.rectangle(picture, (444, top), (536, top + 46), 45, 2)
    patches = find_patches(picture, THRESHOLDS[0])
    kept = on_paper(picture, patches)
    assert len(kept) < len(patches)
    assert sorted(int(members.sum()) for members in regions(kept, picture.shape)) == [24, 24]


def test_pieces_of_a_line_that_follow_each_other_are_all_of_it() -> None:
    """One ends where the next begins, 2 px off; writing beside a whole line, 3 px off, adds nothing to it."""
    first = RuledLine(np.arange(9), np.full(9, 100.0), 0.1)
    second = RuledLine(np.arange(8, 24), np.full(16, 102.0), 0.1)
    whole, beside = (
        RuledLine(np.arange(a, b), np.full(b - a, at), 0.1) for a, b, at in ((0, 24, 300.0), (4, 9, 303.0))
    )
    others = [RuledLine(np.arange(24), np.full(24, at), 0.1) for at in (200.0, 400.0, 500.0)]
    axis = axis_of(sorted([first, second, whole, beside, *others], key=lambda line: line.place), [], 40.0, 40.0)
    assert len(axis.lines) == 5
    assert axis.lines[0].strips.tolist() == list(range(24))
    assert axis.lines[2].at.tolist() == [300.0] * 24


@pytest.mark.parametrize(("table_top", "seen"), [(90, False), (140, False), (190, True)])
def test_only_the_paper_of_cells_may_have_lines(table_top: int, seen: bool) -> None:
    """A table top of half the paper's brightness, of 0.7 and of nearly all of it, and a blot between the cells."""
    picture = np.full((400, 400), table_top, np.uint8)
    cv2.rectangle(picture, (60, 60), (340, 340), PAPER, -1)
    cv2.circle(picture, (200, 200), 20, 40, -1)
    quads = np.array([[[x, y], [x + 56, y], [x + 56, y + 56], [x, y + 56]] for x in (102, 242) for y in (102, 242)])
    patches = Patches(quads.mean(axis=1), quads.astype(np.float64), np.full(4, 56.0))
    framed = Frame(Homography(np.eye(3)), picture, np.ones(picture.shape, np.bool_))
    valid = on_sheet(framed, patches, np.ones(4, np.bool_), picture).valid
    assert valid[80, 200]  # the paper beside the cells
    assert valid[200, 200]
    assert valid[20, 200] == seen
