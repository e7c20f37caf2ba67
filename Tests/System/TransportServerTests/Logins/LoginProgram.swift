import Foundation
import Glibc
import ProgramTesting
import Testing

/// A server of `Programs`, `ntlm.py` or `acceptor.py`, which ends with this object or the test
/// process.
final class LoginProgram {
  struct DidNotStart: Error {}

  /// A request that it got.
  struct Request {
    /// "-" for nobody.
    let user: String
    let path: String
    let status: Int
    /// Whether the connection went on with a session of TLS.
    let isResumed: Bool
    /// The client's scheme; "-" for none.
    let scheme: String
    /// The client's token, in Base64; empty for none.
    let token: String
  }

  let port: Int
  private let program: RunningProgram
  /// Whether it was waited for: its number may be another's then.
  private var isEnded = false
  private let input = Pipe()
  private let output: FileHandle
  private let log: URL

  /// Starts one with its words, which `loginserver.py` describes, and further variables.
  init(
    _ client: LoginClient, _ words: [String], environment: [String: String] = [:]
  ) throws {
    let script = Project.tests("TransportServerTests").appending(path: "Programs/\(words[0]).py")
    let python = Project.root.appending(path: ".build/servers/ntlm-server/bin/python").path
    log = client.sandbox.home.appending(path: "\(words[0]).log")
    try Data().write(to: log)
    output = try FileHandle(forWritingTo: log)
    guard fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw DidNotStart()
    }
    program = try RunningProgram(
      [python, script.path] + words.dropFirst(),
      environment: client.sandbox.environment.merging(client.servers.acceptorVariables) { $1 }
        .merging(environment) { $1 },
      folder: client.sandbox.home.path,
      input: input.fileHandleForReading.fileDescriptor, output: output.fileDescriptor, errors: 2)
    var found: Int?
    while found == nil, try program.isRunning {
      found = try Self.lines(log).first.flatMap { Int($0) }
      // No descriptors to wait for, only the time.
      _ = poll(nil, 0, 20)
    }
    guard let found else {
      program.end()
      throw DidNotStart()
    }
    port = found
  }

  // And waits for its end: Swift Testing sees no end of a process beside one that nobody waits for.
  deinit { if !isEnded { program.end() } }

  /// Ends the server, and returns its requests.
  func end() throws -> [Request] {
    program.end()
    isEnded = true
    return try Self.lines(log).dropFirst().map { line in
      let words = line.split(separator: " ").map(String.init)
      return try Request(
        user: words[0], path: words[1], status: #require(Int(words[2])),
        isResumed: words[3] == "True", scheme: words[4], token: words[5] == "-" ? "" : words[5])
    }
  }

  private static func lines(_ log: URL) throws -> [String] {
    String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n").map(
      String.init)
  }
}

/// The last message of NTLM (MS-NLMP §2.2.1.3), as far as tests look at it.
struct NTLMAnswerMessage {
  /// The values of the NT answer by their numbers (§2.2.2.1).
  private var values: [UInt16: [UInt8]] = [:]

  /// Reads one from Base64; nil for other tokens.
  init?(_ text: some StringProtocol) {
    guard let data = Data(base64Encoded: String(text)) else { return nil }
    let bytes = Array(data)
    func number(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
    guard bytes.starts(with: Array("NTLMSSP\0\u{3}".utf8)) else { return nil }
    // The proof, and the 28 bytes before the values.
    var place = number(24) + 16 + 28
    while number(place) != 0 {
      let (kind, length) = (UInt16(number(place)), number(place + 2))
      values[kind] = Array(bytes[place + 4..<place + 4 + length])
      place += 4 + length
    }
  }

  /// Whether it has a code of the messages' integrity.
  var hasIntegrityCode: Bool { (values[6]?[0] ?? 0) & 2 != 0 }

  /// Whether it is bound to a certificate.
  var isBound: Bool { values[10]?.contains { $0 != 0 } ?? false }
}
