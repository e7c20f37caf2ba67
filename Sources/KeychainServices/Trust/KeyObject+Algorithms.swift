package import SecureMemory
import TLSCredentials
package import VaultModel

/// The uses of a key (`SecKeyOperationType`), with Apple's numbers.
package enum KeyOperation: Int, Sendable, CaseIterable {
  case sign = 0
  case verify = 1
  case encrypt = 2
  case decrypt = 3
  case exchange = 4
}

/// An algorithm of Apple's (`SecKeyAlgorithm`), whose name says all of it:
/// `algid:sign:RSA:message-PSS:SHA256:SHA256:32`.
struct KeyObjectAlgorithm: Sendable {
  enum Use: Sendable {
    /// A signature of a message by its hash, of a hash, or of bytes as they are.
    case signature(SignatureScheme, Input)
    case encryption(EncryptionScheme)
  }

  enum Input: Sendable {
    case message(DigestFunction)
    case digest(DigestFunction)
    case bytes
  }

  let use: Use

  /// Reads a name; nil for an algorithm that is not supported.
  init?(_ name: String) {
    let parts = name.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] == "algid" else { return nil }
    if let scheme = Self.ecies(parts) {
      use = .encryption(scheme)
      return
    }
    let digest = parts.count > 4 ? DigestFunction.named(parts[4]) : nil
    guard parts.count == 4 || digest != nil else { return nil }
    let (input, padding) = Self.split(parts[3], digest)
    switch (parts[1], parts[2], padding, digest) {
    case ("sign", "RSA", "raw", nil): use = .signature(.rsaRaw, .bytes)
    case ("sign", "RSA", "PKCS1v15", _): use = .signature(.rsaPKCS1(digest), input)
    case ("sign", "RSA", "PSS", let digest?): use = .signature(.rsaPSS(digest), input)
    case ("sign", "ECDSA", "X962", _): use = .signature(.ecdsa(isDER: true), input)
    case ("sign", "ECDSA", "RFC4754", _): use = .signature(.ecdsa(isDER: false), input)
    case ("sign", "EdDSA", "Curve25519", .sha512): use = .signature(.ed25519, .bytes)
    case ("encrypt", "RSA", "raw", nil): use = .encryption(.rsaRaw)
    case ("encrypt", "RSA", "PKCS1", nil): use = .encryption(.rsaPKCS1)
    case ("encrypt", "RSA", "OAEP", let digest?) where parts.count == 5:
      use = .encryption(.rsaOAEP(digest))
    default: return nil
    }
  }

  /// Reads `algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV`; with a cofactor, which is 1 for
  /// every curve here, it is the same.
  private static func ecies(_ parts: [Substring]) -> EncryptionScheme? {
    guard parts.count == 7, parts[1] == "encrypt", parts[2] == "ECIES",
      ["ECDH", "ECDHC"].contains(parts[3]), parts[4] == "KDFX963", parts[6] == "AESGCM-KDFIV"
    else { return nil }
    return DigestFunction.named(parts[5]).map { .ecies($0) }
  }

  /// Takes `message-` or `digest-` off the name of a padding.
  private static func split(
    _ text: Substring, _ digest: DigestFunction?
  ) -> (input: Input, padding: Substring) {
    let pair = text.split(separator: "-", maxSplits: 1)
    guard pair.count == 2 else { return (.bytes, text) }
    switch (pair[0], digest) {
    case ("message", let digest?): return (.message(digest), pair[1])
    case ("digest", let digest?): return (.digest(digest), pair[1])
    case ("digest", nil): return (.bytes, pair[1])
    default: return (.bytes, text)
    }
  }
}

extension DigestFunction {
  fileprivate static func named(_ name: Substring) -> DigestFunction? {
    switch name {
    case "SHA1": .sha1
    case "SHA224": .sha224
    case "SHA256": .sha256
    case "SHA384": .sha384
    case "SHA512": .sha512
    default: nil
    }
  }
}

extension KeyObject {
  /// Returns whether a key can be used with an algorithm, by Apple's rule: a private key signs and
  /// decrypts, and a public one verifies and encrypts.
  package func supports(_ operation: KeyOperation, _ name: String) -> Bool {
    guard let use = KeyObjectAlgorithm(name)?.use else { return false }
    switch (operation, use) {
    case (.sign, .signature(let scheme, _)): return key.isPrivate && scheme.kind == key.kind
    case (.verify, .signature(let scheme, _)): return !key.isPrivate && scheme.kind == key.kind
    case (.encrypt, .encryption(let scheme)):
      return !key.isPrivate && key.kind == scheme.kind && key.blockCount >= scheme.overhead
    case (.decrypt, .encryption(let scheme)):
      return key.isPrivate && key.kind == scheme.kind && key.blockCount >= scheme.overhead
    default: return false
    }
  }

  /// Signs a message, a hash or bytes, as the algorithm says.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the key does not support it, or the input has
  ///   a wrong length.
  package func sign(_ bytes: [UInt8], _ name: String) throws(VaultError) -> [UInt8] {
    let (scheme, input) = try signature(.sign, bytes, name)
    return try key.sign(input, scheme)
  }

  /// Checks a signature of a message, a hash or bytes, as the algorithm says.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if it is not this key's; else as
  ///   ``sign(_:_:)``.
  package func verify(
    _ signature: [UInt8], of bytes: [UInt8], _ name: String
  ) throws(VaultError) {
    let (scheme, input) = try self.signature(.verify, bytes, name)
    guard try key.verify(signature, of: input, scheme) else { throw Self.wrongSignature }
  }

  /// Encrypts bytes.
  ///
  /// - Throws: As ``sign(_:_:)``.
  package func encrypt(_ bytes: Secret, _ name: String) throws(VaultError) -> [UInt8] {
    try key.encrypt(bytes, encryption(.encrypt, name))
  }

  /// Decrypts bytes.
  ///
  /// - Throws: As ``sign(_:_:)``, also if they were not encrypted for this key.
  package func decrypt(_ bytes: [UInt8], _ name: String) throws(VaultError) -> Secret {
    try key.decrypt(bytes, encryption(.decrypt, name))
  }

  /// The error of a signature that is not the key's.
  package static let wrongSignature = VaultError(
    .authenticationFailed, "key: the signature is not this key's")

  private func signature(
    _ operation: KeyOperation, _ bytes: [UInt8], _ name: String
  ) throws(VaultError) -> (SignatureScheme, [UInt8]) {
    guard supports(operation, name),
      case .signature(let scheme, let input)? = KeyObjectAlgorithm(name)?.use
    else { throw Self.unsupported(name) }
    switch input {
    case .message(let digest): return (scheme, try digest(bytes))
    case .digest(let digest) where bytes.count != digest.count:
      throw VaultError(.invalidArgument, "key: not a hash of \(digest.count) bytes")
    case .digest, .bytes: return (scheme, bytes)
    }
  }

  private func encryption(
    _ operation: KeyOperation, _ name: String
  ) throws(VaultError) -> EncryptionScheme {
    guard supports(operation, name),
      case .encryption(let scheme)? = KeyObjectAlgorithm(name)?.use
    else { throw Self.unsupported(name) }
    return scheme
  }

  private static func unsupported(_ name: String) -> VaultError {
    VaultError(.invalidArgument, "key: it does not support the algorithm \(name.escaped)")
  }
}

extension VaultError {
  /// Apple's status of an error of keys.
  package var keyStatus: Int32 {
    // errSecVerifyFailed.
    code == .authenticationFailed ? -67808 : keychainStatus
  }
}
