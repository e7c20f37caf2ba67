import SecureMemory
public import VaultModel

/// An identity of a vault without its key, which is opened only when it is used.
public struct StoredIdentity: Sendable, Identifiable {
  /// The item that keeps it, without its secret.
  public let item: Item
  /// The holder's own certificate.
  public let certificate: Certificate
  /// The certificates of its issuers, the nearest first.
  public let chain: [Certificate]
  /// The facts by which it is listed and chosen.
  package let summary: IdentitySummary

  /// Reads the certificates of an item.
  ///
  /// - Parameter item: As it was found, with or without its secret.
  /// - Throws: ``VaultError/Code/missingCertificate`` if the item is not an identity or has no
  ///   certificate; ``VaultError/Code/invalidData`` if one is malformed.
  public init(_ item: Item) throws(VaultError) {
    let known = try KnownCertificates.of(item)
    self.item = item.withoutSecrets
    (certificate, chain) = (known.certificate, known.chain)
    var summary = known.summary
    summary.label = item.label
    self.summary = summary
  }

  /// The id of its item, which no change of it and no renewal changes.
  public var id: ItemID { item.id }

  /// The first moment at which the certificate and all of its issuers are valid.
  public var notBefore: Timestamp { summary.notBefore }

  /// The last moment at which the certificate and all of its issuers are valid.
  ///
  /// A root's own end does not count: servers have it themselves.
  public var notAfter: Timestamp { summary.notAfter }
}

/// The result of a request to store an identity, as `StoreResult`.
public struct IdentityStoreResult: Sendable {
  /// The identity; its item's persistence says where it is kept, `none` if nowhere.
  public let identity: StoredIdentity
  /// The policy's decision: what it granted, until when, and by which rule.
  public var decision: PersistencePolicy.Decision { stored.decision }
  /// The pending credential to be confirmed or rejected; nil if the identity is stored as it was
  /// granted.
  public var pending: PendingCredential? { stored.pending }
  /// The result for the item.
  package let stored: StoreResult

  init(_ result: StoreResult) throws(VaultError) {
    identity = try StoredIdentity(result.item)
    stored = result
  }
}

extension Certificate {
  /// Reads certificates that are encoded one after the other.
  package static func list(_ der: [UInt8]) throws(VaultError) -> [Certificate] {
    var list: [Certificate] = []
    var reader = ASN1Reader(Secret(copying: der.span), .der)
    while !reader.isAtEnd {
      list.append(try Certificate(der: reader.next(ASN1.sequence).encoding))
    }
    return list
  }
}
