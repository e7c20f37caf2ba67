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

VAULT_STRING(kSecClass, "class");
VAULT_STRING(kSecClassInternetPassword, "inet");
VAULT_STRING(kSecClassGenericPassword, "genp");
VAULT_STRING(kSecClassCertificate, "cert");
VAULT_STRING(kSecClassKey, "keys");
VAULT_STRING(kSecClassIdentity, "idnt");

/* ---- Attributes ---- */

VAULT_STRING(kSecAttrAccess, "acls");
VAULT_STRING(kSecAttrAccessControl, "accc");
VAULT_STRING(kSecAttrAccessGroup, "agrp");
VAULT_STRING(kSecAttrAccessible, "pdmn");
VAULT_STRING(kSecAttrAccount, "acct");
VAULT_STRING(kSecAttrAuthenticationType, "atyp");
VAULT_STRING(kSecAttrComment, "icmt");
VAULT_STRING(kSecAttrCreationDate, "cdat");
VAULT_STRING(kSecAttrCreator, "crtr");
VAULT_STRING(kSecAttrDescription, "desc");
VAULT_STRING(kSecAttrGeneric, "gena");
VAULT_STRING(kSecAttrIsInvisible, "invi");
VAULT_STRING(kSecAttrIsNegative, "nega");
VAULT_STRING(kSecAttrLabel, "labl");
VAULT_STRING(kSecAttrModificationDate, "mdat");
VAULT_STRING(kSecAttrPath, "path");
VAULT_STRING(kSecAttrPort, "port");
VAULT_STRING(kSecAttrProtocol, "ptcl");
VAULT_STRING(kSecAttrSecurityDomain, "sdmn");
VAULT_STRING(kSecAttrServer, "srvr");
VAULT_STRING(kSecAttrService, "svce");
VAULT_STRING(kSecAttrSynchronizable, "sync");
VAULT_STRING(kSecAttrSynchronizableAny, "syna");
VAULT_STRING(kSecAttrTokenID, "tkid");
VAULT_STRING(kSecAttrType, "type");

/* ---- Attributes that passwords do not have: each is errSecNoSuchAttr, or errSecParam ---- */

VAULT_STRING(kSecAttrAccessGroupToken, "com.apple.token");
VAULT_STRING(kSecAttrApplicationTag, "atag");
VAULT_STRING(kSecAttrCertificateEncoding, "cenc");
VAULT_STRING(kSecAttrCertificateType, "ctyp");
VAULT_STRING(kSecAttrIsExtractable, "extr");
VAULT_STRING(kSecAttrIsSensitive, "sens");
VAULT_STRING(kSecAttrIssuer, "issr");
VAULT_STRING(kSecAttrPersistentReference, "persistref");
VAULT_STRING(kSecAttrPublicKeyHash, "pkhh");
VAULT_STRING(kSecAttrSerialNumber, "slnr");
VAULT_STRING(kSecAttrSubject, "subj");
VAULT_STRING(kSecAttrSubjectKeyID, "skid");
VAULT_STRING(kSecAttrSyncViewHint, "vwht");
VAULT_STRING(kSecAttrTokenIDSecureEnclave, "com.apple.setoken");
VAULT_STRING(kSecUseUserIndependentKeychain, "u_UserIndependentKeychain");

/* ---- When an item can be read, which a vault decides as a whole ---- */

VAULT_STRING(kSecAttrAccessibleWhenUnlocked, "ak");
VAULT_STRING(kSecAttrAccessibleAfterFirstUnlock, "ck");
VAULT_STRING(kSecAttrAccessibleAlways, "dk");
VAULT_STRING(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, "akpu");
VAULT_STRING(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, "aku");
VAULT_STRING(kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, "cku");
VAULT_STRING(kSecAttrAccessibleAlwaysThisDeviceOnly, "dku");

/* ---- Protocols ---- */

VAULT_STRING(kSecAttrProtocolFTP, "ftp ");
VAULT_STRING(kSecAttrProtocolFTPAccount, "ftpa");
VAULT_STRING(kSecAttrProtocolHTTP, "http");
VAULT_STRING(kSecAttrProtocolIRC, "irc ");
VAULT_STRING(kSecAttrProtocolNNTP, "nntp");
VAULT_STRING(kSecAttrProtocolPOP3, "pop3");
VAULT_STRING(kSecAttrProtocolSMTP, "smtp");
VAULT_STRING(kSecAttrProtocolSOCKS, "sox ");
VAULT_STRING(kSecAttrProtocolIMAP, "imap");
VAULT_STRING(kSecAttrProtocolLDAP, "ldap");
VAULT_STRING(kSecAttrProtocolAppleTalk, "atlk");
VAULT_STRING(kSecAttrProtocolAFP, "afp ");
VAULT_STRING(kSecAttrProtocolTelnet, "teln");
VAULT_STRING(kSecAttrProtocolSSH, "ssh ");
VAULT_STRING(kSecAttrProtocolFTPS, "ftps");
VAULT_STRING(kSecAttrProtocolHTTPS, "htps");
VAULT_STRING(kSecAttrProtocolHTTPProxy, "htpx");
VAULT_STRING(kSecAttrProtocolHTTPSProxy, "htsx");
VAULT_STRING(kSecAttrProtocolFTPProxy, "ftpx");
VAULT_STRING(kSecAttrProtocolSMB, "smb ");
VAULT_STRING(kSecAttrProtocolRTSP, "rtsp");
VAULT_STRING(kSecAttrProtocolRTSPProxy, "rtsx");
VAULT_STRING(kSecAttrProtocolDAAP, "daap");
VAULT_STRING(kSecAttrProtocolEPPC, "eppc");
VAULT_STRING(kSecAttrProtocolIPP, "ipp ");
VAULT_STRING(kSecAttrProtocolNNTPS, "ntps");
VAULT_STRING(kSecAttrProtocolLDAPS, "ldps");
VAULT_STRING(kSecAttrProtocolTelnetS, "tels");
VAULT_STRING(kSecAttrProtocolIMAPS, "imps");
VAULT_STRING(kSecAttrProtocolIRCS, "ircs");
VAULT_STRING(kSecAttrProtocolPOP3S, "pops");

/* ---- Authentication types ---- */

VAULT_STRING(kSecAttrAuthenticationTypeNTLM, "ntlm");
VAULT_STRING(kSecAttrAuthenticationTypeMSN, "msna");
VAULT_STRING(kSecAttrAuthenticationTypeDPA, "dpaa");
VAULT_STRING(kSecAttrAuthenticationTypeRPA, "rpaa");
VAULT_STRING(kSecAttrAuthenticationTypeHTTPBasic, "http");
VAULT_STRING(kSecAttrAuthenticationTypeHTTPDigest, "httd");
VAULT_STRING(kSecAttrAuthenticationTypeHTMLForm, "form");
VAULT_STRING(kSecAttrAuthenticationTypeDefault, "dflt");

/* ---- Matching ---- */

VAULT_STRING(kSecMatchPolicy, "m_Policy");
VAULT_STRING(kSecMatchItemList, "m_ItemList");
VAULT_STRING(kSecMatchSearchList, "m_SearchList");
VAULT_STRING(kSecMatchIssuers, "m_Issuers");
VAULT_STRING(kSecMatchEmailAddressIfPresent, "m_EmailAddressIfPresent");
VAULT_STRING(kSecMatchSubjectContains, "m_SubjectContains");
VAULT_STRING(kSecMatchSubjectStartsWith, "m_SubjectStartsWith");
VAULT_STRING(kSecMatchSubjectEndsWith, "m_SubjectEndsWith");
VAULT_STRING(kSecMatchSubjectWholeString, "m_SubjectWholeString");
VAULT_STRING(kSecMatchDiacriticInsensitive, "m_DiacriticInsensitive");
VAULT_STRING(kSecMatchWidthInsensitive, "m_WidthInsensitive");
VAULT_STRING(kSecMatchTrustedOnly, "m_TrustedOnly");
VAULT_STRING(kSecMatchValidOnDate, "m_ValidOnDate");
VAULT_STRING(kSecMatchHostOrSubdomainOfHost, "m_HostOrSubdomainOfHost");
VAULT_STRING(kSecMatchCaseInsensitive, "m_CaseInsensitive");
VAULT_STRING(kSecMatchLimit, "m_Limit");
VAULT_STRING(kSecMatchLimitOne, "m_LimitOne");
VAULT_STRING(kSecMatchLimitAll, "m_LimitAll");

/* ---- Returning ---- */

VAULT_STRING(kSecReturnData, "r_Data");
VAULT_STRING(kSecReturnAttributes, "r_Attributes");
VAULT_STRING(kSecReturnRef, "r_Ref");
VAULT_STRING(kSecReturnPersistentRef, "r_PersistentRef");

/* ---- Values ---- */

VAULT_STRING(kSecValueData, "v_Data");
VAULT_STRING(kSecValueRef, "v_Ref");
VAULT_STRING(kSecValuePersistentRef, "v_PersistentRef");

/* ---- Using ---- */

VAULT_STRING(kSecUseItemList, "u_ItemList");
VAULT_STRING(kSecUseKeychain, "u_Keychain");
VAULT_STRING(kSecUseDataProtectionKeychain, "nleg");
VAULT_STRING(kSecUseAuthenticationUI, "u_AuthUI");
VAULT_STRING(kSecUseAuthenticationUIAllow, "u_AuthUIA");
VAULT_STRING(kSecUseAuthenticationUIFail, "u_AuthUIF");
VAULT_STRING(kSecUseAuthenticationUISkip, "u_AuthUIS");
VAULT_STRING(kSecUseAuthenticationContext, "u_AuthCtx");
VAULT_STRING(kSecUseNoAuthenticationUI, "u_NoAuthUI");
VAULT_STRING(kSecUseOperationPrompt, "u_OpPrompt");

#endif

#endif
