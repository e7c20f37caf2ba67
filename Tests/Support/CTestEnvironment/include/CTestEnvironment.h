// The environment is made before anything is called: see environment.c.

// The bytes that malloc has given out and not got back, in all its arenas.
long memory_in_use(void);
