import Foundation
import ProgramTesting
import Glibc

/// A real PostgreSQL on loopback and on a Unix socket, from the package that `Scripts/servers`
/// unpacks; it ends with this object, or with the test process.
///
/// It runs as nobody if the tests run as root, which it refuses.
final class PostgresServer: Sendable {
  /// The reason for which there is none.
  struct DidNotStart: Error, CustomStringConvertible {
    /// What the program said.
    let description: String
  }

  /// The server that tests share, each with a database of its own; its folder ends with it.
  static let shared = Result { try PostgresServer(settings: ["temporary"]) }

  private static let package = Project.root.appending(path: ".build/servers/postgresql-15/usr")
  private static let programs = package.appending(path: "lib/postgresql/15/bin")

  let port: Int
  /// The folder with the data, and with the socket.
  let folder: URL
  private let settings: [String]
  /// Only ``restart()`` changes it, which no test calls beside another use.
  nonisolated(unsafe) private var running: Running

  private struct Running {
    let program: RunningProgram
    let input: Pipe
    let port: Int
  }

  /// Starts a server, with more settings as `name=value`.
  ///
  /// Commits do not survive a power failure: logic needs that not.
  init(settings: [String] = []) throws {
    // Short, because the path of a socket has 107 bytes at most.
    folder = URL(filePath: "/tmp/pg-\(UUID().uuidString.prefix(8))")
    self.settings = settings
    unsafe running = try Self.start(folder, settings)
    port = unsafe running.port
  }

  /// Starts a standby of another server, which gets its commits through a port of loopback.
  convenience init(standbyOf port: Int) throws {
    try self.init(settings: ["standby_of=host=127.0.0.1 port=\(port) user=admin sslmode=disable"])
  }

  deinit {
    do {
      try unsafe running.input.fileHandleForWriting.close()
      _ = try unsafe running.program.wait()
      try FileManager.default.removeItem(at: folder)
    } catch {
      // The remains are in the system's temporary folder; no test depends on it.
    }
  }

  /// Starts the server again after it was killed, at the same port.
  func restart() throws {
    try unsafe running.input.fileHandleForWriting.close()
    _ = try unsafe running.program.wait()
    unsafe running = try Self.start(folder, settings + ["port=\(port)"])
  }

  private static func start(_ folder: URL, _ settings: [String]) throws -> Running {
    let (input, output) = (Pipe(), Pipe())
    for end in [input.fileHandleForWriting, output.fileHandleForReading] {
      guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
        throw DidNotStart(description: "a pipe")
      }
    }
    let script = Project.root.appending(path: "Scripts/postgres-server").path
    let program = try withExtendedLifetime((input, output)) {
      try RunningProgram(
        [script, folder.path] + settings, environment: environment, folder: "/",
        input: input.fileHandleForReading.fileDescriptor,
        output: output.fileHandleForWriting.fileDescriptor, errors: 2)
    }
    try output.fileHandleForWriting.close()
    let line = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
      throw DidNotStart(description: "see \(folder.path)/log")
    }
    return Running(program: program, input: input, port: port)
  }

  // MARK: Addresses

  /// Returns the address of a database by the socket, for its owner.
  func address(_ database: String) -> String { address(database, user: "admin") }

  /// Returns the address of a database, by the socket or by TCP without TLS.
  func address(
    _ database: String, user: String = "admin", tcp: Bool = false, port other: Int? = nil
  ) -> String {
    let place = tcp || other != nil ? "host=127.0.0.1 sslmode=disable" : "host=\(folder.path)"
    return "\(place) port=\(other ?? port) dbname=\(database) user=\(user)"
  }

  /// Makes an empty database, and returns its name.
  func makeDatabase() throws -> String {
    let name = "fleet_\(UUID().uuidString.prefix(8).lowercased())"
    try sql("CREATE DATABASE \(name)", in: "postgres")
    return name
  }

  /// Runs SQL as a role, by default the server's administrator, and returns the rows, columns
  /// parted by `|`.
  @discardableResult
  func sql(
    _ text: String, in database: String, user: String = "admin"
  ) throws -> [String] {
    let output = try Self.call(
      [
        "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-p", "\(port)",
        "-U", user, "-d", database, "-c", text,
      ])
    return output.split(separator: "\n").map(String.init)
  }

  /// The process of the server itself.
  var identifier: Int32? {
    get throws {
      try String(contentsOf: folder.appending(path: "data/postmaster.pid"), encoding: .utf8)
        .split(separator: "\n").first.flatMap { Int32($0) }
    }
  }

  /// Kills the server with all its processes, of which none can end its work, and returns once they
  /// have ended.
  func kill() throws {
    guard let server = try identifier else { throw DidNotStart(description: "no server") }
    // Stopped first, or it starts one more for a connection that it has just got: no list has that.
    Glibc.kill(server, SIGSTOP)
    Self.wait(for: server) { $0 == "T" }
    let folders = try FileManager.default.contentsOfDirectory(atPath: "/proc")
    let children = folders.compactMap { Int32($0) }.filter { Self.status(of: $0)?.parent == server }
    for process in [server] + children { Glibc.kill(process, SIGKILL) }
    for process in [server] + children { Self.wait(for: process) { _ in false } }
  }

  /// Waits until a process is in a state, or has ended.
  private static func wait(for process: Int32, until isThere: (Substring) -> Bool) {
    while let state = Self.status(of: process)?.state, !["Z", "X"].contains(state), !isThere(state)
    {
      usleep(1_000)
    }
  }

  /// Returns a process's state, and its parent; nil if it has ended.
  private static func status(of process: Int32) -> (state: Substring, parent: Int32?)? {
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat") else {
      return nil
    }
    // After the program's name, which may have anything in it: state, parent.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?
      .split(separator: " ")
    guard let fields, fields.count > 1 else { return nil }
    return (fields[0], Int32(fields[1]))
  }

  // MARK: Programs

  private static let environment: [String: String] = {
    let libraries =
      (try? FileManager.default.subpathsOfDirectory(
        atPath: package.appending(path: "lib").path)) ?? []
    let paths = libraries.filter { $0.hasSuffix("-linux-gnu") }.map {
      package.appending(path: "lib/\($0)").path
    }
    return [
      "PATH": "\(programs.path):/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C", "TZ": "UTC",
      "HOME": "/", "LD_LIBRARY_PATH": paths.joined(separator: ":"),
    ]
  }()

  /// Runs a program of the package, and returns its output.
  @discardableResult
  private static func call(_ words: [String]) throws -> String {
    let program = programs.appending(path: words[0]).path
    let output = Pipe()
    let null = FileHandle.nullDevice
    let errors = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    let errorFile = try FileHandle(forWritingTo: errors)
    let running = try withExtendedLifetime((output, null, errorFile)) {
      try RunningProgram(
        [program] + words.dropFirst(), environment: environment, folder: "/",
        input: null.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
        errors: errorFile.fileDescriptor)
    }
    try output.fileHandleForWriting.close()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    guard try running.wait() == 0 else {
      throw DidNotStart(description: try String(contentsOf: errors, encoding: .utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
