import Glibc
import SecureMemory
package import VaultModel

/// Whether the kernel keeps keys for this user, and how much of the quota is left.
package enum KeyringState: Sendable {
  /// The keys can be kept; the quota is nil if proc(5) does not report it.
  case works(Quota?)
  /// The reason why a key cannot be kept.
  case refused(VaultError)

  /// The user's keys and their quota.
  package struct Quota: Equatable, Sendable {
    package let keys, mostKeys, bytes, mostBytes: Int
  }

  /// Returns the present state, by adding and removing a key that only this thread can find.
  package static func current() -> KeyringState {
    guard BootMark.current() != nil else { return .refused(BootMark.unknown) }
    do throws(VaultError) {
      try KernelKey.probe()
    } catch {
      return .refused(error)
    }
    return .works(Quota.current())
  }
}

extension KeyringState.Quota {
  fileprivate static func current() -> Self? {
    // One read(2) returns a page at most, which may not have all users of a large machine.
    guard let file = unsafe fopen("/proc/key-users", "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    // The buffer has as many bytes as are read at most.
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return Self(String(decoding: bytes.prefix(count), as: UTF8.self), user: geteuid())
  }

  /// Reads a user's line of `/proc/key-users`; nil if there is none.
  ///
  /// `UID: USAGE KEYS/INSTANTIATED KEYS/MOST BYTES/MOST`. Source: keyrings(7).
  init?(_ text: String, user: UInt32) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 5, words[0] == "\(user):" else { continue }
      let numbers = words[3...].flatMap { $0.split(separator: "/") }.compactMap { Int($0) }
      guard numbers.count == 4 else { return nil }
      self.init(
        keys: numbers[0], mostKeys: numbers[1], bytes: numbers[2], mostBytes: numbers[3])
      return
    }
    return nil
  }
}
