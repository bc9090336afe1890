// SPDX-License-Identifier: GPL-2.0

//! An event that a user opens: its attributes, and the group that it joins.
//!
//! # Contexts
//!
//! `event_init`, in process context; perf holds a lock, so the group does not change.

use super::{
    Event,
    Pmu, //
};
use crate::linux::{
    bindings,
    topology::Cpu, //
};
use core::marker::PhantomData;

/// The words of `struct perf_event_attr` to which a PMU gives the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConfigWords {
    pub(crate) config: u64,
    pub(crate) config1: u64,
    pub(crate) config2: u64,
    pub(crate) config3: u64,
    pub(crate) config4: u64,
}

/// The attributes that the user set, as plain values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Attr {
    pub(crate) words: ConfigWords,
    /// A sample period or frequency is set.
    pub(crate) sampling: bool,
    /// `precise_ip`.
    pub(crate) precise_ip: u8,
    /// Samples with the last branches are requested.
    pub(crate) branches: bool,
    /// `exclude_*` bits.
    pub(crate) exclude: Exclude,
    /// The event follows a task.
    pub(crate) task: bool,
    /// CPU on which the event counts.
    pub(crate) cpu: Option<Cpu>,
}

/// The `exclude_*` bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Exclude {
    /// `exclude_user`.
    pub(crate) user: bool,
    /// `exclude_kernel`.
    pub(crate) kernel: bool,
    /// `exclude_hv`.
    pub(crate) hypervisor: bool,
    /// `exclude_idle`.
    pub(crate) idle: bool,
    /// `exclude_host`.
    pub(crate) host: bool,
    /// `exclude_guest`.
    pub(crate) guest: bool,
}

/// An event in the group that the new event joins.
pub(crate) enum Member<'a, T: Pmu> {
    /// An event of this PMU.
    Ours(&'a Event<T>),
    /// A software event, which needs no counter.
    Software,
    /// An event of another hardware PMU.
    Foreign,
}

/// An event in its `event_init`.
///
/// # Invariants
///
/// `event` is valid for `'a` and has no data of the driver yet; its group leader is valid for `'a`
/// and the leader's list of siblings does not change.
pub(crate) struct Opening<'a, T: Pmu> {
    event: *mut bindings::perf_event,
    attr: Attr,
    _driver: PhantomData<&'a T>,
}

impl<'a, T: Pmu> Opening<'a, T> {
    /// Converts a pointer from perf.
    ///
    /// # Safety
    ///
    /// The pointer must satisfy the type invariant for `'a`.
    pub(super) unsafe fn new(event: *mut bindings::perf_event) -> Self {
        // INVARIANT: By the function's contract, which is the invariant.
        Self {
            event,
            // SAFETY: By the function's contract the event is valid and in its `event_init`.
            attr: unsafe { attr_of(event) },
            _driver: PhantomData,
        }
    }

    /// Returns the ID of the event, unique since boot.
    pub(crate) fn id(&self) -> u64 {
        // SAFETY: The event is valid by the type invariant. Perf has set its ID, which never
        // changes.
        unsafe { (*self.event).id }
    }

    /// Returns the attributes that the user set.
    pub(crate) fn attr(&self) -> &Attr {
        &self.attr
    }

    /// Returns whether the user has `CAP_PERFMON` or `CAP_SYS_ADMIN`.
    ///
    /// Perf calls `event_init` in the task that opens the event. Only an event of a task is
    /// inherited, and the task that forks opens it then.
    pub(crate) fn is_perfmon_capable(&self) -> bool {
        // SAFETY: Reads the credentials of the current task. This is process context: by the type
        // invariant the event is in its `event_init`.
        unsafe { bindings::helper_perfmon_capable() }
    }

    /// Returns whether the user may count what the kernel does. Every event of a CPU needs that.
    ///
    /// Perf has asked before, unless the event excludes the kernel.
    pub(crate) fn may_count_kernel(&self) -> bool {
        // SAFETY: Reads the credentials of the current task. This is process context: by the type
        // invariant the event is in its `event_init`.
        unsafe { bindings::helper_perf_allow_kernel(self.event) }
    }

    /// Changes the CPU on which the event counts.
    pub(crate) fn set_cpu(&mut self, cpu: Cpu) {
        self.attr.cpu = Some(cpu);
        // SAFETY: The event is valid by the type invariant, and perf does not use it yet.
        unsafe { (*self.event).cpu = cpu.signed() };
    }

    /// Lets perf read the event on any CPU of its package.
    pub(crate) fn set_read_on_package(&mut self) {
        // SAFETY: The event is valid by the type invariant, and perf does not use it yet.
        unsafe { bindings::helper_perf_event_read_on_package(self.event) };
    }

    /// Returns the events of the group, leader first; none if the new event is the leader.
    pub(crate) fn members(&self) -> impl Iterator<Item = Member<'a, T>> + Clone + use<'a, '_, T> {
        // SAFETY: The event is valid by the type invariant.
        let leader = unsafe { (*self.event).group_leader };
        let leader = (leader != self.event).then_some(leader);
        core::iter::successors(leader, |&event| {
            // SAFETY: By the type invariant the leader is valid, and so are its siblings; the list
            // does not change.
            let next = unsafe { bindings::helper_perf_next_sibling(event) };
            (!next.is_null()).then_some(next)
        })
        // SAFETY: The leader and its siblings are members of the group.
        .map(|event| unsafe { self.member(event) })
    }

    /// Classifies a member of the group.
    ///
    /// # Safety
    ///
    /// `event` must be a member of the group.
    unsafe fn member(&self, event: *mut bindings::perf_event) -> Member<'a, T> {
        // SAFETY: A member of the group is valid by the type invariant.
        if unsafe { bindings::helper_is_software_event(event) } {
            return Member::Software;
        }
        // SAFETY: A member of the group is valid by the type invariant.
        let pmu = unsafe { (*event).pmu };
        // SAFETY: The event is valid by the type invariant.
        if pmu != unsafe { (*self.event).pmu } {
            return Member::Foreign;
        }
        // SAFETY: The event is of this PMU. Perf puts an event into a group after its
        // `event_init`, and takes it out before the event is destroyed.
        Member::Ours(unsafe { Event::from_raw(event) })
    }
}

/// Copies the attributes of an event.
///
/// # Safety
///
/// `event` must be valid, in its `event_init`.
unsafe fn attr_of(event: *mut bindings::perf_event) -> Attr {
    // SAFETY: By the function's contract the event is valid; its attributes do not change in
    // `event_init`.
    let attr = unsafe { bindings::helper_attr(event) };
    // SAFETY: By the function's contract the event is valid.
    let state = unsafe { (*event).attach_state };
    // SAFETY: By the function's contract the event is valid.
    let cpu = unsafe { (*event).cpu };
    let [config, config1, config2, config3, config4] = attr.config;
    Attr {
        words: ConfigWords {
            config,
            config1,
            config2,
            config3,
            config4,
        },
        sampling: attr.sampling,
        precise_ip: attr.precise_ip,
        branches: attr.branches,
        exclude: Exclude {
            user: attr.exclude_user,
            kernel: attr.exclude_kernel,
            hypervisor: attr.exclude_hv,
            idle: attr.exclude_idle,
            host: attr.exclude_host,
            guest: attr.exclude_guest,
        },
        task: state & bindings::PERF_ATTACH_TASK != 0,
        cpu: Cpu::from_signed(cpu),
    }
}
