/* Goes through the keychain's interface by Apple's names: what whole.c does not, and SecItem. */
#include <Security/Security.h>
#include <unistd.h>

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, vault_last_error()); \
      exit(99); \
    } \
  } while (0)

#define DO(call) EXPECT((call) == noErr)

static int events[16];
static SecKeychainItemRef seen;

static OSStatus note(SecKeychainEvent event, SecKeychainCallbackInfo *info, void *context) {
  EXPECT(event < 16 && info->version == 0 && context == &seen);
  events[event] += 1;
  if (event == kSecAddEvent) {
    EXPECT(CFGetTypeID(info->item) == SecKeychainItemGetTypeID());
    seen = (SecKeychainItemRef)(uintptr_t)CFRetain(info->item);
  }
  return noErr;
}

static OSStatus other(SecKeychainEvent event, SecKeychainCallbackInfo *info, void *context) {
  (void)event;
  (void)info;
  (void)context;
  return noErr;
}

/* Returns whether an attribute of an item has a value. */
static int has(SecKeychainItemRef item, SecItemAttr tag, const char *value) {
  SecKeychainAttribute attribute = {tag, 0, NULL};
  SecKeychainAttributeList list = {1, &attribute};
  DO(SecKeychainItemCopyContent(item, NULL, &list, NULL, NULL));
  int same = attribute.length == strlen(value) && (attribute.length == 0 || memcmp(attribute.data, value, attribute.length) == 0);
  SecKeychainItemFreeContent(&list, NULL);
  return same;
}

static void vaults(const char *folder) {
  char path[600], copied[600];
  UInt32 version = 0, length = sizeof copied;
  snprintf(path, sizeof path, "%s/first.vault", folder);
  DO(SecKeychainGetVersion(&version));
  EXPECT(version == 0x02028000);

  /* A reference to what does not exist yet. */
  SecKeychainRef early = NULL, first = NULL, found = NULL;
  SecKeychainStatus status = 0;
  DO(SecKeychainOpen(path, &early));
  EXPECT(CFGetTypeID(early) == SecKeychainGetTypeID());
  EXPECT(SecKeychainGetStatus(early, &status) == errSecNoSuchKeychain);
  DO(SecKeychainGetPath(early, &length, copied));
  EXPECT(strcmp(copied, path) == 0 && length == strlen(path));
  length = (UInt32)strlen(path);
  EXPECT(SecKeychainGetPath(early, &length, copied) == errSecBufferTooSmall && length == strlen(path));

  EXPECT(SecKeychainCreate(path, 8, "password", TRUE, NULL, &first) == errSecInteractionNotAllowed);
  EXPECT(SecKeychainCreate(path, 0, NULL, FALSE, NULL, &first) == errSecParam);
  DO(SecKeychainCreate(path, 8, "password", FALSE, NULL, &first));
  EXPECT(SecKeychainCreate(path, 8, "password", FALSE, NULL, NULL) == errSecDuplicateKeychain);
  DO(SecKeychainGetStatus(early, &status));
  EXPECT(status == (kSecUnlockStateStatus | kSecReadPermStatus | kSecWritePermStatus));

  EXPECT(SecKeychainCopyDefault(&found) == errSecNoDefaultKeychain);
  DO(SecKeychainSetDefault(first));
  DO(SecKeychainCopyDefault(&found));
  EXPECT(CFEqual(found, first));
  CFRelease(found);
  EXPECT(SecKeychainCopyDomainDefault(kSecPreferencesDomainSystem, &found) == errSecInvalidPrefsDomain);
  DO(SecKeychainCopyDomainDefault(kSecPreferencesDomainUser, &found));
  DO(SecKeychainSetDomainDefault(kSecPreferencesDomainUser, found));
  CFRelease(found);

  CFArrayRef list = NULL;
  DO(SecKeychainCopySearchList(&list));
  EXPECT(CFArrayGetCount(list) == 1 && CFEqual(CFArrayGetValueAtIndex(list, 0), first));
  DO(SecKeychainSetSearchList(list));
  CFRelease(list);
  DO(SecKeychainCopyDomainSearchList(kSecPreferencesDomainUser, &list));
  DO(SecKeychainSetDomainSearchList(kSecPreferencesDomainUser, list));
  CFRelease(list);
  EXPECT(SecKeychainSetSearchList((CFArrayRef)kSecClass) == errSecParam);
  SecPreferencesDomain domain = 7;
  DO(SecKeychainSetPreferenceDomain(kSecPreferencesDomainUser));
  EXPECT(SecKeychainSetPreferenceDomain(kSecPreferencesDomainCommon) == errSecInvalidPrefsDomain);
  DO(SecKeychainGetPreferenceDomain(&domain));
  EXPECT(domain == kSecPreferencesDomainUser);

  SecKeychainSettings settings = {SEC_KEYCHAIN_SETTINGS_VERS1, TRUE, TRUE, 1};
  DO(SecKeychainCopySettings(first, &settings));
  EXPECT(!settings.lockOnSleep && !settings.useLockInterval && settings.lockInterval == INT_MAX);
  DO(SecKeychainSetSettings(first, &settings));
  settings.lockOnSleep = TRUE;
  EXPECT(SecKeychainSetSettings(first, &settings) == errSecUnimplemented);
  settings.version = 2;
  EXPECT(SecKeychainCopySettings(first, &settings) == errSecParam);

  /* A program that allows no prompt gets another status of a locked vault. */
  Boolean isAllowed = FALSE;
  DO(SecKeychainGetUserInteractionAllowed(&isAllowed));
  EXPECT(isAllowed == TRUE);
  DO(SecKeychainLockAll());
  UInt32 count = 0;
  EXPECT(SecKeychainFindGenericPassword(first, 0, NULL, 0, NULL, &count, NULL, NULL) == errSecInteractionNotAllowed);
  DO(SecKeychainSetUserInteractionAllowed(FALSE));
  DO(SecKeychainGetUserInteractionAllowed(&isAllowed));
  EXPECT(isAllowed == FALSE);
  EXPECT(SecKeychainFindGenericPassword(first, 0, NULL, 0, NULL, &count, NULL, NULL) == errSecAuthFailed);
  DO(SecKeychainSetUserInteractionAllowed(TRUE));
  DO(SecKeychainUnlock(first, 8, "password", TRUE));

  SecKeychainAttributeInfo *info = NULL;
  DO(SecKeychainAttributeInfoForItemID(NULL, kSecInternetPasswordItemClass, &info));
  EXPECT(info->count == 20 && info->tag[0] == 7 && info->tag[1] == 8 && info->tag[2] == kSecAccountItemAttr);
  for (UInt32 index = 1; index < info->count; index += 1) EXPECT(info->tag[index - 1] < info->tag[index]);
  DO(SecKeychainFreeAttributeInfo(info));
  EXPECT(SecKeychainAttributeInfoForItemID(NULL, 5, &info) == errSecNoSuchClass);
  CFRelease(early);
  CFRelease(first);
}

/* What a program has unlocked stays so without a reference, until it is locked. */
static void unlocked(const char *folder) {
  char path[600];
  snprintf(path, sizeof path, "%s/unlocked.vault", folder);
  SecKeychainRef keychain = NULL;
  UInt32 count = 0;
  DO(SecKeychainCreate(path, 8, "password", FALSE, NULL, &keychain));
  CFRelease(keychain);
  DO(SecKeychainOpen(path, &keychain));
  DO(SecKeychainAddGenericPassword(keychain, 1, "s", 0, NULL, 1, "x", NULL));
  DO(SecKeychainLock(keychain));
  CFRelease(keychain);
  DO(SecKeychainOpen(path, &keychain));
  EXPECT(SecKeychainFindGenericPassword(keychain, 1, "s", 0, NULL, &count, NULL, NULL) == errSecInteractionNotAllowed);
  DO(SecKeychainUnlock(keychain, 8, "password", TRUE));
  CFRelease(keychain);
  DO(SecKeychainOpen(path, &keychain));
  DO(SecKeychainFindGenericPassword(keychain, 1, "s", 0, NULL, &count, NULL, NULL));
  DO(SecKeychainDelete(keychain));
  CFRelease(keychain);
}

/* Constants have addresses, and initialise static variables. */
static const CFStringRef *const by_address[] = {
  &kSecAttrKeyType, &kSecKeyAlgorithmRSASignatureRaw, &kSecAttrSyncViewHint,
};

/* A list that names programs has no effect; one that names none gives the secret to none. */
static void access_lists(const char *folder) {
  char path[600];
  snprintf(path, sizeof path, "%s/access.vault", folder);
  SecTrustedApplicationRef self = NULL, other = NULL;
  EXPECT(CFEqual(*by_address[0], CFSTR("type")) && CFEqual(*by_address[2], CFSTR("vwht")));
  DO(SecTrustedApplicationCreateFromPath(NULL, &self));
  DO(SecTrustedApplicationCreateFromPath("/Applications/Mail.app", &other));
  EXPECT(CFGetTypeID(self) == SecTrustedApplicationGetTypeID());
  const void *values[] = {self, other};
  CFArrayRef programs = CFArrayCreate(NULL, values, 2, &kCFTypeArrayCallBacks);
  CFArrayRef none = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
  CFArrayRef texts = CFArrayCreate(NULL, (const void *[]){CFSTR("text")}, 1, &kCFTypeArrayCallBacks);
  SecAccessRef own = NULL, named = NULL, asking = NULL;
  DO(SecAccessCreate(CFSTR("list"), NULL, &own));
  DO(SecAccessCreate(CFSTR("list"), programs, &named));
  DO(SecAccessCreate(CFSTR("list"), none, &asking));
  EXPECT(CFGetTypeID(named) == SecAccessGetTypeID());
  EXPECT(SecAccessCreate(NULL, NULL, &own) == errSecParam);
  EXPECT(SecAccessCreate(CFSTR("list"), texts, &own) == errSecParam);

  SecKeychainRef keychain = NULL;
  EXPECT(SecKeychainCreate(path, 8, "password", FALSE, asking, &keychain) == errSecUnimplemented);
  DO(SecKeychainCreate(path, 8, "password", FALSE, named, &keychain));
  SecKeychainItemRef shy = NULL, copy = NULL;
  DO(SecKeychainItemCreateFromContent(
      kSecGenericPasswordItemClass, NULL, 1, "x", keychain, asking, &shy));
  UInt32 count = 7;
  void *bytes = NULL;
  EXPECT(SecKeychainItemCopyContent(shy, NULL, NULL, &count, &bytes) == errSecInteractionNotAllowed);
  EXPECT(SecKeychainItemCopyAttributesAndData(shy, NULL, NULL, NULL, &count, &bytes) == errSecInteractionNotAllowed);
  EXPECT(SecKeychainFindGenericPassword(
      keychain, 0, NULL, 0, NULL, &count, &bytes, &copy) == errSecInteractionNotAllowed);
  EXPECT(count == 7 && bytes == NULL && copy == NULL);
  DO(SecKeychainItemCopyContent(shy, NULL, NULL, NULL, NULL));
  DO(SecKeychainFindGenericPassword(keychain, 0, NULL, 0, NULL, NULL, NULL, &copy));
  CFRelease(copy);
  DO(SecKeychainItemDelete(shy));
  CFRelease(shy);
  DO(SecKeychainItemCreateFromContent(
      kSecGenericPasswordItemClass, NULL, 1, "x", keychain, own, &shy));
  /* A copy may get a list of its own. */
  snprintf(path, sizeof path, "%s/access-copies.vault", folder);
  SecKeychainRef second = NULL;
  DO(SecKeychainCreate(path, 8, "password", FALSE, NULL, &second));
  DO(SecKeychainItemCreateCopy(shy, second, asking, &copy));
  EXPECT(SecKeychainItemCopyContent(copy, NULL, NULL, &count, &bytes) == errSecInteractionNotAllowed);
  CFRelease(shy);
  CFRelease(copy);
  CFRelease(second);

  const void *keys[] = {kSecClass, kSecUseKeychain, kSecAttrService, kSecAttrAccess};
  const void *attributes[] = {kSecClassGenericPassword, keychain, CFSTR("listed"), asking};
  CFDictionaryRef item = CFDictionaryCreate(
      NULL, keys, attributes, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  DO(SecItemAdd(item, NULL));
  const void *asked[] = {kSecClass, kSecUseKeychain, kSecAttrService, kSecReturnData};
  const void *wanted[] = {kSecClassGenericPassword, keychain, CFSTR("listed"), kCFBooleanTrue};
  CFDictionaryRef query = CFDictionaryCreate(
      NULL, asked, wanted, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFTypeRef result = NULL;
  EXPECT(SecItemCopyMatching(query, &result) == errSecInteractionNotAllowed && result == NULL);
  DO(SecItemDelete(item));
  CFRelease(query);
  CFRelease(item);
  attributes[3] = named;
  item = CFDictionaryCreate(
      NULL, keys, attributes, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  DO(SecItemAdd(item, NULL));
  const CFTypeRef owned[] = {
      item, own, named, asking, programs, none, texts, self, other, keychain};
  for (size_t index = 0; index < sizeof owned / sizeof *owned; index += 1) CFRelease(owned[index]);
}

static void items(const char *folder) {
  char path[600];
  snprintf(path, sizeof path, "%s/second.vault", folder);
  SecKeychainRef second = NULL, found = NULL;
  DO(SecKeychainCreate(path, 8, "password", FALSE, NULL, &second));
  DO(SecKeychainAddCallback(note, kSecEveryEventMask, &seen));
  EXPECT(SecKeychainAddCallback(note, kSecEveryEventMask, NULL) == errSecDuplicateCallback);
  DO(SecKeychainAddCallback(other, kSecAddEventMask, NULL));
  DO(SecKeychainRemoveCallback(other));
  EXPECT(SecKeychainRemoveCallback(other) == errSecInvalidCallback);

  char service[] = "svc", labelled[] = "My label", generic[] = "\x01\x00\x02";
  UInt32 creator = 0x6D696E65;
  SecKeychainAttribute values[] = {
    {kSecServiceItemAttr, 3, service}, {kSecAccountItemAttr, 3, service},
    {kSecLabelItemAttr, 8, labelled}, {kSecGenericItemAttr, 3, generic},
    {kSecCreatorItemAttr, 4, &creator},
  };
  SecKeychainAttributeList attributes = {5, values};
  SecKeychainItemRef item = NULL, copy = NULL, again = NULL;
  EXPECT(SecKeychainItemCreateFromContent(5, &attributes, 1, "x", second, NULL, &item) == errSecNoSuchClass);
  EXPECT(SecKeychainItemCreateFromContent(kSecInternetPasswordItemClass, &attributes, 1, "x", second, NULL, &item) == errSecNoSuchAttr);
  DO(SecKeychainItemCreateFromContent(kSecGenericPasswordItemClass, &attributes, 6, "secret", second, NULL, &item));
  EXPECT(has(item, kSecLabelItemAttr, labelled) && has(item, kSecServiceItemAttr, service));
  EXPECT(SecKeychainItemCreateFromContent(kSecGenericPasswordItemClass, &attributes, 6, "secret", second, NULL, NULL) == errSecDuplicateItem);
  EXPECT(events[kSecAddEvent] == 1 && seen != NULL && CFEqual(seen, item));
  CFRelease(seen);

  /* A list that claims too many attributes is not read. */
  attributes.count = 0xFFFFFFFF;
  EXPECT(SecKeychainItemModifyContent(item, &attributes, 0, NULL) == errSecParam);
  SecKeychainSearchRef search = NULL;
  EXPECT(SecKeychainSearchCreateFromAttributes(second, kSecGenericPasswordItemClass, &attributes, &search) == errSecParam);
  EXPECT(SecKeychainItemCopyContent(item, NULL, &attributes, NULL, NULL) == errSecParam);
  attributes.count = 1;
  /* A number that is too long has a wrong length, however long it is; a text is too large. */
  values[0] = (SecKeychainAttribute){kSecCreatorItemAttr, 0xFFFFFFFF, &creator};
  EXPECT(SecKeychainItemModifyContent(item, &attributes, 0, NULL) == errSecInvalidValue);
  values[0] = (SecKeychainAttribute){kSecLabelItemAttr, 0xFFFFFFFF, labelled};
  EXPECT(SecKeychainItemModifyContent(item, &attributes, 0, NULL) == errSecDataTooLarge);

  values[0] = (SecKeychainAttribute){kSecServerItemAttr, 3, service};
  EXPECT(SecKeychainItemModifyContent(item, &attributes, 0, NULL) == errSecNoSuchAttr);
  values[0] = (SecKeychainAttribute){kSecServiceItemAttr, 3, service};
  DO(SecKeychainSearchCreateFromAttributes(second, kSecGenericPasswordItemClass, &attributes, &search));
  EXPECT(CFGetTypeID(search) == SecKeychainSearchGetTypeID());
  DO(SecKeychainSearchCopyNext(search, &again));
  EXPECT(CFEqual(again, item));
  CFRelease(again);
  EXPECT(SecKeychainSearchCopyNext(search, &again) == errSecItemNotFound);
  CFRelease(search);
  SecItemClass class = 0;
  DO(SecKeychainItemCopyContent(item, &class, NULL, NULL, NULL));
  EXPECT(class == kSecGenericPasswordItemClass);

  /* Neither class is an answer to a question for the other. */
  UInt32 length = 0;
  void *data = NULL;
  EXPECT(SecKeychainFindInternetPassword(second, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, NULL, NULL, NULL) == errSecItemNotFound);
  DO(SecKeychainFindGenericPassword(second, 3, "svc", 3, "svc", &length, &data, NULL));
  EXPECT(length == 6 && memcmp(data, "secret", 6) == 0);
  SecKeychainItemFreeContent(NULL, data);
  DO(SecKeychainAddGenericPassword(second, 5, "other", 0, NULL, 1, "x", &again));
  EXPECT(has(again, kSecLabelItemAttr, "other"));
  DO(SecKeychainItemDelete(again));
  EXPECT(events[kSecDeleteEvent] == 1);
  CFRelease(seen);
  CFRelease(again);

  /* The copy in the default vault has the dates of the original. */
  DO(SecKeychainItemCreateCopy(item, NULL, NULL, &copy));
  CFRelease(seen);
  SecKeychainAttribute dates[] = {{kSecCreationDateItemAttr, 0, NULL}, {kSecModDateItemAttr, 0, NULL}};
  SecKeychainAttribute others[] = {{kSecCreationDateItemAttr, 0, NULL}, {kSecModDateItemAttr, 0, NULL}};
  SecKeychainAttributeList one = {2, dates}, two = {2, others};
  DO(SecKeychainItemCopyContent(item, NULL, &one, NULL, NULL));
  DO(SecKeychainItemCopyContent(copy, NULL, &two, &length, &data));
  EXPECT(memcmp(dates[0].data, others[0].data, 16) == 0 && memcmp(dates[1].data, others[1].data, 16) == 0);
  EXPECT(length == 6 && memcmp(data, "secret", 6) == 0);
  SecKeychainItemFreeContent(&one, NULL);
  SecKeychainItemFreeContent(&two, data);
  EXPECT(SecKeychainItemCreateCopy(item, NULL, NULL, NULL) == errSecDuplicateItem);
  DO(SecKeychainItemCopyKeychain(item, &found));
  EXPECT(CFEqual(found, second));
  CFRelease(found);
  DO(SecKeychainItemDelete(copy));
  CFRelease(copy);

  /* A persistent reference survives a new name. */
  CFDataRef reference = NULL;
  DO(SecKeychainItemCreatePersistentReference(item, &reference));
  EXPECT(CFDataGetLength(reference) == 20);
  values[0] = (SecKeychainAttribute){kSecServiceItemAttr, 4, "svc2"};
  DO(SecKeychainItemModifyAttributesAndData(item, &attributes, 0, NULL));
  EXPECT(events[kSecUpdateEvent] == 1);
  DO(SecKeychainItemCopyFromPersistentReference(reference, &again));
  EXPECT(has(again, kSecServiceItemAttr, "svc2"));
  CFRelease(again);
  CFDataRef wrong = CFDataCreate(NULL, (const UInt8 *)"genp", 4);
  EXPECT(SecKeychainItemCopyFromPersistentReference(wrong, &again) == errSecInvalidItemRef);
  CFRelease(wrong);
  CFRelease(reference);

  DO(SecKeychainRemoveCallback(note));
  /* A keychain that is deleted leaves the search list, and the others are still searched. */
  SecKeychainRef remaining = NULL;
  CFArrayRef before = NULL, after = NULL;
  DO(SecKeychainCopyDefault(&remaining));
  DO(SecKeychainCopySearchList(&before));
  const void *both[] = {second, remaining};
  CFArrayRef list = CFArrayCreate(NULL, both, 2, &kCFTypeArrayCallBacks);
  DO(SecKeychainSetSearchList(list));
  CFArrayRef array = CFArrayCreate(NULL, both, 1, &kCFTypeArrayCallBacks);
  DO(SecKeychainDelete(array));
  DO(SecKeychainCopySearchList(&after));
  EXPECT(CFArrayGetCount(after) == 1 && CFEqual(CFArrayGetValueAtIndex(after, 0), remaining));
  EXPECT(SecKeychainFindGenericPassword(NULL, 4, "none", 0, NULL, NULL, NULL, NULL) == errSecItemNotFound);
  DO(SecKeychainSetSearchList(before));
  CFRelease(after);
  CFRelease(before);
  CFRelease(list);
  CFRelease(remaining);
  CFRelease(array);
  EXPECT(access(path, F_OK) != 0);
  EXPECT(SecKeychainItemCopyContent(item, NULL, NULL, NULL, NULL) == errSecInvalidKeychain);
  CFRelease(item);
  CFRelease(second);
}

/* Makes a dictionary of keys and values, ended by NULL. */
static CFMutableDictionaryRef dictionary(const void *key, ...) {
  CFMutableDictionaryRef made = CFDictionaryCreateMutable(
      NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  va_list arguments;
  va_start(arguments, key);
  for (; key != NULL; key = va_arg(arguments, const void *)) {
    CFDictionarySetValue(made, key, va_arg(arguments, const void *));
  }
  va_end(arguments);
  return made;
}

/* By SecItem, in the default vault. */
static void dictionaries(void) {
  CFDataRef secret = CFDataCreate(NULL, (const UInt8 *)"s3cret", 6);
  CFDataRef changed = CFDataCreate(NULL, (const UInt8 *)"changed", 7);
  CFTypeRef result = NULL, reference = NULL, persistent = NULL;
  CFMutableDictionaryRef item = dictionary(
      kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("api"), kSecAttrAccount,
      CFSTR("ann"), kSecAttrComment, CFSTR("Gr\xC3\xBC\xC3\x9F""e"), kSecValueData, secret,
      kSecReturnRef, kCFBooleanTrue, NULL);
  DO(SecItemAdd(item, &reference));
  EXPECT(CFGetTypeID(reference) == SecKeychainItemGetTypeID());
  EXPECT(SecItemAdd(item, NULL) == errSecDuplicateItem);

  CFMutableDictionaryRef query = dictionary(
      kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("api"), NULL);
  DO(SecItemCopyMatching(query, NULL));
  CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
  DO(SecItemCopyMatching(query, NULL));
  DO(SecItemCopyMatching(query, &result));
  EXPECT(CFEqual(result, secret));
  CFRelease(result);
  CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
  CFDictionarySetValue(query, kSecReturnPersistentRef, kCFBooleanTrue);
  CFDictionarySetValue(query, kSecMatchLimit, kSecMatchLimitAll);
  DO(SecItemCopyMatching(query, &result));
  EXPECT(CFArrayGetCount(result) == 1);
  CFDictionaryRef found = CFArrayGetValueAtIndex(result, 0);
  EXPECT(CFEqual(CFDictionaryGetValue(found, kSecAttrAccount), CFSTR("ann")));
  EXPECT(CFEqual(CFDictionaryGetValue(found, kSecAttrComment), CFSTR("Gr\xC3\xBC\xC3\x9F""e")));
  EXPECT(CFEqual(CFDictionaryGetValue(found, kSecValueData), secret));
  CFNumberRef flag = CFDictionaryGetValue(found, kSecAttrSynchronizable);
  EXPECT(CFNumberGetType(flag) == kCFNumberSInt32Type);
  CFDateRef created = CFDictionaryGetValue(found, kSecAttrCreationDate);
  EXPECT(CFGetTypeID(created) == CFDateGetTypeID());
  EXPECT(CFAbsoluteTimeGetCurrent() - CFDateGetAbsoluteTime(created) < 3600);
  persistent = CFRetain(CFDictionaryGetValue(found, kSecValuePersistentRef));
  CFRelease(result);
  CFRelease(query);

  /* The reference is one for both interfaces. */
  EXPECT(has((SecKeychainItemRef)(uintptr_t)reference, kSecServiceItemAttr, "api"));
  CFDataRef other = NULL;
  DO(SecKeychainItemCreatePersistentReference((SecKeychainItemRef)(uintptr_t)reference, &other));
  EXPECT(CFEqual(other, persistent));
  CFRelease(other);

  query = dictionary(kSecClass, kSecClassGenericPassword, kSecValuePersistentRef, persistent, NULL);
  CFMutableDictionaryRef changes = dictionary(
      kSecAttrService, CFSTR("api2"), kSecValueData, changed, NULL);
  DO(SecItemUpdate(query, changes));
  CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
  DO(SecItemCopyMatching(query, &result));
  EXPECT(CFEqual(result, changed));
  CFRelease(result);
  CFDictionaryRemoveValue(query, kSecReturnData);

  /* What no dictionary may have. */
  CFMutableDictionaryRef wrong = CFDictionaryCreateMutableCopy(NULL, 0, query);
  CFDictionarySetValue(wrong, CFSTR("unknown"), kCFBooleanTrue);
  EXPECT(SecItemCopyMatching(wrong, NULL) == errSecParam);
  CFDictionaryRemoveValue(wrong, CFSTR("unknown"));
  CFDictionarySetValue(wrong, secret, kCFBooleanTrue);
  EXPECT(SecItemDelete(wrong) == errSecParam);
  CFRelease(wrong);
  wrong = dictionary(kSecClass, kSecClassInternetPassword, kSecAttrService, CFSTR("x"), NULL);
  EXPECT(SecItemDelete(wrong) == errSecNoSuchAttr);
  CFDictionarySetValue(wrong, kSecClass, kSecClassKey);
  EXPECT(SecItemDelete(wrong) == errSecNoSuchClass);
  CFDictionarySetValue(wrong, kSecClass, wrong);
  EXPECT(SecItemDelete(wrong) == errSecParam);
  CFDictionaryRemoveValue(wrong, kSecClass);
  CFRelease(wrong);

  DO(SecItemDelete(query));
  EXPECT(SecItemDelete(query) == errSecItemNotFound);
  EXPECT(SecItemUpdate(query, changes) == errSecItemNotFound);
  CFRelease(persistent);
  CFRelease(reference);
  CFRelease(changes);
  CFRelease(query);
  CFRelease(item);
  CFRelease(changed);
  CFRelease(secret);

  CFStringRef message = SecCopyErrorMessageString(errSecItemNotFound, NULL);
  EXPECT(CFStringGetLength(message) > 0 && SecCopyErrorMessageString(1, NULL) == NULL);
  CFRelease(message);
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  vaults(arguments[1]);
  items(arguments[1]);
  dictionaries();
  access_lists(arguments[1]);
  unlocked(arguments[1]);
  return 0;
}
