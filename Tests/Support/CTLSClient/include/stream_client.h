/* A client of CFNetwork's streams, as it is written for Apple's systems. */
#ifndef STREAM_CLIENT_H
#define STREAM_CLIENT_H

#include <stddef.h>
#include <stdint.h>

/* What a stream gave. */
typedef struct stream_reply {
  /* The status of HTTP; 0 without a response. */
  int32_t status;
  /* The stream's state at the end, and its error. */
  int32_t state;
  int64_t domain;
  int32_t error;
  /* The length of the body, and its beginning. */
  int64_t count;
  char body[256];
  char url[512];
  /* How many requests were sent. */
  int32_t requests;
  /* What the first challenge was answered by. */
  char method[32];
} stream_reply_t;

/*
 * Requests a URL, and again with a user and a password if it asks for them; NULL for none.
 *
 * body: posted if it is not NULL; as a stream if `is_streamed`.
 * vault: answers challenges before the program does; NULL for none.
 * most: ends after so many bytes; 0 for all.
 */
stream_reply_t stream_get(
    const char *url, const char *user, const char *password, int follows, const char *body,
    int is_streamed, const void *vault, size_t most);

/* Returns the state of a stream before it is opened, its answer to a read, and the others' to NULL,
 * as one number: 0 if all is as it should be, else the number of the check that failed. */
int stream_check_unopened(void);

#endif
