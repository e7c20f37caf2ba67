package import Foundation
import Glibc

/// A real KDC of the realm VAULT.TEST on loopback, as `Scripts/kerberos-server` says; it ends with
/// this object, or with the test process.
package final class KerberosServer: Sendable {
  package struct DidNotStart: Error {}

  /// The folder of its files, which anybody may read.
  package let folder: URL
  package let port: Int
  private let input: Pipe
  private let program: RunningProgram

  /// Starts it, with services beside `HTTP/localhost`, and with another time than the machine's,
  /// such as `+2h`.
  package init(in folder: URL, services: [String] = [], clock: String = "") throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    let (input, output) = (Pipe(), Pipe())
    for end in [input.fileHandleForWriting, output.fileHandleForReading] {
      guard fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw DidNotStart() }
    }
    self.input = input
    let script = Project.root.appending(path: "Scripts/kerberos-server").path
    program = try withExtendedLifetime((input, output)) {
      try RunningProgram(
        [script, folder.path] + services,
        environment: [
          "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "KDC_CLOCK": clock,
        ], folder: "/",
        input: input.fileHandleForReading.fileDescriptor,
        output: output.fileHandleForWriting.fileDescriptor, errors: 2)
    }
    try output.fileHandleForWriting.close()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw DidNotStart() }
    self.port = port
  }

  deinit { program.end() }

  /// The package with the programs of its clients.
  package static let package = Project.root.appending(path: ".build/servers/krb5-admin-server")

  /// Ends it now: the realm has no KDC any more.
  package func stop() { program.terminate() }

  package func path(_ name: String) -> String { folder.appending(path: name).path }

  /// Returns the requests for tickets that name a text, in order.
  package func requests(_ kind: String, of text: String) throws -> [String] {
    try String(contentsOf: folder.appending(path: "kdc.log"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
      .filter { $0.contains("\(kind)_REQ") && $0.contains(text) }
  }
}
