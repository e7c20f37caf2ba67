#include "fault_vfs.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Only the driver's thread uses it.
static sqlite3_vfs *next_vfs;
static FILE *trace;
static char *traced_vault;
static bool is_powersafe = true;
static int sector_size;

static struct {
  enum fault_vfs_method method;
  enum fault_vfs_extent extent;
  int call, result, calls;
} fault;

// MARK: The trace

enum { vault_file = 0, journal_file = 1, other_file = 2 };

static unsigned char which(const char *path) {
  if (path == NULL || traced_vault == NULL) return other_file;
  size_t length = strlen(traced_vault);
  if (strncmp(path, traced_vault, length) != 0) return other_file;
  if (path[length] == 0) return vault_file;
  return strcmp(path + length, "-journal") == 0 ? journal_file : other_file;
}

static void note(char kind, unsigned char file, long long offset, const void *bytes, int count) {
  if (trace == NULL || file == other_file) return;
  struct fault_vfs_entry entry = {(unsigned char)kind, file, 0, (unsigned int)count, offset};
  fwrite(&entry, sizeof entry, 1, trace);
  if (count > 0) fwrite(bytes, (size_t)count, 1, trace);
}

bool fault_vfs_record(const char *path, const char *vault, bool powersafe, int sector) {
  is_powersafe = powersafe;
  sector_size = sector;
  traced_vault = strdup(vault);
  trace = fopen(path, "wbx");
  return trace != NULL;
}

void fault_vfs_mark(long long number, const void *bytes, int count) {
  note('M', vault_file, number, bytes, count);
}

bool fault_vfs_finish(void) {
  bool is_whole = ferror(trace) == 0;
  is_whole = fclose(trace) == 0 && is_whole;
  trace = NULL;
  return is_whole;
}

// MARK: Faults

void fault_vfs_fail(enum fault_vfs_method method, int call, enum fault_vfs_extent extent, int result) {
  fault.method = method;
  fault.extent = extent;
  fault.call = call;
  fault.result = result;
  fault.calls = 0;
}

int fault_vfs_calm(void) {
  fault.call = 0;
  return fault.calls;
}

// Counts a call, and returns whether it is to fail.
static bool fails(enum fault_vfs_method method) {
  if (fault.call == 0 || method != fault.method) return false;
  fault.calls++;
  int later = fault.calls - fault.call;
  switch (fault.extent) {
    case fault_vfs_from: return later >= 0;
    case fault_vfs_twice: return later == 0 || later == 1;
    default: return later == 0;
  }
}

// MARK: Files

struct file {
  sqlite3_file base;
  unsigned char which;
  // As in SQLite's os_unix.c (UNIXFILE_DIRSYNC): the first sync of a new journal also
  // synchronizes its folder.
  bool synchronizes_folder;
  // In the bytes that follow this one.
  sqlite3_file *next;
};

#define NEXT(file) (((struct file *)(file))->next)
#define WHICH(file) (((struct file *)(file))->which)

static int file_close(sqlite3_file *file) { return NEXT(file)->pMethods->xClose(NEXT(file)); }

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  if (fails(fault_vfs_read)) {
    // SQLite expects zeros from a read beyond the end.
    memset(bytes, 0, (size_t)count);
    return fault.result;
  }
  return NEXT(file)->pMethods->xRead(NEXT(file), bytes, count, offset);
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  bool is_failing = fails(fault_vfs_write);
  int written = is_failing && fault.extent != fault_vfs_late ? count / 2 : count;
  int status = NEXT(file)->pMethods->xWrite(NEXT(file), bytes, written, offset);
  if (status == SQLITE_OK) note('W', WHICH(file), offset, bytes, written);
  return is_failing ? fault.result : status;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
  bool is_failing = fails(fault_vfs_truncate);
  if (is_failing && fault.extent != fault_vfs_late) return fault.result;
  int status = NEXT(file)->pMethods->xTruncate(NEXT(file), size);
  if (status == SQLITE_OK) note('T', WHICH(file), size, NULL, 0);
  return is_failing ? fault.result : status;
}

static int file_sync(sqlite3_file *file, int flags) {
  bool is_failing = fails(fault_vfs_sync);
  if (is_failing && fault.extent != fault_vfs_late) return fault.result;
  int status = NEXT(file)->pMethods->xSync(NEXT(file), flags);
  if (status == SQLITE_OK) {
    note('S', WHICH(file), 0, NULL, 0);
    struct file *own = (struct file *)file;
    if (own->synchronizes_folder) note('F', WHICH(file), 0, NULL, 0);
    own->synchronizes_folder = false;
  }
  return is_failing ? fault.result : status;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return NEXT(file)->pMethods->xFileSize(NEXT(file), size);
}

static int file_lock(sqlite3_file *file, int level) {
  if (fails(fault_vfs_lock)) return fault.result;
  return NEXT(file)->pMethods->xLock(NEXT(file), level);
}

static int file_unlock(sqlite3_file *file, int level) {
  return NEXT(file)->pMethods->xUnlock(NEXT(file), level);
}

static int file_is_reserved(sqlite3_file *file, int *result) {
  return NEXT(file)->pMethods->xCheckReservedLock(NEXT(file), result);
}

static int file_control(sqlite3_file *file, int verb, void *argument) {
  return NEXT(file)->pMethods->xFileControl(NEXT(file), verb, argument);
}

static int file_sector_size(sqlite3_file *file) {
  return sector_size > 0 ? sector_size : NEXT(file)->pMethods->xSectorSize(NEXT(file));
}

static int file_characteristics(sqlite3_file *file) {
  int all = NEXT(file)->pMethods->xDeviceCharacteristics(NEXT(file));
  return is_powersafe ? all : all & ~SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

// Version 1: no shared memory and no memory maps, which a vault does not use.
static const sqlite3_io_methods file_methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

// MARK: Names

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  (void)vfs;
  struct file *own = (struct file *)file;
  memset(own, 0, sizeof *own);
  if (fails(fault_vfs_open)) return fault.result;
  own->next = (sqlite3_file *)(own + 1);
  own->which = which(path);
  bool is_new = path != NULL && (flags & SQLITE_OPEN_CREATE) && access(path, F_OK) != 0;
  int status = next_vfs->xOpen(next_vfs, path, own->next, flags, opened);
  // A file that failed to open may still have to be closed.
  if (own->next->pMethods != NULL) own->base.pMethods = &file_methods;
  if (status == SQLITE_OK && is_new) {
    note('C', own->which, 0, NULL, 0);
    own->synchronizes_folder = (flags & SQLITE_OPEN_MAIN_JOURNAL) != 0;
  }
  return status;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int synchronizes_folder) {
  (void)vfs;
  bool is_failing = fails(fault_vfs_delete);
  if (is_failing && fault.extent != fault_vfs_late) return fault.result;
  int status = next_vfs->xDelete(next_vfs, path, synchronizes_folder);
  if (status == SQLITE_OK) {
    note('D', which(path), 0, NULL, 0);
    if (synchronizes_folder) note('F', which(path), 0, NULL, 0);
  }
  return is_failing ? fault.result : status;
}

bool fault_vfs_install(void) {
  static sqlite3_vfs vfs;
  if (next_vfs != NULL) return true;
  next_vfs = sqlite3_vfs_find(NULL);
  if (next_vfs == NULL) return false;
  // All other methods are the system VFS's own, with its data.
  vfs = *next_vfs;
  vfs.zName = "fault";
  vfs.szOsFile = (int)sizeof(struct file) + next_vfs->szOsFile;
  vfs.pNext = NULL;
  vfs.xOpen = vfs_open;
  vfs.xDelete = vfs_delete;
  return sqlite3_vfs_register(&vfs, 1) == SQLITE_OK;
}
