// SPDX-License-Identifier: GPL-2.0
/*
 * Ends each suspension to idle a moment after it began, as an interrupt of a device does.
 * Only clocks run on in that state, and the machine has no device that wakes it.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/suspend.h>

#define SLEEP_MS 100

static struct hrtimer timer;
static struct platform_device *device;

static enum hrtimer_restart end_sleep(struct hrtimer *unused)
{
	pm_system_wakeup();
	return HRTIMER_NORESTART;
}

static int wake_up_suspend(struct device *unused)
{
	if (pm_suspend_target_state == PM_SUSPEND_TO_IDLE)
		hrtimer_start(&timer, ms_to_ktime(SLEEP_MS), HRTIMER_MODE_REL);
	return 0;
}

static int wake_up_resume(struct device *unused)
{
	hrtimer_cancel(&timer);
	return 0;
}

static const struct dev_pm_ops wake_up_pm = {
	.suspend_noirq = wake_up_suspend,
	.resume_noirq = wake_up_resume,
};

static int wake_up_probe(struct platform_device *unused)
{
	return 0;
}

static struct platform_driver wake_up_driver = {
	.driver = {
		.name = "wake_up",
		.pm = &wake_up_pm,
	},
};

static int __init wake_up_init(void)
{
#ifdef OLD_TIMERS
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer.function = end_sleep;
#else
	hrtimer_setup(&timer, end_sleep, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#endif
	device = platform_create_bundle(&wake_up_driver, wake_up_probe, NULL, 0, NULL, 0);
	return PTR_ERR_OR_ZERO(device);
}

static void __exit wake_up_exit(void)
{
	platform_device_unregister(device);
	platform_driver_unregister(&wake_up_driver);
}

module_init(wake_up_init);
module_exit(wake_up_exit);
MODULE_DESCRIPTION("Ends suspensions to idle");
MODULE_LICENSE("GPL");
