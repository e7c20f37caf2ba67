import CVaultSystem
import Glibc
import VaultModel

/// The keyring with this project's keys of this user.
///
/// A program that a user starts as somebody else, as with `sudo`, inherits the keyring of the
/// session, and possesses every key that it leads to: that of a login leads to the user's keyring
/// (pam_keyinit(8)). So the way to a key goes through this keyring, which the kernel lets the user
/// alone search, and the keys in it are for those who came that way.
///
/// It is in the user's persistent keyring, to which no session leads, and which another user
/// namespace does not have.
///
/// Source: keyrings(7), persistent-keyring(7), keyctl(2).
struct KernelKeyring {
  /// The keyrings that the kernel names by a number of the caller's own.
  enum Special: Int32 {
    case thread = -1
    case process = -2
    case user = -4
  }

  private static let name = "vaultctl"

  /// Permits the user to search and to write.
  ///
  /// Not to link by its number, with which a process could possess the keys from elsewhere; who
  /// possesses the keyring may do that.
  private static let userSearches: UInt32 = 0x100C_0000

  let number: Int32

  /// Returns the keyring, whose keys this thread possesses from now on; nil if nothing was kept.
  ///
  /// A thread started later possesses them, too, but not one that runs, and no other program: the
  /// process's keyring ends at `execve`.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if keyrings are denied here.
  static func open() throws(VaultError) -> KernelKeyring? { try open(in: parent()) }

  private static func open(in parent: Int32) throws(VaultError) -> KernelKeyring? {
    let number = unsafe vault_key_search(parent, "keyring", name)
    if number > 0 { return KernelKeyring(number: number) }
    guard KernelKey.isAbsent(errno) else { throw KernelKey.refusal(errno) }
    return nil
  }

  /// Returns the keyring as ``open()`` does, and makes it if there is none.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory`` if the user's quota is full; and as ``open()``.
  static func make() throws(VaultError) -> KernelKeyring { try make(in: parent()) }

  static func make(in parent: Int32) throws(VaultError) -> KernelKeyring {
    if let known = try open(in: parent) { return known }
    // In the thread's keyring first, so that nobody finds it before it is closed to others.
    let number = unsafe vault_key_add("keyring", name, nil, 0, Special.thread.rawValue)
    try KernelKey.check(number)
    defer { vault_key_unlink(number, Special.thread.rawValue) }
    try KernelKey.check(vault_key_set_mode(number, userSearches))
    guard vault_key_move_new(number, Special.thread.rawValue, parent) < 0 else {
      return KernelKeyring(number: number)
    }
    if errno == EEXIST, let first = try open(in: parent) { return first }
    // The name is that of one that has ended, or the kernel is older than Linux 5.3.
    try KernelKey.check(vault_key_link(number, parent))
    return KernelKeyring(number: number)
  }

  /// Returns the keyring that has this one, and links it to the process's.
  private static func parent() throws(VaultError) -> Int32 {
    let number = vault_key_persistent(Special.process.rawValue)
    if number > 0 { return number }
    // A kernel without persistent keyrings: other users are kept out all the same.
    guard errno == EOPNOTSUPP else { throw KernelKey.refusal(errno) }
    try KernelKey.check(vault_key_link(Special.user.rawValue, Special.process.rawValue))
    return Special.user.rawValue
  }

  /// Returns the keys in it.
  ///
  /// - Throws: As ``open()``.
  static func keys() throws(VaultError) -> [KernelKey] {
    guard let keyring = try open() else { return [] }
    var numbers = [Int32](repeating: 0, count: 64)
    while true {
      // The kernel writes no more than the buffer's count.
      let count = unsafe numbers.withUnsafeMutableBytes { buffer in
        unsafe vault_key_read(keyring.number, buffer.baseAddress, buffer.count)
      }
      guard count >= 0 else { throw KernelKey.refusal(errno) }
      let found = count / MemoryLayout<Int32>.size
      if found <= numbers.count { return numbers.prefix(found).map(KernelKey.init) }
      numbers = [Int32](repeating: 0, count: found + 64)
    }
  }
}
