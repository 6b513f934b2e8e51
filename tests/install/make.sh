# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# "On your own machine" of README.md, by a user with sudo and in a VM, and uninstall;
# sourced by run.

# what is not there before "make install" and after "make uninstall"
files_of_install()
{
	(cd "$root" && find usr/local "$modules/updates" \( -type f -o -type l \) \
		2>/dev/null | sort)
}

# program NAME HOW: one that uses the library
check_library()
{
	local said

	# shellcheck disable=SC2016
	said=$(inside sh -ec 'cd /test
		echo "#include <gpubp_run.h>
int main(void) { struct grun_err e = {}; struct grun_device *d; return !grun_open(&d, \"/none\", &e) || puts(e.text) < 0; }" >p.c
		cc -include stdio.h p.c -o p $(pkg-config --cflags --libs gpubp-run)
		./p' 2>&1)
	[[ $said == *none*"No such file"* ]]
	result $? "$1: a program by pkg-config gpubp-run" "$said"
}

# check_tools HOW BINDIR: they run from where they are installed
check_tools()
{
	local said

	said=$(inside sh -ec "$2/perf-gpubp --help && $2/gpubp-run --help" 2>&1)
	[[ $said == *usage*perf-gpubp*gpubp-run* || $said == *Usage*perf-gpubp*gpubp-run* ]]
	result $? "$1: perf-gpubp --help, gpubp-run --help" "$said"
	if command -v clang >/dev/null; then
		said=$(inside sh -ec "cd /test
			echo '__kernel void k(__global int *p) { p[get_global_id(0)] = 1; }' >k.cl
			$2/gpubp-cc k.cl && $2/gpubp-run --list k.elf" 2>&1)
		[[ $said == *"k(int* p)"* ]]
		result $? "$1: gpubp-cc and gpubp-run --list" "$said"
	else
		skip "$1: gpubp-cc" "no clang: run scripts/deps check"
	fi
	said=$(inside man --path perf-gpubp gpubp-run gpubp-cc 2>&1 || true)
	for tool in perf-gpubp gpubp-run gpubp-cc; do
		find "$root${2%/bin}/share/man/man1" -name "$tool.1*" | grep -q . ||
			said+=" no $tool.1"
	done
	[[ $said != *" no "*.1* ]]
	result $? "$1: man pages" "$said"
}

# extract PLACE: the transcripts that are run there, into $out/PLACE
extract()
{
	rm -rf "${out:?}/$1"
	mkdir -p "$out/$1"
	"$top/tests/docs/transcripts" extract "$1" "$out/$1"
}

# for_user PLACE: its commands in front of the one that needs the modules; that and
# those behind it are for the VM
for_user()
{
	sed '/modprobe/,$d; /^echo @/d' "$out/$1"/*.run
}

# for_vm PLACE: into $out/PLACE/vm.run and vm.want
for_vm()
{
	local nr mark

	nr=$(grep -n modprobe "$out/$1"/*-1.run | cut -d : -f 1)
	tail -n +$((nr - 1)) "$out/$1"/*-1.run >"$out/$1/vm.run"
	mark=$(sed -n '1s/echo //p' "$out/$1/vm.run")
	sed -n "/^$mark\$/,\$p" "$out/$1"/*-1.want >"$out/$1/vm.want"
}

# what is installed, for a VM, and the user's files
make_tree()
{
	local tree=$build/install-vm/tree

	rm -rf "$tree"
	mkdir -p "$tree/lib/modules" "$tree/usr/local/lib" "$tree/own"
	cp -r "$modules" "$tree/lib/modules/"
	rm -f "$tree/lib/modules"/*/build
	"$vm_dir/addbin" "$tree" "$root/usr/local/bin/perf-gpubp"
	rm "$tree/usr/bin/perf-gpubp"
	cp -r "$root/usr/local/bin" "$tree/usr/local/"
	cp -r "$root/usr/local/lib/perf-gpubp" "$tree/usr/local/lib/"
	cp "$root"/home/gpubp/gpubp/scale.{cl,elf} "$tree/own/"
	printf '#!/bin/sh\nexec "$@"\n' >"$tree/usr/bin/sudo"
	chmod 755 "$tree/usr/bin/sudo"
	cp "$out/install/vm.run" "$tree/own/install.run"
	cp "$out/own/vm.run" "$tree/own/own.run"
	echo "$tree"
}

check_vm()
{
	local files=$build/vm/install/files said

	for_vm install
	for_vm own
	# shellcheck disable=SC2016 # for the guest's shell
	said=$("$vm_dir/run" --kernel stock --name install --smp 1 --no-tap \
	       --with-perf --tree "$(make_tree)" -- 'PATH=/usr/local/bin:$PATH; cd /own
		for name in install own; do
			sh $name.run >$name.txt 2>&1
			vm-send $name.txt $name.txt
		done' 2>&1) && grep -q watch_w "$files/install.txt"
	result $? "README: the modules and the software GPU in a VM" \
		"$said$(cat "$files/install.txt" 2>&1)"
	said=$(awk -f "$top/tests/docs/transcript.awk" "$out/own/vm.want" \
	       "$files/own.txt" 2>&1)
	result $? "a kernel of one's own: the answer" "$said"
}

# the kernel in start.rst, compiled as it says
check_own_kernel()
{
	local said

	sed -n '/^\t__kernel void scale/,/^\t}/{ s/^\t//; p; }' \
		"$top/Documentation/gpubp/start.rst" >"$root/home/gpubp/gpubp/scale.cl"
	said=$(as_user "$(for_user own)") && [[ $said != *' CC [M] '* ]]
	result $? "a kernel of one's own: make, install, gpubp-cc" "$said"
}

check_make()
{
	local said before

	place_kernel
	mkdir "$root/test"
	place_checkout >"$out/log" 2>&1
	before=$(files_of_install)
	extract install
	extract own
	said=$(as_user "$(for_user install)") &&
		[[ $said != *' CC [M] '* ]]
	result $? "README: make by a user, sudo make install" "$said"
	check_installed "make install" updates
	check_tools "make install" /usr/local/bin
	check_library "make install"
	[[ -s $root/usr/local/lib/udev/rules.d/60-gpubp.rules &&
	   -s $root/usr/local/include/linux/gpubp.h ]]
	result $? "make install: udev rule, headers" "$(files_of_install)"
	if command -v clang >/dev/null; then
		check_own_kernel
		check_vm
	else
		skip "README: in a VM" "no clang: run scripts/deps check"
	fi

	said=$(as_user "make") && [[ $said != *"Permission denied"* ]]
	result $? "make by the user after sudo make install" "$said"
	said=$(as_user "sudo make uninstall")
	[[ $? == 0 && $(files_of_install) == "$before" ]]
	result $? "make uninstall leaves nothing" "$said$(files_of_install)"

	said=$(as_user "make DESTDIR=/tmp/stage install && find /tmp/stage -type f | wc -l &&
		make -s DESTDIR=/tmp/stage uninstall && ! ls /tmp/stage")
	result $? "the same with DESTDIR" "$said"
}
