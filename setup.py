"""The compiled kernel of the core: built where a compiler is, left out with a note where none is.

With NQUEENS_CP_REQUIRE_KERNEL=1 (continuous integration, releases) a failing build fails the install.
"""

import os
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

REQUIRED = os.environ.get("NQUEENS_CP_REQUIRE_KERNEL") == "1"
KERNEL = Extension(
    "nqueens_cp.core._kernel",
    sources=["nqueens_cp/core/_kernel.c"],
    depends=sorted(map(str, Path("nqueens_cp/core").glob("*.h"))),
    extra_compile_args=[] if os.name == "nt" else ["-O3", "-std=c11"],
    py_limited_api=True,
)


class BuildKernel(build_ext):
    """Build the kernel, or write down why it was not built."""

    failed = False

    def run(self) -> None:
        try:
            super().run()
        except Exception as error:  # whatever a missing or broken compiler raises
            self._give_up(error)

    def build_extension(self, ext: Extension) -> None:
        note = Path(self.get_ext_fullpath(ext.name)).with_name("_kernel_build.txt")
        note.unlink(missing_ok=True)
        try:
            super().build_extension(ext)
        except Exception as error:
            self._give_up(error)
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(f"{error}\n", encoding="utf-8")

    def copy_extensions_to_source(self) -> None:
        if not self.failed:
            super().copy_extensions_to_source()

    def _give_up(self, error: Exception) -> None:
        if REQUIRED:
            raise error
        BuildKernel.failed = True
        self.announce(f"the kernel was not built, pure Python will run instead: {error}", level=4)


class Wheel(bdist_wheel):
    """Name the wheel for what is in it: with the kernel for the platform, without it for all."""

    def run(self) -> None:
        self.run_command("build_ext")
        if BuildKernel.failed:
            self.distribution.ext_modules = None
            self.root_is_pure = True
        super().run()

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", "any") if BuildKernel.failed else super().get_tag()


setup(
    ext_modules=[KERNEL],
    cmdclass={"build_ext": BuildKernel, "bdist_wheel": Wheel},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
