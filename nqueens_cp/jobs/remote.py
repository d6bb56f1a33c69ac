"""What runs on the workers of a Dask cluster: jobs of a long count, in one version of this package only."""

from __future__ import annotations

import pickle
import threading
from time import perf_counter
from typing import Any, NamedTuple

from nqueens_cp import version
from nqueens_cp.control import Cancelled, Control, Progress
from nqueens_cp.errors import ClusterError
from nqueens_cp.jobs.plan import FORMAT_VERSION, checksum
from nqueens_cp.jobs.work import Inputs, Work


class Done(NamedTuple):
    """What a worker hands back for a job."""

    job: int
    number: int
    checksum: str
    seconds: float
    worker: str


def version_asked() -> Any:
    """Return a function that tells a worker's versions; it is sent by value, so that any worker can run it."""

    def tell() -> tuple[str, int]:
        try:
            from nqueens_cp import version
            from nqueens_cp.jobs.plan import FORMAT_VERSION
        except ImportError as error:
            return f"missing ({error})", 0
        return version.__version__, FORMAT_VERSION

    return tell


def require_same_version(worker: str, there: tuple[str, int], here: tuple[str, int]) -> None:
    if there != here:
        texts = [f"nqueens-cp {package} (job format {form})" for package, form in (there, here)]
        raise ClusterError(f"worker {worker} has {texts[0]}, this client {texts[1]}; both must have the same")


_unpacking = threading.Lock()
_unpacked: tuple[str, Work, list[Inputs]] | None = None


def run_jobs(
    packed: bytes, count: str, versions: tuple[str, int], jobs: list[tuple[int, Inputs]], again: bool
) -> list[Done]:
    """Return the results of jobs; called by Dask on a worker.

    Parameters
    ----------
    packed : bytes
        The work of the whole count.
    count : str
        The digest of its identity.
    versions : tuple of str and int
        Of the client's package and job format.
    jobs : list of tuple of int and list
        Jobs and their inputs.
    again : bool
        Whether they are counted in the other way.
    """
    name = _worker_name()
    require_same_version(name, (version.__version__, FORMAT_VERSION), tuple(versions))  # type: ignore[arg-type]
    work, inputs = _work(packed, count)
    done = []
    for job, given in jobs:
        if inputs[job] != given:
            raise ClusterError(f"job {job} has the inputs {inputs[job]} on worker {name}, and {given} on the client")
        begun = perf_counter()
        number = (work.number_again if again else work.number)(job, Control(progress=_stop_if_unwanted))
        done.append(Done(job, number, checksum(count, job, given, number), perf_counter() - begun, name))
    return done


def _work(packed: bytes, count: str) -> tuple[Work, list[Inputs]]:
    """Return work and the inputs of its jobs, unpacked or kept from the last task."""
    global _unpacked
    with _unpacking:
        if _unpacked is None or _unpacked[0] != count:
            work: Work = pickle.loads(packed)
            work.prepare(Control(progress=_stop_if_unwanted))
            _unpacked = count, work, work.inputs()
        return _unpacked[1:]


def _worker_name() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def _stop_if_unwanted(progress: Progress) -> None:
    """Stop a job whose task was cancelled; Dask itself would let it run to its end."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state in ("cancelled", "released", "forgotten"):
        raise Cancelled
