import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("NTLM at a server of another make")
  struct OtherServerTests {
    let client: LoginClient

    init() throws {
      client = try LoginClient()
      let made = try client.sandbox.run(
        Project.root.appending(path: "Scripts/servers").path, "ntlm-server")
      try #require(made.status == 0, "\(made.errors)")
    }

    private func store(_ scheme: String, _ port: Int) throws {
      let words = [
        "add", "-s", "localhost", "-r", scheme, "-P", "\(port)", "-t", "ntlm", "-a", "ann",
      ]
      let added = try client.sandbox.run(
        ["vaultctl"] + words + ["--account-domain", "VAULT", "--password-stdin"], input: "annpw")
      try #require(added.status == 0, "\(added.errors)")
    }

    @Test("it is answered once for a connection, with a code of the messages' integrity")
    func plain() throws {
      let server = try NTLMServer(client, [])
      try store("http", server.port)
      let lines = try client.get(["url=http://localhost:\(server.port)/plain", "count=2"])
      #expect(lines == ["[401, 401, 200] done a page", "[200] done a page"])
      let log = try server.end()
      #expect(log.map { $0.split(separator: " ")[0] } == ["-", "-", "VAULT\\ann", "VAULT\\ann"])
      // The code takes 16 bytes, and an attribute that tells of it 8.
      #expect(log[2].split(separator: " ").last.flatMap { Int($0) } ?? 0 > 240)
      #expect(log[3].hasSuffix(" 0"))
    }

    @Test(
      "over TLS it is bound to the certificate, by the hash of its signature",
      arguments: [("", true), ("sha384", true), ("sha256", false)])
    func bound(hash: String, isRight: Bool) throws {
      let path = client.sandbox.home.appending(path: "server").path
      let made = try client.sandbox.run(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", path + ".key",
        "-out",
        path + ".pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days",
        "2", "-sha384")
      try #require(made.status == 0, "\(made.errors)")
      let written = try client.sandbox.run(
        "openssl", "x509", "-in", path + ".pem", "-outform", "DER", "-out", path + ".der")
      try #require(written.status == 0, "\(written.errors)")
      let server = try NTLMServer(client, hash.isEmpty ? [path] : [path, hash])
      try store("https", server.port)
      let lines = try client.get([
        "url=https://localhost:\(server.port)/bound", "anchor=\(path).der",
      ])
      #expect(lines == [isRight ? "[401, 401, 200] done a page" : "[401, 401, 401] rejected "])
      _ = try server.end()
    }
  }
}

/// The server of `Programs/ntlm.py`, which ends with this object or the test process.
private final class NTLMServer {
  struct DidNotStart: Error {}

  let port: Int
  private let program: RunningProgram
  private let input = Pipe()
  private let output: FileHandle
  private let log: URL

  init(_ client: LoginClient, _ words: [String]) throws {
    let script = Project.tests("TransportServerTests").appending(path: "Programs/ntlm.py").path
    let python = Project.root.appending(path: ".build/servers/ntlm-server/bin/python").path
    log = client.sandbox.home.appending(path: "ntlm.log")
    try Data().write(to: log)
    output = try FileHandle(forWritingTo: log)
    guard fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw DidNotStart()
    }
    program = try RunningProgram(
      [python, script, client.servers.sandbox.folder.appending(path: "ntlm-users").path] + words,
      environment: client.sandbox.environment, folder: client.sandbox.home.path,
      input: input.fileHandleForReading.fileDescriptor, output: output.fileDescriptor, errors: 2)
    var found: Int?
    while found == nil, try program.isRunning {
      found = try Self.lines(log).first.flatMap { Int($0) }
      // No descriptors to wait for, only the time.
      _ = poll(nil, 0, 20)
    }
    guard let found else { throw DidNotStart() }
    port = found
  }

  deinit { program.terminate() }

  /// Ends the server, and returns its log.
  func end() throws -> [String] {
    program.end()
    return Array(try Self.lines(log).dropFirst())
  }

  private static func lines(_ log: URL) throws -> [String] {
    String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n").map(
      String.init)
  }
}
