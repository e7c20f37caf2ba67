public import CredentialVault
public import SecureMemory
public import VaultModel

extension Vault {
  /// Client identities: certificates with their private keys.
  public var identities: VaultIdentities { VaultIdentities(vault: self) }
}

/// The identities of a vault: `vault.identities`.
///
/// An identity is an item of the method `client-certificate` whose secret is the private key. Its
/// certificates are an attribute, so lists, choices and expiry open no key. Policy, history and
/// trash are those of all items, and the item expires with the certificate or the first of its
/// chain. Password lookups never return an identity.
public struct VaultIdentities: Sendable {
  let vault: Vault

  // MARK: Finding

  /// Returns the identities, expired ones too.
  ///
  /// An item whose certificates cannot be read is left out; ``item(_:)`` says why.
  ///
  /// - Parameter space: The space in which they are used, whatever its method; nil for all. A space
  ///   without a realm finds those of every realm, because a server that asks for a certificate
  ///   names none.
  /// - Returns: None if there is none.
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func findAll(for space: ProtectionSpace? = nil) throws(VaultError) -> [StoredIdentity] {
    var query = ItemQuery()
    if let space {
      query = ItemQuery(space)
      if space.realm.isEmpty { query.realm = .any }
    }
    query.authenticationMethod = .equals(.clientCertificate)
    query.hasPassword = false
    return try findAll(query)
  }

  func findAll(_ query: ItemQuery) throws(VaultError) -> [StoredIdentity] {
    var found: [StoredIdentity] = []
    for item in try vault.findAll(query) {
      do throws(VaultError) {
        found.append(try StoredIdentity(item))
      } catch {
        // Another program's item must not hide the others.
        guard [.missingCertificate, .invalidData, .tooLarge].contains(error.code) else {
          throw error
        }
      }
    }
    return found
  }

  /// Returns the identity with an id.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; as ``StoredIdentity/init(_:)`` for an item that is
  ///   not an identity; else as ``findAll(for:)``.
  public func item(_ id: ItemID) throws(VaultError) -> StoredIdentity {
    try StoredIdentity(vault.item(id))
  }

  /// Opens the key of an identity.
  ///
  /// The certificates are those that the item has now, so a service that opens an identity for each
  /// connection uses a renewed one without a restart.
  ///
  /// - Parameters:
  ///   - stored: As it was found; only its id, its key and where it is kept are looked at.
  ///   - pin: The PIN that its key needs; nil if it needs none.
  /// - Returns: Certificates and key.
  /// - Throws: ``VaultError/Code/pinRequired`` if it needs one; the errors of a wrong one, as
  ///   `vault.pins.open` has them; ``VaultError/Code/itemNotFound`` if it was removed;
  ///   ``VaultError/Code/expired``; ``VaultError/Code/unsupported`` if the key is in a token
  ///   (``openReference(_:pin:)``); ``VaultError/Code/invalidData`` if the item's secret is not the
  ///   certificate's key; else as
  ///   ``findAll(for:)``.
  public func open(_ stored: StoredIdentity, pin: Secret? = nil) throws(VaultError) -> Identity {
    let (item, secret) = try opened(stored, pin: pin)
    return try Self.identity(of: item, secret)
  }

  /// Reads the identity of an item that was found or opened with its secret.
  ///
  /// - Throws: As ``open(_:pin:)``, for what is wrong with the item itself.
  package static func identity(of item: Item, _ secret: Secret) throws(VaultError) -> Identity {
    let certificates = try KnownCertificates.of(item)
    guard item.custom[StoredIdentity.reference] == nil else {
      throw VaultError(.unsupported, "identity: its key is in a token", candidates: [item])
    }
    do throws(VaultError) {
      return try Identity(
        certificate: certificates.certificate, chain: certificates.chain,
        key: PrivateKey(pkcs8: secret), label: item.label)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      throw VaultError(.invalidData, error.context, candidates: [item])
    }
  }

  /// Returns the item of an identity and its secret, as they are now.
  func opened(
    _ stored: StoredIdentity, pin: Secret?
  ) throws(VaultError) -> (item: Item, secret: Secret) {
    var item = try vault.item(stored.id, hint: stored.item.key, withSecrets: true)
    if let pin { item = try vault.pins.open(item, pin: pin) }
    guard !item.needsPIN else {
      throw VaultError(.pinRequired, "the key needs a PIN", candidates: [item.withoutSecrets])
    }
    guard let secret = item.secret, !item.isExpired(at: vault.now) else {
      throw VaultError(.expired, "the identity has expired", candidates: [item])
    }
    return (item, secret)
  }

  // MARK: Changing

  /// Adds an identity to the session or to the file, as the policy grants.
  ///
  /// - Parameters:
  ///   - identity: Certificate, chain and key; the certificates have at most 64 KiB.
  ///   - space: The space in which it is used, whatever its method; nil for an identity that only
  ///     preferences lead to.
  ///   - name: The account under which the space has it; empty for the identity's label, or without
  ///     one for the subject's common name.
  ///   - persistence: `session` or `permanent`; `none` stores nothing.
  ///   - afterAcceptance: Whether a server has accepted it. If a rule requires that and it is
  ///     false, the identity is pending.
  /// - Returns: The identity as stored, and what the policy granted.
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule;
  ///   ``VaultError/Code/duplicateItem`` with the item if the space has one of this name;
  ///   ``VaultError/Code/tooLarge``; ``VaultError/Code/locked``, and any error of writing the file.
  @discardableResult
  public func add(
    _ identity: Identity, for space: ProtectionSpace? = nil, name: String = "",
    persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) throws(VaultError) -> IdentityStoreResult {
    let label = identity.label.isEmpty ? identity.certificate.subject.summary : identity.label
    return try add(
      Self.content(of: identity), label: label, for: space, name: name, persistence: persistence,
      afterAcceptance: afterAcceptance)
  }

  func add(
    _ content: [ItemChange], label: String, for space: ProtectionSpace?, name: String,
    persistence: Persistence, afterAcceptance: Bool
  ) throws(VaultError) -> IdentityStoreResult {
    var item = Item()
    if let space { item = Item(space: space, account: "") }
    item.authenticationMethod = .clientCertificate
    item.account = name.isEmpty ? label : name
    item.label = name.isEmpty ? label : name
    _ = item.apply(content)
    return try IdentityStoreResult(
      vault.add(item, persistence: persistence, afterAcceptance: afterAcceptance))
  }

  /// Replaces certificates and key; the item stays, with its name, its history and its default.
  ///
  /// The key that is replaced goes to the item's history together with its certificates, so
  /// `vault.history.revert` brings both back.
  ///
  /// - Returns: The identity as it is now, and what the policy granted.
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed;
  ///   ``VaultError/Code/policyRefused``; ``VaultError/Code/tooLarge``; any error of writing the
  ///   file.
  @discardableResult
  public func replace(
    _ stored: StoredIdentity, with identity: Identity
  ) throws(VaultError) -> IdentityStoreResult {
    try IdentityStoreResult(vault.modify(stored.item, Self.content(of: identity)))
  }

  /// Replaces the certificates of a key, which stays and is not opened.
  ///
  /// - Returns: The identity as it is now, and what the policy granted.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the certificate is for another key;
  ///   ``VaultError/Code/conflict`` if the item was changed since; else as ``replace(_:with:)``.
  @discardableResult
  public func renew(
    _ stored: StoredIdentity, certificate: Certificate, chain: [Certificate] = []
  ) throws(VaultError) -> IdentityStoreResult {
    guard certificate.publicKeyHash == stored.certificate.publicKeyHash else {
      throw VaultError(.invalidArgument, "identity: the certificate is for another key")
    }
    let end = IdentitySummary(certificate, chain, label: "").notAfter
    let changes = [
      ItemChange.certificates(Self.certificates(certificate, chain)), .expires(end),
    ]
    return try IdentityStoreResult(
      vault.modify(stored.item, changes, ifRevision: stored.item.revision))
  }

  /// Removes an identity from the place where it is kept; one of the file goes to the trash.
  ///
  /// Preferences for it remain, without effect unless it is restored.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; any error of writing the file.
  public func remove(_ stored: StoredIdentity, removal: Removal = .recoverable) throws(VaultError) {
    try vault.remove(stored.item, removal: removal)
  }

  private static func content(of identity: Identity) -> [ItemChange] {
    [
      .secret(identity.key.pkcs8), .secretKind(.identity), .custom(StoredIdentity.reference, nil),
      .certificates(certificates(identity.certificate, identity.chain)),
      .expires(identity.notAfter),
    ]
  }

  static func certificates(_ leaf: Certificate, _ chain: [Certificate]) -> [UInt8] {
    leaf.der + chain.flatMap(\.der)
  }
}
