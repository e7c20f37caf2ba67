import CredentialVault
import Interchange
import VaultModel

extension StoredItem {
  /// Returns the changes that give the item the key and the attributes of another one.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` if that is an item of another kind.
  func changes(to new: StoredItem) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange]
    switch (self, new) {
    case (.internet(let old), .internet(let new)): changes = try Self.changes(of: old, to: new)
    case (.generic, .generic(let new)):
      changes = [.service(new.service), .account(new.account)]
      // A store has filled in the service for a label that no client gave.
      if label.isEmpty { changes.append(.label(new.service)) }
    default: throw Self.otherKind
    }
    for name in custom.keys where new.custom[name] == nil {
      if !name.hasPrefix(AttributeMapping.ownPrefix) { changes.append(.custom(name, nil)) }
    }
    for (name, value) in new.custom { changes.append(.custom(name, value)) }
    return changes
  }

  private static func changes(
    of old: InternetPassword, to new: InternetPassword
  ) throws(VaultError) -> [ItemChange] {
    let servers = (DockerServer(of: old)?.text, DockerServer(of: new)?.text)
    guard servers.0 == servers.1 else { throw otherKind }
    var changes: [ItemChange] = [
      .account(new.account), .server(new.server), .protocol(new.protocol), .port(new.port),
      .authenticationMethod(new.authenticationMethod),
    ]
    // Docker's may be what tells it from another text with the same parts.
    if servers.0 == nil { changes.append(.realm(new.realm)) }
    // Clients begin it with a slash or not.
    let paths = [old.path, new.path].map { $0.drop { $0 == "/" }.utf8 }
    if !paths[0].elementsEqual(paths[1]) { changes.append(.path(new.path)) }
    return changes
  }

  private static let otherKind = VaultError(
    .unsupported, "these attributes mean an item of another kind")
}
