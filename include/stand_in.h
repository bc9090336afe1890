/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rust/kernel and C call of each other where rust/kernel stands in for the
 * kernel crate.
 */
#ifndef _UNCORE_STAND_IN_H
#define _UNCORE_STAND_IN_H

#include <linux/types.h>

struct lock_class_key;
struct mutex;

/* Of C */
void *stand_in_allocate(size_t size, bool contiguous);
void stand_in_free(void *memory);
void stand_in_mutex_init(struct mutex *mutex, const char *name,
			 struct lock_class_key *class);
void stand_in_mutex_lock(struct mutex *mutex);
void stand_in_mutex_unlock(struct mutex *mutex);
void stand_in_log(int level, const u8 *text, size_t length);
void stand_in_sleep(u64 nanos);
void stand_in_bug(void);

/* Of Rust */
int stand_in_init(void);
void stand_in_exit(void);

#endif
