import CVaultSystem
import Glibc
import SecureMemory
import VaultModel

/// A key in the kernel's keyring of this user.
///
/// It is in kernel memory that is never swapped. Every process of the user finds it, until its
/// timeout or the end of this run of the kernel.
///
/// Source: keyrings(7), user-keyring(7), keyctl(2).
struct KernelKey {
  /// The keyrings that the kernel names by a number of the caller's own.
  enum Keyring: Int32 {
    case thread = -1
    case process = -2
    case user = -4
  }

  /// Permits everything to processes that possess the key and nothing to others, even of the same
  /// user.
  ///
  /// A process possesses the keys that its own keyrings lead to. A child with another user inherits
  /// the session's keyring, so no key is ever in that one.
  private static let possessorOnly: UInt32 = 0x3F00_0000

  let number: Int32

  // MARK: Finding

  /// Returns the key of this name; nil if there is none, or it has ended.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here.
  static func find(_ name: String) throws(VaultError) -> KernelKey? {
    let number = unsafe vault_key_search(Keyring.user.rawValue, name)
    if number > 0 { return KernelKey(number: number) }
    guard isAbsent(errno) else { throw refusal(errno) }
    return nil
  }

  /// Returns the user's keys whose names begin with a prefix.
  ///
  /// - Throws: As ``find(_:)``.
  static func all(beginning prefix: String) throws(VaultError) -> [KernelKey] {
    var found: [KernelKey] = []
    for key in try user.members() {
      guard let name = try key.name(), name.hasPrefix(prefix) else { continue }
      found.append(key)
    }
    return found
  }

  /// The user's keyring itself.
  private static let user = KernelKey(number: Keyring.user.rawValue)

  /// Returns whether a key is missing, expired or revoked, which callers treat alike.
  private static func isAbsent(_ number: Int32) -> Bool {
    [ENOKEY, EKEYEXPIRED, EKEYREVOKED].contains(number)
  }

  /// Returns the error for a call that failed for another reason.
  static func refusal(_ number: Int32) -> VaultError {
    if [EDQUOT, ENOMEM].contains(number) {
      return VaultError(
        .outOfMemory, "the kernel keeps no more keys of this user", underlying: .errno(number))
    }
    return VaultError(
      .unavailable, "the kernel's keyrings cannot be used here", underlying: .errno(number))
  }

  // MARK: Contents

  /// Adds a key, or replaces the one of the same name, in one step: nobody finds it before it has
  /// its timeout and is closed to others.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - content: The content.
  ///   - seconds: The time until the kernel ends it, at least 1.
  /// - Throws: ``VaultError/Code/outOfMemory`` if the user's quota is full;
  ///   ``VaultError/Code/unavailable`` if keyrings are denied here.
  static func add(
    _ name: String, _ content: borrowing KeyBuffer, seconds: UInt32
  ) throws(VaultError) {
    // In the thread's own keyring first, which ends with the thread if this is interrupted.
    let number = unsafe content.withUnsafeBytes { content in
      unsafe vault_key_add(name, content.baseAddress, content.count, Keyring.thread.rawValue)
    }
    try check(number)
    defer { vault_key_unlink(number, Keyring.thread.rawValue) }
    try check(vault_key_set_timeout(number, max(seconds, 1)))
    try check(vault_key_set_mode(number, possessorOnly))
    // Takes the place of a key of the same name.
    try check(vault_key_link(number, Keyring.user.rawValue))
  }

  /// Checks that a key can be added, with one that no other thread finds.
  ///
  /// - Throws: As ``add(_:_:seconds:)``, and ``find(_:)``.
  static func probe() throws(VaultError) {
    // Either of add_key and keyctl may be allowed without the other.
    _ = try find("vaultctl:")
    let number = unsafe vault_key_add("vaultctl:", [0], 1, Keyring.thread.rawValue)
    try check(number)
    try check(vault_key_unlink(number, Keyring.thread.rawValue))
  }

  /// Returns the key's content; nil if it is gone or has another length.
  ///
  /// In a login session with a keyring of its own, the user's keyring is found and not possessed:
  /// reading is refused until the process links it.
  ///
  /// - Throws: As ``find(_:)``.
  func content(count: Int) throws(VaultError) -> KeyBuffer? {
    var isPossessed = false
    while true {
      var (result, failure) = (0, Int32(0))
      // The kernel writes no more than the buffer's count.
      let content = unsafe KeyBuffer(count: count) { buffer in
        result = unsafe vault_key_read(number, buffer.baseAddress, buffer.count)
        failure = errno
      }
      if result == count { return content }
      if result >= 0 || Self.isAbsent(failure) { return nil }
      guard failure == EACCES else { throw Self.refusal(failure) }
      if isPossessed {
        guard try isReplaced() else { throw Self.refusal(failure) }
        return nil
      }
      try Self.user.possess()
      isPossessed = true
    }
  }

  /// Returns the key's name; nil if this process may not see it.
  func name() throws(VaultError) -> String? {
    var text = [CChar](repeating: 0, count: 4096)
    // The kernel writes no more than the buffer's count.
    var count = unsafe vault_key_describe(number, &text, text.count)
    if count < 0, errno == EACCES {
      try Self.user.possess()
      count = unsafe vault_key_describe(number, &text, text.count)
    }
    guard count > 0, count <= text.count else { return nil }
    let bytes = text.prefix(count - 1).map { UInt8(bitPattern: $0) }
    // type;uid;gid;mode;name
    return bytes.split(separator: UInt8(ascii: ";"), maxSplits: 4).last.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Returns the keys of a keyring.
  private func members() throws(VaultError) -> [KernelKey] {
    var numbers = [Int32](repeating: 0, count: 64)
    while true {
      // The kernel writes no more than the buffer's count.
      let count = unsafe numbers.withUnsafeMutableBytes { buffer in
        unsafe vault_key_read(number, buffer.baseAddress, buffer.count)
      }
      guard count >= 0 else { throw Self.refusal(errno) }
      let found = count / MemoryLayout<Int32>.size
      if found <= numbers.count { return numbers.prefix(found).map(KernelKey.init) }
      numbers = [Int32](repeating: 0, count: found + 64)
    }
  }

  // MARK: Ending

  /// Sets the seconds from now after which the kernel ends the key.
  func setTimeout(_ seconds: UInt32) throws(VaultError) {
    try Self.check(vault_key_set_timeout(number, max(seconds, 1)))
  }

  /// Ends the key for every process at once; the kernel wipes the content.
  ///
  /// - Returns: Whether this call ended it, which is true for one of several that try at once;
  ///   false if it was over.
  /// - Throws: ``VaultError/Code/unavailable`` if it is still there.
  @discardableResult
  func revoke() throws(VaultError) -> Bool {
    var isRevoked = vault_key_revoke(number) == 0
    if !isRevoked, errno == EACCES {
      try Self.user.possess()
      isRevoked = vault_key_revoke(number) == 0
    }
    let failure = errno
    if !isRevoked, !Self.isAbsent(failure) {
      guard failure == EACCES, try isReplaced() else { throw Self.refusal(failure) }
      return false
    }
    // Two that revoke at once may both succeed: the kernel looks whether the key is revoked before
    // it takes the key's lock. It unlinks under the keyring's lock, so only one does that. Besides,
    // a revoked key that stayed linked would count against the quota.
    return vault_key_unlink(number, Keyring.user.rawValue) == 0
  }

  /// Returns whether another key has replaced it since it was found.
  ///
  /// It can then no longer be found, but the thread that added it, which alone possesses it, may
  /// hold it a moment longer.
  private func isReplaced() throws(VaultError) -> Bool {
    try !Self.user.members().contains { $0.number == number }
  }

  /// Links a keyring to this process's own, by which the process possesses its keys.
  ///
  /// No other program does: a process's keyring ends with it, and at `execve`.
  private func possess() throws(VaultError) {
    try Self.check(vault_key_link(number, Keyring.process.rawValue))
  }

  private static func check(_ result: Int32) throws(VaultError) {
    guard result < 0 else { return }
    throw refusal(errno)
  }
}
