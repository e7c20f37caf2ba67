import CVaultGSS
package import SecureMemory
import VaultModel

/// A login with one server, as the side that begins it: a security context of GSSAPI.
package final class LoginContext: Sendable {
  private let credential: LoginCredential
  private let service: String
  private let bindings: [UInt8]
  private let state = Lock(State())

  /// The context so far.
  @safe private struct State {
    var handle: UnsafeMutableRawPointer?
    var flags: UInt32 = 0
    var isComplete = false
    var rounds = 0
  }

  /// Creates a login that has not begun.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - service: The server's name: `HTTP@host`, or a principal if it has a slash.
  ///   - bindings: The data that bind it to a TLS connection (RFC 5929); empty for none.
  package init(_ credential: LoginCredential, service: String, bindings: [UInt8] = []) {
    self.credential = credential
    self.service = service
    self.bindings = bindings
  }

  deinit {
    guard !GSSLibrary.isEnding else { return }
    let library = credential.library
    state.withLock { state in
      var minor: UInt32 = 0
      // Made by `step`, and released once.
      _ = unsafe library.functions.release_context(&minor, &state.handle, nil)
    }
  }

  /// Whether this side needs no token any more.
  package var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Whether the server has proven who it is.
  package var isMutual: Bool {
    state.withLock { $0.isComplete && $0.flags & vault_gss_mutual != 0 }
  }

  /// Takes the server's token, and makes the next one; blocks while a KDC is asked.
  ///
  /// - Parameter token: Nil to begin.
  /// - Returns: The token to send; empty if there is none.
  /// - Throws: The problem; ``MechanismProblem/weakAnswer`` for NTLM that is not of version 2.
  package func step(_ token: [UInt8]?) throws(LoginFailure) -> Secret {
    try state.withLock { (state) throws(LoginFailure) in
      let made = try step(token, &state)
      guard NTLMAnswer.isStrong(in: made) else { throw LoginFailure(.weakAnswer) }
      return made
    }
  }

  private func step(_ token: [UInt8]?, _ state: inout State) throws(LoginFailure) -> Secret {
    let (library, mechanism) = (credential.library, credential.mechanism)
    var minor: UInt32 = 0
    var output = unsafe vault_gss_buffer()
    var (input, binding) = (token ?? [], bindings)
    // Constants.
    let kind =
      unsafe service.utf8.contains(UInt8(ascii: "/"))
      ? vault_gss_principal() : vault_gss_service()
    // NTLM has a code of the messages' integrity if asked for; Negotiate proves the server.
    let flags = mechanism == .ntlm ? vault_gss_integrity : vault_gss_mutual
    let major = try unsafe library.withName(service, kind, of: mechanism) {
      (name) throws(LoginFailure) in
      // All is ours, and lives during the call, which copies it.
      unsafe input.withUnsafeMutableBytes { input in
        unsafe binding.withUnsafeMutableBytes { binding in
          var input = unsafe vault_gss_buffer(length: input.count, value: input.baseAddress)
          var bindings = unsafe vault_gss_bindings()
          unsafe bindings.application = vault_gss_buffer(
            length: binding.count, value: binding.baseAddress)
          return unsafe withUnsafeMutablePointer(to: &bindings) { bindings in
            unsafe library.functions.start(
              &minor, credential.handle, &state.handle, name, mechanism.oid, flags, 0,
              binding.isEmpty ? nil : bindings, &input, nil, &output, &state.flags, nil)
          }
        }
      }
    }
    // The library's bytes are copied, and released once.
    defer { _ = unsafe library.functions.release_buffer(&minor, &output) }
    let made = unsafe Secret(count: output.length) { memory in
      unsafe memory.copyMemory(
        from: UnsafeRawBufferPointer(start: output.value, count: output.length))
    }
    try library.check(major, minor, of: mechanism)
    state.rounds += 1
    state.isComplete = major & vault_gss_continue == 0
    if mechanism == .ntlm, state.rounds == 1 { askForIntegrityCode(state) }
    return made
  }

  /// Tells the mechanism of NTLM that its client can make the code: it makes none unless asked.
  private func askForIntegrityCode(_ state: State) {
    var minor: UInt32 = 0
    var answer: UnsafeMutablePointer<vault_gss_buffers>?
    let functions = credential.library.functions
    // The answer is of no interest, and released once; a failure leaves the code out.
    _ = unsafe functions.inquire_context(
      &minor, state.handle, vault_gss_integrity_code(), &answer)
    _ = unsafe functions.release_buffers(&minor, &answer)
  }
}

/// The last message of NTLM, as far as its strength shows.
///
/// With `LM_COMPAT_LEVEL` in the environment, the mechanism makes answers of version 1, which give
/// the password away.
enum NTLMAnswer {
  /// Returns whether a token is of version 2, or no such message.
  ///
  /// - Source: MS-NLMP §2.2.1.3: the length of the NT answer, 24 bytes in version 1, is at byte 20.
  static func isStrong(in token: Secret) -> Bool {
    token.withBytes { bytes in
      let start = Array("NTLMSSP\0\u{3}\0\0\0".utf8)
      guard bytes.count >= start.count + 10 else { return true }
      for offset in 0...(bytes.count - start.count - 10)
      where start.indices.allSatisfy({ bytes[offset + $0] == start[$0] }) {
        let length = Int(bytes[offset + 20]) | Int(bytes[offset + 21]) << 8
        if length <= 24 { return false }
      }
      return true
    }
  }
}
