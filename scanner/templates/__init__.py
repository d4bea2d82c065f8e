"""Descriptions of sheets: what `templates/*.toml` says, checked and worked out cell by cell.

`model` and `formulas` hold what the other stages use; `schema` (the keys), `build` (what they mean together) and
`load` (files and messages) turn a file into it. docs/templates.md tells how to write one.
"""

from scanner.templates.formulas import Difference, Formula, Product, RowFormula, RowValue, Sum, Threshold
from scanner.templates.load import builtin_folder, get_template, load_templates, parse_template, read_template_file
from scanner.templates.model import (
    Cell,
    CellKind,
    Grid,
    HexGrid,
    Label,
    LineStyle,
    Look,
    OpenRun,
    Quad,
    Rgb,
    Rule,
    Shape,
    ShapeKind,
    Table,
    TableColumn,
    TableRow,
    TagColour,
    TagSymbol,
    Template,
)
from scanner.templates.resize import SizeError, fitting, resized
from scanner.templates.show import TemplateDocument, TemplateSummary, summaries, template_document

__all__ = [
    "Cell",
    "CellKind",
    "Difference",
    "Formula",
    "Grid",
    "HexGrid",
    "Label",
    "LineStyle",
    "Look",
    "OpenRun",
    "Product",
    "Quad",
    "Rgb",
    "RowFormula",
    "RowValue",
    "Rule",
    "Shape",
    "ShapeKind",
    "SizeError",
    "Sum",
    "Table",
    "TableColumn",
    "TableRow",
    "TagColour",
    "TagSymbol",
    "Template",
    "TemplateDocument",
    "TemplateSummary",
    "Threshold",
    "builtin_folder",
    "fitting",
    "get_template",
    "load_templates",
    "parse_template",
    "read_template_file",
    "resized",
    "summaries",
    "template_document",
]
