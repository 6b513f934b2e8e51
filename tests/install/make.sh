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

# The README's commands; those that need the modules are for the VM.
readme_commands()
{
	rm -rf "$out/readme"
	mkdir -p "$out/readme"
	"$top/tests/docs/transcripts" extract install "$out/readme"
	grep -hv '^echo @' "$out"/readme/*.run
}

check_vm()
{
	local tree=$build/install-vm/tree said

	rm -rf "$tree"
	mkdir -p "$tree/lib/modules"
	cp -r "$modules" "$tree/lib/modules/"
	rm -f "$tree/lib/modules"/*/build
	mkdir -p "$tree/usr/local"
	cp -r "$root/usr/local/bin" "$tree/usr/local/"
	said=$("$vm_dir/run" --kernel stock --name install --smp 1 --no-tap --tree "$tree" \
	       -- "sudo() { \"\$@\"; }; set -e; $1" 2>&1) && [[ $said == *watch_w* ]]
	result $? "README: the modules and the software GPU in a VM" "$said"
}

check_make()
{
	local said before commands

	place_kernel
	mkdir "$root/test"
	place_checkout >"$out/log" 2>&1
	before=$(files_of_install)
	commands=$(readme_commands)
	said=$(as_user "$(sed '/modprobe/,$d' <<<"$commands")") &&
		[[ $said != *' CC [M] '* ]]
	result $? "README: make by a user, sudo make install" "$said"
	check_installed "make install" updates
	check_tools "make install" /usr/local/bin
	check_library "make install"
	[[ -s $root/usr/local/lib/udev/rules.d/60-gpubp.rules &&
	   -s $root/usr/local/include/linux/gpubp.h ]]
	result $? "make install: udev rule, headers" "$(files_of_install)"
	check_vm "$(sed -n '/modprobe/,$p' <<<"$commands")"

	said=$(as_user "make") && [[ $said != *"Permission denied"* ]]
	result $? "make by the user after sudo make install" "$said"
	said=$(as_user "sudo make uninstall")
	[[ $? == 0 && $(files_of_install) == "$before" ]]
	result $? "make uninstall leaves nothing" "$said$(files_of_install)"

	said=$(as_user "make DESTDIR=/tmp/stage install && find /tmp/stage -type f | wc -l &&
		make -s DESTDIR=/tmp/stage uninstall && ! ls /tmp/stage")
	result $? "the same with DESTDIR" "$said"
}
