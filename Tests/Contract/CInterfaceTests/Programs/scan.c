/* Scans this process's memory for a secret before and after it is freed, and prints each result. */
#include <fcntl.h>
#include <sys/mman.h>

#include "world.h"

enum { COUNT = 48, WINDOW = 12, PIECE = 1 << 20 };

/* The secret, every byte inverted, so that a scan does not find it here. */
static unsigned char inverted[COUNT];

static void invert(void) {
  const int random = open("/dev/urandom", O_RDONLY);
  EXPECT(random >= 0 && read(random, inverted, COUNT) == COUNT);
  close(random);
}

/* Writes the secret to the caller's memory; the caller wipes it. */
static void write_secret(unsigned char *memory) {
  for (int index = 0; index < COUNT; index += 1) memory[index] = (unsigned char)~inverted[index];
}

static size_t occurrences(const unsigned char *start, const unsigned char *end) {
  size_t found = 0;
  for (int offset = 0; offset + WINDOW <= COUNT; offset += WINDOW) {
    const unsigned char *at = start;
    while (at + WINDOW <= end && (at = memchr(at, (unsigned char)~inverted[offset], end - at))) {
      int same = 0;
      while (same < WINDOW && at + same < end) {
        if (at[same] != (unsigned char)~inverted[offset + same]) break;
        same += 1;
      }
      found += same == WINDOW;
      at += 1;
    }
  }
  return found;
}

/* Counts fragments in a region. A thread of the library may end meanwhile, and its stack with it: the
 * kernel copies what is there, and says where nothing is any more. */
static size_t in_region(
    const int memory, unsigned char *copy, unsigned long start, const unsigned long end) {
  size_t found = 0;
  ssize_t got;
  while (start + WINDOW <= end &&
         (got = pread(memory, copy, end - start < PIECE ? end - start : PIECE, (off_t)start)) >=
             WINDOW) {
    found += occurrences(copy, copy + got);
    start += (unsigned long)got - (WINDOW - 1);
  }
  return found;
}

/* Counts fragments of the secret in all memory that this process can read and write. */
static size_t scan(void) {
  /* Shared, so that it is a region of its own, which is not searched. */
  static unsigned char *copy;
  if (copy == NULL) {
    copy = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT(copy != MAP_FAILED);
  }
  const int memory = open("/proc/self/mem", O_RDONLY);
  EXPECT(memory >= 0);
  static char maps[1 << 20];
  const int file = open("/proc/self/maps", O_RDONLY);
  size_t count = 0;
  ssize_t got;
  while ((got = read(file, maps + count, sizeof maps - 1 - count)) > 0) count += got;
  close(file);
  maps[count] = 0;
  size_t found = 0;
  for (char *line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    unsigned long start, end;
    char mode[5];
    if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3) continue;
    if (strncmp(mode, "rw", 2) != 0 || strstr(line, "[vvar") != NULL) continue;
    if (start != (unsigned long)copy) found += in_region(memory, copy, start, end);
  }
  close(memory);
  explicit_bzero(copy, PIECE);
  return found;
}

static void say(const char *step) { printf("%s %zu\n", step, scan()); }

static vault_attributes_t *named(const char *account) {
  vault_attributes_t *attributes = NULL;
  EXPECT(vault_attributes_create(&attributes) == VAULT_OK);
  EXPECT(
      vault_attributes_set_text(attributes, VAULT_ACCOUNT, account, strlen(account)) == VAULT_OK);
  return attributes;
}

/* By SecItem: data that grew byte by byte, an item that it makes, and what a query returns. */
static void dictionaries(struct world *w) {
  unsigned char secret[COUNT];
  write_secret(secret);
  VaultCFMutableDataRef bytes = VaultCFDataCreateMutable(NULL, 0);
  for (int index = 0; index < COUNT; index += 1) VaultCFDataAppendBytes(bytes, secret + index, 1);
  explicit_bzero(secret, COUNT);
  say("data");
  const void *const key = VaultCFConstantString("v_Data");
  VaultCFMutableDictionaryRef entries =
      VaultCFDictionaryCreateMutable(NULL, 0, &w->key_callbacks, NULL);
  VaultCFDictionarySetValue(entries, VaultCFConstantString("class"), VaultCFConstantString("genp"));
  VaultCFDictionarySetValue(entries, key, bytes);
  EXPECT(VaultSecItemAdd(entries, NULL) == errVaultSuccess);
  VaultCFRelease(bytes);
  say("data-freed");

  VaultCFTypeRef result = NULL;
  VaultCFDictionaryRemoveValue(entries, key);
  VaultCFDictionarySetValue(entries, VaultCFConstantString("r_Data"), VaultCFBooleanGet(1));
  EXPECT(VaultSecItemCopyMatching(entries, &result) == errVaultSuccess);
  say("matched");
  VaultCFRelease(result);
  VaultCFRelease(entries);
  say("matched-freed");
}

/* An identity whose key of Ed25519 is the beginning of the secret, in a file that hides it. */
static size_t make_identity(const char *folder, char *file, size_t size) {
  static const unsigned char header[] =
      "\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20";
  unsigned char secret[COUNT];
  char command[1024];
  snprintf(command, sizeof command, "%s/key.der", folder);
  const int key = open(command, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  write_secret(secret);
  EXPECT(key >= 0 && write(key, header, sizeof header - 1) == sizeof header - 1);
  EXPECT(write(key, secret, 32) == 32);
  explicit_bzero(secret, COUNT);
  close(key);
  snprintf(
      command, sizeof command,
      "cd '%s' && PATH=/usr/bin:/bin && openssl pkey -inform DER -in key.der -out key.pem && "
      "openssl req -x509 -key key.pem -subj /CN=scan -days 30 -out cert.pem && "
      "openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass:pass",
      folder);
  FILE *const pipe = popen(command, "r");
  EXPECT(pipe != NULL);
  const size_t count = fread(file, 1, size, pipe);
  EXPECT(pclose(pipe) == 0 && count > 0 && count < size);
  return count;
}

/* An identity that is imported, chosen and opened. */
static void identities(struct world *w, const char *folder) {
  static char file[8192];
  const size_t length = make_identity(folder, file, sizeof file);
  vault_item_t **items = NULL, *item = NULL;
  size_t count = 0;
  EXPECT(
      vault_identity_import(
          w->vault, file, length, "pass", 4, URL, sizeof URL - 1, VAULT_PERSISTENCE_PERMANENT,
          &items, &count) == VAULT_OK);
  vault_items_free(items, count);
  say("imported");
  EXPECT(
      vault_identity_choose(w->vault, URL, sizeof URL - 1, NULL, 0, NULL, 0, &item) == VAULT_OK);
  say("chosen");
  vault_identity_t identity = {{NULL, 0}, {NULL, 0}}, pem = {{NULL, 0}, {NULL, 0}};
  EXPECT(vault_identity_open(item, VAULT_IDENTITY_DER, &identity) == VAULT_OK);
  say("identity");
  EXPECT(vault_identity_open(item, VAULT_IDENTITY_PEM, &pem) == VAULT_OK);
  say("identity-pem");
  vault_identity_free(&identity);
  vault_identity_free(&pem);
  EXPECT(vault_item_release(item) == VAULT_OK);
  say("identity-freed");
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  invert();
  static struct world w;
  world_make(&w, arguments[1], 0);
  say("start");

  unsigned char secret[COUNT];
  vault_attributes_t *ann = named("ann");
  write_secret(secret);
  EXPECT(vault_attributes_set_secret(ann, secret, COUNT) == VAULT_OK);
  EXPECT(vault_attributes_set_refresh_token(ann, secret, COUNT) == VAULT_OK);
  explicit_bzero(secret, COUNT);
  EXPECT(vault_add(w.vault, ann, VAULT_PERSISTENCE_PERMANENT, 0, NULL) == VAULT_OK);
  say("named");
  EXPECT(vault_attributes_free(ann) == VAULT_OK);
  say("added");

  vault_attributes_t *query = named("ann");
  vault_item_t *item = NULL;
  vault_buffer_t copy = {NULL, 0}, token = {NULL, 0};
  EXPECT(vault_find(w.vault, query, 0, &item) == VAULT_OK);
  EXPECT(vault_item_copy_secret(item, &copy) == VAULT_OK && copy.count == COUNT);
  EXPECT(vault_item_copy_refresh_token(item, &token) == VAULT_OK && token.count == COUNT);
  say("copied");
  vault_buffer_free(&copy);
  vault_buffer_free(&token);
  say("freed");
  EXPECT(vault_item_release(item) == VAULT_OK);

  EXPECT(vault_find(w.vault, query, VAULT_WITH_SECRETS, &item) == VAULT_OK);
  say("opened");
  EXPECT(vault_item_release(item) == VAULT_OK);
  say("released");

  uint32_t length = 0;
  void *data = NULL;
  EXPECT(
      VaultFindInternetPassword(
          w.vault, 0, NULL, 0, NULL, 3, "ann", 0, NULL, 0, 0, 0, &length, &data, NULL) == 0);
  say("password");
  EXPECT(VaultItemFreeContent(NULL, data) == 0);
  say("password-freed");

  write_secret(secret);
  EXPECT(
      VaultAddInternetPassword(
          w.vault, 0, NULL, 0, NULL, 3, "bob", 0, NULL, 0, 0, 0, COUNT, secret, &item) == 0);
  write_secret(secret);
  EXPECT(VaultItemModifyContent(item, NULL, COUNT - 1, secret) == 0);
  explicit_bzero(secret, COUNT);
  say("stored");
  EXPECT(VaultItemCopyContent(item, NULL, NULL, &length, &data) == 0 && length == COUNT - 1);
  say("content");
  EXPECT(VaultItemFreeContent(NULL, data) == 0);
  VaultItemRelease(item);
  say("content-freed");
  dictionaries(&w);
  identities(&w, arguments[1]);

  write_secret(secret);
  vault_http_request_t *request = NULL;
  EXPECT(vault_http_request_create("GET", 3, URL, sizeof URL - 1, &request) == VAULT_OK);
  EXPECT(
      vault_http_request_set_credential(
          request, VAULT_HTTP_SERVER, "ann", 3, secret, COUNT, VAULT_PERSISTENCE_NONE) == VAULT_OK);
  explicit_bzero(secret, COUNT);
  say("requested");
  EXPECT(vault_http_request_free(request) == VAULT_OK);
  say("requested-freed");
  return 0;
}
