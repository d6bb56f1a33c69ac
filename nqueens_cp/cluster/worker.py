"""What functions need that Dask calls on a worker: one version of this package, what the last task made, and an end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from nqueens_cp import version
from nqueens_cp.backends.apart import NoChildren
from nqueens_cp.control import Cancelled, Control, Progress
from nqueens_cp.errors import BackendUnavailable, ClusterError, InvalidValue
from nqueens_cp.jobs.plan import FORMAT_VERSION

Versions = tuple[str, int]
"""Of the package and of the format of jobs."""


def versions_here() -> Versions:
    return version.__version__, FORMAT_VERSION


def version_asked() -> Callable[[], Versions]:
    """Return a function that tells a worker's versions; it is sent by value, so that any worker can run it."""

    def tell() -> Versions:
        try:
            from nqueens_cp import version
            from nqueens_cp.jobs.plan import FORMAT_VERSION
        except ImportError as error:
            return f"missing ({error})", 0
        return version.__version__, FORMAT_VERSION

    return tell


def require_same_version(worker: str, there: Versions, here: Versions) -> None:
    if there != here:
        texts = [f"nqueens-cp {package} (job format {form})" for package, form in (there, here)]
        raise ClusterError(f"worker {worker} has {texts[0]}, this client {texts[1]}; both must have the same")


def called(versions: Versions, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns; called by Dask on a worker. `versions` are the client's."""
    require_same_version(worker_name(), versions_here(), versions)
    try:
        return function(*arguments)
    except NoChildren as error:
        raise ClusterError(
            f"worker {worker_name()}: {error.who} searches in a process of its own, and this worker may have no children; "
            "start workers with `dask worker --no-nanny`, or with DASK_DISTRIBUTED__WORKER__DAEMON=False in the environment"
        ) from None
    except (BackendUnavailable, InvalidValue) as error:
        raise ClusterError(f"worker {worker_name()}: {error}") from None


def worker_name() -> str:
    from distributed import get_worker

    return str(get_worker().address)


def control_of_a_task(seconds: float | None = None) -> Control:
    """Return a control that ends what is polling it when its task was cancelled; Dask itself would let it run to its end."""
    return Control(seconds, progress=_stop_if_unwanted)


def _stop_if_unwanted(progress: Progress) -> None:
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state in ("cancelled", "released", "forgotten"):
        raise Cancelled


_making = threading.Lock()
_kept: tuple[str, Any] | None = None


def kept(key: str, make: Callable[[], Any]) -> Any:
    """Return what was made under this key for the last task of this process, or make it."""
    global _kept
    with _making:
        if _kept is None or _kept[0] != key:
            _kept = None  # its memory is wanted
            _kept = key, make()
        return _kept[1]
