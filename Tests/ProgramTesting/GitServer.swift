import Foundation
import Glibc

/// A real Apache that serves bare Git repositories behind Basic, realm "Team Git".
package final class GitServer: Sendable {
  package enum Failure: Error { case didNotStart }

  package let port: Int
  private let log: URL
  private let input: Pipe
  private let program: RunningProgram

  /// Starts a server in the sandbox; it ends with this object, or with the test process.
  package init(
    in sandbox: Sandbox, users: [String: String], repositories: [String] = ["team"]
  ) throws {
    let folder = sandbox.folder.appending(path: "server")
    log = folder.appending(path: "access.log")
    for name in repositories {
      let path = folder.appending(path: "repos/\(name).git").path
      guard try sandbox.run("git", "init", "-q", "--bare", "-b", "main", path).status == 0 else {
        throw Failure.didNotStart
      }
    }
    input = try Self.makePipe()
    let output = try Self.makePipe()
    let ends = (input.fileHandleForReading, output.fileHandleForWriting)
    // A handle closes its file when it goes, and optimized code lets it go after its last use.
    program = try withExtendedLifetime(ends) {
      try RunningProgram(
        [Project.root.appending(path: "Scripts/git-server").path, folder.path],
        environment: sandbox.environment, folder: folder.path,
        input: ends.0.fileDescriptor, output: ends.1.fileDescriptor, errors: 2)
    }
    try output.fileHandleForWriting.close()
    let list = users.map { "\($0):\($1)\n" }.joined() + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(list.utf8))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure.didNotStart }
    self.port = port
  }

  deinit {
    do {
      program.terminate()
      _ = try program.wait()
    } catch {
      // wait fails only for a program that was waited for before; no other place does.
    }
  }

  /// A pipe that other programs do not inherit: the server lives until no one holds its input.
  private static func makePipe() throws -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw Failure.didNotStart }
    }
    return pipe
  }

  /// The address of a repository, for a user if one is named.
  package func url(user: String? = nil, _ repository: String = "team") -> String {
    "http://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)/git/\(repository).git"
  }

  /// What was asked so far: "user method path status" a line, "-" for nobody.
  package func requests() throws -> [String] {
    try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
  }
}
