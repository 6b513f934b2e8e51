# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Kernel trees with gpubp, for tests/graft/build, tests/graft/configs and
# tests/amdgpu/build; sourced after tests/vm/lib.sh.
#
# They are in the cache: hard links to the source, but for what is changed; one with
# x86's defconfig and graft.config, one without a configuration. Our files there keep their dates as long as
# their content is the same, also for another checkout.

graft_dir=$top/tests/graft

# a file of our own in place of the link to the cache's
graft_own()
{
	[[ $(stat -c %h "$1") == 1 ]] && return
	cp -p "$1" "$1.own"
	mv "$1.own" "$1"
}

# amdgpu's patch for the kernel in $KERNEL_SOURCE
graft_patch()
{
	local series

	series=$(awk -F ' *= *' '/^(VERSION|PATCHLEVEL) / { print $2 }' \
		 "$KERNEL_SOURCE/Makefile" | paste -s -d .)
	echo "$top/kernel/gpubp/providers/amdgpu/amdgpu-$series.patch"
}

# the files that it changes
graft_patched()
{
	sed -n 's,^+++ b/,,p' "$(graft_patch)"
}

# graft_links DIR: the source, grafted, as DIR
graft_links()
{
	local file

	rm -rf "$1"
	# the source itself, if this is a symbolic link to it
	cp -al "$KERNEL_SOURCE/." "$1" || return
	for file in kernel/Makefile init/Kconfig $(graft_patched); do
		graft_own "$1/$file"
	done
	"$top/scripts/graft.sh" "$1" || return
	grep -q GPUBP "$1/drivers/gpu/drm/amd/amdkfd/Kconfig" || {
		echo "the patch was refused"
		return 1
	}
}

graft_make()
{
	local tree=$1

	graft_links "$tree.tmp" &&
	make -s -C "$tree.tmp" x86_64_defconfig &&
	grep '^CONFIG_' "$graft_dir/graft.config" >>"$tree.tmp/.config" &&
	make -s -C "$tree.tmp" olddefconfig &&
	mv "$tree.tmp" "$tree" || return
	drop_unused graft .used
}

graft_configured()
{
	local missing

	missing=$(grep '^CONFIG_' "$graft_dir/graft.config" |
		  grep -vxFf "$1/.config") || return 0
	echo "$missing does not hold"
	return 1
}

# graft_few NAME: into a tree of a few files, in build/graft, from there
graft_few()
{
	local new=$build/graft/$1

	rm -rf "$new"
	mkdir -p "$new"/{include,init,kernel/events}
	touch "$new"/{kernel/events/core.c,kernel/Makefile,init/Kconfig}
	(cd "$build/graft" && "$top/scripts/graft.sh" "$1")
}

# Graft into a tree of a few files, and copy what differs.
graft_update()
{
	local tree=$1 new=$build/graft/new

	graft_few new &&
	rsync -rlc "$new/include/" "$tree/include/" &&
	rsync -rlc --delete --exclude='*.o' --exclude='*.a' --exclude='.*' \
		--exclude='modules.order' "$new/kernel/gpubp/" \
		"$tree/kernel/gpubp/" &&
	touch "$tree/.used"
}

# graft_compile TREE TARGET...: warnings are errors; kernel-doc is tests/lint's.
# The flags are always the same: with others, all would be built again.
graft_compile()
{
	make -C "$1" -j"$jobs" W=1 KCFLAGS=-Werror cmd_checkdoc= "${@:2}"
}

# what a tree is made from
graft_hash()
{
	(head -n 5 "$KERNEL_SOURCE/Makefile"
	 cat "$(graft_patch)" "$graft_dir"/{graft.config,lib.sh} \
		"$top/Kconfig" "$top/scripts/graft.sh"
	 gcc --version | head -n 1) | sha256sum | cut -c 1-12
}

# Sets tree; held by a lock until the script ends. Says what went wrong.
graft_tree()
{
	need make gcc flex bison bc rsync patch
	tree=$cache/graft-$(graft_hash)
	lock "$cache/graft"
	[[ -e $tree/.config ]] || graft_make "$tree" || return
	graft_configured "$tree" && graft_update "$tree"
}

# The same without a configuration, to be built by make O=.
graft_clean_tree()
{
	need make gcc flex bison bc rsync patch
	tree=$cache/graft-clean-$(graft_hash)
	lock "$cache/graft-clean"
	[[ -e $tree/Makefile ]] || {
		graft_links "$tree.tmp" && mv "$tree.tmp" "$tree" || return
		drop_unused graft-clean .used
	}
	graft_update "$tree"
}
