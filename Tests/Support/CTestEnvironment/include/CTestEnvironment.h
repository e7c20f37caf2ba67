// Nothing is called: see environment.c.
