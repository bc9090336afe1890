// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters that are text, which the kernel crate's module! lacks. What they mean and which
 * values they take is in rust/uncore/options.rs.
 */
#include <linux/module.h>

#include "helpers.h"

static char *alias = "safe";
module_param(alias, charp, 0444);
MODULE_PARM_DESC(alias, "Which PMUs have the in-tree driver's name as a second one, for perf's built-in events: safe (where those are right), all or none");

static char *names = "native";
module_param(names, charp, 0444);
MODULE_PARM_DESC(names, "What the PMUs are called: native, or compat (as the in-tree driver calls them)");

static char *overflow = "auto";
module_param(overflow, charp, 0444);
MODULE_PARM_DESC(overflow, "How counters that overflow are noticed: auto (by interrupt, where a trial shows that it comes), pmi (by interrupt) or poll");

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
