/* Goes through the small CoreFoundation by Apple's names: values, owners, collections and wrong arguments. */
#include <CoreFoundation/CFUUID.h>
#include <Security/Security.h>

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99); \
    } \
  } while (0)

/* Returns whether a string has a text, and releases it. */
static int is(CFStringRef string, const char *text) {
  char buffer[512];
  int same = CFStringGetCString(string, buffer, sizeof buffer, kCFStringEncodingUTF8) &&
      strcmp(buffer, text) == 0;
  if (!same) fprintf(stderr, "'%s' is not '%s'\n", string == NULL ? "NULL" : buffer, text);
  if (string != NULL) CFRelease(string);
  return same;
}

static void strings(void) {
  CFStringRef umlaut = CFStringCreateWithCString(NULL, "Gr\xC3\xBC\xC3\x9F""e \xF0\x9F\x94\x91", kCFStringEncodingUTF8);
  EXPECT(CFGetTypeID(umlaut) == CFStringGetTypeID());
  EXPECT(CFStringGetLength(umlaut) == 8);
  EXPECT(CFStringGetCStringPtr(umlaut, kCFStringEncodingASCII) == NULL);
  char buffer[64];
  EXPECT(!CFStringGetCString(umlaut, buffer, sizeof buffer, kCFStringEncodingISOLatin1));
  EXPECT(!CFStringGetCString(umlaut, buffer, 12, kCFStringEncodingUTF8));
  EXPECT(CFStringGetCString(umlaut, buffer, 13, kCFStringEncodingUTF8) && strlen(buffer) == 12);
  EXPECT(CFStringGetMaximumSizeForEncoding(8, kCFStringEncodingUTF8) >= 12);

  /* Ranges count units of UTF-16, and a character is never divided. */
  CFIndex used = -1;
  UInt8 bytes[16];
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(2, 2), kCFStringEncodingISOLatin1, 0, 0, bytes, 16, &used) == 2);
  EXPECT(used == 2 && bytes[0] == 0xFC && bytes[1] == 0xDF);
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(5, 3), kCFStringEncodingASCII, '?', 0, bytes, 16, &used) == 3);
  EXPECT(used == 2 && bytes[0] == ' ' && bytes[1] == '?');
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(7, 1), kCFStringEncodingUTF8, 0, 0, bytes, 16, &used) == 0);
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(0, 9), kCFStringEncodingUTF8, 0, 0, bytes, 16, &used) == 0);
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(-1, 1), kCFStringEncodingUTF8, 0, 0, bytes, 16, NULL) == 0);
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(1, LONG_MAX), kCFStringEncodingUTF8, 0, 0, bytes, 16, NULL) == 0);
  EXPECT(CFStringGetBytes(umlaut, CFRangeMake(0, 8), kCFStringEncodingUTF8, 0, 0, bytes, 3, &used) == 2 && used == 2);
  EXPECT(is(CFStringCreateWithSubstring(NULL, umlaut, CFRangeMake(6, 2)), "\xF0\x9F\x94\x91"));
  EXPECT(CFStringCreateWithSubstring(NULL, umlaut, CFRangeMake(6, 1)) == NULL);

  CFDataRef data = CFStringCreateExternalRepresentation(NULL, umlaut, kCFStringEncodingUTF8, 0);
  EXPECT(CFDataGetLength(data) == 12);
  CFStringRef back = CFStringCreateFromExternalRepresentation(NULL, data, kCFStringEncodingUTF8);
  EXPECT(CFEqual(back, umlaut) && CFHash(back) == CFHash(umlaut) && back != umlaut);
  EXPECT(CFStringCreateExternalRepresentation(NULL, umlaut, kCFStringEncodingASCII, 0) == NULL);
  CFRelease(back);
  CFRelease(data);

  /* What is no text is no string. */
  static const char *const wrong[] = {"\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xC3", "a\xFF", "\xE0\x80\x80"};
  for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index += 1) {
    EXPECT(CFStringCreateWithCString(NULL, wrong[index], kCFStringEncodingUTF8) == NULL);
  }
  EXPECT(CFStringCreateWithBytes(NULL, (const UInt8 *)"a\0b", 3, kCFStringEncodingUTF8, FALSE) == NULL);
  EXPECT(CFStringCreateWithBytes(NULL, NULL, 1, kCFStringEncodingUTF8, FALSE) == NULL);
  EXPECT(CFStringCreateWithBytes(NULL, (const UInt8 *)"a", -1, kCFStringEncodingUTF8, FALSE) == NULL);
  EXPECT(CFStringCreateWithCString(NULL, "a", 0x0100) == NULL);
  EXPECT(is(CFStringCreateWithCString(NULL, "\xFC", kCFStringEncodingISOLatin1), "\xC3\xBC"));
  EXPECT(CFStringCreateWithCString(NULL, "\xFC", kCFStringEncodingMacRoman) == NULL);

  EXPECT(CFEqual(CFSTR("one"), VaultCFConstantString("one")) && VaultCFConstantString("\xFF") == NULL);
  EXPECT(VaultCFConstantString("one") == VaultCFConstantString("one") && !CFEqual(CFSTR("one"), CFSTR("two")));
  EXPECT(CFEqual(kSecClass, CFSTR("class")) && CFHash(kSecClass) == CFHash(CFSTR("class")));
  EXPECT(CFGetTypeID(CFSTR("\xFF")) == 0 && CFStringGetLength(CFSTR("\xC3\xBC")) == 1);
  EXPECT(CFRetain(kSecClass) == kSecClass && CFGetRetainCount(kSecClass) > 0);
  CFRelease(kSecClass);
  CFRelease(kSecClass);
  EXPECT(CFStringGetLength(kSecClass) == 5);
  EXPECT(CFStringCompare(CFSTR("a"), CFSTR("b"), 0) == kCFCompareLessThan);
  EXPECT(CFStringCompare(CFSTR("ab"), CFSTR("a"), 0) == kCFCompareGreaterThan);
  EXPECT(CFStringCompare(CFSTR("AB"), CFSTR("ab"), kCFCompareCaseInsensitive) == kCFCompareEqualTo);
  EXPECT(CFStringCompare(CFSTR("AB"), CFSTR("ab"), 0) != kCFCompareEqualTo);
  EXPECT(CFStringHasPrefix(umlaut, CFSTR("Gr")) && !CFStringHasPrefix(CFSTR("G"), umlaut));
  EXPECT(CFStringHasSuffix(CFSTR("a.example"), CFSTR(".example")) && CFStringHasSuffix(umlaut, CFSTR("")));
  CFStringRef copy = CFStringCreateCopy(NULL, umlaut);
  EXPECT(copy == umlaut && CFGetRetainCount(umlaut) == 2);
  CFRelease(copy);
  EXPECT(CFGetRetainCount(umlaut) == 1);
  CFRelease(umlaut);

  EXPECT(is(CFStringCreateWithFormat(NULL, NULL, CFSTR("%@ %s %d %5.2f %% %lu %x %*d %c|%-4s|"), CFSTR("a"), "b",
      -3, 1.5, 7ul, 255u, 4, 9, 'z', "s"), "a b -3  1.50 % 7 ff    9 z|s   |"));
  EXPECT(is(CFStringCreateWithFormat(NULL, NULL, CFSTR("%hhu %llx %zu"), 257, 0x1FFFFFFFFull, (size_t)3), "1 1ffffffff 3"));
  EXPECT(CFStringCreateWithFormat(NULL, NULL, CFSTR("%"), 1) == NULL);
  EXPECT(CFStringCreateWithFormat(NULL, NULL, CFSTR("%y"), 1) == NULL);
}

static void values(void) {
  CFMutableDataRef data = CFDataCreateMutable(NULL, 0);
  for (int index = 0; index < 300; index += 1) CFDataAppendBytes(data, (const UInt8 *)"ab", 2);
  EXPECT(CFDataGetLength(data) == 600 && memcmp(CFDataGetBytePtr(data) + 598, "ab", 2) == 0);
  CFDataAppendBytes(data, CFDataGetBytePtr(data), 600);
  EXPECT(CFDataGetLength(data) == 1200);
  CFDataRef copy = CFDataCreateCopy(NULL, data);
  EXPECT(copy != data && CFEqual(copy, data));
  CFDataAppendBytes((CFMutableDataRef)(uintptr_t)copy, (const UInt8 *)"x", 1);
  EXPECT(CFDataGetLength(copy) == 1200);
  UInt8 bytes[4] = "zzz";
  CFDataGetBytes(copy, CFRangeMake(1199, 2), bytes);
  EXPECT(bytes[0] == 'z');
  CFDataGetBytes(copy, CFRangeMake(1198, 2), bytes);
  EXPECT(bytes[0] == 'a' && bytes[1] == 'b');
  CFRelease(copy);
  CFRelease(data);
  CFDataRef empty = CFDataCreate(NULL, NULL, 0);
  EXPECT(CFDataGetBytePtr(empty) != NULL && CFDataGetLength(empty) == 0);
  CFMutableDataRef more = CFDataCreateMutableCopy(NULL, 0, empty);
  EXPECT(CFEqual(more, empty));
  CFRelease(more);
  CFRelease(empty);

  int port = 8443;
  CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &port);
  short small = 0;
  signed char least = 0;
  double real = 0;
  EXPECT(CFNumberGetValue(number, kCFNumberShortType, &small) && small == 8443);
  EXPECT(!CFNumberGetValue(number, kCFNumberCharType, &least) && least == 127);
  EXPECT(CFNumberGetValue(number, kCFNumberDoubleType, &real) && real == 8443);
  EXPECT(!CFNumberGetValue(number, 99, &real) && !CFNumberGetValue(number, 0, &real));
  CFNumberRef same = CFNumberCreate(NULL, kCFNumberDoubleType, &real);
  EXPECT(CFEqual(number, same) && CFHash(number) == CFHash(same));
  EXPECT(CFGetTypeID(number) == CFNumberGetTypeID() && CFGetTypeID(number) != CFDataGetTypeID());
  EXPECT(CFNumberGetType(number) == kCFNumberSInt32Type && CFNumberGetType(same) == kCFNumberFloat64Type);
  real = 1.5;
  CFNumberRef half = CFNumberCreate(NULL, kCFNumberDoubleType, &real);
  EXPECT(!CFNumberGetValue(half, kCFNumberIntType, &port) && port == 1);
  real = 1e300;
  CFNumberRef large = CFNumberCreate(NULL, kCFNumberDoubleType, &real);
  long long most = 0;
  float single = 0;
  EXPECT(!CFNumberGetValue(large, kCFNumberLongLongType, &most) && most == LLONG_MAX);
  EXPECT(!CFNumberGetValue(large, kCFNumberFloatType, &single));
  CFRelease(large);
  CFRelease(half);
  CFRelease(same);
  CFRelease(number);

  EXPECT(VaultCFBooleanGet(7) == kCFBooleanTrue);
  EXPECT(CFBooleanGetValue(kCFBooleanTrue) && !CFBooleanGetValue(kCFBooleanFalse));
  EXPECT(CFGetTypeID(kCFBooleanTrue) == CFBooleanGetTypeID() && !CFEqual(kCFBooleanTrue, kCFBooleanFalse));
  CFRelease(kCFBooleanTrue);
  EXPECT(CFBooleanGetValue(kCFBooleanTrue));
  CFDateRef now = CFDateCreate(NULL, CFAbsoluteTimeGetCurrent());
  EXPECT(CFDateGetAbsoluteTime(now) > 800000000 && CFEqual(now, now));
  CFRelease(now);
}

static void collections(void) {
  const void *keys[] = {kSecClass, kSecAttrPort, kSecClass};
  int port = 443;
  CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &port);
  const void *values[] = {kSecClassInternetPassword, number, kSecClassGenericPassword};
  CFDictionaryRef query = CFDictionaryCreate(
      kCFAllocatorDefault, keys, values, 3, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  EXPECT(CFDictionaryGetCount(query) == 2 && CFGetRetainCount(number) == 2);
  CFStringRef key = CFStringCreateWithCString(NULL, "class", kCFStringEncodingUTF8);
  EXPECT(CFDictionaryGetValue(query, key) == kSecClassInternetPassword);
  const void *present = NULL;
  EXPECT(CFDictionaryGetValueIfPresent(query, kSecAttrPort, &present) && present == number);
  EXPECT(!CFDictionaryGetValueIfPresent(query, CFSTR("none"), &present) && present == number);
  EXPECT(!CFDictionaryContainsKey(query, CFSTR("none")));
  CFMutableDictionaryRef copy = CFDictionaryCreateMutableCopy(NULL, 0, query);
  EXPECT(CFEqual(copy, query));
  CFDictionarySetValue(copy, key, kSecClassGenericPassword);
  CFDictionaryAddValue(copy, key, kSecClassKey);
  CFDictionaryAddValue(copy, kSecReturnData, kCFBooleanTrue);
  EXPECT(CFDictionaryGetCount(copy) == 3 && CFDictionaryGetValue(copy, kSecClass) == kSecClassGenericPassword);
  EXPECT(!CFEqual(copy, query));
  /* Replacing a value by itself does not free it. */
  CFStringRef own = CFStringCreateWithCString(NULL, "own", kCFStringEncodingUTF8);
  CFDictionarySetValue(copy, key, own);
  CFRelease(own);
  CFDictionarySetValue(copy, key, CFDictionaryGetValue(copy, key));
  EXPECT(CFEqual(CFDictionaryGetValue(copy, key), CFSTR("own")));
  CFDictionaryRemoveValue(copy, key);
  CFDictionaryRemoveValue(copy, key);
  EXPECT(CFDictionaryGetCount(copy) == 2);
  const void *all[2] = {NULL, NULL};
  CFDictionaryGetKeysAndValues(copy, all, NULL);
  EXPECT(CFEqual(all[0], kSecAttrPort) && CFEqual(all[1], kSecReturnData));
  CFDictionarySetValue((CFMutableDictionaryRef)(uintptr_t)query, key, kSecClassKey);
  EXPECT(CFDictionaryGetValue(query, key) == kSecClassInternetPassword);
  CFRelease(key);
  CFRelease(copy);
  CFDictionaryRef shared = CFDictionaryCreateCopy(NULL, query);
  EXPECT(shared == query);
  CFRelease(shared);
  CFRelease(query);
  EXPECT(CFGetRetainCount(number) == 1);

  /* Without callbacks, keys are addresses and nothing is retained. */
  CFMutableDictionaryRef plain = CFDictionaryCreateMutable(NULL, 1, NULL, NULL);
  CFDictionaryAddValue(plain, kSecClass, number);
  EXPECT(CFDictionaryGetValue(plain, kSecClass) == number && CFGetRetainCount(number) == 1);
  CFRelease(plain);

  CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
  for (int index = 0; index < 100; index += 1) CFArrayAppendValue(array, number);
  EXPECT(CFGetTypeID(array) == CFArrayGetTypeID());
  EXPECT(CFArrayGetCount(array) == 100 && CFGetRetainCount(number) == 101);
  EXPECT(CFArrayGetValueAtIndex(array, 99) == number && CFArrayGetValueAtIndex(array, 100) == NULL);
  EXPECT(CFArrayGetValueAtIndex(array, -1) == NULL);
  CFArrayRef same = CFArrayCreateCopy(NULL, array);
  EXPECT(CFEqual(same, array) && same != array);
  CFRelease(same);
  CFRelease(array);
  CFRelease(number);

  CFStringRef shown = CFCopyDescription(kSecClass);
  EXPECT(is(shown, "class"));
  CFDataRef secret = CFDataCreate(NULL, (const UInt8 *)"s3cret", 6);
  const void *one[] = {kSecValueData}, *other[] = {secret};
  CFDictionaryRef item = CFDictionaryCreate(NULL, one, other, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  EXPECT(is(CFCopyDescription(item), "{\n  v_Data = <CFData of 6 bytes>\n}"));
  CFShow(item);
  CFRelease(item);
  CFRelease(secret);
  EXPECT(is(CFCopyTypeIDDescription(CFDictionaryGetTypeID()), "CFDictionary"));
  EXPECT(CFCopyTypeIDDescription(0) == NULL && CFCopyTypeIDDescription(9999) == NULL);
}

/* Constants initialise static variables, and have addresses. */
static CFStringRef const service = CFSTR("api");
static const void *constants[] = {kSecClass, kCFBooleanTrue, kCFNull};
static const CFStringRef *const places[] = {&kSecClass, &kSecAttrAccount};
static const CFBooleanRef *const truth = &kCFBooleanTrue;

static void statics(void) {
  EXPECT(is(CFRetain(service), "api") && constants[0] == kSecClass);
  EXPECT(CFEqual(*places[1], CFSTR("acct")) && *truth == VaultCFBooleanGet(1));
  EXPECT(constants[2] == kCFNull && CFGetTypeID(kCFNull) == CFNullGetTypeID());
  EXPECT(is(CFCopyDescription(kCFNull), "<null>"));
  CFRelease(kCFNull);
  EXPECT(CFGetRetainCount(kCFNull) > 0 && !CFEqual(kCFNull, kCFBooleanFalse));
  EXPECT(kCFAllocatorNull != kCFAllocatorDefault && CFGetTypeID(kCFAllocatorNull) == CFAllocatorGetTypeID());
}

/* Strings that change. */
static void mutable_strings(void) {
  CFMutableStringRef string = CFStringCreateMutable(NULL, 0);
  EXPECT(CFStringGetLength(string) == 0 && CFGetTypeID(string) == CFStringGetTypeID());
  CFStringAppend(string, CFSTR("Gr\xC3\xBC\xC3\x9F""e"));
  CFStringAppendCString(string, " \xFC", kCFStringEncodingISOLatin1);
  CFStringAppendCString(string, "\xFF", kCFStringEncodingUTF8);
  CFStringAppendFormat(string, NULL, CFSTR(" %d %@"), 7, kSecClass);
  CFStringAppendFormat(string, NULL, CFSTR("%y"), 7);
  EXPECT(CFEqual(string, CFSTR("Gr\xC3\xBC\xC3\x9F""e \xC3\xBC 7 class")) && CFStringGetLength(string) == 15);
  CFStringAppend(string, string);
  EXPECT(CFStringGetLength(string) == 30);
  CFStringDelete(string, CFRangeMake(5, 25));
  CFStringInsert(string, 0, CFSTR("\xF0\x9F\x94\x91"));
  CFStringInsert(string, 1, CFSTR("x"));
  CFStringInsert(string, 99, CFSTR("x"));
  CFStringDelete(string, CFRangeMake(0, 1));
  EXPECT(CFEqual(string, CFSTR("\xF0\x9F\x94\x91Gr\xC3\xBC\xC3\x9F""e")));
  CFStringReplace(string, CFRangeMake(2, 2), CFSTR("s"));
  EXPECT(CFEqual(string, CFSTR("\xF0\x9F\x94\x91s\xC3\xBC\xC3\x9F""e")) && CFStringGetLength(string) == 6);
  CFStringRef copy = CFStringCreateCopy(NULL, string);
  CFMutableStringRef other = CFStringCreateMutableCopy(NULL, 0, string);
  CFStringReplaceAll(string, CFSTR(""));
  EXPECT(CFStringGetLength(string) == 0 && CFStringGetLength(copy) == 6 && CFEqual(copy, other));
  /* One that does not change stays as it is. */
  CFStringAppend((CFMutableStringRef)(uintptr_t)copy, CFSTR("x"));
  CFStringAppend((CFMutableStringRef)(uintptr_t)kSecClass, CFSTR("x"));
  EXPECT(CFEqual(copy, other) && CFStringGetLength(kSecClass) == 5);
  CFRelease(copy);
  CFRelease(other);
  CFRelease(string);
}

/* The context of a comparison is its caller's own. */
static int context_of_compare;

static CFComparisonResult compare(const void *first, const void *second, void *context) {
  EXPECT(context == &context_of_compare);
  return CFStringCompare(first, second, kCFCompareCaseInsensitive);
}

/* What git's helper, docker's and many others use beside SecItem. */
static void further(void) {
  /* Bytes that stay the caller's, and bytes that are given up. */
  char own[] = "s3cret";
  CFDataRef data = CFDataCreateWithBytesNoCopy(NULL, (const UInt8 *)own, 6, kCFAllocatorNull);
  EXPECT(CFDataGetLength(data) == 6 && CFDataGetBytePtr(data) == (const UInt8 *)own);
  CFRelease(data);
  EXPECT(strcmp(own, "s3cret") == 0);
  data = CFDataCreateWithBytesNoCopy(NULL, (const UInt8 *)strdup("given"), 5, kCFAllocatorMalloc);
  EXPECT(CFDataGetLength(data) == 5);
  CFRelease(data);
  data = CFDataCreateWithBytesNoCopy(NULL, NULL, 0, kCFAllocatorNull);
  EXPECT(CFDataGetLength(data) == 0 && CFDataGetBytePtr(data) != NULL);
  CFRelease(data);
  EXPECT(CFDataCreateWithBytesNoCopy(NULL, NULL, 1, kCFAllocatorNull) == NULL);

  /* Sorting keeps the order of equal values. */
  const void *names[] = {CFSTR("b"), CFSTR("D"), CFSTR("a"), CFSTR("B"), CFSTR("c")}, *found[5] = {NULL};
  CFArrayRef array = CFArrayCreate(NULL, names, 5, &kCFTypeArrayCallBacks);
  CFMutableArrayRef sorted = CFArrayCreateMutableCopy(NULL, 0, array);
  EXPECT(CFEqual(sorted, array) && (const void *)sorted != (const void *)array);
  CFArraySortValues(sorted, CFRangeMake(0, 6), compare, &context_of_compare);
  CFArraySortValues((CFMutableArrayRef)(uintptr_t)array, CFRangeMake(0, 5), compare, &context_of_compare);
  EXPECT(CFEqual(sorted, array));
  CFArraySortValues(sorted, CFRangeMake(0, 5), compare, &context_of_compare);
  CFArrayGetValues(sorted, CFRangeMake(1, 5), found);
  EXPECT(found[0] == NULL);
  CFArrayGetValues(sorted, CFRangeMake(0, 5), found);
  static const char *const order[] = {"a", "b", "B", "c", "D"};
  for (int index = 0; index < 5; index += 1) EXPECT(is(CFRetain(found[index]), order[index]));
  CFArrayAppendValue(sorted, CFSTR("e"));
  EXPECT(CFArrayGetCount(sorted) == 6 && CFArrayGetCount(array) == 5);
  CFRelease(array);
  CFRelease(sorted);

  CFUUIDRef uuid = CFUUIDCreate(NULL), other = CFUUIDCreate(NULL);
  EXPECT(CFGetTypeID(uuid) == CFUUIDGetTypeID() && !CFEqual(uuid, other));
  CFStringRef text = CFUUIDCreateString(NULL, uuid);
  EXPECT(CFStringGetLength(text) == 36);
  CFUUIDRef same = CFUUIDCreateFromString(NULL, text);
  EXPECT(CFEqual(same, uuid) && CFHash(same) == CFHash(uuid));
  EXPECT((CFUUIDGetUUIDBytes(uuid).byte6 & 0xF0) == 0x40 && (CFUUIDGetUUIDBytes(uuid).byte8 & 0xC0) == 0x80);
  CFRelease(text);
  CFRelease(same);
  CFUUIDBytes bytes = {0x12, 0x3E, 0x45, 0x67, 0xE8, 0x9B, 0x12, 0xD3, 0xA4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0};
  same = CFUUIDCreateFromUUIDBytes(NULL, bytes);
  EXPECT(is(CFUUIDCreateString(NULL, same), "123E4567-E89B-12D3-A456-426614174000"));
  CFRelease(same);
  EXPECT(CFUUIDCreateFromString(NULL, CFSTR("123E4567-E89B-12D3-A456-42661417400g")) == NULL);
  EXPECT(CFUUIDCreateFromString(NULL, CFSTR("123E4567E89B-12D3-A456-4266141740000")) == NULL);
  CFRelease(uuid);
  CFRelease(other);

  unsigned char one[32] = {0}, two[32] = {0};
  EXPECT(SecRandomCopyBytes(kSecRandomDefault, sizeof one, one) == errSecSuccess);
  EXPECT(SecRandomCopyBytes(kSecRandomDefault, sizeof two, two) == errSecSuccess);
  EXPECT(memcmp(one, two, sizeof one) != 0);
  EXPECT(SecRandomCopyBytes(kSecRandomDefault, 0, NULL) == errSecSuccess);
  EXPECT(SecRandomCopyBytes(kSecRandomDefault, 1, NULL) == errSecParam);
}

/* Values nested deeper than any stack are released, and wiped, one after the other. */
static void depth(void) {
  CFTypeRef value = CFRetain(kSecClass);
  for (int level = 0; level < 200000; level += 1) {
    CFTypeRef outer = level % 2 == 0
        ? (CFTypeRef)CFArrayCreate(NULL, &value, 1, &kCFTypeArrayCallBacks)
        : (CFTypeRef)CFDictionaryCreate(NULL, (const void **)&kSecClass, &value, 1,
              &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFRelease(value);
    value = outer;
  }
  CFRelease(value);
}

/* Returns whether a string that can change has a text now. */
static int is_now(CFMutableStringRef string, const char *text) { return is(CFStringCreateCopy(NULL, string), text); }

static CFMutableStringRef changeable(const char *text) {
  CFMutableStringRef string = CFStringCreateMutable(NULL, 0);
  CFStringAppendCString(string, text, kCFStringEncodingUTF8);
  return string;
}

static void append(CFMutableStringRef string, CFStringRef format, ...) {
  va_list arguments;
  va_start(arguments, format);
  CFStringAppendFormatAndArguments(string, NULL, format, arguments);
  va_end(arguments);
}

/* Finding in strings, and changing what is found. */
static void changes(void) {
  CFMutableStringRef string = changeable(" \xC3\xBC" "a\xF0\x9F\x94\x91" "A ");
  EXPECT(CFStringFind(string, CFSTR("A"), 0).location == 5 && CFStringFind(string, CFSTR("A"), 0).length == 1);
  EXPECT(CFStringFind(string, CFSTR("A"), kCFCompareCaseInsensitive).location == 2);
  EXPECT(CFStringFind(string, CFSTR("b"), 0).location == kCFNotFound && CFStringFind(string, CFSTR(""), 0).location == kCFNotFound);
  EXPECT(CFStringGetCharacterAtIndex(string, 1) == 0xFC && CFStringGetCharacterAtIndex(string, 7) == 0);
  UniChar units[2] = {0, 0};
  CFStringGetCharacters(string, CFRangeMake(3, 2), units);
  EXPECT(units[0] == 0xD83D && units[1] == 0xDD11 && CFStringGetCharacterAtIndex(string, 4) == 0xDD11);
  CFStringGetCharacters(string, CFRangeMake(6, 2), units);
  EXPECT(units[0] == 0xD83D);
  EXPECT(CFStringFindAndReplace(string, CFSTR("a"), CFSTR("xx"), CFRangeMake(0, 7), kCFCompareCaseInsensitive) == 2);
  EXPECT(is_now(string, " \xC3\xBCxx\xF0\x9F\x94\x91xx "));
  EXPECT(CFStringFindAndReplace(string, CFSTR("x"), CFSTR(""), CFRangeMake(0, 4), 0) == 2);
  EXPECT(CFStringFindAndReplace(string, CFSTR("x"), CFSTR(""), CFRangeMake(0, 99), 0) == 0);
  CFMutableStringRef repeated = changeable("aaaaa");
  EXPECT(CFStringFindAndReplace(repeated, CFSTR("aa"), CFSTR("b"), CFRangeMake(0, 5), 0) == 2 && is_now(repeated, "bba"));
  CFRelease(repeated);
  EXPECT(is_now(string, " \xC3\xBC\xF0\x9F\x94\x91xx "));
  CFStringTrimWhitespace(string);
  CFStringTrim(string, CFSTR("x"));
  EXPECT(is_now(string, "\xC3\xBC\xF0\x9F\x94\x91") && CFStringGetLength(string) == 3);
  CFStringPad(string, CFSTR("12"), 6, 1);
  EXPECT(is_now(string, "\xC3\xBC\xF0\x9F\x94\x91" "212"));
  CFStringPad(string, NULL, 2, 0);
  EXPECT(CFStringGetLength(string) == 6);
  CFStringPad(string, NULL, 1, 0);
  CFStringAppendCharacters(string, (const UniChar[]){0xD83D, 0xDD11, 'b'}, 3);
  CFStringAppendCharacters(string, (const UniChar[]){'c', 0xD83D}, 2);
  append(string, CFSTR(" %d %@"), 7, kSecClass);
  append(string, CFSTR("%k"));
  EXPECT(is_now(string, "\xC3\xBC\xF0\x9F\x94\x91" "b 7 class"));
  CFStringCapitalize(string, NULL);
  EXPECT(is_now(string, "\xC3\x9C\xF0\x9F\x94\x91" "B 7 Class"));
  CFStringUppercase(string, NULL);
  EXPECT(is_now(string, "\xC3\x9C\xF0\x9F\x94\x91" "B 7 CLASS"));
  CFStringLowercase(string, NULL);
  EXPECT(is_now(string, "\xC3\xBC\xF0\x9F\x94\x91" "b 7 class"));
  CFStringNormalize(string, kCFStringNormalizationFormD);
  EXPECT(CFStringHasPrefix(string, CFSTR("u\xCC\x88")));
  CFStringNormalize(string, kCFStringNormalizationFormC);
  CFStringNormalize(string, 4);
  EXPECT(CFStringHasPrefix(string, CFSTR("\xC3\xBC")));
  CFRelease(string);
  string = changeable(" \n\t");
  CFStringTrimWhitespace(string);
  EXPECT(CFStringGetLength(string) == 0);
  CFRelease(string);

  EXPECT(is(CFStringCreateWithCharacters(NULL, (const UniChar[]){'a', 0x20AC}, 2), "a\xE2\x82\xAC"));
  EXPECT(CFStringCreateWithCharacters(NULL, (const UniChar[]){0xDC00}, 1) == NULL);
  EXPECT(is(CFStringCreateWithCStringNoCopy(NULL, strdup("given"), kCFStringEncodingUTF8, NULL), "given"));
  EXPECT(is(CFStringCreateWithCStringNoCopy(NULL, "kept", kCFStringEncodingUTF8, kCFAllocatorNull), "kept"));
  EXPECT(CFStringGetIntValue(CFSTR(" -12x")) == -12 && CFStringGetIntValue(CFSTR("x")) == 0);
  EXPECT(CFStringGetIntValue(CFSTR("99999999999")) == INT32_MAX);
  CFArrayRef parts = CFStringCreateArrayBySeparatingStrings(NULL, CFSTR("a, b,"), CFSTR(","));
  EXPECT(CFArrayGetCount(parts) == 3 && is(CFRetain(CFArrayGetValueAtIndex(parts, 1)), " b"));
  EXPECT(is(CFRetain(CFArrayGetValueAtIndex(parts, 2)), ""));
  CFRelease(parts);
  CFUUIDRef uuid = CFUUIDCreateWithBytes(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  CFUUIDRef one = CFUUIDGetConstantUUIDWithBytes(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  EXPECT(CFEqual(uuid, one) && is(CFUUIDCreateString(NULL, uuid), "01020304-0506-0708-090A-0B0C0D0E0F10"));
  EXPECT(CFUUIDGetConstantUUIDWithBytes(NULL, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) != one);
  EXPECT(CFUUIDGetConstantUUIDWithBytes(NULL, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) == one);
  CFRelease(one);
  CFRelease(one);
  EXPECT(CFGetTypeID(one) == CFUUIDGetTypeID());
  CFRelease(uuid);
}

static void count_value(const void *value, void *context) { *(int *)context += value == kSecClass ? 1 : 10; }

static void count_pair(const void *key, const void *value, void *context) {
  *(int *)context += CFEqual(key, kSecClass) && value == kCFBooleanTrue ? 1 : 10;
}

/* Changing collections and data. */
static void changing(void) {
  CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
  CFMutableStringRef owned = changeable("owned");
  CFArrayInsertValueAtIndex(array, 0, owned);
  CFArrayInsertValueAtIndex(array, 0, kSecClass);
  CFArrayInsertValueAtIndex(array, 3, kSecClass);
  EXPECT(CFArrayGetCount(array) == 2 && CFGetRetainCount(owned) == 2);
  EXPECT(CFArrayContainsValue(array, CFRangeMake(0, 2), CFSTR("owned")) && !CFArrayContainsValue(array, CFRangeMake(0, 1), owned));
  EXPECT(CFArrayGetFirstIndexOfValue(array, CFRangeMake(0, 2), owned) == 1);
  EXPECT(CFArrayGetFirstIndexOfValue(array, CFRangeMake(0, 3), owned) == kCFNotFound);
  int count = 0;
  CFArrayApplyFunction(array, CFRangeMake(0, 2), count_value, &count);
  CFArrayApplyFunction(array, CFRangeMake(1, 2), count_value, &count);
  EXPECT(count == 11);
  CFMutableArrayRef other = CFArrayCreateMutableCopy(NULL, 0, array);
  CFArrayAppendArray(array, other, CFRangeMake(1, 1));
  CFArrayAppendArray(array, other, CFRangeMake(1, 2));
  EXPECT(CFArrayGetCount(array) == 3 && CFGetRetainCount(owned) == 4);
  CFArraySetValueAtIndex(array, 2, owned);
  CFArraySetValueAtIndex(array, 3, owned);
  CFArraySetValueAtIndex(array, 5, owned);
  EXPECT(CFArrayGetCount(array) == 4 && CFGetRetainCount(owned) == 5);
  CFArraySetValueAtIndex(array, 3, kSecClass);
  CFArrayRemoveValueAtIndex(array, 1);
  CFArrayRemoveValueAtIndex(array, 3);
  EXPECT(CFArrayGetCount(array) == 3 && CFArrayGetValueAtIndex(array, 1) == owned && CFGetRetainCount(owned) == 3);
  CFArrayRemoveAllValues(array);
  CFRelease(other);
  EXPECT(CFArrayGetCount(array) == 0 && CFGetRetainCount(owned) == 1);
  CFRelease(array);

  CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(
      NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFDictionaryReplaceValue(dictionary, kSecClass, owned);
  EXPECT(CFDictionaryGetCount(dictionary) == 0);
  CFDictionarySetValue(dictionary, kSecClass, owned);
  CFDictionaryReplaceValue(dictionary, kSecClass, kCFBooleanTrue);
  count = 0;
  CFDictionaryApplyFunction(dictionary, count_pair, &count);
  EXPECT(count == 1 && CFGetRetainCount(owned) == 1);
  CFDictionarySetValue(dictionary, owned, owned);
  CFDictionaryRemoveAllValues(dictionary);
  EXPECT(CFDictionaryGetCount(dictionary) == 0 && CFGetRetainCount(owned) == 1);
  CFDictionarySetValue(dictionary, kSecClass, owned);
  EXPECT(CFDictionaryGetValue(dictionary, kSecClass) == owned);
  CFRelease(dictionary);
  CFRelease(owned);

  CFMutableDataRef data = CFDataCreateMutable(NULL, 0);
  CFDataAppendBytes(data, (const UInt8 *)"abcdef", 6);
  CFDataDeleteBytes(data, CFRangeMake(1, 2));
  CFDataDeleteBytes(data, CFRangeMake(3, 2));
  EXPECT(CFDataGetLength(data) == 4 && memcmp(CFDataGetBytePtr(data), "adef", 4) == 0);
  CFDataSetLength(data, 2);
  CFDataSetLength(data, 100);
  CFDataSetLength(data, -1);
  EXPECT(CFDataGetLength(data) == 100 && memcmp(CFDataGetMutableBytePtr(data), "ad\0\0", 4) == 0);
  CFDataGetMutableBytePtr(data)[99] = 7;
  EXPECT(CFDataGetBytePtr(data)[99] == 7);
  CFRelease(data);
  EXPECT(CFDataGetMutableBytePtr((CFMutableDataRef)(uintptr_t)kSecClass) == NULL);

  long small = 1;
  double large = 1.5;
  CFNumberRef one = CFNumberCreate(NULL, kCFNumberLongType, &small), two = CFNumberCreate(NULL, kCFNumberDoubleType, &large);
  EXPECT(CFNumberCompare(one, two, NULL) == kCFCompareLessThan && CFNumberCompare(two, one, NULL) == kCFCompareGreaterThan);
  EXPECT(CFNumberCompare(one, one, NULL) == kCFCompareEqualTo);
  CFDateRef first = CFDateCreate(NULL, 1), second = CFDateCreate(NULL, 2);
  EXPECT(CFDateCompare(first, second, NULL) == kCFCompareLessThan && CFDateCompare(second, second, NULL) == kCFCompareEqualTo);
  EXPECT(CFGetAllocator(one) == kCFAllocatorDefault);
  CFRelease(first);
  CFRelease(second);
  CFRelease(one);
  CFRelease(two);
}

/* Nested as deep as nobody nests, values are unequal, and no stack ends. */
static void compared(void) {
  CFTypeRef values[2] = {NULL, NULL};
  for (int which = 0; which < 2; which += 1) {
    for (int level = 0; level < 100000; level += 1) {
      CFTypeRef inner = values[which];
      values[which] = CFArrayCreate(NULL, &inner, inner == NULL ? 0 : 1, &kCFTypeArrayCallBacks);
      if (inner != NULL) CFRelease(inner);
      if (level == 900 && which == 1) {
        CFTypeRef same = CFArrayCreate(NULL, &values[1], 1, &kCFTypeArrayCallBacks);
        CFTypeRef other = CFArrayCreate(NULL, &values[1], 1, &kCFTypeArrayCallBacks);
        EXPECT(CFEqual(same, other));
        CFRelease(same);
        CFRelease(other);
      }
    }
  }
  EXPECT(CFEqual(values[0], values[0]) && !CFEqual(values[0], values[1]));
  CFMutableDictionaryRef dictionary = CFDictionaryCreateMutable(
      NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFDictionarySetValue(dictionary, values[0], values[1]);
  CFDictionarySetValue(dictionary, values[1], values[0]);
  EXPECT(CFDictionaryGetCount(dictionary) == 2);
  CFRelease(dictionary);
  CFRelease(values[0]);
  CFRelease(values[1]);
}

/* A wrong object is no object, and a wrong type is never read as another. */
static void strays(void) {
  static const char text[] = "no object";
  long number = 7;
  const void *wrong[] = {NULL, text, &number, (void *)(uintptr_t)1, (void *)(uintptr_t)-1, kCFBooleanTrue};
  for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index += 1) {
    const void *object = wrong[index];
    EXPECT(CFStringGetLength((CFStringRef)object) == 0 && CFDataGetLength((CFDataRef)object) == 0);
    EXPECT(CFStringGetCStringPtr((CFStringRef)object, kCFStringEncodingUTF8) == NULL);
    EXPECT(CFArrayGetCount((CFArrayRef)object) == 0 && CFDictionaryGetCount((CFDictionaryRef)object) == 0);
    EXPECT(CFDictionaryGetValue((CFDictionaryRef)object, kSecClass) == NULL);
    EXPECT(!CFNumberGetValue((CFNumberRef)object, kCFNumberLongType, &number));
    EXPECT(CFDateGetAbsoluteTime((CFDateRef)object) == 0);
    EXPECT(SecItemCopyMatching((CFDictionaryRef)object, NULL) == errSecParam);
    CFRelease(CFRetain(object));
  }
  EXPECT(number == 7 && CFGetTypeID(text) == 0 && CFEqual(NULL, NULL) && !CFEqual(NULL, kSecClass));
}

/* Handles are elements of collections like objects. */
static void handles(const char *folder) {
  char path[600];
  snprintf(path, sizeof path, "%s/handles.vault", folder);
  SecKeychainRef keychain = NULL, again = NULL;
  EXPECT(SecKeychainCreate(path, 8, "password", FALSE, NULL, &keychain) == noErr);
  SecKeychainItemRef item = NULL, found = NULL;
  EXPECT(SecKeychainAddGenericPassword(keychain, 3, "svc", 3, "ann", 6, "secret", &item) == noErr);
  EXPECT(SecKeychainFindGenericPassword(keychain, 3, "svc", 0, NULL, NULL, NULL, &found) == noErr);
  EXPECT(CFGetTypeID(item) == SecKeychainItemGetTypeID() && CFGetTypeID(keychain) == SecKeychainGetTypeID());
  EXPECT(CFGetRetainCount(item) == 1 && CFRetain(item) == item && CFGetRetainCount(item) == 2);
  CFRelease(item);
  EXPECT(CFEqual(item, found) && CFHash(item) == CFHash(found) && !CFEqual(item, keychain));
  EXPECT(SecKeychainOpen(path, &again) == noErr && CFEqual(again, keychain));
  const void *elements[] = {item, keychain};
  CFArrayRef array = CFArrayCreate(NULL, elements, 2, &kCFTypeArrayCallBacks);
  CFRelease(item);
  item = (SecKeychainItemRef)(uintptr_t)CFArrayGetValueAtIndex(array, 0);
  EXPECT(SecKeychainItemCopyContent(item, NULL, NULL, NULL, NULL) == noErr);
  CFRelease(array);
  EXPECT(SecKeychainItemCopyContent(item, NULL, NULL, NULL, NULL) == errSecInvalidItemRef);
  EXPECT(CFGetTypeID(item) == 0);
  CFRelease(found);
  CFRelease(again);
  CFRelease(keychain);
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  strings();
  values();
  collections();
  statics();
  mutable_strings();
  further();
  changes();
  changing();
  depth();
  compared();
  strays();
  handles(arguments[1]);
  return 0;
}
