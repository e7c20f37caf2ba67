import AttackSupport
import CKillSwitch
import VaultAdministration
import SealedTree
import SecureMemory
import VaultModel
import VaultStore

/// Patterns that are looked for in this process's memory, XORed so that they are not there
/// themselves.
struct MaskedPatterns {
  static let mask: UInt8 = 0xB7
  private static let window = 12
  private let patterns: [(name: String, bytes: [UInt8])]

  /// Reads masked patterns.
  ///
  /// - Parameter text: `name:hex,name:hex…`, masked.
  init(_ text: String) {
    patterns = text.split(separator: ",").compactMap { part in
      let parts = part.split(separator: ":")
      guard parts.count == 2 else { return nil }
      let digits = Array(parts[1])
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...$0 + 1]), radix: 16)
      }
      return (String(parts[0]), bytes)
    }
  }

  /// Returns the secret of a name, unmasked straight into guarded memory.
  func secret(_ name: String) -> Secret {
    let bytes = patterns.first { $0.name == name }?.bytes ?? []
    // Both have the same count.
    return unsafe Secret(count: bytes.count) { memory in
      for index in bytes.indices { unsafe memory[index] = bytes[index] ^ Self.mask }
    }
  }

  /// Returns where any part of a pattern was found: `name=windows`, or `clean`; if that is asked
  /// for, only in memory that a core would have or that may be swapped.
  func scan(ofExposed isExposed: Bool = false) -> String {
    var found: [String] = []
    for pattern in patterns {
      // The pattern is as long as is said.
      let count = unsafe pattern.bytes.withUnsafeBufferPointer {
        unsafe kill_switch_scan_memory(
          $0.baseAddress, $0.count, Self.mask, Self.window, isExposed)
      }
      if count != 0 { found.append("\(pattern.name)=\(count)") }
    }
    return found.isEmpty ? "clean" : found.joined(separator: " ")
  }
}

/// Unlocks a vault, uses its items, closes it, and scans this process's memory at each step.
func scanMemory(_ arguments: Arguments) throws(VaultError) {
  let patterns = MaskedPatterns(arguments["patterns"])
  if arguments.number("control") == 1 {
    // A careless program's copy: the scanner has to find this.
    let text = patterns.secret("secret").text
    say("control \(patterns.scan())")
    withExtendedLifetime(text) {}
    return
  }
  say("start \(patterns.scan())")
  let source: KeySource =
    arguments.number("passphrase") == 1
    ? .passphraseFile(arguments["key"]) : .keyFile(arguments["key"])
  let vault = try Vault.open(path: arguments["vault"], key: source)
  try use(vault, patterns)
  // The scanner must find the keys as long as they are in use.
  say("unlocked \(patterns.scan())")
  try vault.lock()
  say("locked \(patterns.scan())")
  try vault.unlock(with: source)
  try use(vault, patterns)
  try vault.close()
  say("closed \(patterns.scan())")
  try scanRemembered(arguments["vault"], source, patterns)
  try scanRekeyed(arguments["vault"], source, patterns)
}

/// Gives the vault another key while it is open, and scans: its old key is of no use any more.
private func scanRekeyed(
  _ path: String, _ source: KeySource, _ patterns: MaskedPatterns
) throws(VaultError) {
  let vault = try Vault.open(path: path, key: source)
  try use(vault, patterns)
  _ = try vault.keys.changeKey(keeping: [source], cost: .minimum)
  say("rekeyed \(patterns.scan())")
  try use(vault, patterns)
  try vault.close()
}

/// Lets the kernel remember the vault's key, opens the vault with that, and scans after each.
private func scanRemembered(
  _ path: String, _ source: KeySource, _ patterns: MaskedPatterns
) throws(VaultError) {
  let vault = try Vault.open(path: path, key: source)
  do throws(VaultError) {
    try RememberedKey(vault).remember(for: RememberedTime())
  } catch {
    guard error.code == .unavailable else { throw error }
    try vault.close()
    return say("remembered denied")
  }
  try vault.close()
  say("kept \(patterns.scan())")
  let again = try Vault.open(path: path)
  try use(again, patterns)
  say("open \(patterns.scan())")
  say("exposed \(patterns.scan(ofExposed: true))")
  try RememberedKey(again).forget()
  try again.close()
  say("remembered \(patterns.scan())")
}

/// Holds a credential in a session's memory until it is removed, or the session ends, and scans
/// this process's memory at each step.
func scanPending(_ arguments: Arguments) throws(VaultError) {
  let patterns = MaskedPatterns(arguments["patterns"])
  let session = SessionStore()
  say("start \(patterns.scan())")
  try hold(patterns, in: session) { (id) throws(VaultError) in try session.removePending(id) }
  try hold(patterns, in: session) { _ in session.removeAll() }
  try hold(patterns, in: session) { _ in session.close() }
}

private func hold(
  _ patterns: MaskedPatterns, in session: SessionStore,
  end: (ItemID) throws(VaultError) -> Void
) throws(VaultError) {
  let space = try ProtectionSpace(host: "memory.example.com", protocol: .https)
  let id = try add(patterns, for: space, to: session)
  say("held \(patterns.scan())")
  try open(id, of: session) { say("opened \(patterns.scan())") }
  guard try session.credentials(of: space).count == 1 else {
    throw VaultError(.internalError, "there was nothing to use")
  }
  try end(id)
  say("ended \(patterns.scan())")
}

private func add(
  _ patterns: MaskedPatterns, for space: ProtectionSpace, to session: SessionStore
) throws(VaultError) -> ItemID {
  var item = Item(
    space: space, account: "user", secret: patterns.secret("secret"))
  item.refreshToken = patterns.secret("refresh")
  item.oneTimePasswordKey = patterns.secret("one-time")
  return try session.addPending(item, requested: .permanent).id
}

/// Runs `body` while the secrets are open: the scanner has to find them.
private func open(
  _ id: ItemID, of session: SessionStore, _ body: () -> Void
) throws(VaultError) {
  let item = try session.pending(id).item
  body()
  withExtendedLifetime(item) {}
}

/// Opens every secret, changes one, and keeps one for the session.
private func use(_ vault: Vault, _ patterns: MaskedPatterns) throws(VaultError) {
  var bits: UInt8 = 0
  for item in try vault.findAll(ItemQuery(), withSecrets: true) {
    for secret in [item.secret, item.refreshToken, item.oneTimePasswordKey] {
      secret?.withRawBytes { bytes in
        for offset in 0..<bytes.byteCount {
          // The offset is below the span's count.
          bits |= unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        }
      }
    }
  }
  let space = try ProtectionSpace(host: "memory.example.com", protocol: .https)
  let credentials = try vault.credentials(for: space)
  guard bits != 0, credentials.count == 1 else {
    throw VaultError(.internalError, "there was nothing to use")
  }
  let item = try vault.findUnique(ItemQuery(space), withSecrets: true)
  try vault.modify(item, [.secret(patterns.secret("session"))])
  try vault.modify(item, [.secret(patterns.secret("secret")), .comment("used")])
  try vault.set(
    Credential(user: "session", secret: patterns.secret("session"), persistence: .session),
    for: space)
  guard try vault.credentials(for: space).count == 2 else {
    throw VaultError(.internalError, "the session's credential is missing")
  }
}
