# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Functions of the scripts of this directory, beyond tools/lib.sh: the cache of large
# products, and locks on it.
#
# A product is built in place and counts only once its mark_complete has run, so
# that an interrupted build is never taken for a finished one.

# shellcheck source=tools/lib.sh
. "${BASH_SOURCE[0]%/*}/../lib.sh"

cache=${UNCORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/uncore-rs}

# key TEXT...: prints a short name for exactly these inputs.
key()
{
	printf '%s\n' "$@" | sha256sum | cut -c1-16
}

is_complete()
{
	[ -e "$1/.complete" ]
}

mark_complete()
{
	: >"$1/.complete"
}

# lock NAME: held until the calling script ends.
lock()
{
	local fd

	mkdir -p "$cache/lock"
	exec {fd}>"$cache/lock/$1"
	flock --nonblock "$fd" && return
	say "waiting for another build to finish with $1 ..."
	flock "$fd"
}

# pack DIRECTORY FILE: packs an initramfs, which is equal for equal contents.
pack()
{
	find "$1" -exec touch --no-dereference --date=@0 {} +
	(cd "$1" && find . -mindepth 1 -print0 | LC_ALL=C sort -z |
		cpio --null --create --format=newc --reproducible --quiet \
			--owner=0:0) >"$2"
}

# compile_again OBJECTS NAME COMPILER OPTION...: runs COMPILER, such as clippy-driver, with the flags of
# the command that compiled rust/NAME.rs of the module into OBJECTS.
compile_again()
(
	objects=$(readlink -f "$1") compiler=$3
	command=$(sed -n '1s/^savedcmd_[^ ]* := //p' "$objects/rust/.$2.o.cmd" |
		sed -E 's/;.*//; s/ (--emit=|--remap-path-)[^ ]*//g; s/ --out-dir [^ ]*//g; s/\$\(pound\)/#/g')
	[[ $command == *' rustc '* ]] || die "the module is not built in $objects"
	shift 3
	cd "$objects" || exit
	export RUSTC_BOOTSTRAP=1 UNCORE_BINDINGS=$objects/include/bindings_generated.rs \
		UNCORE_LAYOUT=$objects/include/layout_generated.rs
	eval "${command/ rustc / $compiler }" '"$@"'
)

# Prints the number of the newest LLVM here that has both clang and libclang.
newest_llvm()
{
	local directory

	for directory in /usr/lib/llvm-*; do
		[ -x "$directory/bin/clang" ] || continue
		compgen -G "$directory/lib/libclang*.so*" >/dev/null &&
			printf '%s\n' "${directory##*-}"
	done | sort --numeric-sort | tail -n 1 | grep .
}

# Prints the Python that has docutils: apt's Python may not be the first in PATH.
docutils_python()
{
	local python

	for python in python3 /usr/bin/python3; do
		"$python" -c 'import docutils' 2>/dev/null || continue
		printf '%s\n' "$python"
		return
	done
	return 1
}

failed=0

# check NAME COMMAND...: one line "ok - NAME", or the output and "not ok - NAME".
check()
{
	local name=$1 output
	shift

	if output=$("$@" 2>&1 </dev/null); then
		printf 'ok - %s\n' "$name"
	else
		printf '%s\nnot ok - %s\n' "$output" "$name"
		failed=1
	fi
}

end_checks()
{
	exit "$failed"
}
