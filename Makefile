# SPDX-License-Identifier: GPL-2.0
#
#? make run                  boot the emulated machine, count with stock perf
#? make test                 the tests; the last line says how many passed
#? make test-all             all tests on all kernels, with all repetitions, which
#?                           takes long
#? make test-e2e-KERNEL      the end-to-end tests on a kernel, say oldest-plain or
#?                           newest-debug
#? make test-races-KERNEL    those in which much happens at once, for newest-kcsan
#? make test-overflow-KERNEL those of overflows, with all repetitions
#? make soak DAYS=N          count for so many days of the guest's time
#? make storm                take everything from the module and give it back while
#?                           programs count; MINUTES=N of the guest's time, then
#?                           RELOADS=N loads
#? make failures             have each register, function and (KERNEL=debug) allocation
#?                           fail that the module needs; ONLY=TEXT those whose titles
#?                           have it
#? make test-distro          our packages on a stock Debian kernel, in a tree below
#?                           build; needs root
#?
#? make guest CMD='...'      boot, run one shell command; fails if it does
#? make shell                boot, and a shell in the guest
#? make kunit                the module's KUnit suites, in the guest
#? make fuzz                 ask the module for events, right and wrong, and compare
#?                           what it says with what it should
#? make bench                what operations cost, beside intel_uncore: a table, and
#?                           build/bench.json and build/bench.rst; ONLY=TEXT
#?                           those whose names have it
#? make coverage             which lines of the module the end-to-end tests run, and
#?                           which never; TESTS='FILTER ...' some of the tests
#? make lint                 format, lints and style of all sources
#? make prepare              all that "make run" needs, without booting
#? make tool                 build build/ivbep-uncore, the user-space tool, and its
#?                           manual pages and completions in build/manual
#? make modules              build the module
#? make modules_install      install it for the kernel of KDIR
#? make install              install the tool below PREFIX (/usr/local);
#?                           make uninstall removes it
#? make dkms-install         have DKMS build and install the module for the kernels
#?                           of this machine; make dkms-uninstall removes it
#? make deb                  build Debian packages of both in build/deb
#? make update               forget which package versions are the newest
#? make clean                remove build/
#? make clean-cache          remove the cache: kernels, packages, bindgen
#?
#? KDIR=DIRECTORY            the kernel tree to build the module for, any with
#?                           CONFIG_RUST=y; without it, the guest's kernel
#? KERNEL_SERIES=7.3         the guest's kernel: newest (the default), oldest, or
#?                           a series that Debian offers
#? KERNEL=plain|debug|kcsan|stock
#?                           without or with KASAN, lockdep, kmemleak and others; with
#?                           KCSAN, which finds data races; or Debian's own, which is
#?                           there sooner, but needs root
#? SEED=N, CASES=N, ONLY=N   what to fuzz with: a seed, how many cases, or which one;
#?                           SEED=N, ONLY=N also which minute to storm
#? DRIVER=ivbep_uncore       the driver to load, or intel_uncore, or none
#? PARAMS='NAME=VALUE ...'   parameters for our module
#? SOCKETS=1|2|4|8           processor packages (2)
#? CORES=N, CBOXES=N         per package; N:M:... for packages that differ
#? MACHINE='KEY=VALUE,...'   more options of the machine (Documentation/development)
#? X2APIC=1                  a guest with x2APIC
#? FREE_RUNNING=1            traffic all the time, not only in bursts
#? MEMORY=MIB, TIMEOUT=SECONDS
#? DESTDIR=DIRECTORY         install there for packaging; DKMS is not run
#? IVBEP_CACHE=DIRECTORY     the cache ($XDG_CACHE_HOME/ivbep-uncore)
#
# The module itself is described in Kbuild, for the kernel's build system. The
# work is done by the scripts of tests/guest, each of which says what it does;
# here is only what depends on what.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
# What is fetched or packed does not wait for what cargo compiles. But our jobs are
# not those of cargo, or of the makes of kernels.
MAKEFLAGS += --jobs=2
unexport MAKEFLAGS MFLAGS

KERNEL ?= plain
KERNEL_SERIES ?= newest
DRIVER ?= ivbep_uncore
KDIR ?=

# The kernel's minimum is 0.71.1.
BINDGEN_VERSION := 0.72.1
EMULATOR_PACKAGES := qemu-system-x86
USERLAND_PACKAGES := linux-perf busybox-static pciutils msr-tools
# The perf of a stable Debian, for the tests that hold the module against both.
STABLE_PACKAGES := linux-perf/trixie

# The kernels that the tests run on, the quickest first.
TEST_KERNELS := newest-plain oldest-plain newest-debug
KUNIT_KERNELS := $(TEST_KERNELS) newest-kcsan

# What "make run" counts.
RUN_EVENTS := ivbep_uncore_cbox_0/llc_lookup.any/ ivbep_uncore_cbox_1/clockticks/ \
	ivbep_uncore_imc_0/cas_count.rd/ ivbep_uncore_imc_0/cas_count.wr/ \
	ivbep_uncore_ubox/event_msg.doorbell_rcvd/
RUN_COMMAND := perf stat -a --per-socket $(addprefix -e ,$(RUN_EVENTS)) -- burst 1000000

guest := tests/guest
kernel := $(KERNEL_SERIES)-$(KERNEL)

export CARGO_TARGET_DIR := $(CURDIR)/build/cargo
plugin := build/cargo/machine/libivbep_machine_plugin.so
runner := build/cargo/machine/guest
programs := $(addprefix build/cargo/release/,fuzz soak storm failures bench coverage)
tools := $(patsubst $(guest)/tools/src/bin/%.rs,\
	build/cargo/x86_64-unknown-linux-gnu/release/%,$(wildcard $(guest)/tools/src/bin/*.rs))
tool := build/cargo/x86_64-unknown-linux-gnu/release/ivbep-uncore
module_sources := Kbuild $(shell find rust include -type f 2>/dev/null)

.PHONY: help
help:
	@sed -n 's/^#? \?//p' Makefile

# --- What comes from outside. These files hold paths into the cache, and change
# only when a path does.

.PHONY: FORCE host host-deb host-distro
FORCE:

host:
	@$(guest)/host.sh build

host-deb host-distro: host-%: host
	@$(guest)/host.sh $*

build/toolchain: FORCE | host
	@$(guest)/store.sh $@ $(guest)/toolchain.sh $(BINDGEN_VERSION)

build/emulator: FORCE | host
	@$(guest)/store.sh $@ $(guest)/sysroot.sh emulator $(EMULATOR_PACKAGES)

build/userland: FORCE | host
	@$(guest)/store.sh $@ $(guest)/sysroot.sh userland $(USERLAND_PACKAGES)

build/stable: FORCE | host
	@$(guest)/store.sh $@ $(guest)/sysroot.sh stable $(STABLE_PACKAGES)

build/perf-stable.cpio: build/userland build/stable $(guest)/other-perf.sh $(guest)/programs.sh
	@$(guest)/other-perf.sh $@ "$$(cat build/userland)" "$$(cat build/stable)"

# SERIES-FLAVOUR
build/kernel/%/kdir: build/toolchain FORCE
	@$(guest)/store.sh $@ $(guest)/kernel.sh build/toolchain \
		$(firstword $(subst -, ,$*)) $(lastword $(subst -, ,$*))

build/kernel/%/base: build/userland build/kernel/%/kdir FORCE
	@$(guest)/store.sh $@ $(guest)/image.sh \
		"$$(cat build/userland)" "$$(cat build/kernel/$*/kdir)"

# --- The module and its twin with the KUnit suites, for a guest kernel.

build/kernel/%/ivbep_uncore.ko build/kernel/%/ivbep_uncore_kunit.ko: \
		build/kernel/%/kdir build/toolchain $(module_sources)
	@echo "==> building the module for the $* kernel" >&2
	@kdir=$$(cat build/kernel/$*/kdir); objects=build/module/$$(basename $$kdir); \
	tools/module.sh build/toolchain $$kdir $$objects IVBEP_KUNIT=1 modules >&2; \
	cp -t build/kernel/$* $$objects/ivbep_uncore.ko $$objects/ivbep_uncore_kunit.ko

# Modules that tests load beside it; they have a Kbuild of their own.
build/kernel/%/unknown_nmi.ko build/kernel/%/busy_cpu.ko: \
		build/kernel/%/kdir build/toolchain $(wildcard $(guest)/nmi/*)
	@echo "==> building the tests' own modules for the $* kernel" >&2
	@kdir=$$(cat build/kernel/$*/kdir); objects=build/module/$$(basename $$kdir)-nmi; \
	tools/module.sh build/toolchain $$kdir $$objects M=$(CURDIR)/$(guest)/nmi modules >&2; \
	cp -t build/kernel/$* $$objects/unknown_nmi.ko $$objects/busy_cpu.ko

build/kernel/%/module.cpio: build/kernel/%/ivbep_uncore.ko build/kernel/%/ivbep_uncore_kunit.ko \
		build/kernel/%/unknown_nmi.ko build/kernel/%/busy_cpu.ko
	@$(guest)/overlay.sh $@ $(addprefix lib/modules=,$^)

# --- A distribution's kernel, as one more.

stock := build/kernel/newest-stock

$(stock)/kdir $(stock)/base $(stock)/module.cpio &: build/userland dkms.conf \
		$(module_sources) $(wildcard tools/dkms/* tools/*.sh tests/distro/*) | host-distro
	@tests/distro/stock.sh $(stock)

# --- User space in Rust. Only cargo knows whether there is something to do, and it
# does one thing at a time: hence the order.

cargo_build := cargo build --locked $(if $(findstring s,$(firstword -$(MAKEFLAGS))),--quiet)

$(plugin) $(runner) &: FORCE | $(tools) host
	@$(cargo_build) --profile machine -p ivbep-machine-plugin -p ivbep-e2e --lib --bin guest

$(programs): build/cargo/release/%: FORCE | $(plugin)
	@$(cargo_build) --release -p ivbep-e2e --bin $*

# Static, so that they run in any guest and on any distribution.
static_build := RUSTFLAGS='-C target-feature=+crt-static -C strip=symbols' $(cargo_build) \
	--release --target x86_64-unknown-linux-gnu -p guest-tools -p ivbep-uncore

$(tools) $(tool) &: FORCE | host
	@$(static_build)

.PHONY: tool
tool: $(tool)
	@cp $< build/
	@$(static_build) --example manual
	@rm -rf build/manual
	@$(dir $<)examples/manual build/manual
	@echo build/$(notdir $<)

build/tools.cpio: $(guest)/init $(tools) $(tool)
	@$(guest)/overlay.sh $@ /=$(guest)/init $(addprefix bin=,$(tools) $(tool))

# --- Booting. The parts of the machine are named in the environment, for the
# runner and for the tests that cargo starts; options say what this run wants.

machine := build/emulator build/tools.cpio $(plugin)

# $(call environment,SERIES-FLAVOUR[,with our module])
environment = export IVBEP_SERIES=$(firstword $(subst -, ,$(1))) \
	IVBEP_FLAVOUR=$(lastword $(subst -, ,$(1))) \
	IVBEP_QEMU=$$(cat build/emulator) \
	IVBEP_PLUGIN=$(CURDIR)/$(plugin) \
	IVBEP_KERNEL=$$(cat build/kernel/$(1)/kdir)/arch/x86/boot/bzImage \
	IVBEP_INITRD=$$(cat build/kernel/$(1)/base):$(CURDIR)/build/tools.cpio$\
		$(if $(2),:$(CURDIR)/build/kernel/$(1)/module.cpio);

# $(call needs,SERIES-FLAVOUR[,with our module]): what it names, to be made first
needs = $(machine) build/kernel/$(1)/base $(if $(2),build/kernel/$(1)/module.cpio)

our_module := $(filter ivbep_uncore,$(DRIVER))
boot_needs := $(call needs,$(kernel),$(our_module)) $(runner)
options := --driver $(DRIVER) $(addprefix --module-param ,$(PARAMS)) \
	$(if $(SOCKETS),--packages $(SOCKETS)) $(if $(CORES),--cores $(CORES)) \
	$(if $(CBOXES),--cboxes $(CBOXES)) $(if $(MACHINE),--machine $(MACHINE)) \
	$(if $(X2APIC),--x2apic) $(if $(FREE_RUNNING),--free-running) \
	$(if $(MEMORY),--memory $(MEMORY)) $(if $(TIMEOUT),--timeout $(TIMEOUT))
boot = $(call environment,$(kernel),$(our_module)) $(runner) $(options)

# The command as it was typed: make must not look for variables in it.
export IVBEP_COMMAND := $(value CMD)

.PHONY: prepare run guest shell kunit fuzz
prepare: $(boot_needs)

run: $(boot_needs)
	@echo "==> in the guest: $(RUN_COMMAND)"
	@$(boot) "$(RUN_COMMAND)"

guest: $(boot_needs)
	@[ -n "$$IVBEP_COMMAND" ] || { echo "usage: make guest CMD='...'" >&2; exit 2; }
	@$(boot) "$$IVBEP_COMMAND"

shell: $(boot_needs)
	@$(boot) --shell

kunit: test-kunit-$(kernel)

fuzz: build/cargo/release/fuzz $(call needs,$(kernel),with our module)
	@$(call environment,$(kernel),with our module) $< $(addprefix --seed ,$(SEED)) \
		$(addprefix --cases ,$(CASES)) $(addprefix --only ,$(ONLY)) $(if $(PAGE),--page)

# --- Tests.

.PHONY: test test-all lint test-lint test-dkms test-host test-kunit test-distro
# Slow parts last; each part is a make of its own, so that one may fail.
test:
	+@$(guest)/test.sh $(MAKE) lint dkms host kunit e2e-newest-plain core-oldest-plain \
		brief-newest-debug

test-all:
	+@$(guest)/test.sh $(MAKE) lint dkms host kunit $(addprefix e2e-,$(TEST_KERNELS)) \
		$(addprefix overflow-,$(filter-out %-debug,$(TEST_KERNELS))) \
		races-newest-kcsan distro

lint test-lint: build/toolchain build/kernel/newest-plain/kdir
	@$(guest)/lint.sh build/toolchain "$$(cat build/kernel/newest-plain/kdir)"

test-dkms:
	@tests/dkms/dkms.sh

test-host: | host
	@status=0; \
	cargo test --release --locked --no-fail-fast --workspace \
		--exclude ivbep-e2e || status=$$?; \
	cargo test --release --locked --no-fail-fast -p ivbep-e2e --lib --bins || \
		status=$$?; \
	exit $$status

# $(call suites,SERIES-FLAVOUR)
suites = $(call environment,$(1),with our module) $(runner) --driver none \
	--script $(guest)/suites.sh

test-kunit-%: $(call needs,%,with our module) $(runner) FORCE
	@$(call suites,$*)

# On all kernels beside each other: most of the time a guest uses one processor.
test-kunit: $(foreach each,$(KUNIT_KERNELS),$(call needs,$(each),with our module)) $(runner)
	@guests=(); status=0; \
	$(foreach each,$(KUNIT_KERNELS),{ $(call suites,$(each)); } \
		>build/kernel/$(each)/suites.log 2>&1 & guests+=($$!);) \
	for guest in "$${guests[@]}"; do wait "$$guest" || status=$$?; done; \
	tail -n +1 $(KUNIT_KERNELS:%=build/kernel/%/suites.log); \
	exit $$status

end_to_end := cargo test --release --locked -p ivbep-e2e --test e2e

# What depends on the kernel: how perf adds, moves and reads events, loading and
# unloading, PCI, interrupts.
test-core-%: $(call needs,%,with our module) FORCE
	@$(call environment,$*,with our module) \
	$(end_to_end) -- driver::groups:: driver::hotplug:: driver::moves:: \
		lifetime::loading:: lifetime::rescan:: overflow::faults::an_nmi \
		overflow::intervals:: overflow::together::

# What finds mistakes that only a debug kernel shows, where everything takes ten
# times as long: locks, life times and contexts, as CPUs go and come back, and
# memory that is lost.
test-brief-%: $(call needs,%,with our module) FORCE
	@$(call environment,$*,with our module) \
	$(end_to_end) -- driver::hotplug:: lifetime::leaks:: overflow::together::on_cpus_that_go

# What finds data races, on the kernel with the detector: all that happens at once.
test-races-%: $(call needs,%,with our module) FORCE
	@$(call environment,$*,with our module) \
	$(end_to_end) -- driver::hotplug:: lifetime::loading:: lifetime::rescan:: \
		overflow::together:: races:: storm::

test-e2e-%: $(call needs,%,with our module) build/perf-stable.cpio FORCE
	@$(call environment,$*,with our module) export IVBEP_PERF_STABLE=$(CURDIR)/build/perf-stable.cpio; \
	$(end_to_end)

# On the kernel of a distribution, with our packages on it.
stock_tests := driver::events:: driver::filters::compatible driver::groups:: \
	driver::hotplug:: overflow::intervals:: overflow::together:: \
	tool::check::passes_in_little_time stock::

test-distro: $(machine) build/userland deb | host-distro
	@export IVBEP_QEMU=$$(cat build/emulator) IVBEP_PLUGIN=$(CURDIR)/$(plugin); \
	tests/distro/distro.sh build/deb/*.deb -- \
		$(end_to_end) -- --include-ignored $(stock_tests)

# Those that are about overflows, as often as it takes to trust them.
test-overflow-%: $(call needs,%,with our module) FORCE
	@$(call environment,$*,with our module) export IVBEP_OVERFLOWS=many; \
	$(end_to_end) -- overflow::

# Days of counting, in minutes.
DAYS ?= 1
.PHONY: soak
soak: build/cargo/release/soak $(call needs,$(kernel),with our module)
	@$(call environment,$(kernel),with our module) $< --days $(DAYS)

# Everything at once. A variable that is not given is left to the program.
.PHONY: storm
storm: build/cargo/release/storm $(call needs,$(kernel),with our module)
	@$(call environment,$(kernel),with our module) $< $(addprefix --seed ,$(SEED)) \
		$(addprefix --minutes ,$(MINUTES)) $(addprefix --only ,$(ONLY)) \
		$(addprefix --reloads ,$(RELOADS))

# Everything, one thing at a time.
.PHONY: failures
failures: build/cargo/release/failures $(call needs,$(kernel),with our module)
	@$(call environment,$(kernel),with our module) $< $(if $(ONLY),--only '$(ONLY)') \
		--page Documentation/development/failures.rst

# --- What operations cost, with our driver and with the kernel's own.

.PHONY: bench
bench: build/cargo/release/bench $(call needs,$(kernel),with our module)
	@$(call environment,$(kernel),with our module) $< \
		--ours build/kernel/$(kernel)/ivbep_uncore.ko \
		--theirs $$(find "$$(cat build/kernel/$(kernel)/kdir)" -name intel-uncore.ko) \
		$(if $(ONLY),--only '$(ONLY)') --json build/bench.json --page build/bench.rst

# --- What the tests run of the module. They load one with debug information, which is
# stripped of it, as it is large: the code is the same.

build/coverage/%/ivbep_uncore.ko: build/kernel/%/kdir build/toolchain $(module_sources)
	@echo "==> building the module with debug information for the $* kernel" >&2
	@kdir=$$(cat build/kernel/$*/kdir); objects=build/module/$$(basename $$kdir)-coverage; \
	tools/module.sh build/toolchain $$kdir $$objects \
		KRUSTFLAGS=-Cdebuginfo=line-tables-only KCFLAGS=-g1 modules >&2; \
	install -D -m 644 -t $(@D) $$objects/ivbep_uncore.ko

build/coverage/%/stripped/ivbep_uncore.ko: build/coverage/%/ivbep_uncore.ko
	@mkdir -p $(@D)
	@objcopy --strip-debug $< $@

build/coverage/%/module.cpio: build/coverage/%/stripped/ivbep_uncore.ko build/kernel/%/module.cpio
	@$(guest)/overlay.sh $@ lib/modules=$<

TESTS ?=
recordings := build/coverage/$(kernel)/recordings

.PHONY: coverage
coverage: build/cargo/release/coverage build/coverage/$(kernel)/module.cpio \
		$(call needs,$(kernel),with our module) build/perf-stable.cpio
	@rm -rf $(recordings)
	@mkdir $(recordings)
	@$(call environment,$(kernel),with our module) \
	export IVBEP_INITRD=$$IVBEP_INITRD:$(CURDIR)/build/coverage/$(kernel)/module.cpio \
		IVBEP_PERF_STABLE=$(CURDIR)/build/perf-stable.cpio \
		IVBEP_COVER=$(CURDIR)/$(recordings); \
	status=0; $(end_to_end) -- $(TESTS) >&2 || status=$$?; \
	$< --module build/coverage/$(kernel)/ivbep_uncore.ko --recordings $(recordings) \
		--tree $(CURDIR); \
	exit $$status

# --- The module, for any kernel.

# What the kernel's build system is to hear of our command line.
passed := $(foreach name,V W C CLIPPY CC LD LLVM ARCH CROSS_COMPILE INSTALL_MOD_PATH,\
	$(if $(filter command line,$(origin $(name))),$(name)='$($(name))'))

.PHONY: modules modules_install
ifeq ($(KDIR),)
modules: build/kernel/$(kernel)/ivbep_uncore.ko
	@echo "$< (KDIR= builds it for another kernel)"

modules_install:
	@echo "say for which kernel: make modules_install KDIR=/lib/modules/$$(uname -r)/build" >&2
	@exit 2
else
ours := build/module/$(notdir $(KDIR))-$(shell printf %s '$(KDIR)' | sha256sum | cut -c1-8)
# A host's own bindgen will do, so that this needs neither apt nor a network.
toolchain := $(if $(shell command -v bindgen),/dev/null,build/toolchain)

modules: $(filter build/%,$(toolchain))
	@tools/module.sh $(toolchain) $(KDIR) $(ours) $(passed) modules
	@echo "$(ours)/ivbep_uncore.ko"

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

.PHONY: install uninstall dkms-install dkms-uninstall deb
# Not by root, who need not have a Rust of his own: make tool, then sudo make install.
install:
	@[ -e build/manual ] || $(MAKE) --no-print-directory tool
	install -D -m 755 build/$(notdir $(tool)) $(program)
	install -D -m 644 -t $(man) build/manual/*.1
	install -D -m 644 build/manual/ivbep-uncore.bash $(bash)/ivbep-uncore
	install -D -m 644 -t $(fish) build/manual/ivbep-uncore.fish
	install -D -m 644 -t $(zsh) build/manual/_ivbep-uncore

uninstall:
	rm -f $(program) $(man)/ivbep-uncore*.1 $(bash)/ivbep-uncore \
		$(fish)/ivbep-uncore.fish $(zsh)/_ivbep-uncore \
		$(DESTDIR)/etc/modprobe.d/ivbep-uncore.conf

dkms-install:
	@tools/dkms/install.sh add "$(DESTDIR)"

dkms-uninstall:
	@tools/dkms/install.sh remove "$(DESTDIR)"

deb: tool | host-deb
	@tools/deb/build.sh

# --- Cleaning.

.PHONY: update clean clean-cache
update:
	@$(guest)/forget.sh versions

clean:
	rm -rf build || sudo rm -rf --one-file-system build

clean-cache:
	@$(guest)/forget.sh everything
