/*
 * Loads another CoreFoundation into the process of this one, and uses both.
 *
 *   beside LIBRARY
 */
#include <Security/Security.h>
#include <dlfcn.h>

int main(int count, char **words) {
  if (count != 2) return 64;
  void *library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  /* The other one's functions, by the names that macros have here. */
  const void *(*create)(const void *, const char *, uint32_t);
  unsigned char (*copy)(const void *, char *, long, uint32_t);
  void (*release)(const void *);
  *(void **)&create = dlsym(library, "CFStringCreateWithCString");
  *(void **)&copy = dlsym(library, "CFStringGetCString");
  *(void **)&release = dlsym(library, "CFRelease");
  if (create == NULL || copy == NULL || release == NULL) {
    fprintf(stderr, "not a CoreFoundation\n");
    return 1;
  }
  char ours[16] = "", theirs[16] = "";
  CFStringRef own = CFStringCreateWithCString(NULL, "ours", kCFStringEncodingUTF8);
  const void *other = create(NULL, "theirs", kCFStringEncodingUTF8);
  CFStringGetCString(own, ours, sizeof ours, kCFStringEncodingUTF8);
  copy(other, theirs, sizeof theirs, kCFStringEncodingUTF8);
  printf("ours: %s, theirs: %s\n", ours, theirs);
  /* An object of the other one is none here. */
  if (CFStringGetLength((CFStringRef)other) != 0) return 2;
  CFRelease(own);
  release(other);
  return 0;
}
