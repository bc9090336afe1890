// SPDX-License-Identifier: GPL-2.0

//! Keeps the host's time out of a machine whose processors share one thread.
//!
//! With `-accel tcg,thread=single -icount shift=N,sleep=off` the guest's time is executed
//! instructions, and processors take turns at it. Two things of QEMU bring in the host's time:
//! its main loop runs timers of the guest whenever it wakes up, and its RCU thread ends the
//! turn of a processor for a reader that takes long. So here:
//!
//! - The main loop runs only while all processors wait for an interrupt. It calls `ppoll` before
//!   each round, and the thread of the processors waits in `pthread_cond_wait`. Both functions
//!   are ours if `LD_PRELOAD` names this library.
//! - The RCU thread cannot end a turn: a turn is short, and RCU waits until it is over.
//!
//! A QEMU that does not show its functions ([`internals`]) is refused.

#![expect(unsafe_code, reason = "takes the place of functions of the C library")]

use std::cell::Cell;
use std::ffi::{c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::internals::{self, symbol};

/// Offset of the notifiers with which RCU ends a turn, within the thread's RCU record.
const FORCE_RCU: usize = 0x20;
/// Time between two checks of the main loop for the end of the machine.
const TICK: Duration = Duration::from_millis(1);
type Poll = unsafe extern "C" fn(*mut c_void, c_ulong, *const Timespec, *const c_void) -> c_int;
/// A function to call outside of translated code, with its processor and a number.
pub(crate) type Call = extern "C" fn(*mut c_void, u64);
type Wait = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// `struct timespec`.
#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

macro_rules! functions {
    ($($field:ident: $kind:ty = $name:literal,)*) => {
        /// Functions of QEMU.
        struct Emulator {
            $($field: $kind,)*
        }

        impl Emulator {
            /// Looks them up.
            fn find() -> Option<Self> {
                Some(Self {
                    $($field: {
                        let found = symbol($name)?;
                        // SAFETY: a function of QEMU 11.1 with this type; `entry` checks the
                        // version.
                        unsafe { std::mem::transmute::<*mut c_void, $kind>(found) }
                    },)*
                })
            }
        }
    };
}

functions! {
    all_idle: extern "C" fn() -> bool = c"all_cpu_threads_idle",
    shutdown_requested: extern "C" fn() -> c_int = c"qemu_shutdown_requested_get",
    reset_requested: extern "C" fn() -> c_int = c"qemu_reset_requested_get",
    end_turn: unsafe extern "C" fn(*mut c_void) = c"cpu_exit",
    run_later: unsafe extern "C" fn(*mut c_void, Call, u64) = c"async_run_on_cpu",
    rcu_reader: extern "C" fn() -> *mut c_void = c"get_ptr_rcu_reader",
    remove_force_rcu: unsafe extern "C" fn(*mut c_void) = c"rcu_remove_force_rcu_notifier",
}

/// The part of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Other,
    MainLoop,
    Processors,
}

thread_local! {
    static PART: Cell<Part> = const { Cell::new(Part::Other) };
}

static EMULATOR: OnceLock<Emulator> = OnceLock::new();
/// True while the thread of the processors waits for an interrupt.
static WAITING: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<()> = Mutex::new(());
static CHANGED: Condvar = Condvar::new();

/// Begins on the main thread, before the machine runs.
pub(crate) fn begin() -> Result<(), String> {
    let ours: Poll = ppoll;
    if symbol(c"ppoll") != Some(ours as *mut c_void) {
        return Err("an order needs LD_PRELOAD with the path of this plugin".to_owned());
    }
    let emulator = Emulator::find().filter(|_| symbol(c"current_cpu").is_some());
    let emulator = emulator.ok_or("an order needs a QEMU that shows its functions to modules")?;
    EMULATOR.get_or_init(|| emulator);
    PART.set(Part::MainLoop);
    Ok(())
}

/// Makes this thread the one of the processors.
pub(crate) fn on_processors() {
    let Some(emulator) = EMULATOR.get() else {
        return;
    };
    if PART.replace(Part::Processors) == Part::Processors {
        return;
    }
    let first = (emulator.rcu_reader)().wrapping_byte_add(FORCE_RCU);
    // SAFETY: the record lives as long as this thread, with the head of a list there.
    let notifier = unsafe { *first.cast::<*mut c_void>() };
    if !notifier.is_null() {
        // SAFETY: the only notifier of this thread, registered when the thread began.
        unsafe { (emulator.remove_force_rcu)(notifier) };
    }
}

/// Ends the turn of the processor that runs, when it leaves its translated code.
pub(crate) fn end_turn() {
    if let (Some(emulator), Some(processor)) = (EMULATOR.get(), internals::processor()) {
        // SAFETY: the processor that runs.
        unsafe { (emulator.end_turn)(processor) };
    }
}

/// Calls a function with a number, outside of translated code, when the running processor has
/// ended its turn: only there it may get an interrupt. False if that is not necessary.
pub(crate) fn call_later(function: Call, number: u64) -> bool {
    let (Some(emulator), Some(processor)) = (EMULATOR.get(), internals::processor()) else {
        return false;
    };
    // SAFETY: the processor that runs.
    unsafe { (emulator.run_later)(processor, function, number) };
    true
}

/// Tells if the machine is switched off or reset, which the main loop must do.
fn ends(emulator: &Emulator) -> bool {
    (emulator.shutdown_requested)() != 0 || (emulator.reset_requested)() != 0
}

/// Waits until all processors wait; false if the machine ends.
fn until_all_wait(emulator: &Emulator) -> bool {
    let mut lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if ends(emulator) {
            return false;
        }
        if WAITING.load(Ordering::SeqCst) && (emulator.all_idle)() {
            return true;
        }
        let waited = CHANGED.wait_timeout(lock, TICK);
        lock = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Waits for events, or for processors if this is the main loop.
///
/// # Safety
///
/// As of the C library's function.
#[no_mangle]
unsafe extern "C" fn ppoll(
    files: *mut c_void,
    count: c_ulong,
    timeout: *const Timespec,
    mask: *const c_void,
) -> c_int {
    static AT_ONCE: Timespec = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    static REAL: OnceLock<Poll> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        // SAFETY: the C library's function, which has this type.
        unsafe { std::mem::transmute::<*mut c_void, Poll>(internals::next(c"ppoll")) }
    });
    let emulator = EMULATOR.get().filter(|_| PART.get() == Part::MainLoop);
    let timeout = match emulator {
        Some(emulator) if until_all_wait(emulator) => &raw const AT_ONCE,
        _ => timeout,
    };
    // SAFETY: by the contract of this function; the other timeout is a constant.
    unsafe { real(files, count, timeout, mask) }
}

/// Waits for a condition, and tells the main loop if processors wait.
///
/// # Safety
///
/// As of the C library's function.
#[no_mangle]
unsafe extern "C" fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int {
    static REAL: OnceLock<Wait> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        // SAFETY: the C library's function, which has this type.
        unsafe { std::mem::transmute::<*mut c_void, Wait>(internals::next(c"pthread_cond_wait")) }
    });
    let ours = PART.get() == Part::Processors;
    if ours {
        WAITING.store(true, Ordering::SeqCst);
        drop(LOCK.lock().unwrap_or_else(PoisonError::into_inner));
        CHANGED.notify_one();
    }
    // SAFETY: by the contract of this function.
    let result = unsafe { real(condition, mutex) };
    if ours {
        WAITING.store(false, Ordering::SeqCst);
    }
    result
}
