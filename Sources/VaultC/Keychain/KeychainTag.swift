import CVault
import VaultModel

/// An attribute in the keychain's terms.
enum KeychainTag {
  case account, realm, server, `protocol`, authenticationMethod, port, path
  case label, comment, kind, creator, type, isInvisible, isNegative
  case created, modified
  /// Attributes of Apple's class that vaults do not keep: they are always unset.
  case scriptCode, customIcon, protectedData, alias

  /// Reads a tag; 7 and 8 are the numbers of the label and the alias in Apple's file.
  ///
  /// - Throws: ``VaultError/Code/noSuchAttribute`` if internet passwords do not have it.
  init(_ tag: VaultItemAttr) throws(VaultError) {
    switch Int(tag) {
    case kVaultAccountItemAttr: self = .account
    case kVaultSecurityDomainItemAttr: self = .realm
    case kVaultServerItemAttr: self = .server
    case kVaultProtocolItemAttr: self = .protocol
    case kVaultAuthenticationTypeItemAttr: self = .authenticationMethod
    case kVaultPortItemAttr: self = .port
    case kVaultPathItemAttr: self = .path
    case kVaultLabelItemAttr, 7: self = .label
    case kVaultCommentItemAttr: self = .comment
    case kVaultDescriptionItemAttr: self = .kind
    case kVaultCreatorItemAttr: self = .creator
    case kVaultTypeItemAttr: self = .type
    case kVaultInvisibleItemAttr: self = .isInvisible
    case kVaultNegativeItemAttr: self = .isNegative
    case kVaultCreationDateItemAttr: self = .created
    case kVaultModDateItemAttr: self = .modified
    case kVaultScriptCodeItemAttr: self = .scriptCode
    case kVaultCustomIconItemAttr: self = .customIcon
    case kVaultProtectedDataItemAttr: self = .protectedData
    case kVaultAlias, 8: self = .alias
    default: throw VaultError(.noSuchAttribute, "an attribute that internet passwords do not have")
    }
  }

  /// Whether its value is a number of 1, 2 or 4 bytes; an authentication type is the bytes of its
  /// code.
  var isNumber: Bool {
    switch self {
    case .protocol, .port, .creator, .type, .isInvisible, .isNegative, .scriptCode, .customIcon:
      true
    default: false
    }
  }

  /// Whether it is part of the key.
  var isOfKey: Bool {
    switch self {
    case .account, .realm, .server, .protocol, .authenticationMethod, .port, .path: true
    default: false
    }
  }
}

extension InternetPassword {
  /// Returns the attribute's value in the keychain's format; empty if unset.
  ///
  /// Protocol, authentication type and port are never empty, because Apple's file stores a 0 for
  /// them, and programs read the value without checking the length.
  func keychainValue(_ tag: KeychainTag) -> [UInt8] {
    switch tag {
    case .account: Array(account.utf8)
    case .realm: Array(realm.utf8)
    case .server: Array(server.name.utf8)
    case .path: Array(path.utf8)
    case .label: Array(label.utf8)
    case .comment: Array(comment.utf8)
    case .kind: Array(kind.utf8)
    case .protocol: bytes(self.protocol.keychainCode)
    case .authenticationMethod: bytes(authenticationMethod.keychainType)
    case .port: bytes(UInt32(port))
    case .creator: creator == 0 ? [] : bytes(creator)
    case .type: type == 0 ? [] : bytes(type)
    case .isInvisible: isInvisible ? bytes(1) : []
    case .isNegative: isNegative ? bytes(1) : []
    case .created: created.keychainDate
    case .modified: modified.keychainDate
    case .scriptCode, .customIcon, .protectedData, .alias: []
    }
  }

  /// Returns the 4 bytes of a number in the machine's order.
  private func bytes(_ number: UInt32) -> [UInt8] {
    // A view of the number's own bytes, copied while it is valid.
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
  }
}
