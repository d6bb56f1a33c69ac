"""Work on a Dask cluster: long counts, lists, comparisons and batches of puzzles.

`connecting.py` finds or starts a cluster, `worker.py` is what all functions on workers need, `tasks.py` sends calls of them and
fetches what they return, `sharing.py` makes tasks of many small items. What is shared out is in files of its own.
"""
