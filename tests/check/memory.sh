# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# What passed, and with what inputs; sourced by scripts/check, not run.
#
# $memory/UNIT begins with a line "DATE PASSED FAILED SKIPPED SECONDS", the rest is
# a list of what the unit read, with hashes. It is made when a unit passes, and goes
# when it fails. $inputs/UNIT is that list as it is now. What failed last is in
# $memory/failed.

memory=$out/remembered
inputs=$out/inputs

# unit_file UNIT: its name as a file
unit_file()
{
	echo "${1//\//,}"
}

# hash_files: of the files that stdin names, lines "HASH FILE"
hash_files()
{
	tr '\n' '\0' | xargs -0 -r sha256sum -- |
		awk '{ h = substr($1, 1, 16); sub(/^[^ ]+ [ *]/, ""); print h, $0 }'
}

# the files of the tree, committed or not; without git, all but build/
tree_files()
{
	{
		git ls-files -co --exclude-standard --deduplicate 2>/dev/null ||
			find . -path ./build -prune -o -type f -print | sed 's,^\./,,'
	} | while IFS= read -r f; do [[ ! -f $f ]] || printf '%s\n' "$f"; done
}

# what the programs of this machine say of their versions
tool_versions()
{
	local tool

	for tool in gcc ld clang llvm-objdump sparse shellcheck codespell \
		    qemu-system-x86_64 sphinx-build bpftrace; do
		echo "tool $tool $("$tool" --version 2>/dev/null |
			grep -m 1 '[0-9]')"
	done
	dpkg-query -W -f 'package ${Package} ${Version}\n' linux-perf \
		busybox-static linux-source-6.12 libtraceevent-dev 2>/dev/null
	# what is set for the tests changes what they do
	env | grep '^GPUBP_' | grep -vE '^GPUBP_(CACHE|JOBS|FRESH)=' | sort || true
}

# note_inputs UNIT...: writes $inputs/UNIT for each, as far as it is in the tree
note_inputs()
{
	local list=$out/tree

	mkdir -p "$inputs" "$memory"
	tree_files | hash_files >"$list"
	tool_versions >"$out/tools"
	printf '%s\n' "$@" | awk -v dir="$inputs/" '
		function regex(glob) {
			gsub(/[.+^$()|\[\]]/, "\\\\&", glob)
			gsub(/\*/, ".*", glob)
			return "^" glob "$"
		}
		FILENAME == ARGV[1] {
			if ($0 ~ /^#/ || NF < 2) next
			nr++
			files[nr] = regex($1)
			nglobs[nr] = NF - 1
			for (i = 2; i <= NF; i++) units[nr, i - 1] = regex($i)
			next
		}
		FILENAME == ARGV[2] { n++; hash[n] = $0; sub(/^[^ ]+ /, ""); name[n] = $0; next }
		FILENAME == ARGV[3] { tools = tools $0 "\n"; next }
		{ wanted[++nu] = $0 }
		END {
			for (f = 1; f <= n; f++)
				for (rule[f] = 1; rule[f] <= nr; rule[f]++)
					if (name[f] ~ files[rule[f]]) break
			for (u = 1; u <= nu; u++) {
				unit = wanted[u]
				file = unit
				gsub(/\//, ",", file)
				all = unit == "lint-static"
				for (r = 1; r <= nr; r++) {
					reads[r] = all
					for (i = 1; !reads[r] && i <= nglobs[r]; i++)
						reads[r] = unit ~ units[r, i]
				}
				reads[nr + 1] = 1
				for (f = 1; f <= n; f++)
					if (reads[rule[f]]) print hash[f] >(dir file)
				printf "%s", tools >(dir file)
				close(dir file)
			}
		}' tests/check/inputs "$list" "$out/tools" -
}

# kernel_inputs KERNEL: what all units in its VMs read: the kernel, the modules
# without their build id, which comments change, and what is no suite's own
kernel_inputs()
{
	local kernel=$1 tree=build/$1/tree dest=build/selftests/tree ko f suites

	(
		eval "$(tests/vm/kernel "$kernel" 2>/dev/null)"
		echo "kernel $KERNEL_RELEASE $(stat -c '%s %Y' "$KERNEL_IMAGE")"
	)
	for ko in "$tree"/lib/gpubp/*.ko; do
		objcopy -R .note.gnu.build-id "$ko" "$out/ko"
		echo "$(sha256sum <"$out/ko" | cut -c 1-16) $ko"
	done
	suites=$(list_selftests | awk '{ print $2 }')
	find "$tree" "$dest" -type f ! -name '*.ko' ! -path '*/selftests/suites' \
		! -path '*/selftests/*.d/*' |
		sort | while read -r f; do
		grep -qxF "${f##*/}" <<<"$suites" || echo "$f"
	done | hash_files
}

# note_binaries CLASS UNIT...: adds to $inputs/UNIT what was built for it
note_binaries()
{
	local class=$1 common unit suite program

	shift
	common=$(kernel_inputs "${class_kernel[$class]}")
	for unit; do
		{
			printf '%s\n' "$common"
			echo "lane ${unit_cpus[$unit]} ${class_options[$class]:-}"
			suite=${unit#*/}
			suite=${suite%+*}
			program=build/selftests/tree/lib/gpubp/selftests/$suite
			case $unit in
			nomsg-*)
				printf '%s\n' "${program%/*}"/{nomsg,spin} |
					hash_files ;;
			*/*)
				{ find "$program" "$program.d" -type f 2>/dev/null || true; } |
					sort | hash_files
				grep "^$suite[^[:alnum:]]" tests/manifest/selftests || true ;;
			esac
		} >>"$inputs/$(unit_file "$unit")"
	done
}

# is_remembered UNIT: asked of every unit, so without a process
is_remembered()
{
	local file=${1//\//,} was now

	[[ ! $fresh && -e $memory/$file && -e $inputs/$file ]] || return 1
	{
		read -r was
		IFS= read -rd '' was || true
	} <"$memory/$file"
	IFS= read -rd '' now <"$inputs/$file" || true
	[[ $was == "$now" ]]
}

# remember UNIT PASSED FAILED SKIPPED SECONDS
remember()
{
	local file=${1//\//,}

	[[ -d $memory/failed ]] || mkdir -p "$memory/failed"
	if (($3)); then
		rm -f "$memory/$file"
		: >"$memory/failed/$file"
	else
		{
			printf '%(%Y-%m-%dT%H:%M)T %s\n' -1 "${*:2}"
			cat "$inputs/$file"
		} >"$memory/$file.new"
		mv "$memory/$file.new" "$memory/$file"
		[[ ! -e $memory/failed/$file ]] || rm "$memory/failed/$file"
	fi
}

# forget UNIT
forget()
{
	rm -f "$memory/$(unit_file "$1")"
}

# fitting SECONDS UNIT...: what failed last and then the quickest, as long as they
# fit, in the order given; one in any case
fitting()
{
	local unit passed place=0 seconds=$1

	shift
	for unit; do
		passed=1
		[[ ! -e $memory/failed/${unit//\//,} ]] || passed=0
		echo "$passed ${unit_seconds[$unit]} $((place += 1)) $unit"
	done | sort -n -k 1,1 -k 2,2 |
		awk -v max="$seconds" '(sum += $2) <= max || NR == 1 { print $3, $4 }' |
		sort -n | cut -d ' ' -f 2
}
