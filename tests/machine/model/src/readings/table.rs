// SPDX-License-Identifier: GPL-2.0

//! The readings of the files `readings.csv` in tests/data, which are the only source of their names
//! and of what they do.

use std::sync::LazyLock;

use crate::Platform;

macro_rules! readings {
    ($($name:ident)*) => {
        /// Differences from the first reading of a point. The rows of the file name them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Reading {
            $($name,)*
        }

        impl Reading {
            const ALL: &[(&str, Self)] = &[$((stringify!($name), Self::$name),)*];
        }
    };
}

readings! {
    CboxOverflowEnable
    CboxStatus
    NoCboxStatus
    NarrowUclk
    LinkAndC6
    FifteenNodes
    TidUnread
    BoxEnablesUnread
    BoxEnablesAct
    BoxEnablesOfRings
    FreezeRead
    FreezeReadOfPackage
    OneFreeze
    ReleaseOfBoxes
    StatusByEnable
    ImcStatusInOrder
    StatusOfUclk
    NumberOfCboxes
    NoNumber
    HighHalfFaults
    NarrowIrp
    BitsOfPorts
    SpareBitsOfPcu
    NoEdgeOfPcu
    FixedSurvivesReset
    FiltersReset
    UnfreezeWins
    ReservedOnes
    ReservedOnesOfStatus
    OnesAboveCounters
    SlowLink
    Skid
    ModifiedIsTwoBits
    UmaskOfAll
    OneOfCounter0
    NoEventZero
    NoEdgeWithoutThreshold
    OneCriterion
    RemoteNodeCompared
    MaskIgnores
    PacketsSent
    StateOfDataOnly
    OpcodeByOpc
    OpcodeOfAd
    PageOfLine
    DemotionsUnfiltered
    BandsLate
    OccupancyZero
    NoEdgeOfOccupancies
    NoOccupancyEdge
    ResidencyOfPackage
    RingCounters
    FifteenCores
    MinPerfWithoutExt
    PackageStatesWithExt
    PackageStatesWithoutExt
    MatchFunctionElsewhere
    HomeAgentElsewhere
    NothingOfLists
    OtherMaxima
    CountersJoin
    MigratoryIs14
    LargeUboxEvents
    OccupancyAwaitsReset
    ClocksHaveNoThread
    MatchAtControl
    OpcodesOfIrq
    EnableUnread
    OverflowEnableUnread
    FirstSlotFused
    WakesAll
    FirstThreadOnly
    NeverAsleep
    MaskedWaits
    AsleepWaits
    GateNeeded
    GateFaults
    NoCountersInMemory
    IrpOfKernel
    SentPackets
    BoxEnablesIdle
    TwentyFourCboxes
    SwappedChannels
    OnlyBitOfR3qpi
    NoBitOfR3qpi
    WideCoreSelect
    OneWrite
    ResetAtOnce
    ResetUnread
    CreditsOfNode
    RetriesOfAll
    ThreadOfIo63
    ThreadOfIo30
    OneBesideCounter0
    NoOccupancyOnCounter0
    ControlsLate
    LinkCountersBeside
    LinkCountersFreeze
    LinkCountersReset
    NoInvertOfOccupancies
    LargeEventsOfLists
    NothingOfUmaskZero
    ConflictsOnAll
    NoConflicts
    NoInvertedEdges
    R3qpiOfDe
    NoFuses
    NodesOfHalves
    MapOfHalves
    NarrowR3qpi
    StatusClears
    StatusStays
    MemoryCountersStay
    NumberWithoutGraphics
    GraphicsSlice
    SliceSelect
    FourCounters
    SparesFault
    EveryOverflow
    LargeOccupancies
    SleepLosesControls
    SleepLosesAll
    WideCounters
    OccupancyOnCounter1
    NoInvertWithoutThreshold
    BridgeWithoutEnable
    ShortCodes
    WholeFields
    MaskCompares
    NodeByBit
    NodeAlways
    FixedSends
    PairsOfCores
    LineOfMatch
    SwappedSboxes
    CommandBelow
    DimmAndOne
    NoCommandZero
    NoSubRegisters
    NoWins
    RingsOfNehalem
    PldBelow
    LargeUnknown
    MatchFaults
    CountersIgnore
    CountersRefuse
    NoBitsAboveCores
    UboxEnableUnread
    NarrowUbox
    NarrowSboxes
    CboxBits
    NoSboxes
    SboxFilter
    NoCboxFuses
    OtherFuses
    NoUboxFilter
    UboxUnfiltered
    NoMatchOfPort2
    NoLinkAndC6
    LinkFilters
    FastOnCounter0
    LinkClocksOnTwo
    CreditsOnAll
    BackpressureOnAll
    AllTwice
    ResetActs
    NoInvertOfCboxes
    NoExtOfPcu
    ResetsOfMemory
    LinkOfFilter
    NoUnicast
    AllUnicast
    FunctionOfIio
    EgressOnTwo
    StarvedOnAll
    PacketsWithoutExt
    DemotionsWithExt
    StallsWithExt
    NothingOfBroken
    NoResetOfRings
}

/// One reading of a point.
#[derive(Debug)]
pub struct Row {
    /// The point.
    pub point: &'static str,
    /// The reading of it; a is what the machine does without any.
    pub letter: char,
    /// Behaviour of the machine, in one clause.
    pub says: &'static str,
    /// It holds from the start of the machine to its end.
    pub at_start: bool,
    pub(super) platforms: Vec<Platform>,
    pub(super) takes: Vec<Reading>,
}

/// All readings but the first of each point, in the order of the points.
pub static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let rows = uncore_catalogue::readings().iter();
    let others = rows.filter(|row| row.letter.is_some() && !row.takes.is_empty());
    others.map(row).collect()
});

fn row(of_file: &'static uncore_catalogue::Reading) -> Row {
    let mut named = of_file.platforms.split(' ').map(Platform::named);
    assert!(named.all(|named| named.is_some()), "names of platforms");
    let platforms = Platform::ALL.into_iter();
    let platforms = platforms.filter(|(name, _)| of_file.is_of(name));
    let taken = of_file.takes.split(' ').map(|name| {
        let mut all = Reading::ALL.iter();
        all.find_map(|(known, reading)| (*known == name).then_some(*reading))
    });
    Row {
        point: &of_file.point,
        letter: of_file.letter.expect("a letter of each reading"),
        says: &of_file.words,
        at_start: of_file.start == "start",
        platforms: platforms.map(|(_, platform)| platform).collect(),
        takes: taken.collect::<Option<_>>().expect("names of readings"),
    }
}
