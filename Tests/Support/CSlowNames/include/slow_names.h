#ifndef VAULT_SLOW_NAMES_H
#define VAULT_SLOW_NAMES_H

/* A program that links this resolves names below `slow.test` only when it says so, and others as always. */

/* The number of lookups of such names that have begun. */
int slow_names_begun(void);

/* Ends those lookups: there is no such name. */
void slow_names_end(void);

#endif
