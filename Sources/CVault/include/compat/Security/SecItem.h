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

#define kSecClass CFSTR("class")
#define kSecClassInternetPassword CFSTR("inet")
#define kSecClassGenericPassword CFSTR("genp")
#define kSecClassCertificate CFSTR("cert")
#define kSecClassKey CFSTR("keys")
#define kSecClassIdentity CFSTR("idnt")

/* ---- Attributes ---- */

#define kSecAttrAccess CFSTR("acls")
#define kSecAttrAccessControl CFSTR("accc")
#define kSecAttrAccessGroup CFSTR("agrp")
#define kSecAttrAccessible CFSTR("pdmn")
#define kSecAttrAccount CFSTR("acct")
#define kSecAttrAuthenticationType CFSTR("atyp")
#define kSecAttrComment CFSTR("icmt")
#define kSecAttrCreationDate CFSTR("cdat")
#define kSecAttrCreator CFSTR("crtr")
#define kSecAttrDescription CFSTR("desc")
#define kSecAttrGeneric CFSTR("gena")
#define kSecAttrIsInvisible CFSTR("invi")
#define kSecAttrIsNegative CFSTR("nega")
#define kSecAttrLabel CFSTR("labl")
#define kSecAttrModificationDate CFSTR("mdat")
#define kSecAttrPath CFSTR("path")
#define kSecAttrPort CFSTR("port")
#define kSecAttrProtocol CFSTR("ptcl")
#define kSecAttrSecurityDomain CFSTR("sdmn")
#define kSecAttrServer CFSTR("srvr")
#define kSecAttrService CFSTR("svce")
#define kSecAttrSynchronizable CFSTR("sync")
#define kSecAttrSynchronizableAny CFSTR("syna")
#define kSecAttrTokenID CFSTR("tkid")
#define kSecAttrType CFSTR("type")

/* ---- When an item can be read, which a vault decides as a whole ---- */

#define kSecAttrAccessibleWhenUnlocked CFSTR("ak")
#define kSecAttrAccessibleAfterFirstUnlock CFSTR("ck")
#define kSecAttrAccessibleAlways CFSTR("dk")
#define kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly CFSTR("akpu")
#define kSecAttrAccessibleWhenUnlockedThisDeviceOnly CFSTR("aku")
#define kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly CFSTR("cku")
#define kSecAttrAccessibleAlwaysThisDeviceOnly CFSTR("dku")

/* ---- Protocols ---- */

#define kSecAttrProtocolFTP CFSTR("ftp ")
#define kSecAttrProtocolFTPAccount CFSTR("ftpa")
#define kSecAttrProtocolHTTP CFSTR("http")
#define kSecAttrProtocolIRC CFSTR("irc ")
#define kSecAttrProtocolNNTP CFSTR("nntp")
#define kSecAttrProtocolPOP3 CFSTR("pop3")
#define kSecAttrProtocolSMTP CFSTR("smtp")
#define kSecAttrProtocolSOCKS CFSTR("sox ")
#define kSecAttrProtocolIMAP CFSTR("imap")
#define kSecAttrProtocolLDAP CFSTR("ldap")
#define kSecAttrProtocolAppleTalk CFSTR("atlk")
#define kSecAttrProtocolAFP CFSTR("afp ")
#define kSecAttrProtocolTelnet CFSTR("teln")
#define kSecAttrProtocolSSH CFSTR("ssh ")
#define kSecAttrProtocolFTPS CFSTR("ftps")
#define kSecAttrProtocolHTTPS CFSTR("htps")
#define kSecAttrProtocolHTTPProxy CFSTR("htpx")
#define kSecAttrProtocolHTTPSProxy CFSTR("htsx")
#define kSecAttrProtocolFTPProxy CFSTR("ftpx")
#define kSecAttrProtocolSMB CFSTR("smb ")
#define kSecAttrProtocolRTSP CFSTR("rtsp")
#define kSecAttrProtocolRTSPProxy CFSTR("rtsx")
#define kSecAttrProtocolDAAP CFSTR("daap")
#define kSecAttrProtocolEPPC CFSTR("eppc")
#define kSecAttrProtocolIPP CFSTR("ipp ")
#define kSecAttrProtocolNNTPS CFSTR("ntps")
#define kSecAttrProtocolLDAPS CFSTR("ldps")
#define kSecAttrProtocolTelnetS CFSTR("tels")
#define kSecAttrProtocolIMAPS CFSTR("imps")
#define kSecAttrProtocolIRCS CFSTR("ircs")
#define kSecAttrProtocolPOP3S CFSTR("pops")

/* ---- Authentication types ---- */

#define kSecAttrAuthenticationTypeNTLM CFSTR("ntlm")
#define kSecAttrAuthenticationTypeMSN CFSTR("msna")
#define kSecAttrAuthenticationTypeDPA CFSTR("dpaa")
#define kSecAttrAuthenticationTypeRPA CFSTR("rpaa")
#define kSecAttrAuthenticationTypeHTTPBasic CFSTR("http")
#define kSecAttrAuthenticationTypeHTTPDigest CFSTR("httd")
#define kSecAttrAuthenticationTypeHTMLForm CFSTR("form")
#define kSecAttrAuthenticationTypeDefault CFSTR("dflt")

/* ---- Matching ---- */

#define kSecMatchPolicy CFSTR("m_Policy")
#define kSecMatchItemList CFSTR("m_ItemList")
#define kSecMatchSearchList CFSTR("m_SearchList")
#define kSecMatchIssuers CFSTR("m_Issuers")
#define kSecMatchEmailAddressIfPresent CFSTR("m_EmailAddressIfPresent")
#define kSecMatchSubjectContains CFSTR("m_SubjectContains")
#define kSecMatchSubjectStartsWith CFSTR("m_SubjectStartsWith")
#define kSecMatchSubjectEndsWith CFSTR("m_SubjectEndsWith")
#define kSecMatchSubjectWholeString CFSTR("m_SubjectWholeString")
#define kSecMatchDiacriticInsensitive CFSTR("m_DiacriticInsensitive")
#define kSecMatchWidthInsensitive CFSTR("m_WidthInsensitive")
#define kSecMatchTrustedOnly CFSTR("m_TrustedOnly")
#define kSecMatchValidOnDate CFSTR("m_ValidOnDate")
#define kSecMatchCaseInsensitive CFSTR("m_CaseInsensitive")
#define kSecMatchLimit CFSTR("m_Limit")
#define kSecMatchLimitOne CFSTR("m_LimitOne")
#define kSecMatchLimitAll CFSTR("m_LimitAll")

/* ---- Returning ---- */

#define kSecReturnData CFSTR("r_Data")
#define kSecReturnAttributes CFSTR("r_Attributes")
#define kSecReturnRef CFSTR("r_Ref")
#define kSecReturnPersistentRef CFSTR("r_PersistentRef")

/* ---- Values ---- */

#define kSecValueData CFSTR("v_Data")
#define kSecValueRef CFSTR("v_Ref")
#define kSecValuePersistentRef CFSTR("v_PersistentRef")

/* ---- Using ---- */

#define kSecUseItemList CFSTR("u_ItemList")
#define kSecUseKeychain CFSTR("u_Keychain")
#define kSecUseDataProtectionKeychain CFSTR("nleg")
#define kSecUseAuthenticationUI CFSTR("u_AuthUI")
#define kSecUseAuthenticationUIAllow CFSTR("u_AuthUIA")
#define kSecUseAuthenticationUIFail CFSTR("u_AuthUIF")
#define kSecUseAuthenticationUISkip CFSTR("u_AuthUIS")
#define kSecUseAuthenticationContext CFSTR("u_AuthCtx")
#define kSecUseNoAuthenticationUI CFSTR("u_NoAuthUI")
#define kSecUseOperationPrompt CFSTR("u_OpPrompt")

#endif

#endif
