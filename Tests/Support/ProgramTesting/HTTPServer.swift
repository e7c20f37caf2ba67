package import Foundation
import Glibc

/// A real Apache or lighttpd on loopback, configured by a template in `Tests/System/Servers`.
package final class HTTPServer: Sendable {
  package enum Failure: Error { case didNotStart, didNotTakeUsers }

  package let port: Int
  /// The folder that the template calls `@ROOT@`.
  package let folder: URL
  private let input: Pipe
  private let output: Pipe
  private let program: RunningProgram

  /// Starts a server with passwords by user; it ends with this object, or with the test process.
  ///
  /// The template is named without `.httpd.conf.in` or `.lighttpd.conf.in`; each `@WORD@` in it is
  /// replaced by the value of that word. Files that the server needs may already be in its folder
  /// in the sandbox. Further variables are set for it.
  package init(
    _ template: String, in sandbox: Sandbox, name: String = "server",
    values: [String: String] = [:], users: [String: String],
    environment: [String: String] = [:]
  ) throws {
    let folder = sandbox.folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    input = try Self.makePipe()
    output = try Self.makePipe()
    let ends = (input.fileHandleForReading, output.fileHandleForWriting)
    let words =
      [Project.root.appending(path: "Scripts/http-server").path, template, folder.path]
      + values.map { "\($0)=\($1)" }
    // A handle closes its file when it is released, and optimized code releases it after its last
    // use.
    program = try withExtendedLifetime(ends) {
      try RunningProgram(
        words, environment: sandbox.environment.merging(environment) { $1 }, folder: folder.path,
        input: ends.0.fileDescriptor, output: ends.1.fileDescriptor, errors: 2)
    }
    try output.fileHandleForWriting.close()
    guard let port = try Self.send(users, to: input, until: output) else {
      throw Failure.didNotStart
    }
    self.port = port
  }

  deinit { program.end() }

  /// Replaces all users and passwords; the next request is answered by the new ones.
  package func setUsers(_ users: [String: String]) throws {
    guard try Self.send(users, to: input, until: output) == port else {
      throw Failure.didNotTakeUsers
    }
  }

  /// Returns the requests so far: "user method path status" a line, "-" for nobody, and additions
  /// of the template.
  ///
  /// A server logs a request after answering it, so this waits for the expected number, and until a
  /// condition holds. If others also use it, a text selects the lines.
  package func requests(
    _ count: Int = 0, containing text: String = "",
    until isWhole: ([String]) -> Bool = { _ in true }
  ) throws -> [String] {
    func requests(_ lines: [String]) -> [String] {
      lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }
    return requests(
      try log("access.log", count, containing: text) { lines in isWhole(requests(lines)) })
  }

  /// Returns the lines of a log that contain a text, once it has `count` of them and a condition
  /// holds, or after two minutes.
  package func log(
    _ name: String, _ count: Int = 0, containing text: String = "",
    until isWhole: ([String]) -> Bool = { _ in true }
  ) throws -> [String] {
    for _ in 1..<6000 {
      let lines = try read(name, text)
      if lines.count >= count, isWhole(lines) { return lines }
      // No descriptors to wait for, only the time.
      _ = poll(nil, 0, 20)
    }
    return try read(name, text)
  }

  private func read(_ name: String, _ text: String) throws -> [String] {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      .split(separator: "\n").map(String.init).filter { text.isEmpty || $0.contains(text) }
  }

  /// Sends a list of users, and reads the port that answers it.
  private static func send(
    _ users: [String: String], to input: Pipe, until output: Pipe
  ) throws -> Int? {
    let list = users.map { "\($0):\($1)\n" }.joined() + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(list.utf8))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    return Int(line.trimmingCharacters(in: .newlines))
  }

  /// Creates a pipe that other programs do not inherit: the server lives until no one holds its
  /// input.
  private static func makePipe() throws -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Failure.didNotStart }
    }
    return pipe
  }
}

/// A real Apache that serves bare Git repositories behind Basic, realm "Team Git".
package final class GitServer: Sendable {
  package enum Failure: Error { case noRepository }

  private let server: HTTPServer

  package var port: Int { server.port }

  /// Starts a server in the sandbox; it ends with this object, or with the test process.
  package init(
    in sandbox: Sandbox, users: [String: String], repositories: [String] = ["team"]
  ) throws {
    for name in repositories {
      let path = sandbox.folder.appending(path: "server/repos/\(name).git").path
      guard try sandbox.run("git", "init", "-q", "--bare", "-b", "main", path).status == 0 else {
        throw Failure.noRepository
      }
    }
    server = try HTTPServer("git-basic", in: sandbox, users: users)
  }

  /// Returns the URL of a repository, for a user if one is named.
  package func url(user: String? = nil, _ repository: String = "team") -> String {
    "http://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)/git/\(repository).git"
  }

  /// Returns the requests so far: "user method path status" a line, "-" for nobody.
  package func requests(until isWhole: ([String]) -> Bool) throws -> [String] {
    try server.requests(until: isWhole)
  }
}
