package import SecureMemory
package import VaultModel

/// An entry while its fields are read, in the terms that password managers share.
///
/// It decides for all formats what becomes of a name, an address, a note: see ``entry()``.
package struct EntryDraft {
  package let place: Place
  /// The name for people, which becomes the label, or the service if there is no host.
  package var title = ""
  package var account = ""
  package var realm = ""
  package var accountDomain = ""
  package var authenticationMethod = AuthenticationMethod.default
  package var origin = ""
  package var secret: Secret?
  package var secretKind = SecretKind.password
  package var refreshToken: Secret?
  package var created: Timestamp?
  /// The time of the last change of the entry, or of the password if the format has it.
  package var modified: Timestamp?
  package var expires: Timestamp?
  /// The reason to leave the entry out, if there is one.
  package var exclusion: Exclusion?
  package private(set) var comment = ""
  package private(set) var custom: [String: String] = [:]
  private let path: Address.PathMeaning
  private let assumedProtocol: NetworkProtocol
  private var addresses: [Address] = []
  private var remarks: [Remark: [String]] = [:]

  /// Creates an entry without fields.
  ///
  /// - Parameters:
  ///   - place: Its place in the file.
  ///   - path: The meaning of the paths of its addresses.
  ///   - options: The protocol of addresses that have none.
  package init(_ place: Place, path: Address.PathMeaning, _ options: ReadingOptions) {
    self.place = place
    self.path = path
    assumedProtocol = options.assumedProtocol
  }

  /// Remarks on a part of the entry, by its name if it has one.
  package mutating func remark(_ remark: Remark, _ name: String = "") {
    remarks[remark, default: []] += name.isEmpty ? [] : [name]
  }

  /// Adds an address, without the password in it; an empty one is ignored, and one whose host or port
  /// is none is kept as text.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is not UTF-8.
  package mutating func addAddress(_ bytes: RawSpan) throws(VaultError) {
    let parts = AddressParts(bytes)
    guard !Self.isOneTimePassword(bytes, parts) else { return remark(.oneTimePassword) }
    if parts.password != nil { remark(.passwordInAddress) }
    guard let address = try address(bytes, parts) else { return }
    if case .network(_, let user) = address {
      if parts.scheme == nil { remark(.protocolAssumed) }
      if account.isEmpty, let user { account = user }
    }
    addresses.append(address)
  }

  private func address(
    _ bytes: RawSpan, _ parts: AddressParts
  ) throws(VaultError) -> Address? {
    do throws(VaultError) {
      return try Address(bytes, parts, path: path, assumed: assumedProtocol)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      let scheme = try parts.scheme.map { (range) throws(VaultError) in
        try Bytes.text(bytes.extracting(range), "address") + "://"
      }
      return .text(try (scheme ?? "") + Bytes.text(bytes.extracting(parts.rest), "address"))
    }
  }

  /// Adds a server that is known by its parts.
  package mutating func addAddress(_ url: URLReference) {
    addresses.append(.network(url, user: url.user))
  }

  /// Adds lines to the comment, without those that hold the key of one-time passwords.
  package mutating func addComment(_ text: String) {
    guard !text.isEmpty else { return }
    var text = text
    if text.contains("otpauth://") {
      remark(.oneTimePassword)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      text = lines.filter { !$0.contains("otpauth://") }.joined(separator: "\n")
    }
    comment += (comment.isEmpty || text.isEmpty ? "" : "\n") + text
  }

  /// Adds a custom attribute, or a line of the comment if it is too long for one, unless the name
  /// or the text says that it is a secret.
  package mutating func addCustom(_ name: String, _ text: String) {
    guard !text.isEmpty else { return }
    if text.contains("otpauth://") || Self.isOneTimePassword(name) {
      remark(.oneTimePassword, name)
    } else if Self.isSecret(name) {
      remark(.secretField, name)
    } else if name.isEmpty || max(name.utf8.count, text.utf8.count) > Attribute.custom.longest
      || custom.count == Item.mostCustomAttributes
    {
      addComment(name.isEmpty ? text : "\(name): \(text)")
    } else {
      custom[unused(name)] = text
    }
  }

  /// Adds a custom attribute as above; what its name says to be secret never becomes text.
  package mutating func addCustom(_ name: String, _ bytes: RawSpan) throws(VaultError) {
    if Self.isOneTimePassword(name) || Bytes.contains(bytes, "otpauth://") {
      remark(.oneTimePassword, name)
    } else if Self.isSecret(name) {
      remark(.secretField, name)
    } else {
      addCustom(name, try Bytes.text(bytes, "custom attribute"))
    }
  }

  /// Returns the name, or with a number behind it if the entry has had it.
  private func unused(_ name: String) -> String {
    guard custom[name] != nil else { return name }
    return (2...).lazy.map { "\(name) \($0)" }.first { custom[$0] == nil } ?? name
  }

  /// Returns whether a field's name says that its value is to be kept secret.
  package static func isSecret(_ name: String) -> Bool {
    let name = name.lowercasedASCII
    return ["pass", "secret", "token", "pin", "puk", "cvv", "cvc", "private", "recovery", "seed"]
      .contains { word in
        word.utf8.count > 3 ? name.contains(word) : name == word || name.hasSuffix(" " + word)
      } || name.hasSuffix("key") || name.hasSuffix("code")
  }

  private static func isOneTimePassword(_ name: String) -> Bool {
    let name = name.lowercasedASCII
    return name.contains("otp") || name.contains("2fa")
  }

  /// Returns whether an address is, or has somewhere in it, that of a one-time password, whose key
  /// must not become text.
  private static func isOneTimePassword(_ bytes: RawSpan, _ parts: AddressParts) -> Bool {
    let scheme = parts.scheme.flatMap { Bytes.textOrNil(bytes.extracting($0)) }?.lowercasedASCII
    switch scheme {
    // Of these no text is kept but the host and the path.
    case "http", "https": return false
    case "otpauth": return true
    default: return Bytes.contains(bytes, "otpauth://")
    }
  }

  /// Returns the entry: an item for each host, or, without a host, a generic password whose service
  /// is the title.
  ///
  /// Without title, address, account and password it is a note. Without a password alone it is
  /// rejected.
  package func entry() -> Entry {
    if let exclusion { return entry(.leftOut(exclusion)) }
    guard let secret, secret.count > 0 else {
      let isNote = addresses.isEmpty && account.isEmpty
      return entry(isNote ? .leftOut(.note) : .rejected("no password"))
    }
    var draft = self
    do throws(VaultError) {
      let items = try draft.items(secret)
      for item in items { try item.validate() }
      return draft.entry(.items(items))
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

  private mutating func items(_ secret: Secret) throws(VaultError) -> [Item] {
    var items: [Item] = []
    var other: String?
    for address in addresses {
      switch address {
      case .network(let url, _):
        let key = Item.Key(
          account: account, realm: realm, server: url.host, protocol: url.protocol,
          authenticationMethod: authenticationMethod, port: url.port ?? 0, path: url.path)
        if !items.contains(where: { $0.key == key || $0.key == key.withOtherPort }) {
          items.append(item(key, secret))
        }
      case .app(let text), .text(let text):
        remark(.addressKeptAsText)
        other = other ?? text
      }
    }
    if items.isEmpty {
      let service = title.isEmpty ? other ?? "" : title
      guard !service.isEmpty else {
        throw VaultError(.invalidData, "neither a name nor an address")
      }
      items.append(item(Item.Key(service: service, account: account), secret))
    }
    keepTexts(&items)
    return items
  }

  /// Keeps the addresses that are no servers as custom attributes.
  private func keepTexts(_ items: inout [Item]) {
    let texts = addresses.compactMap(\.text)
      .filter { [service = items[0].key.service] text in !text.hasSameBytes(as: service) }
    guard !texts.isEmpty else { return }
    var draft = self
    for text in texts { draft.addCustom("address", text) }
    for index in items.indices {
      items[index].custom = draft.custom
      items[index].comment = draft.comment
    }
  }

  private func item(_ key: Item.Key, _ secret: Secret) -> Item {
    let now = Timestamp.now()
    // A time in the future would let a secret outlive its policy.
    let modified = min(self.modified ?? created ?? now, now)
    var item = Item(
      id: .unset, key: key, created: min(created ?? modified, now), modified: modified)
    item.secretChanged = modified
    item.label = title
    item.secret = secret
    item.secretKind = secretKind
    item.refreshToken = refreshToken
    item.expires = expires
    item.comment = comment
    item.custom = custom
    item.origin = origin
    if key.itemClass == .internetPassword { item.accountDomain = accountDomain }
    return item
  }
}
