import SecureMemory
package import VaultModel

/// Items as lines for people.
package enum ItemText {
  /// Returns a number of items: `1 item`, `2 items`.
  static func count(_ count: Int) -> String { count == 1 ? "1 item" : "\(count) items" }

  /// The number of characters of an id that are shown: 50 bits distinguish the items of a large
  /// vault.
  private static let idLength = 10

  /// Returns the line of an item: `7k3q2m9d0v  https://git.example.com:8443  "Team Git"  ann`, with
  /// the path of its vault at the end if that is given.
  package static func line(_ item: Item, in vault: String? = nil) -> String {
    line(item.id, item.key) + (isExpired(item) ? "  (expired)" : "")
      + (item.persistence == .session ? "  (session)" : "")
      + (vault.map { "  \($0)" } ?? "")
  }

  /// Returns the line for an id and a key; one without an id begins with its place.
  static func line(_ id: ItemID?, _ key: Item.Key) -> String {
    let realm = key.realm.isEmpty ? "-" : quoted(key.realm)
    let account = key.account.isEmpty ? "-" : key.account
    return [id.map(self.id), place(key), realm, account].compactMap { $0 }.joined(separator: "  ")
  }

  /// Returns the name of a class in JSON documents.
  static func name(_ itemClass: ItemClass) -> String {
    switch itemClass {
    case .internetPassword: "internet"
    case .genericPassword: "generic"
    }
  }

  /// Returns the part of an id that is shown.
  package static func id(_ id: ItemID) -> String { String(id.text.prefix(idLength)) }

  /// Returns the item's place: its service, or its server as a URL if it has a protocol.
  package static func place(_ key: Item.Key) -> String {
    if key.itemClass == .genericPassword { return "service \(quoted(key.service))" }
    var text = key.protocol == .unset ? "" : "\(key.protocol)://"
    text += host(key.server)
    if key.port != 0 { text += ":\(key.port)" }
    if !key.path.isEmpty { text += key.path.hasPrefix("/") ? key.path : "/" + key.path }
    return text
  }

  /// Returns the host as a URL has it: IPv6 in brackets.
  private static func host(_ host: HostName) -> String {
    if host.isUnset { return "-" }
    return host.name.contains(":") ? "[\(host.name)]" : shown(host)
  }

  /// Returns the label; empty if it is the one that an item gets without one, which says nothing
  /// new: its server or service, else its account.
  static func ownLabel(of item: Item) -> String {
    let key = item.key
    let others = [key.itemClass == .genericPassword ? key.service : key.server.name, key.account]
    return others.contains(item.label) ? "" : item.label
  }

  /// Returns the item as a prompt for the secret names it: `ann at https://git.example.com (realm
  /// "Team Git")`.
  static func subject(_ item: Item) -> String {
    (item.account.isEmpty ? "" : "\(item.account) at ") + place(item.key)
      + (item.realm.isEmpty ? "" : " (realm \(quoted(item.realm)))")
  }

  /// Returns all attributes that are set, with their names, but not the secret.
  static func attributes(_ item: Item) -> [(name: String, value: String)] {
    let others = Attribute.all.filter { $0 != .id && !$0.isOfKey }
    let shown = shown(item.server)
    return [("id", item.id.text)]
      + (key + others).flatMap { attribute in
        // A name in other letters, and the one that is compared.
        attribute == .server && shown != item.server.name
          ? [("server", "\(shown) (\(item.server.name))")] : lines(attribute, of: item)
      }
      + (item.persistence == .session ? [("persistence", "session")] : [])
  }

  /// The parts of a key in the order of a URL, with which a line begins too.
  private static let key: [Attribute] = [
    .service, .server, .protocol, .port, .realm, .account, .path, .authenticationMethod,
  ]

  /// Returns the value of one attribute that is not a secret, as an option takes it; empty if it is
  /// unset, or data that is not text.
  static func value(_ attribute: Attribute, of item: Item) -> String {
    switch (attribute.form, item[attribute]) {
    case (.id, _): item.id.text
    case (_, .time(let time)): time.rfc3339
    case (_, .data(let bytes)): String(validating: bytes, as: UTF8.self) ?? ""
    default: lines(attribute, of: item).first?.value ?? ""
    }
  }

  /// Returns the lines of one attribute: none if it is unset.
  private static func lines(
    _ attribute: Attribute, of item: Item
  ) -> [(name: String, value: String)] {
    let name = attribute.isOfKey ? attribute.option ?? "" : attribute.name
    switch (attribute.form, item[attribute]) {
    case (.revision, _): return [(name, String(item.revision))]
    case (.secretKind, _): return secretKind(item.secretKind).map { [(name, $0)] } ?? []
    case (.code, .number(let number)): return [(name, code(number))]
    case (_, .text(let text)): return [(name, text)]
    case (_, .number(let number)): return [(name, String(number))]
    case (_, .flag): return [(name, "yes")]
    case (_, .data(let bytes)) where attribute == .certificates:
      return [(name, "\(bytes.count) bytes")]
    case (_, .data(let bytes)): return [("\(name) (base64)", Base64.encode(bytes))]
    case (.time, .time(let end)):
      return [(name, end.rfc3339 + (end <= Clock.now() ? " (expired)" : ""))]
    case (_, .time(let time)): return [(name, time.rfc3339)]
    case (_, .custom(let texts)):
      return sorted(texts).map { ("custom \($0)", $1) }
    case (.secret, _) where attribute == .oneTimePasswordKey && item.hasOneTimePasswordKey:
      return [("one-time password", "yes")]
    case (_, .secret), (_, nil): return []
    }
  }

  /// Returns the custom attributes in the order in which they are shown.
  static func sorted(_ texts: [String: String]) -> [(key: String, value: String)] {
    texts.sorted { $0.key < $1.key }
  }

  /// Returns the kind of a secret that is not a password.
  static func secretKind(_ kind: SecretKind) -> String? {
    guard kind != .password else { return nil }
    guard !kind.needsPIN else {
      return (secretKind(kind.withoutPIN) ?? Values.secretKinds[0]) + " with a PIN"
    }
    let words = Values.secretKinds
    return words.indices.contains(Int(kind.rawValue))
      ? words[Int(kind.rawValue)] : String(kind.rawValue)
  }

  static func isExpired(_ item: Item) -> Bool { item.isExpired(at: Clock.now()) }

  static func code(_ number: UInt32) -> String {
    FourCharacterCode(rawValue: number).description
  }

  package static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

extension Output {
  /// Writes an item's attributes, and its secret if it has it, one a line.
  func block(
    _ item: Item, more: [(name: String, value: String)] = []
  ) throws(VaultError) {
    for (name, value) in ItemText.attributes(item) + more { try line("\(name): \(value)") }
    if let secret = item.secret { try labelled("secret", secret) }
    for attribute in Attribute.furtherSecrets {
      if let secret = item[secret: attribute] { try labelled(attribute.name, secret) }
    }
  }

  private func labelled(_ name: String, _ secret: Secret) throws(VaultError) {
    let isLine = SecretText.isLine(secret)
    try write(isLine ? "\(name): " : "\(name) (base64): ")
    try write(isLine ? secret : Base64.encode(secret))
    try write("\n")
  }
}
