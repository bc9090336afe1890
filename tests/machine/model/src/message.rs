// SPDX-License-Identifier: GPL-2.0

//! The messages of QPI: class, opcode and data state of each kind.
//!
//! Documentation/hardware/ivbep.rst section 8 (tables 2-216 and 2-217, and where
//! these have gaps 2-218), in the order in which traffic.rst numbers them. The
//! home agent knows the classes 0 to 3 only, which come first.
//! SPEC: a message that does not carry a response data state has 0 there (U-24).

/// One kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message {
    class: u32,
    opcode: u32,
    state: u32,
}

impl Message {
    const fn new(class: u32, opcode: u32) -> Self {
        let state = 0;
        Self {
            class,
            opcode,
            state,
        }
    }

    /// A DRS message with data; `state` is the one-hot response data state.
    const fn data(opcode: u32, state: u32) -> Self {
        Self {
            state,
            ..Self::new(DRS, opcode)
        }
    }

    /// Bits 12:5 of MATCH0 and MASK0: message class and opcode.
    pub(crate) const fn low(self) -> u32 {
        self.class << 9 | self.opcode << 5
    }

    /// Bits 19:16 of MATCH1 and MASK1: response data state.
    pub(crate) const fn high(self) -> u32 {
        self.state << 16
    }

    /// Tells if it carries a response data state.
    pub(crate) const fn has_state(self) -> bool {
        self.class == DRS && self.opcode <= 2
    }

    /// The message by the other reading of its opcode (U-52).
    pub(crate) const fn with_other_codes(self) -> Self {
        match (self.class, self.opcode) {
            (SNP, 0xa) => Self::new(SNP, 0xe),
            _ => self,
        }
    }

    /// Encodes the message as in the home agent's OPCODEMATCH: class in 5:4, opcode
    /// in 3:0.
    pub(crate) const fn home(self) -> u32 {
        self.class << 4 | self.opcode
    }
}

const HOM0: u32 = 0;
const HOM1: u32 = 1;
const NDR: u32 = 2;
const SNP: u32 = 3;
const NCS: u32 = 4;
const NCB: u32 = 0xc;
const DRS: u32 = 0xe;

/// Number of [`MESSAGES`] that the home agent has.
pub(crate) const HOME_MESSAGES: usize = 44;

/// All kinds of messages; entry i has i + 1 slots.
pub(crate) const MESSAGES: [Message; 82] = [
    Message::new(HOM0, 0x0), // RdCur
    Message::new(HOM0, 0x1), // RdCode
    Message::new(HOM0, 0x2), // RdData
    Message::new(HOM0, 0x3), // NonSnpRd
    Message::new(HOM0, 0x4), // RdInvOwn
    Message::new(HOM0, 0x5), // InvXtoI
    Message::new(HOM0, 0x6), // EvctCln
    Message::new(HOM0, 0x7), // NonSnpWr
    Message::new(HOM0, 0x8), // InvItoE
    Message::new(HOM0, 0x9), // AckCnfltWbI
    Message::new(HOM0, 0xa), // RdDataMigratory
    Message::new(HOM0, 0xc), // WbMtoI
    Message::new(HOM0, 0xd), // WbMtoE
    Message::new(HOM0, 0xe), // WbMtoS
    Message::new(HOM0, 0xf), // AckCnflt
    Message::new(HOM1, 0x0), // RspI
    Message::new(HOM1, 0x1), // RspS
    Message::new(HOM1, 0x4), // RspCnflt
    Message::new(HOM1, 0x6), // RspCnfltOwn
    Message::new(HOM1, 0x7), // RspCnfltWbI
    Message::new(HOM1, 0x8), // RspFwd
    Message::new(HOM1, 0x9), // RspFwdI
    Message::new(HOM1, 0xa), // RspFwdS
    Message::new(HOM1, 0xb), // RspFwdIWb
    Message::new(HOM1, 0xc), // RspFwdSWb
    Message::new(HOM1, 0xd), // RspIWb
    Message::new(HOM1, 0xe), // RspSWb
    Message::new(NDR, 0x0),  // Gnt_Cmp
    Message::new(NDR, 0x1),  // GntE_FrcAckCnflt
    Message::new(NDR, 0x4),  // CmpD
    Message::new(NDR, 0x5),  // AbortTO
    Message::new(NDR, 0x8),  // Cmp
    Message::new(NDR, 0x9),  // FrcAckCnflt
    Message::new(NDR, 0xa),  // Cmp_FwdCode
    Message::new(NDR, 0xb),  // Cmp_FwdInvOwn
    Message::new(NDR, 0xc),  // Cmp_FwdInvItoE
    Message::new(SNP, 0x0),  // SnpCur
    Message::new(SNP, 0x1),  // SnpCode
    Message::new(SNP, 0x2),  // SnpData
    Message::new(SNP, 0x4),  // SnpInvOwn
    Message::new(SNP, 0x5),  // SnpInvWrMtoI
    Message::new(SNP, 0x8),  // SnpInvItoE
    Message::new(SNP, 0xa),  // SnpDataMigratory
    Message::new(SNP, 0xf),  // PrefetchHint
    Message::new(NCS, 0x0),  // NcRd
    Message::new(NCS, 0x1),  // IntAck
    Message::new(NCS, 0x3),  // FERR
    Message::new(NCS, 0x4),  // NcRdPtl
    Message::new(NCS, 0x5),  // NcCfgRd
    Message::new(NCS, 0x7),  // NcIORd
    Message::new(NCS, 0x9),  // NcCfgWr
    Message::new(NCS, 0xb),  // NcIOWr
    Message::new(NCS, 0xc),  // NcMsgS
    Message::new(NCS, 0xd),  // NcP2PS
    Message::new(NCB, 0x0),  // NcWr
    Message::new(NCB, 0x1),  // WcWr
    Message::new(NCB, 0x8),  // NcMsgB
    Message::new(NCB, 0x9),  // IntLogical
    Message::new(NCB, 0xa),  // IntPhysical
    Message::new(NCB, 0xb),  // IntPrioUpd
    Message::new(NCB, 0xc),  // NcWrPtl
    Message::new(NCB, 0xd),  // WcWrPtl
    Message::new(NCB, 0xe),  // NcP2PB
    Message::new(NCB, 0xf),  // DebugData
    Message::data(0, 8),     // DataC_M
    Message::data(0, 4),     // DataC_E
    Message::data(0, 1),     // DataC_F
    Message::data(0, 0),     // DataC_I
    Message::data(1, 4),     // DataC_E_FrcAckCnflt
    Message::data(1, 1),     // DataC_F_FrcAckCnflt
    Message::data(1, 0),     // DataC_I_FrcAckCnflt
    Message::data(2, 4),     // DataC_E_Cmp
    Message::data(2, 1),     // DataC_F_Cmp
    Message::data(2, 0),     // DataC_I_Cmp
    Message::new(DRS, 0x3),  // DataNc
    Message::new(DRS, 0x4),  // WbIData
    Message::new(DRS, 0x5),  // WbSData
    Message::new(DRS, 0x6),  // WbEData
    Message::new(DRS, 0x7),  // NonSnpWrData
    Message::new(DRS, 0x8),  // WbIDataPtl
    Message::new(DRS, 0xa),  // WbEDataPtl
    Message::new(DRS, 0xb),  // NonSnpWrDataPtl
];
