#include "apart.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

uint16_t serve_apart(void (*serve)(int client)) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof address;
  int one = 1, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0 || bind(server, (struct sockaddr *)&address, size) != 0 || listen(server, 64) != 0
      || getsockname(server, (struct sockaddr *)&address, &size) != 0)
    return 0;
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    while (getppid() == parent) {
      int client = accept(server, NULL, NULL);
      if (client < 0) continue;
      setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      serve(client);
    }
    _exit(0);
  }
  close(server);
  return child < 0 ? 0 : ntohs(address.sin_port);
}
