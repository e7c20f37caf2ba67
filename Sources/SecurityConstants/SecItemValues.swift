// The values of attributes, with the texts of Apple's constants.

// MARK: The values of `kSecAttrAccessible`

/// While the device is unlocked: the default.
public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"

/// After the first unlock.
public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"

/// Always.
public let kSecAttrAccessibleAlways: CFString = "dk"

/// While the device is unlocked and has a passcode, on this device.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"

/// While the device is unlocked, on this device.
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"

/// After the first unlock, on this device.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"

/// Always, on this device.
public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"

// MARK: A value of `kSecAttrSynchronizable`

/// In a query: items of either kind.
public let kSecAttrSynchronizableAny: CFString = "syna"

// MARK: The values of `kSecAttrProtocol`

/// FTP.
public let kSecAttrProtocolFTP: CFString = "ftp "

/// A client's account of FTP.
public let kSecAttrProtocolFTPAccount: CFString = "ftpa"

/// HTTP.
public let kSecAttrProtocolHTTP: CFString = "http"

/// IRC.
public let kSecAttrProtocolIRC: CFString = "irc "

/// NNTP.
public let kSecAttrProtocolNNTP: CFString = "nntp"

/// POP3.
public let kSecAttrProtocolPOP3: CFString = "pop3"

/// SMTP.
public let kSecAttrProtocolSMTP: CFString = "smtp"

/// A SOCKS proxy.
public let kSecAttrProtocolSOCKS: CFString = "sox "

/// IMAP.
public let kSecAttrProtocolIMAP: CFString = "imap"

/// LDAP.
public let kSecAttrProtocolLDAP: CFString = "ldap"

/// AppleTalk.
public let kSecAttrProtocolAppleTalk: CFString = "atlk"

/// AFP.
public let kSecAttrProtocolAFP: CFString = "afp "

/// Telnet.
public let kSecAttrProtocolTelnet: CFString = "teln"

/// SSH.
public let kSecAttrProtocolSSH: CFString = "ssh "

/// FTP over TLS.
public let kSecAttrProtocolFTPS: CFString = "ftps"

/// HTTP over TLS.
public let kSecAttrProtocolHTTPS: CFString = "htps"

/// A proxy for HTTP.
public let kSecAttrProtocolHTTPProxy: CFString = "htpx"

/// A proxy for HTTPS.
public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"

/// A proxy for FTP.
public let kSecAttrProtocolFTPProxy: CFString = "ftpx"

/// SMB.
public let kSecAttrProtocolSMB: CFString = "smb "

/// RTSP.
public let kSecAttrProtocolRTSP: CFString = "rtsp"

/// A proxy for RTSP.
public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"

/// DAAP.
public let kSecAttrProtocolDAAP: CFString = "daap"

/// Remote Apple events.
public let kSecAttrProtocolEPPC: CFString = "eppc"

/// IPP.
public let kSecAttrProtocolIPP: CFString = "ipp "

/// NNTP over TLS.
public let kSecAttrProtocolNNTPS: CFString = "ntps"

/// LDAP over TLS.
public let kSecAttrProtocolLDAPS: CFString = "ldps"

/// Telnet over TLS.
public let kSecAttrProtocolTelnetS: CFString = "tels"

/// IMAP over TLS.
public let kSecAttrProtocolIMAPS: CFString = "imps"

/// IRC over TLS.
public let kSecAttrProtocolIRCS: CFString = "ircs"

/// POP3 over TLS.
public let kSecAttrProtocolPOP3S: CFString = "pops"

// MARK: The values of `kSecAttrAuthenticationType`

/// NTLM.
public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"

/// Microsoft Network.
public let kSecAttrAuthenticationTypeMSN: CFString = "msna"

/// Distributed Password Authentication.
public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"

/// Remote Password Authentication.
public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"

/// HTTP Basic.
public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"

/// HTTP Digest.
public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"

/// A form on a page.
public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"

/// The protocol's default.
public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
