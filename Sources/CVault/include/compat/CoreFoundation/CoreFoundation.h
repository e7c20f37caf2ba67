/*
 * Apple's names for vault_corefoundation.h.
 *
 * The names of functions are macros, so that they never meet those of another CoreFoundation.
 *
 * This header steps aside for the CoreFoundation that Swift toolchains ship: if a program includes
 * that one first, or defines VAULT_FOREIGN_COREFOUNDATION, its names stay what they are there. The
 * functions of <Security/Security.h> then take and return the objects of vault_corefoundation.h, by
 * the names that it has, and SecItem's constants are not declared.
 */
#ifndef VAULT_COMPAT_COREFOUNDATION_H
#define VAULT_COMPAT_COREFOUNDATION_H

/* Apple's header includes these, and programs rely on it. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../TargetConditionals.h"

#include "../../vault_corefoundation.h"
#include "../../vault_sectrust.h"

#if defined(__COREFOUNDATION_CFBASE__) && !defined(VAULT_FOREIGN_COREFOUNDATION)
#define VAULT_FOREIGN_COREFOUNDATION 1
#endif

#if defined(VAULT_FOREIGN_COREFOUNDATION)

#include <CoreFoundation/CFBase.h>

#else

#include "CFAvailability.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

typedef unsigned char Boolean;
typedef uint8_t UInt8;
typedef int8_t SInt8;
typedef uint16_t UInt16;
typedef int16_t SInt16;
typedef uint32_t UInt32;
typedef int32_t SInt32;
typedef uint64_t UInt64;
typedef int64_t SInt64;
typedef float Float32;
typedef double Float64;
typedef int32_t OSStatus;
typedef int16_t OSErr;
typedef uint32_t FourCharCode;
typedef FourCharCode OSType;

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif

enum { noErr = 0 };

typedef VaultCFTypeRef CFTypeRef;
typedef VaultCFStringRef CFStringRef;
typedef VaultCFMutableStringRef CFMutableStringRef;
typedef VaultCFDataRef CFDataRef;
typedef VaultCFMutableDataRef CFMutableDataRef;
typedef VaultCFNumberRef CFNumberRef;
typedef VaultCFBooleanRef CFBooleanRef;
typedef VaultCFDateRef CFDateRef;
typedef VaultCFArrayRef CFArrayRef;
typedef VaultCFMutableArrayRef CFMutableArrayRef;
typedef VaultCFDictionaryRef CFDictionaryRef;
typedef VaultCFMutableDictionaryRef CFMutableDictionaryRef;
typedef VaultCFErrorRef CFErrorRef;
typedef VaultCFStringRef CFErrorDomain;
typedef VaultCFNullRef CFNullRef;
typedef VaultCFUUIDRef CFUUIDRef;
typedef VaultCFUUIDBytes CFUUIDBytes;
typedef VaultCFLocaleRef CFLocaleRef;
typedef VaultCFComparatorFunction CFComparatorFunction;
typedef VaultCFArrayApplierFunction CFArrayApplierFunction;
typedef VaultCFDictionaryApplierFunction CFDictionaryApplierFunction;
typedef VaultCFAllocatorRef CFAllocatorRef;
typedef uint16_t UniChar;
typedef VaultCFIndex CFIndex;
typedef VaultCFTypeID CFTypeID;
typedef VaultCFHashCode CFHashCode;
typedef VaultCFOptionFlags CFOptionFlags;
typedef VaultCFOptionFlags CFStringCompareFlags;
typedef VaultCFStringEncoding CFStringEncoding;
typedef VaultCFAbsoluteTime CFAbsoluteTime;
typedef double CFTimeInterval;
typedef VaultCFComparisonResult CFComparisonResult;
typedef VaultCFIndex CFStringNormalizationForm;
typedef VaultCFNumberType CFNumberType;
typedef VaultCFRange CFRange;
typedef VaultCFArrayCallBacks CFArrayCallBacks;
typedef VaultCFDictionaryKeyCallBacks CFDictionaryKeyCallBacks;
typedef VaultCFDictionaryValueCallBacks CFDictionaryValueCallBacks;

/* ---- Constants ---- */

/*
 * Constants have addresses, and initialise static variables. Go cannot name a static one: for it,
 * there is one of each name in all files that a program is linked of.
 */
#if defined(VAULT_INTEGER_REFERENCES)
#define VAULT_CONSTANT __attribute__((weak)) const
#else
#define VAULT_CONSTANT static const
#endif

/*
 * Declares a constant string. It is the address of a text of the library: one for the process, so
 * that collections that compare addresses find it. The library itself defines the text.
 */
#if defined(VAULT_DEFINES_TEXTS)
#define VAULT_STRING(name, text) const char Vault##name[] = VAULT_CFSTR_MARK text
#else
#define VAULT_STRING(name, text) \
  extern const char Vault##name[]; \
  VAULT_CONSTANT CFStringRef name = (CFStringRef)(const void *)Vault##name
#endif

VAULT_CONSTANT CFAllocatorRef kCFAllocatorDefault = (CFAllocatorRef)0;
VAULT_CONSTANT CFAllocatorRef kCFAllocatorSystemDefault = (CFAllocatorRef)0;
VAULT_CONSTANT CFAllocatorRef kCFAllocatorMalloc = (CFAllocatorRef)0;
VAULT_CONSTANT CFAllocatorRef kCFAllocatorNull = (CFAllocatorRef)&VaultCFNoAllocator;
VAULT_CONSTANT CFNullRef kCFNull = (CFNullRef)&VaultCFNullObject;
VAULT_CONSTANT CFBooleanRef kCFBooleanTrue = (CFBooleanRef)&VaultCFTrue;
VAULT_CONSTANT CFBooleanRef kCFBooleanFalse = (CFBooleanRef)&VaultCFFalse;
#define CFSTR(text) VAULT_CFSTR(text "")
/* From 1970 to 2001. */
#define kCFAbsoluteTimeIntervalSince1970 978307200.0

enum {
  kCFStringEncodingMacRoman = kVaultCFStringEncodingMacRoman,
  kCFStringEncodingISOLatin1 = kVaultCFStringEncodingISOLatin1,
  kCFStringEncodingASCII = kVaultCFStringEncodingASCII,
  kCFStringEncodingUTF8 = kVaultCFStringEncodingUTF8,
};

enum {
  kCFCompareLessThan = kVaultCFCompareLessThan,
  kCFCompareEqualTo = kVaultCFCompareEqualTo,
  kCFCompareGreaterThan = kVaultCFCompareGreaterThan,
};

enum { kCFCompareCaseInsensitive = kVaultCFCompareCaseInsensitive };

enum {
  kCFStringNormalizationFormD = kVaultCFStringNormalizationFormD,
  kCFStringNormalizationFormKD = kVaultCFStringNormalizationFormKD,
  kCFStringNormalizationFormC = kVaultCFStringNormalizationFormC,
  kCFStringNormalizationFormKC = kVaultCFStringNormalizationFormKC,
};

enum { kCFNotFound = -1 };

enum {
  kCFNumberSInt8Type = kVaultCFNumberSInt8Type,
  kCFNumberSInt16Type = kVaultCFNumberSInt16Type,
  kCFNumberSInt32Type = kVaultCFNumberSInt32Type,
  kCFNumberSInt64Type = kVaultCFNumberSInt64Type,
  kCFNumberFloat32Type = kVaultCFNumberFloat32Type,
  kCFNumberFloat64Type = kVaultCFNumberFloat64Type,
  kCFNumberCharType = kVaultCFNumberCharType,
  kCFNumberShortType = kVaultCFNumberShortType,
  kCFNumberIntType = kVaultCFNumberIntType,
  kCFNumberLongType = kVaultCFNumberLongType,
  kCFNumberLongLongType = kVaultCFNumberLongLongType,
  kCFNumberFloatType = kVaultCFNumberFloatType,
  kCFNumberDoubleType = kVaultCFNumberDoubleType,
  kCFNumberCFIndexType = kVaultCFNumberCFIndexType,
  kCFNumberNSIntegerType = kVaultCFNumberNSIntegerType,
  kCFNumberCGFloatType = kVaultCFNumberCGFloatType,
};

/* ---- Functions ---- */

#define CFRetain VaultCFRetain
#define CFRelease VaultCFRelease
#define CFGetRetainCount VaultCFGetRetainCount
#define CFEqual VaultCFEqual
#define CFHash VaultCFHash
#define CFGetTypeID VaultCFGetTypeID
#define CFCopyTypeIDDescription VaultCFCopyTypeIDDescription
#define CFCopyDescription VaultCFCopyDescription
#define CFShow VaultCFShow
#define CFStringGetTypeID VaultCFStringGetTypeID
#define CFStringCreateWithCString VaultCFStringCreateWithCString
#define CFStringCreateWithBytes VaultCFStringCreateWithBytes
#define CFStringCreateCopy VaultCFStringCreateCopy
#define CFStringCreateWithSubstring VaultCFStringCreateWithSubstring
#define CFStringCreateWithFormat VaultCFStringCreateWithFormat
#define CFStringGetLength VaultCFStringGetLength
#define CFStringGetMaximumSizeForEncoding VaultCFStringGetMaximumSizeForEncoding
#define CFStringGetCString VaultCFStringGetCString
#define CFStringGetCStringPtr VaultCFStringGetCStringPtr
#define CFStringGetBytes VaultCFStringGetBytes
#define CFStringCompare VaultCFStringCompare
#define CFStringHasPrefix VaultCFStringHasPrefix
#define CFStringHasSuffix VaultCFStringHasSuffix
#define CFStringCreateExternalRepresentation VaultCFStringCreateExternalRepresentation
#define CFStringCreateFromExternalRepresentation VaultCFStringCreateFromExternalRepresentation
#define CFStringCreateMutable VaultCFStringCreateMutable
#define CFStringCreateMutableCopy VaultCFStringCreateMutableCopy
#define CFStringAppend VaultCFStringAppend
#define CFStringAppendCString VaultCFStringAppendCString
#define CFStringAppendFormat VaultCFStringAppendFormat
#define CFStringInsert VaultCFStringInsert
#define CFStringDelete VaultCFStringDelete
#define CFStringReplace VaultCFStringReplace
#define CFStringReplaceAll VaultCFStringReplaceAll
#define CFStringCreateWithCharacters VaultCFStringCreateWithCharacters
#define CFStringCreateWithCStringNoCopy VaultCFStringCreateWithCStringNoCopy
#define CFStringCreateArrayBySeparatingStrings VaultCFStringCreateArrayBySeparatingStrings
#define CFStringGetCharacterAtIndex VaultCFStringGetCharacterAtIndex
#define CFStringGetCharacters VaultCFStringGetCharacters
#define CFStringFind VaultCFStringFind
#define CFStringGetIntValue VaultCFStringGetIntValue
#define CFStringAppendCharacters VaultCFStringAppendCharacters
#define CFStringAppendFormatAndArguments VaultCFStringAppendFormatAndArguments
#define CFStringFindAndReplace VaultCFStringFindAndReplace
#define CFStringTrim VaultCFStringTrim
#define CFStringTrimWhitespace VaultCFStringTrimWhitespace
#define CFStringPad VaultCFStringPad
#define CFStringLowercase VaultCFStringLowercase
#define CFStringUppercase VaultCFStringUppercase
#define CFStringCapitalize VaultCFStringCapitalize
#define CFStringNormalize VaultCFStringNormalize
#define CFDataGetTypeID VaultCFDataGetTypeID
#define CFDataCreate VaultCFDataCreate
#define CFDataCreateWithBytesNoCopy VaultCFDataCreateWithBytesNoCopy
#define CFDataCreateCopy VaultCFDataCreateCopy
#define CFDataCreateMutable VaultCFDataCreateMutable
#define CFDataCreateMutableCopy VaultCFDataCreateMutableCopy
#define CFDataAppendBytes VaultCFDataAppendBytes
#define CFDataGetLength VaultCFDataGetLength
#define CFDataGetBytePtr VaultCFDataGetBytePtr
#define CFDataGetBytes VaultCFDataGetBytes
#define CFDataSetLength VaultCFDataSetLength
#define CFDataGetMutableBytePtr VaultCFDataGetMutableBytePtr
#define CFDataDeleteBytes VaultCFDataDeleteBytes
#define CFNumberGetTypeID VaultCFNumberGetTypeID
#define CFNumberCreate VaultCFNumberCreate
#define CFNumberGetValue VaultCFNumberGetValue
#define CFNumberGetType VaultCFNumberGetType
#define CFNumberCompare VaultCFNumberCompare
#define CFBooleanGetTypeID VaultCFBooleanGetTypeID
#define CFBooleanGetValue VaultCFBooleanGetValue
#define CFDateGetTypeID VaultCFDateGetTypeID
#define CFDateCreate VaultCFDateCreate
#define CFDateGetAbsoluteTime VaultCFDateGetAbsoluteTime
#define CFDateCompare VaultCFDateCompare
#define CFAbsoluteTimeGetCurrent VaultCFAbsoluteTimeGetCurrent
#define CFNullGetTypeID VaultCFNullGetTypeID
#define CFAllocatorGetTypeID VaultCFAllocatorGetTypeID
#define CFUUIDGetTypeID VaultCFUUIDGetTypeID
#define CFUUIDCreate VaultCFUUIDCreate
#define CFUUIDCreateFromUUIDBytes VaultCFUUIDCreateFromUUIDBytes
#define CFUUIDCreateFromString VaultCFUUIDCreateFromString
#define CFUUIDCreateString VaultCFUUIDCreateString
#define CFUUIDGetUUIDBytes VaultCFUUIDGetUUIDBytes
#define CFUUIDCreateWithBytes VaultCFUUIDCreateWithBytes
#define CFUUIDGetConstantUUIDWithBytes VaultCFUUIDGetConstantUUIDWithBytes
#define CFArrayGetTypeID VaultCFArrayGetTypeID
#define CFArrayCreate VaultCFArrayCreate
#define CFArrayCreateCopy VaultCFArrayCreateCopy
#define CFArrayCreateMutable VaultCFArrayCreateMutable
#define CFArrayCreateMutableCopy VaultCFArrayCreateMutableCopy
#define CFArrayAppendValue VaultCFArrayAppendValue
#define CFArrayGetValues VaultCFArrayGetValues
#define CFArraySortValues VaultCFArraySortValues
#define CFArrayGetCount VaultCFArrayGetCount
#define CFArrayGetValueAtIndex VaultCFArrayGetValueAtIndex
#define CFArrayGetFirstIndexOfValue VaultCFArrayGetFirstIndexOfValue
#define CFArrayContainsValue VaultCFArrayContainsValue
#define CFArrayApplyFunction VaultCFArrayApplyFunction
#define CFArrayInsertValueAtIndex VaultCFArrayInsertValueAtIndex
#define CFArraySetValueAtIndex VaultCFArraySetValueAtIndex
#define CFArrayRemoveValueAtIndex VaultCFArrayRemoveValueAtIndex
#define CFArrayRemoveAllValues VaultCFArrayRemoveAllValues
#define CFArrayAppendArray VaultCFArrayAppendArray
#define CFDictionaryGetTypeID VaultCFDictionaryGetTypeID
#define CFDictionaryCreate VaultCFDictionaryCreate
#define CFDictionaryCreateCopy VaultCFDictionaryCreateCopy
#define CFDictionaryCreateMutable VaultCFDictionaryCreateMutable
#define CFDictionaryCreateMutableCopy VaultCFDictionaryCreateMutableCopy
#define CFDictionaryAddValue VaultCFDictionaryAddValue
#define CFDictionarySetValue VaultCFDictionarySetValue
#define CFDictionaryRemoveValue VaultCFDictionaryRemoveValue
#define CFDictionaryGetCount VaultCFDictionaryGetCount
#define CFDictionaryContainsKey VaultCFDictionaryContainsKey
#define CFDictionaryGetValue VaultCFDictionaryGetValue
#define CFDictionaryGetValueIfPresent VaultCFDictionaryGetValueIfPresent
#define CFDictionaryGetKeysAndValues VaultCFDictionaryGetKeysAndValues
#define CFDictionaryReplaceValue VaultCFDictionaryReplaceValue
#define CFDictionaryRemoveAllValues VaultCFDictionaryRemoveAllValues
#define CFDictionaryApplyFunction VaultCFDictionaryApplyFunction

#define CFErrorGetTypeID VaultCFErrorGetTypeID
#define CFErrorGetCode VaultCFErrorGetCode
#define CFErrorGetDomain VaultCFErrorGetDomain
#define CFErrorCopyDescription VaultCFErrorCopyDescription
#define CFErrorCopyUserInfo VaultCFErrorCopyUserInfo

/* The domain of statuses, which is the only one. */
VAULT_STRING(kCFErrorDomainOSStatus, "NSOSStatusErrorDomain");

/* The reasons in CFErrorCopyUserInfo(). */
VAULT_STRING(kCFErrorLocalizedDescriptionKey, "NSLocalizedDescription");

/* Memory is malloc's, whoever asks. */
static inline CFAllocatorRef CFGetAllocator(CFTypeRef object) {
  (void)object;
  return kCFAllocatorDefault;
}

static inline CFRange CFRangeMake(CFIndex location, CFIndex length) {
  CFRange range = {location, length};
  return range;
}

/* ---- Callbacks ---- */

#if defined(VAULT_INTEGER_REFERENCES)

/* Go takes the address of a variable, not of what a macro names: these are the library's at start. */
__attribute__((weak)) CFArrayCallBacks kCFTypeArrayCallBacks;
__attribute__((weak)) CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
__attribute__((weak)) CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;
__attribute__((weak)) CFDictionaryKeyCallBacks kCFCopyStringDictionaryKeyCallBacks;

__attribute__((constructor)) static void vault_compat_callbacks(void) {
  kCFTypeArrayCallBacks = VaultCFTypeArrayCallBacks;
  kCFTypeDictionaryKeyCallBacks = VaultCFTypeDictionaryKeyCallBacks;
  kCFTypeDictionaryValueCallBacks = VaultCFTypeDictionaryValueCallBacks;
  kCFCopyStringDictionaryKeyCallBacks = VaultCFCopyStringDictionaryKeyCallBacks;
}

#else

#define kCFTypeArrayCallBacks VaultCFTypeArrayCallBacks
#define kCFTypeDictionaryKeyCallBacks VaultCFTypeDictionaryKeyCallBacks
#define kCFTypeDictionaryValueCallBacks VaultCFTypeDictionaryValueCallBacks
#define kCFCopyStringDictionaryKeyCallBacks VaultCFCopyStringDictionaryKeyCallBacks

#endif

#ifdef __cplusplus
}
#endif

#endif

#endif
