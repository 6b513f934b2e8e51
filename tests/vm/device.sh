# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# QEMU of another suite of Debian, and a PCI device that a program outside QEMU
# serves (vfio-user); sourced by tests/vm/run after tests/vm/lib.sh.
#
# The program is called with "--log FILE SOCKET" behind its own arguments, makes
# the socket, serves one connection and ends when it is closed. A line of its log
# with the word FAULT says that the guest did what no driver may do.

qemu_program=(qemu-system-x86_64)
qemu_suite=
machine=()
device_server=()	# the command, empty: no such device
device=
device_wait=10		# seconds that it has to make its socket, and to end
cpu=max

# That of a root directory of tests/vm/root, by the loader of that directory:
# nothing has to be mounted, and the user need not be root.
qemu_of_suite()
{
	local root lib

	qemu_suite=$1
	root=$("$vm_dir/root" "$1" qemu-system-x86) || die "no QEMU of $1"
	lib=$root/usr/lib/x86_64-linux-gnu
	qemu_program=("$lib/ld-linux-x86-64.so.2" --library-path "$lib"
		      "$root/usr/bin/qemu-system-x86_64"
		      -L "$root/usr/share/seabios" -L "$root/usr/share/qemu")
	export QEMU_MODULE_DIR=$lib/qemu
}

# device_options MEM: sets cpu, machine and device_socket, whose path must be short.
# The device sees the guest's memory, which is therefore shared. A driver that knows
# of a hypervisor takes the device for one that is passed through.
device_options()
{
	((${#device_server[@]})) || return 0
	device_socket=$(mktemp -d "${TMPDIR:-/tmp}/gpubp-device.XXXXXX")/socket
	cpu=max,-hypervisor
	machine=(-M 'q35,memory-backend=memory'
		 -object "memory-backend-memfd,id=memory,size=${1}M,share=on"
		 -device "{\"driver\":\"vfio-user-pci\",\"socket\":{\"path\":\"$device_socket\",\"type\":\"unix\"}}")
}

# device_serve DIR: in the background, writes the exit status to
# DIR/model.status. If it ends before QEMU, QEMU is of no use any more.
device_serve()
{
	local dir=$1 server status=0

	"${device_server[@]}" --log "$dir/model.log" "$device_socket" </dev/null \
		>"$dir/model.out" 2>&1 &
	server=$!
	# shellcheck disable=SC2064 # this server
	trap "kill $server; sleep 2; kill -KILL $server" TERM
	wait "$server" || status=$?
	echo "$status" >"$dir/model.status"
}

# device_start DIR: sets device
device_start()
{
	local dir=$1 tries

	((${#device_server[@]})) || return 0
	rm -f "$dir"/model.* "$device_socket"
	device_serve "$dir" 2>/dev/null &
	device=$!
	for ((tries = device_wait * 10; tries; tries--)); do
		[[ ! -e $device_socket && ! -e $dir/model.status ]] || break
		sleep 0.1
	done
	sleep 0.1	# it listens a moment later
}

# device_watch DIR PID: wait for QEMU, and end it when the server ends first. A
# server that ends because QEMU does is not the first.
device_watch()
{
	local dir=$1 qemu=$2

	((${#device_server[@]})) || return 0
	until [[ -e $dir/model.status ]]; do
		kill -0 "$qemu" 2>/dev/null || return 0
		sleep 0.5
	done
	sleep 2
	kill -0 "$qemu" 2>/dev/null || return 0
	sed -i 's/^/early /' "$dir/model.status"
	kill "$qemu" 2>/dev/null || true
}

# device_stop DIR: QEMU has ended, and so the server should
device_stop()
{
	local dir=$1 tries

	((${#device_server[@]})) || return 0
	for ((tries = device_wait * 10; tries; tries--)); do
		[[ ! -e $dir/model.status ]] || break
		sleep 0.1
	done
	if ((!tries)); then
		kill "$device" 2>/dev/null || true
		wait "$device" || true
		echo "hung" >"$dir/model.status"
	fi
	rm -f "$device_socket"
}

# device_verdict DIR: prints what is wrong with it, a line each
device_verdict()
{
	local dir=$1 status

	((${#device_server[@]})) || return 0
	status=$(cat "$dir/model.status")
	case $status in
	0)	;;
	early*)	echo "device: the server ended before QEMU, with status ${status#early }" ;;
	hung)	echo "device: the server did not end with QEMU" ;;
	*)	echo "device: the server ended with status $status" ;;
	esac
	[[ $status == 0 ]] || tail -n 5 "$dir/model.out" 2>/dev/null
	grep -m 5 -aw FAULT "$dir/model.log" 2>/dev/null
	[[ -s $dir/model.log ]] || echo "device: the server left no log"
	[[ -s $dir/model.out ]] || rm -f "$dir/model.out"
	rm -rf "${device_socket%/*}"
}
