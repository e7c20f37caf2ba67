/* Apple's names for keychains, and for finding and adding passwords. */
#ifndef VAULT_COMPAT_SECKEYCHAIN_H
#define VAULT_COMPAT_SECKEYCHAIN_H

#include "SecBase.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef VaultProtocolType SecProtocolType;
typedef VaultAuthenticationType SecAuthenticationType;
typedef VaultPreferencesDomain SecPreferencesDomain;
typedef UInt32 SecKeychainStatus;
typedef VaultEventKind SecKeychainEvent;
typedef VaultEventMask SecKeychainEventMask;
typedef VaultCallback SecKeychainCallback;

#define SecKeychainSettings VaultSettings
#define SecKeychainCallbackInfo VaultCallbackInfo
#define SEC_KEYCHAIN_SETTINGS_VERS1 1

/* ---- Functions ---- */

#define SecKeychainGetTypeID VaultGetTypeID
#define SecKeychainGetVersion VaultGetVersion
#define SecKeychainOpen VaultOpen
#define SecKeychainCreate VaultCreate
#define SecKeychainDelete VaultDelete
#define SecKeychainSetSettings VaultSetSettings
#define SecKeychainCopySettings VaultCopySettings
#define SecKeychainUnlock VaultUnlock
#define SecKeychainLock VaultLock
#define SecKeychainLockAll VaultLockAll
#define SecKeychainCopyDefault VaultCopyDefault
#define SecKeychainSetDefault VaultSetDefault
#define SecKeychainCopySearchList VaultCopySearchList
#define SecKeychainSetSearchList VaultSetSearchList
#define SecKeychainCopyDomainDefault VaultCopyDomainDefault
#define SecKeychainSetDomainDefault VaultSetDomainDefault
#define SecKeychainCopyDomainSearchList VaultCopyDomainSearchList
#define SecKeychainSetDomainSearchList VaultSetDomainSearchList
#define SecKeychainSetPreferenceDomain VaultSetPreferenceDomain
#define SecKeychainGetPreferenceDomain VaultGetPreferenceDomain
#define SecKeychainGetStatus VaultGetStatus
#define SecKeychainGetPath VaultGetPath
#define SecKeychainAttributeInfoForItemID VaultAttributeInfoForItemID
#define SecKeychainFreeAttributeInfo VaultFreeAttributeInfo
#define SecKeychainAddCallback VaultAddCallback
#define SecKeychainRemoveCallback VaultRemoveCallback
#define SecKeychainAddInternetPassword VaultAddInternetPassword
#define SecKeychainFindInternetPassword VaultFindInternetPassword
#define SecKeychainAddGenericPassword VaultAddGenericPassword
#define SecKeychainFindGenericPassword VaultFindGenericPassword
#define SecKeychainSetUserInteractionAllowed VaultSetUserInteractionAllowed
#define SecKeychainGetUserInteractionAllowed VaultGetUserInteractionAllowed

/* ---- Constants ---- */

enum {
  kSecProtocolTypeFTP = kVaultProtocolTypeFTP,
  kSecProtocolTypeFTPAccount = kVaultProtocolTypeFTPAccount,
  kSecProtocolTypeHTTP = kVaultProtocolTypeHTTP,
  kSecProtocolTypeIRC = kVaultProtocolTypeIRC,
  kSecProtocolTypeNNTP = kVaultProtocolTypeNNTP,
  kSecProtocolTypePOP3 = kVaultProtocolTypePOP3,
  kSecProtocolTypeSMTP = kVaultProtocolTypeSMTP,
  kSecProtocolTypeSOCKS = kVaultProtocolTypeSOCKS,
  kSecProtocolTypeIMAP = kVaultProtocolTypeIMAP,
  kSecProtocolTypeLDAP = kVaultProtocolTypeLDAP,
  kSecProtocolTypeAppleTalk = kVaultProtocolTypeAppleTalk,
  kSecProtocolTypeAFP = kVaultProtocolTypeAFP,
  kSecProtocolTypeTelnet = kVaultProtocolTypeTelnet,
  kSecProtocolTypeSSH = kVaultProtocolTypeSSH,
  kSecProtocolTypeFTPS = kVaultProtocolTypeFTPS,
  kSecProtocolTypeHTTPS = kVaultProtocolTypeHTTPS,
  kSecProtocolTypeHTTPProxy = kVaultProtocolTypeHTTPProxy,
  kSecProtocolTypeHTTPSProxy = kVaultProtocolTypeHTTPSProxy,
  kSecProtocolTypeFTPProxy = kVaultProtocolTypeFTPProxy,
  kSecProtocolTypeCIFS = kVaultProtocolTypeCIFS,
  kSecProtocolTypeSMB = kVaultProtocolTypeSMB,
  kSecProtocolTypeRTSP = kVaultProtocolTypeRTSP,
  kSecProtocolTypeRTSPProxy = kVaultProtocolTypeRTSPProxy,
  kSecProtocolTypeDAAP = kVaultProtocolTypeDAAP,
  kSecProtocolTypeEPPC = kVaultProtocolTypeEPPC,
  kSecProtocolTypeIPP = kVaultProtocolTypeIPP,
  kSecProtocolTypeNNTPS = kVaultProtocolTypeNNTPS,
  kSecProtocolTypeLDAPS = kVaultProtocolTypeLDAPS,
  kSecProtocolTypeTelnetS = kVaultProtocolTypeTelnetS,
  kSecProtocolTypeIMAPS = kVaultProtocolTypeIMAPS,
  kSecProtocolTypeIRCS = kVaultProtocolTypeIRCS,
  kSecProtocolTypePOP3S = kVaultProtocolTypePOP3S,
  kSecProtocolTypeCVSpserver = kVaultProtocolTypeCVSpserver,
  kSecProtocolTypeSVN = kVaultProtocolTypeSVN,
  kSecProtocolTypeAny = kVaultProtocolTypeAny,
};

enum {
  kSecAuthenticationTypeNTLM = kVaultAuthenticationTypeNTLM,
  kSecAuthenticationTypeMSN = kVaultAuthenticationTypeMSN,
  kSecAuthenticationTypeDPA = kVaultAuthenticationTypeDPA,
  kSecAuthenticationTypeRPA = kVaultAuthenticationTypeRPA,
  kSecAuthenticationTypeHTTPBasic = kVaultAuthenticationTypeHTTPBasic,
  kSecAuthenticationTypeHTTPDigest = kVaultAuthenticationTypeHTTPDigest,
  kSecAuthenticationTypeHTMLForm = kVaultAuthenticationTypeHTMLForm,
  kSecAuthenticationTypeDefault = kVaultAuthenticationTypeDefault,
  kSecAuthenticationTypeAny = kVaultAuthenticationTypeAny,
};

enum {
  kSecUnlockStateStatus = kVaultUnlockStateStatus,
  kSecReadPermStatus = kVaultReadPermStatus,
  kSecWritePermStatus = kVaultWritePermStatus,
};

enum {
  kSecPreferencesDomainUser = kVaultPreferencesDomainUser,
  kSecPreferencesDomainSystem = kVaultPreferencesDomainSystem,
  kSecPreferencesDomainCommon = kVaultPreferencesDomainCommon,
  kSecPreferencesDomainDynamic = kVaultPreferencesDomainDynamic,
};

/* The events, of which vaults have no password that changes, no access to data and no trust. */
enum {
  kSecLockEvent = kVaultLockEvent,
  kSecUnlockEvent = kVaultUnlockEvent,
  kSecAddEvent = kVaultAddEvent,
  kSecDeleteEvent = kVaultDeleteEvent,
  kSecUpdateEvent = kVaultUpdateEvent,
  kSecPasswordChangedEvent = 6,
  kSecDefaultChangedEvent = kVaultDefaultChangedEvent,
  kSecDataAccessEvent = 10,
  kSecKeychainListChangedEvent = kVaultListChangedEvent,
  kSecTrustSettingsChangedEvent = 12,
};

enum {
  kSecLockEventMask = 1 << kSecLockEvent,
  kSecUnlockEventMask = 1 << kSecUnlockEvent,
  kSecAddEventMask = 1 << kSecAddEvent,
  kSecDeleteEventMask = 1 << kSecDeleteEvent,
  kSecUpdateEventMask = 1 << kSecUpdateEvent,
  kSecPasswordChangedEventMask = 1 << kSecPasswordChangedEvent,
  kSecDefaultChangedEventMask = 1 << kSecDefaultChangedEvent,
  kSecDataAccessEventMask = 1 << kSecDataAccessEvent,
  kSecKeychainListChangedMask = 1 << kSecKeychainListChangedEvent,
  kSecTrustSettingsChangedEventMask = 1 << kSecTrustSettingsChangedEvent,
};
#define kSecEveryEventMask kVaultEveryEventMask

#ifdef __cplusplus
}
#endif

#endif
