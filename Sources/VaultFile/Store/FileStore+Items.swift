import SealedTree
package import SecureMemory
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

  /// Returns the items that answer a space, the best first, and its default user, from one moment.
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

  /// Returns the default users of spaces of one host, in their order, with one read of the file;
  /// nil for those without one.
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

  /// Returns the matches of queries, with secrets, and the default users of spaces of one host,
  /// with one read of the file.
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

  /// Returns an item with its secrets if only its own time has passed, and without them if a
  /// policy's has.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; else as ``find(_:secrets:)``.
  package func itemToCopy(
    _ id: ItemID, hint: InternetPassword.Key
  ) throws(VaultError) -> InternetPassword {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        guard let record = try reader.item(id, hint: hint) else {
          throw VaultError(.itemNotFound, "no item has the id \(id)")
        }
        let isOver = record.item.keptUntil.map { $0 <= reader.clock.now() } ?? false
        return isOver ? record.item : try reader.opened(record)
      }
    }
  }

  /// Checks whether anyone else has changed the file, and tells observers; cheap if nobody has.
  ///
  /// - Returns: The generation of the file now.
  /// - Throws: As ``find(_:secrets:)``.
  @discardableResult
  package func look() throws(VaultError) -> UInt64 {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in try file.requireUnlocked().head.generation }
    }
  }

  /// Returns the defaults of a host's spaces.
  ///
  /// - Throws: As ``find(_:secrets:)``.
  package func defaults(of host: HostName) throws(VaultError) -> [ProtectionSpace: String] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in try reader.defaults(host: host).bySpace }
    }
  }

  /// Runs `body` in one write transaction, which takes effect completely or not at all.
  ///
  /// - Throws: The errors of `body`; ``VaultError/Code/locked``, ``VaultError/Code/readOnly``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``,
  ///   ``VaultError/Code/outcomeUnknown``.
  package func write<R>(
    _ body: (FileTransaction) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try writing { (file) throws(VaultError) in try file.write(body) }
  }
}

extension FileStore {
  /// Returns the refresh token of an item, unless its policy's time is over; nil if it has none.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func refreshToken(
    of id: ItemID, hint: InternetPassword.Key
  ) throws(VaultError) -> Secret? {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        guard let record = try reader.item(id, hint: hint) else {
          throw VaultError(.itemNotFound, "no item has the id \(id)")
        }
        return try reader.refreshToken(of: record)
      }
    }
  }
}
