import CVaultSystem
import Glibc
import SecureMemory
import VaultModel

/// A key that the kernel keeps for this user, in ``KernelKeyring``.
///
/// It is in kernel memory that is never swapped. Every process of the user finds it, until its
/// timeout or the end of this run of the kernel.
///
/// Source: keyrings(7), keyctl(2).
struct KernelKey: Equatable {
  /// Permits everything to processes that possess the key, by ``KernelKeyring``, and nothing to
  /// others, even of the same user.
  private static let possessorOnly: UInt32 = 0x3F00_0000

  private static let thread = KernelKeyring.Special.thread.rawValue

  let number: Int32

  // MARK: Finding

  /// Returns the key of this name; nil if there is none, or it has ended.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here.
  static func find(_ name: String) throws(VaultError) -> KernelKey? {
    guard let keyring = try KernelKeyring.open() else { return nil }
    let number = unsafe vault_key_search(keyring.number, "user", name)
    if number > 0 { return KernelKey(number: number) }
    guard isAbsent(errno) else { throw refusal(errno) }
    return nil
  }

  /// Returns the user's keys whose names begin with a prefix.
  ///
  /// - Throws: As ``find(_:)``.
  static func all(beginning prefix: String) throws(VaultError) -> [KernelKey] {
    var found: [KernelKey] = []
    for key in try KernelKeyring.keys() {
      guard let name = try key.name(), name.hasPrefix(prefix) else { continue }
      found.append(key)
    }
    return found
  }

  /// Returns whether a key is missing, expired or revoked, which callers treat alike.
  static func isAbsent(_ number: Int32) -> Bool {
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
  ///   - replaces: Whether it takes the place of a key of the same name.
  /// - Returns: The key; nil if there is one of this name that it does not replace.
  /// - Throws: ``VaultError/Code/outOfMemory`` if the user's quota is full;
  ///   ``VaultError/Code/unavailable`` if keyrings are denied here, or the kernel is older than
  ///   Linux 5.3 and it does not replace.
  @discardableResult
  static func add(
    _ name: String, _ content: borrowing KeyBuffer, seconds: UInt32, replaces: Bool = true
  ) throws(VaultError) -> KernelKey? {
    let keyring = try KernelKeyring.make()
    // In the thread's own keyring first, which ends with the thread if this is interrupted.
    let number = unsafe content.withUnsafeBytes { content in
      unsafe vault_key_add("user", name, content.baseAddress, content.count, thread)
    }
    try check(number)
    defer { vault_key_unlink(number, thread) }
    try check(vault_key_set_timeout(number, timeout(seconds)))
    try check(vault_key_set_mode(number, possessorOnly))
    if replaces {
      try check(vault_key_link(number, keyring.number))
    } else if vault_key_move_new(number, thread, keyring.number) < 0 {
      guard errno == EEXIST else { throw refusal(errno) }
      return nil
    }
    return KernelKey(number: number)
  }

  /// Checks that a key can be added, with one that no other thread finds.
  ///
  /// - Throws: As ``add(_:_:seconds:)``, and ``find(_:)``.
  static func probe() throws(VaultError) {
    // Either of add_key and keyctl may be allowed without the other.
    _ = try find("vaultctl:")
    let number = unsafe vault_key_add("user", "vaultctl:", [0], 1, thread)
    try check(number)
    try check(vault_key_unlink(number, thread))
  }

  /// Returns the key's content; nil if it is gone or has another length.
  ///
  /// - Throws: As ``find(_:)``.
  func content(count: Int) throws(VaultError) -> KeyBuffer? {
    var result: Int?
    // The kernel writes no more than the buffer's count.
    let content = try unsafe KeyBuffer(count: count) { (buffer) throws(VaultError) in
      result = try asPossessor { unsafe vault_key_read(number, buffer.baseAddress, count) }
    }
    guard result == count else { return nil }
    return content
  }

  /// Returns the key's name; nil if this process may not see it.
  func name() throws(VaultError) -> String? {
    var text = [CChar](repeating: 0, count: 4096)
    // The kernel writes no more than the buffer's count.
    var count = unsafe vault_key_describe(number, &text, text.count)
    if count < 0, errno == EACCES {
      _ = try KernelKeyring.open()
      count = unsafe vault_key_describe(number, &text, text.count)
    }
    guard count > 0, count <= text.count else { return nil }
    let bytes = text.prefix(count - 1).map { UInt8(bitPattern: $0) }
    // type;uid;gid;mode;name
    return bytes.split(separator: UInt8(ascii: ";"), maxSplits: 4).last.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  // MARK: Ending

  /// Sets the seconds from now after which the kernel ends the key.
  ///
  /// - Returns: False if it is gone.
  /// - Throws: As ``find(_:)``.
  func setTimeout(_ seconds: UInt32) throws(VaultError) -> Bool {
    try asPossessor { Int(vault_key_set_timeout(number, Self.timeout(seconds))) } != nil
  }

  /// Returns the timeout with which a key lives for at least that many seconds.
  ///
  /// The kernel counts whole seconds of the wall clock: a key with a timeout of 1 may end at once.
  private static func timeout(_ seconds: UInt32) -> UInt32 { min(max(seconds, 1), .max - 1) + 1 }

  /// Ends the key for every process at once; the kernel wipes the content.
  ///
  /// Not by unlinking: that removes whatever key has this one's name by then.
  ///
  /// - Returns: Whether it was there.
  /// - Throws: ``VaultError/Code/unavailable`` if it is still there.
  @discardableResult
  func end() throws(VaultError) -> Bool {
    try asPossessor { Int(vault_key_invalidate(number)) } != nil
  }

  /// Ends the key for the one of several callers that gets it.
  ///
  /// Of two calls that end a key at once, both may succeed: the kernel looks whether it is there
  /// before it takes the key's lock. So only who adds a key with this one's number ends it. If that
  /// process is killed before it does, nobody gets the key, which has its own end.
  ///
  /// - Returns: Whether this call ended it.
  /// - Throws: As ``end()`` and ``add(_:_:seconds:replaces:)``.
  func take() throws(VaultError) -> Bool {
    let name = "vaultctl:taken:\(number)"
    guard let claim = try Self.add(name, KeyBuffer(random: 1), seconds: 1, replaces: false) else {
      return false
    }
    let isEnded = try end()
    try claim.end()
    return isEnded
  }

  // MARK: Possessing

  /// Makes a call that the kernel allows only to who possesses the key.
  ///
  /// A thread that has not looked for a key does not, and the call is refused until it has.
  ///
  /// - Returns: The result of the call; nil if the key is gone.
  /// - Throws: As ``find(_:)``, if it fails otherwise.
  private func asPossessor(_ call: () -> Int) throws(VaultError) -> Int? {
    var isPossessed = false
    while true {
      let result = call()
      if result >= 0 { return result }
      let failure = errno
      if Self.isAbsent(failure) { return nil }
      guard failure == EACCES else { throw Self.refusal(failure) }
      if isPossessed {
        guard try isReplaced() else { throw Self.refusal(failure) }
        return nil
      }
      _ = try KernelKeyring.open()
      isPossessed = true
    }
  }

  /// Returns whether another key has replaced it since it was found.
  ///
  /// It can then no longer be found, but the thread that added it, which alone possesses it, may
  /// hold it a moment longer.
  private func isReplaced() throws(VaultError) -> Bool {
    try !KernelKeyring.keys().contains(self)
  }

  static func check(_ result: Int32) throws(VaultError) {
    guard result < 0 else { return }
    throw refusal(errno)
  }
}
