// A proxy on loopback that delays everything by some milliseconds in each direction, for
// Extras/Fleet/Benchmarks/fleet.
//
//   delay-proxy PORT MILLISECONDS    prints its own port; ends when its input ends, and prints the number
//                                    of pieces that clients sent
//
// What is read is kept with the time at which it is due, so that many pieces can be under way at once, as
// on a real line.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_lines = 256, piece_size = 65536 };

struct piece {
  struct piece *next;
  double due;
  size_t count, sent;
  int is_end;
  char bytes[];
};

// One direction of a connection.
struct line {
  int from, to, is_client, is_open;
  struct piece *first, *last;
};

static struct line lines[most_lines];
static int line_count;
static double delay;
static long pieces;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int loopback(int port, int listens) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1, file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  int status = listens ? bind(file, (struct sockaddr *)&address, sizeof address) || listen(file, 128)
                       : connect(file, (struct sockaddr *)&address, sizeof address);
  if (status != 0) {
    perror("delay-proxy");
    exit(1);
  }
  return file;
}

static void add(int from, int to, int is_client) {
  for (int index = 0; index < most_lines; index++) {
    if (lines[index].is_open) continue;
    lines[index] = (struct line){.from = from, .to = to, .is_client = is_client, .is_open = 1};
    if (index >= line_count) line_count = index + 1;
    return;
  }
  fputs("delay-proxy: too many connections\n", stderr);
  exit(1);
}

// Takes what there is, or the end of it.
static void take(struct line *line) {
  struct piece *piece = malloc(sizeof *piece + piece_size);
  if (piece == NULL) exit(1);
  // First, since the bytes begin within the structure's padding.
  *piece = (struct piece){.due = now() + delay};
  ssize_t count = recv(line->from, piece->bytes, piece_size, 0);
  if (count > 0) piece->count = (size_t)count;
  else piece->is_end = 1;
  pieces += line->is_client && count > 0;
  if (line->last) line->last->next = piece;
  else line->first = piece;
  line->last = piece;
}

// Passes on what is due.
static void pass(struct line *line) {
  while (line->first && line->first->due <= now()) {
    struct piece *piece = line->first;
    if (piece->is_end) {
      shutdown(line->to, SHUT_WR);
      // The other direction has the same two sockets: the one that ends last closes them.
      for (int index = 0; index < line_count; index++)
        if (lines[index].is_open && lines[index].from == line->to && lines[index].to == line->from) {
          line->is_open = 0;
          break;
        }
      if (line->is_open) close(line->from), close(line->to);
      line->is_open = 0;
    } else {
      ssize_t count = send(line->to, piece->bytes + piece->sent, piece->count - piece->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN) piece->sent = piece->count;
      else if (count > 0) piece->sent += (size_t)count;
      if (piece->sent < piece->count) return;
    }
    line->first = piece->next;
    if (line->first == NULL) line->last = NULL;
    free(piece);
  }
}

int main(int count, char **words) {
  if (count != 3) return 64;
  int server = atoi(words[1]), listener = loopback(0, 1);
  delay = atof(words[2]);
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    struct pollfd files[most_lines + 2] = {{.fd = 0, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    double wait = 1e9;
    for (int index = 0; index < line_count; index++) {
      struct line *line = &lines[index];
      int is_ended = line->last && line->last->is_end;
      files[index + 2] = (struct pollfd){.fd = line->is_open && !is_ended ? line->from : -1, .events = POLLIN};
      if (line->is_open && line->first && line->first->due - now() < wait) wait = line->first->due - now();
    }
    struct timespec time = {.tv_sec = 1};
    if (wait < 1e3) time = (struct timespec){.tv_nsec = wait > 0.02 ? (long)(wait * 1e6) : 20000};
    ppoll(files, (nfds_t)line_count + 2, &time, NULL);
    int known = line_count;
    for (int index = 0; index < known; index++)
      if (files[index + 2].fd >= 0 && files[index + 2].revents) take(&lines[index]);
    for (int index = 0; index < line_count; index++)
      if (lines[index].is_open) pass(&lines[index]);
    if (files[0].revents) break;
    if (files[1].revents) {
      int one = 1, client = accept(listener, NULL, NULL), other = loopback(server, 0);
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      add(client, other, 1);
      add(other, client, 0);
    }
  }
  fprintf(stderr, "%ld\n", pieces);
  return 0;
}
