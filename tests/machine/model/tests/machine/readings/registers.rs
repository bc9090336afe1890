// SPDX-License-Identifier: GPL-2.0

//! Readings of what a register has.

use super::pair;
use crate::bench::IRP;

#[test]
fn widths_of_counters() {
    let ones = (1_u64 << 48) - 1;
    for ((bench, reading), width) in pair("", "U-3:b+U-33:b")
        .iter_mut()
        .zip("ab".chars())
        .zip([48, 44])
    {
        let kept = (1_u64 << width) - 1;
        bench.wr(0, 0xc09, ones);
        assert_eq!(bench.rd(0, 0xc09), kept, "UBox, {reading}");
        bench.set_counter(IRP, 0xa0, ones);
        assert_eq!(bench.cfg_counter(IRP, 0xa0), kept, "IRP, {reading}");
        // The one after the largest value is 0.
        bench.wr(0, 0xc08, 1 << 22);
        bench.machine.burst(1);
        assert_eq!(bench.rd(0, 0xc09), 0, "UBox, {reading}");
    }
}
