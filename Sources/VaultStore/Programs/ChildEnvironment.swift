import CVaultSystem
import Glibc
package import SecureMemory
package import VaultModel

/// The variables of a program that this one starts or becomes.
///
/// The vault's own variables are left out: they name it and may hold its passphrase.
package struct ChildEnvironment {
  private var removed: Set<String> = ["CREDENTIALS_DIRECTORY"]
  private let isClean: Bool
  /// `NAME=value` with its NUL, one each.
  private var entries: [Secret] = []

  /// The longest entry of the kernel, MAX_ARG_STRLEN, with its NUL.
  private static let longestEntry = 131_072

  /// The variables that stay in a clean environment, beside those of the locale.
  private static let kept: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "TMPDIR", "LANG",
  ]

  /// Takes over the environment of this process.
  ///
  /// - Parameter isClean: Keeps only PATH, HOME and the like.
  package init(isClean: Bool = false) {
    self.isClean = isClean
  }

  /// Sets a variable.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for a NUL, which would end the value;
  ///   ``VaultError/Code/tooLarge`` if the kernel does not take it.
  package mutating func set(_ name: String, _ value: Secret) throws(VaultError) {
    let start = Array("\(name)=".utf8)
    let count = start.count + value.count
    guard count < Self.longestEntry else {
      throw VaultError(.tooLarge, "the secret is too long for a variable; a file has no limit")
    }
    let hasNUL = value.withRawBytes { bytes in
      // The buffer is valid inside the closure.
      unsafe bytes.withUnsafeBytes { unsafe $0.contains(0) }
    }
    guard !hasNUL else {
      throw VaultError(.invalidData, "the secret has a NUL, which no variable can hold")
    }
    removed.insert(name)
    entries.append(
      value.withRawBytes { bytes in
        // The new memory has zeros, and room for name, value and one of them.
        unsafe Secret(count: count + 1) { memory in
          unsafe memory.copyBytes(from: start)
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start.count...])
          unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
        }
      })
  }

  /// Calls `body` with the environment as C has it, which is only valid until it returns.
  package func withPointers<R>(
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    var pointers = unsafe inherited()
    return unsafe Self.append(entries[...], to: &pointers, body)
  }

  /// Adds the entries one by one, so that the memory of each is borrowed while `body` runs.
  private static func append<R>(
    _ entries: ArraySlice<Secret>, to pointers: inout [UnsafeMutablePointer<CChar>?],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    guard let entry = entries.first else {
      unsafe pointers.append(nil)
      // The array is not changed while `body` runs.
      return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
        // Never empty: it has the nil at its end.
        guard let start = buffer.baseAddress else { preconditionFailure("no end") }
        return unsafe body(start)
      }
    }
    return entry.withRawBytes { bytes in
      // Nobody writes through the pointer: the calls that take it only copy.
      unsafe bytes.withUnsafeBytes { buffer in
        let start = unsafe UnsafeMutableRawPointer(mutating: buffer.baseAddress)
        unsafe pointers.append(start?.assumingMemoryBound(to: CChar.self))
        return unsafe append(entries.dropFirst(), to: &pointers, body)
      }
    }
  }

  /// Returns the entries of this process's environment that stay; nobody changes them.
  private func inherited() -> [UnsafeMutablePointer<CChar>?] {
    var kept: [UnsafeMutablePointer<CChar>?] = unsafe []
    // An array that ends with nil, or nil.
    guard var next = unsafe vaultctl_environment() else { return unsafe kept }
    while let entry = unsafe next.pointee {
      // As above: each is a string that ends with NUL. An entry without "=" is nobody's.
      let name = unsafe String(cString: entry).prefix { $0 != "=" }
      if isKept(String(name)) { unsafe kept.append(entry) }
      unsafe next += 1
    }
    return unsafe kept
  }

  private func isKept(_ name: String) -> Bool {
    guard !name.hasPrefix("VAULTCTL_"), !removed.contains(name) else { return false }
    return !isClean || Self.kept.contains(name) || name.hasPrefix("LC_")
  }
}
