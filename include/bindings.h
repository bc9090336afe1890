/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Input of bindgen: the headers of the C interfaces that rust/linux wraps, and the C helpers.
 */
#ifndef _UNCORE_BINDINGS_H
#define _UNCORE_BINDINGS_H

#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/sysfs.h>

#include "helpers.h"

#endif
