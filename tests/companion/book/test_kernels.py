"""Warm kernels are kernels: imports are done, figures are shown, the environment is seen, a dead one is missed."""

import multiprocessing
import os
import signal

import nbformat
import papermill
import pytest
from nbclient.exceptions import DeadKernelError
from papermill.exceptions import PapermillExecutionError

from marginloss.companion.book.execute import KERNEL, kernel_environment
from marginloss.companion.book.kernels import WarmKernelManager, kernel_manager

pytestmark = pytest.mark.skipif(
    "forkserver" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork a server"
)


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Run some cells in a warm kernel, in a folder of their own; the outputs of the last one."""
    for name, value in kernel_environment("paper", jobs=3).items():
        monkeypatch.setenv(name, value)

    def run(*cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata.kernelspec = {"name": "python3", "language": "python", "display_name": "Python 3"}
        options = {"kernel_manager_class": kernel_manager(), "cwd": str(tmp_path), **KERNEL}
        return papermill.execute_notebook(notebook, None, **options).cells[-1].outputs

    return run


def test_the_manager_is_the_warm_one():
    assert kernel_manager() is WarmKernelManager


def test_imports_are_there_before_the_first_cell(execute):
    (output,) = execute("import sys\n'sklearn.base' in sys.modules and 'matplotlib.pyplot' in sys.modules")
    assert output.data["text/plain"] == "True"


def test_scale_folder_and_jobs_are_those_of_the_run(execute, tmp_path):
    (output,) = execute("import os\nprint(os.environ['MARGINLOSS_SCALE'], os.environ['MARGINLOSS_JOBS'], os.getcwd())")
    assert output.text == f"paper 3 {tmp_path}\n"


def test_processes_are_started_in_the_way_of_the_system(execute):
    (output,) = execute("import multiprocessing\nmultiprocessing.get_start_method()")
    assert output.data["text/plain"] == repr(multiprocessing.get_context().get_start_method())


def test_a_figure_is_shown_in_the_page(execute):
    outputs = execute("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert "image/png" in outputs[-1].data


def test_kernels_share_nothing(execute):
    execute("import numpy\nnumpy.marker = 1")
    (output,) = execute("import numpy\nhasattr(numpy, 'marker')")
    assert output.data["text/plain"] == "False"


def test_an_error_in_a_cell_is_told(execute):
    with pytest.raises(PapermillExecutionError, match="ZeroDivisionError"):
        execute("1 / 0")


def test_a_kernel_that_dies_is_missed(execute):
    with pytest.raises(DeadKernelError):
        execute(f"import os\nos.kill(os.getpid(), {int(signal.SIGKILL)})", "'never'")


def test_no_kernel_is_left_behind(execute):
    # joblib's workers are children of the kernel: it must not wait for them until it is killed
    started = "import joblib\njoblib.Parallel(2)(joblib.delayed(abs)(i) for i in range(4))"
    (output,) = execute(started, "import os\nos.getpid()")
    with pytest.raises(ProcessLookupError):
        os.kill(int(output.data["text/plain"]), 0)
