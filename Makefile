# SPDX-License-Identifier: GPL-2.0
#
#? make run                  boot the emulated machine, count with stock perf
#? make test                 the tests, on the newest kernel; the last line says how many
#?                           passed, failed and were skipped
#? make test-kernels         some of them on the oldest kernel, on those that find locks, leaks
#?                           and data races, and on processors that are like another one
#? make test-host            the tests that need no guest; make test-dkms those of the
#?                           packages' scripts, make test-install those of the targets
#?                           that build for other kernels and install
#? make guest CMD='...'      boot, run one shell command; fails if it does
#? make shell                boot, and a shell in the guest
#? make kunit                the module's KUnit suites, in the guest
#? make lint                 format, lints and style of all sources
#? make tool                 build build/uncore, the user-space tool, and its
#?                           manual pages and completions in build/manual
#? make modules              build the module
#? make modules_install      install it for the kernel of KDIR
#? make install              install the tool below PREFIX (/usr/local);
#?                           make uninstall removes it
#? make dkms-install         have DKMS build and install the module for the kernels
#?                           of this machine; make dkms-uninstall removes it
#? make deb                  build Debian packages of both in build/deb; make rpm RPM
#?                           packages, too, in build/rpm
#? make release              both, the tool, the source with its crates, licences, notes and
#?                           checksums, in build/release
#? make clean                remove build/
#? make help-all             all targets and variables
#?
#? KDIR=DIRECTORY            the kernel tree to build the module for; without it, the
#?                           guest's kernel
#? KERNEL_SERIES=7.3         the guest's kernel: newest (the default), oldest, or
#?                           a series that Debian offers
#? KERNEL=plain|debug|kcsan|rt|stock|debian12|debian13
#?                           without or with KASAN, lockdep, kmemleak and others; with
#?                           KCSAN, which finds data races; with PREEMPT_RT; or Debian's
#?                           own: the newest, 6.1 or 6.12. "make run", "guest" and
#?                           "shell" take that of the host's release, all else plain
#? PARAMS='NAME=VALUE ...'   parameters for our module
#? PLATFORM=NAME             what the machine is: ivbep (Ivy Bridge-EP, the default) or
#?                           another processor of tests/data/*/processors.csv
#? UNCORE_CACHE=DIRECTORY    the cache ($XDG_CACHE_HOME/uncore-rs)
#+
#+ make test-all             all tests on all kernels, with all repetitions, which
#+                           takes long
#+ make test-e2e-KERNEL      the end-to-end tests on a kernel, say oldest-plain or
#+                           newest-debug
#+ make test-races-KERNEL    those in which much happens at once, for newest-kcsan
#+ make test-realtime-KERNEL those that a real-time kernel can fail, for newest-rt
#+ make test-overflow-KERNEL those of overflows, with all repetitions
#+ make test-judges-KERNEL   those with software from outside: perf's own suite, the
#+                           kernel's self-test of resctrl, libpfm4, LIKWID, PCM. Of a
#+                           PLATFORM with the names of libpfm4: TESTS=judges::libpfm4
#+ make test-bdx-KERNEL      those of "make test" on a Broadwell-EP; test-bdx-all-KERNEL are
#+                           the others, test-bdx-repeats-KERNEL those with repetitions.
#+                           Other folders of tests/data have the same, and clients.
#+                           test-ivbep-all-KERNEL are long ones that "make test" leaves out
#+ make storm                take everything from the module and give it back while
#+                           programs count; MINUTES=N of the guest's time, then
#+                           RELOADS=N loads
#+ make failures KERNEL=debug   have each allocation fail that the module needs; ONLY=TEXT
#+                           those whose titles have it
#+ make readings             run every event under each reading of what the hardware's
#+                           sources leave open, on the host, and write
#+                           Documentation/hardware/uncertain-table.rst
#+ make campaign PART=1/30   a part of all that takes long, with full counts, on the plain and
#+                           the debug kernel, and a report on all parts; without PART the
#+                           report
#+ make test-stock-RELEASE   some tests on the stock kernel of a release of Debian, say
#+                           debian13; make test-releases on several
#+ make test-release         make release twice, in two directories, and compare
#+ make test-distro          our packages on a stock Debian kernel, in a tree below
#+                           build; needs root
#+
#+ make schedules            run threads over the driver on the host, in many orders;
#+                           SEED=N, SEEDS=N where to begin, and how many
#+ make soak DAYS=N          count for so many days on every counter, on the host
#+ make mutants              change the driver in one place after the other; how many
#+                           changes the tests on the host notice, by file. Takes hours:
#+                           FILES='**/nmi*.rs', or SHARD=0/20 for a part
#+ make miri                 look for undefined behaviour in the KUnit suites on the host,
#+                           if a nightly toolchain has Miri
#+ make kani                 prove some of their properties, if Kani is there
#+ make fuzz                 ask the driver on the host for events, right and wrong, and
#+                           compare what it says with what it should; SEED=N, CASES=N,
#+                           ONLY=N a seed, how many cases, or which one
#+ make bench                what operations cost, beside intel_uncore: tables, and
#+                           build/bench.json; ONLY=TEXT those whose names have it
#+ make coverage             which functions and lines of the driver the tests on the host
#+                           run: totals, and build/coverage.lcov
#+ make rust-analyzer        write rust-project.json, for editors
#+ make rustdoc              make pages of the module's documentation in build/rustdoc; a
#+                           warning is an error
#+ make prepare              all that "make run" needs, without booting
#+ make update               forget which package versions are the newest
#+ make clean-cache          remove the cache: kernels, packages, bindgen
#+
#+ UNCORE_STAND_IN=1         build the module as for a kernel without Rust
#+ SEED=N, ONLY=N            which minute to storm
#+ DRIVER=uncore_rs          the driver to load, or intel_uncore, or none
#+ SOCKETS=1|2|4|8           processor packages (2; a client has 1)
#+ CORES=N, CBOXES=N         per package; N:M:... for packages that differ
#+ MACHINE='KEY=VALUE,...'   more options of the machine (Documentation/development)
#+ X2APIC=1                  a guest with x2APIC
#+ FREE_RUNNING=1            traffic of a server all the time, not only bursts
#+ MEMORY=MIB, TIMEOUT=SECONDS
#+ DESTDIR=DIRECTORY         install there for packaging; DKMS is not run
#
# Kbuild describes the module for the kernel's build system. The scripts of tools/build
# and tests/guest do the work; this file has the dependencies only.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
# Two jobs, so that downloads and archives do not wait for cargo. The job server is kept
# from cargo and from kernel builds, which count their own jobs.
MAKEFLAGS += --jobs=2
unexport MAKEFLAGS MFLAGS

# These take the stock kernel of the host's release, which need not be built.
ifneq ($(filter run prepare guest shell,$(MAKECMDGOALS)),)
ifeq ($(origin KERNEL)$(origin KERNEL_SERIES),undefinedundefined)
KERNEL := $(shell tools/build/run-kernel.sh)
endif
endif
KERNEL ?= plain
KERNEL_SERIES ?= newest
PLATFORM ?= ivbep
DRIVER ?= uncore_rs
KDIR ?=

# The kernel's minimum is 0.71.1.
BINDGEN_VERSION := 0.72.1
MUTANTS_VERSION := 27.1.0
LLVM_COV_VERSION := 0.6.21
EMULATOR_PACKAGES := qemu-system-x86
USERLAND_PACKAGES := linux-perf busybox-static pciutils msr-tools kmod
# The perf of a stable Debian, for the tests that run with both versions of perf.
STABLE_PACKAGES := linux-perf/trixie
# What perf's own programs in Python need, and a terminal for tests to run them on.
PYTHON_PACKAGES := python3-textual python3-pyte
PROMETHEUS_PACKAGES := prometheus
# Software that uses uncore PMUs, what its tests want, and what a part of it is built with.
JUDGES_PACKAGES := bash coreutils libpfm4-dev likwid liblua5.3-dev libhwloc-dev pcm

# The kernels that the tests run on. "make test" takes the first.
TEST_KERNEL := newest-plain
OTHER_KERNELS := oldest-plain newest-debug newest-kcsan

# What "make run" counts. The processors of a platform have PMUs of the same names, but clients.
run_platform = $(patsubst tests/data/%/processors.csv,%,\
	$(shell grep -l '^$(PLATFORM),' tests/data/*/processors.csv))
run_name = $(or $(shell sed -n 's/^\($(PLATFORM)\),.*,client,.*/\1/p' \
	tests/data/*/processors.csv),$(run_platform))
run_lacks_bdx-de := sbox_% qpi_%
RUN_EVENTS = $(addprefix $(run_name)_uncore_,\
	$(filter-out $(run_lacks_$(PLATFORM)),$(shell cat tests/data/$(run_platform)/run.events)))
RUN_COMMAND = perf stat -a --per-socket $(addprefix -e ,$(RUN_EVENTS)) -- burst 1000000

guest := tests/guest
scripts := tools/build
kernel := $(if $(filter debian%,$(KERNEL)),$(KERNEL)-stock,$(KERNEL_SERIES)-$(KERNEL))

export CARGO_TARGET_DIR := $(CURDIR)/build/cargo
target := x86_64-unknown-linux-gnu
plugin := build/cargo/release/libuncore_machine_plugin.so
runner := build/cargo/$(target)/release/guest
campaign := build/cargo/$(target)/release/campaign
tools := $(patsubst $(guest)/tools/src/bin/%.rs,build/cargo/$(target)/release/%,\
	$(wildcard $(guest)/tools/src/bin/*.rs))
tool := build/cargo/$(target)/release/uncore
version := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
module_sources := Kbuild dkms.conf $(shell find rust include -type f 2>/dev/null)

.PHONY: help help-all
help:
	@sed -n 's/^#? \?//p' Makefile

help-all:
	@sed -n 's/^#[?+] \?//p' Makefile

# --- Downloads. These files hold paths into the cache, and change only when a path
# changes.

.PHONY: FORCE host host-deb host-distro
FORCE:

host:
	@$(scripts)/install-host-deps.sh build
	@[ -e build/cargo ] || $(scripts)/compiled-crates.sh take

host-deb host-rpm host-distro: host-%: host
	@$(scripts)/install-host-deps.sh $*

build/toolchain: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/toolchain.sh $(BINDGEN_VERSION)

build/emulator: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh emulator $(EMULATOR_PACKAGES)

build/userland: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh userland $(USERLAND_PACKAGES)

build/stable: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh stable $(STABLE_PACKAGES)

build/python: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh python $(PYTHON_PACKAGES)

build/prometheus: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh prometheus $(PROMETHEUS_PACKAGES)

build/judges: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/sysroot.sh judges $(JUDGES_PACKAGES)

build/likwid: build/judges $(guest)/likwid.sh FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(guest)/likwid.sh "$$(cat build/judges)"

build/source: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(scripts)/kernel-source.sh newest

# Parts of the guest's user space that only some tests boot.
build/perf-stable.cpio: build/userland build/stable $(guest)/programs-initrd.sh $(guest)/guest-binaries.sh
	@$(guest)/programs-initrd.sh $@ "$$(cat build/userland)" "$$(cat build/stable)" \
		usr/bin/perf=perf-stable

build/front-ends.cpio: build/userland build/python build/source $(guest)/front-ends-initrd.sh \
		$(guest)/guest-binaries.sh $(wildcard $(guest)/front-ends/*)
	@$(guest)/front-ends-initrd.sh $@ "$$(cat build/userland)" "$$(cat build/python)" \
		"$$(cut -d ' ' -f 3- build/source)"

build/prometheus.cpio: build/userland build/prometheus $(guest)/programs-initrd.sh $(guest)/guest-binaries.sh
	@$(guest)/programs-initrd.sh $@ "$$(cat build/userland)" "$$(cat build/prometheus)" \
		usr/bin/prometheus usr/bin/promtool

build/judges.cpio: build/userland build/judges build/likwid build/source \
		$(guest)/judges-initrd.sh $(guest)/guest-binaries.sh $(wildcard $(guest)/judges/*)
	@$(guest)/judges-initrd.sh $@ "$$(cat build/userland)" "$$(cat build/judges)" \
		"$$(cat build/likwid)" "$$(cut -d ' ' -f 3- build/source)"

layers := build/perf-stable.cpio build/front-ends.cpio build/prometheus.cpio
with_layers := export UNCORE_PERF_STABLE=$(CURDIR)/build/perf-stable.cpio \
	UNCORE_FRONT_ENDS=$(CURDIR)/build/front-ends.cpio \
	UNCORE_PROMETHEUS=$(CURDIR)/build/prometheus.cpio;

# SERIES-FLAVOUR
build/kernel/%/kdir: build/toolchain FORCE
	@$(scripts)/update-if-changed.sh $@ $(guest)/kernel.sh build/toolchain \
		$(firstword $(subst -, ,$*)) $(lastword $(subst -, ,$*))

# Debian's own kernel of that release, say debian13-stock.
build/kernel/%-stock/kdir: FORCE | host
	@$(scripts)/update-if-changed.sh $@ $(guest)/stock.sh $*

build/kernel/%/base: build/userland build/kernel/%/kdir FORCE
	@$(scripts)/update-if-changed.sh $@ $(guest)/image.sh \
		"$$(cat build/userland)" "$$(cat build/kernel/$*/kdir)"

# --- The module and its twin with the KUnit suites, for a guest kernel.

# Crates for kernels without Rust.
build/crates/complete: tests/engine/Cargo.lock tools/crates.sh | host
	@tools/crates.sh $(@D)
	@touch $@

build/stand-in: FORCE
	@$(scripts)/update-if-changed.sh $@ echo '$(UNCORE_STAND_IN)'

# $(call build_module,MAKE-ARGUMENT...): builds the target of the rule, whose stem is the kernel.
build_module = @echo "==> building $(@F) for the $* kernel" >&2; \
	kdir=$$(cat build/kernel/$*/kdir); objects=build/module/$$(basename $$kdir); \
	UNCORE_COMMIT= tools/module.sh build/toolchain $$kdir $$objects $(1) modules >&2; \
	cp $$objects/$(@F) $@

build/kernel/%/uncore_rs.ko: build/kernel/%/kdir build/toolchain build/crates/complete \
		build/stand-in $(module_sources)
	$(call build_module)

# This needs a kernel with Rust.
build/kernel/%/uncore_rs_kunit.ko: build/kernel/%/uncore_rs.ko
	$(call build_module,UNCORE_KUNIT=1)

# Modules that tests load beside it; they have a Kbuild of their own.
build/kernel/%/unknown_nmi.ko build/kernel/%/busy_cpu.ko build/kernel/%/wake_up.ko: \
		build/kernel/%/kdir build/toolchain $(wildcard $(guest)/nmi/*)
	@echo "==> building the tests' own modules for the $* kernel" >&2
	@kdir=$$(cat build/kernel/$*/kdir); objects=build/module/$$(basename $$kdir)-nmi; \
	tools/module.sh build/toolchain $$kdir $$objects M=$(CURDIR)/$(guest)/nmi modules >&2; \
	cp -t build/kernel/$* $$objects/unknown_nmi.ko $$objects/busy_cpu.ko $$objects/wake_up.ko

build/kernel/%/module.cpio: build/kernel/%/uncore_rs.ko build/kernel/%/unknown_nmi.ko \
		build/kernel/%/busy_cpu.ko build/kernel/%/wake_up.ko
	@$(guest)/initrd-add.sh $@ $(addprefix lib/modules=,$^)

build/kernel/%/kunit.cpio: build/kernel/%/uncore_rs_kunit.ko
	@$(guest)/initrd-add.sh $@ lib/modules=$<

# Here modprobe finds the module, too.
build/kernel/%-stock/module.cpio: build/kernel/%-stock/uncore_rs.ko \
		build/kernel/%-stock/unknown_nmi.ko build/kernel/%-stock/busy_cpu.ko \
		build/kernel/%-stock/wake_up.ko
	@kdir=$$(cat $(@D)/kdir); release=$$(ls $$kdir/lib/modules); \
	root=$(@D)/root; rm -rf $$root; mkdir $$root; cp -r -t $$root $$kdir/lib; \
	install -D -t $$root/lib/modules/$$release/updates $<; \
	/usr/sbin/depmod -b $$root $$release; \
	$(guest)/initrd-add.sh $@ lib=$$root/lib/modules $(addprefix lib/modules=,$^)

# --- For developers of the module: the project file of an editor, and pages of the
# module's documentation.

.PHONY: rust-analyzer rustdoc
rust-analyzer rustdoc: build/kernel/$(kernel)/uncore_rs.ko build/toolchain
	@kdir=$$(cat build/kernel/$(kernel)/kdir); \
	$(scripts)/$@.sh build/toolchain $$kdir build/module/$$(basename $$kdir)

# --- User space in Rust. Only cargo can tell if a program is out of date, so it always
# runs. It runs once at a time: hence the order.

# Static, so that the tools run in any guest and on any distribution. Tests are built the same
# way, and always for the whole workspace: each crate is compiled once, with the features that
# all ask for.
# $(call static,build or test)
static = RUSTFLAGS='-C target-feature=+crt-static' \
	cargo $(1) --locked --release --target $(target) --workspace
static_test = $(call static,test) --no-fail-fast
quiet := $(if $(findstring s,$(firstword -$(MAKEFLAGS))),--quiet)

$(tool): FORCE | host
	@$(call static,build) $(quiet) --bin $(@F)

$(tools) $(runner) &: FORCE | $(tool)
	@$(call static,build) $(quiet) $(patsubst %,--bin %,$(notdir $(tools) $(runner)))

$(campaign): FORCE | $(plugin)
	@$(call static,build) $(quiet) --bin $(@F)

# A part of the emulator, and so no static program.
$(plugin): FORCE | $(runner)
	@cargo build --locked --release $(quiet) -p uncore-machine-plugin

# What is installed is linked as one, which takes longer, so that it is small. It names its commit,
# and no directory in which it was built.
remap := $(CURDIR)=uncore-rs $(or $(CARGO_HOME),$(HOME)/.cargo)=cargo
small = $(subst crt-static,crt-static $(addprefix --remap-path-prefix=,$(remap)),\
	$(subst --release,--profile small,$(call static,build)))

.PHONY: tool
tool: $(tool)
	@commit=$$(tools/commit.sh); export UNCORE_VERSION="$(version)$${commit:+ ($$commit)}"; \
	$(small) $(quiet) --bin $(notdir $<)
	@cp build/cargo/$(target)/small/$(notdir $<) build/
	@$(call static,build) $(quiet) --example manual
	@rm -rf build/manual
	@$(dir $<)examples/manual build/manual
	@echo build/$(notdir $<)

build/tools.cpio: $(guest)/init $(tools) $(tool)
	@$(guest)/initrd-add.sh $@ /=$(guest)/init $(addprefix bin=,$(tools) $(tool))

# --- Booting. The environment names the parts of the machine, for the runner and for the
# tests that cargo starts; the options are those of this run.

machine := build/emulator build/tools.cpio $(plugin)

# $(call environment,SERIES-FLAVOUR[,module or kunit])
environment = export UNCORE_PLATFORM=$(PLATFORM) \
	UNCORE_SERIES=$(firstword $(subst -, ,$(1))) \
	UNCORE_FLAVOUR=$(lastword $(subst -, ,$(1))) \
	UNCORE_QEMU=$$(cat build/emulator) \
	UNCORE_PLUGIN=$(CURDIR)/$(plugin) \
	UNCORE_KERNEL=$$(cat build/kernel/$(1)/kdir)/arch/x86/boot/bzImage \
	UNCORE_INITRD=$$(cat build/kernel/$(1)/base):$(CURDIR)/build/tools.cpio$\
		$(addprefix :$(CURDIR)/build/kernel/$(1)/,$(2:=.cpio));

# $(call needs,SERIES-FLAVOUR[,module or kunit]): the files of that environment
needs = $(machine) build/kernel/$(1)/base $(addprefix build/kernel/$(1)/,$(2:=.cpio))

our_module := $(if $(filter uncore_rs,$(DRIVER)),module)
boot_needs := $(call needs,$(kernel),$(our_module)) $(runner)
options := --driver $(DRIVER) $(addprefix --module-param ,$(PARAMS)) \
	--machine platform=$(PLATFORM) \
	$(addprefix --machine packages=,$(SOCKETS)) $(addprefix --machine cores=,$(CORES)) \
	$(addprefix --machine cboxes=,$(CBOXES)) $(addprefix --machine ,$(MACHINE)) \
	$(if $(X2APIC),--x2apic) $(if $(FREE_RUNNING),--machine free-run=on) \
	$(if $(MEMORY),--memory $(MEMORY)) $(if $(TIMEOUT),--timeout $(TIMEOUT))
boot = $(call environment,$(kernel),$(our_module)) $(runner) $(options)

# The command as it was typed: make must not look for variables in it.
export UNCORE_COMMAND := $(value CMD)

.PHONY: prepare run guest shell kunit
prepare: $(boot_needs)

run: $(boot_needs)
	@echo "==> in the guest: $(RUN_COMMAND)"
	@$(boot) "$(RUN_COMMAND)"

guest: $(boot_needs)
	@[ -n "$$UNCORE_COMMAND" ] || { echo "usage: make guest CMD='...'" >&2; exit 2; }
	@$(boot) "$$UNCORE_COMMAND"

shell: $(boot_needs)
	@$(boot) --shell

kunit: test-kunit-$(kernel)

# --- Tests.

.PHONY: test test-kernels test-all lint test-lint test-dkms test-install test-host \
	test-kunit-others test-releases test-release test-distro
# Slow parts last; each part is a make of its own, so that one may fail.
test:
	+@tests/test.sh $@ $(MAKE) lint dkms install+kunit-$(TEST_KERNEL) host \
		$(patsubst %,%-$(TEST_KERNEL),e2e $(filter-out $(alike),$(platforms)))

test-kernels:
	+@tests/test.sh $@ $(MAKE) stock-debian13 \
		kunit-newest-debug+core-oldest-plain brief-newest-debug \
		$(patsubst %,%-$(TEST_KERNEL),$(alike) ivbep-all \
		$(patsubst %,%-all,$(filter-out bdx $(alike),$(platforms))))

test-all: export UNCORE_REPEAT := all
test-all:
	+@tests/test.sh $@ $(MAKE) lint dkms install+kunit-$(TEST_KERNEL) host kunit-others \
		e2e-$(TEST_KERNEL) e2e-oldest-plain e2e-newest-debug races-newest-kcsan \
		realtime-newest-rt judges-$(TEST_KERNEL) $(platforms:%=%-$(TEST_KERNEL)) \
		$(platforms:%=%-all-$(TEST_KERNEL)) $(platforms:%=%-repeats-$(TEST_KERNEL)) \
		$(successors:%=%-$(TEST_KERNEL)) \
		stock-debian13 releases release distro

lint test-lint: build/toolchain build/kernel/newest-plain/kdir
	@$(scripts)/lint.sh build/toolchain "$$(cat build/kernel/newest-plain/kdir)" $(MAKE)

test-dkms: build/crates/complete
	@tests/dkms/dkms.sh

test-install: build/toolchain build/kernel/newest-plain/kdir
	@tests/install.sh $(MAKE) "$$(cat build/kernel/newest-plain/kdir)"

test-host: | host
	@status=0; \
	$(static_test) --lib --bins || status=$$?; \
	$(static_test) --exclude uncore-e2e --exclude uncore-campaigns --test '*' || status=$$?; \
	$(static_test) --doc || status=$$?; \
	$(engine_tests) || status=$$?; \
	$(engine_tests) $(schedules) || status=$$?; \
	[ $$status != 0 ] || $(scripts)/compiled-crates.sh keep; \
	exit $$status

# The driver without the kernel: its suites, the whole of it, and threads over it.
engine_tests := cargo test --locked --no-fail-fast \
	--manifest-path tests/engine/Cargo.toml --workspace
schedules := --features schedules schedules::

.PHONY: schedules
schedules: | host
	@UNCORE_SEED=$(or $(SEED),1) UNCORE_SEEDS=$(or $(SEEDS),1000) $(engine_tests) --release $(schedules)

.PHONY: fuzz soak
fuzz: | host
	@export UNCORE_CASES=$(or $(CASES),100000) $(addprefix UNCORE_SEED=,$(SEED)) \
		$(addprefix UNCORE_ONLY=,$(ONLY)); $(engine_tests) --release fuzz::

soak: | host
	@export UNCORE_DAYS=$(or $(DAYS),1); $(engine_tests) --release whole::soak

.PHONY: mutants
mutants: | host
	@tests/mutants.sh "$$($(scripts)/cargo-tool.sh cargo-mutants cargo-mutants $(MUTANTS_VERSION))" \
		$(CURDIR)/build/mutants '$(or $(FILES),**)' '$(or $(SHARD),0/1)'

# $(call if_works,COMMAND,ARGUMENTS,HOW-TO-INSTALL): runs a tool that few have.
if_works = if $(1) --version >/dev/null 2>&1; then $(1) $(2); \
	else echo 'skipped: no "$(1)"; to install it: $(strip $(3))'; fi

# Under Miri a test takes a thousand times longer: no whole machines, no long loops.
.PHONY: miri kani
miri: | host
	@export MIRIFLAGS=-Zmiri-disable-isolation; \
	$(call if_works,cargo +nightly miri,test --locked --no-fail-fast \
		--manifest-path tests/engine/Cargo.toml -- driver:: --skip assign:: \
		--skip selftest:: --skip what_does_not_fit, \
		rustup component add --toolchain nightly miri rust-src)

kani: | host
	@$(call if_works,cargo kani,--tests --manifest-path tests/engine/Cargo.toml, \
		cargo install kani-verifier && cargo kani setup)

# $(call suites,SERIES-FLAVOUR)
suites = $(call environment,$(1),kunit) tests/kunit.sh $(runner) --driver none \
	--script $(guest)/suites.sh

test-kunit-%: $(call needs,%,kunit) $(runner) FORCE
	@$(call suites,$*)

# These kernels run in parallel: a guest uses one processor most of the time.
test-kunit-others: $(foreach each,$(OTHER_KERNELS),$(call needs,$(each),kunit)) \
		$(runner)
	@guests=(); status=0; \
	$(foreach each,$(OTHER_KERNELS),{ $(call suites,$(each)); } \
		>build/kernel/$(each)/suites.log 2>&1 & guests+=($$!);) \
	for guest in "$${guests[@]}"; do wait "$$guest" || status=$$?; done; \
	tail -n +1 $(OTHER_KERNELS:%=build/kernel/%/suites.log); \
	exit $$status

end_to_end := $(static_test) --test e2e --test campaigns

# Tests that depend on the kernel: perf's way to add, move and read events, loading and
# unloading, PCI, interrupts.
test-core-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) \
	$(end_to_end) -- driver::groups:: driver::hotplug:: \
		lifetime::deadlocks:: lifetime::loading:: lifetime::rescan:: \
		overflow::faults::an_nmi overflow::intervals:: overflow::together::

# Tests for mistakes that only a debug kernel shows, which is ten times slower: locks,
# life times and contexts when CPUs go offline and online, and lost memory meanwhile.
test-brief-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) \
	$(end_to_end) -- driver::hotplug::a_whole driver::hotplug::counting \
		lifetime::deadlocks::unloading_after overflow::together::on_cpus_that_go

# Tests with concurrent actions, for the kernel that detects data races.
test-races-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) \
	$(end_to_end) -- --include-ignored driver::hotplug:: lifetime::loading:: \
		lifetime::rescan:: overflow::together:: races:: storm::

# Tests in which each box type counts, and CPUs, events and the module come and go: on a
# real-time kernel most locks sleep, and lockdep finds those that are taken where nothing may.
test-realtime-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) \
	$(end_to_end) -- driver::groups:: driver::hotplug:: lifetime::loading:: \
		lifetime::rescan:: overflow::intervals::

# Tests for one flavour of kernel are ignored on the others. Their names end in
# "on_FLAVOUR", such as "on_debug". Those that boot or wait for long are left to "make
# test-kernels", as ivbep-all.
test-e2e-%: $(call needs,%,module) $(layers) FORCE
	@$(call environment,$*,module) $(with_layers) \
	status=0; own=on_$(lastword $(subst -, ,$*)); skip=(); \
	[ "$${UNCORE_REPEAT-}" = all ] || \
		mapfile -t skip < <(tests/e2e/platforms.sh ivbep all | sed 's/^/--skip=/'); \
	$(end_to_end) -- --skip "$$own" "$${skip[@]}" || status=$$?; \
	[ $$own = on_plain ] || $(end_to_end) -- --ignored "$$own" || status=$$?; \
	exit $$status

# Tests in which software from outside uses the PMUs. Some of it is in Python.
test-judges-%: $(call needs,%,module) build/judges.cpio build/front-ends.cpio FORCE
	@$(call environment,$*,module) $(with_layers) \
	export UNCORE_JUDGES=$(CURDIR)/build/judges.cpio; \
	$(end_to_end) -- --ignored $(or $(TESTS),judges::)

# That of Debian 11 has no CONFIG_NO_HZ_FULL.
no_test_debian11 := --skip stock::a_cpu_without_ticks

# Tests on the stock kernel of a release of Debian, of what the release of the kernel can change.
test-stock-%: $(call needs,%-stock,module) build/perf-stable.cpio FORCE
	@$(call environment,$*-stock,module) \
	export UNCORE_PERF_STABLE=$(CURDIR)/build/perf-stable.cpio; status=0; \
	$(end_to_end) -- --include-ignored driver::hotplug::a_whole driver::hotplug::counting \
		lifetime::loading::load_count names::compat:: overflow::intervals:: \
		power::suspend::counts stock:: $(no_test_$*) || status=$$?; \
	loads=(); logs=(); \
	for platform in $(platforms); do \
		logs+=(build/kernel/$*-stock/load-$$platform.log); \
		UNCORE_PLATFORM=$$platform $(end_to_end) -- lifetime::loading::load_count \
			>"$${logs[-1]}" 2>&1 & loads+=($$!); \
	done; \
	for load in "$${loads[@]}"; do wait "$$load" || status=$$?; done; \
	tail -n +1 "$${logs[@]}"; \
	exit $$status

# Kernels that each release of ours is tested on besides. An archive may be gone.
RELEASE_KERNELS := debian11 debian12 newest next
test-releases:
	@status=0; for each in $(RELEASE_KERNELS); do \
		there=0; $(guest)/stock.sh $$each >/dev/null || there=$$?; \
		case $$there in \
			0) $(MAKE) --no-print-directory test-stock-$$each || status=$$? ;; \
			77) echo "ok - stock-$$each # SKIP its archive does not answer" ;; \
			*) status=$$there ;; \
		esac; \
	done; exit $$status

# Two builds of a commit, in two directories.
test-release: release
	@rm -rf build/again; git clone -q . build/again; \
	$(MAKE) -s -C build/again release; \
	diff build/release/SHA256SUMS build/again/build/release/SHA256SUMS; \
	rm -rf build/again; echo "ok - make release makes the same files in another directory"

# Tests on the kernel of a distribution, with our packages installed.
stock_tests := driver::filters:: driver::groups:: driver::hotplug:: overflow::intervals:: overflow::together:: \
	prometheus::rates:: tool::check::passes_whole tool::export::the_unit secure_boot:: stock::

test-distro: $(machine) build/userland build/prometheus.cpio rpm | host-distro
	@export UNCORE_QEMU=$$(cat build/emulator) UNCORE_PLUGIN=$(CURDIR)/$(plugin) \
		UNCORE_PROMETHEUS=$(CURDIR)/build/prometheus.cpio; \
	tests/distro/distro.sh build/deb/*.deb -- $(stock_tests) -- \
		$(end_to_end) -- --include-ignored --show-output

# Tests of which "make test" runs a part only: every event on every box, every fault of
# the hardware that the tool must find.
test-repeats-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) export UNCORE_REPEAT=all; \
	$(end_to_end) -- driver::sweep::every_event tool::check::finds_every_mutant

# Tests that hold on platforms other than the first, as they declare it (tests/e2e/platforms.sh);
# those of the first that take long are test-ivbep-all.
# "make test" has a sweep and others that take little time, test-PLATFORM-all the rest, with those
# that only this platform has, and test-PLATFORM-repeats every event on every box.
# MACHINE=OPTIONS: how else the machine should be, such as irp=kernel.
platforms := $(filter-out ivbep,$(patsubst tests/data/%/processors.csv,%,\
	$(wildcard tests/data/*/processors.csv)))

# Clients whose rows are in the folder of the first one.
successors := $(filter-out $(platforms),\
	$(shell sed -n 's/,.*,client,.*//p' tests/data/*/processors.csv))
# Platforms that are like another one.
alike := $(filter $(platforms),$(shell sed -n 's/^\([^,]*\),.*,\(e[57]\|polled\),.*,[a-z]\+$$/\1/p' tests/data/*/processors.csv))

# $(call on_platform,PLATFORM,SERIES-FLAVOUR): the environment of these tests
on_platform = $(call environment,$(2),module) \
	export UNCORE_PLATFORM=$(1) UNCORE_MACHINE='$(MACHINE)'; \
	$(with_layers)

# $(call platform_tests,PLATFORM): their rules
define platform_tests
test-$(1)-%: $$(call needs,%,module) FORCE
	@$$(call on_platform,$(1),$$*) tests=$$$$(tests/e2e/platforms.sh $(1)) && \
	$$(end_to_end) -- --exact $$$$tests

test-$(1)-all-%: $$(call needs,%,module) $$(layers) FORCE
	@$$(call on_platform,$(1),$$*) tests=$$$$(tests/e2e/platforms.sh $(1) all) && \
	$$(end_to_end) -- --exact --include-ignored $$$$tests

test-$(1)-repeats-%: $$(call needs,%,module) FORCE
	@$$(call on_platform,$(1),$$*) export UNCORE_REPEAT=all; \
	$$(end_to_end) -- driver::sweep::every_event tool::check::finds_every_mutant
endef

$(foreach each,ivbep $(platforms) $(successors),$(eval $(call platform_tests,$(each))))

test-platforms-repeats-%: $(platforms:%=test-%-repeats-%) FORCE
	@:

# The tests of overflows, or those of TESTS, with all their repetitions.
test-overflow-%: $(call needs,%,module) FORCE
	@$(call environment,$*,module) export UNCORE_REPEAT=all; \
	$(end_to_end) -- $(or $(TESTS),overflow::)

.PHONY: campaign
campaign:
	+@tests/campaign.sh $(MAKE) $(PART)

# Many actions at once. The program chooses the values of variables that are not given.
.PHONY: storm
storm: $(campaign) $(call needs,$(kernel),module)
	@$(call environment,$(kernel),module) $< --output build/storm.json storm \
		$(addprefix --seed ,$(SEED)) $(addprefix --minutes ,$(MINUTES)) \
		$(addprefix --only ,$(ONLY)) $(addprefix --reloads ,$(RELOADS))

# Makes each allocation fail, one at a time.
.PHONY: failures
failures: $(campaign) $(call needs,$(kernel),module)
	@$(call environment,$(kernel),module) $< --output build/failures.json failures \
		$(if $(ONLY),--only '$(ONLY)')

# Runs every event under each reading of what the sources leave open, and writes the page of it.
.PHONY: readings
readings: | host
	@UNCORE_REPEAT=all UNCORE_PAGE=$(CURDIR)/Documentation/hardware/uncertain-table.rst \
		$(engine_tests) --release each_event_counts_or_is_refused_under_each_reading

# --- The cost of operations, with our driver and with the kernel's own.

.PHONY: bench
bench: $(campaign) $(call needs,$(kernel),module)
	@$(call environment,$(kernel),module) $< --output build/bench.json bench \
		$(if $(ONLY),--only '$(ONLY)')

# --- Parts of the driver that the tests on the host run.

.PHONY: coverage
coverage: | host
	@export CARGO_TARGET_DIR=$(CURDIR)/build/coverage; \
	program=$$($(scripts)/cargo-tool.sh cargo-llvm-cov cargo-llvm-cov $(LLVM_COV_VERSION)); \
	sources="--manifest-path tests/engine/Cargo.toml --ignore-filename-regex /tests[/.]"; \
	$$program llvm-cov test --locked -p uncore-engine $$sources \
		--lcov --output-path build/coverage.lcov >&2; \
	$$program llvm-cov report $$sources --summary-only

# --- The module, for any kernel.

# Variables of our command line that are passed on to the kernel's build system.
passed := $(foreach name,V W C CLIPPY CC LD LLVM ARCH CROSS_COMPILE INSTALL_MOD_PATH,\
	$(if $(filter command line,$(origin $(name))),$(name)='$($(name))'))

.PHONY: modules modules_install
ifeq ($(KDIR),)
modules: build/kernel/$(kernel)/uncore_rs.ko
	@echo "$< (KDIR= builds it for another kernel)"

modules_install:
	@echo "say for which kernel: make modules_install KDIR=/lib/modules/$$(uname -r)/build" >&2
	@exit 2
else
ours := build/module/$(notdir $(KDIR))-$(shell printf %s '$(KDIR)' | sha256sum | cut -c1-8)
# A host's own bindgen will do, so that this needs neither apt nor a network.
toolchain := $(if $(shell command -v bindgen),/dev/null,build/toolchain)

modules: $(filter build/%,$(toolchain)) \
		$(if $(UNCORE_STAND_IN)$(if $(wildcard $(KDIR)/rust/libkernel.rmeta),,1),build/crates/complete)
	@tools/module.sh $(toolchain) $(KDIR) $(ours) $(passed) modules
	@echo "$(ours)/uncore_rs.ko"

modules_install: modules
	@tools/module.sh $(toolchain) $(KDIR) $(ours) $(passed) modules_install
endif

# --- Installing.

PREFIX ?= /usr/local
DESTDIR ?=

prefix := $(DESTDIR)$(PREFIX)
program := $(prefix)/bin/$(notdir $(tool))
man := $(prefix)/share/man/man1
bash := $(prefix)/share/bash-completion/completions
fish := $(prefix)/share/fish/vendor_completions.d
zsh := $(prefix)/share/zsh/site-functions
units := $(prefix)/lib/systemd/system
shared := $(prefix)/share/uncore

.PHONY: install uninstall dkms-install dkms-uninstall deb rpm release
# Builds nothing as root, who may have no Rust: make tool, then sudo make install.
install:
	@[ -e build/manual ] || $(MAKE) --no-print-directory tool
	install -D -m 755 build/$(notdir $(tool)) $(program)
	install -D -m 644 -t $(man) build/manual/*.1
	install -D -m 644 build/manual/uncore.bash $(bash)/uncore
	install -D -m 644 -t $(fish) build/manual/uncore.fish
	install -D -m 644 -t $(zsh) build/manual/_uncore
	install -D -m 644 -t $(units) tools/export/uncore-export.service
	install -D -m 644 -t $(shared) tools/export/uncore.rules.yml

uninstall:
	rm -f $(program) $(man)/uncore*.1 $(bash)/uncore \
		$(fish)/uncore.fish $(zsh)/_uncore \
		$(units)/uncore-export.service $(shared)/uncore.rules.yml \
		$(DESTDIR)/etc/modprobe.d/uncore-rs.conf \
		$(DESTDIR)/etc/modules-load.d/uncore-rs.conf

# As above for the crates.
dkms-install:
	@[ -e build/crates/complete ] || $(MAKE) --no-print-directory build/crates/complete
	@tools/dkms/install.sh add "$(DESTDIR)"

dkms-uninstall:
	@tools/dkms/install.sh remove "$(DESTDIR)"

deb: tool build/crates/complete | host-deb
	@tools/deb/build.sh

rpm: deb | host-rpm
	@tools/rpm/build.sh build/deb/*.deb

release: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct)
release: rpm
	@tools/release.sh

# --- Cleaning.

.PHONY: update clean clean-cache
update:
	@$(scripts)/clear-cache.sh versions

clean:
	rm -rf build || sudo rm -rf --one-file-system build

clean-cache:
	@$(scripts)/clear-cache.sh everything
