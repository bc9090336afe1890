# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Makes the Rust metadata of a kernel whose headers lack it, from the kernel's source
# with the flags of its build system. The headers are not changed: kernel/source and
# kernel/build consist of links to them, and of the files that they lack.

: "${here=} ${kernel=} ${headers=} ${rustc=} ${bindgen=}"

# overlay FROM TO: makes links in TO for all files that it lacks.
overlay()
{
	local entry

	while read -r entry; do
		if [ -d "$2/$entry" ] && [ ! -L "$2/$entry" ]; then
			overlay "$1/$entry" "$2/$entry"
		elif [ ! -e "$2/$entry" ]; then
			ln -s "$1/$entry" "$2/$entry"
		fi
	done < <(ls -A "$1")
}

make_tree()
{
	local srctree

	srctree=$(headers_srctree)
	# Headers include others by paths from these directories, so these must not be links.
	mkdir -p kernel/source/include/uapi kernel/build/scripts
	tar -x -J -f "$(source_archive)" -C kernel/source
	cmp -s kernel/source/Makefile "$srctree/Makefile" || {
		forget "$kernel"
		skip "the source package of its version is not its source" \
			"please report this, with the output of: dpkg -l 'linux-*'"
	}
	overlay "$srctree" kernel/source
	printf '%s\n' "KBUILD_OUTPUT := $PWD/kernel/build" \
		"include $PWD/kernel/source/Makefile" >kernel/build/Makefile
	overlay "$headers" kernel/build
}

make_metadata()
{
	step "making the Rust metadata"
	mkdir kernel/metadata
	{ make_target && make_crates; } </dev/null ||
		skip "its Rust metadata could not be made" \
			"please report this, with $PWD/make.log"
}

make_target()
{
	RUSTC_BOOTSTRAP=1 "$rustc" --edition 2021 -o kernel/generate_rust_target \
		kernel/source/scripts/generate_rust_target.rs &&
		kernel/generate_rust_target <"$headers/include/config/auto.conf" \
			>kernel/build/scripts/target.json
}

make_crates()
{
	kernel_make -C kernel/build M="$here/metadata" MO="$PWD/kernel/metadata" \
		RUSTC="$rustc" BINDGEN="$bindgen" modules
}

# Names hold the signatures' hashes, so that equal names mean an equal kernel crate.
compare_symbols()
{
	local differ

	differ=$(comm -3 <(exported_by_kernel) <(exported_by_metadata) | wc -l)
	((differ == 0)) ||
		skip "$differ symbols of the Rust metadata made here are not the kernel's" \
			"please report this, with $PWD/make.log"
	step "all $(exported_by_kernel | wc -l) Rust symbols are the kernel's"
}

exported_by_kernel()
{
	awk '$3 == "vmlinux" && $2 ~ /^_R/ { print $2 }' "$headers/Module.symvers" |
		LC_ALL=C sort -u
}

# Chooses symbols as rust_exports in the kernel's rust/Makefile does.
exported_by_metadata()
{
	local crates

	mapfile -t crates < <(sed -n 's|^#include "exports_\(.*\)_generated.h"|kernel/build/rust/\1.o|p' \
		kernel/source/rust/exports.c | grep -v '/helpers\.o$')
	nm -p --defined-only "${crates[@]}" |
		awk '$2 ~ /[TRDB]/ && $3 ~ /^_R/ && $3 !~ /__(pfx|cfi|odr_asan)/ { print $3 }' |
		LC_ALL=C sort -u
}
