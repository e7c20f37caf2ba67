-- Format 1: a sealed tree of nodes under one head. Documentation/format.md §2.
CREATE TABLE vault (
  id INTEGER PRIMARY KEY CHECK (id = 0), ident BLOB NOT NULL, head BLOB NOT NULL
) STRICT;
CREATE TABLE slot (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE node (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
