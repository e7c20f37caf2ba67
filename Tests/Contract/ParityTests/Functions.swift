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
    ("Security/SecRandom.h", [provided("SecRandomCopyBytes")]),
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
    "There are no access lists."
  private static let noCSSM = "There is no CSSM."

  private static let base = [
    provided(
      "SecCopyErrorMessageString")
  ]

  private static let keychain = [
    provided("SecKeychainGetTypeID"),
    provided("SecKeychainGetVersion"),
    provided("SecKeychainOpen", "Without a vault, the first use is errSecNoSuchKeychain."),
    provided("SecKeychainCreate", "It never prompts."),
    provided("SecKeychainDelete"),
    noEffect(
      "SecKeychainSetSettings",
      "Locking itself is errSecUnimplemented."),
    provided("SecKeychainCopySettings", "It never locks itself."),
    provided("SecKeychainUnlock", "Without a password, the environment's key."),
    provided("SecKeychainLock"),
    provided("SecKeychainLockAll", "All that the process opened."),
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
      "Others than the user's are errSecInvalidPrefsDomain."),
    provided("SecKeychainGetPreferenceDomain"),
    provided("SecKeychainGetStatus"),
    provided("SecKeychainGetPath"),
    provided("SecKeychainAttributeInfoForItemID"),
    provided("SecKeychainFreeAttributeInfo"),
    provided(
      "SecKeychainAddCallback",
      "On any thread."
    ),
    provided("SecKeychainRemoveCallback"),
    provided("SecKeychainAddInternetPassword"),
    provided("SecKeychainFindInternetPassword"),
    provided("SecKeychainAddGenericPassword"),
    provided("SecKeychainFindGenericPassword"),
    provided(
      "SecKeychainSetUserInteractionAllowed",
      "Once forbidden, locked is errSecAuthFailed."),
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
    provided("SecKeychainItemCreateCopy"),
    provided("SecKeychainItemCreatePersistentReference"),
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
      "Programs that it names have no effect; if it names none, no program gets the secret."
    ),
    absent("SecAccessCreateWithOwnerAndACL", noAccess), absent("SecAccessCopyACLList", noAccess),
    absent("SecAccessCopyMatchingACLList", noAccess),
  ]

  private static let trustedApplication = [
    provided("SecTrustedApplicationGetTypeID"),
    provided("SecTrustedApplicationCreateFromPath", "Any path."),
    absent("SecTrustedApplicationCopyData", noAccess),
    absent("SecTrustedApplicationSetData", noAccess),
  ]

  private static let search = [
    provided("SecKeychainSearchGetTypeID"),
    provided("SecKeychainSearchCreateFromAttributes"),
    provided("SecKeychainSearchCopyNext"),
  ]

  private static let secItem = [
    provided("SecItemCopyMatching"),
    provided("SecItemAdd"),
    provided("SecItemUpdate"),
    provided("SecItemDelete"),
  ]

  private static let key = [
    provided("SecKeyGetTypeID"),
    provided("SecKeyCreateWithData", "PKCS #1, X9.63, or the 32 bytes of Ed25519."),
    provided("SecKeyCopyExternalRepresentation"),
    provided("SecKeyCopyAttributes"),
    provided("SecKeyCopyPublicKey"),
    provided("SecKeyGetBlockSize"),
    provided("SecKeyIsAlgorithmSupported", "Neither MD5 nor key exchange."),
    provided("SecKeyCreateSignature"),
    provided("SecKeyVerifySignature"),
    provided(
      "SecKeyCreateEncryptedData",
      "RSA: raw, PKCS #1, OAEP; elliptic curves: ECIES with a vector from the KDF."
    ),
    provided("SecKeyCreateDecryptedData"),
    absent("SecKeyCreateRandomKey", "No item is a key."),
    absent("SecKeyCopyKeyExchangeResult", "Vaults agree on no secrets."),
  ]

  private static let certificate = [
    provided("SecCertificateGetTypeID"),
    provided("SecCertificateCreateWithData"),
    provided("SecCertificateCopyData"),
    provided("SecCertificateCopySubjectSummary"),
    provided("SecCertificateCopyKey", "RSA, P-256, P-384, P-521, Ed25519."),
    absent("SecCertificateAddToKeychain", "Vaults keep them with their keys."),
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
    provided("SecTrustSetAnchorCertificates", "NULL: OpenSSL's."),
    provided("SecTrustSetAnchorCertificatesOnly"),
    provided("SecTrustSetVerifyDate"),
    provided("SecTrustEvaluate", "Nothing is fetched; decisions do not count."),
    provided("SecTrustEvaluateWithError", "The same."),
    provided("SecTrustGetTrustResult"),
    provided("SecTrustGetCertificateCount"),
    provided("SecTrustGetCertificateAtIndex"),
    provided("SecTrustCopyCertificateChain"),
    absent("SecTrustEvaluateAsyncWithError", "There are no dispatch queues."),
    absent("SecTrustSetExceptions", "`vault_trust_accept()`."),
    provided("SecTrustCopyKey", "The leaf's."),
    provided("SecTrustCopyPublicKey", "The same."),
  ]

  private static let identity = [
    provided("SecIdentityGetTypeID"),
    provided("SecIdentityCopyCertificate"),
    provided(
      "SecIdentitySetPreferred", "In the default vault; no key usage."),
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
      provided("CFNullGetTypeID"),
      provided("CFShow", "Of data, only the length."), provided("CFErrorGetTypeID"),
      provided("CFErrorGetCode"), provided("CFErrorGetDomain"),
      provided("CFErrorCopyDescription"),
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
