// SPDX-License-Identifier: GPL-2.0
/*
 * What describes the module, and its parameters. Texts are parsed in
 * rust/uncore/options.rs.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "helpers.h"

MODULE_AUTHOR("The uncore_rs authors");
MODULE_DESCRIPTION("Uncore performance counters of Intel processors");
#ifdef UNCORE_VERSION
MODULE_VERSION(UNCORE_VERSION);
#endif
/* Not in the version: DKMS compares versions */
#ifdef UNCORE_COMMIT
MODULE_INFO(commit, UNCORE_COMMIT);
#endif
/* Former name of the module, from when it supported one platform */
MODULE_ALIAS("ivbep_uncore");

static char *alias = "safe";
module_param(alias, charp, 0444);
MODULE_PARM_DESC(alias, "PMUs that have the in-tree driver's name as an alias, for perf's built-in events: safe (unless those events are wrong), all or none");

static char *names = "native";
module_param(names, charp, 0444);
MODULE_PARM_DESC(names, "Names of the PMUs: native, or compat (those of the in-tree driver)");

static char *overflow = "auto";
module_param(overflow, charp, 0444);
MODULE_PARM_DESC(overflow, "Detection of counter overflows: auto (by poll; events with an interval interrupt as well), pmi (all counters interrupt) or poll");

static char *tamper = "end";
module_param(tamper, charp, 0444);
MODULE_PARM_DESC(tamper, "What happens to events whose registers another tool modified: end, warn (the registers are set back, and the events count on) or off (registers are not verified)");

static char *filters = "one";
module_param(filters, charp, 0444);
MODULE_PARM_DESC(filters, "Filters of a C-Box in use at a time, as its manual leaves that open: one (events with filters count together if they filter by the same fields) or several");

/* A bool would take the name without a value */
static u8 allow_virtual;
module_param(allow_virtual, byte, 0);
MODULE_PARM_DESC(allow_virtual, "Load even under a hypervisor (0 or 1)");

static u8 frozen_limit = 5;
module_param(frozen_limit, byte, 0);
MODULE_PARM_DESC(frozen_limit, "Most percent of a second for which interrupts may freeze counters (100: no limit)");

const char *helper_param_alias(void)
{
	return alias;
}

const char *helper_param_names(void)
{
	return names;
}

const char *helper_param_overflow(void)
{
	return overflow;
}

const char *helper_param_tamper(void)
{
	return tamper;
}

const char *helper_param_filters(void)
{
	return filters;
}

bool helper_param_allow_virtual(void)
{
	return allow_virtual;
}

u8 helper_param_frozen_limit(void)
{
	return frozen_limit;
}

size_t helper_param_length(const char *value)
{
	return strlen(value);
}
