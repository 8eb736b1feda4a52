"""The drivers: how each is built, and what one run of it printed."""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
#: A workload that takes longer has hung.
SECONDS_PER_RUN = 1200

NEEDED = [("/usr/include/sqlite3.h", "libsqlite3-dev"), ("/usr/include/lmdb.h", "liblmdb-dev")]
NEEDED_PROGRAMS = [("g++", "g++"), ("sqlite3", "sqlite3")]


class Failure(Exception):
    """Something that ends the whole run, told as one line."""


#: The workloads that `imports` runs for those drivers that have them, and these drivers.
IMPORTS = ("import_sqlite", "import_realm")
IMPORTERS = ("freehold", "sqlite", "python")

#: The drivers that `searches` has, each with its package from PyPI.
SEARCHERS = {"usearch": "usearch==2.26.6", "faiss": "faiss-cpu==1.15.1", "sqlite-vec": "sqlite-vec==0.1.9", "tantivy": "tantivy==0.27.0"}

#: All drivers, in the order of the table.
NAMES = ["freehold", "freehold-c", "sqlite", "lmdb", "python", *SEARCHERS, "floor"]


@dataclass(frozen=True)
class Driver:
    name: str
    program: Path
    #: What `imports` is told of the driver's programs.
    import_options: tuple = ()


@dataclass
class Output:
    """What one run of a driver printed."""

    figures: dict = field(default_factory=dict)
    units: dict = field(default_factory=dict)
    checks: dict = field(default_factory=dict)
    skipped: dict = field(default_factory=dict)
    remarks: list = field(default_factory=list)
    error: str = ""


def install_needs(names):
    """Installs the compiler and what the drivers named need with apt as root, or says what to install."""
    missing = [package for header, package in NEEDED if not Path(header).exists()]
    missing += [package for program, package in NEEDED_PROGRAMS if not shutil.which(program)]
    if SEARCHERS.keys() & set(names) and importlib.util.find_spec("ensurepip") is None:
        missing.append("python3-venv")
    if not missing:
        return
    command = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(missing)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failure(f"missing: {', '.join(missing)}. As root: {command}")
    print(f"Installing {', '.join(missing)}", flush=True)
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"})
    if done.returncode != 0:
        raise Failure(f"could not install {', '.join(missing)}:\n{done.stderr[-2000:]}")


def build(names, folder, workloads):
    """Compiles the drivers named, and what they need for the workloads; returns them in the order of the table."""
    folder.mkdir(parents=True, exist_ok=True)
    cxx = ["g++", "-std=c++17", "-O2", "-march=native"]
    known = {
        "freehold": build_freehold,
        "freehold-c": lambda: build_freehold_c(cxx, folder / "freehold_c"),
        "sqlite": lambda: _compile(cxx, ["rivals/sqlite_bench.cpp"], folder / "sqlite_bench", ["-lsqlite3"]),
        "lmdb": lambda: _compile(cxx, ["rivals/lmdb_bench.cpp"], folder / "lmdb_bench", ["-llmdb"]),
        "python": lambda: FOLDER / "imports",
        **dict.fromkeys(SEARCHERS, lambda: build_searches(folder / "python")),
        "floor": lambda: _compile(["gcc", "-std=c11", "-O2"], ["floor.c"], folder / "floor", []),
    }
    if unknown := set(names) - set(known):
        raise Failure(f"no driver is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    assert list(known) == NAMES, "each name has its way of building"
    imports = any(workload in IMPORTS for workload in workloads)
    return [Driver(name, make(), import_options(name) if imports else ()) for name, make in known.items() if name in names]


def import_options(name):
    """Builds what a driver imports with; gives the options that tell `imports` of it."""
    options = ["--freehold", str(build_command_line())] if name in ("freehold", "python") else []
    return tuple(options + (["--library", str(build_c_library() / "lib/libfreehold.so.1")] if name == "python" else []))


def build_searches(environment):
    """Installs the packages of the searching drivers from PyPI, for a Python whose SQLite loads extensions; gives that Python."""
    python, wanted = environment / "bin/python", " ".join(SEARCHERS.values())
    installed = environment / "installed"
    if not installed.exists() or installed.read_text() != wanted:
        system = Path("/usr/bin/python3")
        _run_or_fail([str(system if system.exists() else sys.executable), "-m", "venv", str(environment)])
        _run_or_fail([str(python), "-m", "pip", "install", "--quiet", "numpy", *SEARCHERS.values()])
        installed.write_text(wanted)
    return python


def _compile(compiler, sources, program, libraries, headers=()):
    """Compiles the sources to a program that is missing, or older than one of them or of the headers that all drivers share; gives its path."""
    sources = [FOLDER / source for source in sources]
    inputs = [*sources, *FOLDER.glob("rivals/*.hpp"), *headers]
    if not program.exists() or any(program.stat().st_mtime < path.stat().st_mtime for path in inputs):
        _run_or_fail([*compiler, *map(str, sources), "-o", str(program), *libraries])
    return program


def build_freehold():
    """Builds Freehold's driver and gives its path."""
    return _build_swift("freehold-bench")


def build_command_line():
    """Builds the command line `freehold` and gives its path."""
    return _build_swift("freehold")


def _build_swift(product):
    # Files added to or removed from the library's package are noticed after a new manifest of this one only.
    (FOLDER / "Package.swift").touch()
    # For a check of the answers, tools/test builds in a folder where the library's modules are compiled already, by other flags.
    flags = os.environ.get("FREEHOLD_BENCHMARK_FLAGS", "-c release -Xswiftc -static-stdlib").split()
    command = ["swift", "build", "--package-path", str(FOLDER), "--product", product, *flags]
    _run_or_fail(command)
    place = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True, check=True)
    return Path(place.stdout.strip()) / product


def build_c_library():
    """Builds the library for C where tools/test builds it; gives the build folder."""
    root = FOLDER.parent
    build = root / ".build/cmake"
    _run_or_fail(["cmake", "-S", str(root), "-B", str(build), f"-DFREEHOLD_SCRATCH={root / '.build'}"])
    _run_or_fail(["cmake", "--build", str(build), "--target", "freehold_swift"])
    return build


def build_freehold_c(cxx, program):
    """Builds the library for C, and the driver that calls it; gives the driver's path."""
    build, include = build_c_library(), FOLDER.parent / "include"
    libraries = [f"-I{include}", f"-L{build / 'lib'}", "-lfreehold", f"-Wl,-rpath,{build / 'lib'}"]
    sources, own = sorted(FOLDER.glob("freehold_c/*.cpp")), FOLDER.glob("freehold_c/*.hpp")
    return _compile(cxx, sources, program, libraries, [*own, include / "freehold.h", *include.glob("freehold/*.h")])


def _run_or_fail(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-4000:]}")


def run(driver, size, folder, workload):
    """Runs one workload of one driver in the driver's own folder."""
    own = folder / driver.name / str(size)
    own.mkdir(parents=True, exist_ok=True)
    command = [str(driver.program), "--n", str(size), "--dir", str(own), workload]
    if driver.name == "python" or workload in IMPORTS and driver.name in IMPORTERS:
        command[0] = str(FOLDER / "imports")
        command += ["--driver", driver.name, "--sources", str(sources(folder, size)), *driver.import_options]
    if driver.name in SEARCHERS:
        command[1:1] = ["-B", str(FOLDER / "searches"), "--driver", driver.name]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        return Output(error=f"{driver.name} {workload} at {size}: no end after {SECONDS_PER_RUN} s")
    output = parse(done.stdout)
    if done.returncode != 0:
        output.error = f"{driver.name} {workload} at {size}: exit {done.returncode}: {done.stderr.strip()[-1000:]}"
    return output


def sources(folder, size):
    """Where the databases of one size are that are imported, the same for all drivers and rounds."""
    return folder / "sources" / str(size)


def parse(text):
    """Reads `NAME VALUE UNIT`, `check NAME VALUE`, `skip NAME WHY` and `# remark` lines."""
    output = Output()
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#"):
            output.remarks.append(line[1:].strip())
        elif words[:1] == ["check"] and len(words) == 3:
            output.checks[words[1]] = words[2]
        elif words[:1] == ["skip"] and len(words) > 1:
            output.skipped[words[1]] = " ".join(words[2:])
        elif len(words) == 3:
            output.figures[words[0]] = float(words[1])
            output.units[words[0]] = words[2]
    return output
