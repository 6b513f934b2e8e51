# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# The Debian packages: built, installed, used and purged; sourced by run. DKMS finds no
# headers here, as it would compile the modules again.

# paths of what is in the system with our name, but the checkout's
traces()
{
	(cd "$root" && find etc usr/bin usr/lib usr/share usr/include usr/src var/lib/dkms \
		-iname '*gpubp*' ! -path 'etc/sudoers.d/*' 2>/dev/null | sort)
}

check_debian()
{
	local said before files

	rm -f "$modules/build" "$root/usr/src/linux-headers-9-test-amd64"
	mkdir "$root/deb"
	tar -C "$top" --exclude=./build --exclude=./.git -cf - . |
		tar -C "$root/deb" --one-top-level=gpubp-0.1 -xf -
	# as after "make"
	touch "$root/deb/gpubp-0.1/kernel/gpubp/gpubp."{mod.c,mod,o,ko}
	# no cache of the user's, as with those who build packages
	said=$(inside env -u GPUBP_CACHE -u MAKEFLAGS HOME=/deb/home \
		sh -c 'mkdir /deb/home; cd /deb/gpubp-0.1 && dpkg-buildpackage -us -uc -b' 2>&1)
	result $? "dpkg-buildpackage -us -uc -b" "$said"
	before=$(traces)
	said=$(inside sh -c 'dpkg --install /deb/gpubp-dkms_*.deb /deb/perf-gpubp_*.deb \
		/deb/libgpubp-dev_*.deb /deb/gpubp-agent_*.deb' 2>&1)
	result $? "the packages can be installed" "$said"

	files=$(inside dpkg --listfiles gpubp-dkms perf-gpubp libgpubp-dev gpubp-agent 2>&1)
	said=
	for file in usr/src/gpubp-0.1/{dkms.conf,Kbuild,kernel/gpubp/main.c} \
		    usr/lib/udev/rules.d/60-gpubp.rules \
		    usr/bin/{perf-gpubp,gpubp-run,gpubp-cc} usr/share/gpubp-cc/opencl.h \
		    usr/bin/gpubp-rocr-try usr/lib/x86_64-linux-gnu/gpubp/libgpubp-rocr.so \
		    usr/include/{gpubp_rocr.h,gpubp_run.h,linux/gpubp.h,linux/gpubp_agent.h,linux/gpubp_sim.h}; do
		[[ $files == *"/$file"* && -s $root/$file ]] || said+="no $file"$'\n'
	done
	[[ ! $said ]]
	result $? "packages: files" "$said"
	said=$(grep '/gpubp\.[a-z.]*$' <<<"$files" | grep -v 'gpubp\.h$')
	[[ ! $said ]]
	result $? "packages: nothing that make built in the tree" "$said"
	check_tools packages /usr/bin
	check_library packages
	said=$(inside dkms status 2>&1)
	[[ $said == *gpubp/0.1*added* ]]
	result $? "packages: DKMS has the sources" "$said"

	said=$(inside dpkg --purge gpubp-dkms perf-gpubp libgpubp-dev gpubp-agent 2>&1)
	result $? "the packages can be purged" "$said"
	[[ $(traces) == "$before" ]]
	result $? "packages: nothing is left" "$(diff <(echo "$before") <(traces))"

	if command -v lintian >/dev/null; then
		said=$(inside sh -c 'lintian --fail-on error --tag-display-limit 0 \
			/deb/gpubp_*.changes' 2>&1)
		result $? "lintian finds no error" "$said"
	else
		skip "lintian finds no error" "no lintian"
	fi
}
