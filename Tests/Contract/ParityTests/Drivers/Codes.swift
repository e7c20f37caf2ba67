import CVault

/// The keychain's numbers, by the words that rows use.
enum Codes {
  /// `SecProtocolType`.
  static let protocols: [(word: String, code: UInt32)] = [
    ("ftp", code(kVaultProtocolTypeFTP)), ("ftp-account", code(kVaultProtocolTypeFTPAccount)),
    ("http", code(kVaultProtocolTypeHTTP)), ("irc", code(kVaultProtocolTypeIRC)),
    ("nntp", code(kVaultProtocolTypeNNTP)), ("pop3", code(kVaultProtocolTypePOP3)),
    ("smtp", code(kVaultProtocolTypeSMTP)), ("socks", code(kVaultProtocolTypeSOCKS)),
    ("imap", code(kVaultProtocolTypeIMAP)), ("ldap", code(kVaultProtocolTypeLDAP)),
    ("appletalk", code(kVaultProtocolTypeAppleTalk)), ("afp", code(kVaultProtocolTypeAFP)),
    ("telnet", code(kVaultProtocolTypeTelnet)), ("ssh", code(kVaultProtocolTypeSSH)),
    ("ftps", code(kVaultProtocolTypeFTPS)), ("https", code(kVaultProtocolTypeHTTPS)),
    ("http-proxy", code(kVaultProtocolTypeHTTPProxy)),
    ("https-proxy", code(kVaultProtocolTypeHTTPSProxy)),
    ("ftp-proxy", code(kVaultProtocolTypeFTPProxy)), ("cifs", code(kVaultProtocolTypeCIFS)),
    ("smb", code(kVaultProtocolTypeSMB)), ("rtsp", code(kVaultProtocolTypeRTSP)),
    ("rtsp-proxy", code(kVaultProtocolTypeRTSPProxy)), ("daap", code(kVaultProtocolTypeDAAP)),
    ("eppc", code(kVaultProtocolTypeEPPC)), ("ipp", code(kVaultProtocolTypeIPP)),
    ("nntps", code(kVaultProtocolTypeNNTPS)), ("ldaps", code(kVaultProtocolTypeLDAPS)),
    ("telnets", code(kVaultProtocolTypeTelnetS)), ("imaps", code(kVaultProtocolTypeIMAPS)),
    ("ircs", code(kVaultProtocolTypeIRCS)), ("pop3s", code(kVaultProtocolTypePOP3S)),
    ("cvspserver", code(kVaultProtocolTypeCVSpserver)), ("svn", code(kVaultProtocolTypeSVN)),
  ]

  /// `SecAuthenticationType`.
  static let methods: [(word: String, code: UInt32)] = [
    ("ntlm", code(kVaultAuthenticationTypeNTLM)), ("msn", code(kVaultAuthenticationTypeMSN)),
    ("dpa", code(kVaultAuthenticationTypeDPA)), ("rpa", code(kVaultAuthenticationTypeRPA)),
    ("basic", code(kVaultAuthenticationTypeHTTPBasic)),
    ("digest", code(kVaultAuthenticationTypeHTTPDigest)),
    ("form", code(kVaultAuthenticationTypeHTMLForm)),
    ("default", code(kVaultAuthenticationTypeDefault)),
  ]

  /// The status numbers, by the names of the same errors in Swift, or by names of their own.
  static let statuses: [(status: Int, name: String)] = [
    (errVaultParam, "invalid-argument"), (errVaultDuplicateItem, "duplicate-item"),
    (errVaultItemNotFound, "item-not-found"), (errVaultInteractionNotAllowed, "locked"),
    (errVaultAuthFailed, "authentication-failed"), (errVaultInvalidItemRef, "invalid-item"),
    (errVaultInvalidSearchRef, "invalid-search"), (errVaultNoSuchAttr, "no-such-attribute"),
    (errVaultNoSuchClass, "no-such-class"), (errVaultInvalidQuery, "invalid-query"),
    (errVaultInvalidValue, "invalid-value"), (errVaultMissingValue, "missing-value"),
    (errVaultInvalidKeychain, "invalid-keychain"), (errVaultNoSuchKeychain, "vault-not-found"),
    (errVaultReadOnly, "read-only"), (errVaultReadOnlyAttr, "read-only-attribute"),
    (errVaultDataTooLarge, "too-large"), (errVaultDataNotAvailable, "expired"),
    (errVaultWrPerm, "policy-refused"), (errVaultUnimplemented, "unsupported"),
    (errVaultInternalError, "internal-error"),
    (errVaultDecode, "undecodable"),
    (errVaultVerifyFailed, "unverified"),
  ]

  /// All status numbers.
  static let all: [Int] = [
    errVaultSuccess, errVaultUnimplemented, errVaultDiskFull, errVaultIO, errVaultParam,
    errVaultWrPerm, errVaultAllocate, errVaultUserCanceled, errVaultBadReq,
    errVaultInternalComponent, errVaultNotAvailable, errVaultReadOnly, errVaultAuthFailed,
    errVaultNoSuchKeychain, errVaultInvalidKeychain, errVaultDuplicateKeychain,
    errVaultDuplicateCallback, errVaultInvalidCallback, errVaultInvalidPrefsDomain,
    errVaultDuplicateItem, errVaultItemNotFound, errVaultBufferTooSmall, errVaultDataTooLarge,
    errVaultNoSuchAttr, errVaultInvalidItemRef, errVaultInvalidSearchRef, errVaultNoSuchClass,
    errVaultNoDefaultKeychain, errVaultInteractionNotAllowed, errVaultReadOnlyAttr,
    errVaultWrongSecVersion, errVaultNoAccessForItem, errVaultDataNotAvailable, errVaultDecode,
    errVaultServiceNotAvailable, errVaultInternalError, errVaultInvalidPointer,
    errVaultInvalidQuery, errVaultInvalidValue, errVaultVerifyFailed, errVaultDatabaseLocked,
    errVaultMissingValue, errVaultHostNameMismatch, errVaultUnknownCriticalExtensionFlag,
    errVaultInvalidExtendedKeyUsage, errVaultCertificateExpired, errVaultCertificateNotValidYet,
    errVaultCertificateRevoked, errVaultInvalidCertAuthority, errVaultNotTrusted,
  ]

  static func code(_ constant: Int) -> UInt32 { UInt32(truncatingIfNeeded: constant) }

  static func word(_ code: UInt32, in table: [(word: String, code: UInt32)]) -> String {
    code == 0 ? "" : table.first { $0.code == code }?.word ?? "0x\(String(code, radix: 16))"
  }

  /// Returns the code of a word; 0 for the empty one.
  static func code(_ word: String, in table: [(word: String, code: UInt32)]) -> UInt32 {
    table.first { $0.word == word }?.code ?? 0
  }
}

/// Throws any status but success, by its name.
func check(_ status: Int32) throws {
  guard status != 0 else { return }
  throw Refusal(status: Codes.statuses.first { $0.status == status }?.name ?? "\(status)")
}
