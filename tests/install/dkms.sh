# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# DKMS with the sources and objects as it would have them if it had built them;
# sourced by run.

place_dkms()
{
	rm -rf "$root/var/lib/dkms"
	mkdir -p "$root/var/lib/dkms"
	mkdir "$root/usr/src/gpubp-0.1"
	place_objects /usr/src/gpubp-0.1 /var/lib/dkms/gpubp/0.1/build
	cp "$top/dkms.conf" "$root/usr/src/gpubp-0.1/"
}

dkms_says()
{
	inside dkms "$@" -m gpubp -v 0.1 2>&1 || {
		cat "$root"/var/lib/dkms/gpubp/0.1/build/make.log 2>/dev/null
		return 1
	}
}

check_dkms()
{
	local said old=6.11.0-amd64

	place_kernel
	place_dkms
	said=$(dkms_says add && dkms_says install -k "$KERNEL_RELEASE")
	result $? "DKMS" "$said"
	check_installed DKMS updates

	mkdir -p "$root/lib/modules/$old/build/include"
	said=$(dkms_says build -k "$old")
	[[ $? != 0 && $said == *BUILD_EXCLUSIVE* ]]
	result $? "DKMS: an older kernel is refused" "$said"
	said=$(dkms_says remove --all)
	rm -rf "$root/lib/modules/$old" "$root/usr/src/gpubp-0.1"
	[[ ! $(installed updates) ]]
	result $? "DKMS: removed" "$said"
}
