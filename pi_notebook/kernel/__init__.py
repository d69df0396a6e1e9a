"""Running code in IPython: all that it puts out, how it ended, and what variables there are.

A cell lends the kernel's main thread with `awaited.AwaitedCellExecutor` or `blocking.BlockingCellExecutor`;
a run on another thread uses it through `executor.CodeExecutor`. Nothing here knows of agents or sessions,
and nothing is loaded with the package itself: `%load_ext` needs one small module of it.
"""
