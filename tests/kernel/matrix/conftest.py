"""One kernel for all cases that leave it healthy, which is looked at after each."""

from __future__ import annotations

import pytest

from tests.kernel.matrix.golden import Golden
from tests.kernel.matrix.harness import MatrixKernel


class Shared:
    """The kernel in use; another is begun after a case that left it otherwise than it was."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._kernel: MatrixKernel | None = None

    def get(self) -> MatrixKernel:
        if self._kernel is None:
            self._kernel = MatrixKernel(self._factory.mktemp("matrix"))
        return self._kernel

    def drop(self) -> None:
        if self._kernel is not None:
            kernel, self._kernel = self._kernel, None
            kernel.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    shared = Shared(tmp_path_factory)
    yield shared
    shared.drop()


@pytest.fixture(scope="module")
def _session(shared):
    shared.get().new_session()


@pytest.fixture
def check(shared, _session, request):
    """Runs a case in the shared kernel, and probes it."""

    golden = Golden(request.node.path.stem.removeprefix("test_"))

    def run(case, how):
        try:
            shared.get().check_case(case, how, golden)
        except BaseException:
            shared.drop()
            raise

    return run
