// SPDX-License-Identifier: GPL-2.0

//! The emulator's command line.
//!
//! Bus 0 belongs to the board, except device 5, which is the first package's
//! IRP. Every other bus of the model is a root bus of its own (`pxb-pcie`), whose
//! bridges sit from [`FIRST_BRIDGE`] on. Packages are NUMA nodes, or two each.

use std::path::{Path, PathBuf};

use guest_tools::frame::PORT;
use uncore_catalogue::Processor;
use uncore_machine::{PackageShape, Platform, Topology};

use crate::config::{Config, Driver};
use crate::error::Error;

/// Device number on bus 0 of the first root bus's bridge.
const FIRST_BRIDGE: usize = 0x10;
/// Device number on bus 0 of the channel to the agent; eight packages have
/// fifteen bridges, up to 0x1e.
const CHANNEL: usize = 0x0f;
/// Device number on bus 0 of the first drive.
const FIRST_DRIVE: usize = 0x0b;
/// Options of every machine. The HPET is off: Linux does not need it, and it takes 3 % of
/// a host's processor while a guest idles.
const BOARD: [&str; 4] = [
    "-nodefaults -no-user-config -display none -monitor none -no-reboot",
    "-run-with exit-with-parent=on",
    "-M q35,hpet=off",
    "-accel tcg,thread=multi",
];
/// Boot parameters of every kernel. With `lpj` the kernel does not calibrate its delay
/// loop, which is slow and wrong on an emulated processor. Delays last as long as asked
/// for or longer, up to a time stamp counter of 5 GHz (and HZ=250). `tsc=nowatchdog`
/// turns off the watchdog of the time stamp counter, which is right here. That watchdog
/// waits for another processor with interrupts off; while the kernel still keeps time by
/// jiffies, the wait never ends if `stop_machine` holds the other processor (one boot in
/// a hundred). RCU's detector of stalls is silent and others wait for as long as they can be told
/// to, as a busy computer lets an emulated processor wait: what hangs meets the command's
/// limit. With `pti=off` a stock kernel has no page tables of its own: at each change of tables the
/// emulator forgets where pages are. Archives are unpacked faster into ramfs than into tmpfs. The
/// kernel's own KUnit suites are left out: some complain on a real-time kernel.
const KERNEL_WORDS: &str = "console=ttyS0 panic=-1 nokaslr printk.devkmsg=on no_timer_check \
     lpj=20000000 pti=off tsc=nowatchdog rcupdate.rcu_cpu_stall_suppress=1 watchdog_thresh=60 \
     sysctl.kernel.hung_task_timeout_secs=300 kcsan.early_enable=0 rootfstype=ramfs \
     kunit.filter_glob=uncore_*";
/// Option of the machine: number of NUMA nodes without processors.
const SPARE_NODES: &str = "spare-nodes";
/// Memory of each spare node.
const SPARE_MEGABYTES: u32 = 16;
/// Option of the machine: processors report that a hypervisor runs them.
const HYPERVISOR: &str = "hypervisor";
/// Option of the machine: it can sleep (ACPI state S3), and is woken.
pub(crate) const SLEEP: &str = "sleep";
/// Option of the machine: a disk from which the kernel resumes, if there is an image of a
/// hibernated one.
pub(crate) const DISK: &str = "disk";
/// Option of the machine: two drives with the kernel and the initramfs, for kexec.
pub(crate) const NEXT_KERNEL: &str = "next-kernel";
/// Kernel words of a machine with a disk. Compression would take longer than the disk.
const RESUME: &str = "resume=/dev/vda hibernate=nocompress";
/// Firmware that does what Linux needs, and no more; and one that can wake a machine.
const FIRMWARE: (&str, &str) = ("qboot.rom", "bios-256k.bin");
/// Option of the machine: Secure Boot. The firmware has the key of Debian's package ovmf, which is for
/// tests, and starts a kernel that is signed with it.
const SECURE_BOOT: &str = "secure-boot";
/// That firmware, and its variables, which no machine changes.
const SECURE_FIRMWARE: &str = "-machine smm=on \
     -global driver=cfi.pflash01,property=secure,value=on \
     -drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd \
     -drive if=pflash,unit=1,format=raw,snapshot=on,file=/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd";
/// Options of the machine that neither the plugin nor the model takes.
const EMULATOR_OPTIONS: [&str; 6] = [
    SPARE_NODES,
    HYPERVISOR,
    SLEEP,
    DISK,
    NEXT_KERNEL,
    SECURE_BOOT,
];
/// Options of the machine that the plugin takes and the model does not.
const PLUGIN_OPTIONS: [&str; 6] = ["core-pmu", "count", "ecam", "free-run", "log", "smt"];

/// Use of the emulator's standard input and output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Console {
    /// The channel to the guest's agent.
    Agent,
    /// A terminal with a shell of the guest on it.
    Shell {
        /// Lines of the terminal.
        rows: u16,
        /// Characters of a line.
        columns: u16,
        /// Type of the terminal, as in `TERM`.
        kind: String,
    },
}

/// Files that the emulator reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    /// The guest's initramfs.
    pub(crate) initrd: PathBuf,
    /// The disk, if the machine has one.
    pub(crate) disk: PathBuf,
    /// The monitor's socket, if the machine can sleep.
    pub(crate) monitor: PathBuf,
    /// The kernel's log.
    pub(crate) kernel_log: PathBuf,
    /// The model's violations.
    pub(crate) violations: PathBuf,
}

/// The program and its arguments.
pub(crate) fn command_line(
    config: &Config,
    console: &Console,
    files: &Files,
) -> Result<Vec<String>, Error> {
    let machine = Machine::new(config)?;
    let mut words: Vec<String> = BOARD.map(str::to_owned).to_vec();
    words.extend(machine.processors());
    words.extend(machine.memory(config.memory()));
    words.extend(machine.buses());
    words.extend(
        config
            .x2apic
            .then(|| "-device intel-iommu,intremap=on,eim=on".to_owned()),
    );
    words.extend(consoles(console));
    words.extend(firmware(config, files));
    words.extend(drives(config, files));
    let mut line = program(&config.parts.qemu);
    line.extend(
        words
            .iter()
            .flat_map(|words| words.split(' '))
            .map(str::to_owned),
    );
    let log = comma(&files.kernel_log);
    line.extend([
        "-chardev".to_owned(),
        format!("file,id=log,path={log},append=on"),
        "-serial".to_owned(),
        "chardev:log".to_owned(),
    ]);
    if matches!(console, Console::Shell { .. }) {
        line.extend(["-serial".to_owned(), "chardev:terminal".to_owned()]);
    }
    line.extend([
        "-kernel".to_owned(),
        config.parts.kernel.display().to_string(),
    ]);
    line.extend(["-initrd".to_owned(), files.initrd.display().to_string()]);
    line.extend(["-append".to_owned(), kernel_words(config, console)]);
    line.extend(["-plugin".to_owned(), plugin(config, files)]);
    Ok(line)
}

/// A program, or one in a tree of unpacked packages, with that tree's loader.
fn program(qemu: &Path) -> Vec<String> {
    if !qemu.is_dir() {
        return vec![qemu.display().to_string()];
    }
    let inside = |path: &str| qemu.join(path).display().to_string();
    let libraries = inside("usr/lib/x86_64-linux-gnu");
    vec![
        inside("usr/lib64/ld-linux-x86-64.so.2"),
        "--library-path".to_owned(),
        format!("{libraries}:{libraries}/pulseaudio"),
        inside("usr/bin/qemu-system-x86_64"),
        "-L".to_owned(),
        inside("usr/share/qemu"),
        "-L".to_owned(),
        inside("usr/share/seabios"),
    ]
}

/// The firmware, and the monitor that tells of sleep.
fn firmware(config: &Config, files: &Files) -> Vec<String> {
    let (usual, wakes) = FIRMWARE;
    if config.has(SECURE_BOOT) {
        return vec![SECURE_FIRMWARE.to_owned()];
    }
    if !config.has(SLEEP) {
        return vec![format!("-bios {usual}")];
    }
    let monitor = comma(&files.monitor);
    vec![
        format!("-bios {wakes}"),
        format!("-chardev socket,id=monitor,path={monitor},server=on,wait=off"),
        "-mon chardev=monitor,mode=control".to_owned(),
    ]
}

/// The drives, which the guest names in this order.
fn drives(config: &Config, files: &Files) -> Vec<String> {
    let (parts, initrd) = (&config.parts, &files.initrd);
    let all = [
        (DISK, &files.disk, "off"),
        (NEXT_KERNEL, &parts.kernel, "on"),
        (NEXT_KERNEL, initrd, "on"),
    ];
    let present = all
        .iter()
        .enumerate()
        .filter(|(_, drive)| config.has(drive.0));
    let words = present.map(|(number, (_, path, readonly))| {
        let (path, slot) = (comma(path), FIRST_DRIVE + number);
        format!(
            "-drive if=none,id=drive{number},format=raw,readonly={readonly},file={path} \
             -device virtio-blk-pci,drive=drive{number},bus=pcie.0,addr={slot:#x}"
        )
    });
    words.collect()
}

/// The channel to the agent, or the terminal.
fn consoles(console: &Console) -> Vec<String> {
    match console {
        Console::Agent => vec![
            "-chardev stdio,id=agent,signal=off".to_owned(),
            format!("-device virtio-serial-pci,bus=pcie.0,addr={CHANNEL:#x}"),
            format!("-device virtserialport,chardev=agent,name={PORT}"),
        ],
        Console::Shell { .. } => vec!["-chardev stdio,id=terminal,signal=off".to_owned()],
    }
}

/// The kernel's command line.
fn kernel_words(config: &Config, console: &Console) -> String {
    let mut words = vec![
        KERNEL_WORDS.to_owned(),
        format!("uncore.driver={}", config.driver.name()),
    ];
    if config.driver == Driver::UncoreRs {
        words.extend(
            config
                .parameters
                .iter()
                .map(|word| format!("uncore_rs.{word}")),
        );
    }
    if let Console::Shell {
        rows,
        columns,
        kind,
    } = console
    {
        words.push(format!("uncore.shell=ttyS1,{rows},{columns},{kind}"));
    }
    words.extend(config.has(DISK).then(|| RESUME.to_owned()));
    words.push(config.append.clone());
    words.join(" ").trim_end().to_owned()
}

fn plugin(config: &Config, files: &Files) -> String {
    let mut words = vec![comma(&config.parts.plugin)];
    words.extend(
        config
            .machine
            .iter()
            .filter(|(name, _)| !EMULATOR_OPTIONS.contains(&name.as_str()))
            .map(|(name, value)| format!("{name}={}", value.replace(',', ",,"))),
    );
    words.push(format!("report={}", comma(&files.violations)));
    words.join(",")
}

/// A path within an option, where commas separate.
fn comma(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// The emulator's model of the processor of a platform, and its properties.
fn processor(platform: Platform) -> (&'static str, String) {
    let found = Processor::named(platform.name());
    let mut properties = format!("model={},stepping={}", found.model, found.stepping);
    if !found.properties.is_empty() {
        properties = format!("{properties},{}", found.properties);
    }
    (&found.emulated, properties)
}

/// The machine as the emulator has to build it.
struct Machine {
    platform: Platform,
    packages: Vec<PackageShape>,
    threads: usize,
    /// The first core of the second NUMA node of each package, if there are two.
    divided_at: Option<usize>,
    /// NUMA nodes beside those of the packages.
    spare_nodes: usize,
    /// Processors report a hypervisor. Drivers of real hardware check for one, so usually
    /// this is false.
    hypervisor: bool,
}

impl Machine {
    fn new(config: &Config) -> Result<Self, Error> {
        let (ours, model): (Vec<_>, Vec<_>) = config.machine.iter().partition(|(name, _)| {
            let mut known = EMULATOR_OPTIONS.iter().chain(&PLUGIN_OPTIONS);
            known.any(|option| option == name)
        });
        let model: Vec<String> = model
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let Topology {
            platform,
            packages,
            divided_at,
            ..
        } = Topology::parse(&model.join(","))?;
        let number = |wanted: &str, default: usize| {
            let option = ours.iter().find(|(name, _)| name == wanted);
            let number = option.map_or(Ok(default), |(_, value)| value.parse());
            number.map_err(|_| Error::Option(format!("{wanted} is not a number")))
        };
        let mut all = ours.iter();
        let hypervisor = all.any(|(name, value)| name == HYPERVISOR && value == "on");
        let threads = number("smt", 1)?;
        let spare_nodes = number(SPARE_NODES, 0)?;
        let uncore = |package: &PackageShape| package.buses.map(|buses| buses.uncore);
        if packages.iter().any(|package| uncore(package) == Some(0)) {
            return Err(Error::Option(
                "an uncore bus cannot be 0, the board's own".to_owned(),
            ));
        }
        Ok(Self {
            platform,
            packages,
            threads,
            divided_at: divided_at.map(usize::from),
            spare_nodes,
            hypervisor,
        })
    }

    /// Cores of the largest package; the others have gaps in their place.
    fn slots(&self) -> usize {
        let cores = self
            .packages
            .iter()
            .map(|package| usize::from(package.cores));
        cores.max().unwrap_or(1)
    }

    /// NUMA nodes of each package.
    fn nodes(&self) -> usize {
        match self.divided_at {
            None => 1,
            Some(_) => 2,
        }
    }

    /// Package, core and thread numbers of all processors.
    fn places(&self) -> Vec<(usize, usize, usize)> {
        let mut places = Vec::new();
        for (socket, package) in self.packages.iter().enumerate() {
            for core in 0..usize::from(package.cores) {
                places.extend((0..self.threads).map(|thread| (socket, core, thread)));
            }
        }
        places
    }

    /// Options for the processors. Packages that differ are built of one processor and
    /// "hot-plugged" ones.
    fn processors(&self) -> Vec<String> {
        let (sockets, cores, threads) = (self.packages.len(), self.slots(), self.threads);
        let all = sockets * cores * threads;
        let (model, properties) = processor(self.platform);
        let places = self.places();
        let even = places.len() == all;
        let present = if even { all } else { 1 };
        let mut words = vec![
            format!(
                "-cpu {model},{properties},-tsc-deadline,hypervisor={}",
                if self.hypervisor { "on" } else { "off" }
            ),
            format!(
                "-smp {present},maxcpus={all},sockets={sockets},cores={cores},threads={threads}"
            ),
        ];
        for (socket, core, thread) in places.into_iter().skip(present) {
            words.push(format!(
                "-device {model}-x86_64-cpu,socket-id={socket},core-id={core},thread-id={thread}"
            ));
        }
        words
    }

    /// Options for the memory: the nodes of each package, and the spare nodes. Each has
    /// memory, since the kernel drops a node that has neither processors nor memory.
    fn memory(&self, megabytes: u32) -> Vec<String> {
        let of_packages = self.packages.len() * self.nodes();
        let each = megabytes / u32::try_from(of_packages).unwrap_or(u32::MAX);
        let sizes = std::iter::repeat_n(each, of_packages);
        let sizes = sizes.chain(std::iter::repeat_n(SPARE_MEGABYTES, self.spare_nodes));
        let sizes: Vec<u32> = sizes.collect();
        let mut words = vec![format!("-m {}M", sizes.iter().sum::<u32>())];
        for (node, size) in sizes.into_iter().enumerate() {
            words.push(format!(
                "-object memory-backend-ram,id=memory{node},size={size}M"
            ));
            words.push(format!("-numa node,nodeid={node},memdev=memory{node}"));
            if node < of_packages {
                words.extend(self.processors_of(node));
            }
        }
        words
    }

    /// The processors of a node of a package: all of the package, or some of its cores.
    fn processors_of(&self, node: usize) -> Vec<String> {
        let (socket, part) = (node / self.nodes(), node % self.nodes());
        let place = format!("-numa cpu,node-id={node},socket-id={socket}");
        let Some(half) = self.divided_at else {
            return vec![place];
        };
        let cores = match part {
            0 => 0..half,
            _ => half..self.slots(),
        };
        cores
            .map(|core| format!("{place},core-id={core}"))
            .collect()
    }

    /// A root bus for each bus of the model that is not the board's.
    fn buses(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (socket, package) in self.packages.iter().enumerate() {
            let node = socket * self.nodes();
            let buses = package.buses.map(|buses| [buses.uncore, buses.iio]);
            for bus in buses.into_iter().flatten() {
                if bus != 0 {
                    let slot = FIRST_BRIDGE + words.len();
                    words.push(format!(
                        "-device pxb-pcie,id=bus{bus:02x},bus=pcie.0,addr={slot:#x},bus_nr={bus},numa_node={node}"
                    ));
                }
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(options: &[(&str, &str)]) -> Config {
        let mut config = Config::default();
        config.parts.plugin = "/p.so".into();
        config.parts.qemu = "/usr/bin/qemu".into();
        for (name, value) in options {
            config.set(name, value);
        }
        config
    }

    #[test]
    fn a_shell_takes_the_terminal_and_the_plugin_every_option() {
        let inside = |name: &str| Path::new("/w,1").join(name);
        let files = Files {
            initrd: inside("initrd"),
            disk: inside("disk"),
            monitor: inside("monitor"),
            kernel_log: inside("log"),
            violations: inside("report"),
        };
        let console = Console::Shell {
            rows: 24,
            columns: 80,
            kind: "xterm".to_owned(),
        };
        let config = config(&[("cores", "1"), ("core-pmu", "off")]);
        let line = command_line(&config, &console, &files);
        let line = line.expect("a possible machine").join(" ");
        for words in [
            "-chardev stdio,id=terminal,signal=off ",
            "path=/w,,1/log,append=on -serial chardev:log -serial chardev:terminal ",
            "uncore.shell=ttyS1,24,80,xterm",
            "-plugin /p.so,cboxes=3,cores=1,core-pmu=off,report=/w,,1/report",
        ] {
            assert!(line.contains(words), "no {words} in {line}");
        }
        assert!(!line.contains("virtserialport"));
    }

    #[test]
    fn impossible_machines_are_refused_in_words() {
        let refusal = |options: &[(&str, &str)]| {
            let machine = Machine::new(&config(options));
            machine.map(|_| ()).expect_err("impossible").to_string()
        };
        assert!(refusal(&[("packages", "3")]).contains("'3'"));
        assert!(refusal(&[("wheels", "4")]).contains("wheels"));
        assert!(refusal(&[("smt", "two")]).contains("smt"));
        assert!(refusal(&[
            ("packages", "1"),
            ("uncore-buses", "0"),
            ("iio-buses", "80")
        ])
        .contains("uncore bus"));
    }

    #[test]
    fn an_unpacked_tree_brings_its_own_loader() {
        let directory = tempfile::tempdir().expect("a directory");
        let words = program(directory.path());
        assert!(words[0].ends_with("usr/lib64/ld-linux-x86-64.so.2"));
        assert!(words[3].ends_with("usr/bin/qemu-system-x86_64"));
        assert_eq!(program(Path::new("/usr/bin/qemu")), ["/usr/bin/qemu"]);
    }
}
