"""Bounded texts that stand for values, so that a model sees any object without being flooded.

`preview` chooses by kind: `frames` (with `tables`, `columns`, `cells`), `lazy`, `arrays`, `labelled`
(xarray), `sparse`, `tensors`, `estimators`, `figures`, `charts`, `connections` (with `catalogues`),
`texts`, `literals`, `resources` (what is used up or held open), `structures`, `objects`. `rows` reads
the part of a value that a model asks for, and `parquet` puts a frame on disk. `foreign` is how any of
them touches an object of the person's.
"""

from pi_notebook.context.previews.kinds import preview
from pi_notebook.context.previews.preview import Preview, PreviewKind

__all__ = ["Preview", "PreviewKind", "preview"]
