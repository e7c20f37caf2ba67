package import SecureMemory
package import VaultModel

/// The dialogue with a pinentry, line by line.
///
/// Source: the Assuan manual, "Client requests" and "Server responses"; pinentry's own manual.
package struct PinentryDialogue: ~Copyable {
  /// The step that follows a line.
  package enum Step: Sendable {
    case wait
    case send(String)
    case passphrase(Secret)
    /// The user closed the prompt, or the program does not do what is asked.
    case ended
  }

  private static let longestLine = 2048
  /// A name of a program is shown up to here, so that a line stays one of the protocol.
  private static let longestName = 64
  private static let request = "GETPIN"

  /// The lines that are still to be sent, first to last.
  private var commands: [String]
  private var input = SecretBuffer(capacity: longestLine)
  private var passphrase: Secret?
  private var current = ""

  /// - Parameters:
  ///   - path: The vault's path, for the user.
  ///   - program: The program that wants it, for the user; nil if it is not known.
  ///   - time: How long the kernel remembers the key afterwards; nil for not at all.
  ///   - options: `ttyname=/dev/pts/1` and the like, which a pinentry may refuse.
  package init(
    forVaultAt path: String, by program: String?, rememberedFor time: RememberedTime? = nil,
    options: [String]
  ) {
    let isShared = time.map { $0 != .oneUse } ?? false
    let minutes = max(1, (time?.idle ?? 0) / 60)
    let sharing =
      isShared
      ? "%0A%0AYour other programs, such as vaultctl, can then open it too, until none has for"
        + " \(minutes) minutes." : ""
    let name = program.map { Self.escaped(Self.shown($0)) }
    commands =
      options.map { "OPTION \($0)" }
      + [
        "SETTIMEOUT 120", "SETTITLE Credential vault",
        "SETDESC Passphrase of the vault%0A\(Self.escaped(path))"
          + "%0Awanted by \(name ?? "a program of the desktop")" + sharing,
        "SETPROMPT Passphrase:", Self.request,
      ]
  }

  /// Asks again after a wrong passphrase.
  ///
  /// - Returns: The line to send.
  package mutating func again() -> String {
    commands = ["SETERROR Wrong passphrase.", Self.request]
    passphrase = nil
    return next()
  }

  /// Reads what came from the program.
  ///
  /// - Parameter read: Writes what has come to the buffer, at most as much as there is room for.
  /// - Returns: The steps, one for each whole line.
  package mutating func receive(
    _ read: (UnsafeMutableRawBufferPointer) -> Int
  ) -> [Step] {
    guard input.count < Self.longestLine else { return [.ended] }
    let room = Self.longestLine - input.count
    unsafe input.append(upTo: room) { unsafe max(0, read($0)) }
    var steps: [Step] = []
    while let end = (0..<input.count).first(where: { input[$0] == UInt8(ascii: "\n") }) {
      steps.append(step(lineOf: end))
      input.removeFirst(end + 1)
    }
    return steps
  }

  private mutating func step(lineOf count: Int) -> Step {
    if startsWith("D ") {
      // The line with the passphrase; the answer that it is complete follows.
      guard passphrase == nil, let decoded = decoded(2..<count) else { return .ended }
      passphrase = decoded
      return .wait
    }
    if startsWith("OK") {
      guard current == Self.request else { return .send(next()) }
      return .passphrase(passphrase ?? Secret(""))
    }
    if startsWith("ERR") {
      // Options and settings that it does not know change nothing.
      guard current.isEmpty || current == Self.request else { return .send(next()) }
      return .ended
    }
    // Comments and states.
    return startsWith("#") || startsWith("S ") ? .wait : .ended
  }

  private mutating func next() -> String {
    current = commands.removeFirst()
    return current + "\n"
  }

  private func startsWith(_ text: StaticString) -> Bool {
    let text = Array(text.description.utf8)
    return input.count >= text.count && text.indices.allSatisfy { input[$0] == text[$0] }
  }

  /// Returns the bytes of a line without the protocol's percent signs; nil for a broken one.
  private func decoded(_ range: Range<Int>) -> Secret? {
    var output = SecretBuffer(capacity: max(range.count, 1))
    var index = range.lowerBound
    while index < range.upperBound {
      if input[index] == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, let high = Self.digit(input[index + 1]),
          let low = Self.digit(input[index + 2])
        else { return nil }
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(input[index])
        index += 1
      }
    }
    return output.secret(0..<output.count)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  /// Returns what is shown of a name: nothing that could look like another line, or turn one round.
  private static func shown(_ name: String) -> String {
    let bytes = name.utf8.filter { (0x20..<0x7F).contains($0) }
    return String(decoding: bytes.prefix(longestName), as: UTF8.self)
  }

  /// Returns a text as an argument of the protocol.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      guard byte < 0x20 || byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      bytes += Array("%\(String(hexadecimal: byte).uppercased())".utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
