#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh TOOLCHAIN KDIR MAKE: checks the source without running it, with one "ok - check"
# or "not ok - check" line each. Checks are called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tools/build/lib.sh
. "$here/lib.sh"
cd "$here/../.."

toolchain=$1 kdir=$2 make=$3
modules=build/kernel/newest-plain objects=build/module/$(basename "$kdir")

shell_scripts()
{
	shellcheck --external-sources .ci/run dkms.conf tools/*.sh tools/build/*.sh tools/dkms/*.sh \
		tools/{deb,rpm}/build.sh tools/deb/{preinst,postinst,postrm} tests/distro/*.sh \
		tests/dkms/*.sh tests/guest/*.sh tests/guest/judges/*.sh tests/guest/init tests/{,e2e/}*.sh \
		tools/uncore/tests/data/stubs/*
}

# rustfmt follows the mod lines from the root of the module.
module_format()
{
	rustfmt --check --config-path "$kdir/source/.rustfmt.toml" \
		rust/uncore_rs.rs
}

# What the checks of the module take their flags and functions from; the tests load it.
builds()
{
	"$make" --no-print-directory "$modules/uncore_rs_kunit.ko"
}

# clippy makes no code: that has been compiled. A check of the same source, kernel and compilers is not
# repeated.
module_warnings()
{
	local inputs output name

	inputs=$(key "$kdir" "$(cat "$toolchain" "$here"/{lint,lib}.sh tools/module.sh tools/lib.sh)" \
		"$(find Kbuild rust include -type f -exec sha256sum {} + | sort)")
	[ "$(cat build/lint.clean 2>/dev/null)" != "$inputs" ] || return 0
	# A fresh directory, because objects that exist already show no warnings.
	rm -rf build/lint
	output=$(tools/module.sh "$toolchain" "$kdir" build/lint W=1 \
		include/{helpers,helpers_kunit,params}.o 2>&1) || {
		printf '%s\n' "$output"
		return 1
	}
	! grep -i -A 15 'warning' <<<"$output" || return 1
	for name in uncore_rs uncore_rs_kunit; do
		CLIPPY_CONF_DIR=$kdir/source compile_again "$objects" "$name" clippy-driver -Dwarnings \
			--emit=metadata --out-dir "$PWD/build/lint" || return
	done
	printf '%s\n' "$inputs" >build/lint.clean
}

# The compiler of C warns of a frame that is larger than the kernel's limit; rustc
# does not.
stack_frames()
{
	local limit frames

	limit=$(sed -n 's/^CONFIG_FRAME_WARN=//p' "$kdir/.config")
	frames=$(objdump --disassemble --demangle=rust "$modules"/uncore_rs*.ko |
		LIMIT=$limit perl -ne '
			$function = $1 if /^\w+ <(.*)>:$/;
			print "$function: ", hex $1, " bytes of $ENV{LIMIT}\n"
				if /sub +\$(0x\w+),%rsp/ && hex $1 > $ENV{LIMIT}') ||
		return
	printf '%s' "$frames"
	[ -z "$frames" ]
}

layers()
{
	perl "$here/layers.pl" && perl "$here/layers.pl" tools/uncore/src/lib.rs
}

# Rust code that panics ends in BUG().
c_style()
{
	local files

	mapfile -t files < <(find include tests/guest -name '*.[ch]')
	perl "$kdir/source/scripts/checkpatch.pl" --strict --terse --no-tree \
		--no-summary --ignore AVOID_BUG --file "${files[@]}"
}

# What the exporter could do with its privileges, in tenths of systemd's points: 0 is nothing.
exposure()
{
	local unit=tools/export/uncore-export.service

	command -v systemd-analyze >/dev/null || return 0
	systemd-analyze security --offline=true --threshold=20 --no-pager "$unit"
}

# docutils does not report a table without rows.
documents()
{
	local python file status=0

	python=$(docutils_python)
	while read -r file; do
		"$python" -m docutils --report=warning --halt=warning --writer=null \
			"$file" || status=1
	done < <(find Documentation -name '*.rst')
	pages_are_in_index || status=1
	lost_headings || status=1
	return "$status"
}

# Prints paragraphs of one to three words and no mark: headings that have lost their underlines, which
# docutils cannot see.
lost_headings()
{
	local word='[^ ]*[^ .:,;]'

	find Documentation -name '*.rst' -exec awk -v words="^[A-Za-z\`]$word( $word)?( $word)?\$" '
		FNR == 1 { before = line = "" }
		before == "" && line ~ words && $0 == "" { print FILENAME ":" FNR - 1 ": no heading: " line; found = 1 }
		{ before = line; line = $0 }
		END { exit found }' {} +
}

# Prints what differs: pages without a link ("+"), links without a page ("-").
pages_are_in_index()
(
	cd Documentation
	diff --unified=0 --label index.rst --label pages \
		<(sed -n "s/.* <\([^:>]*\)>._.*/\1/p" index.rst | sort) \
		<(find . -type f ! -path ./index.rst ! -name '*.svg' -printf '%P\n' | sort)
)

# Runs beside the other checks: it takes as long as all of them, and one processor.
(
	check "compilation, module" builds
	check "clippy and W=1, module" module_warnings
	check "stack frames, module" stack_frames
	check "rustdoc, module" "$here/rustdoc.sh" "$toolchain" "$kdir" "$objects"
	end_checks
) &
compiling=$!
check shellcheck shell_scripts
check "exposure of the exporter" exposure
check "docutils" documents
check "rustfmt, user space" cargo fmt --all --check
check "rustfmt, engine on the host" cargo fmt --manifest-path tests/engine/Cargo.toml --all --check
check "rustfmt, module" module_format
check "layers of the engine and the tool" layers
check "checkpatch" c_style
check "files that name a platform" "$here/platforms.sh"
check "clippy, user space" cargo clippy --release --locked --workspace \
	--all-targets -- -D warnings
# With the feature, the engine has no sweep.
for features in "" schedules; do
	check "clippy, engine on the host${features:+ with $features}" cargo clippy --locked \
		--workspace --manifest-path tests/engine/Cargo.toml --tests --features "$features" \
		-- -D warnings
done
wait "$compiling" || failed=1
end_checks
