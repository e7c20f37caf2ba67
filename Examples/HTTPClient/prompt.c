#include "prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

enum outcome { TYPED, NOT_TYPED, INTERRUPTED };

static int open_terminal(void) { return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY); }

static void show(int terminal, const char *text) {
  char line[512];
  size_t length = 0;
  for (; *text != '\0' && length < sizeof line; text++) {
    const unsigned char byte = (unsigned char)*text;
    line[length++] = byte == '\n' || (byte >= ' ' && byte != 0x7f) ? *text : '?';
  }
  (void)!write(terminal, line, length);
}

/* Byte by byte with read(): a stream of the C library would keep a copy in a buffer of its own. */
static enum outcome read_line(int terminal, int signals, char *line, size_t size) {
  for (size_t length = 0; length < size; length++) {
    struct pollfd inputs[] = {
        {.fd = signals, .events = POLLIN}, {.fd = terminal, .events = POLLIN}};
    while (poll(inputs, 2, -1) < 0) {
      if (errno != EINTR) return NOT_TYPED;
    }
    if (inputs[0].revents != 0) return INTERRUPTED;
    if (read(terminal, line + length, 1) != 1) return NOT_TYPED;
    if (line[length] == '\n') {
      line[length] = '\0';
      return length > 0 ? TYPED : NOT_TYPED;
    }
  }
  return NOT_TYPED;
}

/* TCSAFLUSH drops what was typed, and shown, before the question. */
static enum outcome ask(
    int terminal, int signals, const char *question, bool is_shown, char *answer, size_t size) {
  struct termios before;
  if (tcgetattr(terminal, &before) != 0) return NOT_TYPED;
  struct termios during = before;
  during.c_lflag |= ICANON | ECHONL;
  if (is_shown) {
    during.c_lflag |= ECHO;
  } else {
    during.c_lflag &= ~(tcflag_t)ECHO;
  }
  if (tcsetattr(terminal, TCSAFLUSH, &during) != 0) return NOT_TYPED;
  show(terminal, question);
  const enum outcome outcome = read_line(terminal, signals, answer, size);
  tcsetattr(terminal, TCSAFLUSH, &before);
  return outcome;
}

void prompt_show(const char *text) {
  const int terminal = open_terminal();
  if (terminal < 0) return;
  show(terminal, text);
  close(terminal);
}

bool prompt_ask(const char *question, bool is_shown, char *answer, size_t size) {
  const int terminal = open_terminal();
  if (terminal < 0) return false;

  /* Blocked, so that none ends the program while the terminal hides what is typed. */
  sigset_t signals, before;
  sigemptyset(&signals);
  const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
  for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
    sigaddset(&signals, numbers[index]);
  }
  enum outcome outcome;
  do {
    sigprocmask(SIG_BLOCK, &signals, &before);
    const int descriptor = signalfd(-1, &signals, SFD_CLOEXEC);
    outcome = NOT_TYPED;
    if (descriptor >= 0) {
      outcome = ask(terminal, descriptor, question, is_shown, answer, size);
      close(descriptor);
    }
    /* A signal that came takes effect here; after Ctrl-Z and "fg" the question is asked again. */
    sigprocmask(SIG_SETMASK, &before, NULL);
  } while (outcome == INTERRUPTED);

  close(terminal);
  if (outcome != TYPED) explicit_bzero(answer, size);
  return outcome == TYPED;
}
