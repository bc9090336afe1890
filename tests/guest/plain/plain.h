/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module that registers PMUs with fixed files, and no more: what a driver costs that has
 * the same files and nothing else. The generated source has the files and PMUs, from
 * which PLAIN_MODULE(PMUs) makes the module.
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

#define PLAIN_MODULE(pmus)						\
	static int __init plain_init(void)				\
	{								\
		return plain_register(pmus, ARRAY_SIZE(pmus));		\
	}								\
	static void __exit plain_exit(void)				\
	{								\
		plain_unregister(pmus, ARRAY_SIZE(pmus));		\
	}								\
	module_init(plain_init);					\
	module_exit(plain_exit);					\
	MODULE_DESCRIPTION("PMUs with fixed files");			\
	MODULE_LICENSE("GPL")

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

static void plain_unregister(struct pmu *pmus, int count)
{
	while (count--)
		perf_pmu_unregister(&pmus[count]);
}

static int plain_register(struct pmu *pmus, int count)
{
	for (int i = 0; i < count; i++) {
		int error = perf_pmu_register(&pmus[i], pmus[i].name, -1);

		if (error) {
			plain_unregister(pmus, i);
			return error;
		}
	}
	return 0;
}
