// SPDX-License-Identifier: GPL-2.0

//! Tests of the wrappers that need neither uncore hardware nor perf.

use kernel::prelude::kunit_tests;

#[kunit_tests(uncore_linux_wrappers)]
mod suite {
    use super::super::{
        apic::{
            self,
            Lvtpc, //
        },
        clock,
        context::{
            IrqsOff,
            Nmi, //
        },
        debugctl,
        hrtimer::{
            Again,
            Expire,
            Timer, //
        },
        init::reinit,
        irq_work::{
            self,
            IrqWork, //
        },
        lock::{
            new_raw_spinlock,
            RawSpinLock, //
        },
        msr::{
            self,
            window::{
                contains,
                intel, //
            }, //
        },
        nmi::{
            self,
            Claimed, //
        },
        pci::Address,
        rcu::Published,
        smp::on_cpu,
        topology::{
            logical_package,
            max_packages,
            online_cpus,
            possible_cpus,
            Cpu, //
        },
        work::{
            Run,
            Work, //
        },
    };
    use core::{
        num::NonZeroU64,
        sync::atomic::{
            AtomicU32,
            Ordering, //
        },
    };
    use kernel::{
        prelude::*,
        str::CString,
        sync::{
            Arc,
            Completion, //
        },
        time::{
            delay::fsleep,
            Delta, //
        },
    };

    const MILLISECOND: u64 = 1_000_000;

    #[test]
    fn a_cpu_has_a_number_below_the_limit() {
        assert!(Cpu::new(Cpu::limit()).is_none());
        assert!(Cpu::from_signed(-1).is_none());
        assert_eq!(Cpu::from_signed(0), Cpu::new(0));
        assert!(online_cpus().all(|cpu| cpu.is_possible()));
        assert!(possible_cpus().is_sorted());
    }

    #[test]
    fn both_numbers_of_a_package_agree() -> Result {
        for cpu in online_cpus() {
            let logical = cpu.logical_package().ok_or(ENODEV)?;
            let physical = cpu.physical_package().ok_or(ENODEV)?;
            assert!(logical < max_packages());
            assert_eq!(logical_package(physical), Some(logical));
        }
        assert_eq!(logical_package(u32::MAX), None);
        Ok(())
    }

    #[test]
    fn a_closure_runs_on_its_cpu() -> Result {
        for cpu in online_cpus() {
            assert_eq!(on_cpu(cpu, |here| here.cpu())?, cpu);
        }
        Ok(())
    }

    #[test]
    fn registers_outside_the_window_are_not_written() -> Result {
        let cpu = online_cpus().next().ok_or(ENODEV)?;
        // Time stamp, between the boxes, page attributes, the kernel's entry point.
        for register in [0x10, 0xbff, 0xc8f, 0x277, 0xc000_0082] {
            let written = on_cpu(cpu, move |here| msr::write(here, register, 0))?;
            assert_eq!(written, Err(EPERM));
            // By registers that may not be written, and by those of a C-Box of Ivy Bridge-EP.
            for first in [register, 0xd10] {
                let around = msr::Writable::around(first);
                let written = on_cpu(cpu, move |here| around.write(here, register, 0))?;
                assert_eq!(written, Err(EPERM));
            }
        }
        Ok(())
    }

    #[test]
    fn the_window_of_a_model_has_its_counters_only() {
        const OF_BROADWELL: &[u32] = &[0x700, 0x70a, 0x71a, 0x73e, 0xe00, 0xf7b];
        // 0xc8d to 0xd0f decide which task uses which part of the cache.
        const OUTSIDE_BROADWELL: &[u32] = &[0x3fc, 0x702, 0x707, 0x748, 0xc8f, 0xc90, 0xd0f, 0xf7c];
        const OF_BOXES: &[u32] = &[
            0x394, 0x395, 0xc00, 0xc11, 0xc37, 0xc97, 0xcab, 0xcfb, 0xd00, 0xdfb, 0xe04, 0xe0b,
            0xe2f, 0xe3f, 0xe46, 0xe5e, 0xe60, 0xe9e,
        ];
        const OUTSIDE_BOXES: &[u32] = &[
            0x38f, 0x391, 0x393, 0x396, 0xc01, 0xc02, 0xc12, 0xc21, 0xca4, 0xce4, 0xcbc, 0xd01,
            0xd1c, 0xe01, 0xe21, 0xe47, 0xe63, 0xe9f, 0xea0, 0xf80,
        ];
        // The first E7 has two C-Boxes more than the Xeon 7500.
        const OF_MORE_BOXES: &[u32] = &[0xf40, 0xf5b, 0xfc0, 0xfdb];
        #[rustfmt::skip]
        let rows: [(u32, &[u32], &[u32]); 10] = [
            // IA32_XSS has the number of a register of C-Box 5, 0xda0.
            (intel(6, 62), &[0xda4], &[0xd03]),
            (intel(6, 85), &[], &[0xc00, 0xda0, 0xda4]),
            // The model's number with AMD as vendor.
            (2 << 16 | intel(6, 62), &[], &[0xc00, 0xda0, 0xda4]),
            (intel(6, 79), OF_BROADWELL, OUTSIDE_BROADWELL),
            (intel(6, 86), OF_BROADWELL, OUTSIDE_BROADWELL),
            // On a client, the counters of cores are below and above those of the uncore.
            (intel(6, 42), &[0x391, 0x394, 0x395, 0x3b0, 0x3b3, 0x700, 0x701, 0x707, 0x731, 0x737],
             &[0x38f, 0x390, 0x392, 0x396, 0x3b4, 0x3f1, 0x702, 0x708, 0x740, 0xc00]),
            (intel(6, 46), OF_BOXES, OUTSIDE_BOXES),
            (intel(6, 46), &[], OF_MORE_BOXES),
            (intel(6, 47), OF_BOXES, OUTSIDE_BOXES),
            (intel(6, 47), OF_MORE_BOXES, &[0xf41, 0xfdc]),
        ];
        for (model, inside, outside) in rows {
            assert!(inside.iter().all(|&register| contains(model, register)));
            assert!(!outside.iter().any(|&register| contains(model, register)));
        }
    }

    #[test]
    fn an_address_reads_as_in_lspci() -> Result {
        let address = Address {
            domain: 1,
            bus: 0xff,
            device: 0x1e,
            function: 4,
        };
        let text = CString::try_from_fmt(fmt!("{address}"))?;
        assert_eq!(text.to_bytes(), b"0001:ff:1e.4");
        Ok(())
    }

    #[pin_data]
    struct Shared {
        #[pin]
        lock: RawSpinLock<u32>,
    }

    impl Shared {
        fn new() -> Result<Arc<Self>> {
            let lock = pin_init!(Self {
                lock <- new_raw_spinlock!(0, c"linux_wrappers"),
            });
            Arc::pin_init(lock, GFP_KERNEL)
        }
    }

    /// A value that counts how often one was dropped.
    struct Counted(Arc<AtomicU32>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_published_value_is_dropped_after_its_readers() -> Result {
        let dropped = Arc::new(AtomicU32::new(0), GFP_KERNEL)?;
        let drops = || dropped.load(Ordering::Relaxed);
        let published = Published::none();
        let cpu = online_cpus().last().ok_or(ENODEV)?;
        let is_there = || on_cpu(cpu, |here| published.get(here).is_some());
        assert!(!is_there()?);
        drop(published.replace(Some(Arc::new(Counted(dropped.clone()), GFP_KERNEL)?)));
        assert!(is_there()?);
        let retired = published.replace(None);
        assert!(!is_there()? && drops() == 0);
        drop(retired);
        assert_eq!(drops(), 1);
        drop(published.replace(Some(Arc::new(Counted(dropped.clone()), GFP_KERNEL)?)));
        drop(published);
        assert_eq!(drops(), 2);
        Ok(())
    }

    #[pin_data]
    struct Adder {
        shared: Arc<Shared>,
        #[pin]
        done: Completion,
    }

    impl Adder {
        const ROUNDS: u32 = 100_000;

        fn new(shared: &Arc<Shared>) -> Result<Pin<KBox<Work<Self>>>> {
            let adder = pin_init!(Self {
                shared: shared.clone(),
                done <- Completion::new(),
            });
            KBox::pin_init(Work::new(adder), GFP_KERNEL)
        }
    }

    impl Run for Adder {
        fn run(&self) {
            for _ in 0..Self::ROUNDS {
                self.shared.lock.with(|_, value| {
                    let read = core::hint::black_box(*value);
                    *value = core::hint::black_box(read + 1);
                });
            }
            self.done.complete_all();
        }
    }

    #[test]
    fn the_lock_lets_one_cpu_at_a_time_at_the_data() -> Result {
        let shared = Shared::new()?;
        let adders = [Adder::new(&shared)?, Adder::new(&shared)?];
        // Work is queued on the CPU that schedules it.
        for (adder, cpu) in adders.iter().zip(online_cpus()) {
            on_cpu(cpu, |_| adder.schedule())?;
        }
        let mut expected = 0;
        for (adder, _) in adders.iter().zip(online_cpus()) {
            adder.done.wait_for_completion();
            expected += Adder::ROUNDS;
        }
        assert_eq!(shared.lock.with(|_, value| *value), expected);
        Ok(())
    }

    struct Ticks {
        cpu: Cpu,
        left: AtomicU32,
        elsewhere: AtomicU32,
    }

    impl Expire for Ticks {
        fn expire(&self, here: &IrqsOff) -> Again {
            if here.cpu() != self.cpu {
                self.elsewhere.fetch_add(1, Ordering::Relaxed);
            }
            match self.left.fetch_sub(1, Ordering::Relaxed) {
                1 => Again::Never,
                _ => NonZeroU64::new(MILLISECOND).map_or(Again::Never, Again::After),
            }
        }
    }

    #[test]
    fn a_timer_fires_on_the_cpu_that_armed_it() -> Result {
        let cpu = online_cpus().last().ok_or(ENODEV)?;
        let ticks = Ticks {
            cpu,
            left: AtomicU32::new(3),
            elsewhere: AtomicU32::new(0),
        };
        let timer = KBox::pin_init(Timer::new(ticks), GFP_KERNEL)?;
        on_cpu(cpu, |here| timer.start(here, MILLISECOND))?;
        for _ in 0..10_000 {
            if timer.left.load(Ordering::Relaxed) == 0 {
                break;
            }
            fsleep(Delta::from_millis(1));
        }
        timer.cancel();
        assert_eq!(timer.elsewhere.load(Ordering::Relaxed), 0);
        assert_eq!(timer.left.load(Ordering::Relaxed), 0);
        Ok(())
    }

    #[pin_data]
    struct Job {
        runs: AtomicU32,
        #[pin]
        done: Completion,
    }

    impl Job {
        fn new() -> Result<Pin<KBox<Work<Self>>>> {
            let job = pin_init!(Self {
                runs: AtomicU32::new(0),
                done <- Completion::new(),
            });
            KBox::pin_init(Work::new(job), GFP_KERNEL)
        }
    }

    impl Run for Job {
        fn run(&self) {
            self.runs.fetch_add(1, Ordering::Relaxed);
            self.done.complete_all();
        }
    }

    #[test]
    fn work_can_be_scheduled_with_interrupts_off_until_it_is_stopped() -> Result {
        let (work, later) = (Job::new()?, Job::new()?);
        let cpu = online_cpus().last().ok_or(ENODEV)?;
        on_cpu(cpu, |_| work.schedule())?;
        work.done.wait_for_completion();
        work.stop();
        on_cpu(cpu, |_| work.schedule())?;
        // The CPU begins work in the order in which it is scheduled.
        on_cpu(cpu, |_| later.schedule())?;
        later.done.wait_for_completion();
        assert_eq!(work.runs.load(Ordering::Relaxed), 1);
        Ok(())
    }

    /// Work of a number of interrupts.
    struct Parts(Arc<AtomicU32>);

    impl irq_work::Run for Parts {
        fn run(&self, _here: &IrqsOff) -> irq_work::Left {
            match self.0.fetch_sub(1, Ordering::Relaxed) {
                1 => irq_work::Left::Nothing,
                _ => irq_work::Left::Some,
            }
        }
    }

    #[test]
    fn work_that_is_left_is_done_in_another_interrupt() -> Result {
        let left = Arc::new(AtomicU32::new(3), GFP_KERNEL)?;
        let work = KBox::pin_init(IrqWork::new(Parts(left.clone())), GFP_KERNEL)?;
        let cpu = online_cpus().last().ok_or(ENODEV)?;
        on_cpu(cpu, |here| work.queue(here))?;
        // Waits for all of it.
        drop(work);
        assert_eq!(left.load(Ordering::Relaxed), 0);
        Ok(())
    }

    /// Counts the NMIs that a test sends to a CPU, and the work that they queue.
    struct Expected {
        cpu: Cpu,
        left: AtomicU32,
        seen: AtomicU32,
        work: Arc<IrqWork<Seen>>,
    }

    struct Seen(AtomicU32);

    impl irq_work::Run for Seen {
        fn run(&self, _here: &IrqsOff) -> irq_work::Left {
            self.0.fetch_add(1, Ordering::Relaxed);
            irq_work::Left::Nothing
        }
    }

    impl nmi::Handle for Expected {
        fn handle(&self, here: &Nmi) -> Claimed {
            let decrement = |left: u32| left.checked_sub(1);
            let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
            if here.cpu() != self.cpu || self.left.fetch_update(set, fetch, decrement).is_err() {
                return Claimed::No;
            }
            self.seen.fetch_add(1, Ordering::Relaxed);
            self.work.queue(here);
            Claimed::Yes
        }
    }

    impl Expected {
        fn new(cpu: Cpu) -> Result<Self> {
            let work = IrqWork::new(Seen(AtomicU32::new(0)));
            Ok(Self {
                cpu,
                left: AtomicU32::new(0),
                seen: AtomicU32::new(0),
                work: Arc::pin_init(work, GFP_KERNEL)?,
            })
        }

        /// Sends an NMI and waits for the work that it queues.
        fn send(&self) -> Result {
            let before = self.work.0.load(Ordering::Relaxed);
            self.left.fetch_add(1, Ordering::Relaxed);
            on_cpu(self.cpu, |here| apic::send_nmi(here, self.cpu))?;
            for _ in 0..10_000 {
                if self.work.0.load(Ordering::Relaxed) != before {
                    return Ok(());
                }
                fsleep(Delta::from_millis(1));
            }
            Err(ETIMEDOUT)
        }
    }

    #[test]
    fn an_nmi_leaves_work_to_an_interrupt() -> Result {
        let cpu = online_cpus().last().ok_or(ENODEV)?;
        let expected = nmi::Registration::new(c"uncore_suite", Expected::new(cpu)?);
        let expected = KBox::pin_init(expected, GFP_KERNEL)?;
        for _ in 0..3 {
            expected.send()?;
        }
        assert_eq!(expected.seen.load(Ordering::Relaxed), 3);
        assert_eq!(expected.work.0.load(Ordering::Relaxed), 3);
        Ok(())
    }

    #[test]
    fn a_value_that_is_replaced_is_dropped() -> Result {
        let before = Arc::new(1, GFP_KERNEL)?;
        let mut place = before.clone();
        reinit(&mut place, Arc::new(2, GFP_KERNEL)?);
        assert_eq!(*place, 2);
        assert!(Arc::into_unique_or_drop(before).is_some());
        Ok(())
    }

    #[test]
    fn there_is_one_nmi_handler_at_a_time() -> Result {
        let cpu = online_cpus().next().ok_or(ENODEV)?;
        let register = || {
            let handler = nmi::Registration::new(c"uncore_suite", Expected::new(cpu)?);
            KBox::pin_init(handler, GFP_KERNEL)
        };
        let first = register()?;
        assert_eq!(register().err(), Some(EBUSY));
        drop(first);
        register()?;
        Ok(())
    }

    #[test]
    fn lvtpc_can_be_borrowed() -> Result {
        for cpu in online_cpus() {
            let (before, meanwhile, after) = on_cpu(cpu, |here| {
                let before = Lvtpc::read(here);
                Lvtpc::NMI.write(here);
                let meanwhile = Lvtpc::read(here);
                before.write(here);
                (before, meanwhile, Lvtpc::read(here))
            })?;
            assert!(meanwhile.is_nmi() && !meanwhile.is_masked());
            assert_eq!(after, before);
        }
        Ok(())
    }

    #[test]
    fn the_uncore_interrupt_can_be_switched_on_and_back() -> Result {
        let cpu = online_cpus().next().ok_or(ENODEV)?;
        let before = on_cpu(cpu, debugctl::enable_uncore_pmi)??;
        let meanwhile = on_cpu(cpu, debugctl::enable_uncore_pmi)??;
        assert!(meanwhile);
        on_cpu(cpu, |here| debugctl::restore_uncore_pmi(here, before))??;
        let after = on_cpu(cpu, debugctl::enable_uncore_pmi)??;
        assert_eq!(after, before);
        on_cpu(cpu, |here| debugctl::restore_uncore_pmi(here, before))?
    }

    #[test]
    fn the_clocks_advance() {
        let (log, monotonic) = (clock::uptime_ns(), clock::monotonic_ns());
        fsleep(Delta::from_millis(1));
        assert!(clock::uptime_ns() > log);
        assert!(clock::monotonic_ns() > monotonic);
    }
}
