"""What the commands do: each module parses what its options hold, calls the library and prints.

The options themselves and their help are in `scanner.app`, which imports these modules only when a command runs: the
help has to come at once. `edge` and `output` load nothing heavy.
"""
