/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoint of the module: an interval of an event has ended.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uncore_rs

#if !defined(_UNCORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _UNCORE_TRACE_H

#include <linux/tracepoint.h>

#include "helpers.h"

TRACE_EVENT(interval,
	    TP_PROTO(const struct helper_interval *interval),
	    TP_ARGS(interval),
	    TP_STRUCT__entry(__string(pmu, interval->pmu)
			     __field(u32, package)
			     __field(u64, id)
			     __field(u64, config)
			     __field(u64, count)
			     __field(u64, time)
			     __string(all, interval->all)),
	    /* Not __assign_str(), which has one argument or two */
	    TP_fast_assign(memcpy(__get_str(pmu), interval->pmu,
				  __get_dynamic_array_len(pmu));
			   __entry->package = interval->package;
			   __entry->id = interval->id;
			   __entry->config = interval->config;
			   __entry->count = interval->count;
			   __entry->time = interval->time;
			   memcpy(__get_str(all), interval->all,
				  __get_dynamic_array_len(all));),
	    TP_printk("pmu=%s package=%u id=%llu config=%#llx count=%llu time=%llu all=%s",
		      __get_str(pmu), __entry->package, __entry->id,
		      __entry->config, __entry->count, __entry->time,
		      __get_str(all))
);

#endif

/* Kbuild adds this directory to the include path */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
