import VaultTerminal
import CredentialVault
import Glibc
import VaultModel
import VaultStore

/// The user's pager, through which a list or a help goes that is longer than the terminal.
///
/// Nothing secret goes there: a pager may keep what it shows.
extension Invocation {
  static let noPager = Option(.noPager, nil, .none, "write what is long without PAGER")

  /// Writes a text, through the pager if it has more lines than the terminal.
  ///
  /// - Parameters:
  ///   - lines: The number of lines.
  ///   - body: Writes them.
  /// - Throws: Any error of `body`.
  func paged(_ lines: Int, _ body: () throws(VaultError) -> Void) throws(VaultError) {
    guard output.isTerminal, lines >= output.rows, !arguments.has(.noPager),
      Environment.value("TERM") != "dumb", let pager = try startPager()
    else { return try body() }
    let previous = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, previous) }
    do throws(VaultError) {
      try output.through(pager.input, body)
    } catch {
      close(pager.input)
      _ = try pager.child.end()
      throw error
    }
    close(pager.input)
    _ = try pager.child.end()
  }

  /// Starts the pager; nil if there is none.
  private func startPager() throws(VaultError) -> (child: ChildProcess, input: Int32)? {
    var command = Environment.value("PAGER")
    if command == nil, InstalledProgram.path(of: "less") != nil { command = "less" }
    guard let command, command != "cat" else { return nil }
    let pipe = try ChildPipe()
    defer { close(pipe.readEnd) }
    // As Git has it: less ends by itself if everything fits, and shows colours.
    let script = "LESS=${LESS-FRX}; export LESS; \(command)"
    let child = try ChildProcess(
      ["sh", "-c", script], at: "/bin/sh", input: .descriptor(pipe.readEnd), output: .inherited,
      errors: .inherited)
    return (child, pipe.writeEnd)
  }
}

extension Output {
  /// The rows of the terminal; so many that nothing is longer if the output is none.
  var rows: Int {
    var size = winsize()
    // The structure is ours, and of the type that the request fills.
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return .max
    }
    return Int(size.ws_row)
  }
}
