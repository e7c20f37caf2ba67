import CVaultGSS
import Glibc
import SecureMemory
import VaultModel

/// MIT's library, loaded when it is first needed and never unloaded.
// Proof: the functions are constants of a library that stays, and may be called by any thread.
@safe struct GSSLibrary: @unchecked Sendable {
  let functions: vault_gss

  private static let loaded: GSSLibrary? = {
    var functions = vault_gss()
    // A struct of ours, which is written once.
    guard unsafe vault_gss_load(&functions) != 0 else { return nil }
    // At exit the library destroys its locks, whoever still uses them. This runs before that.
    atexit { GSSLibrary.ending.withLock { $0 = true } }
    return GSSLibrary(functions: functions)
  }()

  private static let ending = Lock(false)

  /// Whether the process ends, so that nothing may be released any more.
  static var isEnding: Bool { ending.withLock(\.self) }

  /// Returns the library.
  ///
  /// - Throws: ``MechanismProblem/missingLibrary``.
  static func shared() throws(LoginFailure) -> GSSLibrary {
    guard let loaded, !isEnding else { throw LoginFailure(.missingLibrary) }
    return loaded
  }

  /// Throws if a call has failed.
  func check(_ major: UInt32, _ minor: UInt32, of mechanism: Mechanism) throws(LoginFailure) {
    let error = major & vault_gss_errors
    guard error != 0 else { return }
    guard error != vault_gss_no_mechanism || mechanism != .ntlm else {
      throw LoginFailure(.missingMechanism)
    }
    // The mechanism's words say what the general ones leave open.
    let text =
      describe(minor, vault_gss_mechanism_code, mechanism)
      + "; " + describe(major, vault_gss_routine_code, mechanism)
    throw LoginFailure(MechanismProblem(message: text), text)
  }

  private func describe(_ code: UInt32, _ kind: Int32, _ mechanism: Mechanism) -> String {
    var minor: UInt32 = 0
    var more: UInt32 = 0
    var text = unsafe vault_gss_buffer()
    // All are ours; the library's text is copied, and released once.
    let status = unsafe functions.describe(&minor, code, kind, mechanism.oid, &more, &text)
    guard status == 0 else { return "" }
    defer { _ = unsafe functions.release_buffer(&minor, &text) }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: text.value, count: text.length), as: UTF8.self)
  }

  /// Calls `body` with a name that the library has read.
  func withName<R>(
    _ text: String, _ kind: UnsafeMutablePointer<vault_gss_oid>?, of mechanism: Mechanism,
    _ body: (UnsafeMutableRawPointer?) throws(LoginFailure) -> R
  ) throws(LoginFailure) -> R {
    var minor: UInt32 = 0
    var name: UnsafeMutableRawPointer?
    var bytes = Array(text.utf8)
    // The text lives during the call, which copies it.
    let major = unsafe bytes.withUnsafeMutableBytes { bytes in
      var buffer = unsafe vault_gss_buffer(length: bytes.count, value: bytes.baseAddress)
      return unsafe functions.import_name(&minor, &buffer, kind, &name)
    }
    try check(major, minor, of: mechanism)
    // Made above, and released once.
    defer { _ = unsafe functions.release_name(&minor, &name) }
    return try unsafe body(name)
  }
}

/// A way to log in.
package enum Mechanism: Sendable, Hashable {
  /// SPNEGO with Kerberos alone.
  case negotiate
  /// NTLM, without SPNEGO.
  case ntlm

  /// The identifier, a constant.
  var oid: UnsafeMutablePointer<vault_gss_oid>? {
    unsafe self == .negotiate ? vault_gss_spnego() : vault_gss_ntlm()
  }

  /// The set of it alone, a constant.
  var set: UnsafeMutablePointer<vault_gss_oids>? {
    unsafe self == .negotiate ? vault_gss_only_spnego() : vault_gss_only_ntlm()
  }
}
