/*
 * A credential helper of Git over SecItem, in the way of the present ones for macOS.
 *
 *   git_item get|store|erase, with the description of a credential on the standard input
 */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <Security/Security.h>

#define ENCODING kCFStringEncodingUTF8
static CFStringRef protocol; /* a constant, not counted */
static CFStringRef host;
static CFNumberRef port;
static CFStringRef path;
static CFStringRef username;
static CFDataRef password;
static CFDataRef password_expiry_utc;

static void clear_credential(void) {
  CFTypeRef *all[] = {
    (CFTypeRef *)&host, (CFTypeRef *)&port, (CFTypeRef *)&path, (CFTypeRef *)&username,
    (CFTypeRef *)&password, (CFTypeRef *)&password_expiry_utc,
  };
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if (*all[i]) CFRelease(*all[i]);
    *all[i] = NULL;
  }
}

#define STRING_WITH_LENGTH(s) s, sizeof(s) - 1

__attribute__((format(printf, 1, 2), __noreturn__))
static void die(const char *err, ...) {
  char msg[4096];
  va_list params;
  va_start(params, err);
  vsnprintf(msg, sizeof(msg), err, params);
  fprintf(stderr, "%s\n", msg);
  va_end(params);
  clear_credential();
  exit(1);
}

static void *xmalloc(size_t len) {
  void *ret = malloc(len);
  if (!ret) die("Out of memory");
  return ret;
}

static CFDictionaryRef create_dictionary(CFAllocatorRef allocator, ...) {
  va_list args;
  const void *key;
  CFMutableDictionaryRef result;

  result = CFDictionaryCreateMutable(
      allocator, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);

  va_start(args, allocator);
  while ((key = va_arg(args, const void *)) != NULL) {
    const void *value;
    value = va_arg(args, const void *);
    if (value) CFDictionarySetValue(result, key, value);
  }
  va_end(args);
  return result;
}

#define CREATE_SEC_ATTRIBUTES(...) \
  create_dictionary( \
      kCFAllocatorDefault, kSecClass, kSecClassInternetPassword, kSecAttrServer, host, \
      kSecAttrAccount, username, kSecAttrPath, path, kSecAttrPort, port, kSecAttrProtocol, \
      protocol, kSecAttrAuthenticationType, kSecAttrAuthenticationTypeDefault, __VA_ARGS__)

static void write_item(const char *what, const char *buf, size_t len) {
  printf("%s=", what);
  fwrite(buf, 1, len, stdout);
  putchar('\n');
}

static void find_username_in_item(CFDictionaryRef item) {
  CFStringRef account_ref;
  char *username_buf;
  CFIndex buffer_len;

  account_ref = CFDictionaryGetValue(item, kSecAttrAccount);
  if (!account_ref) {
    write_item("username", "", 0);
    return;
  }
  username_buf = (char *)CFStringGetCStringPtr(account_ref, ENCODING);
  if (username_buf) {
    write_item("username", username_buf, strlen(username_buf));
    return;
  }
  buffer_len = CFStringGetMaximumSizeForEncoding(CFStringGetLength(account_ref), ENCODING) + 1;
  username_buf = xmalloc((size_t)buffer_len);
  if (CFStringGetCString(account_ref, username_buf, buffer_len, ENCODING)) {
    write_item("username", username_buf, strlen(username_buf));
  }
  free(username_buf);
}

static OSStatus find_internet_password(void) {
  CFDictionaryRef attrs;
  CFDictionaryRef item;
  CFDataRef data;
  OSStatus result;

  attrs = CREATE_SEC_ATTRIBUTES(
      kSecMatchLimit, kSecMatchLimitOne, kSecReturnAttributes, kCFBooleanTrue, kSecReturnData,
      kCFBooleanTrue, NULL);
  result = SecItemCopyMatching(attrs, (CFTypeRef *)&item);
  if (result) goto out;

  data = CFDictionaryGetValue(item, kSecValueData);
  write_item("password", (const char *)CFDataGetBytePtr(data), (size_t)CFDataGetLength(data));
  if (!username) find_username_in_item(item);
  CFRelease(item);

out:
  CFRelease(attrs);
  /* A helper that finds nothing says nothing. */
  return result == errSecItemNotFound ? errSecSuccess : result;
}

static OSStatus delete_ref(const void *itemRef) {
  CFArrayRef item_ref_list;
  CFDictionaryRef delete_query;
  OSStatus result;

  item_ref_list = CFArrayCreate(kCFAllocatorDefault, &itemRef, 1, &kCFTypeArrayCallBacks);
  delete_query = create_dictionary(
      kCFAllocatorDefault, kSecClass, kSecClassInternetPassword, kSecMatchItemList, item_ref_list,
      NULL);

  if (password) {
    /* Only an item with the same password is deleted. */
    CFIndex capacity;
    CFMutableDictionaryRef query;
    CFDataRef data;

    capacity = CFDictionaryGetCount(delete_query) + 1;
    query = CFDictionaryCreateMutableCopy(kCFAllocatorDefault, capacity, delete_query);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    result = SecItemCopyMatching(query, (CFTypeRef *)&data);
    if (!result) {
      if (CFEqual(data, password)) result = SecItemDelete(delete_query);
      CFRelease(data);
    }
    CFRelease(query);
  } else {
    result = SecItemDelete(delete_query);
  }
  CFRelease(delete_query);
  CFRelease(item_ref_list);
  return result;
}

static OSStatus delete_internet_password(void) {
  CFDictionaryRef attrs;
  CFArrayRef refs;
  OSStatus result;

  if (!protocol || !host) return -1;
  attrs = CREATE_SEC_ATTRIBUTES(
      kSecMatchLimit, kSecMatchLimitAll, kSecReturnRef, kCFBooleanTrue, NULL);
  result = SecItemCopyMatching(attrs, (CFTypeRef *)&refs);
  CFRelease(attrs);

  if (!result) {
    for (CFIndex i = 0; !result && i < CFArrayGetCount(refs); i++)
      result = delete_ref(CFArrayGetValueAtIndex(refs, i));
    CFRelease(refs);
  }
  return result == errSecItemNotFound ? errSecSuccess : result;
}

static OSStatus add_internet_password(void) {
  CFMutableDataRef data;
  CFDictionaryRef attrs;
  OSStatus result;

  if (!protocol || !host || !username || !password) return -1;
  data = CFDataCreateMutableCopy(kCFAllocatorDefault, 0, password);
  if (password_expiry_utc) {
    CFDataAppendBytes(data, (const UInt8 *)STRING_WITH_LENGTH("\npassword_expiry_utc="));
    CFDataAppendBytes(
        data, CFDataGetBytePtr(password_expiry_utc), CFDataGetLength(password_expiry_utc));
  }
  attrs = CREATE_SEC_ATTRIBUTES(kSecValueData, data, NULL);
  result = SecItemAdd(attrs, NULL);
  if (result == errSecDuplicateItem) {
    CFDictionaryRef query;
    query = CREATE_SEC_ATTRIBUTES(NULL);
    result = SecItemUpdate(query, attrs);
    CFRelease(query);
  }
  CFRelease(data);
  CFRelease(attrs);
  return result;
}

static void read_credential(void) {
  char *buf = NULL;
  size_t alloc = 0;
  ssize_t line_len;

  while ((line_len = getline(&buf, &alloc, stdin)) > 0) {
    char *v;

    if (!strcmp(buf, "\n")) break;
    buf[line_len - 1] = '\0';
    v = strchr(buf, '=');
    if (!v) die("bad input: %s", buf);
    *v++ = '\0';

    if (!strcmp(buf, "protocol")) {
      if (!strcmp(v, "imap")) protocol = kSecAttrProtocolIMAP;
      else if (!strcmp(v, "imaps")) protocol = kSecAttrProtocolIMAPS;
      else if (!strcmp(v, "ftp")) protocol = kSecAttrProtocolFTP;
      else if (!strcmp(v, "ftps")) protocol = kSecAttrProtocolFTPS;
      else if (!strcmp(v, "https")) protocol = kSecAttrProtocolHTTPS;
      else if (!strcmp(v, "http")) protocol = kSecAttrProtocolHTTP;
      else if (!strcmp(v, "smtp")) protocol = kSecAttrProtocolSMTP;
      else {
        clear_credential();
        exit(0);
      }
    } else if (!strcmp(buf, "host")) {
      char *colon = strchr(v, ':');
      if (colon) {
        UInt16 port_i;
        *colon++ = '\0';
        port_i = (UInt16)atoi(colon);
        port = CFNumberCreate(kCFAllocatorDefault, kCFNumberShortType, &port_i);
      }
      host = CFStringCreateWithCString(kCFAllocatorDefault, v, ENCODING);
    } else if (!strcmp(buf, "path")) {
      path = CFStringCreateWithCString(kCFAllocatorDefault, v, ENCODING);
    } else if (!strcmp(buf, "username")) {
      username = CFStringCreateWithCString(kCFAllocatorDefault, v, ENCODING);
    } else if (!strcmp(buf, "password")) {
      password = CFDataCreate(kCFAllocatorDefault, (UInt8 *)v, (CFIndex)strlen(v));
    } else if (!strcmp(buf, "password_expiry_utc")) {
      password_expiry_utc = CFDataCreate(kCFAllocatorDefault, (UInt8 *)v, (CFIndex)strlen(v));
    }
  }
  free(buf);
}

int main(int argc, const char **argv) {
  OSStatus result = 0;
  const char *usage = "usage: git_item <get|store|erase>";

  if (argc < 2 || !argv[1]) die("%s", usage);
  read_credential();
  if (!strcmp(argv[1], "get")) result = find_internet_password();
  else if (!strcmp(argv[1], "store")) result = add_internet_password();
  else if (!strcmp(argv[1], "erase")) result = delete_internet_password();
  if (result) die("failed to %s: %d", argv[1], (int)result);
  clear_credential();
  return 0;
}
