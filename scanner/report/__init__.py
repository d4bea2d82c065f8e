"""What a result looks like: the JSON document, the terminal table, the annotated picture."""
