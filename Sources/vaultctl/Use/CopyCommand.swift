import ChildPrograms
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl copy`: puts a secret into the clipboard, and clears it later.
enum CopyCommand {
  static let command = Command(
    id: .copy, operands: .reference, summary: "copy a secret to the clipboard for 45 seconds",
    details: [
      "wl-copy on Wayland, xclip or xsel on X11, or pbcopy gets the secret on its standard input."
        + " Afterwards a process in the background, which has only a hash of the secret, clears the"
        + " clipboard if nothing else was copied meanwhile. A clipboard manager may keep what was"
        + " copied.",
      "--osc52 lets the terminal copy it, also through ssh. That cannot be cleared: a terminal does"
        + " not tell whether it is still there.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "The clipboard",
        options: [
          Option(
            .field, nil, .words("FIELD", SecretReference.fields), "copy this (default: password)"),
          Option(.clear, nil, .text("SECS"), "clear it after so long (default 45; 0 never)"),
          Option(.osc52, nil, .none, "use the terminal's clipboard"),
          Option(
            .clearLater, nil, .none,
            "what copy starts by itself: clear it later if it is what a hash on standard input says"
          ),
        ]), .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let delay = try arguments.parsed(.clear, as: Values.seconds)
    if arguments.has(.clearLater) { return try clearLater(after: delay ?? .seconds(45)) }
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    let usesTerminal = arguments.has(.osc52)
    guard !usesTerminal || delay == nil else {
      throw VaultError(.invalidArgument, "--osc52 cannot be cleared, so --clear means nothing")
    }
    let field = arguments.text(.field) ?? Attribute.secret.json
    let reference = try SecretReference("", field: field)
    let clipboard = usesTerminal ? nil : try Clipboard.find()
    let vaults = try invocation.prompting(for: selection).openList()
    let item = try vaults.first { (vault) throws(VaultError) in
      try selection.itemWithSecret(in: vault)
    }.item
    let secret = try reference.value(of: item)
    guard let clipboard else {
      try TerminalClipboard.copy(secret)
      try report(item, field, nil, invocation)
      return .success
    }
    let wait = delay ?? .seconds(45)
    if wait > .zero {
      try clipboard.copy(secret, clearedAfter: wait)
    } else {
      try clipboard.copy(secret)
    }
    try report(item, field, wait > .zero ? wait : nil, invocation)
    return .success
  }

  private static func report(
    _ item: InternetPassword, _ field: String, _ delay: Duration?, _ invocation: Invocation
  ) throws(VaultError) {
    let seconds = delay.map { max(1, $0.components.seconds) }
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("field", field)
      if let seconds { try json.field("clears_after", seconds) }
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      let end = seconds.map { ", for \($0) s" } ?? ""
      try invocation.output.line("copied the \(field) of \(ItemText.subject(item))\(end)")
      if delay == nil { try invocation.hint("it stays there: clear the clipboard yourself") }
    }
  }

  private static func clearLater(after delay: Duration) throws(VaultError) -> ExitCode {
    // It survives the end of the terminal and its processes, and keeps no folder in use.
    setsid()
    signal(SIGHUP, SIG_IGN)
    // A literal, which ends with NUL.
    _ = unsafe chdir("/")
    // The input ends when the secret has been copied, or the process that copies it has ended.
    let input = try SecretInput.readAll(from: STDIN_FILENO, limit: SecretDigest.count)
    // The bytes are a hash, and no secret.
    guard let digest = SecretDigest(input.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    else {
      throw VaultError(.invalidData, "standard input is not a hash that copy wrote")
    }
    let clipboard = try Clipboard.find()
    let seconds = UInt32(clamping: delay.components.seconds)
    var left = sleep(seconds)
    while left > 0 { left = sleep(left) }
    // A program that hangs must not keep this one alive.
    alarm(600)
    try clear(clipboard, ifIs: digest)
    return .success
  }

  /// Clears the clipboard, and tries again if its program fails: otherwise a moment of load would
  /// leave the secret there.
  private static func clear(
    _ clipboard: Clipboard, ifIs digest: SecretDigest
  ) throws(VaultError) {
    var attemptsLeft = 5
    while true {
      do throws(VaultError) {
        _ = try clipboard.clear(ifIs: digest)
        return
      } catch {
        attemptsLeft -= 1
        guard attemptsLeft > 0 else { throw error }
        sleep(1)
      }
    }
  }
}

extension Clipboard {
  /// Replaces the clipboard's content, and starts this program again to clear it later.
  ///
  /// It is a new program, because a forked one would have a copy of the secret. It is started
  /// first: if that fails, nothing is copied.
  fileprivate func copy(_ secret: Secret, clearedAfter delay: Duration) throws(VaultError) {
    let pipe = try ChildPipe()
    defer { close(pipe.writeEnd) }
    let seconds = max(1, delay.components.seconds)
    let clearing = Result { () throws(VaultError) in
      try ChildProcess(
        ["vaultctl", "copy", "--clear-later", "--clear", "\(seconds)"], at: "/proc/self/exe",
        input: .descriptor(pipe.readEnd))
    }
    close(pipe.readEnd)
    _ = try clearing.get()
    let digest = Secret(copying: SecretDigest(of: secret).bytes.span)
    // Less than a pipe holds, so that writing does not wait.
    try digest.withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: pipe.writeEnd)
    }
    try copy(secret)
  }
}
