// SPDX-License-Identifier: GPL-2.0

//! Memory of the vectors that a load leaves behind, in which our driver has its files.
//!
//! The kernel traces each allocation and each release. Only vectors that may be large (`KVVec`)
//! come from `kvrealloc()`, and the driver has none but those of its files.

use std::collections::HashMap;
use uncore_e2e::prelude::*;

/// Directory of the events of memory.
const EVENTS: &str = "/sys/kernel/tracing/events/kmem";

/// Loads a module with steps while the kernel traces, and prints the trace. The filter knows the
/// function by its name, which differs between kernels. Addresses are not hashed: a processor
/// without random numbers has no key for them so soon.
const TRACE: &str = "{ [ -d EVENTS ] || \
                     mount -t tracefs tracefs /sys/kernel/tracing; } && \
                     echo 0 >/sys/kernel/tracing/options/hash-ptr && \
                     name=$(grep -o 'kvrealloc[a-z_]*_noprof$' /proc/kallsyms | head -n 1) && \
                     echo \"call_site.function == $name\" >EVENTS/kmalloc/filter && \
                     echo 1 | tee EVENTS/kmalloc/enable EVENTS/kfree/enable && \
                     STEPS && \
                     echo 0 | tee EVENTS/kmalloc/enable EVENTS/kfree/enable && \
                     cat /sys/kernel/tracing/trace && echo >/sys/kernel/tracing/trace";

/// Returns the bytes that steps allocate for vectors of files and keep, rounded up as the allocator
/// does.
pub(super) fn kept(session: &mut Session, steps: &[String]) -> i64 {
    let steps = format!("taskset 1 perf-open 'times 1 {}'", steps.join("; "));
    let command = TRACE.replace("EVENTS", EVENTS).replace("STEPS", &steps);
    of_trace(&session.ok(&command))
}

/// Returns the bytes of a trace that were allocated and not released.
fn of_trace(trace: &str) -> i64 {
    let mut live: HashMap<&str, i64> = HashMap::new();
    for line in trace.lines() {
        let field = |name| {
            let mut words = line.split_whitespace();
            words.find_map(|word| word.strip_prefix(name))
        };
        let Some(address) = field("ptr=") else {
            if let Some(numbers) = line.strip_prefix("# entries-in-buffer/entries-written: ") {
                let numbers = numbers.split_whitespace().next().unwrap_or_default();
                let (kept, written) = numbers.split_once('/').unwrap_or_default();
                assert_eq!(kept, written, "the trace lacks entries");
            }
            continue;
        };
        match field("bytes_alloc=").and_then(|bytes| bytes.parse().ok()) {
            Some(bytes) => live.insert(address, bytes),
            None => live.remove(address),
        };
    }
    live.values().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_memory_is_not_kept() {
        let trace = "\
# entries-in-buffer/entries-written: 5/5   #P:4
 a-1 [000] ..... 1.0: kmalloc: call_site=f+0x1/0x2 ptr=0a bytes_req=40 bytes_alloc=64 node=-1
 a-1 [000] ..... 1.1: kmalloc: call_site=f+0x1/0x2 ptr=0b bytes_req=100 bytes_alloc=128 node=-1
 a-1 [000] ..... 1.2: kfree: call_site=g+0x1/0x2 ptr=0a
 a-1 [000] ..... 1.3: kfree: call_site=g+0x1/0x2 ptr=0c
 a-1 [000] ..... 1.4: kmalloc: call_site=f+0x1/0x2 ptr=0a bytes_req=16 bytes_alloc=16 node=-1
";
        assert_eq!(of_trace(trace), 128 + 16);
    }

    #[test]
    #[should_panic(expected = "lacks entries")]
    fn a_trace_that_lost_entries_is_refused() {
        of_trace("# entries-in-buffer/entries-written: 5/6   #P:4\n");
    }
}
