// SPDX-License-Identifier: GPL-2.0
/* The test module's copy of the helpers: an object can be part of one module only. */
#include "helpers.c"
