import CredentialVault
public import VaultModel

/// Identities that are preferred for a URL or a domain.
///
/// A preference is an invisible item at its host that refers to the identity's item, so that a
/// lookup asks for hosts and reads nothing else. It may lead to an identity of any space. A copy of
/// the vault has it; an export and import gives items new ids, so preferences have to be set again.
extension VaultIdentities {
  /// Prefers an identity for a name, in place of the one that was preferred for it.
  ///
  /// - Parameters:
  ///   - identity: The identity; nil to prefer none, also if there is no preference. The preference
  ///     is kept where the identity is, as far as the policy grants.
  ///   - name: A URL, whose query is ignored: it stands for itself, or for all below it if it ends
  ///     with a slash. Or `*.` and a domain, for all hosts below that. Any other text is looked up
  ///     only by itself.
  ///   - suffixes: The public suffixes, for which there is no preference.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is empty, or a wildcard below a
  ///   public suffix or a single label; any error of writing the file.
  public func setPreferred(
    _ identity: StoredIdentity?, for name: String, suffixes: PublicSuffixes = .system
  ) throws(VaultError) {
    let place = try PreferencePlace(name, suffixes)
    guard let identity else {
      try vault.removeAll(place.query, removal: .permanent)
      return
    }
    var item = Item(
      server: place.host, account: place.name, authenticationMethod: .identityPreference)
    // As a private key, it is not an answer to a question for a password.
    item.secretKind = .identity
    item.isInvisible = true
    item.label = "identity for \(place.name)"
    item.custom = [
      PreferencePlace.identity: identity.id.text,
      PreferencePlace.server: identity.item.server.name,
    ]
    let stored = try vault.upsert(item, persistence: identity.item.persistence)
    // One of the session would hide it.
    guard stored.item.persistence == .permanent else { return }
    for other in try vault.findAll(place.query) where other.persistence == .session {
      try vault.remove(other)
    }
  }

  /// Returns the identity that is preferred for a URL or another name: for itself, else for a path
  /// above it, else for a domain.
  ///
  /// The server's request does not count, as with Apple's `SecIdentityCopyPreferred`;
  /// ``choose(for:_:at:suffixes:)`` also asks for that.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is none, or if it was removed; else as
  ///   ``findAll(for:)``.
  public func preferred(
    for name: String, suffixes: PublicSuffixes = .system
  ) throws(VaultError) -> StoredIdentity {
    guard let first = try preferred(for: name, suffixes).first else {
      throw VaultError(.itemNotFound, "identity: none is preferred for this name")
    }
    return first
  }

  /// Returns all preferences, by their names.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  public func preferences() throws(VaultError) -> [IdentityPreference] {
    var query = ItemQuery()
    query.authenticationMethod = .equals(.identityPreference)
    var found: [IdentityPreference] = []
    for item in try vault.findAll(query) {
      guard let id = item.preferredIdentity else { continue }
      found.append(IdentityPreference(name: item.account, identity: id))
    }
    return found.sorted { $0.name < $1.name }
  }

  /// Returns the preferred identities that exist, the best first.
  func preferred(
    for name: String, _ suffixes: PublicSuffixes
  ) throws(VaultError) -> [StoredIdentity] {
    let isURL = name.contains("://")
    var places: [PreferencePlace] = []
    if isURL {
      let host = try URLReference(name).host
      for name in try IdentityPreference.names(for: name, suffixes: suffixes) {
        places.append(PreferencePlace(name, at: host))
      }
    } else {
      places = [try PreferencePlace(name, suffixes)]
    }
    var found: [StoredIdentity] = []
    var known: [HostName: [Item]] = [:]
    for place in places {
      if known[place.host] == nil { known[place.host] = try vault.findAll(place.queryOfHost) }
      let here = known[place.host] ?? []
      guard let item = here.first(where: { $0.account.hasSameBytes(as: place.name) }),
        let identity = try target(of: item)
      else { continue }
      found.append(identity)
    }
    return found
  }

  /// Returns the identity that a preference leads to; nil if it was removed.
  private func target(of preference: Item) throws(VaultError) -> StoredIdentity? {
    guard let id = preference.preferredIdentity else { return nil }
    var hint: Item.Key?
    if let server = preference.custom[PreferencePlace.server] {
      hint = Item.Key(server: HostName(canonical: server))
    }
    do throws(VaultError) {
      return try StoredIdentity(vault.item(id, hint: hint))
    } catch {
      guard [.itemNotFound, .missingCertificate].contains(error.code) else { throw error }
      return nil
    }
  }
}

/// The name of a preference, and the host at which its item is kept.
private struct PreferencePlace {
  /// The names of the custom attributes that lead to the identity.
  static let (identity, server) = ("identity", "identity-server")

  let name: String
  let host: HostName

  /// Takes a canonical name of a URL or a domain.
  init(_ name: String, at host: HostName) {
    self.name = name
    self.host = name.hasPrefix("*.") ? HostName(canonical: String(name.dropFirst(2))) : host
  }

  /// Reads a name in any spelling.
  init(_ text: String, _ suffixes: PublicSuffixes) throws(VaultError) {
    if text.contains("://") {
      host = try URLReference(text).host
      name = try IdentityPreference.names(for: text, suffixes: suffixes)[0]
    } else if text.hasPrefix("*.") {
      host = try HostName(String(text.dropFirst(2)))
      name = "*." + host.name
      guard !host.isUnset, !host.isIPAddress, !suffixes.contains(host) else {
        throw VaultError(.invalidArgument, "identity: no preference is for a public suffix")
      }
    } else {
      guard !text.isEmpty else { throw VaultError(.invalidArgument, "identity: no name") }
      (name, host) = (text, .unset)
    }
  }

  /// The query for the preferences at the host.
  var queryOfHost: ItemQuery {
    var query = ItemQuery()
    query.server = host.isUnset ? .unset : .equals(host)
    query.authenticationMethod = .equals(.identityPreference)
    return query
  }

  /// The query for the preference of the name.
  var query: ItemQuery {
    var query = queryOfHost
    query.account = .equals(name)
    return query
  }
}

extension Item {
  /// The identity that a preference leads to; nil if it is malformed.
  fileprivate var preferredIdentity: ItemID? {
    custom[PreferencePlace.identity].flatMap { text in
      do throws(VaultError) {
        return try ItemID(text: text)
      } catch {
        return nil
      }
    }
  }
}
