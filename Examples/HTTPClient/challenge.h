#ifndef CHALLENGE_H
#define CHALLENGE_H

/* What a server or proxy asks for, from its WWW-Authenticate or Proxy-Authenticate fields. */
struct challenge {
  /* "digest" or "basic", the stronger of those offered; NULL if neither is. */
  const char *method;
  /* What the credentials are for. It comes from the network: anything may stand in it. */
  char realm[512];
};

/* Reads one field, which may hold several challenges, and keeps the strongest of this and earlier fields. */
void challenge_read(struct challenge *challenge, const char *field);

#endif
