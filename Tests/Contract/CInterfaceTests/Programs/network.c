/*
 * Logs in as Apple's guide to CFNetwork describes it, by Apple's names alone: finds an authentication
 * and whether it is valid, finds credentials in memory or in the keychain, or asks for them, applies
 * them to the request, and saves them. The server and the user are functions here.
 */
#include <CFNetwork/CFNetwork.h>
#include <Security/Security.h>
#include <vault.h>

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99); \
    } \
  } while (0)

static CFHTTPMessageRef request;
static CFHTTPAuthenticationRef authentication;
static CFMutableDictionaryRef credentials, credentialsDict;
static CFMutableArrayRef authArray;
static CFReadStreamRef readStream;
/* What the user types, and how often. */
static const char *typed;
static int questions, status;

static int holds(CFStringRef string, const char *text) {
  CFStringRef expected = CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
  const int is = string != NULL && CFEqual(string, expected);
  CFRelease(expected);
  if (string != NULL) CFRelease(string);
  return is;
}

/* The server: ann's password is "right", in base64 as Basic has both. */
static void loadRequest(void) {
  static const char page[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\npage";
  static const char question[] =
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nwww-authenticate: Basic\r\n"
      " realm=\"Team Files\"\r\n\r\nno";
  CFStringRef field = CFHTTPMessageCopyHeaderFieldValue(request, CFSTR("authorization"));
  const char *bytes = holds(field, "Basic YW5uOnJpZ2h0") ? page : question;
  CFHTTPMessageRef response = CFHTTPMessageCreateEmpty(NULL, FALSE);
  /* In pieces, as they come. */
  EXPECT(CFHTTPMessageAppendBytes(response, (const UInt8 *)bytes, 20));
  EXPECT(!CFHTTPMessageIsHeaderComplete(response));
  EXPECT(CFHTTPMessageGetResponseStatusCode(response) == 0);
  EXPECT(CFHTTPMessageAppendBytes(response, (const UInt8 *)bytes + 20, (CFIndex)strlen(bytes) - 20));
  EXPECT(CFHTTPMessageIsHeaderComplete(response) && !CFHTTPMessageIsRequest(response));
  status = (int)CFHTTPMessageGetResponseStatusCode(response);
  if (readStream != NULL) CFRelease(readStream);
  readStream = VaultReadStreamCreateForHTTPRequest(NULL, request, response);
  EXPECT(readStream != NULL);
  CFRelease(response);
}

/* A credential of the keychain, or one that the user types. */
static CFMutableDictionaryRef copyCredentials(int isKeychainGood) {
  CFURLRef url = CFHTTPMessageCopyRequestURL(request);
  CFStringRef hostName = CFURLCopyHostName(url);
  CFStringRef realmName = CFHTTPAuthenticationCopyRealm(authentication);
  char host[64], realm[64];
  EXPECT(CFStringGetCString(hostName, host, sizeof host, kCFStringEncodingUTF8));
  EXPECT(CFStringGetCString(realmName, realm, sizeof realm, kCFStringEncodingUTF8));
  EXPECT(holds(CFURLCopyScheme(url), "http") && holds(CFURLCopyPath(url), "/team/page"));
  const UInt16 port = (UInt16)CFURLGetPortNumber(url);
  EXPECT(port == 8080);
  SecKeychainItemRef item = NULL;
  OSStatus err = SecKeychainFindInternetPassword(
      NULL, (UInt32)strlen(host), host, (UInt32)strlen(realm), realm, 0, NULL, 0, NULL, port,
      kSecProtocolTypeHTTP, kSecAuthenticationTypeDefault, 0, NULL, &item);
  CFMutableDictionaryRef found = CFDictionaryCreateMutable(
      NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  if (err == noErr && isKeychainGood) {
    SecKeychainAttribute attribute = {kSecAccountItemAttr, 0, NULL};
    SecKeychainAttributeList list = {1, &attribute};
    UInt32 length = 0;
    void *data = NULL;
    EXPECT(SecKeychainItemCopyContent(item, NULL, &list, &length, &data) == noErr);
    CFStringRef user = CFStringCreateWithBytes(
        NULL, attribute.data, (CFIndex)attribute.length, kCFStringEncodingUTF8, FALSE);
    CFStringRef password =
        CFStringCreateWithBytes(NULL, data, (CFIndex)length, kCFStringEncodingUTF8, FALSE);
    CFDictionarySetValue(found, kCFHTTPAuthenticationUsername, user);
    CFDictionarySetValue(found, kCFHTTPAuthenticationPassword, password);
    CFRelease(user);
    CFRelease(password);
    SecKeychainItemFreeContent(&list, data);
  } else {
    questions += 1;
    CFStringRef password = CFStringCreateWithCString(NULL, typed, kCFStringEncodingUTF8);
    CFDictionarySetValue(found, kCFHTTPAuthenticationUsername, CFSTR("ann"));
    CFDictionarySetValue(found, kCFHTTPAuthenticationPassword, password);
    CFRelease(password);
    const UInt32 count = (UInt32)strlen(typed);
    err = err == noErr ? SecKeychainItemModifyContent(item, NULL, count, typed)
                       : SecKeychainAddInternetPassword(
                             NULL, (UInt32)strlen(host), host, (UInt32)strlen(realm), realm, 3,
                             "ann", 0, NULL, port, kSecProtocolTypeHTTP,
                             kSecAuthenticationTypeDefault, count, typed, &item);
    EXPECT(err == noErr);
  }
  if (item != NULL) CFRelease(item);
  CFRelease(realmName);
  CFRelease(hostName);
  CFRelease(url);
  return found;
}

/* One step after a 401: false if the authentication and its credentials turned out to be bad. */
static int handleChallenge(int isKeychainGood) {
  if (authentication == NULL) {
    CFHTTPMessageRef header =
        (CFHTTPMessageRef)CFReadStreamCopyProperty(readStream, kCFStreamPropertyHTTPResponseHeader);
    authentication = CFHTTPAuthenticationCreateFromResponse(NULL, header);
    CFRelease(header);
  }
  EXPECT(authentication != NULL);
  CFStreamError err = {0, 0};
  if (!CFHTTPAuthenticationIsValid(authentication, &err)) {
    EXPECT(err.domain == kCFStreamErrorDomainHTTP);
    EXPECT(err.error == kCFStreamErrorHTTPAuthenticationBadPassword);
    CFRelease(credentials);
    CFRelease(authentication);
    credentials = NULL;
    authentication = NULL;
    return 0;
  }
  if (credentials == NULL && CFHTTPAuthenticationRequiresUserNameAndPassword(authentication)) {
    EXPECT(!CFHTTPAuthenticationRequiresAccountDomain(authentication));
    credentials = copyCredentials(isKeychainGood);
  }
  EXPECT(CFHTTPMessageApplyCredentialDictionary(request, authentication, credentials, NULL));
  loadRequest();
  return 1;
}

static CFHTTPAuthenticationRef findAuthentication(CFHTTPMessageRef message) {
  const CFIndex count = CFArrayGetCount(authArray);
  for (CFIndex index = 0; index < count; index += 1) {
    CFHTTPAuthenticationRef found =
        (CFHTTPAuthenticationRef)(uintptr_t)CFArrayGetValueAtIndex(authArray, index);
    if (CFHTTPAuthenticationAppliesToRequest(found, message)) return found;
  }
  return NULL;
}

static CFHTTPMessageRef requestOf(CFStringRef text) {
  CFURLRef url = CFURLCreateWithString(NULL, text, NULL);
  EXPECT(url != NULL && CFGetTypeID(url) == CFURLGetTypeID());
  CFHTTPMessageRef message = CFHTTPMessageCreateRequest(NULL, CFSTR("GET"), url, kCFHTTPVersion1_1);
  EXPECT(CFGetTypeID(message) == CFHTTPMessageGetTypeID() && CFHTTPMessageIsRequest(message));
  EXPECT(holds(CFHTTPMessageCopyRequestMethod(message), "GET"));
  CFRelease(url);
  return message;
}

static void logIn(void) {
  request = requestOf(CFSTR("http://127.0.0.1:8080/team/page?first"));
  loadRequest();
  EXPECT(status == 401 && handleChallenge(1) && status == 401);
  /* The password was wrong: the user is asked once more. */
  typed = "right";
  EXPECT(!handleChallenge(0) && handleChallenge(0) && status == 200 && questions == 2);

  /* In memory, for the next request to that folder, and for no other. */
  authArray = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
  credentialsDict = CFDictionaryCreateMutable(
      NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  CFArrayAppendValue(authArray, authentication);
  CFDictionarySetValue(credentialsDict, authentication, credentials);
  CFRelease(credentials);
  CFHTTPMessageRef second = requestOf(CFSTR("http://127.0.0.1:8080/team/other"));
  CFHTTPMessageRef third = requestOf(CFSTR("http://127.0.0.1:8080/elsewhere/page"));
  EXPECT(findAuthentication(second) == authentication && findAuthentication(third) == NULL);
  CFDictionaryRef kept = CFDictionaryGetValue(credentialsDict, authentication);
  EXPECT(CFHTTPMessageApplyCredentials(
      second, authentication, CFDictionaryGetValue(kept, kCFHTTPAuthenticationUsername),
      CFDictionaryGetValue(kept, kCFHTTPAuthenticationPassword), NULL));
  EXPECT(holds(
      CFHTTPMessageCopyHeaderFieldValue(second, CFSTR("Authorization")), "Basic YW5uOnJpZ2h0"));
  CFHTTPMessageSetHeaderFieldValue(second, CFSTR("Authorization"), NULL);
  EXPECT(CFHTTPMessageCopyHeaderFieldValue(second, CFSTR("Authorization")) == NULL);
  CFHTTPMessageSetHeaderFieldValue(second, CFSTR("Accept"), CFSTR("text/plain"));
  EXPECT(holds(CFHTTPMessageCopyHeaderFieldValue(second, CFSTR("accept")), "text/plain"));
  CFRelease(second);
  CFRelease(third);
  CFRelease(authArray);
  CFRelease(credentialsDict);

  /* The next program finds them in the keychain. */
  CFRelease(authentication);
  authentication = NULL;
  credentials = NULL;
  CFRelease(request);
  request = requestOf(CFSTR("http://127.0.0.1:8080/team/page"));
  loadRequest();
  EXPECT(status == 401 && handleChallenge(1) && status == 200 && questions == 2);
}

static void describeThem(void) {
  EXPECT(CFGetTypeID(authentication) == CFHTTPAuthenticationGetTypeID());
  EXPECT(holds(CFHTTPAuthenticationCopyMethod(authentication), "Basic"));
  EXPECT(!CFHTTPAuthenticationRequiresOrderedRequests(authentication));
  CFArrayRef domains = CFHTTPAuthenticationCopyDomains(authentication);
  EXPECT(CFArrayGetCount(domains) == 1);
  EXPECT(holds(CFURLCopyPath(CFArrayGetValueAtIndex(domains, 0)), "/team/"));
  CFRelease(domains);
  CFStreamError err = {0, 0};
  EXPECT(!CFHTTPMessageApplyCredentials(request, authentication, CFSTR("a:b"), CFSTR("x"), &err));
  EXPECT(err.error == kCFStreamErrorHTTPAuthenticationBadUserName);

  /* A response of no request, and a scheme that nobody answers. */
  CFHTTPMessageRef response = CFHTTPMessageCreateResponse(NULL, 401, NULL, kCFHTTPVersion1_1);
  EXPECT(CFHTTPAuthenticationCreateFromResponse(NULL, response) == NULL);
  CFHTTPMessageSetHeaderFieldValue(response, CFSTR("WWW-Authenticate"), CFSTR("NTLM"));
  CFReadStreamRef stream = VaultReadStreamCreateForHTTPRequest(NULL, request, response);
  EXPECT(CFReadStreamCopyProperty(stream, CFSTR("another")) == NULL);
  CFHTTPMessageRef header =
      (CFHTTPMessageRef)CFReadStreamCopyProperty(stream, kCFStreamPropertyHTTPResponseHeader);
  CFHTTPAuthenticationRef ntlm = CFHTTPAuthenticationCreateFromResponse(NULL, header);
  EXPECT(!CFHTTPAuthenticationIsValid(ntlm, &err));
  EXPECT(err.error == kCFStreamErrorHTTPAuthenticationTypeUnsupported);
  EXPECT(CFHTTPAuthenticationRequiresAccountDomain(ntlm));
  EXPECT(holds(CFHTTPAuthenticationCopyMethod(ntlm), "NTLM"));
  CFRelease(ntlm);
  CFRelease(header);
  CFRelease(stream);
  CFRelease(response);
  response = CFHTTPMessageCreateEmpty(NULL, FALSE);
  EXPECT(!CFHTTPMessageAppendBytes(response, (const UInt8 *)"no response\n\n", 13));
  CFRelease(response);
  EXPECT(CFHTTPMessageCreateEmpty(NULL, TRUE) == NULL);
  EXPECT(CFURLCreateWithString(NULL, CFSTR("ftp://127.0.0.1/"), NULL) == NULL);
}

/* "Authenticating Firewalls": a 407 is the proxy's, whose field stands beside the server's. */
static void passFirewall(void) {
  CFHTTPMessageRef message = requestOf(CFSTR("http://127.0.0.1:8080/team/page?q=1"));
  CFHTTPMessageRef response =
      CFHTTPMessageCreateResponse(NULL, 407, CFSTR("Proxy Authentication Required"), kCFHTTPVersion1_1);
  CFHTTPMessageSetHeaderFieldValue(response, CFSTR("Proxy-Authenticate"), CFSTR("Basic realm=\"Wall\""));
  EXPECT(CFHTTPAuthenticationCreateFromResponse(NULL, response) == NULL);
  CFReadStreamRef stream = VaultReadStreamCreateForHTTPRequest(NULL, message, response);
  CFHTTPMessageRef header =
      (CFHTTPMessageRef)CFReadStreamCopyProperty(stream, kCFStreamPropertyHTTPResponseHeader);
  CFHTTPAuthenticationRef wall = CFHTTPAuthenticationCreateFromResponse(NULL, header);
  EXPECT(wall != NULL && CFHTTPAuthenticationIsValid(wall, NULL));
  EXPECT(holds(CFHTTPAuthenticationCopyRealm(wall), "Wall"));
  EXPECT(CFHTTPAuthenticationAppliesToRequest(wall, message));
  EXPECT(CFHTTPMessageApplyCredentials(message, wall, CFSTR("bob"), CFSTR("wall"), NULL));
  EXPECT(CFHTTPMessageApplyCredentials(message, authentication, CFSTR("ann"), CFSTR("right"), NULL));
  EXPECT(holds(CFHTTPMessageCopyHeaderFieldValue(message, CFSTR("proxy-authorization")), "Basic Ym9iOndhbGw="));
  EXPECT(holds(CFHTTPMessageCopyHeaderFieldValue(message, CFSTR("Authorization")), "Basic YW5uOnJpZ2h0"));

  /* The message as it is sent. */
  CFDataRef body = CFDataCreate(NULL, (const UInt8 *)"body", 4);
  CFHTTPMessageSetHeaderFieldValue(message, CFSTR("Content-Length"), CFSTR("4"));
  CFHTTPMessageSetBody(message, body);
  CFDataRef copy = CFHTTPMessageCopyBody(message);
  EXPECT(CFEqual(copy, body));
  CFRelease(copy);
  CFRelease(body);
  CFDataRef sent = CFHTTPMessageCopySerializedMessage(message);
  CFStringRef text = CFStringCreateFromExternalRepresentation(NULL, sent, kCFStringEncodingUTF8);
  EXPECT(holds(text,
      "GET /team/page?q=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 4\r\n"
      "Proxy-Authorization: Basic Ym9iOndhbGw=\r\nAuthorization: Basic YW5uOnJpZ2h0\r\n\r\nbody"));
  CFRelease(sent);
  CFDictionaryRef fields = CFHTTPMessageCopyAllHeaderFields(message);
  EXPECT(CFDictionaryGetCount(fields) == 3);
  EXPECT(CFEqual(CFDictionaryGetValue(fields, CFSTR("Content-Length")), CFSTR("4")));
  EXPECT(CFEqual(CFDictionaryGetValue(fields, CFSTR("Authorization")), CFSTR("Basic YW5uOnJpZ2h0")));
  CFRelease(fields);
  CFHTTPMessageSetBody(message, NULL);
  EXPECT(CFHTTPMessageCopyBody(message) == NULL);
  /* No text begins another line. */
  CFHTTPMessageSetHeaderFieldValue(message, CFSTR("Accept"), CFSTR("a\r\nB: c"));
  EXPECT(CFHTTPMessageCopySerializedMessage(message) == NULL);
  CFHTTPMessageSetHeaderFieldValue(message, CFSTR("Accept"), NULL);
  CFDataRef answer = CFHTTPMessageCopySerializedMessage(response);
  text = CFStringCreateFromExternalRepresentation(NULL, answer, kCFStringEncodingUTF8);
  EXPECT(holds(text,
      "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"Wall\"\r\n\r\n"));
  CFRelease(answer);

  /* The same question again: the proxy refused the password. */
  CFReadStreamRef again = VaultReadStreamCreateForHTTPRequest(NULL, message, response);
  CFStreamError err = {0, 0};
  EXPECT(!CFHTTPAuthenticationIsValid(wall, &err));
  EXPECT(err.error == kCFStreamErrorHTTPAuthenticationBadPassword);
  EXPECT(CFHTTPAuthenticationIsValid(authentication, NULL));
  CFRelease(again);
  CFRelease(wall);
  CFRelease(header);
  CFRelease(stream);
  CFRelease(response);
  response = CFHTTPMessageCreateEmpty(NULL, FALSE);
  EXPECT(CFHTTPMessageCopySerializedMessage(response) == NULL);
  EXPECT(CFHTTPMessageCopyAllHeaderFields(response) == NULL);
  CFRelease(response);
  CFRelease(message);
}

int main(int count, char **arguments) {
  char path[512];
  EXPECT(count == 2);
  /* The vault is the only thing that Apple's names do not make here. */
  vault_t *vault = NULL;
  snprintf(path, sizeof path, "%s/network.vault", arguments[1]);
  EXPECT(setenv("VAULTCTL_VAULT", path, 1) == 0);
  EXPECT(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault) == VAULT_OK);
  typed = "wrong";
  logIn();
  describeThem();
  passFirewall();
  CFRelease(credentials);
  CFRelease(authentication);
  CFRelease(readStream);
  CFRelease(request);
  return vault_close(vault) == VAULT_OK ? 0 : 1;
}
