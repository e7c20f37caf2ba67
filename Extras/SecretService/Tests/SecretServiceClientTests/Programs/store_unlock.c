// The calls of `/password/store-unlock` in the tests of libsecret 0.20.5 (test-password.c), whose
// state of a collection is what the signals of the service say, without a question: it has to be
// right when a call is answered. The collection is made first, as the tests' mock has one.

#undef G_DISABLE_ASSERT
// For collections by their paths.
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

static const SecretSchema schema = {
    "org.mock.Schema",
    SECRET_SCHEMA_NONE,
    {
        {"number", SECRET_SCHEMA_ATTRIBUTE_INTEGER},
        {"string", SECRET_SCHEMA_ATTRIBUTE_STRING},
        {"even", SECRET_SCHEMA_ATTRIBUTE_BOOLEAN},
    },
};

static void ended(GObject *source, GAsyncResult *result, gpointer place) {
  (void)source;
  *(GAsyncResult **)place = g_object_ref(result);
}

static GAsyncResult *wait_for(GAsyncResult **result) {
  while (*result == NULL) g_main_context_iteration(NULL, TRUE);
  return *result;
}

int main(void) {
  GError *error = NULL;
  SecretService *service = secret_service_get_sync(SECRET_SERVICE_NONE, NULL, &error);
  g_assert_no_error(error);

  // The first call of all finds nothing, but only once the vault is unlocked.
  gchar *none = secret_password_lookup_sync(&schema, NULL, &error, "string", "twelve", NULL);
  g_assert_no_error(error);
  g_assert_null(none);
  SecretCollection *made = secret_collection_create_sync(
      service, "english", NULL, SECRET_COLLECTION_CREATE_NONE, NULL, &error);
  g_assert_no_error(error);
  const gchar *path = "/org/freedesktop/secrets/collection/english";
  g_assert_cmpstr(g_dbus_proxy_get_object_path(G_DBUS_PROXY(made)), ==, path);

  SecretCollection *collection = secret_collection_new_for_dbus_path_sync(
      service, path, SECRET_COLLECTION_NONE, NULL, &error);
  g_assert_no_error(error);
  g_assert_false(secret_collection_get_locked(collection));

  GAsyncResult *result = NULL;
  GList *objects = g_list_append(NULL, collection);
  secret_service_lock(service, objects, NULL, ended, &result);
  g_assert_cmpint(
      secret_service_lock_finish(service, wait_for(&result), NULL, &error), ==, 1);
  g_assert_no_error(error);
  g_clear_object(&result);
  g_assert_true(secret_collection_get_locked(collection));

  secret_password_store(
      &schema, path, "Label here", "the password", NULL, ended, &result, "even", TRUE, "string",
      "twelve", "number", 12, NULL);
  g_assert_null(result);
  g_assert_true(secret_password_store_finish(wait_for(&result), &error));
  g_assert_no_error(error);
  g_clear_object(&result);
  g_assert_false(secret_collection_get_locked(collection));

  gchar *password = secret_password_lookup_nonpageable_sync(
      &schema, NULL, &error, "string", "twelve", NULL);
  g_assert_no_error(error);
  g_assert_cmpstr(password, ==, "the password");
  return 0;
}
