#include "kill_switch.h"
