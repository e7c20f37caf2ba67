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
  /// The tickets of a password or keytab; nil for others.
  private let cache: TicketCache?
  private let keytab: KeytabFile?

  /// Acquires a credential; blocks while a KDC is asked.
  ///
  /// - Throws: The problem, one of which is that the package for the mechanism is missing.
  package init(_ source: LoginSource, for mechanism: Mechanism) throws(LoginFailure) {
    let library = try GSSLibrary.shared()
    var cache: TicketCache?
    var keytab: KeytabFile?
    var acquired: (handle: UnsafeMutableRawPointer?, lifetime: UInt32)
    switch (source, mechanism) {
    case (.password(let user, let password), .ntlm):
      unsafe acquired = try library.acquire(user, password, unsafe vault_gss_only_ntlm(), mechanism)
    case (_, .ntlm): throw LoginFailure(.failed, "NTLM needs a password")
    case (.tickets, .negotiate):
      // Its error says what SPNEGO's leaves open, above all where NTLM is installed too.
      unsafe library.release(try library.acquire(unsafe vault_gss_only_kerberos()).handle)
      unsafe acquired = try library.acquire(unsafe vault_gss_only_spnego())
    case (.password(let user, let password), .negotiate):
      let tickets = TicketCache(library)
      let kerberos = try unsafe library.acquire(
        user, password, vault_gss_only_kerberos(), mechanism
      ).handle
      defer { unsafe library.release(kerberos) }
      try unsafe tickets.take(kerberos)
      unsafe acquired = try library.acquire("", vault_gss_only_spnego(), from: tickets.pairs)
      cache = tickets
    case (.keytab(let user, let content), .negotiate):
      let tickets = TicketCache(library)
      let file = try KeytabFile(content)
      let pairs = tickets.pairs + [("client_keytab", file.name)]
      unsafe library.release(
        try library.acquire(user, vault_gss_only_kerberos(), from: pairs).handle)
      unsafe acquired = try library.acquire(user, vault_gss_only_spnego(), from: pairs)
      (cache, keytab) = (tickets, file)
    }
    self.library = library
    self.mechanism = mechanism
    self.cache = cache
    self.keytab = keytab
    lifetime = unsafe acquired.lifetime
    unsafe handle = acquired.handle
    // Without it SPNEGO offers NTLM too, where its package is installed.
    guard mechanism == .negotiate else { return }
    var minor: UInt32 = 0
    // The handle of this object; the set is a constant.
    let major = unsafe library.functions.limit_mechanisms(
      &minor, handle, vault_gss_only_kerberos())
    try library.check(major, minor, of: mechanism)
  }

  deinit {
    // Acquired above, and used by nobody any more.
    unsafe library.release(handle)
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
}

extension LoginCredential {
  /// The principal of the user's own ticket; nil if there is none that is good now.
  package static var ticketPrincipal: String? {
    do throws(LoginFailure) {
      let name = try LoginCredential(.tickets, for: .negotiate).principal
      return name.isEmpty ? nil : name
    } catch {
      // Without the library, there is no ticket either.
      return nil
    }
  }
}

/// A keytab as a file in memory, which only this process can open.
final class KeytabFile: Sendable {
  private let descriptor: Int32
  private let count: Int

  /// - Throws: ``MechanismProblem/failed`` for what is no keytab, and without descriptors.
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

  /// The name of the file for the library.
  var name: String { "FILE:/proc/self/fd/\(descriptor)" }
}

/// Tickets in this process's memory, which are destroyed with this object.
final class TicketCache: Sendable {
  private let library: GSSLibrary
  private let name = "MEMORY:vault-\(UInt64.random(in: 0...UInt64.max))"

  init(_ library: GSSLibrary) {
    self.library = library
  }

  deinit {
    guard !GSSLibrary.isEnding else { return }
    var functions = library.functions
    // A name that ends with NUL, for the call.
    unsafe name.withCString { name in unsafe vault_gss_destroy_cache(&functions, name) }
  }

  /// The cache for the library.
  var pairs: [(key: String, value: String)] { [("ccache", name)] }

  /// Takes the tickets of a credential.
  func take(_ credential: UnsafeMutableRawPointer?) throws(LoginFailure) {
    var minor: UInt32 = 0
    // The credential is the caller's, and lives during the call.
    let major = unsafe GSSLibrary.withStore(pairs) { store in
      unsafe library.functions.store(
        &minor, credential, vault_gss_initiate, vault_gss_kerberos(), 1, 0, store, nil, nil)
    }
    try library.check(major, minor, of: .negotiate)
  }
}
