# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# This machine's files with the stock kernel as if its packages were installed, in an
# overlay that goes with the mount namespace; sourced by run.

# overlay LOWER NAME: of LOWER, at the same place below $root
overlay()
{
	mkdir -p "$out/mnt/$2.upper" "$out/mnt/$2.work" "$root$1"
	mount -t overlay overlay "$root$1" \
		-o "lowerdir=$1,upperdir=$out/mnt/$2.upper,workdir=$out/mnt/$2.work"
}

other_mount()
{
	[[ $(stat -c %d "$1") != $(stat -c %d /) ]]
}

mount_all()
{
	mkdir -p "$out/mnt" &&
	mount -t tmpfs tmpfs "$out/mnt" &&
	overlay / top &&
	{ ! other_mount "$top" || overlay "$top" checkout; } &&
	{ ! other_mount "$cache" || overlay "$cache" cache; } &&
	mount -t proc proc "$root/proc" &&
	mount --rbind /dev "$root/dev"
}

# With the flags of tests/vm/modules. Headers that are installed bring pahole, which
# makes BTF for modules; these may only be unpacked.
inside()
{
	local flags="W=1 KCFLAGS=-g0"

	command -v pahole >/dev/null || flags+=" CONFIG_DEBUG_INFO_BTF_MODULES="
	chroot "$root" env MAKEFLAGS="$flags" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
		GPUBP_CACHE="$cache" "$@"
}

# as_user COMMAND: by a shell of the user who may use sudo, in the checkout
as_user()
{
	inside setpriv --reuid=gpubp --regid=gpubp --init-groups \
		env -u GPUBP_CACHE HOME=/home/gpubp USER=gpubp \
			PATH=/usr/local/bin:/usr/bin:/bin bash -ec "cd ~/gpubp; $1" 2>&1
}

# Of the kernel's own modules only the one that ours need, as depmod reads all there
# are. A user may read the headers, wherever they are.
place_kernel()
{
	local dir=$KERNEL_BUILD

	rm -rf "${modules:?}"
	mkdir -p "$modules/kernel/fs"
	cp -r "$KERNEL_MODULES/kernel/fs/configfs" "$modules/kernel/fs/"
	cp "$KERNEL_MODULES"/modules.{builtin,builtin.modinfo,order} "$modules/"
	ln -s "$KERNEL_BUILD" "$modules/build"
	ln -sfn "$KERNEL_BUILD" "$root/usr/src/linux-headers-9-test-amd64"
	while [[ $dir != / ]]; do
		chmod o+rx "$root$dir"
		dir=${dir%/*}
		dir=${dir:-/}
	done
}

# place_objects TO: a copy of the stock kernel's sources and objects at TO, as if they
# were compiled in IN (default TO)
place_objects()
{
	cp -a "$out/src/." "$root$1"
	find "$root$1" \( -name '.*.cmd' -o -name '*.mod' -o -name modules.order \) \
		-exec sed -i "s,$src,${2:-$1},g" {} +
}

# the checkout of a user of sudo, with the modules compiled
place_checkout()
{
	local home=/home/gpubp

	inside useradd --create-home --shell /bin/bash gpubp
	{
		echo 'gpubp ALL=(ALL) NOPASSWD: ALL'
		echo 'Defaults env_keep += "MAKEFLAGS"'
	} >"$root/etc/sudoers.d/gpubp"
	chmod 440 "$root/etc/sudoers.d/gpubp"
	mkdir "$root$home/gpubp"
	tar -C "$top" --exclude=./build --exclude=./.git -cf - . |
		tar -C "$root$home/gpubp" -xf -
	place_objects $home/gpubp
	mkdir -p "$root$home/.cache/gpubp"
	cp -a "$cache"/kernel-libs-*-* "$root$home/.cache/gpubp/"
	inside chown -R gpubp: $home
}

# names of the modules below directory $1 of the kernel's
installed()
{
	find "$modules/$1" -name '*.ko*' -printf '%f\n' 2>/dev/null |
		sed 's/\.ko.*//' | sort | xargs
}

# check_installed HOW DIRECTORY: all of them, and found by depmod and modprobe
check_installed()
{
	local how=$1 dir=$2 expected="gpubp gpubp_agent gpubp_gfx9 gpubp_sim" name file found

	found=$(installed "$dir")
	[[ $found == "$expected" ]]
	result $? "$how: $expected" "in $dir: $found"

	found=
	for name in $expected; do
		grep -q "^$dir.*/$name\.ko[.a-z]*:" "$modules/modules.dep" ||
			found+="$name is not in modules.dep"$'\n'
		file=$(find "$modules/$dir" -name "$name.ko*")
		[[ $(modinfo -F vermagic "$file") == "$KERNEL_RELEASE "* ]] ||
			found+="$file: $(modinfo -F vermagic "$file")"$'\n'
	done
	[[ ! $found ]]
	result $? "$how: modules.dep and vermagic" "$found"

	found=$(inside modprobe -n -v -S "$KERNEL_RELEASE" gpubp_sim 2>&1)
	[[ $(sed -n "s,^insmod .*/$dir.*/\([a-z0-9_]*\)\.ko.*,\1,p" <<<"$found" |
	     sort | xargs) == "gpubp gpubp_gfx9 gpubp_sim" &&
	   $(tail -n 1 <<<"$found") == *gpubp_sim.ko* ]]
	result $? "$how: modprobe gpubp_sim finds what it needs" "$found"
}
