// SPDX-License-Identifier: GPL-2.0

//! Each value is dropped once, and stays where C code or readers find it.

use crate::{
    alloc::{KBox, KVec},
    error::code::{EINVAL, EIO, ENOMEM},
    init::try_pin_init,
    new_mutex,
    prelude::*,
    str::{BStr, CString},
    sync::{Arc, Mutex, UniqueArc},
    types::ForeignOwnable as _,
};
use std::cell::Cell;

thread_local! {
    static DROPS: Cell<u32> = const { Cell::new(0) };
}

#[derive(Clone)]
struct Counted;

impl Drop for Counted {
    fn drop(&mut self) {
        DROPS.set(DROPS.get() + 1);
    }
}

fn drops() -> u32 {
    DROPS.replace(0)
}

#[test]
fn a_vector_drops_what_it_has() -> Result {
    let mut vector = KVec::with_capacity(1, GFP_KERNEL)?;
    for number in 0..9_u64 {
        vector.push((number, Counted), GFP_KERNEL)?;
    }
    while vector
        .push_within_capacity((vector.len() as u64, Counted))
        .is_ok()
    {}
    assert_eq!(vector.len(), vector.capacity());
    vector.remove(0).map_err(|_| EINVAL)?;
    assert!(vector.remove(vector.len()).is_err());
    drops();
    let numbers = vector.iter().map(|(number, _)| *number);
    assert!(numbers.eq(1..vector.len() as u64 + 1));
    let length = vector.len();
    vector.clear();
    assert_eq!((drops() as usize, vector.len()), (length, 0));
    vector.push((1, Counted), GFP_KERNEL)?;
    drop(vector);
    assert_eq!(drops(), 1);
    let room = KVec::<u64>::with_capacity(usize::MAX / 8, GFP_KERNEL);
    assert_eq!(room.map_err(Error::from).err(), Some(ENOMEM));
    Ok(())
}

#[test]
fn values_of_no_size_need_no_memory() -> Result {
    let mut vector = KVec::new();
    vector.extend_from_slice(&[Counted, Counted], GFP_KERNEL)?;
    drops();
    drop((vector, KBox::new(Counted, GFP_KERNEL)?));
    assert_eq!(drops(), 3);
    drop(KBox::new(Counted, GFP_KERNEL)?.into_inner());
    assert_eq!(drops(), 1);
    Ok(())
}

trait Number {
    fn number(&self) -> u64;
}

/// A value that starts later in memory than the count of its references ends.
#[repr(align(64))]
struct Aligned(u64, Counted);

impl Number for Aligned {
    fn number(&self) -> u64 {
        self.0
    }
}

#[test]
fn the_last_reference_drops_a_value() -> Result {
    let first = Arc::new(Aligned(7, Counted), GFP_KERNEL)?;
    let number: Arc<dyn Number> = first.clone();
    let raw = Arc::into_raw(first);
    // SAFETY: Kept just now, and not taken back before.
    let again = unsafe { Arc::from_raw(raw) };
    assert!(std::ptr::eq(&*again, raw) && number.number() == 7);
    assert!(Arc::into_unique_or_drop(again).is_none());
    assert_eq!(drops(), 0);
    drop(number);
    assert_eq!(drops(), 1);
    let mut only: Arc<_> = UniqueArc::new(Aligned(8, Counted), GFP_KERNEL)?.into();
    let mut unique = Arc::into_unique_or_drop(only).ok_or(EINVAL)?;
    unique.0 = 9;
    only = Pin::into_inner(unique).into();
    let kept = only.into_foreign();
    // SAFETY: Kept just now, and taken back after the last use.
    let borrowed = unsafe { Arc::<Aligned>::borrow(kept) };
    let other: Arc<_> = borrowed.into();
    // SAFETY: Kept above, and not taken back before.
    drop(unsafe { Arc::<Aligned>::from_foreign(kept) });
    assert_eq!((other.number(), drops()), (9, 0));
    drop(other);
    assert_eq!(drops(), 1);
    Ok(())
}

#[pin_data]
struct Parts {
    first: Counted,
    #[pin]
    second: Mutex<u64>,
}

fn parts(second: Result<u64>) -> impl PinInit<Parts, Error> {
    try_pin_init!(Parts {
        first: Counted,
        second <- new_mutex!(second?),
    })
}

#[test]
fn an_initialiser_that_fails_leaves_nothing() -> Result {
    assert_eq!(KBox::pin_init(parts(Err(EIO)), GFP_KERNEL).err(), Some(EIO));
    assert!(Arc::pin_init(parts(Err(EIO)), GFP_KERNEL).is_err());
    assert_eq!(drops(), 2);
    let whole = Arc::pin_init(parts(Ok(3)), GFP_KERNEL)?;
    *whole.second.lock() += 1;
    assert_eq!(*whole.second.lock(), 4);
    drop(whole);
    assert_eq!(drops(), 1);
    Ok(())
}

#[test]
fn strings_end_and_are_escaped() -> Result {
    let string = CString::try_from_fmt(fmt!("{}_{}", "cbox", 12))?;
    assert_eq!(&*string, c"cbox_12");
    assert_eq!(CString::try_from_fmt(fmt!("a\0b")).err(), Some(EINVAL));
    let text = BStr::from_bytes(b"a\n\x80\"").to_string();
    assert_eq!(text, "a\\n\\x80\"");
    Ok(())
}
