import SecureMemory
import VaultModel

/// Items as lines for people.
enum ItemText {
  /// The number of characters of an id that are shown: 50 bits distinguish the items of a large
  /// vault.
  private static let idLength = 10

  /// Returns the line of an item: `7k3q2m9d0v  https://git.example.com:8443  "Team Git"  ann`.
  static func line(_ item: InternetPassword) -> String {
    line(item.id, item.key) + (isExpired(item) ? "  (expired)" : "")
  }

  /// Returns the line for an id and a key; one without an id begins with its place.
  static func line(_ id: ItemID?, _ key: InternetPassword.Key) -> String {
    let realm = key.realm.isEmpty ? "-" : quoted(key.realm)
    let account = key.account.isEmpty ? "-" : key.account
    return [id.map(self.id), place(key), realm, account].compactMap { $0 }.joined(separator: "  ")
  }

  /// Returns the part of an id that is shown.
  static func id(_ id: ItemID) -> String { String(id.text.prefix(idLength)) }

  /// Returns the item's place, as a URL if it has a protocol.
  private static func place(_ key: InternetPassword.Key) -> String {
    var text = key.protocol == .unset ? "" : "\(key.protocol)://"
    text += host(key.server)
    if key.port != 0 { text += ":\(key.port)" }
    if !key.path.isEmpty { text += key.path.hasPrefix("/") ? key.path : "/" + key.path }
    return text
  }

  /// Returns the host as a URL has it: IPv6 in brackets.
  private static func host(_ host: HostName) -> String {
    if host.isUnset { return "-" }
    return host.name.contains(":") ? "[\(host.name)]" : host.name
  }

  /// Returns the item as a prompt for the secret names it: `ann at https://git.example.com (realm
  /// "Team Git")`.
  static func subject(_ item: InternetPassword) -> String {
    (item.account.isEmpty ? "" : "\(item.account) at ") + place(item.key)
      + (item.realm.isEmpty ? "" : " (realm \(quoted(item.realm)))")
  }

  /// Returns all attributes that are set, with their names, but not the secret.
  static func attributes(_ item: InternetPassword) -> [(name: String, value: String)] {
    var lines = [
      ("id", item.id.text),
      ("server", item.server.name),
      ("protocol", item.protocol.rawValue),
      ("port", item.port == 0 ? "" : String(item.port)),
      ("realm", item.realm),
      ("account", item.account),
      ("path", item.path),
      ("auth", item.authenticationMethod.rawValue),
      ("label", item.label),
      ("comment", item.comment),
      ("kind", item.kind),
      ("creator", code(item.creator)),
      ("type", code(item.type)),
      ("origin", item.origin),
      ("account domain", item.accountDomain),
    ]
    for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
      lines.append(("custom \(name)", value))
    }
    if item.isInvisible { lines.append(("invisible", "yes")) }
    if item.isNegative { lines.append(("negative", "yes")) }
    lines.append(("created", item.created.rfc3339))
    lines.append(("modified", item.modified.rfc3339))
    lines.append(("revision", String(item.revision)))
    lines.append(("secret changed", item.secretChanged.rfc3339))
    for (name, end) in [("expires", item.expires), ("kept until", item.keptUntil)] {
      guard let end else { continue }
      lines.append((name, end.rfc3339 + (end <= Clock.now() ? " (expired)" : "")))
    }
    return lines.filter { !$0.1.isEmpty }
  }

  /// Returns the kind of a secret that is not a password.
  static func secretKind(_ kind: SecretKind) -> String? {
    switch kind {
    case .password: nil
    case .token: "token"
    case .identity: "identity"
    default: String(kind.rawValue)
    }
  }

  static func isExpired(_ item: InternetPassword) -> Bool { item.isExpired(at: Clock.now()) }

  static func code(_ number: UInt32) -> String {
    FourCharacterCode(rawValue: number).description
  }

  static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

extension Output {
  /// Writes an item's attributes, and its secret if it has it, one a line.
  func block(
    _ item: InternetPassword, more: [(name: String, value: String)] = []
  ) throws(VaultError) {
    for (name, value) in ItemText.attributes(item) + more { try line("\(name): \(value)") }
    if let secret = item.secret { try labelled("password", secret) }
    if let token = item.refreshToken { try labelled("refresh token", token) }
  }

  private func labelled(_ name: String, _ secret: Secret) throws(VaultError) {
    let isLine = SecretText.isLine(secret)
    try write(isLine ? "\(name): " : "\(name) (base64): ")
    try write(isLine ? secret : SecretText.base64(secret))
    try write("\n")
  }
}
