import CSodium

/// The library that encrypts and hashes.
package enum CryptoLibrary {
  /// The version that this process runs.
  package static var version: String {
    // A constant string of the library's.
    unsafe String(cString: sodium_version_string())
  }

  /// The version that this was compiled with.
  package static var builtVersion: String { SODIUM_VERSION_STRING }
}
