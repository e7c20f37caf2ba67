#ifndef PROMPT_H
#define PROMPT_H

#include <stdbool.h>
#include <stddef.h>

/* Shows a text on the terminal, with "?" for what could control it; a realm may hold anything. */
void prompt_show(const char *text);

/*
 * Asks on the terminal, whatever the standard streams are; what is typed is shown only if `is_shown`.
 *
 * False if there is no terminal, the input ends, or the line is empty or does not fit; `answer` is wiped then.
 * Otherwise the caller wipes it.
 */
bool prompt_ask(const char *question, bool is_shown, char *answer, size_t size);

#endif
