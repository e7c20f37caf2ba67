// The constants that are values of dictionaries, as objects.
//
// On Apple's systems a constant is an object and converts to a text. Here it is a text, and for
// code with dictionaries of objects, `[String: AnyObject]`, an object of the same name. The
// compiler takes the object only where nothing else fits. The two are in modules of their own,
// because a module has a name once.

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// True, as an object.
@_disfavoredOverload public var kCFBooleanTrue: AnyObject! { true as AnyObject }
// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// False, as an object.
@_disfavoredOverload public var kCFBooleanFalse: AnyObject! { false as AnyObject }

/// While the device is unlocked: the default.
@_disfavoredOverload public var kSecAttrAccessibleWhenUnlocked: AnyObject { "ak" as AnyObject }

/// After the first unlock.
@_disfavoredOverload public var kSecAttrAccessibleAfterFirstUnlock: AnyObject { "ck" as AnyObject }

/// Always.
@_disfavoredOverload public var kSecAttrAccessibleAlways: AnyObject { "dk" as AnyObject }

/// While the device is unlocked and has a passcode, on this device.
@_disfavoredOverload public var kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: AnyObject {
  "akpu" as AnyObject
}

/// While the device is unlocked, on this device.
@_disfavoredOverload public var kSecAttrAccessibleWhenUnlockedThisDeviceOnly: AnyObject {
  "aku" as AnyObject
}

/// After the first unlock, on this device.
@_disfavoredOverload public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: AnyObject {
  "cku" as AnyObject
}

/// Always, on this device.
@_disfavoredOverload public var kSecAttrAccessibleAlwaysThisDeviceOnly: AnyObject {
  "dku" as AnyObject
}

/// In a query: items of either kind.
@_disfavoredOverload public var kSecAttrSynchronizableAny: AnyObject { "syna" as AnyObject }

/// FTP.
@_disfavoredOverload public var kSecAttrProtocolFTP: AnyObject { "ftp " as AnyObject }

/// A client's account of FTP.
@_disfavoredOverload public var kSecAttrProtocolFTPAccount: AnyObject { "ftpa" as AnyObject }

/// HTTP.
@_disfavoredOverload public var kSecAttrProtocolHTTP: AnyObject { "http" as AnyObject }

/// IRC.
@_disfavoredOverload public var kSecAttrProtocolIRC: AnyObject { "irc " as AnyObject }

/// NNTP.
@_disfavoredOverload public var kSecAttrProtocolNNTP: AnyObject { "nntp" as AnyObject }

/// POP3.
@_disfavoredOverload public var kSecAttrProtocolPOP3: AnyObject { "pop3" as AnyObject }

/// SMTP.
@_disfavoredOverload public var kSecAttrProtocolSMTP: AnyObject { "smtp" as AnyObject }

/// A SOCKS proxy.
@_disfavoredOverload public var kSecAttrProtocolSOCKS: AnyObject { "sox " as AnyObject }

/// IMAP.
@_disfavoredOverload public var kSecAttrProtocolIMAP: AnyObject { "imap" as AnyObject }

/// LDAP.
@_disfavoredOverload public var kSecAttrProtocolLDAP: AnyObject { "ldap" as AnyObject }

/// AppleTalk.
@_disfavoredOverload public var kSecAttrProtocolAppleTalk: AnyObject { "atlk" as AnyObject }

/// AFP.
@_disfavoredOverload public var kSecAttrProtocolAFP: AnyObject { "afp " as AnyObject }

/// Telnet.
@_disfavoredOverload public var kSecAttrProtocolTelnet: AnyObject { "teln" as AnyObject }

/// SSH.
@_disfavoredOverload public var kSecAttrProtocolSSH: AnyObject { "ssh " as AnyObject }

/// FTP over TLS.
@_disfavoredOverload public var kSecAttrProtocolFTPS: AnyObject { "ftps" as AnyObject }

/// HTTP over TLS.
@_disfavoredOverload public var kSecAttrProtocolHTTPS: AnyObject { "htps" as AnyObject }

/// A proxy for HTTP.
@_disfavoredOverload public var kSecAttrProtocolHTTPProxy: AnyObject { "htpx" as AnyObject }

/// A proxy for HTTPS.
@_disfavoredOverload public var kSecAttrProtocolHTTPSProxy: AnyObject { "htsx" as AnyObject }

/// A proxy for FTP.
@_disfavoredOverload public var kSecAttrProtocolFTPProxy: AnyObject { "ftpx" as AnyObject }

/// SMB.
@_disfavoredOverload public var kSecAttrProtocolSMB: AnyObject { "smb " as AnyObject }

/// RTSP.
@_disfavoredOverload public var kSecAttrProtocolRTSP: AnyObject { "rtsp" as AnyObject }

/// A proxy for RTSP.
@_disfavoredOverload public var kSecAttrProtocolRTSPProxy: AnyObject { "rtsx" as AnyObject }

/// DAAP.
@_disfavoredOverload public var kSecAttrProtocolDAAP: AnyObject { "daap" as AnyObject }

/// Remote Apple events.
@_disfavoredOverload public var kSecAttrProtocolEPPC: AnyObject { "eppc" as AnyObject }

/// IPP.
@_disfavoredOverload public var kSecAttrProtocolIPP: AnyObject { "ipp " as AnyObject }

/// NNTP over TLS.
@_disfavoredOverload public var kSecAttrProtocolNNTPS: AnyObject { "ntps" as AnyObject }

/// LDAP over TLS.
@_disfavoredOverload public var kSecAttrProtocolLDAPS: AnyObject { "ldps" as AnyObject }

/// Telnet over TLS.
@_disfavoredOverload public var kSecAttrProtocolTelnetS: AnyObject { "tels" as AnyObject }

/// IMAP over TLS.
@_disfavoredOverload public var kSecAttrProtocolIMAPS: AnyObject { "imps" as AnyObject }

/// IRC over TLS.
@_disfavoredOverload public var kSecAttrProtocolIRCS: AnyObject { "ircs" as AnyObject }

/// POP3 over TLS.
@_disfavoredOverload public var kSecAttrProtocolPOP3S: AnyObject { "pops" as AnyObject }

/// NTLM.
@_disfavoredOverload public var kSecAttrAuthenticationTypeNTLM: AnyObject { "ntlm" as AnyObject }

/// Microsoft Network.
@_disfavoredOverload public var kSecAttrAuthenticationTypeMSN: AnyObject { "msna" as AnyObject }

/// Distributed Password Authentication.
@_disfavoredOverload public var kSecAttrAuthenticationTypeDPA: AnyObject { "dpaa" as AnyObject }

/// Remote Password Authentication.
@_disfavoredOverload public var kSecAttrAuthenticationTypeRPA: AnyObject { "rpaa" as AnyObject }

/// HTTP Basic.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTTPBasic: AnyObject {
  "http" as AnyObject
}

/// HTTP Digest.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTTPDigest: AnyObject {
  "httd" as AnyObject
}

/// A form on a page.
@_disfavoredOverload public var kSecAttrAuthenticationTypeHTMLForm: AnyObject {
  "form" as AnyObject
}

/// The protocol's default.
@_disfavoredOverload public var kSecAttrAuthenticationTypeDefault: AnyObject { "dflt" as AnyObject }

/// The class of passwords for a service.
@_disfavoredOverload public var kSecClassGenericPassword: AnyObject { "genp" as AnyObject }

/// The class of passwords for a server.
@_disfavoredOverload public var kSecClassInternetPassword: AnyObject { "inet" as AnyObject }

/// A class of which a vault has no items.
@_disfavoredOverload public var kSecClassCertificate: AnyObject { "cert" as AnyObject }

/// A class of which a vault has no items.
@_disfavoredOverload public var kSecClassKey: AnyObject { "keys" as AnyObject }

/// A class of which a vault has no items.
@_disfavoredOverload public var kSecClassIdentity: AnyObject { "idnt" as AnyObject }

/// One item: the default of `SecItemCopyMatching`.
@_disfavoredOverload public var kSecMatchLimitOne: AnyObject { "m_LimitOne" as AnyObject }

/// All items, in an array.
@_disfavoredOverload public var kSecMatchLimitAll: AnyObject { "m_LimitAll" as AnyObject }

/// Prompt.
@_disfavoredOverload public var kSecUseAuthenticationUIAllow: AnyObject { "u_AuthUIA" as AnyObject }

/// Fail instead.
@_disfavoredOverload public var kSecUseAuthenticationUIFail: AnyObject { "u_AuthUIF" as AnyObject }

/// Skip such items.
@_disfavoredOverload public var kSecUseAuthenticationUISkip: AnyObject { "u_AuthUIS" as AnyObject }
