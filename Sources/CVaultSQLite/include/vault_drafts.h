#ifndef VAULT_DRAFTS_H
#define VAULT_DRAFTS_H

// The C library exports the names that begin with `vault_`, but none of these.
#pragma GCC visibility push(hidden)

// The files that this process is making under temporary names, for a signal that ends it.

// Notes a file before it is made. Returns a number for vault_draft_forget, or -1 if too many are
// noted or the path is too long: such a file is then left if a signal ends the process.
int vault_draft_note(const char *path);

// Forgets a file that is finished or gone; -1 is ignored.
void vault_draft_forget(int number);

// Lets the signals that end a program remove the noted files first, with their journals; a signal
// that is ignored stays so. For programs only: a library must not change its host's signals.
void vault_drafts_end_with_signals(void);

#pragma GCC visibility pop

#endif
