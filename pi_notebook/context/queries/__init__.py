"""SQL over the person's data: frames in variables, files of their folder, databases they have open.

`statement` decides what a query may be and what it names, `paths` which files it may read; `frames`
gives DuckDB the variables, `engine` a connection that can reach nothing else; `databases` are the other
places a query can go; `running` ends one that takes too long; `result` bounds what it gave and
`problems` words what went wrong. DuckDB is loaded by the first query.
"""
