// SPDX-License-Identifier: GPL-2.0

//! Runs a closure on a chosen CPU.
//!
//! C header: [`include/linux/smp.h`](srctree/include/linux/smp.h)
//!
//! # Contexts
//!
//! [`on_cpu`] is for process context with interrupts on; it waits for the other CPU. The closure
//! runs in interrupt context there: it must not sleep, and must be short.

use super::{
    bindings,
    context::IrqsOff,
    topology::Cpu, //
};
use kernel::{
    error::to_result,
    ffi::c_void,
    prelude::*, //
};

/// The closure of a cross call, and its result.
struct Call<F, R> {
    function: Option<F>,
    result: Option<R>,
}

/// Runs `function` on `cpu` with interrupts off and returns its result.
///
/// # Errors
///
/// [`ENXIO`] if the CPU is offline.
pub(crate) fn on_cpu<F, R>(cpu: Cpu, function: F) -> Result<R>
where
    F: FnOnce(&IrqsOff) -> R + Send,
    R: Send,
{
    let mut call = Call {
        function: Some(function),
        result: None,
    };
    let info: *mut Call<F, R> = &raw mut call;

    // SAFETY: `wait` is true, so that `trampoline` has returned before this does; until then
    // nothing else uses `call`, which is what `trampoline::<F, R>` expects `info` to be.
    let status = unsafe {
        bindings::helper_smp_call_function_single(
            cpu.number(),
            Some(trampoline::<F, R>),
            info.cast(),
        )
    };
    to_result(status)?;
    call.result.ok_or(ENXIO)
}

/// # Safety
///
/// Must be called with interrupts off. `info` must point to a `Call<F, R>` that no other code uses
/// meanwhile.
unsafe extern "C" fn trampoline<F, R>(info: *mut c_void)
where
    F: FnOnce(&IrqsOff) -> R,
{
    // SAFETY: By the function's contract `info` is an exclusive `Call<F, R>`.
    let call = unsafe { &mut *info.cast::<Call<F, R>>() };
    // SAFETY: By the function's contract interrupts are off; a cross call is no NMI.
    let here = unsafe { IrqsOff::assume() };
    call.result = call.function.take().map(|function| function(&here));
}
