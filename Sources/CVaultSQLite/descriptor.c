#include "vault_sqlite.h"

#include <sys/stat.h>

// SQLite hands it out by no call. Its VFS for Unix keeps it behind three pointers (`struct unixFile`),
// and a number that is found there counts only if it is of the file at the path.
struct unix_file {
  const void *methods, *vfs, *inode;
  int descriptor;
};

int vault_sqlite3_descriptor(sqlite3_file *file, const char *path) {
  const struct unix_file *own = (const struct unix_file *)(const void *)file;
  const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  if (vfs == NULL || strcmp(vfs->zName, "unix") != 0 || (size_t)vfs->szOsFile < sizeof *own) return -1;
  struct stat opened, named;
  if (fstat(own->descriptor, &opened) != 0 || stat(path, &named) != 0) return -1;
  return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino ? own->descriptor : -1;
}
