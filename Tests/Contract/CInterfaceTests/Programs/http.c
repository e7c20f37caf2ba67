/* Logs in to servers that are a function here: in the guide's steps, and by exchanges. */
#include <pthread.h>

#include "world.h"

#define DO(call) EXPECT((call) == VAULT_OK)
#define PAGE "http://127.0.0.1:8080/team/page"

static vault_buffer_t buffer;

static int holds(const char *text) {
  const int is = buffer.count == strlen(text) && strcmp(buffer.bytes, text) == 0;
  vault_buffer_free(&buffer);
  return is;
}

static vault_http_request_t *request_of(const char *url) {
  vault_http_request_t *request = NULL;
  DO(vault_http_request_create("GET", 3, url, strlen(url), &request));
  return request;
}

static vault_http_response_t *response_of(uint32_t status, const char *field, const char *value) {
  vault_http_response_t *response = NULL;
  DO(vault_http_response_create(status, &response));
  if (field != NULL) {
    DO(vault_http_response_add_field(response, field, strlen(field), value, strlen(value)));
  }
  return response;
}

/* A server whose page is ann's, with the password "right": in base64, as Basic has both. */
static vault_http_response_t *answer(const vault_http_field_t *fields, size_t count) {
  for (size_t index = 0; index < count; index += 1) {
    if (fields[index].side == VAULT_HTTP_SERVER &&
        strcmp(fields[index].name.bytes, "Authorization") == 0 &&
        strcmp(fields[index].value.bytes, "Basic YW5uOnJpZ2h0") == 0) {
      return response_of(200, NULL, NULL);
    }
  }
  return response_of(401, "www-authenticate", "Basic realm=\"Team \xe4\"");
}

/* The steps of the guide: an authentication of the response, whether it can be used, and how. */
static void steps(void) {
  vault_http_request_t *request = request_of(PAGE), *other = request_of("http://127.0.0.1/team/page");
  vault_http_response_t *response = answer(NULL, 0);
  vault_http_authentication_t *authentication = NULL;
  DO(vault_http_authentication_create(response, request, &authentication));
  vault_http_problem_t problem;
  DO(vault_http_authentication_get_problem(authentication, &problem));
  EXPECT(problem == VAULT_HTTP_PROBLEM_NONE);
  vault_http_side_t side;
  DO(vault_http_authentication_get_side(authentication, &side));
  EXPECT(side == VAULT_HTTP_SERVER);
  bool is = false;
  DO(vault_http_authentication_requires_user_and_password(authentication, &is));
  EXPECT(is);
  DO(vault_http_authentication_requires_account_domain(authentication, &is));
  EXPECT(!is);
  DO(vault_http_authentication_requires_ordered_requests(authentication, &is));
  EXPECT(!is);
  DO(vault_http_authentication_copy_realm(authentication, &buffer));
  EXPECT(holds("Team \xc3\xa4"));
  DO(vault_http_authentication_copy_method(authentication, &buffer));
  EXPECT(holds("basic"));
  DO(vault_http_authentication_applies(authentication, request, &is));
  EXPECT(is);
  DO(vault_http_authentication_applies(authentication, other, &is));
  EXPECT(!is);

  /* What the scheme cannot carry, and what is for another server, changes nothing. */
  EXPECT(
      vault_http_authentication_apply(authentication, "a:b", 3, "x", 1, request) ==
      VAULT_INVALID_ARGUMENT);
  DO(vault_http_authentication_get_problem(authentication, &problem));
  EXPECT(problem == VAULT_HTTP_PROBLEM_BAD_USER);
  EXPECT(
      vault_http_authentication_apply(authentication, "ann", 3, "right", 5, other) ==
      VAULT_INVALID_ARGUMENT);
  vault_http_field_t *fields = NULL;
  size_t count = 7;
  DO(vault_http_request_copy_fields(request, &fields, &count));
  EXPECT(fields == NULL && count == 0);

  vault_http_verdict_t verdict;
  EXPECT(
      vault_http_authentication_judge(authentication, response, request, &verdict) ==
      VAULT_INVALID_ARGUMENT);
  DO(vault_http_authentication_apply(authentication, "ann", 3, "wrong", 5, request));
  DO(vault_http_authentication_judge(authentication, response, request, &verdict));
  EXPECT(verdict == VAULT_HTTP_VERDICT_REJECTED);
  DO(vault_http_authentication_get_problem(authentication, &problem));
  EXPECT(problem == VAULT_HTTP_PROBLEM_BAD_PASSWORD);
  DO(vault_http_response_free(response));
  DO(vault_http_authentication_apply(authentication, "ann", 3, "right", 5, request));
  DO(vault_http_request_copy_fields(request, &fields, &count));
  EXPECT(count == 1);
  response = answer(fields, count);
  vault_http_fields_free(fields, count);
  DO(vault_http_authentication_judge(authentication, response, request, &verdict));
  EXPECT(verdict == VAULT_HTTP_VERDICT_ACCEPTED);
  DO(vault_http_authentication_get_problem(authentication, &problem));
  EXPECT(problem == VAULT_HTTP_PROBLEM_NONE);

  DO(vault_http_authentication_free(authentication));
  EXPECT(vault_http_authentication_free(authentication) == VAULT_INVALID_ARGUMENT);
  EXPECT(
      vault_http_authentication_create(response, request, &authentication) ==
      VAULT_INVALID_ARGUMENT);
  DO(vault_http_response_free(response));
  response = response_of(401, "WWW-Authenticate", "Negotiate");
  DO(vault_http_authentication_create(response, request, &authentication));
  DO(vault_http_authentication_get_problem(authentication, &problem));
  EXPECT(problem == VAULT_HTTP_PROBLEM_UNSUPPORTED);
  DO(vault_http_authentication_free(authentication));
  DO(vault_http_response_free(response));
  DO(vault_http_request_free(request));
  DO(vault_http_request_free(other));
}

/* What a prompt answers, and how often it was asked. */
struct script {
  vault_http_exchange_t *exchange;
  const char *passwords[3];
  int count;
  pthread_t caller;
};

static vault_http_answer_t play(vault_http_question_t *question, void *context) {
  struct script *script = context;
  EXPECT(pthread_equal(pthread_self(), script->caller));
  uint64_t number = 9;
  DO(vault_http_question_get_number(question, VAULT_HTTP_QUESTION_FAILURES, &number));
  EXPECT(number == (uint64_t)script->count);
  DO(vault_http_question_get_number(question, VAULT_HTTP_QUESTION_PORT, &number));
  EXPECT(number == 8080);
  DO(vault_http_question_get_number(question, VAULT_HTTP_QUESTION_IN_CLEAR, &number));
  EXPECT(number == 1);
  DO(vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_REALM, &buffer));
  EXPECT(holds("Team \xc3\xa4"));
  DO(vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_URL, &buffer));
  EXPECT(holds(PAGE));
  DO(vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_FAILED_USER, &buffer));
  EXPECT(holds(script->count == 0 ? "" : "ann"));
  EXPECT(vault_http_question_copy_stored_user(question, 7, &buffer) == VAULT_INVALID_ARGUMENT);
  /* The exchange that asks is in use. */
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  EXPECT(
      vault_http_exchange_copy_fields(script->exchange, &fields, &count) == VAULT_INVALID_ARGUMENT);
  const char *password = script->passwords[script->count++];
  if (password == NULL) return VAULT_HTTP_CANCEL_REQUEST;
  DO(vault_http_question_set_credential(
      question, "ann", 3, password, strlen(password), VAULT_PERSISTENCE_PERMANENT));
  return VAULT_HTTP_USE;
}

/* Sends a request until its exchange ends, and frees the exchange. */
static vault_http_reason_t finish(vault_http_exchange_t *exchange, struct script *script, int *sent) {
  script->exchange = exchange;
  script->caller = pthread_self();
  for (*sent = 1;; *sent += 1) {
    vault_http_field_t *fields = NULL;
    size_t count = 0;
    vault_http_reason_t reason;
    EXPECT(vault_http_exchange_get_outcome(exchange, &reason, NULL) == VAULT_INVALID_ARGUMENT);
    DO(vault_http_exchange_copy_fields(exchange, &fields, &count));
    vault_http_response_t *response = answer(fields, count);
    vault_http_fields_free(fields, count);
    vault_http_step_t step;
    DO(vault_http_exchange_next(exchange, response, play, script, &step));
    DO(vault_http_response_free(response));
    if (step == VAULT_HTTP_SEND) continue;
    vault_status_t storage = VAULT_DAMAGED;
    DO(vault_http_exchange_get_outcome(exchange, &reason, &storage));
    EXPECT(storage == VAULT_OK);
    DO(vault_http_exchange_free(exchange));
    return reason;
  }
}

/* Negotiate and NTLM: for a program that says on which connection a response came, and no other. */
static void logins(vault_t *vault) {
  static const char field[] = "WWW-Authenticate";
  for (int tells = 0; tells < 2; tells++) {
    vault_http_authenticator_t *authenticator = NULL;
    vault_http_request_t *request = NULL;
    vault_http_response_t *response = NULL;
    vault_http_exchange_t *exchange = NULL;
    vault_http_step_t step;
    vault_http_reason_t reason;
    vault_buffer_t problem = {NULL, 0};
    uint64_t login = 1;
    bool begins = true, keeps = true;
    DO(vault_http_authenticator_create(vault, 0, &authenticator));
    DO(vault_http_request_create("GET", 3, "https://negotiate.example/", 26, &request));
    if (tells) DO(vault_http_request_tell_connections_apart(request));
    DO(vault_http_exchange_create(authenticator, request, &exchange));
    DO(vault_http_exchange_get_owner(exchange, &login, &begins, &keeps));
    EXPECT(login == 0 && !begins && !keeps);
    DO(vault_http_response_create(401, &response));
    DO(vault_http_response_add_field(response, field, strlen(field), "Negotiate", 9));
    DO(vault_http_response_set_connection(response, 7, NULL, 0));
    DO(vault_http_exchange_next(exchange, response, NULL, NULL, &step));
    EXPECT(step == VAULT_HTTP_FINISH);
    DO(vault_http_exchange_get_outcome(exchange, &reason, NULL));
    if (tells) {
      /* There is no ticket here, or not even the library. */
      EXPECT(reason == VAULT_HTTP_MECHANISM_FAILED);
      DO(vault_http_exchange_copy_mechanism_problem(exchange, &problem));
      EXPECT(problem.count > 10);
      vault_buffer_free(&problem);
    } else {
      EXPECT(reason == VAULT_HTTP_UNSUPPORTED);
      EXPECT(
          vault_http_exchange_copy_mechanism_problem(exchange, &problem) == VAULT_INVALID_ARGUMENT);
    }
    DO(vault_http_exchange_free(exchange));
    DO(vault_http_response_free(response));
    DO(vault_http_request_free(request));
    DO(vault_http_authenticator_free(authenticator));
  }
}

static vault_http_answer_t name_domain(vault_http_question_t *question, void *context) {
  uint64_t number = 0;
  DO(vault_http_question_get_number(
      question, VAULT_HTTP_QUESTION_REQUIRES_ACCOUNT_DOMAIN, &number));
  EXPECT(number == 1);
  *(int *)context += 1;
  if (*(int *)context > 1) return VAULT_HTTP_CANCEL_REQUEST;
  DO(vault_http_question_set_credential(
      question, "CORP\\ann", 8, "right", 5, VAULT_PERSISTENCE_NONE));
  return VAULT_HTTP_USE;
}

/* An item for NTLM has no account domain: the prompt gives it, as part of the user. */
static void domains(vault_t *vault) {
  static const char url[] = "https://ntlm.example/", host[] = "ntlm.example";
  vault_attributes_t *attributes = NULL;
  vault_item_t *item = NULL;
  DO(vault_attributes_create(&attributes));
  DO(vault_attributes_set_text(attributes, VAULT_SERVER, host, strlen(host)));
  DO(vault_attributes_set_text(attributes, VAULT_PROTOCOL, "https", 5));
  DO(vault_attributes_set_text(attributes, VAULT_AUTHENTICATION_METHOD, "ntlm", 4));
  DO(vault_attributes_set_text(attributes, VAULT_ACCOUNT, "ann", 3));
  DO(vault_attributes_set_secret(attributes, "right", 5));
  for (int has = 0; has < 2; has++) {
    if (has) DO(vault_attributes_set_text(attributes, VAULT_ACCOUNT_DOMAIN, "CORP", 4));
    DO(vault_add(vault, attributes, VAULT_PERSISTENCE_SESSION, 0, &item));
    vault_http_authenticator_t *authenticator = NULL;
    vault_http_request_t *request = request_of(url);
    vault_http_exchange_t *exchange = NULL;
    vault_http_step_t step;
    vault_http_reason_t reason;
    int asked = 0;
    DO(vault_http_request_tell_connections_apart(request));
    DO(vault_http_authenticator_create(vault, 0, &authenticator));
    DO(vault_http_exchange_create(authenticator, request, &exchange));
    vault_http_response_t *response = response_of(401, "WWW-Authenticate", "NTLM");
    DO(vault_http_response_set_connection(response, 1, NULL, 0));
    DO(vault_http_exchange_next(exchange, response, name_domain, &asked, &step));
    EXPECT(asked == (has ? 0 : 1));
    /* Where the mechanism is installed, it begins; else the outcome names its package. */
    if (step == VAULT_HTTP_FINISH) {
      DO(vault_http_exchange_get_outcome(exchange, &reason, NULL));
      EXPECT(reason == VAULT_HTTP_MECHANISM_FAILED);
    }
    DO(vault_http_response_free(response));
    DO(vault_http_exchange_free(exchange));
    DO(vault_http_request_free(request));
    DO(vault_http_authenticator_free(authenticator));
    DO(vault_remove(item, 0));
    DO(vault_item_release(item));
  }
  DO(vault_attributes_free(attributes));
}

static void exchanges(vault_t *vault) {
  vault_http_authenticator_t *authenticator = NULL;
  vault_http_exchange_t *exchange = NULL, *next = NULL;
  vault_http_request_t *request = request_of(PAGE);
  int sent = 0;
  EXPECT(vault_http_authenticator_create(vault, 3, &authenticator) == VAULT_INVALID_ARGUMENT);
  EXPECT(vault_http_authenticator_create(vault, 64, &authenticator) == VAULT_INVALID_ARGUMENT);
  DO(vault_http_authenticator_create(vault, VAULT_HTTP_NO_OPTIONS, &authenticator));

  /* Whoever gives up gets the 401, and nothing is kept. */
  struct script script = {.passwords = {"wrong", NULL}};
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  EXPECT(finish(exchange, &script, &sent) == VAULT_HTTP_CANCELLED && sent == 2);
  size_t count = 0;
  DO(vault_count(vault, NULL, 0, &count));
  EXPECT(count == 0);

  /* The right one is stored, and later requests send it unasked; a redirect elsewhere does not. */
  script = (struct script){.passwords = {"wrong", "right"}};
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  EXPECT(finish(exchange, &script, &sent) == VAULT_HTTP_DONE && sent == 3 && script.count == 2);
  DO(vault_count(vault, NULL, 0, &count));
  EXPECT(count == 1);
  script = (struct script){.passwords = {NULL}};
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  vault_http_field_t *fields = NULL;
  DO(vault_http_exchange_redirect(exchange, "http://127.0.0.1:8081/", 22, NULL, 0, &next));
  DO(vault_http_exchange_copy_fields(next, &fields, &count));
  EXPECT(count == 0 && fields == NULL);
  DO(vault_http_exchange_free(next));
  EXPECT(finish(exchange, &script, &sent) == VAULT_HTTP_DONE && sent == 1 && script.count == 0);
  DO(vault_http_authenticator_free(authenticator));

  /* A locked vault is no empty one: the same response is answered once it is unlocked. */
  DO(vault_http_authenticator_create(vault, VAULT_HTTP_AFTER_CHALLENGE, &authenticator));
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  vault_http_response_t *response = answer(NULL, 0);
  vault_http_step_t step;
  DO(vault_lock(vault));
  EXPECT(vault_http_exchange_next(exchange, response, NULL, NULL, &step) == VAULT_LOCKED);
  DO(vault_unlock(vault));
  DO(vault_http_exchange_next(exchange, response, NULL, NULL, &step));
  EXPECT(step == VAULT_HTTP_SEND);
  DO(vault_http_response_free(response));
  DO(vault_http_exchange_free(exchange));

  /* The request's own comes first; of the stored user's, the prompt may choose. */
  DO(vault_http_request_set_user(request, VAULT_HTTP_SERVER, "bob", 3));
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  script = (struct script){.passwords = {NULL}};
  EXPECT(finish(exchange, &script, &sent) == VAULT_HTTP_CANCELLED && sent == 1);
  DO(vault_http_request_set_user(request, VAULT_HTTP_SERVER, NULL, 0));
  DO(vault_http_request_set_credential(
      request, VAULT_HTTP_SERVER, "ann", 3, "right", 5, VAULT_PERSISTENCE_NONE));
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  EXPECT(finish(exchange, &script, &sent) == VAULT_HTTP_DONE && sent == 2);
  DO(vault_http_authenticator_free(authenticator));
  DO(vault_http_request_free(request));
}

static vault_http_answer_t choose(vault_http_question_t *question, void *context) {
  uint64_t count = 0;
  DO(vault_http_question_get_number(question, VAULT_HTTP_QUESTION_STORED_USERS, &count));
  EXPECT(count == 2);
  DO(vault_http_question_copy_stored_user(question, 1, (vault_buffer_t *)context));
  const vault_buffer_t *user = context;
  DO(vault_http_question_set_stored_user(question, user->bytes, user->count));
  return VAULT_HTTP_USE_STORED;
}

/* A proxy's challenge goes to the proxy, by what is stored for it; a body is covered if it is given. */
static void others(vault_t *vault) {
  static const char *const users[] = {"ann", "bob"};
  vault_attributes_t *item = NULL;
  DO(vault_attributes_create(&item));
  DO(vault_attributes_set_text(item, VAULT_SERVER, "proxy", 5));
  DO(vault_attributes_set_text(item, VAULT_PROTOCOL, "http-proxy", 10));
  DO(vault_attributes_set_number(item, VAULT_PORT, 3128));
  DO(vault_attributes_set_secret(item, "secret", 6));
  for (int index = 0; index < 2; index += 1) {
    DO(vault_attributes_set_text(item, VAULT_ACCOUNT, users[index], 3));
    DO(vault_add(vault, item, VAULT_PERSISTENCE_SESSION, 0, NULL));
  }
  DO(vault_attributes_free(item));
  vault_http_authenticator_t *authenticator = NULL;
  vault_http_exchange_t *exchange = NULL;
  vault_http_request_t *request = request_of(PAGE);
  DO(vault_http_request_set_proxy(request, "http://proxy:3128", 17));
  DO(vault_http_authenticator_create(vault, VAULT_HTTP_WITHOUT_STORING, &authenticator));
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  vault_http_response_t *response = response_of(407, "Proxy-Authenticate", "Basic realm=\"Gate\"");
  vault_http_step_t step;
  DO(vault_http_exchange_next(exchange, response, choose, &buffer, &step));
  EXPECT(step == VAULT_HTTP_SEND && holds("bob"));
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  DO(vault_http_exchange_copy_fields(exchange, &fields, &count));
  EXPECT(count == 1 && fields[0].side == VAULT_HTTP_PROXY);
  EXPECT(strcmp(fields[0].name.bytes, "Proxy-Authorization") == 0);
  vault_http_fields_free(fields, count);
  DO(vault_http_exchange_free(exchange));
  DO(vault_http_authenticator_free(authenticator));
  DO(vault_http_response_free(response));
  DO(vault_http_request_free(request));

  DO(vault_http_request_create("POST", 4, PAGE, strlen(PAGE), &request));
  response = response_of(
      401, "WWW-Authenticate", "Digest realm=\"Team\", nonce=\"n\", qop=\"auth-int\"");
  vault_http_authentication_t *authentication = NULL;
  DO(vault_http_authentication_create(response, request, &authentication));
  EXPECT(
      vault_http_authentication_apply(authentication, "ann", 3, "right", 5, request) ==
      VAULT_UNSUPPORTED);
  DO(vault_http_request_set_body(request, "body", 4));
  DO(vault_http_authentication_apply(authentication, "ann", 3, "right", 5, request));
  DO(vault_http_authentication_free(authentication));
  DO(vault_http_response_free(response));
  DO(vault_http_request_free(request));
}

/* The URL is what Digest is computed of, whatever was given; a redirect has its own. */
static void urls(vault_t *vault) {
  vault_http_request_t *request =
      request_of("http://ann:right@127.0.0.1:80/a|b/../\xc3\xa9?c={d}#part");
  DO(vault_http_request_copy_url(request, &buffer));
  EXPECT(holds("http://127.0.0.1/a%7Cb/../%C3%A9?c=%7Bd%7D"));
  vault_http_response_t *response =
      response_of(401, "WWW-Authenticate", "Digest realm=\"Team\", nonce=\"n\", algorithm=md5");
  vault_http_authentication_t *authentication = NULL;
  DO(vault_http_authentication_create(response, request, &authentication));
  DO(vault_http_authentication_apply(authentication, "ann", 3, "right", 5, request));
  vault_http_field_t *fields = NULL;
  size_t count = 0;
  DO(vault_http_request_copy_fields(request, &fields, &count));
  EXPECT(count == 1);
  EXPECT(strstr(fields[0].value.bytes, "uri=\"/a%7Cb/../%C3%A9?c=%7Bd%7D\"") != NULL);
  EXPECT(strstr(fields[0].value.bytes, "algorithm=md5") != NULL);
  vault_http_fields_free(fields, count);
  DO(vault_http_authentication_free(authentication));
  DO(vault_http_response_free(response));

  vault_http_authenticator_t *authenticator = NULL;
  vault_http_exchange_t *exchange = NULL, *next = NULL;
  DO(vault_http_authenticator_create(vault, VAULT_HTTP_NO_OPTIONS, &authenticator));
  DO(vault_http_exchange_create(authenticator, request, &exchange));
  DO(vault_http_exchange_copy_url(exchange, &buffer));
  EXPECT(holds("http://127.0.0.1/a%7Cb/../%C3%A9?c=%7Bd%7D"));
  DO(vault_http_exchange_redirect(exchange, "http://127.0.0.1/x|y", 20, NULL, 0, &next));
  DO(vault_http_exchange_copy_url(next, &buffer));
  EXPECT(holds("http://127.0.0.1/x%7Cy"));
  DO(vault_http_exchange_free(next));
  DO(vault_http_exchange_free(exchange));
  DO(vault_http_authenticator_free(authenticator));
  DO(vault_http_request_free(request));
}

/* Gives a token, which the program has from wherever it gets tokens. */
static vault_http_answer_t give_token(vault_http_question_t *question, void *context) {
  int *questions = context;
  *questions += 1;
  DO(vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_METHOD, &buffer));
  EXPECT(holds("bearer"));
  DO(vault_http_question_set_credential(question, NULL, 0, "t.2", 3, VAULT_PERSISTENCE_SESSION));
  return VAULT_HTTP_USE;
}

/* The prompt is asked for a token once, and what it gives is found by the next request. */
static void asked_token(vault_t *vault) {
  vault_http_authenticator_t *authenticator = NULL;
  int questions = 0;
  DO(vault_http_authenticator_create(vault, VAULT_HTTP_NO_OPTIONS, &authenticator));
  for (int round = 0; round < 2; round += 1) {
    vault_http_exchange_t *exchange = NULL;
    vault_http_request_t *request = request_of("https://api.example.com/page");
    vault_http_step_t step;
    vault_http_field_t *fields = NULL;
    size_t count = 0;
    DO(vault_http_exchange_create(authenticator, request, &exchange));
    DO(vault_http_exchange_copy_fields(exchange, &fields, &count));
    EXPECT(count == (size_t)round);
    if (round == 0) {
      vault_http_response_t *response = response_of(401, "WWW-Authenticate", "Bearer");
      DO(vault_http_exchange_next(exchange, response, give_token, &questions, &step));
      EXPECT(step == VAULT_HTTP_SEND);
      DO(vault_http_response_free(response));
      DO(vault_http_exchange_copy_fields(exchange, &fields, &count));
    }
    EXPECT(count == 1 && strcmp(fields[0].value.bytes, "Bearer t.2") == 0);
    vault_http_fields_free(fields, count);
    vault_http_response_t *response = response_of(200, NULL, NULL);
    DO(vault_http_exchange_next(exchange, response, give_token, &questions, &step));
    EXPECT(step == VAULT_HTTP_FINISH && questions == 1);
    DO(vault_http_response_free(response));
    DO(vault_http_exchange_free(exchange));
    DO(vault_http_request_free(request));
  }
  DO(vault_http_authenticator_free(authenticator));
}

/* A token answers Bearer, only where nobody else reads it; a scope that it lacks is told apart. */
static void tokens(vault_t *vault) {
  vault_http_authenticator_t *authenticator = NULL;
  vault_http_exchange_t *exchange = NULL;
  vault_http_step_t step;
  vault_http_reason_t reason;
  for (int in_clear = 0; in_clear < 2; in_clear += 1) {
    DO(vault_http_authenticator_create(
        vault, in_clear ? VAULT_HTTP_TOKENS_IN_CLEAR : VAULT_HTTP_NO_OPTIONS, &authenticator));
    vault_http_request_t *request = request_of("http://api.example.com/page");
    DO(vault_http_request_set_token(request, VAULT_HTTP_SERVER, "t.1", 3, VAULT_PERSISTENCE_NONE));
    DO(vault_http_exchange_create(authenticator, request, &exchange));
    vault_http_response_t *response = response_of(401, "WWW-Authenticate", "Bearer");
    DO(vault_http_exchange_next(exchange, response, NULL, NULL, &step));
    EXPECT(step == (in_clear ? VAULT_HTTP_SEND : VAULT_HTTP_FINISH));
    DO(vault_http_response_free(response));
    if (in_clear) {
      vault_http_field_t *fields = NULL;
      size_t count = 0;
      DO(vault_http_exchange_copy_fields(exchange, &fields, &count));
      EXPECT(count == 1 && strcmp(fields[0].value.bytes, "Bearer t.1") == 0);
      vault_http_fields_free(fields, count);
      response = response_of(
          403, "WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"write\"");
      DO(vault_http_exchange_next(exchange, response, NULL, NULL, &step));
      DO(vault_http_response_free(response));
    }
    DO(vault_http_exchange_get_outcome(exchange, &reason, NULL));
    EXPECT(reason == (in_clear ? VAULT_HTTP_INSUFFICIENT_SCOPE : VAULT_HTTP_DOWNGRADED));
    DO(vault_http_exchange_free(exchange));
    DO(vault_http_authenticator_free(authenticator));
    DO(vault_http_request_free(request));
  }
}

int main(int count, char **arguments) {
  EXPECT(count == 2);
  char path[512];
  vault_t *vault = NULL;
  snprintf(path, sizeof path, "%s/http.vault", arguments[1]);
  DO(vault_create_with_key_file(path, getenv("VAULTCTL_KEY_FILE"), &vault));
  steps();
  exchanges(vault);
  logins(vault);
  domains(vault);
  others(vault);
  urls(vault);
  tokens(vault);
  asked_token(vault);
  DO(vault_close(vault));
  return 0;
}
