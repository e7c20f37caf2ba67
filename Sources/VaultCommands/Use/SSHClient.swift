import VaultTerminal
import VaultModel
import VaultStore

/// An ssh that asks something.
struct SSHClient {
  private let process: ParentProcess

  init(_ process: ParentProcess) { self.process = process }

  /// Returns the connection that it was told to make; nil if it does not say.
  ///
  /// Its own program reads its arguments and configuration again, because the host of an argument
  /// can be an alias.
  func connection() throws(VaultError) -> SSHConnection? {
    try output(of: ["-G"] + process.arguments.dropFirst(), mergesErrors: false)
      .flatMap(SSHConnection.init)
  }

  /// Returns whether it puts `(user@host)` before a question of the server, so that every other one
  /// is its own: OpenSSH does from 8.5 on.
  func marksForeignQuestions() throws(VaultError) -> Bool {
    guard let text = try output(of: ["-V"], mergesErrors: true) else { return false }
    return Self.marksForeignQuestions(version: text)
  }

  /// Reads `OpenSSH_9.2p1 Debian-2, …`.
  static func marksForeignQuestions(version text: String) -> Bool {
    let name = "OpenSSH_"
    guard text.hasPrefix(name) else { return false }
    let numbers = text.dropFirst(name.count).prefix { $0 == "." || ("0"..."9").contains($0) }
      .split(separator: ".").map { Int($0) ?? 0 }
    guard numbers.count >= 2 else { return false }
    return (numbers[0], numbers[1]) >= (8, 5)
  }

  /// Returns what the same program prints; nil if it fails.
  private func output(
    of arguments: [String], mergesErrors: Bool
  ) throws(VaultError) -> String? {
    let (status, output) = try ChildProcess.run(
      ["ssh"] + arguments, at: process.executable, mergesErrors: mergesErrors)
    return status == 0 ? output.text : nil
  }
}

/// The user and the server of a connection.
struct SSHConnection: Equatable {
  let user: String
  /// The names under which ssh may ask: the host's own and the one of its key.
  let hosts: [String]
  let port: String

  /// Reads what `ssh -G` prints.
  init?(configuration text: String) {
    var values: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let space = line.firstIndex(of: " ") else { continue }
      values[line[..<space]] = String(line[line.index(after: space)...])
    }
    guard let user = values["user"], let host = values["hostname"], let port = values["port"]
    else { return nil }
    self.user = user
    hosts = [host] + (values["hostkeyalias"].map { [$0] } ?? [])
    self.port = port
  }

  /// Returns the place whose password the connection's server may get, for a question that names a
  /// login; nil if that is not the connection's own.
  func place(user: String, host: String) -> AskpassPrompt.Place? {
    guard user == self.user, hosts.contains(host) else { return nil }
    let name = host.contains(":") ? "[\(host)]" : host
    return AskpassPrompt.Place(
      networkProtocol: "ssh", user: user, host: "\(name):\(port)", path: nil)
  }
}
