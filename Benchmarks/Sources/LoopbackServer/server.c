#include "loopback_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apart.h"

static const char page[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\na page\n";
static const char basic[] =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"Team\"\r\nContent-Length: 0\r\n\r\n";
static const char digest[] =
    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"Team\", qop=\"auth\", algorithm=SHA-256, "
    "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\"\r\nContent-Length: 0\r\n\r\n";

static int send_all(int client, const char *text, size_t count) {
  while (count > 0) {
    ssize_t sent = send(client, text, count, MSG_NOSIGNAL);
    if (sent <= 0) return -1;
    text += sent;
    count -= (size_t)sent;
  }
  return 0;
}

static int answer(int client, const char *request) {
  // The page says for how many milliseconds the server works.
  const char *work = strstr(request, "/after-");
  if (work != NULL) usleep((useconds_t)atoi(work + sizeof "/after-" - 1) * 1000);
  if (strstr(request, "\r\nAuthorization: ") != NULL) return send_all(client, page, sizeof page - 1);
  if (strncmp(request, "GET /basic", 10) == 0) return send_all(client, basic, sizeof basic - 1);
  return send_all(client, digest, sizeof digest - 1);
}

// Requests have no body, and each waits for the response to the one before.
static void *serve(void *argument) {
  int client = (int)(intptr_t)argument;
  char request[8192];
  size_t length = 0;
  while (length < sizeof request - 1) {
    ssize_t count = recv(client, request + length, sizeof request - 1 - length, 0);
    if (count <= 0) break;
    length += (size_t)count;
    request[length] = 0;
    if (length < 4 || memcmp(request + length - 4, "\r\n\r\n", 4) != 0) continue;
    if (answer(client, request) != 0) break;
    length = 0;
  }
  close(client);
  return NULL;
}

static void serve_beside(int client) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)client) != 0) close(client);
  else pthread_detach(thread);
}

static void *accept_all(void *argument) {
  int server = (int)(intptr_t)argument;
  int one = 1;
  for (;;) {
    int client = accept(server, NULL, NULL);
    if (client < 0) return NULL;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    serve_beside(client);
  }
}

uint16_t loopback_server_start(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  pthread_t thread;
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (server < 0 || bind(server, (struct sockaddr *)&address, size) != 0 || listen(server, 64) != 0
      || getsockname(server, (struct sockaddr *)&address, &size) != 0
      || pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)server) != 0)
    return 0;
  pthread_detach(thread);
  return ntohs(address.sin_port);
}

uint16_t loopback_server_start_apart(void) { return serve_apart(serve_beside); }
