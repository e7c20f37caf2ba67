/* Connects to `openssl s_server` with OpenSSL and libcurl, which ask the vault whom to trust. */
#include <curl/curl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <vault_tls_openssl.h>

#include "world.h"

#define DO(call) EXPECT((call) == VAULT_OK)

static const char *folder;

struct server {
  pid_t process;
  char url[64];
  uint16_t port;
};

/* Starts a server with a certificate, at a port that the system chooses or at a given one. */
static struct server start(const char *name, uint16_t port) {
  struct server server = {0, "", 0};
  int output[2];
  EXPECT(pipe(output) == 0);
  server.process = fork();
  EXPECT(server.process >= 0);
  if (server.process == 0) {
    char certificate[600], key[600], address[32];
    snprintf(certificate, sizeof certificate, "%s/%s.pem", folder, name);
    snprintf(key, sizeof key, "%s/%s.key", folder, name);
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output[1], 1);
    execlp(
        "openssl", "openssl", "s_server", "-accept", address, "-cert", certificate, "-key", key,
        "-www", "-no_ticket", "-no_cache", "-naccept", "1000", (char *)NULL);
    _exit(127);
  }
  close(output[1]);
  FILE *const lines = fdopen(output[0], "r");
  char line[256];
  unsigned found = 0;
  /* The line has an address only if the system chose the port. */
  while (found == 0 && fgets(line, sizeof line, lines) != NULL) {
    const char *const colon = strrchr(line, ':');
    if (strncmp(line, "ACCEPT", 6) == 0) found = colon == NULL ? port : (unsigned)atoi(colon + 1);
  }
  EXPECT(found > 0);
  server.port = (uint16_t)found;
  snprintf(server.url, sizeof server.url, "https://localhost:%u/", found);
  return server;
}

static void stop(struct server server) {
  kill(server.process, SIGKILL);
  waitpid(server.process, NULL, 0);
}

/* Returns whether a handshake with the server succeeds. */
static int connects(struct server server, vault_tls_openssl_trust_t *trust) {
  SSL_CTX *const context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
  SSL_CTX_set_cert_verify_callback(context, vault_tls_openssl_verify, trust);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(server.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT(connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0);
  SSL *const connection = SSL_new(context);
  SSL_set_fd(connection, descriptor);
  SSL_set_tlsext_host_name(connection, "localhost");
  const int is = SSL_connect(connection) == 1;
  EXPECT(
      is || SSL_get_verify_result(connection) == X509_V_ERR_APPLICATION_VERIFICATION);
  SSL_free(connection);
  SSL_CTX_free(context);
  close(descriptor);
  return is;
}

static CURLcode use_trust(CURL *curl, void *context, void *trust) {
  (void)curl;
  SSL_CTX_set_cert_verify_callback((SSL_CTX *)context, vault_tls_openssl_verify, trust);
  return CURLE_OK;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes, (void)context;
  return size * count;
}

/* Returns curl's result, with the vault's trust or, if that is NULL, with pins alone. */
static CURLcode fetches(struct server server, vault_tls_openssl_trust_t *trust, const char *pins) {
  CURL *const curl = curl_easy_init();
  curl_easy_setopt(curl, CURLOPT_URL, server.url);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, ignore);
  curl_easy_setopt(curl, CURLOPT_PINNEDPUBLICKEY, pins);
  curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, trust != NULL);
  if (trust != NULL) {
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, use_trust);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_DATA, trust);
  }
  const CURLcode code = curl_easy_perform(curl);
  curl_easy_cleanup(curl);
  return code;
}

static int has(vault_trust_evaluation_t *evaluation, vault_trust_problems_t expected) {
  vault_trust_problems_t problems = 0;
  DO(vault_trust_evaluation_get_problems(evaluation, &problems));
  return problems == expected;
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  char path[600];
  snprintf(path, sizeof path, "%s/certificates", arguments[1]);
  folder = path;
  EXPECT(make_certificates(folder, "localhost"));
  vault_tls_openssl_trust_t trust = {NULL, NULL, NULL, NULL};
  vault_attributes_t *space = NULL;
  DO(vault_open_in_memory(&trust.vault));
  DO(vault_attributes_create(&space));
  trust.space = space;

  /* A server below a root of one's own. */
  struct server server = start("leaf", 0);
  DO(vault_attributes_set_url(space, server.url, strlen(server.url)));
  EXPECT(!connects(server, &trust) && has(trust.evaluation, VAULT_TRUST_UNKNOWN_ISSUER));
  EXPECT(fetches(server, &trust, NULL) == CURLE_PEER_FAILED_VERIFICATION);
  unsigned char root[4096];
  const size_t root_count = read_file(folder, "root.cer", root, sizeof root);
  DO(vault_trust_policy_create(&trust.policy));
  DO(vault_trust_policy_add_anchors(trust.policy, root, root_count));
  EXPECT(connects(server, &trust) && has(trust.evaluation, 0));
  EXPECT(fetches(server, &trust, NULL) == CURLE_OK);
  stop(server);

  /* One that signed itself, at its first use. */
  server = start("own", server.port);
  EXPECT(!connects(server, &trust) && has(trust.evaluation, VAULT_TRUST_SELF_SIGNED));
  const vault_persistence_t session = VAULT_PERSISTENCE_SESSION;
  DO(vault_trust_record_first_use(trust.vault, space, trust.evaluation, false, 0, session, NULL));
  EXPECT(connects(server, &trust) && fetches(server, &trust, NULL) == CURLE_OK);

  /* Pins for curl, and from the vault. */
  vault_buffer_t pins = {NULL, 0};
  DO(vault_trust_evaluation_copy_pin(trust.evaluation, false, &pins));
  DO(vault_trust_pin(trust.vault, space, pins.bytes, pins.count, 0, 0, session, NULL));
  vault_buffer_free(&pins);
  DO(vault_trust_copy_pins(trust.vault, space, &pins));
  EXPECT(fetches(server, NULL, pins.bytes) == CURLE_OK);
  EXPECT(fetches(server, &trust, pins.bytes) == CURLE_OK);
  stop(server);

  /* Another key at the same place. */
  server = start("other", server.port);
  EXPECT(!connects(server, &trust));
  EXPECT(
      has(trust.evaluation,
          VAULT_TRUST_SELF_SIGNED | VAULT_TRUST_PIN_MISMATCH | VAULT_TRUST_CHANGED_KEY));
  EXPECT(fetches(server, &trust, NULL) == CURLE_PEER_FAILED_VERIFICATION);
  EXPECT(fetches(server, NULL, pins.bytes) == CURLE_SSL_PINNEDPUBKEYNOTMATCH);
  stop(server);

  vault_buffer_free(&pins);
  DO(vault_trust_evaluation_free(trust.evaluation));
  DO(vault_trust_policy_free(trust.policy));
  DO(vault_attributes_free(space));
  DO(vault_close(trust.vault));
  return 0;
}
