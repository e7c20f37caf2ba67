import CSodium

/// The library that seals and hashes.
package enum CryptoLibrary {
  /// What this process runs.
  package static var version: String {
    // A constant string of the library's.
    unsafe String(cString: sodium_version_string())
  }

  /// What this was compiled with.
  package static var builtVersion: String { SODIUM_VERSION_STRING }
}
