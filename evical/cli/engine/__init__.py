"""DuckDB in place of chunks: whole files, in as much memory as it is given.

The commands stay as they are. What they read is counted, predicted or joined by statements of SQL,
and what they write is written by the database. Wrong values are found by the database and named by
the reader of chunks, so that messages are the same.
"""
