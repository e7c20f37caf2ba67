#ifndef VAULT_FAULT_VFS_H
#define VAULT_FAULT_VFS_H

#include <stdbool.h>

// An SQLite VFS over the system's own. It writes down what is done to a vault and its journal, in the order in which it
// is done, and lets chosen calls fail.

// Makes it the default of this process; false if SQLite refuses. To be called before a file is opened.
bool fault_vfs_install(void);

// MARK: The trace

// One entry of a trace, in the byte order of the machine; `count` bytes follow it.
//
//   C  a file was created              W  bytes were written at `offset`
//   T  cut or grown to `offset` bytes  S  synchronized
//   D  removed                         F  the folder was synchronized
//   M  operation `offset` is over; the bytes are what the driver says of it
//
// `file` is 0 for the vault and 1 for its journal.
struct fault_vfs_entry {
  unsigned char kind;
  unsigned char file;
  unsigned short unused;
  unsigned int count;
  long long offset;
};

// Writes a trace of the vault at `vault` into a new file. Without `powersafe` SQLite is told that a write may
// spoil its whole sector, which is `sector` bytes long. To be called before the vault is opened; false if the file cannot be
// made.
bool fault_vfs_record(const char *trace, const char *vault, bool powersafe, int sector);
void fault_vfs_mark(long long number, const void *bytes, int count);
// Ends the trace; false if not all of it was written.
bool fault_vfs_finish(void);

// MARK: Faults

enum fault_vfs_method {
  fault_vfs_open = 1,
  fault_vfs_read = 2,
  fault_vfs_write = 4,
  fault_vfs_truncate = 8,
  fault_vfs_sync = 16,
  fault_vfs_delete = 32,
  fault_vfs_lock = 64,
};

enum fault_vfs_extent {
  // The call is not made, but that half of what it was to write is written.
  fault_vfs_once = 0,
  // As are all later ones.
  fault_vfs_from = 1,
  // The call is made, and then reports a failure.
  fault_vfs_late = 2,
};

// The `call`-th call of a method from here on gives `result`.
void fault_vfs_fail(enum fault_vfs_method method, int call, enum fault_vfs_extent extent, int result);
// How many calls of the method there were; no call fails any more.
int fault_vfs_calm(void);

#endif
