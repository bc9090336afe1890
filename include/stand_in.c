// SPDX-License-Identifier: GPL-2.0
/*
 * What rust/kernel needs of the kernel where it stands in for the kernel crate,
 * and the entry points of the module.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "stand_in.h"

void *stand_in_allocate(size_t size, bool contiguous)
{
	return contiguous ? kmalloc(size, GFP_KERNEL) :
			    kvmalloc(size, GFP_KERNEL);
}

void stand_in_free(void *memory)
{
	kvfree(memory);
}

void stand_in_mutex_init(struct mutex *mutex, const char *name,
			 struct lock_class_key *class)
{
	/* rust/kernel gives a mutex this alignment */
	BUILD_BUG_ON(__alignof__(struct mutex) > 8);
	__mutex_init(mutex, name, class);
}

void stand_in_mutex_lock(struct mutex *mutex)
{
	mutex_lock(mutex);
}

void stand_in_mutex_unlock(struct mutex *mutex)
{
	mutex_unlock(mutex);
}

void stand_in_log(int level, const u8 *text, size_t length)
{
	switch (level) {
	case LOGLEVEL_ERR:
		pr_err("%.*s", (int)length, text);
		break;
	case LOGLEVEL_WARNING:
		pr_warn("%.*s", (int)length, text);
		break;
	case LOGLEVEL_NOTICE:
		pr_notice("%.*s", (int)length, text);
		break;
	case LOGLEVEL_INFO:
		pr_info("%.*s", (int)length, text);
		break;
	default:
		pr_emerg("%.*s", (int)length, text);
	}
}

void stand_in_sleep(u64 nanos)
{
	fsleep(DIV_ROUND_UP_ULL(nanos, NSEC_PER_USEC));
}

/* Code in Rust that panics cannot go on */
void stand_in_bug(void)
{
	BUG();
}

static int __init start(void)
{
	return stand_in_init();
}

static void __exit stop(void)
{
	stand_in_exit();
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
