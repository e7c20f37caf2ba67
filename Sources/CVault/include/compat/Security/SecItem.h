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

static const CFStringRef kSecClass = CFSTR("class");
static const CFStringRef kSecClassInternetPassword = CFSTR("inet");
static const CFStringRef kSecClassGenericPassword = CFSTR("genp");
static const CFStringRef kSecClassCertificate = CFSTR("cert");
static const CFStringRef kSecClassKey = CFSTR("keys");
static const CFStringRef kSecClassIdentity = CFSTR("idnt");

/* ---- Attributes ---- */

static const CFStringRef kSecAttrAccess = CFSTR("acls");
static const CFStringRef kSecAttrAccessControl = CFSTR("accc");
static const CFStringRef kSecAttrAccessGroup = CFSTR("agrp");
static const CFStringRef kSecAttrAccessible = CFSTR("pdmn");
static const CFStringRef kSecAttrAccount = CFSTR("acct");
static const CFStringRef kSecAttrAuthenticationType = CFSTR("atyp");
static const CFStringRef kSecAttrComment = CFSTR("icmt");
static const CFStringRef kSecAttrCreationDate = CFSTR("cdat");
static const CFStringRef kSecAttrCreator = CFSTR("crtr");
static const CFStringRef kSecAttrDescription = CFSTR("desc");
static const CFStringRef kSecAttrGeneric = CFSTR("gena");
static const CFStringRef kSecAttrIsInvisible = CFSTR("invi");
static const CFStringRef kSecAttrIsNegative = CFSTR("nega");
static const CFStringRef kSecAttrLabel = CFSTR("labl");
static const CFStringRef kSecAttrModificationDate = CFSTR("mdat");
static const CFStringRef kSecAttrPath = CFSTR("path");
static const CFStringRef kSecAttrPort = CFSTR("port");
static const CFStringRef kSecAttrProtocol = CFSTR("ptcl");
static const CFStringRef kSecAttrSecurityDomain = CFSTR("sdmn");
static const CFStringRef kSecAttrServer = CFSTR("srvr");
static const CFStringRef kSecAttrService = CFSTR("svce");
static const CFStringRef kSecAttrSynchronizable = CFSTR("sync");
static const CFStringRef kSecAttrSynchronizableAny = CFSTR("syna");
static const CFStringRef kSecAttrTokenID = CFSTR("tkid");
static const CFStringRef kSecAttrType = CFSTR("type");

/* ---- When an item can be read, which a vault decides as a whole ---- */

static const CFStringRef kSecAttrAccessibleWhenUnlocked = CFSTR("ak");
static const CFStringRef kSecAttrAccessibleAfterFirstUnlock = CFSTR("ck");
static const CFStringRef kSecAttrAccessibleAlways = CFSTR("dk");
static const CFStringRef kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly = CFSTR("akpu");
static const CFStringRef kSecAttrAccessibleWhenUnlockedThisDeviceOnly = CFSTR("aku");
static const CFStringRef kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = CFSTR("cku");
static const CFStringRef kSecAttrAccessibleAlwaysThisDeviceOnly = CFSTR("dku");

/* ---- Protocols ---- */

static const CFStringRef kSecAttrProtocolFTP = CFSTR("ftp ");
static const CFStringRef kSecAttrProtocolFTPAccount = CFSTR("ftpa");
static const CFStringRef kSecAttrProtocolHTTP = CFSTR("http");
static const CFStringRef kSecAttrProtocolIRC = CFSTR("irc ");
static const CFStringRef kSecAttrProtocolNNTP = CFSTR("nntp");
static const CFStringRef kSecAttrProtocolPOP3 = CFSTR("pop3");
static const CFStringRef kSecAttrProtocolSMTP = CFSTR("smtp");
static const CFStringRef kSecAttrProtocolSOCKS = CFSTR("sox ");
static const CFStringRef kSecAttrProtocolIMAP = CFSTR("imap");
static const CFStringRef kSecAttrProtocolLDAP = CFSTR("ldap");
static const CFStringRef kSecAttrProtocolAppleTalk = CFSTR("atlk");
static const CFStringRef kSecAttrProtocolAFP = CFSTR("afp ");
static const CFStringRef kSecAttrProtocolTelnet = CFSTR("teln");
static const CFStringRef kSecAttrProtocolSSH = CFSTR("ssh ");
static const CFStringRef kSecAttrProtocolFTPS = CFSTR("ftps");
static const CFStringRef kSecAttrProtocolHTTPS = CFSTR("htps");
static const CFStringRef kSecAttrProtocolHTTPProxy = CFSTR("htpx");
static const CFStringRef kSecAttrProtocolHTTPSProxy = CFSTR("htsx");
static const CFStringRef kSecAttrProtocolFTPProxy = CFSTR("ftpx");
static const CFStringRef kSecAttrProtocolSMB = CFSTR("smb ");
static const CFStringRef kSecAttrProtocolRTSP = CFSTR("rtsp");
static const CFStringRef kSecAttrProtocolRTSPProxy = CFSTR("rtsx");
static const CFStringRef kSecAttrProtocolDAAP = CFSTR("daap");
static const CFStringRef kSecAttrProtocolEPPC = CFSTR("eppc");
static const CFStringRef kSecAttrProtocolIPP = CFSTR("ipp ");
static const CFStringRef kSecAttrProtocolNNTPS = CFSTR("ntps");
static const CFStringRef kSecAttrProtocolLDAPS = CFSTR("ldps");
static const CFStringRef kSecAttrProtocolTelnetS = CFSTR("tels");
static const CFStringRef kSecAttrProtocolIMAPS = CFSTR("imps");
static const CFStringRef kSecAttrProtocolIRCS = CFSTR("ircs");
static const CFStringRef kSecAttrProtocolPOP3S = CFSTR("pops");

/* ---- Authentication types ---- */

static const CFStringRef kSecAttrAuthenticationTypeNTLM = CFSTR("ntlm");
static const CFStringRef kSecAttrAuthenticationTypeMSN = CFSTR("msna");
static const CFStringRef kSecAttrAuthenticationTypeDPA = CFSTR("dpaa");
static const CFStringRef kSecAttrAuthenticationTypeRPA = CFSTR("rpaa");
static const CFStringRef kSecAttrAuthenticationTypeHTTPBasic = CFSTR("http");
static const CFStringRef kSecAttrAuthenticationTypeHTTPDigest = CFSTR("httd");
static const CFStringRef kSecAttrAuthenticationTypeHTMLForm = CFSTR("form");
static const CFStringRef kSecAttrAuthenticationTypeDefault = CFSTR("dflt");

/* ---- Matching ---- */

static const CFStringRef kSecMatchPolicy = CFSTR("m_Policy");
static const CFStringRef kSecMatchItemList = CFSTR("m_ItemList");
static const CFStringRef kSecMatchSearchList = CFSTR("m_SearchList");
static const CFStringRef kSecMatchIssuers = CFSTR("m_Issuers");
static const CFStringRef kSecMatchEmailAddressIfPresent = CFSTR("m_EmailAddressIfPresent");
static const CFStringRef kSecMatchSubjectContains = CFSTR("m_SubjectContains");
static const CFStringRef kSecMatchSubjectStartsWith = CFSTR("m_SubjectStartsWith");
static const CFStringRef kSecMatchSubjectEndsWith = CFSTR("m_SubjectEndsWith");
static const CFStringRef kSecMatchSubjectWholeString = CFSTR("m_SubjectWholeString");
static const CFStringRef kSecMatchDiacriticInsensitive = CFSTR("m_DiacriticInsensitive");
static const CFStringRef kSecMatchWidthInsensitive = CFSTR("m_WidthInsensitive");
static const CFStringRef kSecMatchTrustedOnly = CFSTR("m_TrustedOnly");
static const CFStringRef kSecMatchValidOnDate = CFSTR("m_ValidOnDate");
static const CFStringRef kSecMatchCaseInsensitive = CFSTR("m_CaseInsensitive");
static const CFStringRef kSecMatchLimit = CFSTR("m_Limit");
static const CFStringRef kSecMatchLimitOne = CFSTR("m_LimitOne");
static const CFStringRef kSecMatchLimitAll = CFSTR("m_LimitAll");

/* ---- Returning ---- */

static const CFStringRef kSecReturnData = CFSTR("r_Data");
static const CFStringRef kSecReturnAttributes = CFSTR("r_Attributes");
static const CFStringRef kSecReturnRef = CFSTR("r_Ref");
static const CFStringRef kSecReturnPersistentRef = CFSTR("r_PersistentRef");

/* ---- Values ---- */

static const CFStringRef kSecValueData = CFSTR("v_Data");
static const CFStringRef kSecValueRef = CFSTR("v_Ref");
static const CFStringRef kSecValuePersistentRef = CFSTR("v_PersistentRef");

/* ---- Using ---- */

static const CFStringRef kSecUseItemList = CFSTR("u_ItemList");
static const CFStringRef kSecUseKeychain = CFSTR("u_Keychain");
static const CFStringRef kSecUseDataProtectionKeychain = CFSTR("nleg");
static const CFStringRef kSecUseAuthenticationUI = CFSTR("u_AuthUI");
static const CFStringRef kSecUseAuthenticationUIAllow = CFSTR("u_AuthUIA");
static const CFStringRef kSecUseAuthenticationUIFail = CFSTR("u_AuthUIF");
static const CFStringRef kSecUseAuthenticationUISkip = CFSTR("u_AuthUIS");
static const CFStringRef kSecUseAuthenticationContext = CFSTR("u_AuthCtx");
static const CFStringRef kSecUseNoAuthenticationUI = CFSTR("u_NoAuthUI");
static const CFStringRef kSecUseOperationPrompt = CFSTR("u_OpPrompt");

#if defined(VAULT_INTEGER_REFERENCES)
#include "SecItemValues.h"
#endif

#endif

#endif
