#!/usr/bin/env python3
"""Puts deliberate faults into a copy of the sources, one at a time, and says which of them no test sees.

usage: mutants.py [--check] [--list] [NAME...]

A fault counts as seen when the copy builds and one of its suites fails. `--check` builds nothing: it says whether each
fault's text stands in the sources exactly once, and its suites exist. The copy and its build are kept in
.build/mutants, so that the next run builds what has changed.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from faults import FAULTS

ROOT = Path(__file__).resolve().parent.parent.parent.parent
COPY = ROOT / ".build" / "mutants"
FEWEST = 30
# Each suite is far below it; a fault may make one hang, which is seen, too.
LONGEST = 1800


def folders_of_tests():
    """Returns the folders with targets of tests: the root's four, and each extra's."""
    return [*(ROOT / "Tests").glob("*/"), *(ROOT / "Extras").glob("*/Tests/")]


def manifests():
    """Returns the root's manifest and the extras'."""
    return [ROOT / "Package.swift", *(ROOT / "Extras").glob("*/Package.swift")]


def package_of(suites):
    """Returns the folder of the package that has suites, from the root."""
    target = suites[0].split("/")[0]
    extras = [folder.parent for folder in (ROOT / "Extras").glob("*/Tests/") if (folder / target).is_dir()]
    return str(extras[0].relative_to(ROOT)) if extras else "."


def problems():
    """Returns the errors of the table itself."""
    names = [fault.name for fault in FAULTS]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{name}: there are two of this name"
    if len(FAULTS) < FEWEST:
        yield f"there are {len(FAULTS)} faults, and {FEWEST} are wanted"
    for fault in FAULTS:
        path = ROOT / fault.file
        count = path.read_text().count(fault.text) if path.exists() else 0
        if count != 1:
            yield f"{fault.name}: its text stands in {fault.file} {count} times"
        if fault.text == fault.instead:
            yield f"{fault.name}: changes nothing"
        for suite in fault.suites:
            target, _, name = suite.partition("/")
            files = (folder.glob(f"{target}/**/{name or '*'}.swift") for folder in folders_of_tests())
            if not any(any(found) for found in files):
                yield f"{fault.name}: there is no suite {suite}"


def copy():
    """Copies changed sources; unchanged files keep their dates, so that they are not rebuilt."""
    tree = COPY / "tree"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True).stdout.decode()
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for path in [path for path in tree.rglob("*") if path.is_file()]:
        name = str(path.relative_to(tree))
        if name not in names and not name.startswith(".build/"):
            path.unlink()
    for name in names - {str(manifest.relative_to(ROOT)) for manifest in manifests()}:
        source, target = ROOT / name, tree / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    servers = ROOT / ".build" / "servers"
    if servers.exists() and not (tree / ".build" / "servers").exists():
        (tree / ".build").mkdir(parents=True, exist_ok=True)
        (tree / ".build" / "servers").symlink_to(servers)


def select(suites):
    """Keeps only the test targets of the suites: a fault rebuilds everything above it."""
    targets = ", ".join(f'"{target}"' for target in sorted({s.split("/")[0] for s in suites}))
    # A fault may leave a warning, such as for a name that is not used.
    for manifest in manifests():
        text = manifest.read_text().replace("  .treatAllWarnings(as: .error),\n", "")
        copied = COPY / "tree" / manifest.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(
            f"{text}\nlet wanted: Set<String> = [{targets}]\n"
            "package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }\n")


def run(arguments, log):
    """Runs a command in the copy; its status, or None if it took too long."""
    # A crash must not wait for Swift's backtracer.
    environment = dict(os.environ, SWIFT_BACKTRACE="enable=no")
    with open(log, "wb") as output:
        try:
            return subprocess.run(
                arguments, cwd=COPY / "tree", env=environment, stdout=output,
                stderr=subprocess.STDOUT, timeout=LONGEST).returncode
        except subprocess.TimeoutExpired:
            return None


def where(package):
    """Returns the words that name a package, which is built into the copy's one folder."""
    # SwiftPM takes the plan of the package before for its own.
    return ["--disable-build-manifest-caching", "--package-path", package, "--scratch-path", ".build"]


def build(suites, log):
    select(suites)
    package = package_of(suites)
    if package != ".":
        return run(["swift", "build", "--build-tests", *where(package)], log) == 0
    programs = [["--product", "credential-vaultPackageTests"], ["--product", "vaultctl"]]
    # The second one is what Git and the shell run; other suites do not need it.
    wanted = programs if any(suite.startswith("IntegrationTests") for suite in suites) else programs[:1]
    return all(run(["swift", "build", *where("."), *words], log) == 0 for words in wanted)


def test(suites, log):
    """Runs suites: "passed", "failed", or "nothing" if there was none."""
    patterns = [
        f"^{re.escape(suite.replace('/', '.'))}[/.]" for suite in suites]
    filters = [word for pattern in patterns for word in ("--filter", pattern)]
    status = run(["swift", "test", "--skip-build", "--disable-xctest", *where(package_of(suites)), *filters], log)
    text = Path(log).read_text(errors="replace")
    if status == 0:
        count = re.findall(r"Test run with (\d+) test", text)
        return "passed" if count and int(count[-1]) > 0 else "nothing"
    return "failed"


# Suites that pass as they are.
healthy = set()


def seen(fault):
    """Returns the result for a fault: "seen", or why it is not."""
    path = COPY / "tree" / fault.file
    original = path.read_text()
    log = COPY / f"{fault.name}.log"
    if not healthy.issuperset(fault.suites):
        if not build(fault.suites, log) or test(fault.suites, log) != "passed":
            return "FAILS WITHOUT"
        healthy.update(fault.suites)
    try:
        path.write_text(original.replace(fault.text, fault.instead))
        if not build(fault.suites, log):
            return "does not build"
        result = test(fault.suites, log)
        return {"failed": "seen", "passed": "SURVIVED", "nothing": "runs no test"}[result]
    finally:
        path.write_text(original)


def main():
    words = sys.argv[1:]
    if "--list" in words:
        for fault in FAULTS:
            print(f"{fault.area:8} {fault.name:45} {' '.join(fault.suites)}")
        return 0
    wrong = list(problems())
    for problem in wrong:
        print(f"mutants: error: {problem}", file=sys.stderr)
    if wrong or "--check" in words:
        return 1 if wrong else 0
    wanted = [fault for fault in FAULTS if not words or fault.name in words]
    if not wanted:
        print("mutants: error: there is no fault of that name", file=sys.stderr)
        return 1

    copy()
    results = {}
    for fault in wanted:
        start = time.monotonic()
        results[fault] = seen(fault)
        taken = time.monotonic() - start
        print(f"{results[fault]:15} {fault.area:8} {fault.name:45} {taken:4.0f} s", flush=True)
    lost = [fault.name for fault, result in results.items() if result != "seen"]
    print(f"mutants: {len(results) - len(lost)} of {len(results)} were seen")
    if lost:
        print(f"mutants: error: not seen: {' '.join(lost)}; logs in {COPY}", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
