#ifndef VAULT_FAULT_VFS_H
#define VAULT_FAULT_VFS_H

#include <stdbool.h>

// An SQLite VFS over the system's own. It records the calls on a vault and its journal, in order,
// and makes chosen calls fail.

// Makes it the default of this process; false if SQLite refuses. Call it before opening a file.
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

// Writes a trace of the vault at `vault` into a new file. Without `powersafe`, SQLite is told that
// a write may destroy its whole sector of `sector` bytes. Call it before opening the vault; false
// if the file cannot be created.
bool fault_vfs_record(const char *trace, const char *vault, bool powersafe, int sector);
void fault_vfs_mark(long long number, const void *bytes, int count);
// Ends the trace; false if it was not written completely.
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
  // The call is not made, but half of its bytes are written.
  fault_vfs_once = 0,
  // The same for all later calls.
  fault_vfs_from = 1,
  // The same for the next call.
  fault_vfs_twice = 3,
  // The call is made, and then reports a failure.
  fault_vfs_late = 2,
};

// Makes the `call`-th call of a method from now on return `result`.
void fault_vfs_fail(enum fault_vfs_method method, int call, enum fault_vfs_extent extent, int result);
// Returns the number of calls of the method, and makes no further call fail.
int fault_vfs_calm(void);

#endif
