// SPDX-License-Identifier: GPL-2.0

//! An M-Box is a memory controller: it turns requests of its B-Box into commands to the DIMMs.
//!
//! Six general counters of 48 bits; MSRs 0xca0 + 0x40 n; two per package. Sub-registers say what
//! of an event is counted. They are shared by the six counters.
//! Documentation/hardware/nhmex.rst sections 6, 7, 12, 13 and 15.
//!
//! Abbreviations: CAS, RAS, MRS, PRE, RFR and others commands to DRAM, CLS and OPN with the page
//! closed after it or left open; BCMD command of the B-Box; DSP dispatch queue; FVC, FVID fill and
//! victim buffers and an index in them; ISS issue of commands; MA memory access; PGT page table; PLD
//! payload queue; SMI link to the memory buffer; THR thermal thresholds; WRQ, RDQ write and read
//! queue.
//!
//! Oddities:
//!
//! * An event is one of `inc_sel`, or one of `set_flag_sel` with `flag_mode`.
//! * A counter stops at its end unless `wrap_mode` is set. The driver sets it with the enable bit,
//!   which the in-tree driver does not. Counting down is not offered.
//! * A sub-event is a value of a sub-register. Sub-registers share the bits of `config1`, of
//!   which the event chooses one, but for PLD, which is in the upper half. Events that use one agree
//!   on the whole value.
//! * Of FVC there are four equal events, each with a field of its own. Commands and
//!   responses are one field for all, so that reads and writes cannot be counted at once.
//! * `dram_cmd` and what is at 0x0b can be limited to addresses.
//!
//! Uncertain:
//!
//! * All of MSC_THR and PLD is from the lists, and some of MAP.
//! * Sub-registers of events that only Westmere-EX has.
//! * How an address is compared: the fields go to the registers as they are.

use super::*;

// Registers: MSR numbers less 0xca0 + 0x40 n.

/// `M_MSR_PMON_GLOBAL_CTL` (RW).
const BOX_CONTROL: BoxControl = enables(0x00, 0x3f);

/// `M_MSR_PMU_CTL0` to `5` (RW) and `M_MSR_PMU_CNT0` to `5` (RW).
const COUNTERS: &[Counter] = &pairs::<6>(0x10);

/// The event select: `flag_mode`, `inc_sel` and `set_flag_sel`.
const SELECT: &[Bits] = &[
    Bits { low: 7, high: 7 },
    Bits { low: 9, high: 13 },
    Bits { low: 19, high: 21 },
];

/// Layout of `M_MSR_PMU_CTL`, section 6.
///
/// No counter interrupts: the PMI enable, bit 1, is not used. Nor are the modes of bits 5:2, as
/// counters count up. With bit 6 a counter wraps.
const CONTROL: Control = Control {
    writable: 0x0038_3ec1,
    enable: 1 << 6 | 1 << 0,
    select: SELECT,
    ..super::CONTROL
};

/// The sub-registers (RW), sections 3 and 13, and the match of the address, section 12. FVC has these
/// bits.
const fn filters(fvc: u64) -> [FilterRegister; 10] {
    [
        word(0x05, DSP),
        word(0x06, ISS),
        word(0x07, MAP),
        word(0x08, THR),
        word(0x09, PGT),
        filter_register(0x0a, Word::Config1, 32, 0xffff_ffff).of_units(1 << PLD),
        filter_register(0x0b, Word::Config1, 0, fvc).of_units(ALL_FVC),
        address(&[0xe54, 0xe5c], 0, 1 << 63),
        address(&[0xe55, 0xe5d], 0, 0x3_ffff_ffff).guarded_by(7),
        address(&[0xe56, 0xe5e], 34, 0x7ff_ffff).guarded_by(7),
    ]
}

/// A sub-register that has the lower half of `config1`.
const fn word(offset: u16, unit: u8) -> FilterRegister {
    filter_register(offset, Word::Config1, 0, 0xffff_ffff).of_units(1 << unit)
}

/// A register of the match of the address, of both boxes.
const fn address(msrs: &'static [u32], shift: u8, writable: u64) -> FilterRegister {
    filter_msrs(msrs, Word::Config2, shift, writable).of_units(1 << ADDRESS)
}

// Config fields.

#[rustfmt::skip] // In columns, to be read against sections 6, 7, 12 and 13.
/// The fields of both models. Words of sub-registers have their names in-tree; other fields of
/// `config1` are parts of them.
const COMMON_FIELDS: &[Field] = &[
    field("inc_sel",       Word::Config,  bits::<9, 13>(),  Role::Select),
    field("flag_mode",     Word::Config,  bits::<7, 7>(),   Role::Select),
    field("set_flag_sel",  Word::Config,  bits::<19, 21>(), Role::Select),
    field("wrap_mode",     Word::Config,  bits::<6, 6>(),   Role::View),
    field("dsp",           Word::Config1, bits::<0, 31>(),  Role::Filter(DSP)),
    field("dsp_state",     Word::Config1, bits::<7, 10>(),  Role::View),
    field("iss",           Word::Config1, bits::<0, 31>(),  Role::Filter(ISS)),
    field("iss_frame",     Word::Config1, bits::<0, 3>(),   Role::View),
    field("iss_mode",      Word::Config1, bits::<4, 6>(),   Role::View),
    field("iss_cmd_mode",  Word::Config1, bits::<7, 9>(),   Role::View),
    field("map",           Word::Config1, bits::<0, 31>(),  Role::Filter(MAP)),
    field("thr",           Word::Config1, bits::<0, 31>(),  Role::Filter(THR)),
    field("thr_all",       Word::Config1, bits::<3, 3>(),   Role::View),
    field("thr_dimm",      Word::Config1, bits::<4, 6>(),   Role::View),
    field("thr_up",        Word::Config1, bits::<7, 8>(),   Role::View),
    field("thr_dn",        Word::Config1, bits::<9, 10>(),  Role::View),
    field("pgt",           Word::Config1, bits::<0, 31>(),  Role::Filter(PGT)),
    field("pgt_event",     Word::Config1, bits::<0, 0>(),   Role::View),
    field("pgt_state",     Word::Config1, bits::<6, 6>(),   Role::View),
    field("pld",           Word::Config1, bits::<32, 63>(), Role::Filter(PLD)),
    field("pld_use_mode",  Word::Config1, bits::<32, 32>(), Role::View),
    field("pld_one_fvid",  Word::Config1, bits::<39, 39>(), Role::View),
    field("pld_cmd",       Word::Config1, bits::<40, 44>(), Role::View),
    field("filter_match",  Word::Config2, bits::<0, 33>(),  Role::Filter(ADDRESS)),
    field("filter_mask",   Word::Config2, bits::<34, 60>(), Role::Filter(ADDRESS)),
    field("filter_cfg_en", Word::Config2, bits::<63, 63>(), Role::Filter(ADDRESS)),
];

#[rustfmt::skip] // In columns, to be read against section 13.
const NHM_FIELDS: &[Field] = &[
    field("map_fvid",      Word::Config1, bits::<0, 4>(),   Role::View),
    field("map_bcmd",      Word::Config1, bits::<5, 8>(),   Role::View),
    field("fvc",           Word::Config1, bits::<0, 31>(),  Role::View),
    field("fvc_fvid",      Word::Config1, bits::<0, 4>(),   Role::Filter(FVC)),
    field("fvc_bcmd",      Word::Config1, bits::<5, 7>(),   Role::Filter(FVC)),
    field("fvc_resp",      Word::Config1, bits::<8, 10>(),  Role::Filter(FVC)),
    field("fvc_evnt0",     Word::Config1, bits::<11, 13>(), Role::Filter(EVNT)),
    field("fvc_evnt1",     Word::Config1, bits::<14, 16>(), Role::Filter(EVNT + 1)),
    field("fvc_evnt2",     Word::Config1, bits::<17, 19>(), Role::Filter(EVNT + 2)),
    field("fvc_evnt3",     Word::Config1, bits::<20, 22>(), Role::Filter(EVNT + 3)),
    field("fvc_init_err",  Word::Config1, bits::<23, 23>(), Role::Filter(FVC)),
];

#[rustfmt::skip] // In columns, to be read against section 13.
const WSM_FIELDS: &[Field] = &[
    field("iss_sched",     Word::Config1, bits::<10, 10>(), Role::View),
    field("map_fvid",      Word::Config1, bits::<0, 5>(),   Role::View),
    field("map_bcmd",      Word::Config1, bits::<6, 9>(),   Role::View),
    field("pgt_event2",    Word::Config1, bits::<11, 11>(), Role::View),
    field("pld_use_cmd",   Word::Config1, bits::<48, 48>(), Role::View),
    field("pld_valid",     Word::Config1, bits::<49, 49>(), Role::View),
    field("pld_no_nop",    Word::Config1, bits::<50, 50>(), Role::View),
    field("pld_misc_cmd",  Word::Config1, bits::<51, 55>(), Role::View),
    field("fvc",           Word::Config1, bits::<0, 31>(),  Role::View),
    field("fvc_fvid",      Word::Config1, bits::<0, 5>(),   Role::Filter(FVC)),
    field("fvc_bcmd",      Word::Config1, bits::<6, 8>(),   Role::Filter(FVC)),
    field("fvc_resp",      Word::Config1, bits::<9, 11>(),  Role::Filter(FVC)),
    field("fvc_evnt0",     Word::Config1, bits::<12, 14>(), Role::Filter(EVNT)),
    field("fvc_evnt1",     Word::Config1, bits::<15, 17>(), Role::Filter(EVNT + 1)),
    field("fvc_evnt2",     Word::Config1, bits::<18, 20>(), Role::Filter(EVNT + 2)),
    field("fvc_evnt3",     Word::Config1, bits::<21, 23>(), Role::Filter(EVNT + 3)),
    field("fvc_init_err",  Word::Config1, bits::<24, 24>(), Role::Filter(FVC)),
];

// Filters.

// Indexes of the sub-registers, which are compared as a whole.
const DSP: u8 = 0;
const ISS: u8 = 1;
const MAP: u8 = 2;
const THR: u8 = 3;
const PGT: u8 = 4;
const PLD: u8 = 5;
/// Index of match and mask of the address.
const ADDRESS: u8 = 6;
/// Index of what the events of FVC share.
const FVC: u8 = 7;
/// Index of the field of the first event of FVC.
const EVNT: u8 = 8;

/// All units in FVC.
const ALL_FVC: u32 = 0b1_1111 << FVC;

#[rustfmt::skip] // In columns.
/// The filter units of both models. Zero is a value like any other, but for DSP.
const COMMON_UNITS: &[FilterUnit] = &[
    filter_unit("dsp",     Word::Config1, 0xffff_ffff,           WhenZero::Refuse("dsp")),
    filter_unit("iss",     Word::Config1, 0xffff_ffff,           WhenZero::Ask("iss")),
    filter_unit("map",     Word::Config1, 0xffff_ffff,           WhenZero::Ask("map")),
    filter_unit("thr",     Word::Config1, 0xffff_ffff,           WhenZero::Ask("thr")),
    filter_unit("pgt",     Word::Config1, 0xffff_ffff,           WhenZero::Ask("pgt")),
    filter_unit("pld",     Word::Config1, 0xffff_ffff << 32,     WhenZero::Ask("pld")),
    filter_unit("address", Word::Config2, 0x9fff_ffff_ffff_ffff, WhenZero::Keep)
        .address_but(0).valid(enabled),
];

#[rustfmt::skip] // In columns.
const NHM_UNITS: &[FilterUnit] = &[
    filter_unit("fvc",     Word::Config1, 0x80_07ff, WhenZero::Keep),
    filter_unit("evnt0",   Word::Config1, 0x7 << 11, WhenZero::Ask("fvc_evnt0")),
    filter_unit("evnt1",   Word::Config1, 0x7 << 14, WhenZero::Ask("fvc_evnt1")),
    filter_unit("evnt2",   Word::Config1, 0x7 << 17, WhenZero::Ask("fvc_evnt2")),
    filter_unit("evnt3",   Word::Config1, 0x7 << 20, WhenZero::Ask("fvc_evnt3")),
];

#[rustfmt::skip] // In columns.
const WSM_UNITS: &[FilterUnit] = &[
    filter_unit("fvc",     Word::Config1, 0x100_0fff, WhenZero::Keep),
    filter_unit("evnt0",   Word::Config1, 0x7 << 12,  WhenZero::Ask("fvc_evnt0")),
    filter_unit("evnt1",   Word::Config1, 0x7 << 15,  WhenZero::Ask("fvc_evnt1")),
    filter_unit("evnt2",   Word::Config1, 0x7 << 18,  WhenZero::Ask("fvc_evnt2")),
    filter_unit("evnt3",   Word::Config1, 0x7 << 21,  WhenZero::Ask("fvc_evnt3")),
];

/// Refuses a match of the address that is not enabled.
fn enabled(value: u64) -> Result<(), &'static str> {
    match (value, value >> 63) {
        (0, _) | (_, 1) => Ok(()),
        _ => Err("filter_match and filter_mask do nothing without filter_cfg_en"),
    }
}

// Events.

/// All six counters count every event.
const ANY: u8 = 0b11_1111;

/// An event of `inc_sel`.
const fn inc(name: &'static str, code: u32, max: u16) -> Event<false> {
    event(name, code << 9, ANY, max)
}

/// An event of `set_flag_sel`.
const fn flag(name: &'static str, code: u32, max: u16) -> Event<false> {
    event(name, 1 << 7 | code << 19, ANY, max)
}

/// A value of a sub-register.
const fn low(name: &'static str, value: u64) -> Preset {
    preset(name, value, 0).source(LISTS)
}

/// A value of PLD.
const fn high(name: &'static str, pld: u64) -> Preset {
    command(name, pld, 0)
}

/// A value of PLD and one of ISS.
const fn command(name: &'static str, pld: u64, iss: u64) -> Preset {
    low(name, pld << 32 | iss)
}

/// Places of the fields of FVC.
struct Fvc {
    bcmd: u32,
    resp: u32,
    evnt: u32,
}

const NHM_FVC: Fvc = Fvc {
    bcmd: 5,
    resp: 8,
    evnt: 11,
};

const WSM_FVC: Fvc = Fvc {
    bcmd: 6,
    resp: 9,
    evnt: 12,
};

/// A value of FVC for the `n`th of its events.
const fn fvc(name: &'static str, at: Fvc, n: u32, evnt: u64, bcmd: u64, resp: u64) -> Preset {
    let value = evnt << (at.evnt + 3 * n) | bcmd << at.bcmd | resp << at.resp;
    preset(name, value, 0).source("manual 2-115")
}

/// The sub-events of an event of FVC, and `$more`.
macro_rules! fvc {
    ($name:literal, $n:literal, $at:ident $(, $more:expr)*) => {
        presets![
            // name                                   evnt bcmd resp
            fvc(concat!($name, ".smi_crc_err"),         $at, $n, 0, 0, 0),
            fvc(concat!($name, ".mem_ecc_err"),         $at, $n, 1, 0, 0),
            fvc(concat!($name, ".poison_txn"),          $at, $n, 2, 0, 0),
            fvc(concat!($name, ".alert_frames"),        $at, $n, 3, 0, 0),
            fvc(concat!($name, ".fast_reset"),          $at, $n, 4, 0, 0),
            fvc(concat!($name, ".bbox_cmds.reads"),     $at, $n, 5, 0, 0),
            fvc(concat!($name, ".bbox_cmds.writes"),    $at, $n, 5, 1, 0),
            fvc(concat!($name, ".bbox_rsp.ack"),        $at, $n, 6, 0, 0),
            fvc(concat!($name, ".bbox_rsp.retry"),      $at, $n, 6, 0, 1),
            fvc(concat!($name, ".bbox_rsp.cor"),        $at, $n, 6, 0, 2),
            fvc(concat!($name, ".bbox_rsp.uncor"),      $at, $n, 6, 0, 3),
            fvc(concat!($name, ".bbox_rsp.spec_ack"),   $at, $n, 6, 0, 4),
            fvc(concat!($name, ".bbox_rsp.spr_ack"),    $at, $n, 6, 0, 5),
            fvc(concat!($name, ".bbox_rsp.spr_uncor"),  $at, $n, 6, 0, 7),
            fvc(concat!($name, ".smi_nb_trig"),         $at, $n, 7, 0, 0),
            $($more,)*
        ]
    };
}

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const DSP_FILL: &[Preset] = &[
    low("dsp_fill.rdq_full",  0x080),
    low("dsp_fill.wrq_full",  0x100),
    low("dsp_fill.rdq_empty", 0x200),
    low("dsp_fill.wrq_empty", 0x400),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const CYCLES_DSP_FILL: &[Preset] = &[
    low("cycles_dsp_fill.rdq_full",  0x080),
    low("cycles_dsp_fill.wrq_full",  0x100),
    low("cycles_dsp_fill.rdq_empty", 0x200),
    low("cycles_dsp_fill.wrq_empty", 0x400),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const THERM_TRP_UP: &[Preset] = &[
    low("therm_trp_up.all.gt_mid_rise",   0x188),
    low("therm_trp_up.all.gt_mid_fall",   0x108),
    low("therm_trp_up.all.gt_lo",         0x088),
    low("therm_trp_up.all.lt_lo",         0x008),
    low("therm_trp_up.dimm0.gt_mid_rise", 0x180),
    low("therm_trp_up.dimm0.gt_mid_fall", 0x100),
    low("therm_trp_up.dimm0.gt_lo",       0x080),
    low("therm_trp_up.dimm0.lt_lo",       0x000),
    low("therm_trp_up.dimm1.gt_mid_rise", 0x190),
    low("therm_trp_up.dimm1.gt_mid_fall", 0x110),
    low("therm_trp_up.dimm1.gt_lo",       0x090),
    low("therm_trp_up.dimm1.lt_lo",       0x010),
    low("therm_trp_up.dimm2.gt_mid_rise", 0x1a0),
    low("therm_trp_up.dimm2.gt_mid_fall", 0x120),
    low("therm_trp_up.dimm2.gt_lo",       0x0a0),
    low("therm_trp_up.dimm2.lt_lo",       0x020),
    low("therm_trp_up.dimm3.gt_mid_rise", 0x1b0),
    low("therm_trp_up.dimm3.gt_mid_fall", 0x130),
    low("therm_trp_up.dimm3.gt_lo",       0x0b0),
    low("therm_trp_up.dimm3.lt_lo",       0x030),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const THERM_TRP_DN: &[Preset] = &[
    low("therm_trp_dn.all.gt_mid_rise",   0x608),
    low("therm_trp_dn.all.gt_mid_fall",   0x408),
    low("therm_trp_dn.all.gt_lo",         0x208),
    low("therm_trp_dn.all.lt_lo",         0x008),
    low("therm_trp_dn.dimm0.gt_mid_rise", 0x600),
    low("therm_trp_dn.dimm0.gt_mid_fall", 0x400),
    low("therm_trp_dn.dimm0.gt_lo",       0x200),
    low("therm_trp_dn.dimm0.lt_lo",       0x000),
    low("therm_trp_dn.dimm1.gt_mid_rise", 0x610),
    low("therm_trp_dn.dimm1.gt_mid_fall", 0x410),
    low("therm_trp_dn.dimm1.gt_lo",       0x210),
    low("therm_trp_dn.dimm1.lt_lo",       0x010),
    low("therm_trp_dn.dimm2.gt_mid_rise", 0x620),
    low("therm_trp_dn.dimm2.gt_mid_fall", 0x420),
    low("therm_trp_dn.dimm2.gt_lo",       0x220),
    low("therm_trp_dn.dimm2.lt_lo",       0x020),
    low("therm_trp_dn.dimm3.gt_mid_rise", 0x630),
    low("therm_trp_dn.dimm3.gt_mid_fall", 0x430),
    low("therm_trp_dn.dimm3.gt_lo",       0x230),
    low("therm_trp_dn.dimm3.lt_lo",       0x030),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const FRM_TYPE: &[Preset] = &[
    low("frm_type.3cmd", 0x000),
    low("frm_type.wdat", 0x001),
    low("frm_type.sync", 0x002),
    low("frm_type.chnl", 0x003),
    low("frm_type.nop",  0x008),
    low("frm_type.1cmd", 0x00c),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
/// SPEC: nhmex X-12, command 0 is all commands or an illegal one.
const DRAM_CMD: &[Preset] = &[
    // Name                                 PLD     ISS
    command("dram_cmd.all",                 0x0000, 0x000),
    command("dram_cmd.illegal",             0x0000, 0x000),
    command("dram_cmd.all.trdoff",          0x0000, 0x000),
    command("dram_cmd.all.rdprio",          0x0000, 0x080),
    command("dram_cmd.all.wrprio",          0x0000, 0x100),
    command("dram_cmd.all.adaptive",        0x0000, 0x180),
    command("dram_cmd.preall",              0x0100, 0x000),
    command("dram_cmd.preall.trdoff",       0x0101, 0x000),
    command("dram_cmd.preall.rdprio",       0x0101, 0x080),
    command("dram_cmd.preall.wrprio",       0x0101, 0x100),
    command("dram_cmd.preall.adaptive",     0x0101, 0x180),
    command("dram_cmd.ras",                 0x0200, 0x000),
    command("dram_cmd.ras.trdoff",          0x0201, 0x000),
    command("dram_cmd.ras.rdprio",          0x0201, 0x080),
    command("dram_cmd.ras.wrprio",          0x0201, 0x100),
    command("dram_cmd.ras.adaptive",        0x0201, 0x180),
    command("dram_cmd.cas_rd_opn",          0x0300, 0x000),
    command("dram_cmd.cas_wr_opn",          0x0400, 0x000),
    command("dram_cmd.cas_wr_opn.trdoff",   0x0401, 0x000),
    command("dram_cmd.cas_wr_opn.rdprio",   0x0401, 0x080),
    command("dram_cmd.cas_wr_opn.wrprio",   0x0401, 0x100),
    command("dram_cmd.cas_wr_opn.adaptive", 0x0401, 0x180),
    command("dram_cmd.cas_rd_cls",          0x0500, 0x000),
    command("dram_cmd.cas_rd_cls.trdoff",   0x0501, 0x000),
    command("dram_cmd.cas_rd_cls.rdprio",   0x0501, 0x080),
    command("dram_cmd.cas_rd_cls.wrprio",   0x0501, 0x100),
    command("dram_cmd.cas_rd_cls.adaptive", 0x0501, 0x180),
    command("dram_cmd.cas_wr_cls",          0x0600, 0x000),
    command("dram_cmd.cas_wr_cls.trdoff",   0x0601, 0x000),
    command("dram_cmd.cas_wr_cls.rdprio",   0x0601, 0x080),
    command("dram_cmd.cas_wr_cls.wrprio",   0x0601, 0x100),
    command("dram_cmd.cas_wr_cls.adaptive", 0x0601, 0x180),
    command("dram_cmd.mrs",                 0x0700, 0x000),
    command("dram_cmd.rfr",                 0x0900, 0x000),
    command("dram_cmd.ensr",                0x0a00, 0x000),
    command("dram_cmd.exsr",                0x0b00, 0x000),
    command("dram_cmd.nop",                 0x0c00, 0x000),
    command("dram_cmd.trkl",                0x1000, 0x000),
    command("dram_cmd.pre",                 0x1100, 0x000),
    command("dram_cmd.sync",                0x1200, 0x000),
    command("dram_cmd.cke_hi",              0x1400, 0x000),
    command("dram_cmd.cke_lo",              0x1500, 0x000),
    command("dram_cmd.soft_rst",            0x1700, 0x000),
    command("dram_cmd.wr_cfg",              0x1c00, 0x000),
    command("dram_cmd.rd_cfg",              0x1d00, 0x000),
    command("dram_cmd.zqcal",               0x1e00, 0x000),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const PGT_PAGE_EV: &[Preset] = &[
    low("pgt_page_ev.opn2cls", 0x000),
    low("pgt_page_ev.cls2opn", 0x001),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const CYCLES_SCHED_MODE: &[Preset] = &[
    low("cycles_sched_mode.tradeoff", 0x000),
    low("cycles_sched_mode.rdprio",   0x010),
    low("cycles_sched_mode.wrprio",   0x020),
    low("cycles_sched_mode.adaptive", 0x030),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const CYCLES_PGT_STATE: &[Preset] = &[
    low("cycles_pgt_state.closed", 0x000),
    low("cycles_pgt_state.open",   0x040),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const COMMON: &[Event] = &[
    // Name                         code  max
    inc("dsp_fill",                 0x00, NOT_STATED).filter(DSP).presets(&DSP_FILL).source("manual 2-111"),
    flag("cycles_dsp_fill",         0x00, 1).filter(DSP).presets(&CYCLES_DSP_FILL).source("manual 2-111"),
    inc("cycles_mfull",             0x01, 1).source("manual 2-111"),
    inc("retry_mfull",              0x02, NOT_STATED).source(LISTS),
    inc("retry_starve",             0x03, NOT_STATED).source(LISTS),
    inc("therm_trp_up",             0x04, NOT_STATED).filter(THR).presets(&THERM_TRP_UP).source(LISTS),
    inc("therm_trp_dn",             0x05, NOT_STATED).filter(THR).presets(&THERM_TRP_DN).source(LISTS),
    inc("refresh",                  0x06, NOT_STATED).source(LISTS),
    inc("refresh_conflict",         0x07, NOT_STATED).source(LISTS),
    inc("frm_type",                 0x09, 1).filter(ISS).presets(&FRM_TYPE).source("manual 2-118"),
    inc("dram_cmd",                 0x0a, NOT_STATED).filters(DRAM).presets(&DRAM_CMD).source(LISTS),
    inc("ma_par_err",               0x0c, 1).source("manual 2-119"),
    inc("patrol_txns",              0x11, NOT_STATED).source(LISTS),
    inc("trans_cmds",               0x12, NOT_STATED).source(LISTS),
    inc("page_miss",                0x13, NOT_STATED).source(LISTS),
    inc("page_hit",                 0x14, 1).source("manual 2-119"),
    inc("pgt_page_ev",              0x16, NOT_STATED).filter(PGT).presets(&PGT_PAGE_EV).source(LISTS),
    inc("multicas",                 0x17, 1).source("manual 2-119"),
    inc("fvid_race",                0x18, 1).source("manual 2-118"),
    inc("tt_cmd_conflict",          0x19, NOT_STATED).source(LISTS),
    inc("bbox_cmds_all",            0x1a, 1).source("manual 2-111"),
    inc("cycles",                   0x1b, 1).source("manual 2-111"),
    inc("sched_inflight_cmds",      0x1c, NOT_STATED).source(LISTS),
    inc("inflight_cmds",            0x1d, 1).source("manual 2-118"),
    flag("cycles_sched_mode",       0x01, 1).filter(ISS).presets(&CYCLES_SCHED_MODE).source("manual 2-111"),
    flag("cycles_retryq_mfull",     0x03, 1).source("manual 2-111"),
    flag("cycles_retryq_starved",   0x04, 1).source("manual 2-111"),
    flag("cycles_pgt_state",        0x05, 1).filter(PGT).presets(&CYCLES_PGT_STATE).source("manual 2-111"),
];

/// The filter units of DRAM commands: their mode, the command, and the address.
const DRAM: u16 = 1 << ISS | MISC;
/// The filter units of other uses of PLD.
const MISC: u16 = 1 << PLD | 1 << ADDRESS;

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const RETRIES: &[Preset] = &[
    high("retries.all", 0x000000),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const NHM_SCHEDQ: &[Preset] = &[
    low("bcmd_schedq_occupancy.reads",  0x000),
    low("bcmd_schedq_occupancy.writes", 0x020),
    low("bcmd_schedq_occupancy.merge",  0x040),
    low("bcmd_schedq_occupancy.v2f",    0x060),
    low("bcmd_schedq_occupancy.v2v",    0x080),
    low("bcmd_schedq_occupancy.f2v",    0x0a0),
    low("bcmd_schedq_occupancy.f2b",    0x0c0),
    low("bcmd_schedq_occupancy.sprwr",  0x0e0),
    low("bcmd_schedq_occupancy.all",    0x100),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const NHM_ONLY: &[Event] = &[
    // Name                         code  max
    inc("sched_mode_changes",       0x08, NOT_STATED).source(LISTS),
    inc("retries",                  0x0b, NOT_STATED).filters(MISC).presets(&RETRIES).source(LISTS),
    inc("fvc_ev0",                  0x0d, 1).filter(FVC).filter(EVNT).presets(&NHM_FVC0).source("manual 2-115"),
    inc("fvc_ev1",                  0x0e, 1).filter(FVC).filter(EVNT + 1).presets(fvc!("fvc_ev1", 1, NHM_FVC)).source("manual 2-115"),
    inc("fvc_ev2",                  0x0f, 1).filter(FVC).filter(EVNT + 2).presets(fvc!("fvc_ev2", 2, NHM_FVC)).source("manual 2-115"),
    inc("fvc_ev3",                  0x10, 1).filter(FVC).filter(EVNT + 3).presets(fvc!("fvc_ev3", 3, NHM_FVC)).source("manual 2-115"),
    inc("page_empty",               0x15, 1).source("manual 2-119"),
    flag("bcmd_schedq_occupancy",   0x06, 1).filter(MAP).presets(&NHM_SCHEDQ).source("manual 2-119"),
];

/// Sub-events of the first event of FVC, two of them with their names in-tree, too.
const NHM_FVC0: &[Preset] = fvc!(
    "fvc_ev0",
    0,
    NHM_FVC,
    fvc("bbox_cmds_read", NHM_FVC, 0, 5, 0, 0),
    fvc("bbox_cmds_write", NHM_FVC, 0, 5, 1, 0)
);

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const ISS_SCHED: &[Preset] = &[
    low("iss_sched.changes",    0x000),
    low("iss_sched.frame_beat", 0x400),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const DRAM_MISC: &[Preset] = &[
    high("dram_misc.retries_all",  0x000000),
    high("dram_misc.retries_fvid", 0x000080),
    high("dram_misc.valid",        0x020000),
    high("dram_misc.non_nop_trkl", 0x040000),
    high("dram_misc.illegal",      0x010000),
    high("dram_misc.preall",       0x090000),
    high("dram_misc.ras",          0x110000),
    high("dram_misc.cas_rd_opn",   0x190000),
    high("dram_misc.cas_wr_opn",   0x210000),
    high("dram_misc.cas_rd_cls",   0x290000),
    high("dram_misc.cas_wr_cls",   0x310000),
    high("dram_misc.mrs",          0x390000),
    high("dram_misc.rfr",          0x490000),
    high("dram_misc.ensr",         0x510000),
    high("dram_misc.exsr",         0x590000),
    high("dram_misc.nop",          0x610000),
    high("dram_misc.trkl",         0x810000),
    high("dram_misc.pre",          0x890000),
    high("dram_misc.sync",         0x910000),
    high("dram_misc.cke_hi",       0xa10000),
    high("dram_misc.cke_lo",       0xa90000),
    high("dram_misc.soft_rst",     0xb90000),
    high("dram_misc.wr_cfg",       0xe10000),
    high("dram_misc.rd_cfg",       0xe90000),
    high("dram_misc.zqcal",        0xf10000),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const PGT_PAGE_EV2: &[Preset] = &[
    low("pgt_page_ev2.auto_cls",   0x000),
    low("pgt_page_ev2.page_empty", 0x800),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
/// SPEC: nhmex X-10, bits 9:6 of MAP.
const WSM_SCHEDQ: &[Preset] = &[
    low("bcmd_schedq_occupancy.reads",  0x000),
    low("bcmd_schedq_occupancy.writes", 0x040),
    low("bcmd_schedq_occupancy.merge",  0x080),
    low("bcmd_schedq_occupancy.v2f",    0x0c0),
    low("bcmd_schedq_occupancy.v2v",    0x100),
    low("bcmd_schedq_occupancy.f2v",    0x140),
    low("bcmd_schedq_occupancy.f2b",    0x180),
    low("bcmd_schedq_occupancy.sprwr",  0x1c0),
    low("bcmd_schedq_occupancy.all",    0x200),
];

#[rustfmt::skip] // One row, one line, in columns, to be read against the catalogue.
const WSM_ONLY: &[Event] = &[
    // Name                         code  max
    // SPEC: nhmex X-13, it looks at ISS.
    inc("iss_sched",                0x08, NOT_STATED).filter(ISS).presets(&ISS_SCHED).source(LISTS),
    inc("dram_misc",                0x0b, NOT_STATED).filters(MISC).presets(&DRAM_MISC).source(LISTS),
    inc("fvc_ev0",                  0x0d, 1).filter(FVC).filter(EVNT).presets(&WSM_FVC0).source("manual 2-115"),
    inc("fvc_ev1",                  0x0e, 1).filter(FVC).filter(EVNT + 1).presets(fvc!("fvc_ev1", 1, WSM_FVC)).source("manual 2-115"),
    inc("fvc_ev2",                  0x0f, 1).filter(FVC).filter(EVNT + 2).presets(fvc!("fvc_ev2", 2, WSM_FVC)).source("manual 2-115"),
    inc("fvc_ev3",                  0x10, 1).filter(FVC).filter(EVNT + 3).presets(fvc!("fvc_ev3", 3, WSM_FVC)).source("manual 2-115"),
    // SPEC: nhmex X-13, it looks at PGT.
    inc("pgt_page_ev2",             0x15, NOT_STATED).filter(PGT).presets(&PGT_PAGE_EV2).source(LISTS),
    flag("bcmd_schedq_occupancy",   0x06, 1).filter(MAP).presets(&WSM_SCHEDQ).source("manual 2-119"),
];

const WSM_FVC0: &[Preset] = fvc!(
    "fvc_ev0",
    0,
    WSM_FVC,
    fvc("bbox_cmds_read", WSM_FVC, 0, 5, 0, 0),
    fvc("bbox_cmds_write", WSM_FVC, 0, 5, 1, 0)
);

/// The M-Box of Nehalem-EX.
pub(super) const NHM: BoxType = BoxType {
    name: "mbox",
    numbered: true,
    access: Access::Msr {
        bases: &[0xca0, 0xce0],
        present: &[Presence::All],
    },
    box_control: Some(BOX_CONTROL),
    status: None,
    counters: COUNTERS,
    width: 48,
    control: CONTROL,
    fields: &joined::<_, 37>(COMMON_FIELDS, NHM_FIELDS),
    filters: &filters(0x00ff_ffff),
    filter_units: &joined::<_, 12>(COMMON_UNITS, NHM_UNITS),
    events: &changed::<36>(COMMON, NHM_ONLY, &[]),
    builtin_events: true,
    max_clock_mhz: MAX_UCLK_MHZ,
    max_increment: NOT_STATED,
    ..ORDINARY_BOX
};

/// The M-Box of Westmere-EX.
pub(super) const WSM: BoxType = BoxType {
    filters: &filters(0x01ff_ffff),
    fields: &joined::<_, 43>(COMMON_FIELDS, WSM_FIELDS),
    filter_units: &joined::<_, 12>(COMMON_UNITS, WSM_UNITS),
    events: &changed::<36>(COMMON, WSM_ONLY, &[]),
    ..NHM
};
