import CVaultGSS
import Glibc
import SecureMemory
import VaultModel

/// A credential of GSSAPI, which several logins may use at once.
// Proof: the pointer is set once and released once; the library locks what it points to.
@safe package final class LoginCredential: @unchecked Sendable {
  package let mechanism: Mechanism
  /// The time in seconds for which it is good, when it was acquired.
  package let lifetime: UInt32
  let library: GSSLibrary
  let handle: UnsafeMutableRawPointer?
  private let keytab: KeytabFile?

  /// Acquires a credential; blocks while a KDC is asked.
  ///
  /// - Throws: The problem, one of which is that the package for the mechanism is missing.
  package init(_ source: LoginSource, for mechanism: Mechanism) throws(LoginFailure) {
    let library = try GSSLibrary.shared()
    let keytab: KeytabFile? =
      if case .keytab(_, let content) = source { try KeytabFile(content) } else { nil }
    var minor: UInt32 = 0
    var handle: UnsafeMutableRawPointer?
    var lifetime: UInt32 = 0
    let functions = library.functions
    // In each call all is ours, lives during the call, and is copied.
    switch source {
    case .tickets:
      let major = unsafe functions.acquire(
        &minor, nil, vault_gss_indefinite, mechanism.set, vault_gss_initiate, &handle, nil,
        &lifetime)
      try library.check(major, minor, of: mechanism)
    case .password(let user, let password):
      try unsafe library.withName(user, vault_gss_user(), of: mechanism) {
        (name) throws(LoginFailure) in
        let major = unsafe Self.withText(of: password) { text in
          unsafe functions.acquire_by_password(
            &minor, name, text, vault_gss_indefinite, mechanism.set, vault_gss_initiate, &handle,
            nil, &lifetime)
        }
        try library.check(major, minor, of: mechanism)
      }
    case .keytab(let user, _):
      try unsafe library.withName(user, of: mechanism) { (name) throws(LoginFailure) in
        let major = unsafe keytab?.withStore { store in
          unsafe functions.acquire_from(
            &minor, name, vault_gss_indefinite, mechanism.set, vault_gss_initiate, store, &handle,
            nil, &lifetime)
        }
        try library.check(major ?? vault_gss_errors, minor, of: mechanism)
      }
    }
    self.library = library
    self.mechanism = mechanism
    self.lifetime = lifetime
    self.keytab = keytab
    unsafe self.handle = handle
    // Without it SPNEGO offers NTLM too, where its package is installed.
    guard mechanism == .negotiate else { return }
    let major = unsafe functions.limit_mechanisms(&minor, handle, vault_gss_only_kerberos())
    try library.check(major, minor, of: mechanism)
  }

  /// The user whose credential it is; empty if that is not known.
  package var principal: String {
    var minor: UInt32 = 0
    var name: UnsafeMutableRawPointer?
    var text = unsafe vault_gss_buffer()
    let functions = library.functions
    // All are ours; name and text are released once.
    guard unsafe functions.inquire_credential(&minor, handle, &name, nil, nil, nil) == 0,
      unsafe functions.display_name(&minor, name, &text, nil) == 0
    else { return "" }
    defer {
      _ = unsafe functions.release_buffer(&minor, &text)
      _ = unsafe functions.release_name(&minor, &name)
    }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: text.value, count: text.length), as: UTF8.self)
  }

  /// Calls `body` with a password, behind which is a NUL: the mechanism of NTLM reads on to one.
  private static func withText<R>(
    of password: Secret, _ body: (UnsafeMutablePointer<vault_gss_buffer>) -> R
  ) -> R {
    // As many bytes as the password has, and one that stays 0.
    let ended = unsafe Secret(count: password.count + 1) { memory in
      password.withRawBytes { bytes in
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
      }
    }
    return ended.withRawBytes { bytes in
      // The library only reads it.
      unsafe bytes.withUnsafeBytes { bytes in
        var text = unsafe vault_gss_buffer(
          length: bytes.count - 1, value: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe body(&text)
      }
    }
  }

  deinit {
    var minor: UInt32 = 0
    var handle = unsafe handle
    // Acquired above, and used by nobody any more.
    _ = unsafe library.functions.release_credential(&minor, &handle)
  }
}

extension GSSLibrary {
  /// Calls `body` with a user's name; with nil for an empty one.
  fileprivate func withName(
    _ user: String, of mechanism: Mechanism,
    _ body: (UnsafeMutableRawPointer?) throws(LoginFailure) -> Void
  ) throws(LoginFailure) {
    guard !user.isEmpty else { return try body(nil) }
    // A constant.
    try unsafe withName(user, vault_gss_user(), of: mechanism, body)
  }
}

/// A keytab as a file in memory, which only this process can open.
final class KeytabFile: Sendable {
  private let descriptor: Int32
  private let count: Int

  /// - Throws: ``LoginProblem/failed`` for what is no keytab, and without descriptors.
  init(_ content: Secret) throws(LoginFailure) {
    // MIT's keytab of version 2.
    guard content.withBytes({ $0.count > 2 && $0[0] == 5 && $0[1] == 2 }) else {
      throw LoginFailure(.failed, "the secret is not a keytab")
    }
    descriptor = vault_gss_memory_file()
    count = content.count
    guard descriptor >= 0 else { throw LoginFailure(.failed, "no descriptor for a keytab") }
    let written = content.withRawBytes { bytes in
      // The secret's own bytes.
      unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
    guard written == count else { throw LoginFailure(.failed, "no memory for a keytab") }
  }

  deinit {
    let zeros = [UInt8](repeating: 0, count: count)
    // As many bytes as the file has; nothing can be done if it fails.
    _ = unsafe pwrite(descriptor, zeros, zeros.count, 0)
    close(descriptor)
  }

  /// Calls `body` with the names of the keytab and of a new cache in memory.
  func withStore<R>(_ body: (UnsafeMutablePointer<vault_gss_store>) -> R) -> R {
    // Another cache than that of any other keytab.
    let cache = "vault-\(UInt64.random(in: 0...UInt64.max))"
    // Texts that end with NUL, and live during the call.
    return unsafe "FILE:/proc/self/fd/\(descriptor)".withCString { keytab in
      unsafe "MEMORY:\(cache)".withCString { cache in
        unsafe "client_keytab".withCString { keytabKey in
          unsafe "ccache".withCString { cacheKey in
            var pairs = unsafe [
              vault_gss_pair(key: keytabKey, value: keytab),
              vault_gss_pair(key: cacheKey, value: cache),
            ]
            return unsafe pairs.withUnsafeMutableBufferPointer { pairs in
              var store = unsafe vault_gss_store(count: 2, elements: pairs.baseAddress)
              return unsafe body(&store)
            }
          }
        }
      }
    }
  }
}
