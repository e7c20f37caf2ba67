package import VaultModel

/// A key of the keychain's dictionaries, with its meaning here.
///
/// ``all`` is the one table of them: a key that is not in it makes every call fail, so that a
/// misspelt or foreign condition never lets a query match more than it says.
package final class KeychainKey: Sendable {
  /// The key as it is written in dictionaries.
  package let key: String
  /// The name of Apple's constant.
  package let name: String
  /// The meaning of its value.
  package let role: Role
  /// The reason if the meaning differs from Apple's; empty otherwise.
  package let note: String

  /// The meanings of keys.
  package enum Role: Sendable {
    case itemClass
    /// An attribute of items.
    case attribute(Attribute)
    /// An attribute that has no effect here, and is kept and returned.
    case kept(KeptAttribute)
    case data, reference, persistentReference
    case returned(KeychainReturn)
    case limit, caseInsensitive, domain, itemList
    /// The vaults to search, or the one to write.
    case vaults, vault
    /// An access list, without effect unless it asks a person for each use.
    case access
    /// Accepted and without effect: nothing that it asks for concerns a vault.
    case ignored
    /// Refused: ignoring it would break a promise or widen a query.
    case refused
  }

  private convenience init(_ attribute: Attribute, _ name: String, _ note: String = "") {
    self.init(attribute.keychainCode ?? "", name, .attribute(attribute), note)
  }

  private init(_ key: String, _ name: String, _ role: Role, _ note: String = "") {
    self.key = key
    self.name = name
    self.role = role
    self.note = note
  }
}

/// The results that a query can ask for.
package struct KeychainReturn: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let data = KeychainReturn(rawValue: 1)
  package static let attributes = KeychainReturn(rawValue: 2)
  package static let reference = KeychainReturn(rawValue: 4)
  package static let persistentReference = KeychainReturn(rawValue: 8)
}

/// An attribute that means nothing to a vault, stored as a custom attribute.
package struct KeptAttribute: Sendable {
  /// The name of the custom attribute.
  package let custom: String
  /// The value of items without the custom attribute; nil if they have none.
  package let standard: String?
  /// Whether the value is a flag, returned as a number as Apple does.
  package let isFlag: Bool
}

extension KeychainKey {
  /// All keys.
  package static let all: [KeychainKey] =
    [
      KeychainKey("class", "kSecClass", .itemClass, "certificates, keys and identities: no class"),
      KeychainKey(.generic, "kSecAttrGeneric"),
      KeychainKey(.service, "kSecAttrService"),
      KeychainKey(.account, "kSecAttrAccount"),
      KeychainKey(
        .server, "kSecAttrServer",
        "lookups by networking code compare the host that the text names"),
      KeychainKey(.realm, "kSecAttrSecurityDomain"),
      KeychainKey(
        .protocol, "kSecAttrProtocol",
        "text, name and number of one protocol are one value"),
      KeychainKey(
        .authenticationMethod, "kSecAttrAuthenticationType",
        "text, name and number of one type are one value"),
      KeychainKey(.port, "kSecAttrPort"),
      KeychainKey(.path, "kSecAttrPath"),
      KeychainKey(
        .label, "kSecAttrLabel",
        "an empty one becomes the server or service, else the account"),
      KeychainKey(.comment, "kSecAttrComment"),
      KeychainKey(.kind, "kSecAttrDescription"),
      KeychainKey(.creator, "kSecAttrCreator"),
      KeychainKey(.type, "kSecAttrType"),
      KeychainKey(.isInvisible, "kSecAttrIsInvisible"),
      KeychainKey(.isNegative, "kSecAttrIsNegative"),
      KeychainKey(
        .created, "kSecAttrCreationDate",
        "a condition in a query; ignored in what is stored, which the vault dates"),
      KeychainKey(
        .modified, "kSecAttrModificationDate",
        "a condition in a query; ignored in what is stored, which the vault dates"),
      KeychainKey(
        "pdmn", "kSecAttrAccessible", .kept(.accessible),
        "a vault has no device lock: every item is readable while the vault is unlocked"),
      KeychainKey(
        "agrp", "kSecAttrAccessGroup", .kept(.accessGroup),
        "a part of the key; every program that opens the vault is in every group"),
      KeychainKey(
        "sync", "kSecAttrSynchronizable", .kept(.synchronizable),
        "a part of the key; nothing is synchronized, as on a device without the service"),
    ] + KeychainKey.search + KeychainKey.withoutEffect

  /// The keys that say which items are meant, and what is returned of them.
  private static let search: [KeychainKey] = [
    KeychainKey("v_Data", "kSecValueData", .data, "the secret to store; no condition in a query"),
    KeychainKey("v_Ref", "kSecValueRef", .reference, "in a query only"),
    KeychainKey("v_PersistentRef", "kSecValuePersistentRef", .persistentReference),
    KeychainKey("r_Data", "kSecReturnData", .returned(.data)),
    KeychainKey("r_Attributes", "kSecReturnAttributes", .returned(.attributes)),
    KeychainKey("r_Ref", "kSecReturnRef", .returned(.reference)),
    KeychainKey("r_PersistentRef", "kSecReturnPersistentRef", .returned(.persistentReference)),
    KeychainKey(
      "m_Limit", "kSecMatchLimit", .limit, "also in an update and a delete, as on macOS"),
    KeychainKey(
      "m_CaseInsensitive", "kSecMatchCaseInsensitive", .caseInsensitive,
      "for the texts of passwords too"),
    KeychainKey(
      "m_HostOrSubdomainOfHost", "kSecMatchHostOrSubdomainOfHost", .domain,
      "before the limit, by the hosts that servers name"),
    KeychainKey("m_ItemList", "kSecMatchItemList", .itemList),
    KeychainKey("u_ItemList", "kSecUseItemList", .itemList),
    KeychainKey("m_SearchList", "kSecMatchSearchList", .vaults),
    KeychainKey("u_Keychain", "kSecUseKeychain", .vault),
  ]

  /// The keys of services that a vault does not have.
  private static let withoutEffect: [KeychainKey] = [
    KeychainKey(
      "nleg", "kSecUseDataProtectionKeychain", .ignored, "there is one kind of vault"),
    KeychainKey("u_AuthUI", "kSecUseAuthenticationUI", .ignored, "no call ever prompts"),
    KeychainKey("u_AuthCtx", "kSecUseAuthenticationContext", .ignored, "no call ever prompts"),
    KeychainKey("u_OpPrompt", "kSecUseOperationPrompt", .ignored, "no call ever prompts"),
    KeychainKey("u_NoAuthUI", "kSecUseNoAuthenticationUI", .ignored, "no call ever prompts"),
    KeychainKey(
      "accc", "kSecAttrAccessControl", .refused,
      "it asks for a person at each use, which a vault cannot enforce"),
    KeychainKey(
      "acls", "kSecAttrAccess", .access,
      "nobody is asked, whichever programs it names; if it names none, no program reads the data"),
    KeychainKey("tkid", "kSecAttrTokenID", .refused, "a vault keeps nothing in hardware"),
    KeychainKey("m_Policy", "kSecMatchPolicy", .refused, "a condition on certificates"),
    KeychainKey("m_Issuers", "kSecMatchIssuers", .refused, "a condition on certificates"),
    KeychainKey(
      "m_EmailAddressIfPresent", "kSecMatchEmailAddressIfPresent", .refused,
      "a condition on certificates"),
    KeychainKey(
      "m_SubjectContains", "kSecMatchSubjectContains", .refused, "a condition on certificates"),
    KeychainKey(
      "m_SubjectStartsWith", "kSecMatchSubjectStartsWith", .refused,
      "a condition on certificates"),
    KeychainKey(
      "m_SubjectEndsWith", "kSecMatchSubjectEndsWith", .refused, "a condition on certificates"),
    KeychainKey(
      "m_SubjectWholeString", "kSecMatchSubjectWholeString", .refused,
      "a condition on certificates"),
    KeychainKey(
      "m_DiacriticInsensitive", "kSecMatchDiacriticInsensitive", .refused,
      "a condition on certificates"),
    KeychainKey(
      "m_WidthInsensitive", "kSecMatchWidthInsensitive", .refused, "a condition on certificates"),
    KeychainKey(
      "m_TrustedOnly", "kSecMatchTrustedOnly", .refused, "a condition on certificates"),
    KeychainKey(
      "m_ValidOnDate", "kSecMatchValidOnDate", .refused, "a condition on certificates"),
  ]

  private static let byKey = Dictionary(
    all.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })

  /// Returns the entry of a key.
  ///
  /// - Throws: ``VaultError/Code/noSuchAttribute`` for an unknown key of four characters, which
  ///   may be an attribute of another class; ``VaultError/Code/invalidArgument`` for others.
  static func named(_ key: String) throws(VaultError) -> KeychainKey {
    if let known = byKey[key] { return known }
    throw key.utf8.count == 4
      ? VaultError(.noSuchAttribute, "an attribute that passwords do not have")
      : VaultError(.invalidArgument, "an unknown key")
  }
}

extension KeptAttribute {
  static let accessible = KeptAttribute(
    custom: "keychain-accessible", standard: "ak", isFlag: false)
  static let accessGroup = KeptAttribute(
    custom: Item.Key.variantPrefix + "access-group", standard: nil, isFlag: false)
  static let synchronizable = KeptAttribute(
    custom: Item.Key.variantPrefix + "synchronizable", standard: "0", isFlag: true)
  /// A server's text where it is not the canonical name of a host.
  static let serverText = KeptAttribute(
    custom: Item.Key.variantPrefix + "server", standard: "", isFlag: false)
}
