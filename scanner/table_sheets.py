"""Score tables of a photo, read: which way up their lines are to be taken, what is written decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from scanner.board import ReadBoard
from scanner.cells_table import cut_table
from scanner.games.tables_columns import Arithmetic, columns_of
from scanner.intake import Photo
from scanner.locate.flatten import flattened
from scanner.locate.placement import NotFound
from scanner.locate.table_placement import TablePlacement, moved
from scanner.locate.table_variants import in_form_of
from scanner.locate.tables import locate_tables
from scanner.read.number_reader import NumberReader
from scanner.read.numbers import NumberReadings, NumberState
from scanner.results import CellReading
from scanner.table_looks import ink_looks
from scanner.table_names import named
from scanner.templates import Template
from scanner.templates.resize import SizeError
from scanner.text import NoText, Word, has_words, read_words

FEWEST_INKED = 8
"""With fewer written cells nothing is refused for what they hold."""
NUMBERS = 0.35
"""How surely the written cells have to hold numbers, on average: the wrong way up they have half of what they have the
right way up; words have less."""
MANY_NUMBERS = 0.65
"""The same from which an open table is taken the right way: the wrong ways had up to 0.61 on cards that were drawn."""
SENSE: Mapping[NumberState, float] = {"read": 1.0, "struck": 0.4}
"""How much a state says that there are numbers: upside down or in the wrong cells much looks struck out."""
CLEARLY = 4.0
"""Power of the probabilities by which ways up are compared: numbers upside down are read, too, but seldom clearly."""
FIT = 1.0
"""How much a better fit of the lines counts against what is written."""


FEWEST_SUMS, FEWEST_SINGLE_SUMS = 4, 2
HARDLY_RIGHT, MOSTLY_RIGHT = 0.55, 0.5
"""Sums on a table from which they tell that its rows are taken wrongly, so many more of which have to be right once the
rows are taken rightly, and the same where a column has but one; the shares of them that are right before and then."""
DISBELIEVED, DISBELIEF = 0.15, 0.1
"""Share of right sums up to which no number of a table is believed; factor on what its readings are believed then."""
NEARLY_ALL = 0.8
"""Share of right sums from which no other way is tried."""
UNMISTAKABLE = 24
"""Rows and columns together from which a table is known by their number alone."""
WORD, CLEAR, FEWEST_WORDS = 4, 0.7, 2
"""Letters of a word, Tesseract's confidence in it, and how many such words make a sheet's print legible."""
TEXT_ROW_PX = 40
"""Height of a row, px, when words are read: their letters are a third of that."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table that has been read the right way up. inked: bool [n], which cells of `numbers` are written in."""

    placement: TablePlacement
    numbers: NumberReadings
    inked: npt.NDArray[np.bool_]


def settled_table(
    photo: Photo, found: TablePlacement, templates: Sequence[Template], reader: NumberReader
) -> ReadTable | NotFound:
    """The table read; as any pad with sums, if its lines are a small template's but none of that one's words is seen.

    Small tables are alike: four columns of fourteen rows are somebody's own pad as likely as Loopit's. Without
    Tesseract nothing speaks against the template. templates: what the sheet may be.
    """
    read = read_table(photo, found, reader)
    if not isinstance(read, NotFound) and found.model is None:
        read = _by_words(photo, read, templates)
    opened = [template for template in templates if template.table is not None and template.table.is_open]
    if isinstance(read, NotFound) or found.model is not None or not opened or not _small(read.placement):
        return read
    words = _printed(photo, read.placement)
    if isinstance(words, NoText) or not _legible(words) or has_words(read.placement.template.words, words) > 0:
        return read
    taken = locate_tables(photo, opened)
    other = taken if isinstance(taken, NotFound) else read_table(photo, taken[0], reader)
    return read if isinstance(other, NotFound) else other


def _by_words(photo: Photo, read: ReadTable, templates: Sequence[Template]) -> ReadTable:
    """The table as that one of several templates with the same lines whose own words are printed beside them.

    The first of them where no words can be read, or none tells: their cells are the same in any case.
    """
    alike = _twins(read.placement.template.id, templates)
    if len(alike) < 2:
        return read
    words = _labels_printed(photo, read.placement)
    if isinstance(words, NoText):
        return read
    texts = [
        {*one.words, *(row.label for row in one.table.rows if row.label)} for one in alike if one.table is not None
    ]
    shares = [has_words(sorted(own - set().union(*texts[:k], *texts[k + 1 :])), words) for k, own in enumerate(texts)]
    best = max(range(len(alike)), key=lambda k: shares[k])
    if shares[best] <= shares[0]:
        return read
    return replace(
        read, placement=replace(read.placement, template=_in_place_of(read.placement, alike[0], alike[best]))
    )


def _twins(template_id: str, templates: Sequence[Template]) -> list[Template]:
    """The template of this id, and those with the same lines and cells."""
    own = next((template for template in templates if template.id == template_id), None)
    if own is None:
        return []
    others = [one for one in templates if one.id != own.id and one.ids == own.ids and _edges(one) == _edges(own)]
    return [own, *others]


def _edges(template: Template) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    table = template.table
    if table is None:
        return None
    across = tuple(edge for one in table.columns for edge in (one.left, one.right))
    return across, tuple(edge for one in table.rows for edge in (one.top, one.bottom))


def _in_place_of(placement: TablePlacement, own: Template, other: Template) -> Template:
    """Another template with the same lines, with its edges where they were found for the placement's own."""
    own, other = in_form_of(own, placement.template), in_form_of(other, placement.template)
    before, after = own.table, placement.table
    assert before is not None
    columns = zip(before.columns, after.columns, strict=True)
    rows = zip(before.rows, after.rows, strict=True)
    across = {old: new for a, b in columns for old, new in ((a.left, b.left), (a.right, b.right))}
    down = {old: new for a, b in rows for old, new in ((a.top, b.top), (a.bottom, b.bottom))}
    return moved(other, across, down)


def _labels_printed(photo: Photo, placement: TablePlacement) -> tuple[Word, ...] | NoText:
    """The words in the columns of labels, and above them."""
    labels = [column for column in placement.table.columns if column.labels]
    right = labels[-1].right if labels else placement.template.size[0]
    return _words(photo, placement, right, placement.table.rows[-1].bottom)


def _small(placement: TablePlacement) -> bool:
    table = placement.table
    return bool(placement.template.words) and len(table.rows) + len(table.columns) < UNMISTAKABLE


def _legible(words: Sequence[Word]) -> bool:
    """Is there print that Tesseract can read? Where it makes nothing of the words, they say nothing."""
    clear = [word for word in words if word.text.isalpha() and len(word.text) >= WORD and word.confidence >= CLEAR]
    return len(clear) >= FEWEST_WORDS


def _printed(photo: Photo, placement: TablePlacement) -> tuple[Word, ...] | NoText:
    """The words on a sheet, in and around its table."""
    return _words(photo, placement, *placement.template.size)


def _words(photo: Photo, placement: TablePlacement, right: float, bottom: float) -> tuple[Word, ...] | NoText:
    """The words on a sheet down to `bottom` and up to `right`, mm."""
    per_mm = TEXT_ROW_PX / placement.unit
    size = (round(right * per_mm), round(bottom * per_mm))
    flat, _ = flattened(photo.gray, placement, np.zeros(2), size, per_mm)
    return read_words(flat)


@dataclass(frozen=True, slots=True)
class _Way:
    """A table taken one way. sense: see `sense_of`. score, clearly: how well that and the fit speak for it."""

    read: ReadTable
    sense: float
    inked: int
    score: float
    clearly: float


def read_table(photo: Photo, found: TablePlacement, reader: NumberReader) -> ReadTable | NotFound:
    """The table taken the way in which its cells hold numbers; NotFound where none does."""
    ways_up: dict[str, _Way] = {}
    best_sense, inked = 0.0, 0
    for way in (found, *found.others):
        if way.model is not None and best_sense >= MANY_NUMBERS and inked >= FEWEST_INKED and _high_cells(way):
            continue
        read = _read_as(photo, way, reader)
        sense, count = sense_of(read.numbers, read.inked)
        fit = FIT * way.score
        taken = _Way(read, sense, count, sense + fit, sense_of(read.numbers, read.inked, CLEARLY)[0] + fit)
        other = ways_up.get(way.template.id)
        if other is None or taken.clearly > other.clearly:
            ways_up[way.template.id] = taken
        best_sense, inked = max((one.sense, one.inked) for one in ways_up.values())
    # Of one template what is read clearly tells the way up; of several, which hold different cells, all that is read.
    chosen = max(ways_up.values(), key=lambda one: one.score)
    best, best_sense, inked = chosen.read, chosen.sense, chosen.inked
    best = _by_sums(photo, best, reader)
    model = best.placement.model
    if best_sense < NUMBERS and (inked >= FEWEST_INKED or model is not None):
        return NotFound("a ruled table was seen, but its cells hold no numbers")
    whole = best if model is None else _open_table(photo, best, model)
    return whole if isinstance(whole, NotFound) else _believed(whole)


def _high_cells(way: TablePlacement) -> bool:
    """Are the cells of a table, taken this way, higher than wide?"""
    widths = [column.right - column.left for column in way.table.columns]
    heights = [row.bottom - row.top for row in way.table.rows]
    return float(np.median(widths)) < float(np.median(heights))


def _believed(read: ReadTable) -> ReadTable:
    """The table with all its numbers doubted where hardly a sum of several is right.

    Nobody adds up so badly: rather its rows or columns were taken wrongly, or the picture is too poor to be read.
    """
    right, count = sums_right(read.numbers, read.placement.template)
    if count < FEWEST_SUMS or right > DISBELIEVED * count:
        return read
    doubted = tuple(
        tuple(replace(one, probability=DISBELIEF * one.probability) for one in found)
        for found in read.numbers.candidates
    )
    return replace(read, numbers=NumberReadings(read.numbers.ids, doubted))


def _read_as(photo: Photo, way: TablePlacement, reader: NumberReader) -> ReadTable:
    batch = cut_table(photo, way)
    written = np.asarray(batch.ink[batch.present, 0].any(axis=(1, 2)), dtype=np.bool_)
    return ReadTable(replace(way, others=()), reader.read(batch), written)


def _by_sums(photo: Photo, read: ReadTable, reader: NumberReader) -> ReadTable:
    """The table with rows taken higher or lower if hardly a sum is right as it is, and most are then.

    Lines too many above or below the rows, a heading that a card hasn't, or room between two blocks of rows moves all
    rows by one or two, or a block of them. The sums themselves may then lie outside of the table.
    """
    right, count = sums_right(read.numbers, read.placement.template)
    if right > HARDLY_RIGHT * count or read.inked.sum() < FEWEST_INKED:
        return read
    best, most = read, right + _enough_sums(read.placement)
    for way in read.placement.shifted:
        other = _read_as(photo, way, reader)
        right_then, count_then = sums_right(other.numbers, way.template)
        if right_then >= most and right_then > MOSTLY_RIGHT * count_then:
            best, most = other, right_then + 1
            if right_then > NEARLY_ALL * count_then:
                break
    return best


def _enough_sums(placement: TablePlacement) -> int:
    """So many more sums have to be right with rows taken otherwise, of a table of this kind.

    Where a column has but one sum, that is no copy of another, or of a single number: two don't come out by chance.
    """
    return FEWEST_SINGLE_SUMS if len(placement.table.formulas) == 1 else FEWEST_SUMS


def sums_right(numbers: NumberReadings, template: Template) -> tuple[int, int]:
    """How many of the sums on a table are what their numbers add up to, as most likely read, and how many there are.

    Nothing that is the sum of nothing counts.
    """
    top = {cell: found[0] for cell, found in zip(numbers.ids, numbers.candidates, strict=True)}
    board = ReadBoard(
        template.id,
        {
            cell: CellReading(cell, None, "unreadable", confidence=0.0)
            if cell not in top
            else CellReading(cell, top[cell].value, top[cell].state, top[cell].probability)
            for cell in template.ids
        },
    )
    right = count = 0
    for column in columns_of(board, template):
        one = Arithmetic(column)
        for row in one.formulas:
            written, given = column.written.get(row), one.given[row]
            if written is not None and given is not None and (written or given):
                count += 1
                right += written == given
    return right, count


def _open_table(photo: Photo, found: ReadTable, model: Template) -> ReadTable | NotFound:
    """The same table with names for its rows and columns, by what they hold."""
    numbers = found.numbers
    try:
        looks = ink_looks(photo, found.placement, numbers.ids)
        template, renamed = named(found.placement.template, model, numbers, found.inked, looks)
    except SizeError as error:
        return NotFound(f"a ruled table was seen, but {error}")
    kept = [k for k, cell in enumerate(numbers.ids) if cell in renamed]
    by_name = {renamed[numbers.ids[k]]: numbers.candidates[k] for k in kept}
    ids = tuple(cell for cell in template.ids if cell in by_name)
    placement = replace(found.placement, template=template, model=None)
    return ReadTable(placement, NumberReadings(ids, tuple(by_name[cell] for cell in ids)), found.inked[kept])


def sense_of(numbers: NumberReadings, inked: npt.NDArray[np.bool_], power: float = 1.0) -> tuple[float, int]:
    """How surely the written cells hold numbers, on average from 0 to 1, and how many are written in.

    power: of the probabilities; the higher, the less unsure ones count.
    """
    sure = [
        found[0].probability ** power * SENSE.get(found[0].state, 0.0)
        for found, written in zip(numbers.candidates, inked.tolist(), strict=True)
        if written and found[0].state != "blank"
    ]
    return (float(np.mean(sure)) if sure else 0.0), len(sure)
