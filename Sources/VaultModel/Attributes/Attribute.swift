/// The attributes of an item, in the order in which they are shown.
///
/// This is the one table of them: query, change, sealed record, C interface, options and JSON follow from a case here and
/// its ``descriptor``. A new attribute is a case, its descriptor, the properties that make it public
/// (``ExtendedAttributes``, ``ItemQuery``, ``ItemChange``), and its lines in `Documentation/format.md` and `vault.h`.
///
/// The raw value is the tag of the attribute's field in a sealed record. Flags share one field: theirs is the flag's bit,
/// shifted left by 16, and the tag of all flags.
package enum Attribute: UInt32, CaseIterable, Sendable {
  case id = 8
  case server = 1
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
}

/// What the values of an attribute are, and so how each interface writes and reads them.
package enum AttributeForm: Sendable {
  case text
  /// Text that is canonical: of a host, a protocol, an authentication method.
  case host, networkProtocol, method
  case port
  /// Four characters as a number.
  case code
  case flag
  case secretKind
  /// Any time, also a deadline that nobody lives to see.
  case time
  /// When something happened.
  case moment
  case id
  case revision
  case secret
  /// Texts by their names.
  case custom
}

/// What there is to know of an attribute beside its values.
///
/// Its texts are static, so that of a descriptor that is asked for one part only that part is looked up.
package struct AttributeDescriptor: Sendable {
  /// How messages and people call it.
  package let name: StaticString
  package let form: AttributeForm
  /// Its name in JSON documents.
  package let json: StaticString
  /// Its constant in `vault.h`; nil if it has functions of its own there, or none.
  package let constant: UInt32?
  /// The four characters of its constant in `vault_keychain.h`; nil if the keychain does not have it.
  package let keychainCode: StaticString?
  /// The option that sets it and selects by it; nil if none does.
  package let option: StaticString?
  /// The option's letter, which is that of macOS's `security`.
  package let letter: Unicode.Scalar?
  /// What stands for the option's value in help; nil where the form says it.
  package let placeholder: StaticString?
  /// The option's line in help.
  package let summary: StaticString
  /// The most bytes of a text or secret.
  package let longest: Int
  /// Whether it is one of the seven that are unique in a vault.
  package let isOfKey: Bool
  /// Whether only a store sets it.
  package let isReadOnly: Bool

  @inline(__always)
  fileprivate init(
    _ name: StaticString, _ form: AttributeForm, json: StaticString, constant: UInt32? = nil,
    keychain: StaticString? = nil, option: StaticString? = nil, _ letter: Unicode.Scalar? = nil,
    placeholder: StaticString? = nil, summary: StaticString? = nil,
    longest: Int = InternetPassword.longestText,
    isOfKey: Bool = false,
    isReadOnly: Bool = false
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

extension Attribute {
  /// What there is to know of it; made anew each time.
  package var descriptor: AttributeDescriptor { entry }

  // Of the inlined entry these parts are left: each is a look-up, which is quick enough for records.

  package var name: String { entry.name.description }
  package var form: AttributeForm { entry.form }
  package var json: String { entry.json.description }
  package var option: String? { entry.option?.description }
  package var isOfKey: Bool { entry.isOfKey }
  package var isReadOnly: Bool { entry.isReadOnly }
  var longest: Int { entry.longest }

  @inline(__always)
  private var entry: AttributeDescriptor {
    switch self {
    case .id: AttributeDescriptor("id", .id, json: "id", constant: 19, isReadOnly: true)
    case .server:
      AttributeDescriptor(
        "server", .host, json: "host", constant: 3, keychain: "srvr", option: "server", "s",
        isOfKey: true)
    case .account:
      AttributeDescriptor(
        "account", .text, json: "account", constant: 1, keychain: "acct", option: "account", "a",
        placeholder: "USER", summary: "account, \"\" for none", isOfKey: true)
    case .protocol:
      AttributeDescriptor(
        "protocol", .networkProtocol, json: "protocol", constant: 4, keychain: "ptcl",
        option: "protocol", "r", summary: "protocol, or its keychain code", isOfKey: true)
    case .port:
      AttributeDescriptor(
        "port", .port, json: "port", constant: 6, keychain: "port", option: "port", "P",
        isOfKey: true)
    case .realm:
      AttributeDescriptor(
        "realm", .text, json: "realm", constant: 2, keychain: "sdmn", option: "realm", "d",
        placeholder: "REALM", summary: "realm (the keychain's security domain)", isOfKey: true)
    case .path:
      AttributeDescriptor(
        "path", .text, json: "path", constant: 7, keychain: "path", option: "path", "p",
        placeholder: "PATH", isOfKey: true)
    case .authenticationMethod:
      AttributeDescriptor(
        "authentication method", .method, json: "auth", constant: 5, keychain: "atyp",
        option: "auth", "t", summary: "authentication method, or its keychain code",
        isOfKey: true)
    case .label:
      AttributeDescriptor(
        "label", .text, json: "label", constant: 8, keychain: "labl", option: "label", "l")
    case .comment:
      AttributeDescriptor(
        "comment", .text, json: "comment", constant: 9, keychain: "icmt", option: "comment", "j",
        longest: 64 << 10)
    case .kind:
      AttributeDescriptor(
        "kind", .text, json: "kind", constant: 10, keychain: "desc", option: "kind", "D")
    case .creator:
      AttributeDescriptor(
        "creator", .code, json: "creator", constant: 13, keychain: "crtr", option: "creator", "c",
        summary: "creator, four characters")
    case .type:
      AttributeDescriptor(
        "type", .code, json: "type", constant: 14, keychain: "type", option: "type", "C",
        summary: "type, four characters")
    case .origin:
      AttributeDescriptor(
        "origin", .text, json: "origin", constant: 11, option: "origin",
        summary: "origin, such as app, git or docker")
    case .accountDomain:
      AttributeDescriptor(
        "account domain", .text, json: "account_domain", constant: 12, option: "account-domain",
        placeholder: "DOMAIN", summary: "account domain of NTLM")
    case .secretKind:
      AttributeDescriptor(
        "secret kind", .secretKind, json: "secret_kind", constant: 18, option: "secret-kind",
        summary: "what the secret is")
    case .isInvisible:
      AttributeDescriptor(
        "invisible", .flag, json: "invisible", constant: 15, keychain: "invi", option: "invisible",
        summary: "whether lists leave it out")
    case .isNegative:
      AttributeDescriptor(
        "negative", .flag, json: "negative", constant: 16, keychain: "nega", option: "negative",
        summary: "whether no password is kept, and each time one is asked for")
    case .custom:
      AttributeDescriptor(
        "custom attribute", .custom, json: "custom", option: "custom", placeholder: "NAME=VALUE",
        summary: "a custom attribute; more with more of these")
    case .created:
      AttributeDescriptor(
        "created", .moment, json: "created", constant: 20, keychain: "cdat", isReadOnly: true)
    case .modified:
      AttributeDescriptor(
        "modified", .moment, json: "modified", constant: 21, keychain: "mdat", isReadOnly: true)
    case .secretChanged:
      AttributeDescriptor("secret changed", .moment, json: "secret_changed", isReadOnly: true)
    case .expires:
      AttributeDescriptor(
        "expires", .time, json: "expires", constant: 17, option: "expires",
        summary: "2026-12-31T00:00:00Z, +90d (s m h d w), or never")
    case .keptUntil: AttributeDescriptor("kept until", .time, json: "kept_until", isReadOnly: true)
    case .revision:
      AttributeDescriptor("revision", .revision, json: "revision", constant: 22, isReadOnly: true)
    case .secret: AttributeDescriptor("secret", .secret, json: "password", longest: 1 << 20)
    // It is always sealed inside its item's record, and so shorter than a secret.
    case .refreshToken:
      AttributeDescriptor("refresh token", .secret, json: "refresh_token", longest: 8192)
    }
  }

  /// All of them; `allCases` makes an array each time.
  package static let all = allCases
}
