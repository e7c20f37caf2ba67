/// The attributes of an item, in the order in which they are shown.
///
/// This is the one table of them: query, change, sealed record, C interface, options and JSON
/// follow from a case here and its entry below. A new attribute is a case, its entry, its public
/// properties (``ExtendedAttributes``, ``ItemQuery``, ``ItemChange``), and its lines in
/// `Documentation/format.md` and `vault.h`.
///
/// The raw value is the tag of the attribute's field in a sealed record. Flags share one field: the
/// raw value of a flag is its bit, shifted left by 16, and the tag of all flags.
package enum Attribute: UInt32, CaseIterable, Sendable {
  case id = 8
  case server = 1
  /// In the server's field: no item has both.
  case service = 0x1_0001
  case account = 2
  case `protocol` = 4
  case port = 6
  case realm = 3
  case path = 7
  case authenticationMethod = 5
  case label = 16
  case comment = 17
  case kind = 18
  case creator = 19
  case type = 20
  case generic = 32
  case certificates = 38
  case origin = 24
  case accountDomain = 23
  case secretKind = 12
  case isInvisible = 0x1_0015
  case isNegative = 0x2_0015
  case custom = 25
  case created = 9
  case modified = 10
  case revision = 11
  case secretChanged = 26
  case expires = 22
  case keptUntil = 31
  case secret = 13
  case refreshToken = 15
  case oneTimePasswordKey = 39
}

/// The form of an attribute's values, which says how each interface writes and reads them.
package enum AttributeForm: Sendable {
  case text
  /// Canonical text of a host, a protocol or an authentication method.
  case host, networkProtocol, method
  case port
  /// Four characters as a number.
  case code
  case flag
  case secretKind
  case data
  /// Any time, including one in the far future.
  case time
  /// The time of an event.
  case moment
  case id
  case revision
  case secret
  /// Texts by their names.
  case custom
}

extension Attribute {
  /// All attributes; `allCases` creates an array each time.
  package static let all = allCases

  // Each is a table look-up: entries are static, and only one part of an entry is read.

  /// Its name in messages.
  package var name: String { entry.name.description }
  package var form: AttributeForm { entry.form }
  /// Its name in JSON documents.
  package var json: String { entry.json.description }
  /// Its constant in `vault.h`; nil if it has functions of its own there, or is absent.
  package var constant: UInt32? { entry.constant }
  /// The four characters of its constant in `vault_keychain.h`; nil if the keychain lacks it.
  package var keychainCode: String? { entry.keychainCode?.description }
  /// The option that sets it and selects by it; nil if there is none.
  package var option: String? { entry.option?.description }
  /// The option's letter, which is that of macOS's `security`.
  package var letter: Unicode.Scalar? { entry.letter }
  /// The placeholder of the option's value in help; nil if it follows from the form.
  package var placeholder: String? { entry.placeholder?.description }
  /// The option's line in help.
  package var summary: String { entry.summary.description }
  /// The maximum number of bytes of a text, of data or of a secret.
  package var longest: Int { entry.longest }
  /// Whether it is a part of the key.
  package var isOfKey: Bool { entry.isOfKey }
  /// Whether only a store sets it.
  package var isReadOnly: Bool { entry.isReadOnly }
  /// Whether it is a secret beside the item's own, which is always sealed inside the item's record.
  package var isFurtherSecret: Bool { Self.furtherSecrets.contains(self) }
  package static let furtherSecrets: [Attribute] = [.refreshToken, .oneTimePasswordKey]

  /// The properties of an attribute, as above.
  private struct Entry {
    let name: StaticString
    let form: AttributeForm
    let json: StaticString
    let constant: UInt32?
    let keychainCode: StaticString?
    let option: StaticString?
    let letter: Unicode.Scalar?
    let placeholder: StaticString?
    let summary: StaticString
    let longest: Int
    let isOfKey: Bool
    let isReadOnly: Bool

    @inline(__always)
    init(
      _ name: StaticString, _ form: AttributeForm, json: StaticString, constant: UInt32? = nil,
      keychain: StaticString? = nil, option: StaticString? = nil, _ letter: Unicode.Scalar? = nil,
      placeholder: StaticString? = nil, summary: StaticString? = nil,
      longest: Int = Item.longestText, isOfKey: Bool = false, isReadOnly: Bool = false
    ) {
      self.name = name
      self.form = form
      self.json = json
      self.constant = constant
      keychainCode = keychain
      self.option = option
      self.letter = letter
      self.placeholder = placeholder
      self.summary = summary ?? name
      self.longest = longest
      self.isOfKey = isOfKey
      self.isReadOnly = isReadOnly
    }
  }

  @inline(__always)
  private var entry: Entry {
    switch self {
    case .id: Entry("id", .id, json: "id", constant: 19, isReadOnly: true)
    case .server:
      Entry(
        "server", .host, json: "server", constant: 3, keychain: "srvr", option: "server", "s",
        isOfKey: true)
    case .service:
      Entry(
        "service", .text, json: "service", constant: 26, keychain: "svce", option: "service",
        summary: "service of a generic password", isOfKey: true)
    case .account:
      Entry(
        "account", .text, json: "account", constant: 1, keychain: "acct", option: "account", "a",
        placeholder: "ACCOUNT", summary: "account, \"\" for none", isOfKey: true)
    case .protocol:
      Entry(
        "protocol", .networkProtocol, json: "protocol", constant: 4, keychain: "ptcl",
        option: "protocol", "r", summary: "protocol, or its keychain code", isOfKey: true)
    case .port:
      Entry(
        "port", .port, json: "port", constant: 6, keychain: "port", option: "port", "P",
        isOfKey: true)
    case .realm:
      Entry(
        "realm", .text, json: "realm", constant: 2, keychain: "sdmn", option: "realm", "d",
        placeholder: "REALM", summary: "realm (the keychain's security domain)", isOfKey: true)
    case .path:
      Entry(
        "path", .text, json: "path", constant: 7, keychain: "path", option: "path", "p",
        placeholder: "PATH", isOfKey: true)
    case .authenticationMethod:
      Entry(
        "authentication method", .method, json: "auth", constant: 5, keychain: "atyp",
        option: "auth", "t", summary: "authentication method, or its keychain code",
        isOfKey: true)
    case .label:
      Entry(
        "label", .text, json: "label", constant: 8, keychain: "labl", option: "label", "l")
    case .comment:
      Entry(
        "comment", .text, json: "comment", constant: 9, keychain: "icmt", option: "comment", "j",
        longest: 64 << 10)
    case .kind:
      Entry(
        "kind", .text, json: "kind", constant: 10, keychain: "desc", option: "kind", "D")
    case .creator:
      Entry(
        "creator", .code, json: "creator", constant: 13, keychain: "crtr", option: "creator", "c",
        summary: "creator, four characters")
    case .type:
      Entry(
        "type", .code, json: "type", constant: 14, keychain: "type", option: "type", "C",
        summary: "type, four characters")
    case .generic:
      Entry(
        "generic attribute", .data, json: "generic", constant: 27, keychain: "gena",
        option: "generic", summary: "data of a generic password, as text")
    // The leaf and its issuers by DER, one after the other, so that no list opens a secret.
    case .certificates: Entry("certificates", .data, json: "certificates", longest: 64 << 10)
    case .origin:
      Entry(
        "origin", .text, json: "origin", constant: 11, option: "origin",
        summary: "origin, such as app, git or docker")
    case .accountDomain:
      Entry(
        "account domain", .text, json: "account_domain", constant: 12, option: "account-domain",
        placeholder: "DOMAIN", summary: "account domain of NTLM")
    case .secretKind:
      Entry(
        "secret kind", .secretKind, json: "secret_kind", constant: 18, option: "secret-kind",
        summary: "what the secret is")
    case .isInvisible:
      Entry(
        "invisible", .flag, json: "invisible", constant: 15, keychain: "invi", option: "invisible",
        summary: "whether lists leave it out")
    case .isNegative:
      Entry(
        "negative", .flag, json: "negative", constant: 16, keychain: "nega", option: "negative",
        summary: "never store a password here; always ask")
    case .custom:
      Entry(
        "custom attribute", .custom, json: "custom", option: "custom", placeholder: "NAME=VALUE",
        summary: "a custom attribute; more with more of these")
    case .created:
      Entry(
        "created", .moment, json: "created", constant: 20, keychain: "cdat", isReadOnly: true)
    case .modified:
      Entry(
        "modified", .moment, json: "modified", constant: 21, keychain: "mdat", isReadOnly: true)
    case .secretChanged:
      Entry("secret changed", .moment, json: "secret_changed", isReadOnly: true)
    case .expires:
      Entry(
        "expires", .time, json: "expires", constant: 17, option: "expires",
        summary: "2027-01-31, 90d (s m h d w y), RFC 3339, or never")
    case .keptUntil: Entry("kept until", .time, json: "kept_until", isReadOnly: true)
    case .revision:
      Entry("revision", .revision, json: "revision", constant: 22, isReadOnly: true)
    case .secret: Entry("secret", .secret, json: "secret", longest: 1 << 20)
    case .refreshToken:
      Entry("refresh token", .secret, json: "refresh_token", longest: 8192)
    case .oneTimePasswordKey:
      Entry("one-time password key", .secret, json: "totp_key", longest: 4096)
    }
  }
}
