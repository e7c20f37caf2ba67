package import Foundation
import Glibc

/// The environment of the programs that tests start, which inherits nothing.
///
/// The result of a test must not depend on the machine's variables, nor on which programs are
/// installed there. Time zone and locale are fixed. The clock is the machine's: no test assumes a
/// date, and what depends on time is tested in the test's own process, with a clock of its own.
package enum ProgramEnvironment {
  package struct Failure: Error { package let errno: Int32 }

  /// The variables of every program.
  ///
  /// A crash does not wait for Swift's backtracer. A sanitizer must not look for leaks at the
  /// program's end: it would find constants that Swift never frees, and change the exit status.
  package static let common =
    ["LC_ALL": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"]
    .merging(Project.isSanitized ? ["ASAN_OPTIONS": "detect_leaks=0"] : [:]) { $1 }

  /// Makes the folders of a test's programs, and returns an environment that finds them.
  ///
  /// `bin` has the named files, and a test may write programs there: they are found first.
  /// `.programs` has links to those of the machine that are allowed.
  package static func make(
    in folder: URL, home: URL, bin: [String: URL], _ others: [String: String]
  ) throws -> [String: String] {
    let own = bin.map { (name: $0.key, file: $0.value.path) }
    let paths = try [("bin", own), (".programs", machinePrograms)].map { name, files in
      let path = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      for (name, file) in files {
        // Two texts that end with NUL.
        guard unsafe symlink(file, path.appending(path: name).path) == 0 else {
          throw Failure(errno: errno)
        }
      }
      return path.path
    }
    return
      common
      .merging([
        "HOME": home.path, "PATH": paths.joined(separator: ":"),
        // Not the tickets of who runs the tests.
        "KRB5CCNAME": "FILE:\(home.path)/tickets",
      ]) { $1 }
      .merging(others) { $1 }
  }

  /// The allowed programs that the machine has, by name.
  private static let machinePrograms: [(name: String, file: String)] = {
    let system = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
    let places = [
      (allowed, system), (["clang", "clang++", "docc", "swift", "swiftc"], [toolchain]),
    ]
    return places.flatMap { names, folders in
      names.compactMap { name in
        folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
          .map { (name: String(name), file: $0) }
      }
    }
  }()

  /// The folder of the compiler's programs, from its library in this process.
  private static let toolchain: String = {
    // Not by `String(contentsOf:)`, which reads one page of a file whose size is not known.
    let file = FileHandle(forReadingAtPath: "/proc/self/maps")
    let maps = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
    let library = maps.split(separator: "\n").first { $0.hasSuffix("/libswiftCore.so") }
    // The path is the last column, and DIR/lib/swift/linux/libswiftCore.so.
    let path = library?.drop { $0 != "/" }.split(separator: "/").dropLast(4) ?? []
    return "/" + path.joined(separator: "/") + "/bin"
  }()

  /// The programs of Debian that tests, their scripts and the pages' commands use.
  ///
  /// What a desktop may have or lack, such as a clipboard, an agent that runs already or a keyring,
  /// is not among them: a test makes its own.
  private static let allowed = """
    [ base64 basename cat chgrp chmod chown chroot cksum comm cp cut date dd df dirname du echo env
    expr false fold head id install join link ln ls md5sum mkdir mkfifo mktemp mv nice nohup nproc
    numfmt od paste printenv printf pwd readlink realpath rm rmdir seq sha1sum sha256sum sha512sum
    sleep sort split stat stty sync tac tail tee test timeout touch tr true truncate tty uname uniq
    unlink wc whoami yes
    bash dash sh fish zsh awk mawk sed grep egrep fgrep find xargs cmp diff tar gzip gunzip xz
    column dmesg flock getopt hexdump login mount mountpoint prlimit runuser script setarch setpriv
    setsid su taskset umount unshare
    getent hostname kill ldconfig ldd pgrep ps sysctl tput
    ar as c++ c99 cc g++ gcc ld ld.bfd ld.gold make nm objcopy objdump pkg-config readelf strings strip
    abidiff abidw strace valgrind valgrind.bin
    python3 perl
    apt-cache apt-get dpkg dpkg-deb dpkg-query mandoc
    git git-receive-pack git-upload-pack
    curl openssl certutil pk12util softhsm2-util keytool sqlite3
    gpg gpg-agent gpgconf gpg-connect-agent ssh ssh-add ssh-agent ssh-keygen
    dbus-daemon dbus-run-session dbus-send systemd-analyze
    """.split(whereSeparator: \.isWhitespace).map(String.init)
}
