/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module that registers PMUs with fixed files, and no more: what a driver costs that has
 * the same files and nothing else. The generated source has the files and the array
 * pmus[], and includes plain_init.h after it.
 */

#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>

/* A file of /sys with its content, which the kernel prints with a newline. */
#define FILE(file, text) {						\
	.attr = {							\
		.attr = { .name = file, .mode = 0444 },			\
		.show = device_show_string,				\
	},								\
	.var = text,							\
}

#define PMU(pmu, groups) {						\
	.name = pmu,							\
	.module = THIS_MODULE,						\
	.attr_groups = groups,						\
	.task_ctx_nr = perf_invalid_context,				\
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,			\
	.event_init = plain_event_init,					\
	.add = plain_add,						\
	.del = plain_stop,						\
	.start = plain_stop,						\
	.stop = plain_stop,						\
	.read = plain_read,						\
}

static int plain_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static int plain_add(struct perf_event *event, int flags)
{
	return -EINVAL;
}

static void plain_stop(struct perf_event *event, int flags)
{
}

static void plain_read(struct perf_event *event)
{
}
