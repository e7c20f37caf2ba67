/* The arguments of a valid call: a vault with an item, and everything that belongs to them. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vault.h>
#include <vault_cfnetwork.h>
#include <vault_http.h>
#include <vault_seckey.h>
#include <vault_sectrust.h>
#include <vault_tls.h>

#include "certificates.h"

/* The texts of a world. */
#define TEXT "example.com"
#define TEXT_COUNT (sizeof TEXT - 1)
#define URL "https://example.com"
#define PIN "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, vault_last_error()); \
      exit(99); \
    } \
  } while (0)

struct world {
  char path[512], new_path[512];
  const char *key_file;
  vault_t *vault;
  vault_item_t *item, *released, *removed;
  vault_attributes_t *attributes, *query, *space, *changes, *generic;
  vault_item_t **items;
  size_t item_count;
  vault_buffer_t buffer;
  vault_identity_t identity;
  vault_previous_secret_t *history;
  VaultSearchRef search;
  VaultAttribute list_attribute, copied_attribute;
  VaultAttributeList list, copied;
  VaultAttributeList *given;
  uint32_t tag, format;
  VaultAttributeInfo info;
  void *data;
  VaultSettings settings;
  VaultAttributeInfo *tags;
  char copied_path[600];
  uint32_t copied_path_size;
  VaultCFDataRef reference;
  VaultCFStringRef string;
  VaultCFMutableStringRef text;
  /* Of a format without conversions. */
  va_list arguments;
  VaultCFUUIDRef uuid;
  VaultCFMutableDataRef bytes;
  VaultCFNumberRef number;
  VaultCFDateRef date;
  VaultCFMutableArrayRef array;
  VaultCFMutableDictionaryRef dictionary, new_item, new_values;
  VaultCFArrayCallBacks callbacks;
  VaultCFDictionaryKeyCallBacks key_callbacks;
  const void *elements[8];
  vault_http_request_t *request;
  vault_http_response_t *response;
  vault_http_authentication_t *authentication;
  vault_http_authenticator_t *authenticator;
  vault_http_exchange_t *exchange, *ended, *failed;
  vault_http_field_t *fields;
  size_t field_count;
  vault_trust_policy_t *trust_policy;
  vault_trust_evaluation_t *evaluation;
  VaultCFURLRef url;
  VaultHTTPMessageRef message, answer;
  VaultHTTPAuthenticationRef applied;
  VaultReadStreamRef stream;
  VaultCFDataRef file;
  VaultCFMutableDictionaryRef file_options;
  VaultCertificateRef certificate;
  VaultCFMutableArrayRef certificates;
  VaultPolicyRef policy;
  VaultTrustRef trust;
  VaultIdentityRef client;
  VaultKeyRef key;
  VaultAccessRef access;
  VaultCFErrorRef error;
  int64_t eight;
  VaultCFIndex used;
  /* A handle that the library has lent to a function. */
  void *lent;
};

static inline const void *world_retain(VaultCFAllocatorRef allocator, const void *value) {
  (void)allocator;
  return VaultCFRetain(value);
}

static inline int32_t world_callback(VaultEventKind event, VaultCallbackInfo *info, void *context) {
  (void)event;
  (void)info;
  (void)context;
  return 0;
}

/* The objects: an array of the vault, and dictionaries that find the item, add one and change it. */
static inline void world_make_objects(struct world *w) {
  w->callbacks = (VaultCFArrayCallBacks){0, world_retain, NULL, VaultCFCopyDescription, VaultCFEqual};
  w->key_callbacks = (VaultCFDictionaryKeyCallBacks){
    0, world_retain, NULL, VaultCFCopyDescription, VaultCFEqual, VaultCFHash,
  };
  w->string = VaultCFConstantString(TEXT);
  w->elements[0] = w->string;
  w->text = VaultCFStringCreateMutableCopy(NULL, 0, w->string);
  w->uuid = VaultCFUUIDCreate(NULL);
  w->bytes = VaultCFDataCreateMutable(NULL, 0);
  VaultCFDataAppendBytes(w->bytes, (const uint8_t *)TEXT, TEXT_COUNT);
  w->eight = 8443;
  w->number = VaultCFNumberCreate(NULL, kVaultCFNumberSInt64Type, &w->eight);
  w->date = VaultCFDateCreate(NULL, 0);
  w->array = VaultCFArrayCreateMutable(NULL, 0, &w->callbacks);
  VaultCFArrayAppendValue(w->array, w->vault);
  w->dictionary = VaultCFDictionaryCreateMutable(NULL, 0, &w->key_callbacks, &w->callbacks);
  w->new_item = VaultCFDictionaryCreateMutable(NULL, 0, &w->key_callbacks, &w->callbacks);
  w->new_values = VaultCFDictionaryCreateMutable(NULL, 0, &w->key_callbacks, &w->callbacks);
  const void *const class = VaultCFConstantString("class");
  const void *const internet = VaultCFConstantString("inet");
  VaultCFDictionarySetValue(w->dictionary, class, internet);
  VaultCFDictionarySetValue(w->dictionary, VaultCFConstantString("r_Attributes"), VaultCFBooleanGet(1));
  VaultCFDictionarySetValue(w->new_item, class, internet);
  VaultCFDictionarySetValue(w->new_item, VaultCFConstantString("port"), w->number);
  VaultCFDictionarySetValue(w->new_item, VaultCFConstantString("r_Attributes"), VaultCFBooleanGet(1));
  VaultCFDictionarySetValue(w->new_values, VaultCFConstantString("icmt"), w->string);
  EXPECT(VaultItemCreatePersistentReference(w->item, &w->reference) == errVaultSuccess);
  EXPECT(
      VaultAttributeInfoForItemID(NULL, kVaultInternetPasswordItemClass, &w->tags) ==
      errVaultSuccess);
  w->settings.version = 1;
  w->copied_path_size = sizeof w->copied_path;
}

/* A login on a connection that fails: there is no ticket, or no library for one. */
static inline void world_make_login(struct world *w) {
  static const char field[] = "WWW-Authenticate", challenge[] = "Negotiate";
  vault_http_request_t *request;
  vault_http_response_t *response;
  vault_http_step_t step;
  EXPECT(vault_http_request_create("GET", 3, URL, sizeof URL - 1, &request) == VAULT_OK);
  EXPECT(vault_http_request_tell_connections_apart(request) == VAULT_OK);
  EXPECT(vault_http_response_create(401, &response) == VAULT_OK);
  EXPECT(vault_http_response_set_connection(response, 1, NULL, 0) == VAULT_OK);
  EXPECT(
      vault_http_response_add_field(
          response, field, sizeof field - 1, challenge, sizeof challenge - 1) == VAULT_OK);
  EXPECT(vault_http_exchange_create(w->authenticator, request, &w->failed) == VAULT_OK);
  EXPECT(
      vault_http_exchange_next(w->failed, response, NULL, NULL, &step) == VAULT_OK &&
      step == VAULT_HTTP_FINISH);
  EXPECT(vault_http_response_free(response) == VAULT_OK);
  EXPECT(vault_http_request_free(request) == VAULT_OK);
}

/* HTTP: a request that was challenged, in a realm for which the vault has nothing, and answered. */
static inline void world_make_messages(struct world *w) {
  static const char field[] = "WWW-Authenticate", challenge[] = "Basic realm=\"Team\"";
  vault_http_step_t step;
  EXPECT(vault_http_request_create("GET", 3, URL, sizeof URL - 1, &w->request) == VAULT_OK);
  EXPECT(vault_http_response_create(401, &w->response) == VAULT_OK);
  EXPECT(
      vault_http_response_add_field(
          w->response, field, sizeof field - 1, challenge, sizeof challenge - 1) == VAULT_OK);
  EXPECT(
      vault_http_authentication_create(w->response, w->request, &w->authentication) == VAULT_OK);
  EXPECT(
      vault_http_authentication_apply(
          w->authentication, TEXT, TEXT_COUNT, TEXT, TEXT_COUNT, w->request) == VAULT_OK);
  const VaultCFStringRef method = VaultCFConstantString("GET");
  w->url = VaultCFURLCreateWithString(NULL, VaultCFConstantString(URL), NULL);
  w->message = VaultHTTPMessageCreateRequest(NULL, method, w->url, NULL);
  w->answer = VaultHTTPMessageCreateResponse(NULL, 401, NULL, NULL);
  VaultHTTPMessageSetHeaderFieldValue(
      w->answer, VaultCFConstantString(field), VaultCFConstantString(challenge));
  w->stream = VaultReadStreamCreateForHTTPRequest(NULL, w->message, w->answer);
  w->applied = VaultHTTPAuthenticationCreateFromResponse(NULL, w->answer);
  EXPECT(w->applied != NULL);
  EXPECT(vault_http_request_copy_fields(w->request, &w->fields, &w->field_count) == VAULT_OK);
  EXPECT(vault_http_authenticator_create(w->vault, 0, &w->authenticator) == VAULT_OK);
  EXPECT(vault_http_exchange_create(w->authenticator, w->request, &w->exchange) == VAULT_OK);
  EXPECT(vault_http_exchange_create(w->authenticator, w->request, &w->ended) == VAULT_OK);
  EXPECT(
      vault_http_exchange_next(w->ended, w->response, NULL, NULL, &step) == VAULT_OK &&
      step == VAULT_HTTP_FINISH);
  world_make_login(w);
}

/* A certificate that signed itself, and a revocation list: made once, below the first folder. */
static unsigned char world_chain[4096], world_list[4096], world_root[4096], world_file[8192];
static size_t world_chain_count, world_list_count, world_root_count, world_file_count;

static inline void world_make_certificates(const char *folder) {
  char path[512];
  if (world_chain_count > 0) return;
  snprintf(path, sizeof path, "%s/certificates", folder);
  EXPECT(make_certificates(path, TEXT));
  world_chain_count = read_file(path, "own.cer", world_chain, sizeof world_chain);
  world_list_count = read_file(path, "root.crl", world_list, sizeof world_list);
  world_root_count = read_file(path, "root.cer", world_root, sizeof world_root);
  world_file_count = read_file(path, "leaf.p12", world_file, sizeof world_file);
  EXPECT(world_chain_count > 0 && world_list_count > 0);
  EXPECT(world_root_count > 0 && world_file_count > 0);
}

/*
 * Trust: a server that signed itself, and has pins now. The system's authorities would be read in
 * each of the processes.
 */
static inline void world_make_trust(struct world *w) {
  EXPECT(vault_trust_policy_create(&w->trust_policy) == VAULT_OK);
  EXPECT(
      vault_trust_policy_add_anchors(w->trust_policy, world_root, world_root_count) == VAULT_OK);
  EXPECT(
      vault_trust_evaluate(
          w->vault, w->space, w->trust_policy, world_chain, world_chain_count, 0,
          &w->evaluation) == VAULT_OK);
  EXPECT(
      vault_trust_pin(
          w->vault, w->space, PIN, sizeof PIN - 1, 0, 0, VAULT_PERSISTENCE_SESSION, NULL) ==
      VAULT_OK);
}

/* The same in Apple's shape, and an identity that no vault has. */
static inline void world_make_sectrust(struct world *w) {
  VaultCFArrayRef items = NULL;
  const VaultCFDataRef leaf =
      VaultCFDataCreate(NULL, world_chain, (VaultCFIndex)world_chain_count);
  w->certificate = VaultCertificateCreateWithData(NULL, leaf);
  w->certificates = VaultCFArrayCreateMutable(NULL, 0, &w->callbacks);
  VaultCFArrayAppendValue(w->certificates, w->certificate);
  w->policy = VaultPolicyCreateSSL(1, VaultCFConstantString("www.example.org"));
  EXPECT(
      VaultTrustCreateWithCertificates(w->certificate, w->policy, &w->trust) == errVaultSuccess);
  EXPECT(VaultTrustSetAnchorCertificates(w->trust, w->certificates) == errVaultSuccess);
  EXPECT(!VaultTrustEvaluateWithError(w->trust, &w->error));
  w->file = VaultCFDataCreate(NULL, world_file, (VaultCFIndex)world_file_count);
  w->file_options = VaultCFDictionaryCreateMutable(NULL, 0, &w->key_callbacks, &w->callbacks);
  VaultCFDictionarySetValue(
      w->file_options, VaultCFConstantString("passphrase"), VaultCFConstantString("secret"));
  EXPECT(VaultPKCS12Import(w->file, w->file_options, &items) == errVaultSuccess);
  w->client = (VaultIdentityRef)(uintptr_t)VaultCFRetain(VaultCFDictionaryGetValue(
      VaultCFArrayGetValueAtIndex(items, 0), VaultCFConstantString("identity")));
  EXPECT(VaultIdentityCopyPrivateKey(w->client, &w->key) == errVaultSuccess);
  EXPECT(VaultAccessCreate(VaultCFConstantString("list"), NULL, &w->access) == errVaultSuccess);
  VaultCFRelease(items);
  VaultCFRelease(leaf);
}

static inline vault_attributes_t *world_name(int is_query) {
  vault_attributes_t *attributes = NULL;
  EXPECT(vault_attributes_create(&attributes) == VAULT_OK);
  EXPECT(vault_attributes_set_text(attributes, VAULT_SERVER, TEXT, TEXT_COUNT) == VAULT_OK);
  EXPECT(vault_attributes_set_text(attributes, VAULT_REALM, TEXT, TEXT_COUNT) == VAULT_OK);
  EXPECT(vault_attributes_set_text(attributes, VAULT_PROTOCOL, "https", 5) == VAULT_OK);
  if (is_query) return attributes;
  EXPECT(vault_attributes_set_text(attributes, VAULT_PATH, TEXT, TEXT_COUNT) == VAULT_OK);
  EXPECT(vault_attributes_set_text(attributes, VAULT_ACCOUNT, TEXT, TEXT_COUNT) == VAULT_OK);
  EXPECT(vault_attributes_set_secret(attributes, TEXT, TEXT_COUNT) == VAULT_OK);
  return attributes;
}

/* Creates a world in a new folder below `folder`; the environment makes its vault the default. */
static inline void world_make(struct world *w, const char *folder, int number) {
  memset(w, 0, sizeof *w);
  snprintf(w->path, sizeof w->path, "%s/%d", folder, number);
  EXPECT(mkdir(w->path, 0700) == 0);
  snprintf(w->new_path, sizeof w->new_path, "%s/%d/new", folder, number);
  snprintf(w->path, sizeof w->path, "%s/%d/vault", folder, number);
  EXPECT(setenv("VAULTCTL_VAULT", w->path, 1) == 0);
  w->key_file = getenv("VAULTCTL_KEY_FILE");
  EXPECT(vault_create_with_key_file(w->path, w->key_file, &w->vault) == VAULT_OK);
  vault_attributes_t *item = world_name(0);
  EXPECT(vault_add(w->vault, item, VAULT_PERSISTENCE_PERMANENT, 0, &w->item) == VAULT_OK);

  /* It had another secret before, and another item is in the trash. */
  size_t count = 0;
  EXPECT(vault_attributes_set_secret(item, URL, sizeof URL - 1) == VAULT_OK);
  EXPECT(vault_modify(w->item, item, 0, 0) == VAULT_OK);
  EXPECT(vault_item_copy_history(w->item, &w->history, &count) == VAULT_OK && count == 1);
  EXPECT(vault_attributes_set_number(item, VAULT_PORT, 8080) == VAULT_OK);
  EXPECT(vault_add(w->vault, item, VAULT_PERSISTENCE_PERMANENT, 0, &w->released) == VAULT_OK);
  EXPECT(vault_remove(w->released, 0) == VAULT_OK);
  EXPECT(vault_item_release(w->released) == VAULT_OK);
  /* Static, so that the list is not a leak: the world has its item. */
  static vault_item_t **removed;
  EXPECT(vault_trash_list(w->vault, NULL, 0, 0, &removed, &count) == VAULT_OK && count == 1);
  w->removed = removed[0];
  EXPECT(vault_attributes_free(item) == VAULT_OK);

  /* The new item has another key than the existing one. */
  w->attributes = world_name(0);
  EXPECT(vault_attributes_set_number(w->attributes, VAULT_PORT, 8443) == VAULT_OK);
  w->query = world_name(1);
  w->space = world_name(1);
  EXPECT(vault_attributes_create(&w->changes) == VAULT_OK);
  EXPECT(vault_attributes_set_text(w->changes, VAULT_COMMENT, TEXT, TEXT_COUNT) == VAULT_OK);
  EXPECT(vault_attributes_create(&w->generic) == VAULT_OK);
  EXPECT(vault_find_all(w->vault, NULL, 0, 0, &w->items, &w->item_count) == VAULT_OK);
  EXPECT(vault_item_copy_secret(w->item, &w->buffer) == VAULT_OK);

  w->list_attribute = (VaultAttribute){kVaultLabelItemAttr, TEXT_COUNT, TEXT};
  w->list = (VaultAttributeList){1, &w->list_attribute};
  EXPECT(
      VaultSearchCreateFromAttributes(
          w->vault, kVaultInternetPasswordItemClass, &w->list, &w->search) == errVaultSuccess);
  w->tag = kVaultAccountItemAttr;
  w->info = (VaultAttributeInfo){1, &w->tag, &w->format};
  w->copied_attribute = (VaultAttribute){kVaultAccountItemAttr, 0, NULL};
  w->copied = (VaultAttributeList){1, &w->copied_attribute};
  uint32_t length = 0;
  EXPECT(
      VaultItemCopyAttributesAndData(w->item, &w->info, NULL, &w->given, &length, &w->data) ==
      errVaultSuccess);
  world_make_objects(w);
  world_make_messages(w);
  world_make_certificates(folder);
  world_make_trust(w);
  world_make_sectrust(w);
}

/* A released handle. */
static inline vault_item_t *world_released(struct world *w) { return w->released; }

/* A function of a transaction. */
static inline vault_status_t world_body(vault_t *vault, void *context) {
  size_t count = 0;
  EXPECT(context == NULL || ((struct world *)context)->item != NULL);
  return vault_count(vault, NULL, 0, &count);
}

/* A function that answers a question. */
static inline vault_http_answer_t world_prompt(vault_http_question_t *question, void *context) {
  uint64_t port = 0;
  EXPECT(context == NULL || ((struct world *)context)->item != NULL);
  EXPECT(vault_http_question_get_number(question, VAULT_HTTP_QUESTION_PORT, &port) == VAULT_OK);
  return VAULT_HTTP_CANCEL_REQUEST;
}

/* Runs a function on another thread until it returns. */
static inline void world_elsewhere(void *(*run)(void *), void *context) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, run, context) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
}

/* Returns whether an output still has the bytes that it was filled with. */
static inline int world_is_untouched(const void *start, size_t count) {
  for (size_t index = 0; index < count; index += 1) {
    if (((const unsigned char *)start)[index] != 0x5A) return 0;
  }
  return 1;
}

/* Runs a case in a child process and prints its result. */
static inline void world_run(
    const char *name, int number, const char *folder, void (*run)(struct world *)) {
  world_make_certificates(folder);
  fflush(stdout);
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    static struct world w;
    world_make(&w, folder, number);
    printf("%s ", name);
    run(&w);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  if (status != 0) printf("%s crashed\n", name);
}
