/* One lookup in the plain SQLite peer, as a whole process: what `vaultctl find` is compared with.
 *
 * Usage: sqlite-lookup FILE SERVER ACCOUNT; prints the secret. */
#include <sqlite3.h>
#include <stdio.h>

int main(int count, char **arguments) {
  if (count != 4) return 64;
  sqlite3 *database;
  sqlite3_stmt *statement;
  if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) return 50;
  const char *sql =
    "SELECT account, realm, server, protocol, method, port, path, label, created, modified, secret "
    "FROM item WHERE server = ?1 AND account = ?2";
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) return 49;
  sqlite3_bind_text(statement, 1, arguments[2], -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, arguments[3], -1, SQLITE_STATIC);
  if (sqlite3_step(statement) != SQLITE_ROW) return 44;
  const void *secret = sqlite3_column_blob(statement, 10);
  fwrite(secret, 1, (size_t)sqlite3_column_bytes(statement, 10), stdout);
  putchar('\n');
  sqlite3_finalize(statement);
  return sqlite3_close(database);
}
