#include "authentication.h"

#include <stdio.h>
#include <string.h>

#include "prompt.h"

/* How many answers one that asks gets before we give up. */
enum { MOST_ANSWERS = 3 };

bool fail(const char *subject, const char *reason) {
  fprintf(stderr, "httpclient: error: %s: %s\n", subject, reason);
  return false;
}

static void say_status(const char *severity, vault_status_t status) {
  fprintf(stderr, "httpclient: %s: %s\n", severity, vault_last_error());
  if (status == VAULT_LOCKED) {
    fputs("httpclient: hint: set VAULTCTL_KEY_FILE to a key file that unlocks the vault\n", stderr);
  } else if (status == VAULT_VAULT_NOT_FOUND) {
    fputs("httpclient: hint: vaultctl init makes a vault\n", stderr);
  }
}

static bool is_secure(const struct authentication *authentication) {
  return strcmp(authentication->address.scheme, "https") == 0;
}

struct authentication *find_authentication(struct client *client) {
  long status = 0, tunnel = 0;
  curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(client->curl, CURLINFO_HTTP_CONNECTCODE, &tunnel);
  /* Out of the tunnel that HTTPS has, a 407 would be a server's that is after the proxy's password. */
  const bool has_tunnel = is_secure(&client->server);
  const bool has_proxy = client->proxy.address.host != NULL;
  struct authentication *asking = NULL;
  if (has_proxy && (has_tunnel ? tunnel : status) == 407) {
    asking = &client->proxy;
  } else if (status == 401) {
    asking = &client->server;
  } else {
    return NULL;
  }

  struct challenge challenge = {0};
  struct curl_header *field = NULL;
  const char *name = asking->is_proxy ? "Proxy-Authenticate" : "WWW-Authenticate";
  const unsigned origin = asking->is_proxy && has_tunnel ? CURLH_CONNECT : CURLH_HEADER;
  for (size_t index = 0;
       curl_easy_header(client->curl, name, index, origin, -1, &field) == CURLHE_OK; index++) {
    challenge_read(&challenge, field->value);
  }
  if (challenge.method != asking->challenge.method ||
      strcmp(challenge.realm, asking->challenge.realm) != 0) {
    asking->was_looked_up = false;
  }
  asking->challenge = challenge;
  return asking;
}

static struct space space_of(const struct authentication *authentication) {
  const char *const protocols[2][2] = {{"http", "https"}, {"http-proxy", "https-proxy"}};
  return (struct space){
      .protocol = protocols[authentication->is_proxy][is_secure(authentication)],
      .host = authentication->address.host,
      .port = authentication->address.port,
      .path = authentication->is_proxy ? NULL : authentication->address.path,
      .realm = authentication->challenge.realm,
      .method = authentication->challenge.method,
  };
}

/*
 * Applies credentials to the requests that follow. libcurl copies both into ordinary memory and frees the copies
 * unwiped: libcurl has no other way, and main() sees to it that no core dump shows them.
 *
 * Only the method that they are for is allowed: else a server could have a Digest password in clear.
 */
static bool apply_credentials(
    CURL *curl, const struct authentication *authentication, const char *account,
    const char *password) {
  const bool is_proxy = authentication->is_proxy;
  const bool is_digest = strcmp(authentication->challenge.method, "digest") == 0;
  const long method = (long)(is_digest ? CURLAUTH_DIGEST : CURLAUTH_BASIC);
  const CURLoption options[2][3] = {
      {CURLOPT_HTTPAUTH, CURLOPT_USERNAME, CURLOPT_PASSWORD},
      {CURLOPT_PROXYAUTH, CURLOPT_PROXYUSERNAME, CURLOPT_PROXYPASSWORD},
  };
  return curl_easy_setopt(curl, options[is_proxy][0], method) == CURLE_OK &&
         curl_easy_setopt(curl, options[is_proxy][1], account) == CURLE_OK &&
         curl_easy_setopt(curl, options[is_proxy][2], password) == CURLE_OK;
}

/* Finds credentials in the vault and applies them; that there are none is no failure. */
static bool find_credentials(
    struct client *client, const struct authentication *authentication, bool *is_found) {
  vault_buffer_t account = {0}, password = {0};
  const struct space space = space_of(authentication);
  vault_status_t status = VAULT_OK;
  if (client->vault == NULL) status = vault_open(NULL, &client->vault);
  if (status == VAULT_OK) status = credentials_find(client->vault, &space, &account, &password);
  bool is_good = true;
  if (status == VAULT_OK) {
    /* libcurl takes C strings, and a secret may be any bytes. */
    is_good = (strlen(password.bytes) == password.count &&
               apply_credentials(client->curl, authentication, account.bytes, password.bytes)) ||
              fail(space.host, "the vault's credentials for it cannot be sent");
  } else if (status != VAULT_ITEM_NOT_FOUND && status != VAULT_EXPIRED) {
    say_status("error", status);
    is_good = false;
  }
  *is_found = status == VAULT_OK;
  vault_buffer_free(&account);
  vault_buffer_free(&password);
  return is_good;
}

/* Asks for credentials on the terminal and applies them. */
static bool ask_for_credentials(
    struct client *client, struct authentication *authentication) {
  const struct space space = space_of(authentication);
  const bool is_clear = !is_secure(authentication) && strcmp(space.method, "basic") == 0;
  char text[1024], account[256], password[1024];
  snprintf(text, sizeof text, "The %s %s asks for a user and a password for \"%s\"%s.\n",
           authentication->is_proxy ? "proxy" : "server", space.host, space.realm,
           is_clear ? ", which it will get in clear" : "");
  prompt_show(text);
  if (!prompt_ask("User: ", true, account, sizeof account) ||
      !prompt_ask("Password: ", false, password, sizeof password)) {
    return fail(space.host, "nobody says who logs in");
  }
  const vault_status_t status =
      credentials_hold(&authentication->typed, &space, account, password);
  if (status != VAULT_OK) say_status("error", status);
  const bool is_applied =
      status == VAULT_OK && apply_credentials(client->curl, authentication, account, password);
  explicit_bzero(password, sizeof password);
  return is_applied;
}

bool answer_authentication(struct client *client, struct authentication *authentication) {
  const char *host = authentication->address.host;
  credentials_forget(&authentication->typed);
  if (authentication->challenge.method == NULL) {
    return fail(host, "it asks for neither Basic nor Digest");
  }
  if (authentication->answers++ == MOST_ANSWERS) return fail(host, "it refuses all credentials");
  if (!authentication->was_looked_up) {
    authentication->was_looked_up = true;
    bool is_found;
    if (!find_credentials(client, authentication, &is_found)) return false;
    if (is_found) return true;
  }
  return ask_for_credentials(client, authentication);
}

static bool is_accepted(const struct client *client, const struct authentication *authentication) {
  long status = 0, tunnel = 0;
  curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(client->curl, CURLINFO_HTTP_CONNECTCODE, &tunnel);
  if (authentication->is_proxy && is_secure(&client->server)) return tunnel / 100 == 2;
  /* A server's 401 has come through the proxy. */
  return status / 100 == 2 || status / 100 == 3 || (authentication->is_proxy && status == 401);
}

void save_credentials(struct client *client, struct authentication *authentication) {
  if (authentication->typed.item == NULL || !is_accepted(client, authentication)) return;
  const vault_status_t status = credentials_save(client->vault, &authentication->typed);
  /* The response is there all the same. */
  if (status != VAULT_OK) say_status("warning: not saved", status);
  credentials_forget(&authentication->typed);
}
