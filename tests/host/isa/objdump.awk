# SPDX-License-Identifier: GPL-2.0
# llvm-objdump -d -> "address length mnemonic" (default) or, with -v words=1,
# "address word word ..." one line per contiguous range of code.

function flush() { if (open) print ""; open = 0 }

/^Disassembly|^[0-9a-f]+ </ { flush(); next }

match($0, /\/\/ [0-9A-F]+: /) {
	addr = tolower(substr($0, RSTART + 3, RLENGTH - 5))
	sub(/^0+/, "", addr)
	if (addr == "")
		addr = "0"
	rest = substr($0, RSTART + RLENGTH)
	sub(/[;<].*/, "", rest)		# warnings, branch targets
	nr = split(rest, word, " ")
	if (words) {
		if (!open)
			printf "%s", addr
		open = 1
		for (n = 1; n <= nr; n++)
			printf " %s", tolower(word[n])
		next
	}
	name = $1
	if (name ~ /^\./) {
		name = "illegal"
		nr = 1
	}
	sub(/_(e32|e64|sdwa|dpp)$/, "", name)
	print addr, nr * 4, name
}

END { flush() }
