"""The games: one module each, and the registry that knows them by name. Importing this package loads no game."""
