import Glibc
import SecureMemory
import VaultModel
package import VaultReports

/// The author of this process's changes, for the log.
package enum LogAuthor {
  /// The limit on each name: they are in every entry.
  static let longestName = 64

  private static let process = LoggedChange.Author(
    program: name(CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""),
    user: name(UserName.of(geteuid())), host: name(hostName()))
  private static let command = Lock("")

  package static var current: LoggedChange.Author {
    let command = command.withLock { $0 }
    guard !command.isEmpty else { return process }
    return LoggedChange.Author(
      program: name("\(process.program) \(command)"), user: process.user, host: process.host)
  }

  /// Names the command that this process runs, beside its program.
  package static func setCommand(_ name: String) {
    command.withLock { $0 = name }
  }

  /// Returns a name that a record can hold: others choose the names of programs and computers.
  private static func name(_ text: String) -> String {
    String(decoding: text.utf8.prefix(longestName).filter { $0 != 0 }, as: UTF8.self)
  }

  private static func hostName() -> String {
    var system = utsname()
    // The structure is ours; its texts end with NUL.
    guard unsafe uname(&system) == 0 else { return "" }
    return unsafe withUnsafeBytes(of: system.nodename) { name in
      unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// The names of the system's users.
///
/// Only its file is read: a static program cannot load the modules of other sources.
enum UserName {
  /// Returns the name of a user; the number if the file has none.
  static func of(_ id: uid_t, in path: String = "/etc/passwd") -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return String(id) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }
    guard count > 0 else { return String(id) }
    for line in bytes[..<count].split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
      guard fields.count > 3, fields[2].elementsEqual(String(id).utf8) else { continue }
      return String(decoding: fields[0], as: UTF8.self)
    }
    return String(id)
  }
}
