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
    let offersAuth: Bool
    let uri: String

    /// Returns H(KD(key, A2)): the response if `method` is the request's, the server's proof if it
    /// is empty.
    ///
    /// - Source: RFC 7616 §3.4.1 and §3.5, RFC 2069 §2.1.2 without `auth`.
    func proof(
      _ hashing: borrowing HashContext, key: Secret, method: String
    ) throws(VaultError) -> [UInt8] {
      try hashing.add(method, uri)
      let action = try hashing.finish()
      try key.withRawBytes { bytes throws(VaultError) in try hashing.add(bytes) }
      try hashing.add(":")
      try hashing.add(nonce)
      if offersAuth {
        try hashing.add(":")
        try hashing.add(Hexadecimal.digits(count), clientNonce)
        try hashing.add(":auth")
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
  ///   - credential: The user and password.
  ///   - method: The request's method.
  ///   - uri: The request target as it is sent.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `uri` if it cannot be sent;
  ///   ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  package init(
    to challenge: DigestChallenge, nonce: String, clientNonce: String, count: UInt32,
    credential: Credential, method: String, uri: String
  ) throws(VaultError) {
    try Self.check(user: credential.user)
    guard !uri.utf8.contains(where: { $0.isControl || $0 == UInt8(ascii: " ") }) else {
      throw VaultError(.invalidArgument, "uri: holds a blank or a control character")
    }
    let seed = Seed(
      hash: challenge.algorithm.hash, nonce: nonce, clientNonce: clientNonce, count: count,
      offersAuth: challenge.offersAuth, uri: uri)
    let hashing = try HashContext(seed.hash)
    key = try Self.key(hashing, challenge, seed, credential)
    let proof = try seed.proof(hashing, key: key, method: method)
    var userHash: [UInt8]?
    if challenge.offersUserHash {
      try hashing.add(credential.user, challenge.realm)
      userHash = try hashing.finish()
    }
    let field = Self.field(challenge, seed, user: credential.user, userHash: userHash, proof: proof)
    // A view of bytes, which have no padding.
    value = unsafe Secret(copying: field.span.bytes)
    self.nonce = nonce
    self.seed = seed
  }

  /// Checks that the user has no control character.
  ///
  /// A colon is allowed: RFC 7616 §4 lets servers do without it, so a refusal is theirs.
  private static func check(user: String) throws(VaultError) {
    guard !user.utf8.contains(where: \.isControl) else {
      throw VaultError(.invalidArgument, "user: holds a control character")
    }
  }

  /// Returns H(A1), which answers challenges as well as the password does.
  ///
  /// - Source: RFC 7616 §3.4.2.
  private static func key(
    _ hashing: borrowing HashContext, _ challenge: DigestChallenge, _ seed: Seed,
    _ credential: Credential
  ) throws(VaultError) -> Secret {
    try hashing.add(credential.user, challenge.realm)
    try hashing.add(":")
    try credential.secret.withRawBytes { bytes throws(VaultError) in try hashing.add(bytes) }
    let key = try hashing.finishSecretly()
    guard challenge.algorithm.isSession else { return key }
    try key.withRawBytes { bytes throws(VaultError) in try hashing.add(bytes) }
    try hashing.add(":")
    try hashing.add(seed.nonce, seed.clientNonce)
    return try hashing.finishSecretly()
  }

  /// Returns the field, with values quoted or not as RFC 7616 §3.4 requires.
  private static func field(
    _ challenge: DigestChallenge, _ seed: Seed, user: String, userHash: [UInt8]?, proof: [UInt8]
  ) -> [UInt8] {
    var writer = FieldWriter(scheme: "Digest", capacity: 512)
    if let userHash {
      writer.append("username", plain: userHash)
    } else if user.utf8.allSatisfy({ $0 < 0x80 }) {
      writer.append("username", quoted: user)
    } else {
      writer.append("username*", extended: user)
    }
    writer.append("realm", quoted: challenge.realm)
    writer.append("nonce", quoted: seed.nonce)
    writer.append("uri", quoted: seed.uri)
    writer.append("response", plain: proof)
    writer.append("algorithm", token: challenge.algorithm.name)
    if let opaque = challenge.opaque { writer.append("opaque", quoted: opaque) }
    if challenge.offersAuth {
      writer.append("qop", token: "auth")
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
