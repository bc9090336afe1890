// SPDX-License-Identifier: GPL-2.0
/*
 * Text parameters of the module, which the kernel crate's module! cannot declare. Their values are
 * parsed in rust/uncore/options.rs.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "helpers.h"

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

size_t helper_param_length(const char *value)
{
	return strlen(value);
}
