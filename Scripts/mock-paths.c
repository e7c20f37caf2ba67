
// Added to the mock of libsecret's tests: the paths that Scripts/mock-collections wrote.

const gchar *mock_path(const gchar *name);

// Returns the path of a prompt that unlocks the vault.
static const gchar *prompt_path(void) {
  GError *error = NULL;
  GDBusConnection *bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
  g_assert_no_error(error);
  const gchar *login = "/org/freedesktop/secrets/collection/login";
  GVariant *answer = g_dbus_connection_call_sync(
      bus, service_name, "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "Unlock",
      g_variant_new("(@ao)", g_variant_new_objv(&login, 1)), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL,
      &error);
  g_assert_no_error(error);
  const gchar *path = NULL;
  g_variant_get(answer, "(@ao&o)", NULL, &path);
  return path;
}

// Returns the path of an item, "collection/COLLECTION/NAME", or of a prompt, "prompts/NAME"; what is not
// there is where the mock has it.
const gchar *mock_path(const gchar *name) {
  if (g_str_has_prefix(name, "prompts/")) return prompt_path();
  gchar *file = g_build_filename(g_get_home_dir(), "state", "paths", NULL);
  gchar *text = NULL;
  GError *error = NULL;
  g_file_get_contents(file, &text, NULL, &error);
  g_assert_no_error(error);
  for (gchar **line = g_strsplit(text, "\n", -1); *line; line++) {
    gchar **words = g_strsplit(*line, " ", 2);
    if (g_strcmp0(words[0], name) == 0) return words[1];
  }
  return g_strconcat("/org/freedesktop/secrets/", name, NULL);
}
