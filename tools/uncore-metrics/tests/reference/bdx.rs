// SPDX-License-Identifier: GPL-2.0

use super::Field;
use super::Packets;
use super::Platform;

pub(super) const BDX: Platform = Platform {
    name: "bdx",
    left_out: &[
        "llc_mpi",
        "pct_rd_requests",
        "pct_wr_requests",
        "pct_cyc_freq_current_ltd",
        "data_from_qpi",
        "data_from_qpi_to_ha_or_iio",
        "drs_data_msgs_from_qpi",
        "ncb_data_msgs_from_qpi",
    ],
    departs: &[],
    metrics: uncore_catalogue::bdx_metrics,
    rows: uncore_catalogue::bdx_rows,
    packets: PACKETS,
    fields: FIELDS,
};

const FIELDS: &[Field] = &[
    ("cbox", "tid_en", 1, ""),
    ("cbox", "filter_tid", 0x3f, "F0.tid"),
    ("cbox", "filter_state", 0x7f, "F0.state"),
    ("sbox", "edge", 1, ""),
    ("sbox", "thresh", 0xff, ""),
];

/// Table 2-175, as in Documentation/hardware/bdx.rst section 14.2.
const PACKETS: &[Packets] = &[
    ("message.drs.anydatac", 0x1c00, 0x1f80, None),
    ("message.drs.datac_m", 0x1c00, 0x1fe0, Some(8)),
    ("message.drs.datac_e", 0x1c00, 0x1fe0, Some(4)),
    ("message.drs.datac_f", 0x1c00, 0x1fe0, Some(1)),
    ("message.drs.datac_e_cmp", 0x1c40, 0x1fe0, Some(4)),
    ("message.drs.datac_f_cmp", 0x1c40, 0x1fe0, Some(1)),
    ("message.drs.datac_e_frcackcnflt", 0x1c20, 0x1fe0, Some(4)),
    ("message.drs.datac_f_frcackcnflt", 0x1c20, 0x1fe0, Some(1)),
    ("message.drs.wbidata", 0x1c80, 0x1fe0, None),
    ("message.drs.wbsdata", 0x1ca0, 0x1fe0, None),
    ("message.drs.wbedata", 0x1cc0, 0x1fe0, None),
    ("message.drs.anyresp", 0x1c00, 0x1e00, None),
    ("message.drs.anyresp9flits", 0x1c00, 0x1f00, None),
    ("message.drs.anyresp11flits", 0x1d00, 0x1f00, None),
    ("message.ncb.anyresp", 0x1800, 0x1e00, None),
    ("message.ncb.anymsg9flits", 0x1800, 0x1f00, None),
    ("message.ncb.anymsg11flits", 0x1900, 0x1f00, None),
    ("message.ncb.anyint", 0x1900, 0x1f80, None),
];
