/* Certificates, trust and identities by Apple's names, over certificates that are made here. */
#include <Security/Security.h>

#include <vault_tls.h>

#include "certificates.h"

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, vault_last_error()); \
      exit(99); \
    } \
  } while (0)

#define DO(call) EXPECT((call) == errSecSuccess)
#define HOST "www.example.com"

static const char *folder;

static CFDataRef file(const char *name) {
  unsigned char bytes[8192];
  const size_t count = read_file(folder, name, bytes, sizeof bytes);
  EXPECT(count > 0);
  return CFDataCreate(NULL, bytes, (CFIndex)count);
}

static SecCertificateRef certificate(const char *name) {
  CFDataRef data = file(name);
  SecCertificateRef made = SecCertificateCreateWithData(NULL, data);
  EXPECT(made != NULL && CFGetTypeID(made) == SecCertificateGetTypeID());
  CFDataRef copy = SecCertificateCopyData(made);
  EXPECT(CFEqual(copy, data));
  CFRelease(copy);
  CFRelease(data);
  return made;
}

static CFArrayRef array(const void *first) {
  return CFArrayCreate(NULL, &first, 1, &kCFTypeArrayCallBacks);
}

static int is(CFStringRef text, const char *expected) {
  const int same = text != NULL && strcmp(CFStringGetCStringPtr(text, kCFStringEncodingUTF8), expected) == 0;
  if (text != NULL) CFRelease(text);
  return same;
}

static void certificates(void) {
  SecCertificateRef leaf = certificate("leaf.cer"), again = certificate("leaf.cer"), root = certificate("root.cer");
  EXPECT(CFEqual(leaf, again) && CFHash(leaf) == CFHash(again) && !CFEqual(leaf, root));
  EXPECT(is(SecCertificateCopySubjectSummary(leaf), "leaf"));
  EXPECT(is(CFCopyTypeIDDescription(SecCertificateGetTypeID()), "SecCertificate"));
  CFDataRef text = CFDataCreate(NULL, (const UInt8 *)"text", 4);
  EXPECT(SecCertificateCreateWithData(NULL, text) == NULL);
  EXPECT(SecCertificateCreateWithData(NULL, (CFDataRef)CFSTR("text")) == NULL);
  EXPECT(SecCertificateCopyData((SecCertificateRef)(uintptr_t)CFSTR("text")) == NULL);
  CFRelease(text);
  CFRelease(root);
  CFRelease(again);
  CFRelease(leaf);
}

static SecTrustResultType result_of(SecTrustRef trust) {
  SecTrustResultType result = kSecTrustResultInvalid, known = kSecTrustResultProceed;
  DO(SecTrustEvaluate(trust, &result));
  DO(SecTrustGetTrustResult(trust, &known));
  EXPECT(known == result);
  return result;
}

/* Expects a reason for which a chain is not trusted; 0 if it is. */
static void expect_reason(SecTrustRef trust, CFIndex code) {
  CFErrorRef error = NULL;
  const bool is_trusted = SecTrustEvaluateWithError(trust, &error);
  EXPECT(is_trusted == (code == 0) && is_trusted == (error == NULL));
  EXPECT(SecTrustEvaluateWithError(trust, NULL) == is_trusted);
  if (error == NULL) return;
  EXPECT(CFGetTypeID(error) == CFErrorGetTypeID() && CFErrorGetCode(error) == code);
  EXPECT(CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus));
  CFStringRef text = CFErrorCopyDescription(error), message = SecCopyErrorMessageString((OSStatus)code, NULL);
  EXPECT(CFStringHasPrefix(text, CFSTR("not trusted: ")) && message != NULL);
  CFDictionaryRef info = CFErrorCopyUserInfo(error);
  EXPECT(CFEqual(CFDictionaryGetValue(info, kCFErrorLocalizedDescriptionKey), text));
  CFRelease(info);
  CFRelease(message);
  CFRelease(text);
  CFRelease(error);
}

static void set_policy(SecTrustRef trust, SecPolicyRef policy) {
  EXPECT(policy != NULL && CFGetTypeID(policy) == SecPolicyGetTypeID());
  DO(SecTrustSetPolicies(trust, policy));
  CFRelease(policy);
}

static void set_days(SecTrustRef trust, int days) {
  CFDateRef date = CFDateCreate(NULL, CFAbsoluteTimeGetCurrent() + days * 86400.0);
  DO(SecTrustSetVerifyDate(trust, date));
  CFRelease(date);
}

static void trust(void) {
  SecCertificateRef leaf = certificate("leaf.cer"), root = certificate("root.cer");
  CFArrayRef chain = array(leaf), anchors = array(root);
  SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR(HOST));
  SecTrustRef trust = NULL;
  EXPECT(SecPolicyCreateSSL(true, (CFStringRef)chain) == NULL);
  EXPECT(SecTrustCreateWithCertificates(CFSTR("leaf"), policy, &trust) == errSecParam);
  EXPECT(SecTrustCreateWithCertificates(chain, anchors, &trust) == errSecParam && trust == NULL);
  DO(SecTrustCreateWithCertificates(chain, policy, &trust));
  EXPECT(CFGetTypeID(trust) == SecTrustGetTypeID());
  CFRelease(policy);

  SecTrustResultType known = kSecTrustResultProceed;
  DO(SecTrustGetTrustResult(trust, &known));
  EXPECT(known == kSecTrustResultInvalid && SecTrustGetCertificateCount(trust) == 1);
  EXPECT(result_of(trust) == kSecTrustResultRecoverableTrustFailure);
  expect_reason(trust, errSecNotTrusted);
  EXPECT(SecTrustSetAnchorCertificates(trust, (CFArrayRef)CFSTR("root")) == errSecParam);
  DO(SecTrustSetAnchorCertificates(trust, anchors));
  DO(SecTrustGetTrustResult(trust, &known));
  EXPECT(known == kSecTrustResultInvalid);
  EXPECT(result_of(trust) == kSecTrustResultUnspecified);
  expect_reason(trust, 0);
  DO(SecTrustSetAnchorCertificatesOnly(trust, false));
  expect_reason(trust, 0);
  EXPECT(SecTrustGetCertificateCount(trust) == 2);
  CFArrayRef path = SecTrustCopyCertificateChain(trust);
  EXPECT(CFEqual(CFArrayGetValueAtIndex(path, 0), leaf) && CFEqual(CFArrayGetValueAtIndex(path, 1), root));
  CFRelease(path);
  /* One of them is lent by the trust, as the same object each time. */
  SecCertificateRef second = SecTrustGetCertificateAtIndex(trust, 1);
  EXPECT(CFEqual(second, root) && SecTrustGetCertificateAtIndex(trust, 1) == second);
  EXPECT(CFGetRetainCount(second) == 1 && CFEqual(SecTrustGetCertificateAtIndex(trust, 0), leaf));
  EXPECT(SecTrustGetCertificateAtIndex(trust, 2) == NULL && SecTrustGetCertificateAtIndex(trust, -1) == NULL);

  /* Nothing is fetched: what is not known is accepted, unless it has to be known. */
  set_policy(trust, SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod));
  expect_reason(trust, 0);
  set_policy(trust, SecPolicyCreateRevocation(
      kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse));
  EXPECT(result_of(trust) == kSecTrustResultRecoverableTrustFailure);
  expect_reason(trust, errSecIncompleteCertRevocationCheck);
  EXPECT(SecPolicyCreateRevocation(0) == NULL && SecPolicyCreateRevocation(32) == NULL);

  set_policy(trust, SecPolicyCreateSSL(true, CFSTR("www.example.org")));
  expect_reason(trust, errSecHostNameMismatch);
  set_policy(trust, SecPolicyCreateSSL(true, CFSTR(HOST)));
  set_days(trust, 40);
  expect_reason(trust, errSecCertificateExpired);
  set_days(trust, -2);
  expect_reason(trust, errSecCertificateNotValidYet);
  set_days(trust, 0);
  set_policy(trust, SecPolicyCreateSSL(false, NULL));
  expect_reason(trust, 0);
  DO(SecTrustSetAnchorCertificates(trust, NULL));
  set_policy(trust, SecPolicyCreateBasicX509());
  expect_reason(trust, errSecNotTrusted);
  EXPECT(SecTrustSetPolicies(trust, CFSTR("policy")) == errSecParam);
  EXPECT(SecTrustSetVerifyDate(trust, (CFDateRef)CFSTR("now")) == errSecParam);
  EXPECT(SecTrustEvaluate((SecTrustRef)leaf, &known) == errSecParam);

  CFRelease(trust);
  CFRelease(anchors);
  CFRelease(chain);
  CFRelease(root);
  CFRelease(leaf);
}

static CFDictionaryRef options(CFTypeRef passphrase) {
  const void *key = kSecImportExportPassphrase;
  return CFDictionaryCreate(
      NULL, &key, &passphrase, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

/* Imports the file with a passphrase, and expects a status. */
static CFArrayRef import(CFDataRef data, CFTypeRef passphrase, OSStatus status) {
  CFDictionaryRef words = options(passphrase);
  CFArrayRef items = NULL;
  EXPECT(SecPKCS12Import(data, words, &items) == status && (items == NULL) == (status != 0));
  CFRelease(words);
  return items;
}

static void identities(const char *home) {
  CFDataRef data = file("leaf.p12"), none = file("root.cer");
  (void)import(data, CFSTR("wrong"), errSecAuthFailed);
  (void)import(data, data, errSecParam);
  (void)import(NULL, CFSTR("secret"), errSecParam);
  CFArrayRef empty = import(none, CFSTR("secret"), errSecSuccess);
  EXPECT(CFArrayGetCount(empty) == 0);
  CFRelease(empty);
  CFArrayRef items = import(data, CFSTR("secret"), errSecSuccess);
  EXPECT(CFArrayGetCount(items) == 1);
  CFDictionaryRef entry = CFArrayGetValueAtIndex(items, 0);
  EXPECT(CFEqual(CFDictionaryGetValue(entry, kSecImportItemLabel), CFSTR("leaf")));
  EXPECT(CFDataGetLength(CFDictionaryGetValue(entry, kSecImportItemKeyID)) == 20);
  EXPECT(CFArrayGetCount(CFDictionaryGetValue(entry, kSecImportItemCertChain)) == 2);
  SecTrustRef trust = (SecTrustRef)(uintptr_t)CFDictionaryGetValue(entry, kSecImportItemTrust);
  EXPECT(result_of(trust) == kSecTrustResultRecoverableTrustFailure);
  SecIdentityRef identity =
      (SecIdentityRef)(uintptr_t)CFRetain(CFDictionaryGetValue(entry, kSecImportItemIdentity));
  EXPECT(CFGetTypeID(identity) == SecIdentityGetTypeID());
  CFRelease(items);
  SecCertificateRef leaf = certificate("leaf.cer"), own = NULL;
  DO(SecIdentityCopyCertificate(identity, &own));
  EXPECT(CFEqual(own, leaf));
  CFRelease(own);

  /* Preferred by the default vault, which has to have it. */
  char path[600];
  vault_t *vault = NULL;
  vault_item_t **stored = NULL;
  size_t count = 0;
  snprintf(path, sizeof path, "%s/own.vault", home);
  EXPECT(setenv("VAULTCTL_VAULT", path, 1) == 0);
  EXPECT(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault) == VAULT_OK);
  CFStringRef name = CFSTR("https://" HOST "/team/");
  EXPECT(SecIdentitySetPreferred(identity, name, NULL) == errSecItemNotFound);
  EXPECT(SecIdentityCopyPreferred(name, NULL, NULL) == NULL);
  EXPECT(
      vault_identity_import(
          vault, CFDataGetBytePtr(data), (size_t)CFDataGetLength(data), "secret", 6, NULL, 0,
          VAULT_PERSISTENCE_PERMANENT, &stored, &count) == VAULT_OK);
  vault_items_free(stored, count);
  DO(SecIdentitySetPreferred(identity, name, NULL));
  EXPECT(SecIdentitySetPreferred(identity, CFSTR("*.com"), NULL) == errSecParam);
  EXPECT(SecIdentitySetPreferred(identity, NULL, NULL) == errSecParam);
  SecIdentityRef found = SecIdentityCopyPreferred(CFSTR("https://" HOST "/team/a?b"), NULL, NULL);
  EXPECT(found != NULL);
  DO(SecIdentityCopyCertificate(found, &own));
  EXPECT(CFEqual(own, leaf));
  CFRelease(own);
  CFRelease(found);
  EXPECT(SecIdentityCopyPreferred(CFSTR("https://" HOST "/"), NULL, NULL) == NULL);
  DO(SecIdentitySetPreferred(NULL, name, NULL));
  DO(SecIdentitySetPreferred(NULL, name, NULL));
  EXPECT(SecIdentityCopyPreferred(name, NULL, NULL) == NULL);
  EXPECT(vault_close(vault) == VAULT_OK);
  CFRelease(identity);
  CFRelease(leaf);
  CFRelease(none);
  CFRelease(data);
}

/* ---- Keys ---- */

static CFDataRef bytes_of(const char *text) {
  return CFDataCreate(NULL, (const UInt8 *)text, (CFIndex)strlen(text));
}

/* Reads a key again from its data, by its own type and class. */
static SecKeyRef read_again(SecKeyRef key) {
  CFErrorRef error = NULL;
  CFDataRef data = SecKeyCopyExternalRepresentation(key, &error);
  CFDictionaryRef attributes = SecKeyCopyAttributes(key);
  EXPECT(data != NULL && attributes != NULL && error == NULL);
  SecKeyRef again = SecKeyCreateWithData(data, attributes, &error);
  EXPECT(again != NULL && error == NULL);
  EXPECT(CFEqual(again, key) && CFHash(again) == CFHash(key));
  /* The same bytes as another type of key. */
  const void *names[] = {kSecAttrKeyType, kSecAttrKeyClass};
  const void *values[] = {kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic};
  CFDictionaryRef other = CFDictionaryCreate(
      NULL, names, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
  EXPECT(SecKeyCreateWithData(data, other, &error) == NULL && CFErrorGetCode(error) == errSecParam);
  CFRelease(error);
  EXPECT(SecKeyCreateWithData(data, other, NULL) == NULL);
  CFRelease(other);
  CFRelease(attributes);
  CFRelease(data);
  return again;
}

static void keys(void) {
  CFDataRef file_data = file("leaf.p12"), message = bytes_of("a message"), other = bytes_of("another");
  const void *passphrase = CFSTR("secret"), *option = kSecImportExportPassphrase;
  CFDictionaryRef options = CFDictionaryCreate(
      NULL, &option, &passphrase, 1, &kCFTypeDictionaryKeyCallBacks,
      &kCFTypeDictionaryValueCallBacks);
  CFArrayRef items = NULL;
  DO(SecPKCS12Import(file_data, options, &items));
  SecIdentityRef identity = (SecIdentityRef)(uintptr_t)CFDictionaryGetValue(
      CFArrayGetValueAtIndex(items, 0), kSecImportItemIdentity);
  SecCertificateRef leaf = certificate("leaf.cer");
  SecKeyRef private_key = NULL, key = SecCertificateCopyKey(leaf);
  DO(SecIdentityCopyPrivateKey(identity, &private_key));
  EXPECT(CFGetTypeID(key) == SecKeyGetTypeID());
  EXPECT(is(CFCopyTypeIDDescription(SecKeyGetTypeID()), "SecKey"));

  /* One key, whether it is a certificate's, a chain's, an identity's, or was read. */
  SecKeyRef own = SecKeyCopyPublicKey(private_key), again = read_again(key);
  SecKeyRef private_again = read_again(private_key);
  SecTrustRef trust = NULL;
  DO(SecTrustCreateWithCertificates(leaf, NULL, &trust));
  SecKeyRef trusted = SecTrustCopyKey(trust), old_name = SecTrustCopyPublicKey(trust);
  EXPECT(CFEqual(own, key) && CFEqual(trusted, key) && CFEqual(old_name, key));
  EXPECT(!CFEqual(private_key, key));

  /* A signature, by a key of the curve P-256. */
  const SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
  EXPECT(SecKeyGetBlockSize(key) == 32);
  EXPECT(SecKeyIsAlgorithmSupported(private_key, kSecKeyOperationTypeSign, algorithm));
  EXPECT(!SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeSign, algorithm));
  EXPECT(SecKeyIsAlgorithmSupported(key, kSecKeyOperationTypeVerify, algorithm));
  CFErrorRef error = NULL;
  CFDataRef signature = SecKeyCreateSignature(private_again, algorithm, message, &error);
  EXPECT(signature != NULL && error == NULL);
  EXPECT(SecKeyVerifySignature(again, algorithm, message, signature, &error) && error == NULL);
  EXPECT(!SecKeyVerifySignature(key, algorithm, other, signature, &error));
  EXPECT(CFErrorGetCode(error) == errSecVerifyFailed);
  CFRelease(error);
  EXPECT(SecKeyCreateSignature(key, algorithm, message, &error) == NULL);
  EXPECT(CFErrorGetCode(error) == errSecParam);
  CFRelease(error);
  EXPECT(SecKeyCreateEncryptedData(key, kSecKeyAlgorithmRSAEncryptionPKCS1, message, NULL) == NULL);
  EXPECT(
      SecKeyCreateDecryptedData(private_key, kSecKeyAlgorithmRSAEncryptionPKCS1, message, NULL) ==
      NULL);
  EXPECT(SecCertificateCopyKey((SecCertificateRef)(uintptr_t)CFSTR("text")) == NULL);
  EXPECT(SecKeyGetBlockSize((SecKeyRef)(uintptr_t)CFSTR("text")) == 0);

  const void *all[] = {signature, old_name, trusted, trust, private_again, again, own, private_key, key,
                       leaf, items, options, other, message, file_data};
  for (size_t index = 0; index < sizeof all / sizeof *all; index++) CFRelease(all[index]);
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  char path[600];
  snprintf(path, sizeof path, "%s/certificates", arguments[1]);
  folder = path;
  EXPECT(make_certificates(folder, HOST));
  certificates();
  trust();
  identities(arguments[1]);
  keys();
  return 0;
}
