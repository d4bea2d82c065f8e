"""Reading single cells: `CellBatch` -> `Readings`. Import the submodules; this package itself loads nothing heavy."""
