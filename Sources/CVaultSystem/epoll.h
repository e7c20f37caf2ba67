#ifndef VAULT_CEPOLL_SHIM_H
#define VAULT_CEPOLL_SHIM_H

// Waiting for many descriptors, which Swift's Glibc lacks.

#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// The events of one descriptor: the kernel's struct is packed, and its number a union.
typedef struct vault_epoll_ready {
  int descriptor;
  uint32_t events;
} vault_epoll_ready_t;

static const uint32_t vault_epoll_in = EPOLLIN;
static const uint32_t vault_epoll_out = EPOLLOUT;
static const uint32_t vault_epoll_failed = EPOLLERR | EPOLLHUP;

static inline int vault_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Watches a descriptor for these events, whether it is watched already or not; 0, or -1 with errno.
static inline int vault_epoll_watch(int epoll, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline void vault_epoll_forget(int epoll, int descriptor) {
  struct epoll_event event = {0};
  (void)epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}

// Waits for at most 64 events, or for as many milliseconds, -1 for ever; -1 with errno.
static inline int vault_epoll_wait(int epoll, vault_epoll_ready_t *ready, int milliseconds) {
  struct epoll_event events[64];
  const int count = epoll_wait(epoll, events, 64, milliseconds);
  for (int index = 0; index < count; index += 1) {
    ready[index].descriptor = events[index].data.fd;
    ready[index].events = events[index].events;
  }
  return count;
}

#endif
