#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <string.h>

#include "slow_names.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int begun;
static int ended;

int slow_names_begun(void) {
  pthread_mutex_lock(&mutex);
  const int count = begun;
  pthread_mutex_unlock(&mutex);
  return count;
}

void slow_names_end(void) {
  pthread_mutex_lock(&mutex);
  ended = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

/* Called in place of the C library's by all libraries of the program. */
int getaddrinfo(
    const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  static const char slow[] = ".slow.test";
  const size_t count = name == NULL ? 0 : strlen(name);
  if (count >= sizeof slow && strcmp(name + count - (sizeof slow - 1), slow) == 0) {
    pthread_mutex_lock(&mutex);
    begun += 1;
    while (!ended) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return EAI_NONAME;
  }
  int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = NULL;
  /* POSIX lets a function's address be an object's. */
  *(void **)&next = dlsym(RTLD_NEXT, "getaddrinfo");
  return next == NULL ? EAI_SYSTEM : next(name, service, hints, result);
}
