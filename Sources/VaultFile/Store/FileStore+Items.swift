import SealedTree
package import VaultModel
import VaultSession

extension FileStore: StoreReader {
  package func find(
    _ query: ItemQuery, secrets: Bool
  ) throws(VaultError) -> [InternetPassword] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        try reader.items(matching: query) { (record) throws(VaultError) in
          try reader.item(of: record, secrets: secrets)
        }
      }
    }
  }

  /// The items that answer a space, the best first, and its default user, of one moment.
  ///
  /// - Throws: As ``find(_:secrets:)``.
  package func items(
    of space: ProtectionSpace, secrets: Bool
  ) throws(VaultError) -> (items: [InternetPassword], defaultUser: String?) {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let items = try reader.items(matching: ItemQuery(space)) { (record) throws(VaultError) in
          try reader.item(of: record, secrets: secrets)
        }
        return (items, try reader.defaults(host: space.host).first { $0.space == space }?.user)
      }
    }
  }

  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try defaultUsers(for: [space], of: space.host)[0]
  }

  /// The default users of spaces of one host, in their order, by one look at the file; nil for what has none.
  package func defaultUsers(
    for spaces: [ProtectionSpace], of host: HostName
  ) throws(VaultError) -> [String?] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let records = try reader.defaults(host: host)
        return spaces.map { space in records.first { $0.space == space }?.user }
      }
    }
  }

  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        try reader.defaults(host: nil).bySpace
      }
    }
  }

  /// What matches queries, with its secrets, and the default users of spaces of one host, by one look at the file.
  ///
  /// - Throws: As ``find(_:secrets:)``.
  package func find(
    _ queries: [ItemQuery], defaultsOf spaces: [ProtectionSpace], at host: HostName
  ) throws(VaultError) -> (items: [[InternetPassword]], defaultUsers: [String?]) {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        var items: [[InternetPassword]] = []
        for query in queries {
          items.append(
            try reader.items(matching: query) { (record) throws(VaultError) in
              try reader.item(of: record, secrets: true)
            })
        }
        let records = try reader.defaults(host: host)
        return (items, spaces.map { space in records.first { $0.space == space }?.user })
      }
    }
  }

  /// Looks whether somebody else has changed the file, and tells observers; costs little if nobody has.
  ///
  /// - Throws: As ``find(_:secrets:)``.
  package func look() throws(VaultError) {
    try locked { (file) throws(VaultError) in try file.read { _ in } }
  }

  /// The defaults of a host's spaces.
  ///
  /// - Throws: As ``find(_:secrets:)``.
  package func defaults(of host: HostName) throws(VaultError) -> [ProtectionSpace: String] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in try reader.defaults(host: host).bySpace }
    }
  }

  /// Runs `body` in one write transaction: all of it happens, or nothing.
  ///
  /// - Throws: What `body` throws; ``VaultError/Code/locked``, ``VaultError/Code/readOnly``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``, ``VaultError/Code/outcomeUnknown``.
  package func write<R>(
    _ body: (FileTransaction) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try locked { (file) throws(VaultError) in try file.write(body) }
  }
}
