"""Photos beside truth files -> how right, how sure and how fast the chain is. docs/bench.md explains every figure.

- `truth` finds the photos and reads what is on them; `chain` runs the stages with a clock;
- `judge` finds the sheet that a truth is about and compares; `figures` adds up, with `intervals` and `calibration`;
- `show` prints.
"""

from scanner.bench.report import BenchReport, run
from scanner.bench.show import print_report

__all__ = ["BenchReport", "print_report", "run"]
