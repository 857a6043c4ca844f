"""Kernels that start warm: forked from a process that has already imported what chapters import.

A kernel of Jupyter has used 5.3 s of a processor when everything is imported, a forked one 0.8 s: over 33 chapters, two
and a half of the ten minutes of a processor that the whole book may take at quick scale.
"""

from __future__ import annotations

import multiprocessing
import os
from types import SimpleNamespace
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Float

#: Imported once by the process that kernels are forked from; a name that is not installed is passed over.
PRELOADED = [
    "ipykernel.kernelapp",
    "matplotlib.pyplot",
    "myst_nb",
    "marginloss.boosting",
    "marginloss.companion.exhibits",
    "marginloss.linear",
    "marginloss.companion.plotting",
]


def kernel_manager() -> type[AsyncKernelManager]:
    """The class that starts kernels: warm ones where the system can fork a server, else those of Jupyter."""
    return WarmKernelManager if "forkserver" in multiprocessing.get_all_start_methods() else AsyncKernelManager


class WarmKernelManager(AsyncKernelManager):
    """Starts its kernel in a forked process."""

    # a chapter that has ended has nothing to save; its joblib workers would be waited for
    shutdown_wait_time = Float(1.0)

    async def _async_pre_start_kernel(self, **options: Any) -> Any:
        names = {"kernel_id": self.kernel_id, "kernel_spec": self.kernel_spec, "parent": self}
        self.provisioner = self.provisioner or WarmProvisioner(**names)
        return await super()._async_pre_start_kernel(**options)


class WarmProvisioner(LocalProvisioner):
    """Launches a kernel by a fork; all else, from the connection file to the signals, is Jupyter's."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        """Fork, and hand the arguments after the module's name to the kernel."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        kernel = context.Process(target=_serve, args=(cmd[cmd.index("-f") :], options["env"], options.get("cwd")))
        kernel.start()
        # the methods of subprocess.Popen that Jupyter uses
        self.process: Any = SimpleNamespace(
            poll=lambda: kernel.exitcode,
            wait=kernel.join,
            send_signal=lambda signum: _send(kernel, signum),
            terminate=kernel.terminate,
            kill=kernel.kill,
            **dict.fromkeys(("stdin", "stdout", "stderr")),
        )
        self.pid = kernel.pid
        self.pgid = None  # signals go to the kernel alone: joblib's workers would print where the last one reached them
        return self.connection_info


def _send(kernel: Any, signum: int) -> None:
    """Send a signal to a kernel that is still there."""
    if kernel.exitcode is None:
        os.kill(kernel.pid, signum)


def _serve(arguments: list[str], environment: dict[str, str], folder: str | None) -> None:
    """Run an IPython kernel in this process."""
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()  # a group of its own, as every kernel has: signals to it and its children do not reach the runner
    # what a chapter starts itself is started in the way of the system, not in that of its own process
    multiprocessing.set_start_method(None, force=True)
    os.environ.update(environment)
    if folder is not None:
        os.chdir(folder)
    # whose end is this kernel's end too, also when the runner was killed
    server = os.getppid()
    IPKernelApp.launch_instance([*arguments, f"--IPKernelApp.parent_handle={server}"])
