import SecureMemory
package import VaultModel

// The items that become of an entry.
extension EntryDraft {
  /// Returns the entry: an item for each host, or, without a host, a generic password whose service
  /// is the title.
  ///
  /// Secrets beside the password are one further item.
  ///
  /// An entry that is no login is a generic password of its kind, whose secret is all that the
  /// entry keeps secret, and so is a login without a password. An empty one is left out.
  package mutating func entry() -> Entry {
    if let exclusion {
      // A folder's note is not in its entries.
      let hasNote = exclusion == .folder && !comment.isEmpty
      return entry(.leftOut(hasNote ? .notAnEntry : exclusion))
    }
    takeOtherAccounts()
    let now = Timestamp.now()
    keepTimes(after: now)
    do throws(VaultError) {
      let isLogin = kind.isEmpty && secret.map { $0.count > 0 || path == .scope } ?? false
      guard let items = isLogin ? try logins(now) : try others(now) else {
        let isEmpty = addresses.isEmpty && account.isEmpty
        return entry(isEmpty ? .leftOut(.empty) : .rejected("no password"))
      }
      let more = isLogin && !further.isEmpty ? [try furtherItem(beside: items[0])] : []
      return Entry(
        place, .items(items), title: title, remarks: remarks, further: more, previous: previous)
    } catch {
      return entry(rejectedBy: error)
    }
  }

  /// Returns the entry as rejected by an error, with its title.
  package func entry(rejectedBy error: VaultError) -> Entry {
    Entry(place, .rejected(error.text), title: title)
  }

  private func entry(_ content: Entry.Content) -> Entry {
    Entry(place, content, title: title, remarks: remarks)
  }

  private mutating func takeOtherAccounts() {
    for (name, other) in otherAccounts where !other.hasSameBytes(as: account) {
      if account.isEmpty { account = other } else { addCustom(name, other) }
    }
    otherAccounts = []
  }

  /// Keeps as text when the entry was made and changed, if that is still to come: as the item's
  /// time it would let a secret outlive its policy.
  private mutating func keepTimes(after now: Timestamp) {
    if let time = created, time > now {
      addCustom("created", time.rfc3339)
      created = nil
    }
    if let time = modified, time > now {
      addCustom("modified", time.rfc3339)
      modified = nil
    }
  }

  /// Returns the items of a login.
  private mutating func logins(_ now: Timestamp) throws(VaultError) -> [Item]? {
    let serverCount = addresses.indices.count { addresses[$0].isServer }
    let service =
      serverCount == 0 ? (title.isEmpty ? addresses.first?.name ?? "" : title) : ""
    guard serverCount > 0 || !service.isEmpty else {
      throw VaultError(.invalidData, "neither a name nor an address")
    }
    if serverCount < addresses.count {
      remark(.addressKeptAsText)
      try keep(addresses.filter { !$0.isServer }, besides: service)
    }
    let comment = commentText()
    nameTooLong()
    guard serverCount > 0 else {
      keepPartsOfSpace()
      return [try item(Item.Key(service: service, account: account), comment, now)]
    }
    var items: [Item] = []
    for case .network(let url, _) in addresses {
      let key = Item.Key(
        account: account, realm: realm, server: url.host, protocol: url.protocol,
        authenticationMethod: authenticationMethod, port: url.port ?? 0, path: url.path)
      if !items.contains(where: { $0.key == key || $0.key == key.withOtherPort }) {
        items.append(try item(key, comment, now))
      }
    }
    return items
  }

  /// Keeps what only an item of a host has an attribute for.
  private mutating func keepPartsOfSpace() {
    addCustom("realm", realm)
    addCustom("account domain", accountDomain)
    if authenticationMethod != .default {
      addCustom("authentication method", authenticationMethod.rawValue)
    }
  }

  /// Returns the item of a note, a card or another kind of entry, and of a login without a
  /// password; nil if it keeps nothing secret.
  private mutating func others(_ now: Timestamp) throws(VaultError) -> [Item]? {
    if let secret, secret.count > 0 { addSecret("password", secret) }
    let service = title.isEmpty ? addresses.first?.name ?? kind : title
    try keep(addresses, besides: service)
    keepPartsOfSpace()
    // Of a password manager that is an entry; of a store of passwords one that was not given.
    let isEntry = !kind.isEmpty || path == .page
    if isEntry, comment.isEmpty, further.isEmpty, oneTimePasswordKey == nil { sealCustom() }
    var content = SecretLines.join(comment + furtherLines())
    if content.count == 0, let oneTimePasswordKey { content = oneTimePasswordKey }
    guard content.count > 0 else { return nil }
    // They are the item's own.
    remarks[.furtherSecrets] = nil
    guard !service.isEmpty else { throw VaultError(.invalidData, "neither a name nor an address") }
    var item = try item(Item.Key(service: service, account: account), "", now)
    item.secret = content
    item.kind = kind.isEmpty ? "login without a password" : kind
    try item.validate()
    return [item]
  }

  /// Makes a secret of the attributes of an entry that has nothing else to tell, such as a person's
  /// name and address.
  private mutating func sealCustom() {
    let ofEntry = custom.filter { !Self.isPlace($0.key) }
    for (name, value) in ofEntry.sorted(by: { $0.key < $1.key }) {
      custom[name] = nil
      further.append((name, Secret(value)))
    }
  }

  /// Returns whether a custom attribute, perhaps with a number, only says where the entry is.
  private static func isPlace(_ name: String) -> Bool {
    let parts = name.split(separator: " ")
    return ["folder", "tags", wholeAddress].contains { $0 == parts.first ?? "" }
      && (parts.count == 1 || parts.count == 2 && Int(parts[1]) != nil)
  }

  private func item(
    _ key: Item.Key, _ comment: String, _ now: Timestamp
  ) throws(VaultError) -> Item {
    // A time in the future would let a secret outlive its policy.
    let modified = min(self.modified ?? created ?? now, now)
    var item = Item(
      id: .unset, key: key, created: min(created ?? modified, now), modified: modified)
    item.secretChanged = min(secretChanged ?? modified, modified)
    item.label = title
    item.secret = secret
    item.secretKind = secretKind
    // Most are not set, and setting nothing costs as much, a hundred thousand times.
    if let refreshToken { item.refreshToken = refreshToken }
    if let oneTimePasswordKey { item.oneTimePasswordKey = oneTimePasswordKey }
    if let expires { item.expires = expires }
    if !comment.isEmpty { item.comment = comment }
    if !origin.isEmpty { item.origin = origin }
    if key.itemClass == .internetPassword, !accountDomain.isEmpty {
      item.accountDomain = accountDomain
    }
    if !custom.isEmpty { item.custom = custom }
    try item.validate()
    return item
  }

  // MARK: Further secrets

  /// Returns the comment as text; if it can be none, or has a key in it, it becomes a further
  /// secret.
  private mutating func commentText() -> String {
    guard !comment.isEmpty else { return "" }
    let lines = SecretLines.join(comment)
    let text = lines.withRawBytes { bytes in
      bytes.byteCount <= Attribute.comment.longest && Bytes.problem(bytes) == nil
        && !Self.holdsKey(bytes) ? Bytes.textOrNil(bytes) : nil
    }
    if text == nil { addSecret("comment", lines) }
    return text ?? ""
  }

  /// Names the further secrets for which one secret has no more room.
  private mutating func nameTooLong() {
    var count = 0
    for (name, value) in further {
      let added = name.utf8.count + value.count + 3
      if count + added <= InterchangeLimit.secret {
        count += added
      } else {
        remark(.otherField, name)
      }
    }
  }

  /// Returns the further secrets, a line each with its name, as many as one secret can hold.
  private func furtherLines() -> [Secret] {
    var room = InterchangeLimit.secret
    return further.compactMap { name, value in
      let added = name.utf8.count + value.count + 3
      guard added <= room else { return nil }
      room -= added
      var line = SecretBuffer(capacity: name.utf8.count + 2 + value.count)
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      unsafe line.append("\(name): ".utf8.span.bytes)
      value.withRawBytes { line.append($0) }
      return line.secret(0..<line.count)
    }
  }

  /// Returns the item with the further secrets.
  private func furtherItem(beside item: Item) throws(VaultError) -> Item {
    let name = title.isEmpty ? item.key.server.name : title
    var more = Item(
      id: .unset, key: Item.Key(service: "\(name) (further secrets)", account: account),
      created: item.created, modified: item.modified)
    more.secretChanged = item.secretChanged
    more.label = more.key.service
    more.secret = SecretLines.join(furtherLines())
    more.kind = "further secrets"
    try more.validate()
    return more
  }
}
