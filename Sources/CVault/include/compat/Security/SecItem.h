/* Apple's names for the dictionaries of SecItem, and its functions. */
#ifndef VAULT_COMPAT_SECITEM_H
#define VAULT_COMPAT_SECITEM_H

#include "SecBase.h"

#include "../../vault_secitem.h"

#if !defined(VAULT_FOREIGN_COREFOUNDATION)

/* ---- Functions ---- */

#define SecItemCopyMatching VaultSecItemCopyMatching
#define SecItemAdd VaultSecItemAdd
#define SecItemUpdate VaultSecItemUpdate
#define SecItemDelete VaultSecItemDelete

/* ---- Classes ---- */

VAULT_CONSTANT CFStringRef kSecClass = CFSTR("class");
VAULT_CONSTANT CFStringRef kSecClassInternetPassword = CFSTR("inet");
VAULT_CONSTANT CFStringRef kSecClassGenericPassword = CFSTR("genp");
VAULT_CONSTANT CFStringRef kSecClassCertificate = CFSTR("cert");
VAULT_CONSTANT CFStringRef kSecClassKey = CFSTR("keys");
VAULT_CONSTANT CFStringRef kSecClassIdentity = CFSTR("idnt");

/* ---- Attributes ---- */

VAULT_CONSTANT CFStringRef kSecAttrAccess = CFSTR("acls");
VAULT_CONSTANT CFStringRef kSecAttrAccessControl = CFSTR("accc");
VAULT_CONSTANT CFStringRef kSecAttrAccessGroup = CFSTR("agrp");
VAULT_CONSTANT CFStringRef kSecAttrAccessible = CFSTR("pdmn");
VAULT_CONSTANT CFStringRef kSecAttrAccount = CFSTR("acct");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationType = CFSTR("atyp");
VAULT_CONSTANT CFStringRef kSecAttrComment = CFSTR("icmt");
VAULT_CONSTANT CFStringRef kSecAttrCreationDate = CFSTR("cdat");
VAULT_CONSTANT CFStringRef kSecAttrCreator = CFSTR("crtr");
VAULT_CONSTANT CFStringRef kSecAttrDescription = CFSTR("desc");
VAULT_CONSTANT CFStringRef kSecAttrGeneric = CFSTR("gena");
VAULT_CONSTANT CFStringRef kSecAttrIsInvisible = CFSTR("invi");
VAULT_CONSTANT CFStringRef kSecAttrIsNegative = CFSTR("nega");
VAULT_CONSTANT CFStringRef kSecAttrLabel = CFSTR("labl");
VAULT_CONSTANT CFStringRef kSecAttrModificationDate = CFSTR("mdat");
VAULT_CONSTANT CFStringRef kSecAttrPath = CFSTR("path");
VAULT_CONSTANT CFStringRef kSecAttrPort = CFSTR("port");
VAULT_CONSTANT CFStringRef kSecAttrProtocol = CFSTR("ptcl");
VAULT_CONSTANT CFStringRef kSecAttrSecurityDomain = CFSTR("sdmn");
VAULT_CONSTANT CFStringRef kSecAttrServer = CFSTR("srvr");
VAULT_CONSTANT CFStringRef kSecAttrService = CFSTR("svce");
VAULT_CONSTANT CFStringRef kSecAttrSynchronizable = CFSTR("sync");
VAULT_CONSTANT CFStringRef kSecAttrSynchronizableAny = CFSTR("syna");
VAULT_CONSTANT CFStringRef kSecAttrTokenID = CFSTR("tkid");
VAULT_CONSTANT CFStringRef kSecAttrType = CFSTR("type");

/* ---- Attributes that passwords do not have: each is errSecNoSuchAttr, or errSecParam ---- */

VAULT_CONSTANT CFStringRef kSecAttrAccessGroupToken = CFSTR("com.apple.token");
VAULT_CONSTANT CFStringRef kSecAttrApplicationTag = CFSTR("atag");
VAULT_CONSTANT CFStringRef kSecAttrCertificateEncoding = CFSTR("cenc");
VAULT_CONSTANT CFStringRef kSecAttrCertificateType = CFSTR("ctyp");
VAULT_CONSTANT CFStringRef kSecAttrIsExtractable = CFSTR("extr");
VAULT_CONSTANT CFStringRef kSecAttrIsSensitive = CFSTR("sens");
VAULT_CONSTANT CFStringRef kSecAttrIssuer = CFSTR("issr");
VAULT_CONSTANT CFStringRef kSecAttrPersistentReference = CFSTR("persistref");
VAULT_CONSTANT CFStringRef kSecAttrPublicKeyHash = CFSTR("pkhh");
VAULT_CONSTANT CFStringRef kSecAttrSerialNumber = CFSTR("slnr");
VAULT_CONSTANT CFStringRef kSecAttrSubject = CFSTR("subj");
VAULT_CONSTANT CFStringRef kSecAttrSubjectKeyID = CFSTR("skid");
VAULT_CONSTANT CFStringRef kSecAttrSyncViewHint = CFSTR("vwht");
VAULT_CONSTANT CFStringRef kSecAttrTokenIDSecureEnclave = CFSTR("com.apple.setoken");
VAULT_CONSTANT CFStringRef kSecUseUserIndependentKeychain = CFSTR("u_UserIndependentKeychain");

/* ---- When an item can be read, which a vault decides as a whole ---- */

VAULT_CONSTANT CFStringRef kSecAttrAccessibleWhenUnlocked = CFSTR("ak");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleAfterFirstUnlock = CFSTR("ck");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleAlways = CFSTR("dk");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = CFSTR("akpu");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly = CFSTR("aku");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = CFSTR("cku");
VAULT_CONSTANT CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnly = CFSTR("dku");

/* ---- Protocols ---- */

VAULT_CONSTANT CFStringRef kSecAttrProtocolFTP = CFSTR("ftp ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolFTPAccount = CFSTR("ftpa");
VAULT_CONSTANT CFStringRef kSecAttrProtocolHTTP = CFSTR("http");
VAULT_CONSTANT CFStringRef kSecAttrProtocolIRC = CFSTR("irc ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolNNTP = CFSTR("nntp");
VAULT_CONSTANT CFStringRef kSecAttrProtocolPOP3 = CFSTR("pop3");
VAULT_CONSTANT CFStringRef kSecAttrProtocolSMTP = CFSTR("smtp");
VAULT_CONSTANT CFStringRef kSecAttrProtocolSOCKS = CFSTR("sox ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolIMAP = CFSTR("imap");
VAULT_CONSTANT CFStringRef kSecAttrProtocolLDAP = CFSTR("ldap");
VAULT_CONSTANT CFStringRef kSecAttrProtocolAppleTalk = CFSTR("atlk");
VAULT_CONSTANT CFStringRef kSecAttrProtocolAFP = CFSTR("afp ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolTelnet = CFSTR("teln");
VAULT_CONSTANT CFStringRef kSecAttrProtocolSSH = CFSTR("ssh ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolFTPS = CFSTR("ftps");
VAULT_CONSTANT CFStringRef kSecAttrProtocolHTTPS = CFSTR("htps");
VAULT_CONSTANT CFStringRef kSecAttrProtocolHTTPProxy = CFSTR("htpx");
VAULT_CONSTANT CFStringRef kSecAttrProtocolHTTPSProxy = CFSTR("htsx");
VAULT_CONSTANT CFStringRef kSecAttrProtocolFTPProxy = CFSTR("ftpx");
VAULT_CONSTANT CFStringRef kSecAttrProtocolSMB = CFSTR("smb ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolRTSP = CFSTR("rtsp");
VAULT_CONSTANT CFStringRef kSecAttrProtocolRTSPProxy = CFSTR("rtsx");
VAULT_CONSTANT CFStringRef kSecAttrProtocolDAAP = CFSTR("daap");
VAULT_CONSTANT CFStringRef kSecAttrProtocolEPPC = CFSTR("eppc");
VAULT_CONSTANT CFStringRef kSecAttrProtocolIPP = CFSTR("ipp ");
VAULT_CONSTANT CFStringRef kSecAttrProtocolNNTPS = CFSTR("ntps");
VAULT_CONSTANT CFStringRef kSecAttrProtocolLDAPS = CFSTR("ldps");
VAULT_CONSTANT CFStringRef kSecAttrProtocolTelnetS = CFSTR("tels");
VAULT_CONSTANT CFStringRef kSecAttrProtocolIMAPS = CFSTR("imps");
VAULT_CONSTANT CFStringRef kSecAttrProtocolIRCS = CFSTR("ircs");
VAULT_CONSTANT CFStringRef kSecAttrProtocolPOP3S = CFSTR("pops");

/* ---- Authentication types ---- */

VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeNTLM = CFSTR("ntlm");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeMSN = CFSTR("msna");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeDPA = CFSTR("dpaa");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeRPA = CFSTR("rpaa");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeHTTPBasic = CFSTR("http");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeHTTPDigest = CFSTR("httd");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeHTMLForm = CFSTR("form");
VAULT_CONSTANT CFStringRef kSecAttrAuthenticationTypeDefault = CFSTR("dflt");

/* ---- Matching ---- */

VAULT_CONSTANT CFStringRef kSecMatchPolicy = CFSTR("m_Policy");
VAULT_CONSTANT CFStringRef kSecMatchItemList = CFSTR("m_ItemList");
VAULT_CONSTANT CFStringRef kSecMatchSearchList = CFSTR("m_SearchList");
VAULT_CONSTANT CFStringRef kSecMatchIssuers = CFSTR("m_Issuers");
VAULT_CONSTANT CFStringRef kSecMatchEmailAddressIfPresent = CFSTR("m_EmailAddressIfPresent");
VAULT_CONSTANT CFStringRef kSecMatchSubjectContains = CFSTR("m_SubjectContains");
VAULT_CONSTANT CFStringRef kSecMatchSubjectStartsWith = CFSTR("m_SubjectStartsWith");
VAULT_CONSTANT CFStringRef kSecMatchSubjectEndsWith = CFSTR("m_SubjectEndsWith");
VAULT_CONSTANT CFStringRef kSecMatchSubjectWholeString = CFSTR("m_SubjectWholeString");
VAULT_CONSTANT CFStringRef kSecMatchDiacriticInsensitive = CFSTR("m_DiacriticInsensitive");
VAULT_CONSTANT CFStringRef kSecMatchWidthInsensitive = CFSTR("m_WidthInsensitive");
VAULT_CONSTANT CFStringRef kSecMatchTrustedOnly = CFSTR("m_TrustedOnly");
VAULT_CONSTANT CFStringRef kSecMatchValidOnDate = CFSTR("m_ValidOnDate");
VAULT_CONSTANT CFStringRef kSecMatchHostOrSubdomainOfHost = CFSTR("m_HostOrSubdomainOfHost");
VAULT_CONSTANT CFStringRef kSecMatchCaseInsensitive = CFSTR("m_CaseInsensitive");
VAULT_CONSTANT CFStringRef kSecMatchLimit = CFSTR("m_Limit");
VAULT_CONSTANT CFStringRef kSecMatchLimitOne = CFSTR("m_LimitOne");
VAULT_CONSTANT CFStringRef kSecMatchLimitAll = CFSTR("m_LimitAll");

/* ---- Returning ---- */

VAULT_CONSTANT CFStringRef kSecReturnData = CFSTR("r_Data");
VAULT_CONSTANT CFStringRef kSecReturnAttributes = CFSTR("r_Attributes");
VAULT_CONSTANT CFStringRef kSecReturnRef = CFSTR("r_Ref");
VAULT_CONSTANT CFStringRef kSecReturnPersistentRef = CFSTR("r_PersistentRef");

/* ---- Values ---- */

VAULT_CONSTANT CFStringRef kSecValueData = CFSTR("v_Data");
VAULT_CONSTANT CFStringRef kSecValueRef = CFSTR("v_Ref");
VAULT_CONSTANT CFStringRef kSecValuePersistentRef = CFSTR("v_PersistentRef");

/* ---- Using ---- */

VAULT_CONSTANT CFStringRef kSecUseItemList = CFSTR("u_ItemList");
VAULT_CONSTANT CFStringRef kSecUseKeychain = CFSTR("u_Keychain");
VAULT_CONSTANT CFStringRef kSecUseDataProtectionKeychain = CFSTR("nleg");
VAULT_CONSTANT CFStringRef kSecUseAuthenticationUI = CFSTR("u_AuthUI");
VAULT_CONSTANT CFStringRef kSecUseAuthenticationUIAllow = CFSTR("u_AuthUIA");
VAULT_CONSTANT CFStringRef kSecUseAuthenticationUIFail = CFSTR("u_AuthUIF");
VAULT_CONSTANT CFStringRef kSecUseAuthenticationUISkip = CFSTR("u_AuthUIS");
VAULT_CONSTANT CFStringRef kSecUseAuthenticationContext = CFSTR("u_AuthCtx");
VAULT_CONSTANT CFStringRef kSecUseNoAuthenticationUI = CFSTR("u_NoAuthUI");
VAULT_CONSTANT CFStringRef kSecUseOperationPrompt = CFSTR("u_OpPrompt");

#endif

#endif
