extension InternetPassword.Key {
  /// The space in which an item with this key is used; nil without a server.
  package var space: ProtectionSpace? {
    guard itemClass == .internetPassword else { return nil }
    do throws(VaultError) {
      return try ProtectionSpace(
        host: server, port: port, protocol: `protocol`, realm: realm,
        authenticationMethod: authenticationMethod)
    } catch {
      return nil
    }
  }
}

extension InternetPassword {
  /// The space in which the item is used; nil without a server.
  package var space: ProtectionSpace? { key.space }
}

extension InternetPassword: Identifiable {}

extension InternetPassword: CustomStringConvertible {
  /// The item without its secret: `ann at https://git.example.com "Team Git", permanent`.
  ///
  /// An item without a server is shown by its label. Others may have chosen these texts, so quotes,
  /// control and formatting characters are escaped.
  public var description: String {
    guard key.itemClass == .internetPassword else { return GenericPassword(self).description }
    let user = account.isEmpty ? "" : "\(account.escaped) at "
    let place = space.map { "\($0)" } ?? "\"\(label.escaped)\""
    return user + place + (path.isEmpty ? "" : ", path \(path.escaped)") + ", \(persistence)"
  }
}
