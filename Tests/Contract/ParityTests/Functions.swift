import Foundation
import ProgramTesting

/// A function of Apple's headers, and whether C programs have it here.
struct AppleFunction: Sendable {
  enum State: String, Sendable {
    case provided
    case noEffect = "no effect"
    case absent
  }

  let name: String
  let state: State
  /// The difference, or the reason if it is absent.
  let note: String

  /// The headers of Apple's, in the order of the page.
  static let headers: [(name: String, functions: [AppleFunction])] = [
    ("Security/SecBase.h", base), ("Security/SecKeychain.h", keychain),
    ("Security/SecKeychainItem.h", item), ("Security/SecKeychainSearch.h", search),
    ("Security/SecAccess.h", access), ("Security/SecTrustedApplication.h", trustedApplication),
    ("Security/SecItem.h", secItem), ("Security/SecCertificate.h", certificate),
    ("Security/SecPolicy.h", policy), ("Security/SecTrust.h", trust),
    ("Security/SecIdentity.h", identity), ("Security/SecKey.h", key),
    ("Security/SecImportExport.h", importing),
    ("Security/SecRandom.h", [provided("SecRandomCopyBytes", "The kernel's.")]),
    ("CoreFoundation/CoreFoundation.h", coreFoundation),
  ]

  private static func provided(_ name: String, _ note: String = "") -> Self {
    Self(name: name, state: .provided, note: note)
  }

  private static func noEffect(_ name: String, _ note: String) -> Self {
    Self(name: name, state: .noEffect, note: note)
  }

  private static func absent(_ name: String, _ note: String) -> Self {
    Self(name: name, state: .absent, note: note)
  }

  private static let noAccess =
    "A vault has no access lists: its key opens all of it, and rules say what it keeps."
  private static let noCSSM = "There is no CSSM below it."

  private static let base = [
    provided(
      "SecCopyErrorMessageString", "Apple's wording where programs compare it; else ours.")
  ]

  private static let keychain = [
    provided("SecKeychainGetTypeID"),
    provided("SecKeychainGetVersion", "The version of Apple's interface."),
    provided("SecKeychainOpen", "Where there is no vault, the first use is errSecNoSuchKeychain."),
    provided("SecKeychainCreate", "It never prompts."),
    provided("SecKeychainDelete"),
    noEffect(
      "SecKeychainSetSettings",
      "A vault never locks itself; settings that ask for it are errSecUnimplemented."),
    provided("SecKeychainCopySettings", "They say that it never locks itself."),
    provided("SecKeychainUnlock", "Without a password, by the key that the environment names."),
    provided("SecKeychainLock"),
    provided("SecKeychainLockAll", "Every vault that the process has opened."),
    provided("SecKeychainCopyDefault"),
    provided("SecKeychainSetDefault", "For the process."),
    provided("SecKeychainCopySearchList"),
    provided("SecKeychainSetSearchList", "For the process."),
    provided("SecKeychainCopyDomainDefault", "The user's domain."),
    provided("SecKeychainSetDomainDefault", "The user's domain, for the process."),
    provided("SecKeychainCopyDomainSearchList", "The user's domain."),
    provided("SecKeychainSetDomainSearchList", "The user's domain, for the process."),
    noEffect(
      "SecKeychainSetPreferenceDomain",
      "The user's is the only one; others are errSecInvalidPrefsDomain."),
    provided("SecKeychainGetPreferenceDomain"),
    provided("SecKeychainGetStatus"),
    provided("SecKeychainGetPath"),
    provided("SecKeychainAttributeInfoForItemID"),
    provided("SecKeychainFreeAttributeInfo"),
    provided(
      "SecKeychainAddCallback",
      "Called by a thread of the library or by the one that made the change; no run loop is needed."
    ),
    provided("SecKeychainRemoveCallback"),
    provided("SecKeychainAddInternetPassword"),
    provided("SecKeychainFindInternetPassword"),
    provided("SecKeychainAddGenericPassword"),
    provided("SecKeychainFindGenericPassword"),
    provided(
      "SecKeychainSetUserInteractionAllowed",
      "It never prompts; a locked vault is errSecAuthFailed after it was forbidden."),
    provided("SecKeychainGetUserInteractionAllowed"),
    absent("SecKeychainGetDLDBHandle", noCSSM),
    absent("SecKeychainGetCSPHandle", noCSSM),
    absent("SecKeychainCopyAccess", noAccess),
    absent("SecKeychainSetAccess", noAccess),
  ]

  private static let item = [
    provided("SecKeychainItemGetTypeID"),
    provided("SecKeychainItemModifyAttributesAndData"),
    provided("SecKeychainItemCreateFromContent"),
    provided("SecKeychainItemModifyContent"),
    provided("SecKeychainItemCopyContent"),
    provided("SecKeychainItemFreeContent"),
    provided("SecKeychainItemCopyAttributesAndData"),
    provided("SecKeychainItemFreeAttributesAndData"),
    provided("SecKeychainItemDelete"),
    provided("SecKeychainItemCopyKeychain"),
    provided("SecKeychainItemCreateCopy", "The dates are kept; the identity is new."),
    provided("SecKeychainItemCreatePersistentReference", "It survives a new name."),
    provided("SecKeychainItemCopyFromPersistentReference"),
    absent("SecKeychainItemGetDLDBHandle", noCSSM),
    absent("SecKeychainItemGetUniqueRecordID", noCSSM),
    absent("SecKeychainItemCopyAccess", noAccess),
    absent("SecKeychainItemSetAccess", noAccess),
  ]

  private static let access = [
    provided("SecAccessGetTypeID"),
    provided(
      "SecAccessCreate",
      "Programs that it names have no effect; of an item whose list names none, these functions give the secret to no program."
    ),
    absent("SecAccessCreateWithOwnerAndACL", noAccess), absent("SecAccessCopyACLList", noAccess),
    absent("SecAccessCopyMatchingACLList", noAccess),
  ]

  private static let trustedApplication = [
    provided("SecTrustedApplicationGetTypeID"),
    provided("SecTrustedApplicationCreateFromPath", "The path is not looked at."),
    absent("SecTrustedApplicationCopyData", noAccess),
    absent("SecTrustedApplicationSetData", noAccess),
  ]

  private static let search = [
    provided("SecKeychainSearchGetTypeID"),
    provided("SecKeychainSearchCreateFromAttributes", "Both classes of passwords."),
    provided("SecKeychainSearchCopyNext"),
  ]

  private static let secItem = [
    provided("SecItemCopyMatching", "Both classes of passwords."),
    provided("SecItemAdd"),
    provided("SecItemUpdate", "All matches or none."),
    provided("SecItemDelete"),
  ]

  private static let key = [
    provided("SecKeyGetTypeID"),
    provided("SecKeyCreateWithData", "PKCS #1, X9.63, or the 32 bytes of Ed25519."),
    provided("SecKeyCopyExternalRepresentation"),
    provided("SecKeyCopyAttributes", "Never the key itself."),
    provided("SecKeyCopyPublicKey"),
    provided("SecKeyGetBlockSize"),
    provided("SecKeyIsAlgorithmSupported", "Neither MD5 nor key exchange."),
    provided("SecKeyCreateSignature"),
    provided("SecKeyVerifySignature"),
    provided(
      "SecKeyCreateEncryptedData",
      "RSA: raw, PKCS #1, OAEP; elliptic curves: ECIES with a vector from the KDF. The others have names."
    ),
    provided("SecKeyCreateDecryptedData"),
    absent("SecKeyCreateRandomKey", "No key is an item of a vault."),
    absent("SecKeyCopyKeyExchangeResult", "A vault agrees on no secrets."),
  ]

  private static let certificate = [
    provided("SecCertificateGetTypeID"),
    provided("SecCertificateCreateWithData"),
    provided("SecCertificateCopyData"),
    provided("SecCertificateCopySubjectSummary"),
    provided("SecCertificateCopyKey", "RSA, P-256, P-384, P-521, Ed25519."),
    absent("SecCertificateAddToKeychain", "A vault keeps certificates with their keys."),
  ]

  private static let policy = [
    provided("SecPolicyGetTypeID"),
    provided("SecPolicyCreateSSL", "The common name never counts."),
    provided("SecPolicyCreateBasicX509"),
    provided("SecPolicyCreateRevocation", "Nothing is fetched; `vault_tls.h` takes lists."),
  ]

  private static let trust = [
    provided("SecTrustGetTypeID"),
    provided("SecTrustCreateWithCertificates"),
    provided("SecTrustSetPolicies"),
    provided("SecTrustSetAnchorCertificates", "NULL restores the system's, those of OpenSSL."),
    provided("SecTrustSetAnchorCertificatesOnly"),
    provided("SecTrustSetVerifyDate"),
    provided("SecTrustEvaluate", "Nothing is fetched, and a vault's decisions do not count."),
    provided("SecTrustEvaluateWithError", "The same."),
    provided("SecTrustGetTrustResult"),
    provided("SecTrustGetCertificateCount"),
    provided("SecTrustGetCertificateAtIndex"),
    provided("SecTrustCopyCertificateChain"),
    absent("SecTrustEvaluateAsyncWithError", "There are no dispatch queues."),
    absent("SecTrustSetExceptions", "A vault's decisions are exceptions: `vault_trust_accept()`."),
    provided("SecTrustCopyKey", "The leaf's."),
    provided("SecTrustCopyPublicKey", "The same."),
  ]

  private static let identity = [
    provided("SecIdentityGetTypeID"),
    provided("SecIdentityCopyCertificate"),
    provided(
      "SecIdentitySetPreferred", "In the default vault, which has the identity; no key usage."),
    provided("SecIdentityCopyPreferred", "Domains up to a public suffix; no key usage."),
    provided("SecIdentityCopyPrivateKey"),
  ]

  private static let importing = [
    provided("SecPKCS12Import", "A wrong passphrase is errSecAuthFailed, as on iOS."),
    absent("SecItemImport", "`vault_identity_import()` and `vaultctl identity import`."),
    absent("SecItemExport", "`vault_identity_open()` and `vaultctl identity export`."),
  ]

  /// Every one that there is.
  private static let coreFoundation =
    [
      "CFRetain", "CFRelease", "CFGetRetainCount", "CFEqual", "CFHash", "CFGetTypeID",
      "CFCopyTypeIDDescription", "CFCopyDescription", "CFRangeMake", "CFSTR", "CFStringGetTypeID",
      "CFStringCreateWithCString", "CFStringCreateWithBytes", "CFStringCreateCopy",
      "CFStringCreateWithSubstring",
    ].map { provided($0) } + [
      provided(
        "CFStringCreateWithFormat",
        "%@ and printf's conversions, but `%S` and numbered ones; no options and no localisation.")
    ]
    + [
      "CFStringGetLength", "CFStringGetMaximumSizeForEncoding", "CFStringGetCString",
      "CFStringGetCStringPtr", "CFStringGetBytes",
    ].map { provided($0, "UTF-8, ASCII, Latin-1; MacRoman only as far as ASCII.") } + [
      provided("CFStringCompare", "By code points, or letters of ASCII alike in both cases.")
    ]
    + [
      "CFStringHasPrefix", "CFStringHasSuffix", "CFStringCreateExternalRepresentation",
      "CFStringCreateFromExternalRepresentation", "CFDataGetTypeID", "CFDataCreate",
      "CFDataCreateCopy", "CFDataCreateMutable", "CFDataCreateMutableCopy", "CFDataAppendBytes",
      "CFDataGetLength", "CFDataGetBytePtr", "CFDataGetBytes", "CFNumberGetTypeID",
      "CFNumberCreate", "CFNumberGetValue", "CFNumberGetType", "CFBooleanGetTypeID",
      "CFBooleanGetValue", "CFDateGetTypeID", "CFDateCreate", "CFDateGetAbsoluteTime",
      "CFAbsoluteTimeGetCurrent", "CFArrayGetTypeID", "CFArrayCreate", "CFArrayCreateCopy",
      "CFArrayCreateMutable", "CFArrayAppendValue", "CFArrayGetCount", "CFArrayGetValueAtIndex",
      "CFDictionaryGetTypeID", "CFDictionaryCreate", "CFDictionaryCreateCopy",
      "CFDictionaryCreateMutable", "CFDictionaryCreateMutableCopy", "CFDictionaryAddValue",
      "CFDictionarySetValue", "CFDictionaryRemoveValue", "CFDictionaryGetCount",
      "CFDictionaryContainsKey", "CFDictionaryGetValue", "CFDictionaryGetValueIfPresent",
      "CFDictionaryGetKeysAndValues", "CFStringCreateMutable", "CFStringCreateMutableCopy",
      "CFStringAppend", "CFStringAppendCString", "CFStringAppendFormat", "CFStringInsert",
      "CFStringDelete", "CFStringReplace", "CFStringReplaceAll",
      "CFArrayCreateMutableCopy", "CFArrayGetValues", "CFArraySortValues",
      "CFAllocatorGetTypeID", "CFUUIDGetTypeID", "CFUUIDCreate", "CFUUIDCreateFromUUIDBytes",
      "CFUUIDCreateFromString", "CFUUIDCreateString", "CFUUIDGetUUIDBytes", "CFErrorCopyUserInfo",
      "CFStringCreateWithCharacters", "CFStringCreateWithCStringNoCopy",
      "CFStringCreateArrayBySeparatingStrings", "CFStringGetCharacterAtIndex",
      "CFStringGetCharacters", "CFStringGetIntValue", "CFStringAppendCharacters",
      "CFStringAppendFormatAndArguments", "CFStringTrim", "CFStringTrimWhitespace", "CFStringPad",
      "CFStringNormalize", "CFDataSetLength", "CFDataGetMutableBytePtr", "CFDataDeleteBytes",
      "CFNumberCompare", "CFDateCompare", "CFUUIDCreateWithBytes",
      "CFUUIDGetConstantUUIDWithBytes", "CFArrayGetFirstIndexOfValue", "CFArrayContainsValue",
      "CFArrayApplyFunction", "CFArrayInsertValueAtIndex", "CFArraySetValueAtIndex",
      "CFArrayRemoveValueAtIndex", "CFArrayRemoveAllValues", "CFArrayAppendArray",
      "CFDictionaryReplaceValue", "CFDictionaryRemoveAllValues", "CFDictionaryApplyFunction",
      "CFGetAllocator",
    ].map { provided($0) }
    + ["CFStringFind", "CFStringFindAndReplace"].map {
      provided($0, "By code points, or letters of ASCII alike in both cases.")
    }
    + ["CFStringLowercase", "CFStringUppercase", "CFStringCapitalize"].map {
      provided($0, "By Unicode's tables, whatever the language.")
    } + [
      provided("CFDataCreateWithBytesNoCopy", "With `kCFAllocatorNull` it never frees the bytes."),
      provided("CFNullGetTypeID", "`kCFNull` is the one null."),
      provided("CFShow", "Of data, only the length."), provided("CFErrorGetTypeID"),
      provided("CFErrorGetCode"), provided("CFErrorGetDomain", "That of statuses."),
      provided("CFErrorCopyDescription", "The messages are ours."),
    ]

  /// Returns the names of functions that a header of the folder `compat` gives to programs.
  static func declared(in header: String) throws -> Set<String> {
    let text = try Project.text(of: "Sources/CVault/include/compat/\(header)")
    let macros = text.matches(of: /#define (CF\w+|Sec\w+)(?: Vault\w+\n|\(\w+\) )/)
      .map { String($0.1) }
    let functions = text.matches(of: /static inline [^;{]*?\b((?:CF|Sec)\w+)\(/)
      .map { String($0.1) }
    let types = [
      "SecKeychainAttribute", "SecKeychainAttributeList", "SecKeychainAttributeInfo",
      "SecKeychainSettings", "SecKeychainCallbackInfo",
    ]
    return Set(macros + functions).subtracting(types)
  }
}
