// SPDX-License-Identifier: GPL-2.0

//! The entry points of a module.

use crate::ThisModule;

extern "C" {
    /// C's struct of this module.
    static __this_module: u8;
}

impl ThisModule {
    /// The module's own.
    #[doc(hidden)]
    pub const THIS: Self = Self(());

    /// Returns the pointer of C's struct.
    pub fn as_ptr(&self) -> *mut u8 {
        (&raw const __this_module).cast_mut()
    }
}

/// Makes a type the module. What describes it, C has as well: `include/stand_in.c`.
#[macro_export]
macro_rules! module {
    (type: $Module:ty, $($described:tt)*) => {
        const _: () = {
            static THIS: $crate::ThisModule = $crate::ThisModule::THIS;

            static mut LOADED: ::core::mem::MaybeUninit<$Module> =
                ::core::mem::MaybeUninit::uninit();

            #[no_mangle]
            #[link_section = ".init.text"]
            extern "C" fn stand_in_init() -> $crate::ffi::c_int {
                match <$Module as $crate::Module>::init(&THIS) {
                    Ok(module) => {
                        // SAFETY: The kernel calls this once, before all else.
                        unsafe { (&raw mut LOADED).cast::<$Module>().write(module) };
                        0
                    }
                    Err(error) => error.to_errno(),
                }
            }

            #[no_mangle]
            #[link_section = ".exit.text"]
            extern "C" fn stand_in_exit() {
                // SAFETY: The kernel calls this once, after a successful `stand_in_init` and the
                // end of all else.
                unsafe { (&raw mut LOADED).cast::<$Module>().drop_in_place() };
            }
        };
    };
}
