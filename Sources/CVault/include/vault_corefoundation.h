/*
 * A small CoreFoundation: the objects that the keychain's interface takes and returns.
 *
 * The functions have the parameters and the ownership of Apple's: an object from a function with
 * Create or Copy in its name belongs to the caller, who releases it; one from a function with Get
 * does not. With vault_keychain_compat.h, C code keeps Apple's names. Every exported symbol begins
 * with Vault, so the library can be loaded beside another CoreFoundation, whose objects are not
 * interchangeable with these.
 *
 * NULL, and an object of another type than a parameter's, are never an error of the process: the
 * function changes nothing and returns 0, NULL or false. An object is an address, unlike the handles
 * of vaults, items and searches; these can be retained and released like objects, and be elements
 * of arrays and values of dictionaries. Functions that create return NULL without memory.
 *
 * Strings are UTF-8 without NUL. The bytes of strings and data are wiped with the last owner.
 * Objects that do not change may be used from any thread; of a mutable one, only one thread at a
 * time may use it.
 */
#ifndef VAULT_COREFOUNDATION_H
#define VAULT_COREFOUNDATION_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vault_annotations.h"

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-extension"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---- */

/* Any object, or a handle. */
typedef VAULT_REFERENCE(const void) VaultCFTypeRef;
typedef VAULT_REFERENCE(const struct VaultCFString) VaultCFStringRef;
typedef VAULT_REFERENCE(struct VaultCFString) VaultCFMutableStringRef;
typedef VAULT_REFERENCE(const struct VaultCFData) VaultCFDataRef;
typedef VAULT_REFERENCE(struct VaultCFData) VaultCFMutableDataRef;
typedef VAULT_REFERENCE(const struct VaultCFNumber) VaultCFNumberRef;
typedef VAULT_REFERENCE(const struct VaultCFBoolean) VaultCFBooleanRef;
typedef VAULT_REFERENCE(const struct VaultCFDate) VaultCFDateRef;
typedef VAULT_REFERENCE(const struct VaultCFArray) VaultCFArrayRef;
typedef VAULT_REFERENCE(struct VaultCFArray) VaultCFMutableArrayRef;
typedef VAULT_REFERENCE(const struct VaultCFDictionary) VaultCFDictionaryRef;
typedef VAULT_REFERENCE(struct VaultCFDictionary) VaultCFMutableDictionaryRef;
typedef VAULT_REFERENCE(const struct VaultCFNull) VaultCFNullRef;
typedef VAULT_REFERENCE(const struct VaultCFUUID) VaultCFUUIDRef;
/*
 * An allocator, which is ignored: memory is malloc's. Only &VaultCFNoAllocator has a meaning, as
 * that which frees nothing.
 */
typedef VAULT_REFERENCE(const struct VaultCFAllocator) VaultCFAllocatorRef;
/* A generator of random bytes, which is ignored: it is the kernel's. */
typedef VAULT_REFERENCE(const struct VaultRandom) VaultRandomRef;

/* A language, which is ignored. */
typedef VAULT_REFERENCE(const struct VaultCFLocale) VaultCFLocaleRef;

typedef long VaultCFIndex;
typedef unsigned long VaultCFTypeID;
typedef unsigned long VaultCFHashCode;
typedef unsigned long VaultCFOptionFlags;
typedef uint32_t VaultCFStringEncoding;
/* Seconds since 2001-01-01T00:00:00Z. */
typedef double VaultCFAbsoluteTime;
typedef VaultCFIndex VaultCFComparisonResult;
typedef VaultCFIndex VaultCFNumberType;

typedef struct VaultCFRange {
  VaultCFIndex location;
  VaultCFIndex length;
} VaultCFRange;

/* The bytes of a UUID, in the order of its text. */
typedef struct VaultCFUUIDBytes {
  uint8_t byte0, byte1, byte2, byte3, byte4, byte5, byte6, byte7;
  uint8_t byte8, byte9, byte10, byte11, byte12, byte13, byte14, byte15;
} VaultCFUUIDBytes;

/* Compares two values for VaultCFArraySortValues(). */
typedef VaultCFComparisonResult (*VaultCFComparatorFunction)(
    const void *VAULT_NULLABLE first, const void *VAULT_NULLABLE second,
    void *VAULT_NULLABLE context);

/* Gets each value of an array, or each key and value of a dictionary. */
typedef void (*VaultCFArrayApplierFunction)(
    const void *VAULT_NULLABLE value, void *VAULT_NULLABLE context);
typedef void (*VaultCFDictionaryApplierFunction)(
    const void *VAULT_NULLABLE key, const void *VAULT_NULLABLE value,
    void *VAULT_NULLABLE context);

/* How a collection keeps its values; each function may be NULL, and is then left out. */
typedef const void *VAULT_NULLABLE (*VaultCFRetainFunction)(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const void *VAULT_NULLABLE value);
typedef void (*VaultCFReleaseFunction)(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const void *VAULT_NULLABLE value);
typedef VaultCFStringRef VAULT_NULLABLE (*VaultCFDescriptionFunction)(
    const void *VAULT_NULLABLE value);
typedef unsigned char (*VaultCFEqualFunction)(
    const void *VAULT_NULLABLE first, const void *VAULT_NULLABLE second);
typedef VaultCFHashCode (*VaultCFHashFunction)(const void *VAULT_NULLABLE value);

/* The callbacks of an array, and those of a dictionary's values. */
typedef struct VaultCFArrayCallBacks {
  VaultCFIndex version;
  VaultCFRetainFunction VAULT_NULLABLE retain;
  VaultCFReleaseFunction VAULT_NULLABLE release;
  VaultCFDescriptionFunction VAULT_NULLABLE copyDescription;
  VaultCFEqualFunction VAULT_NULLABLE equal;
} VaultCFArrayCallBacks;

typedef VaultCFArrayCallBacks VaultCFDictionaryValueCallBacks;

/* The callbacks of a dictionary's keys; without `equal`, keys are compared by their addresses. */
typedef struct VaultCFDictionaryKeyCallBacks {
  VaultCFIndex version;
  VaultCFRetainFunction VAULT_NULLABLE retain;
  VaultCFReleaseFunction VAULT_NULLABLE release;
  VaultCFDescriptionFunction VAULT_NULLABLE copyDescription;
  VaultCFEqualFunction VAULT_NULLABLE equal;
  VaultCFHashFunction VAULT_NULLABLE hash;
} VaultCFDictionaryKeyCallBacks;

/* ---- Constants ---- */

/* Encodings; text in ASCII and in MacRoman is only ASCII. Any other one is not supported. */
enum {
  kVaultCFStringEncodingMacRoman = 0,
  kVaultCFStringEncodingISOLatin1 = 0x0201,
  kVaultCFStringEncodingASCII = 0x0600,
  kVaultCFStringEncodingUTF8 = 0x08000100,
};

/* The types in which a number is given and read. */
enum {
  kVaultCFNumberSInt8Type = 1,
  kVaultCFNumberSInt16Type = 2,
  kVaultCFNumberSInt32Type = 3,
  kVaultCFNumberSInt64Type = 4,
  kVaultCFNumberFloat32Type = 5,
  kVaultCFNumberFloat64Type = 6,
  kVaultCFNumberCharType = 7,
  kVaultCFNumberShortType = 8,
  kVaultCFNumberIntType = 9,
  kVaultCFNumberLongType = 10,
  kVaultCFNumberLongLongType = 11,
  kVaultCFNumberFloatType = 12,
  kVaultCFNumberDoubleType = 13,
  kVaultCFNumberCFIndexType = 14,
  kVaultCFNumberNSIntegerType = 15,
  kVaultCFNumberCGFloatType = 16,
};

/* The results of comparing. */
enum {
  kVaultCFCompareLessThan = -1,
  kVaultCFCompareEqualTo = 0,
  kVaultCFCompareGreaterThan = 1,
};

/* Comparing strings: letters of ASCII alike in both cases. */
enum { kVaultCFCompareCaseInsensitive = 1 };

/* Unicode's normal forms. */
enum {
  kVaultCFStringNormalizationFormD = 0,
  kVaultCFStringNormalizationFormKD = 1,
  kVaultCFStringNormalizationFormC = 2,
  kVaultCFStringNormalizationFormKC = 3,
};

/* The one object for true, for false and for null, which are never freed. */
extern const struct VaultCFBoolean VaultCFTrue, VaultCFFalse;
extern const struct VaultCFNull VaultCFNullObject;

/* The allocator that frees nothing, for VaultCFDataCreateWithBytesNoCopy(). */
extern const struct VaultCFAllocator VaultCFNoAllocator;

/* The callbacks of collections of objects, and of dictionaries that copy their keys, strings. */
extern const VaultCFArrayCallBacks VaultCFTypeArrayCallBacks;
extern const VaultCFDictionaryKeyCallBacks VaultCFTypeDictionaryKeyCallBacks;
extern const VaultCFDictionaryValueCallBacks VaultCFTypeDictionaryValueCallBacks;
extern const VaultCFDictionaryKeyCallBacks VaultCFCopyStringDictionaryKeyCallBacks;

/* The bytes before the text of a literal, by which it is told from an object. */
#define VAULT_CFSTR_MARK "\001VaultCFString\001"

/*
 * The string of a literal of UTF-8, which is never freed. It is a constant address, for static
 * initialisers too; equal literals are equal objects, but not always one address.
 */
#define VAULT_CFSTR(text) ((VaultCFStringRef)(const void *)(VAULT_CFSTR_MARK text))

/* ---- Objects ---- */

/* Adds an owner of an object or handle, and returns it; ignores anything else. */
VaultCFTypeRef VAULT_NULLABLE VaultCFRetain(VaultCFTypeRef VAULT_NULLABLE object);

/* Removes an owner of an object or handle, and ends it after the last; ignores anything else. */
void VaultCFRelease(VaultCFTypeRef VAULT_NULLABLE object);

/* Returns the number of owners of an object or handle; 0 for anything else. */
VaultCFIndex VaultCFGetRetainCount(VaultCFTypeRef VAULT_NULLABLE object);

/*
 * Returns whether two objects have one type and one value; handles are equal if they are of one
 * item or of one vault. Collections that differ at most more than 1000 deep are not equal.
 */
unsigned char VaultCFEqual(
    VaultCFTypeRef VAULT_NULLABLE first, VaultCFTypeRef VAULT_NULLABLE second);

/* Returns a number that equal objects share. */
VaultCFHashCode VaultCFHash(VaultCFTypeRef VAULT_NULLABLE object);

/* Returns the type of an object or handle; 0 for anything else. */
VaultCFTypeID VaultCFGetTypeID(VaultCFTypeRef VAULT_NULLABLE object);

/* Returns the name of a type, as CFString; NULL for a number that is not a type. */
VaultCFStringRef VAULT_NULLABLE VaultCFCopyTypeIDDescription(VaultCFTypeID type);

/* Returns an object's value for people; of data, only the length. */
VaultCFStringRef VAULT_NULLABLE VaultCFCopyDescription(VaultCFTypeRef VAULT_NULLABLE object);

/* Writes an object's description to the standard error, with a newline. */
void VaultCFShow(VaultCFTypeRef VAULT_NULLABLE object);

/* ---- Strings ---- */

VaultCFTypeID VaultCFStringGetTypeID(void);

/*
 * Returns the one string with a constant text, which is never freed: for literals.
 *
 * text: UTF-8.
 */
VaultCFStringRef VAULT_NULLABLE VaultCFConstantString(const char *VAULT_REQUIRED text);

/* Copies a C string; NULL if it is not text of the encoding. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithCString(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const char *VAULT_REQUIRED text,
    VaultCFStringEncoding encoding);

/*
 * Copies `count` bytes; NULL if they are not text of the encoding, or hold NUL.
 *
 * is_external: ignored, because no encoding here has a byte order mark.
 */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithBytes(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const uint8_t *VAULT_NULLABLE bytes,
    VaultCFIndex count, VaultCFStringEncoding encoding, unsigned char is_external);

/* Adds an owner of a string that never changes, and returns it; copies a mutable one. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED string);

/* Copies a part of a string; NULL if the range is not inside, or divides a character. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithSubstring(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED string,
    VaultCFRange range);

/*
 * Makes a string as printf() would, with %@ for an object's description.
 *
 * options: ignored.
 * NULL for a conversion that it does not know.
 */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithFormat(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFDictionaryRef VAULT_NULLABLE options,
    VaultCFStringRef VAULT_REQUIRED format, ...);

/* Returns the length in units of UTF-16. */
VaultCFIndex VaultCFStringGetLength(VaultCFStringRef VAULT_REQUIRED string);

/* Returns the most bytes that a string of a length takes, without NUL; -1 for other encodings. */
VaultCFIndex VaultCFStringGetMaximumSizeForEncoding(
    VaultCFIndex length, VaultCFStringEncoding encoding);

/*
 * Copies a string and a NUL; false if they do not fit, or the encoding does not have its
 * characters, and nothing is written then.
 */
unsigned char VaultCFStringGetCString(
    VaultCFStringRef VAULT_REQUIRED string, char *VAULT_REQUIRED buffer, VaultCFIndex size,
    VaultCFStringEncoding encoding);

/* Returns the string's own bytes and NUL; NULL if the encoding would need a copy. */
const char *VAULT_NULLABLE VaultCFStringGetCStringPtr(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFStringEncoding encoding);

/*
 * Copies a part of a string, as many whole characters as fit, and returns how many units of UTF-16
 * they are.
 *
 * loss_byte: stands for a character that the encoding does not have; 0 ends there.
 * buffer: receives at most `size` bytes, without NUL; NULL only counts.
 * used: receives the number of bytes; NULL if it is not wanted.
 */
VaultCFIndex VaultCFStringGetBytes(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFRange range, VaultCFStringEncoding encoding,
    uint8_t loss_byte, unsigned char is_external, uint8_t *VAULT_NULLABLE buffer,
    VaultCFIndex size, VaultCFIndex *VAULT_NULLABLE used);

/* Compares by Unicode's code points; `options` is 0 or kVaultCFCompareCaseInsensitive. */
VaultCFComparisonResult VaultCFStringCompare(
    VaultCFStringRef VAULT_REQUIRED first, VaultCFStringRef VAULT_REQUIRED second,
    VaultCFOptionFlags options);

unsigned char VaultCFStringHasPrefix(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED prefix);

unsigned char VaultCFStringHasSuffix(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED suffix);

/* Returns a string's bytes in an encoding; `loss_byte` as for VaultCFStringGetBytes(). */
VaultCFDataRef VAULT_NULLABLE VaultCFStringCreateExternalRepresentation(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED string,
    VaultCFStringEncoding encoding, uint8_t loss_byte);

/* Makes a string of bytes in an encoding; NULL if they are not text of it, or hold NUL. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateFromExternalRepresentation(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFDataRef VAULT_REQUIRED data,
    VaultCFStringEncoding encoding);

/* Makes a string of units of UTF-16; NULL for NUL, and for one half of a character. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithCharacters(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const uint16_t *VAULT_NULLABLE characters,
    VaultCFIndex count);

/* Copies a C string as VaultCFStringCreateWithCString(), and frees it unless nothing is to be. */
VaultCFStringRef VAULT_NULLABLE VaultCFStringCreateWithCStringNoCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const char *VAULT_REQUIRED text,
    VaultCFStringEncoding encoding, VaultCFAllocatorRef VAULT_NULLABLE deallocator);

/* Returns the parts of a string between separators; the whole string without one. */
VaultCFArrayRef VAULT_NULLABLE VaultCFStringCreateArrayBySeparatingStrings(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED string,
    VaultCFStringRef VAULT_REQUIRED separator);

/* Returns a unit of UTF-16; 0 for an index that is not inside. */
uint16_t VaultCFStringGetCharacterAtIndex(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFIndex index);

/* Writes a range in units of UTF-16; nothing if it is not inside. */
void VaultCFStringGetCharacters(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFRange range,
    uint16_t *VAULT_REQUIRED characters);

/*
 * Returns where a part is first found; {-1, 0} if it is not, or is empty. `options` as for
 * VaultCFStringCompare().
 */
VaultCFRange VaultCFStringFind(
    VaultCFStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED part,
    VaultCFOptionFlags options);

/* Returns the number that a string begins with, or the nearest one; 0 if it begins with none. */
int32_t VaultCFStringGetIntValue(VaultCFStringRef VAULT_REQUIRED string);

/* ---- Strings that change ---- */

/* Makes an empty string that can grow; `capacity` is ignored. */
VaultCFMutableStringRef VAULT_NULLABLE VaultCFStringCreateMutable(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity);

VaultCFMutableStringRef VAULT_NULLABLE VaultCFStringCreateMutableCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    VaultCFStringRef VAULT_REQUIRED string);

/* Appends a string; without memory, nothing changes here and below. */
void VaultCFStringAppend(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED appended);

/* Appends a C string; nothing if it is not text of the encoding. */
void VaultCFStringAppendCString(
    VaultCFMutableStringRef VAULT_REQUIRED string, const char *VAULT_REQUIRED text,
    VaultCFStringEncoding encoding);

/* Appends as VaultCFStringCreateWithFormat() makes; nothing for a conversion that is not known. */
void VaultCFStringAppendFormat(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFDictionaryRef VAULT_NULLABLE options,
    VaultCFStringRef VAULT_REQUIRED format, ...);

/* Inserts before an index in units of UTF-16; nothing if it divides a character. */
void VaultCFStringInsert(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFIndex index,
    VaultCFStringRef VAULT_REQUIRED inserted);

/* Deletes a range; nothing if it is not inside, or divides a character. */
void VaultCFStringDelete(VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFRange range);

/* Puts a string in the place of a range. */
void VaultCFStringReplace(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFRange range,
    VaultCFStringRef VAULT_REQUIRED replacement);

/* Puts a string in the place of all text. */
void VaultCFStringReplaceAll(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED replacement);

/* Appends units of UTF-16; nothing if they have NUL or one half of a character. */
void VaultCFStringAppendCharacters(
    VaultCFMutableStringRef VAULT_REQUIRED string, const uint16_t *VAULT_NULLABLE characters,
    VaultCFIndex count);

/* As VaultCFStringAppendFormat(). */
void VaultCFStringAppendFormatAndArguments(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFDictionaryRef VAULT_NULLABLE options,
    VaultCFStringRef VAULT_REQUIRED format, va_list arguments);

/*
 * Puts a string in the place of each part that is found in a range, and returns their number.
 * `options` as for VaultCFStringCompare().
 */
VaultCFIndex VaultCFStringFindAndReplace(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED part,
    VaultCFStringRef VAULT_REQUIRED replacement, VaultCFRange range, VaultCFOptionFlags options);

/* Deletes a text from the beginning and the end, as often as it is there. */
void VaultCFStringTrim(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_REQUIRED trimmed);

/* Deletes Unicode's white space, newlines too, from the beginning and the end. */
void VaultCFStringTrimWhitespace(VaultCFMutableStringRef VAULT_REQUIRED string);

/*
 * Gives a string a length: deletes from its end, or appends the padding again and again, beginning
 * at an index of the padding. Nothing is done where that would divide a character.
 */
void VaultCFStringPad(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFStringRef VAULT_NULLABLE padding,
    VaultCFIndex length, VaultCFIndex index);

/* Changes the letters by Unicode's tables; copies on the way are not all wiped. */
void VaultCFStringLowercase(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFLocaleRef VAULT_NULLABLE locale);
void VaultCFStringUppercase(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFLocaleRef VAULT_NULLABLE locale);
void VaultCFStringCapitalize(
    VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFLocaleRef VAULT_NULLABLE locale);

/* Brings a string to a normal form; copies on the way are not all wiped. */
void VaultCFStringNormalize(VaultCFMutableStringRef VAULT_REQUIRED string, VaultCFIndex form);

/* ---- Data ---- */

VaultCFTypeID VaultCFDataGetTypeID(void);

VaultCFDataRef VAULT_NULLABLE VaultCFDataCreate(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const uint8_t *VAULT_NULLABLE bytes,
    VaultCFIndex count);

/*
 * Makes data of bytes that stay where they are, and must not change while the data exist.
 *
 * deallocator: &VaultCFNoAllocator if the bytes remain the caller's; any other one frees them by
 *     free() with the data, and wipes them before.
 */
VaultCFDataRef VAULT_NULLABLE VaultCFDataCreateWithBytesNoCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const uint8_t *VAULT_NULLABLE bytes,
    VaultCFIndex count, VaultCFAllocatorRef VAULT_NULLABLE deallocator);

VaultCFDataRef VAULT_NULLABLE VaultCFDataCreateCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFDataRef VAULT_REQUIRED data);

/* Makes empty data that can grow; `capacity` is ignored. */
VaultCFMutableDataRef VAULT_NULLABLE VaultCFDataCreateMutable(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity);

VaultCFMutableDataRef VAULT_NULLABLE VaultCFDataCreateMutableCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    VaultCFDataRef VAULT_REQUIRED data);

/* Appends bytes; without memory, nothing is appended. */
void VaultCFDataAppendBytes(
    VaultCFMutableDataRef VAULT_REQUIRED data, const uint8_t *VAULT_NULLABLE bytes,
    VaultCFIndex count);

VaultCFIndex VaultCFDataGetLength(VaultCFDataRef VAULT_REQUIRED data);

/* Returns the data's own bytes, never NULL for data, and valid until it changes or ends. */
const uint8_t *VAULT_NULLABLE VaultCFDataGetBytePtr(VaultCFDataRef VAULT_REQUIRED data);

/* Copies a range of bytes; a range that is not inside copies nothing. */
void VaultCFDataGetBytes(
    VaultCFDataRef VAULT_REQUIRED data, VaultCFRange range, uint8_t *VAULT_REQUIRED buffer);

/* Cuts data off, or appends zeros. */
void VaultCFDataSetLength(VaultCFMutableDataRef VAULT_REQUIRED data, VaultCFIndex length);

/* Returns the bytes, until the length changes. */
uint8_t *VAULT_NULLABLE VaultCFDataGetMutableBytePtr(VaultCFMutableDataRef VAULT_REQUIRED data);

/* Deletes a range; nothing if it is not inside. */
void VaultCFDataDeleteBytes(VaultCFMutableDataRef VAULT_REQUIRED data, VaultCFRange range);

/* ---- Numbers, booleans and dates ---- */

VaultCFTypeID VaultCFNumberGetTypeID(void);

/* Makes a number of the value at an address, which has the type that is named. */
VaultCFNumberRef VAULT_NULLABLE VaultCFNumberCreate(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFNumberType type,
    const void *VAULT_REQUIRED value);

/* Writes a number in a type; false if that changes its value, which is then the nearest one. */
unsigned char VaultCFNumberGetValue(
    VaultCFNumberRef VAULT_REQUIRED number, VaultCFNumberType type, void *VAULT_REQUIRED value);

/* Returns the type that a number was made with, by its size: SInt8 to SInt64, Float32, Float64. */
VaultCFNumberType VaultCFNumberGetType(VaultCFNumberRef VAULT_REQUIRED number);

VaultCFComparisonResult VaultCFNumberCompare(
    VaultCFNumberRef VAULT_REQUIRED first, VaultCFNumberRef VAULT_REQUIRED second,
    void *VAULT_NULLABLE context);

VaultCFTypeID VaultCFBooleanGetTypeID(void);

/* Returns the one object for true, or the one for false; both are never freed. */
VaultCFBooleanRef VAULT_NULLABLE VaultCFBooleanGet(unsigned char value);

unsigned char VaultCFBooleanGetValue(VaultCFBooleanRef VAULT_REQUIRED boolean);

VaultCFTypeID VaultCFDateGetTypeID(void);

VaultCFDateRef VAULT_NULLABLE VaultCFDateCreate(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFAbsoluteTime time);

VaultCFAbsoluteTime VaultCFDateGetAbsoluteTime(VaultCFDateRef VAULT_REQUIRED date);

VaultCFComparisonResult VaultCFDateCompare(
    VaultCFDateRef VAULT_REQUIRED first, VaultCFDateRef VAULT_REQUIRED second,
    void *VAULT_NULLABLE context);

VaultCFAbsoluteTime VaultCFAbsoluteTimeGetCurrent(void);

/* ---- Null, allocators and UUIDs ---- */

VaultCFTypeID VaultCFNullGetTypeID(void);

VaultCFTypeID VaultCFAllocatorGetTypeID(void);

VaultCFTypeID VaultCFUUIDGetTypeID(void);

/* Makes a random UUID, version 4. */
VaultCFUUIDRef VAULT_NULLABLE VaultCFUUIDCreate(VaultCFAllocatorRef VAULT_NULLABLE allocator);

VaultCFUUIDRef VAULT_NULLABLE VaultCFUUIDCreateFromUUIDBytes(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFUUIDBytes bytes);

VaultCFUUIDRef VAULT_NULLABLE VaultCFUUIDCreateWithBytes(
    VaultCFAllocatorRef VAULT_NULLABLE allocator,
    uint8_t byte0, uint8_t byte1, uint8_t byte2, uint8_t byte3, uint8_t byte4, uint8_t byte5,
    uint8_t byte6, uint8_t byte7, uint8_t byte8, uint8_t byte9, uint8_t byte10, uint8_t byte11,
    uint8_t byte12, uint8_t byte13, uint8_t byte14, uint8_t byte15);

/* Returns the one UUID of these bytes, which is never freed. */
VaultCFUUIDRef VAULT_NULLABLE VaultCFUUIDGetConstantUUIDWithBytes(
    VaultCFAllocatorRef VAULT_NULLABLE allocator,
    uint8_t byte0, uint8_t byte1, uint8_t byte2, uint8_t byte3, uint8_t byte4, uint8_t byte5,
    uint8_t byte6, uint8_t byte7, uint8_t byte8, uint8_t byte9, uint8_t byte10, uint8_t byte11,
    uint8_t byte12, uint8_t byte13, uint8_t byte14, uint8_t byte15);

/* Reads the 36 characters of a UUID, in any case; NULL for anything else. */
VaultCFUUIDRef VAULT_NULLABLE VaultCFUUIDCreateFromString(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFStringRef VAULT_REQUIRED string);

/* Returns the 36 characters, in capitals. */
VaultCFStringRef VAULT_NULLABLE VaultCFUUIDCreateString(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFUUIDRef VAULT_REQUIRED uuid);

VaultCFUUIDBytes VaultCFUUIDGetUUIDBytes(VaultCFUUIDRef VAULT_REQUIRED uuid);

/*
 * Fills bytes with random ones of the kernel. Returns errVaultParam for NULL; errVaultIO if the
 * kernel gives none, and the bytes are then not random.
 */
int32_t VaultRandomCopyBytes(
    VaultRandomRef VAULT_NULLABLE generator, size_t count, void *VAULT_REQUIRED bytes);

/* ---- Arrays ---- */

VaultCFTypeID VaultCFArrayGetTypeID(void);

/* Makes an array of `count` values; without callbacks, they are neither retained nor compared. */
VaultCFArrayRef VAULT_NULLABLE VaultCFArrayCreate(
    VaultCFAllocatorRef VAULT_NULLABLE allocator,
    const void *VAULT_NULLABLE *VAULT_NULLABLE values, VaultCFIndex count,
    const VaultCFArrayCallBacks *VAULT_NULLABLE callbacks);

VaultCFArrayRef VAULT_NULLABLE VaultCFArrayCreateCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFArrayRef VAULT_REQUIRED array);

/* Makes an empty array that can grow; `capacity` is ignored. */
VaultCFMutableArrayRef VAULT_NULLABLE VaultCFArrayCreateMutable(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    const VaultCFArrayCallBacks *VAULT_NULLABLE callbacks);

VaultCFMutableArrayRef VAULT_NULLABLE VaultCFArrayCreateMutableCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    VaultCFArrayRef VAULT_REQUIRED array);

/* Appends a value; without memory, nothing is appended. */
void VaultCFArrayAppendValue(
    VaultCFMutableArrayRef VAULT_REQUIRED array, const void *VAULT_NULLABLE value);

VaultCFIndex VaultCFArrayGetCount(VaultCFArrayRef VAULT_REQUIRED array);

/* Returns a value; NULL for an index that is not inside. */
const void *VAULT_NULLABLE VaultCFArrayGetValueAtIndex(
    VaultCFArrayRef VAULT_REQUIRED array, VaultCFIndex index);

/* Writes the values of a range to an array of its length; nothing if it is not inside. */
void VaultCFArrayGetValues(
    VaultCFArrayRef VAULT_REQUIRED array, VaultCFRange range,
    const void *VAULT_NULLABLE *VAULT_REQUIRED values);

/*
 * Sorts a range; equal values keep their order. Nothing happens without memory, and if the range is
 * not inside.
 */
void VaultCFArraySortValues(
    VaultCFMutableArrayRef VAULT_REQUIRED array, VaultCFRange range,
    VaultCFComparatorFunction VAULT_REQUIRED compare, void *VAULT_NULLABLE context);

/* Returns where a value is first found in a range; -1 if it is not. */
VaultCFIndex VaultCFArrayGetFirstIndexOfValue(
    VaultCFArrayRef VAULT_REQUIRED array, VaultCFRange range, const void *VAULT_NULLABLE value);

unsigned char VaultCFArrayContainsValue(
    VaultCFArrayRef VAULT_REQUIRED array, VaultCFRange range, const void *VAULT_NULLABLE value);

/* Calls a function with each value of a range, in order. */
void VaultCFArrayApplyFunction(
    VaultCFArrayRef VAULT_REQUIRED array, VaultCFRange range,
    VaultCFArrayApplierFunction VAULT_REQUIRED function, void *VAULT_NULLABLE context);

/* Inserts before an index, which may be the count; nothing for any other one. */
void VaultCFArrayInsertValueAtIndex(
    VaultCFMutableArrayRef VAULT_REQUIRED array, VaultCFIndex index,
    const void *VAULT_NULLABLE value);

/* Replaces a value; appends it if the index is the count. */
void VaultCFArraySetValueAtIndex(
    VaultCFMutableArrayRef VAULT_REQUIRED array, VaultCFIndex index,
    const void *VAULT_NULLABLE value);

void VaultCFArrayRemoveValueAtIndex(
    VaultCFMutableArrayRef VAULT_REQUIRED array, VaultCFIndex index);

void VaultCFArrayRemoveAllValues(VaultCFMutableArrayRef VAULT_REQUIRED array);

/* Appends a range of another array. */
void VaultCFArrayAppendArray(
    VaultCFMutableArrayRef VAULT_REQUIRED array, VaultCFArrayRef VAULT_REQUIRED other,
    VaultCFRange range);

/* ---- Dictionaries ---- */

/* Values are found by comparing with each key: dictionaries are for the few attributes of an item. */

VaultCFTypeID VaultCFDictionaryGetTypeID(void);

/* Makes a dictionary of `count` keys and their values; of two equal keys, the first one counts. */
VaultCFDictionaryRef VAULT_NULLABLE VaultCFDictionaryCreate(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, const void *VAULT_NULLABLE *VAULT_NULLABLE keys,
    const void *VAULT_NULLABLE *VAULT_NULLABLE values, VaultCFIndex count,
    const VaultCFDictionaryKeyCallBacks *VAULT_NULLABLE key_callbacks,
    const VaultCFDictionaryValueCallBacks *VAULT_NULLABLE value_callbacks);

VaultCFDictionaryRef VAULT_NULLABLE VaultCFDictionaryCreateCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFDictionaryRef VAULT_REQUIRED dictionary);

/* Makes an empty dictionary that can grow; `capacity` is ignored. */
VaultCFMutableDictionaryRef VAULT_NULLABLE VaultCFDictionaryCreateMutable(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    const VaultCFDictionaryKeyCallBacks *VAULT_NULLABLE key_callbacks,
    const VaultCFDictionaryValueCallBacks *VAULT_NULLABLE value_callbacks);

VaultCFMutableDictionaryRef VAULT_NULLABLE VaultCFDictionaryCreateMutableCopy(
    VaultCFAllocatorRef VAULT_NULLABLE allocator, VaultCFIndex capacity,
    VaultCFDictionaryRef VAULT_REQUIRED dictionary);

/* Sets the value of a key that is not there yet; otherwise does nothing. */
void VaultCFDictionaryAddValue(
    VaultCFMutableDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key,
    const void *VAULT_NULLABLE value);

/* Sets the value of a key; without memory for a new one, nothing is set. */
void VaultCFDictionarySetValue(
    VaultCFMutableDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key,
    const void *VAULT_NULLABLE value);

void VaultCFDictionaryRemoveValue(
    VaultCFMutableDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key);

/* Sets the value of a key that is there; otherwise does nothing. */
void VaultCFDictionaryReplaceValue(
    VaultCFMutableDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key,
    const void *VAULT_NULLABLE value);

void VaultCFDictionaryRemoveAllValues(VaultCFMutableDictionaryRef VAULT_REQUIRED dictionary);

/* Calls a function with each key and its value. */
void VaultCFDictionaryApplyFunction(
    VaultCFDictionaryRef VAULT_REQUIRED dictionary,
    VaultCFDictionaryApplierFunction VAULT_REQUIRED function, void *VAULT_NULLABLE context);

VaultCFIndex VaultCFDictionaryGetCount(VaultCFDictionaryRef VAULT_REQUIRED dictionary);

unsigned char VaultCFDictionaryContainsKey(
    VaultCFDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key);

/* Returns the value of a key; NULL if there is none. */
const void *VAULT_NULLABLE VaultCFDictionaryGetValue(
    VaultCFDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key);

/* Returns whether a key is there; `value` receives its value, and may be NULL. */
unsigned char VaultCFDictionaryGetValueIfPresent(
    VaultCFDictionaryRef VAULT_REQUIRED dictionary, const void *VAULT_NULLABLE key,
    const void *VAULT_NULLABLE *VAULT_NULLABLE value);

/* Writes all keys and values to arrays of the dictionary's count, each of which may be NULL. */
void VaultCFDictionaryGetKeysAndValues(
    VaultCFDictionaryRef VAULT_REQUIRED dictionary,
    const void *VAULT_NULLABLE *VAULT_NULLABLE keys,
    const void *VAULT_NULLABLE *VAULT_NULLABLE values);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
