package import HTTPChallenge
package import SecureMemory
package import VaultModel

/// The answer to a Digest challenge, for one request.
///
/// It holds the hash of password and realm, as a secret, until the server has proven that it knows
/// it.
///
/// - Source: RFC 7616 §3.4.
package struct DigestResponse: Sendable {
  /// The nonce that the response was made for.
  package let nonce: String
  /// The value of the `Authorization` field.
  package let value: Secret
  private let seed: Seed
  private let key: Secret

  /// The inputs of a response and of the server's proof, apart from the key.
  private struct Seed: Sendable {
    let hash: DigestAlgorithm.Hash
    let nonce: String
    let clientNonce: String
    let count: UInt32
    let qop: String?
    let uri: String
    /// The digits of the body's hash; nil unless `qop` is `auth-int`.
    let bodyHash: [UInt8]?

    /// Returns H(KD(key, A2)): the response if `method` is the request's, the server's proof if it
    /// is empty.
    ///
    /// - Source: RFC 7616 §3.4.1 and §3.5, RFC 2069 §2.1.2 without `qop`.
    func proof(
      _ hashing: borrowing HashContext, key: Secret, method: String
    ) throws(VaultError) -> [UInt8] {
      try hashing.add(method, uri)
      if let bodyHash {
        try hashing.add(":")
        // A view of bytes, which have no padding.
        try unsafe hashing.add(bodyHash.span.bytes)
      }
      let action = try hashing.finish()
      try key.withRawBytes { bytes throws(VaultError) in try hashing.add(bytes) }
      try hashing.add(":")
      try hashing.add(nonce)
      if let qop {
        try hashing.add(":")
        try hashing.add(Hexadecimal.digits(count), clientNonce)
        try hashing.add(":")
        try hashing.add(qop)
      }
      try hashing.add(":")
      // A view of bytes, which have no padding.
      try unsafe hashing.add(action.span.bytes)
      return try hashing.finish()
    }
  }

  /// Computes the response.
  ///
  /// - Parameters:
  ///   - challenge: The challenge to answer.
  ///   - nonce: The server's nonce, which may be newer than the challenge's.
  ///   - clientNonce: The client's nonce, one for each of the server's: visible ASCII.
  ///   - count: The number of requests made with the nonce, including this one.
  ///   - sessionNonce: The server's nonce from which the key of a session is made: the challenge's,
  ///     also after the server named another one. Nil for `nonce`.
  ///   - credential: The user and password.
  ///   - method: The request's method.
  ///   - uri: The request target as it is sent.
  ///   - body: The request's body; nil if it is not at hand.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `uri` if it cannot be sent;
  ///   ``VaultError/Code/unsupported`` if libcrypto refuses the hash, or if the response covers a
  ///   body that is not at hand.
  package init(
    to challenge: DigestChallenge, nonce: String, clientNonce: String, count: UInt32,
    sessionNonce: String? = nil, credential: Credential, method: String, uri: String,
    body: [UInt8]? = nil
  ) throws(VaultError) {
    let user = NormalForm.composed(credential.user)
    try Self.check(user: user)
    guard !uri.hasByte(where: { $0.isControl || $0 == UInt8(ascii: " ") }) else {
      throw VaultError(.invalidArgument, "uri: holds a blank or a control character")
    }
    let hashing = try HashContext(challenge.algorithm.hash)
    let seed = Seed(
      hash: challenge.algorithm.hash, nonce: nonce, clientNonce: clientNonce, count: count,
      qop: challenge.qop, uri: uri,
      bodyHash: challenge.requiresIntegrity ? try Self.hash(hashing, body) : nil)
    key = try Self.key(
      hashing, challenge, user, credential.secret,
      session: (nonce: sessionNonce ?? nonce, clientNonce: clientNonce))
    let proof = try seed.proof(hashing, key: key, method: method)
    var userHash: [UInt8]?
    if challenge.offersUserHash {
      try hashing.add(user, challenge.realm)
      userHash = try hashing.finish()
    }
    let field = Self.field(challenge, seed, user: user, userHash: userHash, proof: proof)
    // A view of bytes, which have no padding.
    value = unsafe Secret(copying: field.span.bytes)
    self.nonce = nonce
    self.seed = seed
  }

  /// Checks that the user has no control character.
  ///
  /// A colon is allowed: RFC 7616 §4 lets servers do without it, so a refusal is theirs.
  private static func check(user: String) throws(VaultError) {
    guard !user.hasByte(where: \.isControl) else {
      throw VaultError(.invalidArgument, "user: holds a control character")
    }
  }

  private static func hash(
    _ hashing: borrowing HashContext, _ body: [UInt8]?
  ) throws(VaultError) -> [UInt8] {
    guard let body else {
      throw VaultError(.unsupported, "digest: qop auth-int, and the body is not at hand")
    }
    // A view of bytes, which have no padding.
    try unsafe hashing.add(body.span.bytes)
    return try hashing.finish()
  }

  /// Returns H(A1), which answers challenges as well as the password does.
  ///
  /// - Source: RFC 7616 §3.4.2.
  private static func key(
    _ hashing: borrowing HashContext, _ challenge: DigestChallenge, _ user: String,
    _ password: Secret, session: (nonce: String, clientNonce: String)
  ) throws(VaultError) -> Secret {
    try hashing.add(user, challenge.realm)
    try hashing.add(":")
    try password.withComposedBytes { bytes throws(VaultError) in try hashing.add(bytes) }
    let key = try hashing.finishSecretly()
    guard challenge.algorithm.isSession else { return key }
    try key.withRawBytes { bytes throws(VaultError) in try hashing.add(bytes) }
    try hashing.add(":")
    try hashing.add(session.nonce, session.clientNonce)
    return try hashing.finishSecretly()
  }

  /// Returns the field, with values quoted or not as RFC 7616 §3.4 requires.
  private static func field(
    _ challenge: DigestChallenge, _ seed: Seed, user: String, userHash: [UInt8]?, proof: [UInt8]
  ) -> [UInt8] {
    var writer = FieldWriter(scheme: "Digest", capacity: 512)
    if let userHash {
      writer.append("username", plain: userHash)
    } else if challenge.isUTF8, user.hasByte(where: { $0 >= 0x80 }) {
      writer.append("username*", extended: user)
    } else {
      // Servers that offer no charset, such as Apache and Squid, refuse `username*` and compare
      // bytes.
      writer.append("username", quoted: user)
    }
    writer.append("realm", quoted: challenge.realm)
    writer.append("nonce", quoted: seed.nonce)
    writer.append("uri", quoted: seed.uri)
    writer.append("response", plain: proof)
    if let name = challenge.algorithmName { writer.append("algorithm", token: name) }
    if let opaque = challenge.opaque { writer.append("opaque", quoted: opaque) }
    if let qop = seed.qop {
      writer.append("qop", token: qop)
      writer.append("nc", token: Hexadecimal.digits(seed.count))
      writer.append("cnonce", quoted: seed.clientNonce)
    }
    if challenge.offersUserHash { writer.append("userhash", token: "true") }
    return writer.bytes
  }

  /// Returns whether the server has proven that it also knows the password.
  ///
  /// - Parameter info: The information in the response.
  /// - Returns: False if the proof is wrong, for another request, or missing.
  /// - Throws: ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  /// - Source: RFC 7616 §3.5.
  package func isProven(by info: AuthenticationInfo) throws(VaultError) -> Bool {
    guard let theirs = info.responseProof,
      info.count == nil || info.count == seed.count,
      info.clientNonce?.hasSameBytes(as: seed.clientNonce) != false
    else { return false }
    let hashing = try HashContext(seed.hash)
    let ours = try seed.proof(hashing, key: key, method: "")
    // Views of bytes, which have no padding.
    return unsafe constantTimeEqual(ours.span.bytes, theirs.lowercasedASCII.utf8.span.bytes)
  }
}
