"""The command `padscore`: its options and their help. What a command does is imported when it runs, see `commands`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from scanner import __version__
from scanner.commands.edge import close_stdout, edge, fault, output_failed


def _examples(*lines: str) -> str:
    return "\n".join(("[bold]Examples[/bold]", *lines))


app = typer.Typer(
    name="padscore",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
templates_app = typer.Typer(no_args_is_help=True)
app.add_typer(
    templates_app,
    name="templates",
    help="Show which sheets can be read, and what their cells are called.",
    epilog=_examples("padscore templates list", "padscore templates show sudoku"),
)

TemplatesOption = Annotated[
    Path | None,
    typer.Option(
        "--templates",
        metavar="DIR",
        help="A folder of your own sheet descriptions (.toml); PADSCORE_TEMPLATES names one for always.",
    ),
]
VariantOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="The variant that was played, for games that have several.")
]
RollsOption = Annotated[
    Path | None,
    typer.Option("--rolls", metavar="FILE", help="The log of the rolls, one a line, such as 3 5; # begins a comment."),
]
JsonOption = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document and nothing else.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"padscore {__version__}")
        from scanner.text import text_note

        note = text_note()
        if note is not None:
            print(note, file=sys.stderr)
        raise typer.Exit


@app.callback()
def padscore(
    version: Annotated[
        bool,
        typer.Option("--version", metavar="", callback=_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Read filled-in paper game sheets from photos, score them and say what is wrong.

    Exit status: 0 all clear, 1 something is wrong or unsure, 2 wrong usage,
    3 no sheet found, 4 a file could not be read, 130 interrupted; with several
    photos the highest.
    """


@app.command(
    epilog=_examples(
        "padscore scan table3.jpg",
        "padscore scan *.jpg --annotate marked",
        "padscore scan table3.jpg --answer r2c3=5 --answer r4c4=blank",
        "padscore scan a.jpg b.jpg --answer 'b.jpg#1:r2c3=5' --json",
        "padscore scan pages.pdf --answer 'pages.pdf#3.1:r2c3=5'",
    )
)
def scan(
    photos: Annotated[
        list[str],
        typer.Argument(metavar="PHOTO", help="Photos or scans: JPEG, PNG, TIFF, HEIC, PDF, ...; - is standard input."),
    ],
    template: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Look for this sheet only; `padscore templates list` names them."),
    ] = None,
    templates: TemplatesOption = None,
    rolls: RollsOption = None,
    variant: VariantOption = None,
    answer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REF=VALUE",
            help="What really stands in a cell: r2c3=5, or blank (empty), candidates (pencil notes), struck (struck"
            " out) as the value, or with who wrote it: 'r2c3=5 hand', 'r2c3=5 print'. With several sheets"
            " FILE#SHEET:r2c3=5, beyond the first page of a file FILE#PAGE.SHEET:r2c3=5. May be given several times.",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file of such answers, one a line; lines that begin with # are comments."),
    ] = None,
    ask: Annotated[
        bool, typer.Option("--ask", metavar="", help="Ask at the terminal about each cell that matters and isn't sure.")
    ] = False,
    json: JsonOption = False,
    annotate: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write into this folder a picture of each sheet that shows what was read."),
    ] = None,
) -> None:
    """Read sheets from photos: the board, the score, what is wrong and what isn't sure.

    A photo may show several sheets, lying any way up. On the board ! stands
    before what breaks a rule, ? behind what isn't sure; the questions below it
    are answered with --answer or --ask.
    """
    with edge(document=json):
        from scanner.commands.scan import ScanOptions, run

        status = run(
            photos,
            ScanOptions(
                template=template,
                templates=templates,
                variant=variant,
                rolls=rolls,
                answers=tuple(answer or ()),
                answers_file=answers,
                ask=ask,
                json=json,
                annotate=annotate,
            ),
        )
    raise typer.Exit(status)


@app.command(epilog=_examples("padscore sample .", "padscore scan sudoku-1.jpg --annotate marked"))
def sample(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to put it; left out: here.")] = Path(),
) -> None:
    """Put a sample photo into a folder, to try the other commands with."""
    with edge():
        from scanner.samples import copy_sample

        print(copy_sample(folder))


@app.command(
    epilog=_examples(
        "padscore score board.txt",
        "padscore scan table3.jpg --json > table3.json",
        "padscore score table3.json",
        "cat board.txt | padscore score - --json",
    )
)
def score(
    board: Annotated[str, typer.Argument(metavar="BOARD", help="A file with a board, or - for standard input.")],
    templates: TemplatesOption = None,
    rolls: RollsOption = None,
    variant: VariantOption = None,
    json: JsonOption = False,
) -> None:
    """Score a typed board, without any photo.

    A board is plain text, such as a line `template = sudoku` and then a line for
    each row with a dot for each empty cell; or a truth file such as
    {"template": "sudoku", "cells": {"r1c1": 5, "r1c2": null, ...}};
    or a document that `padscore scan --json` printed.
    """
    with edge(document=json):
        from scanner.commands.score import ScoreOptions, run

        status = run(board, ScoreOptions(templates, variant, rolls, json))
    raise typer.Exit(status)


@templates_app.command("list", epilog=_examples("padscore templates list", "padscore templates list --templates pads"))
def list_templates(templates: TemplatesOption = None, json: JsonOption = False) -> None:
    """List the sheets that can be read."""
    with edge():
        from scanner.commands.templates import print_list

        print_list(templates, json=json)


@templates_app.command(
    "show", epilog=_examples("padscore templates show sudoku", "padscore templates show sudoku --json")
)
def show_template(
    template: Annotated[str, typer.Argument(metavar="ID", help="The sheet, as `padscore templates list` names it.")],
    templates: TemplatesOption = None,
    json: JsonOption = False,
) -> None:
    """Show one sheet: its game, its size and what its cells are called."""
    with edge():
        from scanner.commands.templates import print_template

        print_template(template, templates, json=json)


@app.command(epilog=_examples("padscore bench photos", "padscore bench photos --json > figures.json"))
def bench(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Photos with a truth file beside each.")],
    templates: TemplatesOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how well a folder of photos is read whose boards are known.

    Beside each photo stands a truth file, table3.json for table3.jpg, such as
    {"template": "sudoku", "cells": {"r1c1": 5, "r1c2": null, ...}},
    where known with the "corners" of the grid, clockwise from its top left.
    """
    with edge():
        from scanner.commands.bench import measure

        measure(folder, templates, json=json)


@app.command(
    epilog=_examples("padscore digits crops", "padscore digits crops --json", "padscore digits crops --report mistakes")
)
def digits(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Pictures of single digits, sorted into folders 0 to 9.")
    ],
    report: Annotated[
        Path | None, typer.Option("--report", metavar="DIR", help="Write a page there that shows every mistake.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Measure how well single digits are read.

    FOLDER/7/*.png are sevens, dark ink on light paper. Anything but the right
    digit counts as wrong.
    """
    with edge():
        from scanner.commands.digits import measure

        measure(folder, report, json=json)


def main() -> None:
    """The entry point: runs the command of `sys.argv` and ends the process with its exit status."""
    sys.excepthook = fault
    for stream in (sys.stdout, sys.stderr):
        # a terminal that lacks a character shows another in its place, rather than ending the program
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # not app(), which would install typer's own traceback
        typer.main.get_command(app)(prog_name="padscore")
    except OSError as error:  # printing help: each command has an edge of its own
        raise SystemExit(output_failed(error)) from None
    finally:
        try:
            if sys.stdout is not None:  # closed by whoever started us
                sys.stdout.flush()
        except BrokenPipeError:
            close_stdout()
        except OSError as error:
            raise SystemExit(output_failed(error)) from None


if __name__ == "__main__":
    main()
