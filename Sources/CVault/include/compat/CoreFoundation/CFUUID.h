/* A part of CoreFoundation.h. */
#include "CoreFoundation.h"
