"""Puts the C library into the package: the one that FREEHOLD_LIBRARY names, or one that is built here by CMake and Swift."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

REPOSITORY = Path(__file__).resolve().parents[2]
LIBRARY = "libfreehold.so.1"


class BuildWithLibrary(build_py):
    """The package's files, and the library among them."""

    def run(self):
        super().run()
        if self.editable_mode:
            return
        place = Path(self.build_lib, "freehold", LIBRARY)
        place.parent.mkdir(parents=True, exist_ok=True)
        chosen = os.environ.get("FREEHOLD_LIBRARY")
        if chosen:
            shutil.copyfile(chosen, place)
        else:
            self.build_library(place)

    def build_library(self, place):
        if not (REPOSITORY / "CMakeLists.txt").exists():
            sys.exit("The library can't be built away from the repository: name it in FREEHOLD_LIBRARY.")
        for program in ("cmake", "swift"):
            if not shutil.which(program):
                sys.exit(f"The library is built by cmake and swift, and there is no {program}. Install it, or name the library in FREEHOLD_LIBRARY.")
        with tempfile.TemporaryDirectory() as folder:
            configure = ["cmake", "-S", str(REPOSITORY), "-B", folder, "-DFREEHOLD_TESTS=OFF"]
            scratch = os.environ.get("FREEHOLD_SCRATCH")
            subprocess.run(configure + ([f"-DFREEHOLD_SCRATCH={scratch}"] if scratch else []), check=True)
            # The shared library alone, without the static one.
            subprocess.run(["cmake", "--build", folder, "--target", "freehold_swift"], check=True)
            shutil.copyfile(Path(folder, "lib", LIBRARY), place)


class PlatformDistribution(Distribution):
    """A wheel for one kind of machine, as it holds a library."""

    def has_ext_modules(self):
        return True


def commands():
    """The wheel is good for every version of Python: nothing in it is compiled against one."""
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        try:
            from wheel.bdist_wheel import bdist_wheel
        except ImportError:
            return {"build_py": BuildWithLibrary}

    class AnyPython(bdist_wheel):
        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    return {"build_py": BuildWithLibrary, "bdist_wheel": AnyPython}


setup(cmdclass=commands(), distclass=PlatformDistribution)
