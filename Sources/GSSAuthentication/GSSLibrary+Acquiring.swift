import CVaultGSS
import Glibc
import SecureMemory

/// Acquiring credentials; in each call all is the caller's or ours, lives during the call, and is
/// copied.
extension GSSLibrary {
  /// A credential, which the caller releases, and the time in seconds for which it is good.
  typealias Acquired = (handle: UnsafeMutableRawPointer?, lifetime: UInt32)

  /// Acquires the credential of the user's own tickets.
  @unsafe func acquire(
    _ mechanisms: UnsafeMutablePointer<vault_gss_oids>?
  ) throws(LoginFailure) -> Acquired {
    var minor: UInt32 = 0
    var acquired = Acquired(nil, 0)
    // As above.
    let major = unsafe functions.acquire(
      &minor, nil, vault_gss_indefinite, mechanisms, vault_gss_initiate, &acquired.handle, nil,
      &acquired.lifetime)
    try check(major, minor, of: .negotiate)
    return unsafe acquired
  }

  /// Acquires the credential of a user's password.
  @unsafe func acquire(
    _ user: String, _ password: Secret, _ mechanisms: UnsafeMutablePointer<vault_gss_oids>?,
    _ mechanism: Mechanism
  ) throws(LoginFailure) -> Acquired {
    // As many bytes as the password has, and one that stays 0: NTLM's mechanism reads on to it.
    let ended = unsafe Secret(count: password.count + 1) { memory in
      password.withRawBytes { bytes in
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
      }
    }
    // A constant; the name is released by the function.
    return try unsafe withName(user, vault_gss_user(), of: mechanism) {
      (name) throws(LoginFailure) in
      var minor: UInt32 = 0
      var acquired = Acquired(nil, 0)
      let major = ended.withRawBytes { bytes in
        // As above; the library only reads it.
        unsafe bytes.withUnsafeBytes { bytes in
          var text = unsafe vault_gss_buffer(
            length: bytes.count - 1, value: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
          return unsafe functions.acquire_by_password(
            &minor, name, &text, vault_gss_indefinite, mechanisms, vault_gss_initiate,
            &acquired.handle, nil, &acquired.lifetime)
        }
      }
      try check(major, minor, of: mechanism)
      return unsafe acquired
    }
  }

  /// Acquires the credential of a user, anybody's if it is empty, from places that the library
  /// knows by name.
  @unsafe func acquire(
    _ user: String, _ mechanisms: UnsafeMutablePointer<vault_gss_oids>?,
    from pairs: [(key: String, value: String)]
  ) throws(LoginFailure) -> Acquired {
    let acquire = { (name: UnsafeMutableRawPointer?) throws(LoginFailure) -> Acquired in
      var minor: UInt32 = 0
      var acquired = Acquired(nil, 0)
      // As above.
      let major = unsafe Self.withStore(pairs) { store in
        unsafe functions.acquire_from(
          &minor, name, vault_gss_indefinite, mechanisms, vault_gss_initiate, store,
          &acquired.handle, nil, &acquired.lifetime)
      }
      try check(major, minor, of: .negotiate)
      return unsafe acquired
    }
    guard !user.isEmpty else { return try unsafe acquire(nil) }
    // A constant; the name is released by the function.
    return try unsafe withName(user, vault_gss_user(), of: .negotiate, acquire)
  }

  /// Releases a credential, unless the process ends.
  @unsafe func release(_ credential: UnsafeMutableRawPointer?) {
    guard !Self.isEnding else { return }
    var minor: UInt32 = 0
    var credential = unsafe credential
    // The caller's, who uses it no more.
    _ = unsafe functions.release_credential(&minor, &credential)
  }

  /// Calls `body` with names and values.
  static func withStore<R>(
    _ pairs: [(key: String, value: String)],
    _ body: (UnsafeMutablePointer<vault_gss_store>) -> R
  ) -> R {
    // Texts that end with NUL; they are freed below, once.
    let texts = unsafe pairs.flatMap { unsafe [strdup($0.key), strdup($0.value)] }
    defer { unsafe texts.forEach { text in unsafe free(text) } }
    var elements = unsafe pairs.indices.map { index in
      unsafe vault_gss_pair(key: texts[2 * index], value: texts[2 * index + 1])
    }
    return unsafe elements.withUnsafeMutableBufferPointer { elements in
      var store = unsafe vault_gss_store(
        count: UInt32(elements.count), elements: elements.baseAddress)
      return unsafe body(&store)
    }
  }
}
