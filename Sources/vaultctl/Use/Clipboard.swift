import ChildPrograms
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// The desktop's clipboard, through the program that is installed for it.
struct Clipboard {
  /// The program that writes the clipboard from its standard input.
  private let copying: [String]
  /// The program that prints it.
  private let pasting: [String]
  /// The program that empties it.
  private let clearing: [String]

  /// The name of the program.
  var name: String { copying[0] }

  private static let wayland = Clipboard(
    copying: ["wl-copy"], pasting: ["wl-paste", "--no-newline"], clearing: ["wl-copy", "--clear"])
  private static let x11 = [
    Clipboard(
      copying: ["xclip", "-selection", "clipboard", "-in"],
      pasting: ["xclip", "-selection", "clipboard", "-out"],
      clearing: ["xclip", "-selection", "clipboard", "-in"]),
    Clipboard(
      copying: ["xsel", "--clipboard", "--input"], pasting: ["xsel", "--clipboard", "--output"],
      clearing: ["xsel", "--clipboard", "--clear"]),
  ]
  private static let other = Clipboard(
    copying: ["pbcopy"], pasting: ["pbpaste"], clearing: ["pbcopy"])

  /// Finds the program for the present display.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if there is no display, or no program for it.
  static func find() throws(VaultError) -> Clipboard {
    var candidates: [Clipboard] = []
    if Environment.value("WAYLAND_DISPLAY") != nil { candidates.append(wayland) }
    if Environment.value("DISPLAY") != nil { candidates += x11 }
    candidates.append(other)
    if let found = candidates.first(where: { InstalledProgram.path(of: $0.name) != nil }) {
      return found
    }
    guard candidates.count > 1 else {
      throw VaultError(.unavailable, "there is no display (--osc52 uses the terminal's clipboard)")
    }
    throw VaultError(
      .unavailable,
      "none of \(candidates.dropLast().map(\.name).joined(separator: ", ")) is installed")
  }

  /// Replaces the clipboard's content.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if its program fails or does not end.
  func copy(_ secret: Secret) throws(VaultError) {
    // Not a pipe: writing never waits for the program, and the file ends with the secret.
    let memory = try SealedMemory(secret)
    try Self.run(copying, input: .descriptor(memory.descriptor))
  }

  /// Empties the clipboard if it still has what was copied.
  ///
  /// - Returns: Whether it was emptied.
  func clear(ifIs digest: SecretDigest) throws(VaultError) -> Bool {
    let (status, content) = try ChildProcess.run(pasting)
    guard status == 0 else { throw Self.failure(of: pasting) }
    guard digest.isOf(content) else { return false }
    try Self.run(clearing)
    return true
  }

  private static func run(
    _ words: [String], input: ChildProcess.Stream = .none
  ) throws(VaultError) {
    guard try ChildProcess(words, input: input).end(within: .seconds(10)) == 0 else {
      throw failure(of: words)
    }
  }

  private static func failure(of words: [String]) -> VaultError {
    VaultError(.unavailable, "\(words[0]) failed")
  }
}

/// The clipboard of the terminal, which may be on another machine.
enum TerminalClipboard {
  /// Terminals take about 100 kB of base 64; xterm takes the least.
  private static let longest = 48 << 10

  /// Lets the terminal copy a secret.
  ///
  /// - Throws: ``VaultError/Code/tooLarge``; ``VaultError/Code/unavailable`` without a terminal.
  /// - Source: xterm's "Control Sequences", OSC 52.
  static func copy(_ secret: Secret) throws(VaultError) {
    guard secret.count <= longest else {
      throw VaultError(.tooLarge, "terminals take at most \(longest) bytes")
    }
    // A literal, which ends with NUL.
    let terminal = unsafe open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw VaultError(.unavailable, "there is no terminal") }
    defer { close(terminal) }
    try Descriptor.write("\u{1B}]52;c;", to: terminal)
    try SecretText.base64(secret).withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: terminal)
    }
    try Descriptor.write("\u{7}", to: terminal)
  }
}
