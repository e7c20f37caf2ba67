import SealedTree
package import VaultModel

/// The defaults of spaces, which refer to users.
extension FileTransaction {
  /// Returns the default user of a space.
  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try editor.defaults(host: space.host).first { $0.space == space }?.user
  }

  /// Returns all defaults.
  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try editor.defaults(host: nil).bySpace
  }

  /// Makes a user the default of a space, or clears it.
  package func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    let route = Route.space(space)
    let old = try editor.defaults(host: space.host).first { $0.space == space }
    guard var record = old else {
      guard let user else { return }
      let body = DefaultRecord(space: space, user: user).encoded
      try editor.insert(Record(kind: RecordKind.defaultUser, body: body), at: route)
      try log(.defaultSet, space, user)
      note(.defaultChanged(space))
      return
    }
    if let user, record.user.utf8.elementsEqual(user.utf8) { return }
    let (oldBody, before) = (record.encoded, record.user)
    record.user = user ?? ""
    let wasThere = try editor.replace(at: route, with: user == nil ? nil : record.encoded) {
      $0.kind == RecordKind.defaultUser && $0.body == oldBody
    }
    guard wasThere else { throw VaultError(.damaged, "a default is where no lookup finds it") }
    try log(user == nil ? .defaultCleared : .defaultSet, space, user ?? before)
    note(.defaultChanged(space))
  }
}

extension FileTransaction {
  private func log(
    _ operation: LoggedChange.Operation, _ space: ProtectionSpace, _ user: String
  ) throws(VaultError) {
    try log(operation, key: InternetPassword(space: space, account: user, secret: nil).key)
  }
}

extension [DefaultRecord] {
  var bySpace: [ProtectionSpace: String] {
    Dictionary(map { ($0.space, $0.user) }, uniquingKeysWith: { $1 })
  }
}
