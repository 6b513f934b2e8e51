# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What scripts/deps makes of a machine, which is one of a few lists: installed has the
# packages that it has, conflicts the pairs that exclude each other. Sourced by run.

# Programs that look at the lists in $fake. apt-get writes what it is called with into
# log, and knows every package.
make_fake()
{
	mkdir -p "$fake/bin"
	cat >"$fake/bin/dpkg-query" <<'END'
#!/bin/sh
sed 's/^/installed /' "$FAKE/installed"
END
	cat >"$fake/bin/apt-cache" <<'END'
#!/bin/sh
shift
printf '%s:\n  Candidate: 1\n' "$@"
END
	cat >"$fake/bin/apt-get" <<'END'
#!/bin/sh
removed=$(printf '%s\n' "$@" | cat - "$FAKE/conflicts" | awk -v installed="$(cat "$FAKE/installed")" '
	BEGIN {
		n = split(installed, list)
		for (i = 1; i <= n; i++)
			has[list[i]]
	}
	NF == 1 { asked[$1]; next }
	$1 in asked && $2 in has { print "Remv", $2, "[1]" }
	$2 in asked && $1 in has { print "Remv", $1, "[1]" }
	$1 in asked && $2 in asked { print "E: unmet dependencies" }' | sort -u)
case " $* " in
*' -s '*)
	echo "$removed"
	case "$removed $* " in
	*Remv*' --no-remove '*|*E:*) exit 100 ;;
	esac
	exit ;;
esac
echo "apt-get $*" >>"$FAKE/log"
[ ! "$removed" ]
END
	chmod 755 "$fake/bin"/*
	# what Debian's say
	printf 'gcc-multilib gcc-%s-linux-gnu\n' aarch64 s390x >"$fake/conflicts"
}

# deps INSTALLED PURPOSE...: what it says; the log is new
deps()
{
	tr ' ' '\n' <<<"$1" >"$fake/installed"
	: >"$fake/log"
	PATH=$fake/bin:$PATH FAKE=$fake "${as[@]}" "$fake/deps" "${@:2}" 2>&1
}

# judge STATUS NAME: with what was said and called
judge()
{
	result "$1" "deps: $2" "$said"$'\n'"$(cat "$fake/log")"
}

# What Debian itself says of all packages together, and of cross compilers beside them,
# on a machine that has no other. The names are from the command that users get.
check_packages()
{
	local name="deps: no two of the packages conflict" packages

	said=$(deps '' build vm roots check docs cross mutants)
	if [[ $said == *"knows no package"* || $said == *"apt-get update"* ]]; then
		skip "$name" "apt does not know all packages"
		return
	fi
	packages=${said##* install }
	: >"$fake/status"
	rm "$fake/bin"/apt-*
	# shellcheck disable=SC2086
	said=$("${as[@]}" apt-get -s --no-install-recommends -o Dir::State::status="$fake/status" \
	       install $packages gcc-{aarch64,s390x}-linux-gnu 2>&1)
	[[ $? == 0 && $said == *"Inst libc6-dev-i386 "* ]]
	result $? "$name" "$said"
}

check_deps()
{
	local said fake as=() all='build vm roots check docs cross' packages

	fake=$(mktemp -d)
	chmod 755 "$fake"
	make_fake
	# where another user can read it
	cp "$top/scripts/deps" "$fake/"

	if ((!EUID)); then
		# shellcheck disable=SC2086
		said=$(deps gcc-aarch64-linux-gnu $all)
		[[ $? == 0 && $(cat "$fake/log") == *' install '*libc6-dev-i386* &&
		   $said == *"as root, installs "*libc6-dev-i386* ]]
		judge $? "beside a cross compiler all can be installed"
		[[ $(wc -l <"$fake/log") == 1 && $(cat "$fake/log") == *' --no-remove '* ]]
		judge $? "by an apt-get that may not remove"

		echo 'sparse mine' >>"$fake/conflicts"
		said=$(deps mine check)
		[[ $? == 1 && ! -s $fake/log && $said == "scripts/deps: sparse conflicts \
with mine, which is installed and would be removed: nothing is installed"$'\n'* ]]
		judge $? "a conflict is a sentence, and nothing is installed"
		[[ $said == *"to go on, "*"(apt-get install sparse), or "*scripts/demo* ]]
		judge $? "how to go on is another"
		echo 'gcc-s390x-linux-gnu bison' >>"$fake/conflicts"
		said=$(deps '' build cross)
		[[ $? == 0 && $(cat "$fake/log") == *' install '*bison*gcc-aarch64-linux-gnu* &&
		   $(cat "$fake/log") != *s390x* &&
		   $said == *"cannot install gcc-s390x-linux-gnu"*": left out"* ]]
		judge $? "what is optional does not prevent what is needed"
		said=$(deps gcc-multilib cross)
		[[ $? == 0 && ! -s $fake/log && $said == \
		   *"gcc-s390x-linux-gnu conflicts with gcc-multilib"*": left out"* ]]
		judge $? "a cross compiler that conflicts is left out"
		packages=$(deps '' build >/dev/null; sed 's/.* install //' "$fake/log")
		said=$(deps "$packages" build)
		[[ $? == 0 && ! -s $fake/log ]]
		judge $? "nothing is installed twice"
		as=(setpriv --reuid=65534 --clear-groups)
	else
		skip "deps: of root" "not root"
	fi
	said=$(deps gcc-aarch64-linux-gnu vm)
	[[ $? == 1 && ! -s $fake/log &&
	   $said == *"run: sudo apt-get "*" --no-remove "*libc6-dev-i386* ]]
	judge $? "a user gets the command"
	rm "$fake/bin/apt-cache"
	if command -v apt-get apt-cache >/dev/null; then
		check_packages
	else
		skip "deps: conflicts" "no apt-get"
	fi
	rm -rf "$fake"
}
