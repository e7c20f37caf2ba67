package import SecureMemory
package import TLSCredentials
package import VaultModel

/// `SecKey` over values of no language.
package struct KeyObject: Sendable, Hashable {
  package let key: AsymmetricKey

  /// Returns the public key of a certificate.
  ///
  /// - Throws: ``VaultError/Code/unsupportedAlgorithm`` for another kind than RSA, P-256, P-384,
  ///   P-521 and Ed25519; ``VaultError/Code/invalidData`` if it is malformed.
  package init(of certificate: Certificate) throws(VaultError) {
    key = try AsymmetricKey(of: certificate)
  }

  /// Returns the private key of an identity.
  ///
  /// - Throws: As ``init(of:)``.
  package init(of identity: Identity) throws(VaultError) {
    key = try AsymmetricKey(identity.key)
  }

  /// Reads a key in the form of ``AsymmetricKey/external()``.
  ///
  /// - Parameters:
  ///   - data: The key.
  ///   - attributes: Its type and class; others are ignored.
  /// - Throws: ``VaultError/Code/invalidArgument`` if type or class is missing or another one, or
  ///   the data are no such key.
  package init(
    _ data: Secret, _ attributes: [String: KeychainValue]
  ) throws(VaultError) {
    let kind = attributes[Attribute.type].flatMap { type in
      Self.types.first { $0.type == type.digits }?.kind
    }
    guard let kind, let keyClass = attributes[Attribute.keyClass]?.digits,
      [Self.publicClass, Self.privateClass].contains(keyClass)
    else { throw VaultError(.invalidArgument, "key: its type or class is not supported") }
    do throws(VaultError) {
      key = try AsymmetricKey(reading: data, kind, isPrivate: keyClass == Self.privateClass)
    } catch {
      guard error.code == .invalidData else { throw error }
      throw VaultError(.invalidArgument, "key: the data are not a key of this type and class")
    }
  }

  private init(_ key: AsymmetricKey) {
    self.key = key
  }

  /// Returns the public key that belongs to it.
  package func publicKey() throws(VaultError) -> KeyObject { KeyObject(try key.publicKey) }

  /// Returns what Apple's functions say of the key, by its public names; never the key itself.
  package func attributes() throws(VaultError) -> [String: KeychainValue] {
    let canSign = key.isPrivate
    let isEncrypting = key.kind != .ed25519
    return [
      "class": .text("keys"),
      Attribute.keyClass: .text(key.isPrivate ? Self.privateClass : Self.publicClass),
      Attribute.type: .text(Self.types.first { $0.kind == key.kind }?.type ?? ""),
      "bsiz": .number(Int64(key.bits)), "esiz": .number(Int64(key.bits)),
      "klbl": .data(try key.identifier()), "perm": .flag(false),
      "sign": .flag(canSign), "vrfy": .flag(!canSign),
      "encr": .flag(!canSign && isEncrypting), "wrap": .flag(!canSign && isEncrypting),
      "decr": .flag(canSign && isEncrypting), "unwp": .flag(canSign && isEncrypting),
      "drve": .flag(false),
    ]
  }

  private enum Attribute {
    static let type = "type"
    static let keyClass = "kcls"
  }

  private static let (publicClass, privateClass) = ("0", "1")
  /// Apple's numbers of the types (SecItemConstants).
  private static let types: [(type: String, kind: AsymmetricKey.Kind)] = [
    ("42", .rsa), ("73", .ec), ("105", .ed25519),
  ]
}

extension KeychainValue {
  /// The value of a constant that is a number in a text; programs also write the number.
  fileprivate var digits: String? {
    switch self {
    case .text(let text): text
    case .number(let number): String(number)
    default: nil
    }
  }
}
