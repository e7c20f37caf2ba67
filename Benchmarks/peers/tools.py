"""Whole processes of vaultctl beside those of other password tools, in turns.

Usage: tools.py VAULTCTL SERVERS FOLDER; prints the rows of a table.

SERVERS has the unpacked tools. Every tool gets the same items, is unlocked as its users have it
unlocked, and is asked for one secret whose owner it knows. All of it is in FOLDER.
"""

import itertools
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

ITEMS = 1000
SIZE = "10³"
ROUNDS = 41

vaultctl, servers, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def host(number):
    return f"git-{number:06}.int.example.com"


def account(number):
    return f"user{number:06}"


def secret(number):
    return f"pw-{number:06}-0123456789"


def unpacked(package):
    """The environment of a tool that was unpacked and not installed."""
    root = servers / package
    libraries = [str(path) for path in root.glob("usr/lib/*-linux-gnu*")]
    return os.environ | {
        "LD_LIBRARY_PATH": ":".join(libraries + [f"{path}/pulseaudio" for path in libraries]),
        "PATH": f"{root}/usr/bin:{os.environ['PATH']}",
        "HOME": str(folder),
    }


def run(command, environment, input=""):
    """The output of a program, which must succeed."""
    result = subprocess.run(
        command, env=environment, input=input, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"tools: error: {command[0]} {command[1]}: {result.stderr.strip()}")
    return result.stdout


class Tool:
    """A tool by its commands: each is an argument list, and what is read from standard input."""

    name = ""
    environment = dict(os.environ)

    def fill(self):
        """Stores all items."""

    def find(self, number):
        raise NotImplementedError

    def add(self, number):
        raise NotImplementedError

    def list(self):
        return None


class Vault(Tool):
    name = "vaultctl"
    environment = os.environ | {
        "VAULTCTL_VAULT": str(folder / "vault"), "VAULTCTL_KEY_FILE": str(folder / "key"),
        "XDG_STATE_HOME": str(folder / "state"), "HOME": str(folder)}

    def fill(self):
        run([vaultctl, "init", "-q"], self.environment)
        lines = [f"https://{account(n)}:{secret(n)}@{host(n)}\n" for n in range(ITEMS)]
        run([vaultctl, "import", "-q", "git-credentials", "-"], self.environment, "".join(lines))

    def find(self, number):
        return [vaultctl, "find", "-w", "-s", host(number), "-a", account(number)], ""

    def add(self, number):
        return [vaultctl, "add", "-q", "-s", host(number), "-a", account(number), "-r", "https",
                "--password-stdin"], secret(number)

    def list(self):
        return [vaultctl, "list"], ""


class Keyring(Tool):
    name = "secret-tool, GNOME Keyring on a private bus"

    def fill(self):
        self.environment = unpacked("gnome-keyring") | {"XDG_DATA_HOME": str(folder / "keyring")}
        self.environment["PATH"] += f":{servers}/libsecret-tools/usr/bin"
        bus = run(["dbus-daemon", "--session", "--fork", "--print-address=1", "--print-pid=1"],
                  self.environment).split()
        processes.append(int(bus[1]))
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus[0]
        # It goes on by itself, and ends with the bus.
        run(["gnome-keyring-daemon", "--daemonize", "--unlock", "--components=secrets",
             f"--control-directory={folder}/keyring-control"], self.environment, "passphrase")
        for number in range(ITEMS):
            run(self.add(number)[0], self.environment, self.add(number)[1])

    def find(self, number):
        return ["secret-tool", "lookup", "server", host(number), "user", account(number)], ""

    def add(self, number):
        return ["secret-tool", "store", "--label", host(number), "server", host(number),
                "user", account(number), "protocol", "https"], secret(number)

    def list(self):
        return ["secret-tool", "search", "--all", "protocol", "https"], ""


class Pass(Tool):
    name = "pass, gpg-agent running"

    def fill(self):
        self.environment = unpacked("pass") | {
            "GNUPGHOME": str(folder / "gnupg"), "PASSWORD_STORE_DIR": str(folder / "pass")}
        (folder / "gnupg").mkdir(mode=0o700)
        run(["gpg", "--batch", "--passphrase", "", "--quick-generate-key", "bench", "future-default",
             "default", "never"], self.environment)
        run(["pass", "init", "bench"], self.environment)
        for number in range(ITEMS):
            run(self.add(number)[0], self.environment, self.add(number)[1])

    def find(self, number):
        return ["pass", "show", f"{host(number)}/{account(number)}"], ""

    def add(self, number):
        return ["pass", "insert", "-m", "-f", f"{host(number)}/{account(number)}"], secret(number)

    def list(self):
        return ["pass", "ls"], ""


class KeePass(Tool):
    name = "keepassxc-cli, its passphrase each time"

    def fill(self):
        self.environment = unpacked("keepassxc") | {"QT_QPA_PLATFORM": "offscreen"}
        entries = "".join(
            "<Entry>" + "".join(
                f"<String><Key>{key}</Key><Value>{value}</Value></String>"
                for key, value in [("Title", host(number)), ("UserName", account(number)),
                                   ("Password", secret(number))]) + "</Entry>"
            for number in range(ITEMS))
        xml = folder / "keepass.xml"
        xml.write_text("<?xml version='1.0'?><KeePassFile><Meta/><Root><Group><Name>Root</Name>"
                       + entries + "</Group></Root></KeePassFile>")
        self.file = str(folder / "keepass.kdbx")
        run(["keepassxc-cli", "import", "-p", str(xml), self.file], self.environment,
            "passphrase\npassphrase\n")

    def find(self, number):
        return ["keepassxc-cli", "show", "-q", "-s", "-a", "Password", self.file,
                host(number)], "passphrase\n"

    def add(self, number):
        return ["keepassxc-cli", "add", "-q", "-u", account(number), "-p", self.file,
                host(number)], f"passphrase\n{secret(number)}\n{secret(number)}\n"

    def list(self):
        return ["keepassxc-cli", "ls", "-q", "-f", "-R", self.file], "passphrase\n"


class Git(Tool):
    """`git credential` with a helper."""

    def __init__(self, name, helper, base=None):
        self.name = f"git credential, {name}"
        self.helper = helper
        self.environment = (base or os.environ) | {
            "HOME": str(folder), "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}

    def fill(self):
        for number in range(ITEMS):
            run(self.add(number)[0], self.environment, self.add(number)[1])

    def command(self, action, text):
        return ["git", "-c", "credential.helper=", "-c", f"credential.helper={self.helper}",
                "credential", action], f"protocol=https\n{text}\n"

    def find(self, number):
        return self.command("fill", f"host={host(number)}\nusername={account(number)}")

    def add(self, number):
        return self.command(
            "approve",
            f"host={host(number)}\nusername={account(number)}\npassword={secret(number)}")


class Age(Tool):
    name = "age -d, a file for each item"

    def fill(self):
        self.environment = unpacked("age")
        self.key = str(folder / "age.key")
        run(["age-keygen", "-o", self.key], self.environment)
        self.recipient = run(["age-keygen", "-y", self.key], self.environment).strip()
        for number in range(ITEMS):
            run(self.add(number)[0], self.environment, self.add(number)[1])

    def find(self, number):
        return ["age", "-d", "-i", self.key, str(folder / f"{number}.age")], ""

    def add(self, number):
        return ["age", "-r", self.recipient, "-o", str(folder / f"{number}.age")], secret(number)


def seconds(tool, command, expected):
    """The time of one process, whose output must have what is expected."""
    (words, input), begun = command, time.monotonic()
    output = run(words, tool.environment, input)
    taken = time.monotonic() - begun
    if expected not in output:
        sys.exit(f"tools: error: {tool.name}: another answer")
    return taken


def compare(work, tool, ours, theirs):
    """Prints the medians, how many times as fast ours is, with the middle half of pairs, and
    whether it is faster."""
    times = [(ours(round), theirs(round)) for round in range(-1, ROUNDS)][1:]
    ratios = sorted(their / our for our, their in times)
    middle = [statistics.median(side) * 1000 for side in zip(*times)]
    ratio = statistics.median(ratios)
    print(f"| {work}; {tool.name} | {SIZE} | {middle[0]:.2f} ms | {middle[1]:.2f} ms "
          f"| {ratio:.2f} × ({ratios[ROUNDS // 4]:.2f} to {ratios[-1 - ROUNDS // 4]:.2f}) "
          f"| > 1 ×: {'met' if round(ratio, 2) > 1 else '**missed**'} |", flush=True)


def measure(vault, tool):
    def find(side):
        return lambda round: seconds(side, side.find(asked(round)), secret(asked(round)))

    def add(side):
        return lambda round: seconds(side, side.add(next(unused)), "")

    def list(side):
        return lambda round: seconds(side, side.list(), host(7))

    compare("find one", tool, find(vault), find(tool))
    compare("add one", tool, add(vault), add(tool))
    if tool.list() is not None:
        compare("list all", tool, list(vault), list(tool))


def asked(round):
    return (round + 1) * 7919 % ITEMS


def filled(tool):
    """The tool, with all items; and the time it took."""
    begun = time.monotonic()
    tool.fill()
    return tool, time.monotonic() - begun


unused = itertools.count(ITEMS)
helpers = folder / "helpers"
helpers.mkdir()
(helpers / "git-credential-vaultctl").symlink_to(vaultctl)
socket = folder / "cache"
socket.mkdir(mode=0o700)
processes = []
try:
    vault, ours = filled(Vault())
    for tool in [
            Keyring(), Pass(), KeePass(), Age(),
            Git("its file of clear text", f"store --file={folder}/git-credentials"),
            Git("its cache", f"cache --socket={socket}/socket")]:
        tool, theirs = filled(tool)
        print(f"| store {ITEMS} items; {tool.name} | {SIZE} | {ours * 1000:.0f} ms "
              f"| {theirs * 1000:.0f} ms | {theirs / ours:.1f} × | – |", flush=True)
        if isinstance(tool, Git):
            base = vault.environment | {"PATH": f"{helpers}:{os.environ['PATH']}"}
            measure(Git("vaultctl", "vaultctl", base), tool)
        else:
            measure(vault, tool)
finally:
    for process in processes:
        os.kill(process, signal.SIGTERM)
