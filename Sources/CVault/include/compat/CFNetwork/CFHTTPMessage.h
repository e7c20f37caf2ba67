/* Apple's name: see CFNetwork.h. */
#include "CFNetwork.h"
