import VaultModel

/// The information that a server sends after it has accepted a Digest response.
///
/// - Source: RFC 7616 §3.5.
package struct AuthenticationInfo: Sendable {
  /// The nonce to use from now on.
  package let nextNonce: String?
  /// The server's proof that it also knows the password, `rspauth`; nil if there is none that can
  /// be checked.
  ///
  /// A proof with `qop=auth-int` covers the body, which is not available here. Ignoring it costs no
  /// security: anyone who can forge a proof can also leave it out.
  package let responseProof: String?
  /// The client's nonce, repeated.
  package let clientNonce: String?
  /// The count, repeated.
  package let count: UInt32?
  /// The quality of protection of the response.
  package let qop: String?

  /// Reads all `Authentication-Info` or `Proxy-Authentication-Info` fields of a response.
  ///
  /// If they are malformed, all of them are ignored.
  package init(_ fieldValues: [String]) {
    // The parameters have no scheme; they are read as those of one challenge.
    var draft = ChallengeDraft(scheme: "")
    for value in fieldValues { draft.readParameters(of: value) }
    let isMalformed = draft.problem != nil
    func value(_ name: String) -> String? { isMalformed ? nil : draft.value(of: name) }
    let qop = value("qop")?.lowercasedASCII
    self.qop = qop
    nextNonce = value("nextnonce")
    responseProof = qop == "auth-int" ? nil : value("rspauth")
    clientNonce = value("cnonce")
    count = value("nc").flatMap { text in
      text.utf8.allSatisfy { $0.hexadecimalValue != nil } ? UInt32(text, radix: 16) : nil
    }
  }
}

extension ChallengeDraft {
  /// Reads a field that is only a list of parameters.
  fileprivate mutating func readParameters(of field: String) {
    if let reason = ChallengeReader.reasonAgainst(field) { return fail(reason) }
    var scanner = FieldScanner(field)
    while problem == nil, scanner.skipSeparators() {
      let name = scanner.token()
      guard !name.isEmpty, scanner.skipEquals() else { return fail("not a parameter") }
      readValue(of: name, &scanner)
      scanner.skipBlanks()
      if !scanner.isAtElementEnd { fail("no comma where one belongs") }
    }
  }
}
