#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint.sh TOOLCHAIN KDIR: what can be said about the source without running it,
# one "ok - check" or "not ok - check" line each. Checks are called by name:
# shellcheck disable=SC2317

set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/guest/lib.sh
. "$here/lib.sh"
cd "$here/../.."

toolchain=$1 kdir=$2

shell_scripts()
{
	shellcheck --external-sources .ci/run dkms.conf tools/*.sh tools/dkms/*.sh \
		tools/deb/build.sh tools/deb/*.postrm tests/distro/*.sh tests/dkms/*.sh \
		tests/guest/*.sh tests/guest/init tools/ivbep-uncore/tests/data/stubs/*
}

# rustfmt follows the mod lines from the root of the module.
module_format()
{
	rustfmt --check --config-path "$kdir/source/.rustfmt.toml" \
		rust/ivbep_uncore.rs
}

# An old object would keep its warnings to itself, hence the fresh directory. The
# same source, kernel and compilers have no new ones.
module_warnings()
{
	local output inputs

	inputs=$(key "$kdir" "$(cat "$toolchain" "$here/lint.sh" tools/module.sh tools/lib.sh)" \
		"$(find Kbuild rust include -type f -exec sha256sum {} + | sort)")
	[ "$(cat build/lint.clean 2>/dev/null)" != "$inputs" ] || return 0
	rm -rf build/lint
	output=$(tools/module.sh "$toolchain" "$kdir" build/lint \
		IVBEP_KUNIT=1 CLIPPY=1 W=1 modules 2>&1) || {
		printf '%s\n' "$output"
		return 1
	}
	! grep -i -A 15 'warning' <<<"$output" || return 1
	printf '%s\n' "$inputs" >build/lint.clean
}

# The compiler of C warns of a frame that is larger than the kernel's limit; rustc
# does not.
stack_frames()
{
	local limit frames

	limit=$(sed -n 's/^CONFIG_FRAME_WARN=//p' "$kdir/.config")
	frames=$(objdump --disassemble --demangle=rust build/lint/*.ko |
		LIMIT=$limit perl -ne '
			$function = $1 if /^\w+ <(.*)>:$/;
			print "$function: ", hex $1, " bytes of $ENV{LIMIT}\n"
				if /sub +\$(0x\w+),%rsp/ && hex $1 > $ENV{LIMIT}') ||
		return
	printf '%s' "$frames"
	[ -z "$frames" ]
}

c_style()
{
	local files

	mapfile -t files < <(find include tests/guest -name '*.[ch]')
	perl "$kdir/source/scripts/checkpatch.pl" --strict --terse --no-tree \
		--no-summary --file "${files[@]}"
}

# A table that lost its rows is not one to docutils either.
documents()
{
	local python file status=0

	python=$(docutils_python)
	while read -r file; do
		"$python" -m docutils --report=warning --halt=warning --writer=null \
			"$file" || status=1
	done < <(find Documentation -name '*.rst')
	return "$status"
}

# It takes as long as all the others, and one processor.
(
	check "clippy and W=1, module" module_warnings
	check "stack frames, module" stack_frames
	end_checks
) &
compiling=$!
check shellcheck shell_scripts
check "docutils" documents
check "rustfmt, user space" cargo fmt --all --check
check "rustfmt, module" module_format
check "checkpatch" c_style
check "clippy, user space" cargo clippy --release --locked --workspace \
	--all-targets -- -D warnings
wait "$compiling" || failed=1
end_checks
