// SPDX-License-Identifier: GPL-2.0
/* An object belongs to one module; this is the test module's copy. */
#include "helpers.c"
