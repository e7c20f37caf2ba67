#include "gathering.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// SQLite's unix VFS takes less than 128 KiB at once (`seekAndWriteFd`).
enum { page_size = 4096, most = 128, most_at_once = 16 };

// SQLite writes the pages that it drops from its cache nearly in order, so that one window is enough.
struct gathering {
  // A multiple of the window's size.
  sqlite3_int64 start;
  int count;
  bool has[most];
  unsigned char pages[most][page_size];
};

gathering *gathering_make(void) {
  gathering *new = sqlite3_malloc64(sizeof *new);
  if (new != NULL) memset(new, 0, offsetof(gathering, pages));
  return new;
}

void gathering_free(gathering *pages) { sqlite3_free(pages); }

int gathering_put(gathering *pages, sqlite3_file *file, const void *page, sqlite3_int64 offset) {
  sqlite3_int64 start = offset - offset % sizeof pages->pages;
  if (start != pages->start) {
    int status = gathering_write(pages, file);
    if (status != SQLITE_OK) return status;
    pages->start = start;
  }
  int index = (int)((offset - start) / page_size);
  if (!pages->has[index]) pages->count++;
  pages->has[index] = true;
  memcpy(pages->pages[index], page, page_size);
  return SQLITE_OK;
}

int gathering_write(gathering *pages, sqlite3_file *file) {
  for (int first = 0; pages->count > 0; first++) {
    if (!pages->has[first]) continue;
    int end = first + 1;
    while (end % most_at_once != 0 && pages->has[end]) end++;
    int status = file->pMethods->xWrite(
        file, pages->pages[first], (end - first) * page_size, pages->start + (sqlite3_int64)first * page_size);
    if (status != SQLITE_OK) return status;
    memset(pages->has + first, false, (size_t)(end - first));
    pages->count -= end - first;
    first = end - 1;
  }
  return SQLITE_OK;
}
