import VaultTerminal
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// The desktop's clipboard, through the programs that are installed for it.
struct DesktopClipboard: Clipboard {
  /// Those for the present display, the best first.
  ///
  /// One may be installed and still not work: on a display that has ended, or with a compositor
  /// that lacks its protocol.
  private let programs: [ClipboardProgram]

  /// Finds the programs for the present display.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if there is no display, or no program for it.
  init() throws(VaultError) {
    var candidates: [ClipboardProgram] = []
    if Environment.value("WAYLAND_DISPLAY") != nil { candidates.append(.wayland) }
    if Environment.value("DISPLAY") != nil { candidates += ClipboardProgram.x11 }
    candidates.append(.other)
    programs = candidates.filter { InstalledProgram.path(of: $0.name) != nil }
    guard programs.isEmpty else { return }
    guard candidates.count > 1 else {
      throw VaultError(.unavailable, "there is no display (--osc52 uses the terminal's clipboard)")
    }
    throw VaultError(
      .unavailable,
      "none of \(candidates.dropLast().map(\.name).joined(separator: ", ")) is installed")
  }

  /// Replaces the clipboard's content.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if each program fails or does not end.
  func copy(_ secret: Secret) throws(VaultError) {
    for program in programs {
      do throws(VaultError) {
        return try program.copy(secret)
      } catch {
        guard error.code == .unavailable else { throw error }
      }
    }
    throw VaultError(.unavailable, "\(programs.map(\.name).joined(separator: ", ")) failed")
  }

  func copy(_ secret: Secret, clearedAfter delay: Duration) throws(VaultError) {
    let pipe = try ChildPipe()
    defer { close(pipe.writeEnd) }
    let clearing = Result { () throws(VaultError) in
      try startClearing("desktop", after: delay, input: pipe.readEnd)
    }
    close(pipe.readEnd)
    try clearing.get()
    let digest = Secret(copying: SecretDigest(of: secret).bytes.span)
    // Less than a pipe holds, so that writing does not wait.
    try digest.withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: pipe.writeEnd)
    }
    try copy(secret)
  }

  /// Empties the clipboard if it still has what was copied, by whichever program it was.
  ///
  /// - Returns: Whether it was emptied.
  /// - Throws: ``VaultError/Code/unavailable`` if a program fails, and no other one has it.
  func clear(ifIs digest: SecretDigest) throws(VaultError) -> Bool {
    var failure: VaultError?
    for program in programs {
      do throws(VaultError) {
        if try program.clear(ifIs: digest) { return true }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return false
  }
}

/// A program that reads and writes a desktop's clipboard.
private struct ClipboardProgram {
  /// The command that writes the clipboard from its standard input.
  let copying: [String]
  /// The command that prints it.
  let pasting: [String]
  /// The command that empties it.
  let clearing: [String]

  /// The name of the program.
  var name: String { copying[0] }

  static let wayland = ClipboardProgram(
    copying: ["wl-copy"], pasting: ["wl-paste", "--no-newline"], clearing: ["wl-copy", "--clear"])
  static let x11 = [
    ClipboardProgram(
      copying: ["xclip", "-selection", "clipboard", "-in"],
      pasting: ["xclip", "-selection", "clipboard", "-out"],
      clearing: ["xclip", "-selection", "clipboard", "-in"]),
    ClipboardProgram(
      copying: ["xsel", "--clipboard", "--input"], pasting: ["xsel", "--clipboard", "--output"],
      clearing: ["xsel", "--clipboard", "--clear"]),
  ]
  static let other = ClipboardProgram(
    copying: ["pbcopy"], pasting: ["pbpaste"], clearing: ["pbcopy"])

  func copy(_ secret: Secret) throws(VaultError) {
    // Not a pipe: writing never waits for the program, and the file ends with the secret.
    let memory = try SealedMemory(secret)
    try Self.run(copying, input: .descriptor(memory.descriptor))
  }

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
///
/// - Source: xterm's "Control Sequences", OSC 52.
struct TerminalClipboard: Clipboard {
  /// Terminals take about 100 kB of base 64; xterm takes the least.
  private static let longest = 48 << 10

  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Opens the terminal, until the process ends.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` without one.
  init() throws(VaultError) {
    // A literal, which ends with NUL.
    descriptor = unsafe open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw VaultError(.unavailable, "there is no terminal") }
  }

  /// Lets the terminal copy a secret.
  ///
  /// - Throws: ``VaultError/Code/tooLarge``.
  func copy(_ secret: Secret) throws(VaultError) {
    try requireShort(secret)
    try Descriptor.write("\u{1B}]52;c;", to: descriptor)
    try Base64.encode(secret).withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: descriptor)
    }
    try Descriptor.write("\u{7}", to: descriptor)
  }

  func copy(_ secret: Secret, clearedAfter delay: Duration) throws(VaultError) {
    try requireShort(secret)
    try startClearing("terminal", after: delay, input: descriptor)
    try copy(secret)
  }

  /// Lets the terminal forget what was copied: what is neither base 64 nor a question clears it.
  func clear() throws(VaultError) {
    try Descriptor.write("\u{1B}]52;c;!\u{7}", to: descriptor)
  }

  private func requireShort(_ secret: Secret) throws(VaultError) {
    guard secret.count <= Self.longest else {
      throw VaultError(.tooLarge, "terminals take at most \(Self.longest) bytes")
    }
  }
}
