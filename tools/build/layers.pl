#!/usr/bin/env perl
# SPDX-License-Identifier: GPL-2.0
#
# layers.pl [ROOT]: checks the imports between the source files of the module, whose root file is
# ROOT. It refuses
#
#  - in rust/uncore an import from a folder above, in the order of @folders,
#  - in rust/uncore a circle of files that import from each other,
#  - in rust/uncore an import from rust/platforms, and in rust/linux one from either of them.
#
# Of another ROOT, such as that of the tool, it refuses imports from the root itself, and a circle of
# modules that are declared there, each with all below it.
#
# An import is a path in a "use", or a path with crate, self, super or a submodule in front in other
# code. It is one from the file that the path leads to. Only files that "mod" lines reach are read,
# and nothing of KUnit suites and of unit tests is.

use strict;
use warnings;

# From the lowest to the highest; names on one line are side by side.
my @folders = (
	[qw(table)],
	[qw(absence cpu_cell error_work frozen options overflow_mode users)],
	[qw(request)],
	[qw(counter_box)],
	[qw(overflow)],
	[qw(machine)],
	[qw(pmu)],
);
my %level;
for my $i (0 .. $#folders) {
	$level{$_} = $i for @{$folders[$i]};
}

my %foreign = (linux => [qw(uncore platforms)], uncore => [qw(platforms)]);

my $default = 'rust/uncore_rs.rs';
my $root = shift // $default;
my %file;	# module path => file
my %code;	# module path => text without comments, strings and KUnit suites
my %children;	# module path => { submodule => 1 }
my %arrows;	# module path => { module path => [line, path, module] }, within rust/uncore
my $faults = 0;

sub fault
{
	my ($module, $line, $text) = @_;

	print "$file{$module}:$line: $text\n";
	$faults++;
}

# Keeps the line breaks only.
sub blank
{
	return $_[0] =~ s/[^\n]+/ /gr;
}

sub line_of
{
	my ($text, $position) = @_;

	return 1 + (substr($text, 0, $position) =~ tr/\n//);
}

sub read_code
{
	my ($path) = @_;

	open(my $handle, '<', $path) or die "$path: $!\n";
	my $text = do { local $/; <$handle> };
	close($handle);
	$text =~ s{( //[^\n]* | /\*.*?\*/
		| \br(\#*)".*?"\g2 | "(?:\\.|[^"\\])*" | '(?:\\.[^']*|[^'\\])' )}{blank($1)}gsex;
	$text =~ s{( \#\[cfg\((?:KUNIT_SUITES|test)\)\] [^;\{]* (?: ; | (\{(?:[^{}]++|(?2))*\}) ;? ) )}
		{blank($1)}gsex;
	return $text;
}

# A module at a path of names, in a file; its submodules are in the folder of the same name.
sub visit
{
	my ($module, $path, $folder) = @_;

	$file{$module} = $path;
	my $text = $code{$module} = read_code($path);
	while ($text =~ /\bmod\s+(\w+)\s*;/g) {
		$children{$module}{$1} = 1;
		visit($module eq '' ? $1 : "${module}::$1", "$folder/$1.rs", "$folder/$1");
	}
}

# The paths of a "use", each with the position of its last name: "a::{b, c::{self, d}}".
sub leaves
{
	my ($text, $offset) = @_;
	my @prefixes = ([]);
	my @path;
	my @found;
	my $at = $offset;

	while ($text =~ /(\w+|\*|[{},])/g) {
		if ($1 eq '{') {
			push @prefixes, [@path];
		} elsif ($1 eq '}' or $1 eq ',') {
			push @found, [$at, @path] if @path > @{$prefixes[-1]};
			pop @prefixes if $1 eq '}';
			@path = $1 eq ',' ? @{$prefixes[-1]} : ();
		} elsif ($1 eq 'as') {
			$text =~ /\w+/g;
		} else {
			push @path, $1;
			$at = $offset + $-[1];
		}
	}
	push @found, [$at, @path] if @path;
	return @found;
}

# The deepest module that a path leads to; nothing if the path leads out of the module's source.
sub target
{
	my ($module, @path) = @_;
	my @at = split /::/, $module;
	my $first = shift @path;

	if ($first eq 'crate') {
		@at = ();
	} elsif ($first eq 'super') {
		pop @at;
	} elsif ($children{$module}{$first}) {
		push @at, $first;
	} elsif ($first ne 'self') {
		return undef;
	}
	for my $name (@path) {
		next if $name eq 'self';
		if ($name eq 'super') {
			pop @at;
		} elsif ($children{join '::', @at}{$name}) {
			push @at, $name;
		} else {
			last;
		}
	}
	return join '::', @at;
}

sub imports_of
{
	my ($module) = @_;
	my $text = $code{$module};
	my @found;

	while ($text =~ /\buse\s+((?:[\w:\s,*]|(\{(?:[^{}]++|(?2))*\}))+);/g) {
		push @found, leaves($1, $-[1]);
	}
	$text =~ s/(\buse\s+(?:[\w:\s,*]|(\{(?:[^{}]++|(?2))*\}))+;)/blank_use($1)/ge;
	while ($text =~ /(?<![\w:])([a-z]\w*(?:::\w+)+)/g) {
		push @found, [$-[1], split /::/, $1];
	}
	return map { [line_of($code{$module}, $_->[0]), @$_[1 .. $#$_]] } @found;
}

# Keeps the length, so that positions stay.
sub blank_use
{
	return $_[0] =~ s/[^\n]/ /gr;
}

sub check_import
{
	my ($module, $line, @path) = @_;
	my $to = target($module, @path);
	my $shown = join '::', @path;

	return if !defined $to or $to eq $module;
	my ($layer, $from) = split /::/, $module;
	my ($other, $folder) = split /::/, $to;
	if ($root ne $default) {
		if (!defined $other) {
			fault($module, $line, "imports $shown from the root, above it");
		} elsif (defined $layer and $layer ne $other) {
			$arrows{$layer}{$other} //= [$line, $shown, $module];
		}
		return;
	}
	return if !defined $layer or !defined $other;
	for my $refused (@{$foreign{$layer} // []}) {
		fault($module, $line, "rust/$layer imports $shown from rust/$refused")
			if $other eq $refused;
	}
	return if $layer ne 'uncore' or $other ne 'uncore';
	$arrows{$module}{$to} //= [$line, $shown, $module];
	return if !defined $from or !defined $level{$from};
	if (!defined $folder) {
		fault($module, $line, "$from imports $shown from the root of the engine, above it");
	} elsif (defined $level{$folder} && $level{$folder} > $level{$from}) {
		fault($module, $line, "$from imports $shown from $folder, above it");
	}
}

# The shortest way from a module back to itself.
sub circle
{
	my ($start) = @_;
	my %came_from;
	my @queue = ($start);

	while (defined(my $at = shift @queue)) {
		for my $next (sort keys %{$arrows{$at} // {}}) {
			next if exists $came_from{$next};
			$came_from{$next} = $at;
			push @queue, $next;
		}
	}
	return if !exists $came_from{$start};
	my @way = ($start);
	do { unshift @way, $came_from{$way[0]} } while $way[0] ne $start;
	return @way;
}

visit('', $root, $root =~ s{/?[^/]*$}{}r || '.');
for my $module (sort keys %file) {
	check_import($module, @$_) for imports_of($module);
	fault($module, 1, 'has no place in the order of the folders: see @folders')
		if $module =~ /^uncore::(\w+)$/ and !defined $level{$1};
}

# Reports a circle once, with each of its imports.
my %told;
my @circles = sort { @$a <=> @$b } grep { @$_ } map { [circle($_)] } sort keys %arrows;
for my $way (@circles) {
	next if grep { $told{$_} } @$way;
	my $count = @$way - 1;
	for my $i (0 .. $count - 1) {
		my ($from, $to) = @$way[$i, $i + 1];
		my ($line, $shown, $module) = @{$arrows{$from}{$to}};
		$told{$from} = 1;
		fault($module, $line, "imports $shown from $file{$to}, in a circle of $count files");
	}
}
exit($faults ? 1 : 0);
