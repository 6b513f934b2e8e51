# SPDX-License-Identifier: GPL-2.0
# sweep.awk LLVM-LIST OUR-LIST: print disagreements, exit 1 if any. Lists are
# "address length mnemonic"; a case starts at every multiple of 32.
#
# What LLVM accepts, we accept, with the same length and name. What we accept,
# LLVM accepts as well: the case itself or, with -v group=N, one of the N cases
# of its opcode (LLVM also rejects bits that should be zero). -v legal_only=1:
# the first half only. -v lax=1: LLVM 17 lets a literal follow instructions that have
# no such operand, and rejects the codes of SDWA and DPP as their operand.

function hex(s,    n, i) {
	n = 0
	for (i = 1; i <= length(s); i++)
		n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}

# different names on purpose: encodings that we do not decode
function left_out(name) {
	return name ~ /^v_interp_/ || name == "buffer_wbinvl1"
}

function takes_any(name) {
	return name == "v_swap_b32" || name == "v_accvgpr_mov_b32"
}

function disagree(at, llvm, ours,    name) {
	name = ours
	sub(/.* /, "", name)
	if (lax && takes_any(name))
		return
	print at ": LLVM " llvm ", we " ours
	bad = 1
}

BEGIN {
	if (!group)
		group = 1
}

$1 !~ /^([0-9a-f]*[02468ace])?0$/ { next }

FNR == NR {
	llvm[$1] = $2 " " $3
	if ($3 != "illegal")
		legal[int(hex($1) / 32 / group)] = 1
	next
}

{
	cases++
	ours = $2 " " $3
	if (!($1 in llvm))
		disagree($1, "nothing", ours)
	else if (llvm[$1] != "4 illegal") {
		taken++
		split(llvm[$1], part, " ")
		if (llvm[$1] != ours && !($3 == "illegal" && left_out(part[2])))
			disagree($1, llvm[$1], ours)
	} else if (!legal_only && $3 != "illegal" &&
		   !(int(hex($1) / 32 / group) in legal))
		disagree($1, llvm[$1], ours)
}

END {
	if (cases < 1000 || taken < cases / 100) {
		print "only " cases + 0 " cases, " taken + 0 " taken"
		bad = 1
	}
	exit bad
}
