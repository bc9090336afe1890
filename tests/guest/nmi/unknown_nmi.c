// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the NMIs that nobody claims, in debugfs: unknown_nmi/seen. The kernel's own message about
 * them is rate limited. They are not claimed here either, so that the kernel complains as ever.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/module.h>

#include <asm/nmi.h>

static atomic_t seen;
static struct dentry *directory;

static int unknown_nmi(unsigned int type, struct pt_regs *regs)
{
	atomic_inc(&seen);
	return NMI_DONE;
}

static int __init unknown_nmi_init(void)
{
	int error = register_nmi_handler(NMI_UNKNOWN, unknown_nmi, 0, "unknown_nmi");

	if (error)
		return error;
	directory = debugfs_create_dir("unknown_nmi", NULL);
	debugfs_create_atomic_t("seen", 0400, directory, &seen);
	return 0;
}

static void __exit unknown_nmi_exit(void)
{
	debugfs_remove(directory);
	unregister_nmi_handler(NMI_UNKNOWN, "unknown_nmi");
}

module_init(unknown_nmi_init);
module_exit(unknown_nmi_exit);
MODULE_DESCRIPTION("Counts NMIs that nobody claims");
MODULE_LICENSE("GPL");
