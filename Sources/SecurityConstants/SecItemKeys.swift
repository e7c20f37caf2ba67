// The keys of dictionaries, and the values of some of them, with the texts of Apple's constants.

// MARK: Classes and their key

/// The key of the class, which every dictionary needs that names no items.
public let kSecClass: CFString = "class"

/// The class of passwords for a service.
public let kSecClassGenericPassword: CFString = "genp"

/// The class of passwords for a server.
public let kSecClassInternetPassword: CFString = "inet"

/// A class of which a vault has no items.
public let kSecClassCertificate: CFString = "cert"

/// A class of which a vault has no items.
public let kSecClassKey: CFString = "keys"

/// A class of which a vault has no items.
public let kSecClassIdentity: CFString = "idnt"

// MARK: Attributes of both classes

/// The account: text.
public let kSecAttrAccount: CFString = "acct"

/// The name shown to people: text.
public let kSecAttrLabel: CFString = "labl"

/// A comment: text.
public let kSecAttrComment: CFString = "icmt"

/// A name for the kind of item: text.
public let kSecAttrDescription: CFString = "desc"

/// The creator's code: a number, or four characters.
public let kSecAttrCreator: CFString = "crtr"

/// The type's code: a number, or four characters.
public let kSecAttrType: CFString = "type"

/// Whether lists for people omit the item.
public let kSecAttrIsInvisible: CFString = "invi"

/// Whether the item has no password, so that the user is prompted every time.
public let kSecAttrIsNegative: CFString = "nega"

/// The time at which the item was added, which the vault sets.
public let kSecAttrCreationDate: CFString = "cdat"

/// The time of the item's last change, which the vault sets.
public let kSecAttrModificationDate: CFString = "mdat"

/// The condition under which the item can be read: kept, without effect.
public let kSecAttrAccessible: CFString = "pdmn"

/// The conditions for reading the item: refused, unless there are none.
public let kSecAttrAccessControl: CFString = "accc"

/// The programs that can read the item: refused.
public let kSecAttrAccess: CFString = "acls"

/// The group of programs that share the item: kept, without effect.
public let kSecAttrAccessGroup: CFString = "agrp"

/// Whether the item may be synchronized: kept, without effect.
public let kSecAttrSynchronizable: CFString = "sync"

/// The hardware token of the item: refused.
public let kSecAttrTokenID: CFString = "tkid"

// MARK: Attributes of generic passwords

/// The service: text.
public let kSecAttrService: CFString = "svce"

/// Data for the program's own use.
public let kSecAttrGeneric: CFString = "gena"

// MARK: Attributes of internet passwords

/// The server's host name: text.
public let kSecAttrServer: CFString = "srvr"

/// The realm: text.
public let kSecAttrSecurityDomain: CFString = "sdmn"

/// The protocol.
public let kSecAttrProtocol: CFString = "ptcl"

/// The authentication type.
public let kSecAttrAuthenticationType: CFString = "atyp"

/// The port: a number.
public let kSecAttrPort: CFString = "port"

/// The path: text.
public let kSecAttrPath: CFString = "path"

// MARK: Search

/// The number of items to return: one of the next two constants, or a number.
public let kSecMatchLimit: CFString = "m_Limit"

/// One item: the default of `SecItemCopyMatching`.
public let kSecMatchLimitOne: CFString = "m_LimitOne"

/// All items, in an array.
public let kSecMatchLimitAll: CFString = "m_LimitAll"

/// Whether texts match without regard to case.
public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"

/// The references of the only items that can match.
public let kSecMatchItemList: CFString = "m_ItemList"

/// The keychains to search: their references exist in C only.
public let kSecMatchSearchList: CFString = "m_SearchList"

/// A condition on certificates: refused.
public let kSecMatchPolicy: CFString = "m_Policy"

/// A condition on certificates: refused.
public let kSecMatchIssuers: CFString = "m_Issuers"

/// A condition on certificates: refused.
public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"

/// A condition on certificates: refused.
public let kSecMatchSubjectContains: CFString = "m_SubjectContains"

/// A condition on certificates: refused.
public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"

/// A condition on certificates: refused.
public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"

/// A condition on certificates: refused.
public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"

/// A condition on certificates: refused.
public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"

/// A condition on certificates: refused.
public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

/// A host, whose items and those of its subdomains match.
public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"

/// A condition on certificates: refused.
public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"

/// A condition on certificates: refused.
public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

// MARK: Attributes that passwords do not have

/// The access group of tokens: no item has it.
public let kSecAttrAccessGroupToken: CFString = "com.apple.token"

/// A key's tag: no attribute of passwords, as all below.
public let kSecAttrApplicationTag: CFString = "atag"

/// A certificate's encoding.
public let kSecAttrCertificateEncoding: CFString = "cenc"

/// A certificate's type.
public let kSecAttrCertificateType: CFString = "ctyp"

/// Whether a key can be exported.
public let kSecAttrIsExtractable: CFString = "extr"

/// Whether a key is only exported encrypted.
public let kSecAttrIsSensitive: CFString = "sens"

/// A certificate's issuer.
public let kSecAttrIssuer: CFString = "issr"

/// A reference.
public let kSecAttrPersistentReference: CFString = "persistref"

/// The hash of a certificate's key.
public let kSecAttrPublicKeyHash: CFString = "pkhh"

/// A certificate's serial number.
public let kSecAttrSerialNumber: CFString = "slnr"

/// A certificate's subject.
public let kSecAttrSubject: CFString = "subj"

/// The identifier of a certificate's key.
public let kSecAttrSubjectKeyID: CFString = "skid"

/// The service that synchronizes an item.
public let kSecAttrSyncViewHint: CFString = "vwht"

/// The Secure Enclave, of `kSecAttrTokenID`.
public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

/// The keychain of all users of a tvOS device: refused.
public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"

// MARK: Results and values

/// Whether to return the secret, as `Data`.
public let kSecReturnData: CFString = "r_Data"

/// Whether to return the attributes, as a dictionary.
public let kSecReturnAttributes: CFString = "r_Attributes"

/// Whether to return a reference, as `SecKeychainItem`.
public let kSecReturnRef: CFString = "r_Ref"

/// Whether to return a reference for other processes, as `Data`.
public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

/// The secret, as `Data`.
public let kSecValueData: CFString = "v_Data"

/// A reference, as `SecKeychainItem`.
public let kSecValueRef: CFString = "v_Ref"

/// A reference from any process, as `Data`.
public let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: Use

/// The references of the only items that can match.
public let kSecUseItemList: CFString = "u_ItemList"

/// The keychain of a new item: its reference exists in C only.
public let kSecUseKeychain: CFString = "u_Keychain"

/// The kind of keychain: without effect.
public let kSecUseDataProtectionKeychain: CFString = "nleg"

/// The text of a prompt: without effect.
public let kSecUseOperationPrompt: CFString = "u_OpPrompt"

/// Whether to fail instead of prompting: without effect.
public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"

/// The state of an authentication: without effect.
public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"

/// Whether to prompt: without effect.
public let kSecUseAuthenticationUI: CFString = "u_AuthUI"

/// Prompt.
public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"

/// Fail instead.
public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"

/// Skip such items.
public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
