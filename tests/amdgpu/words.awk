# SPDX-License-Identifier: GPL-2.0
#
# What a driver wrote in each step of tests/amdgpu/guest/words, from the model's log:
# lines "STEP <tab> REGISTER OR WORD <tab> VALUE" in the order in which they came.
# Of the words of MAP_PROCESS, those that differ from before the step; last in each
# step, what the comparators watch then, as the device sees it.

function number(text,	i, value)
{
	text = tolower(substr(text, 3))
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

# kind of access of a control word: bits 30:29
function mode(word,	bits)
{
	bits = int(number(word) / 536870912) % 4
	return bits == 0 ? "loads" : bits == 1 ? "stores and atomics" : \
	       bits == 2 ? "atomics" : "all accesses"
}

function row(name, value)
{
	print step "\t" name "\t" value
}

function end_step(	i, nr, text)
{
	if (!step || step == last)
		return
	for (i = 1; i <= nr_words; i++) {
		if (word[names[i]] != before[names[i]])
			row(names[i] == "second" ? "second-level handler" : \
				names[i] " of MAP_PROCESS", word[names[i]])
		before[names[i]] = word[names[i]]
	}
	for (i = 0; i < 4; i++) {
		if (number(word["tcp_watch_cntl[" i "]"]) < 2147483648)
			continue
		# the mask begins at bit 6 and leaves out no bit here
		text = text (text ? "; " : "") "0x" substr(high[i], 7) \
			substr(low[i], 3) " " mode(word["tcp_watch_cntl[" i "]"])
	}
	row("in effect", text ? text : "nothing")
}

BEGIN {
	last = 13
	nr_words = split("tba tma second new_debug debug_vmid single_memops spi_gdbg_per_vmid_cntl " \
		"tcp_watch_cntl[0] tcp_watch_cntl[1] tcp_watch_cntl[2] tcp_watch_cntl[3]",
		names, " ")
}

$2 == "control:" && $3 == "mark" {
	end_step()
	step = $4
}

$2 == "debug:" && $3 == "write" {
	if ($5 ~ /ADDR_H$/)
		high[substr($5, 10, 1)] = $6
	if ($5 ~ /ADDR_L$/)
		low[substr($5, 10, 1)] = $6
	if (step && step < last)
		row($5, $6)
}

$3 == "MAP_PROCESS" {
	for (i = 4; i < NF; i++)
		field[$i] = $(i + 1)
	word["tba"] = field["tba"]
	word["tma"] = field["tma"]
	# an address of the process's own, or of the provider's: which does not matter
	own = own ? own : field["second"]
	word["second"] = field["second"] == own ? "the process's" : "gpubp's"
	word["new_debug"] = field["new_debug"]
	word["debug_vmid"] = field["debug_vmid"]
	word["single_memops"] = field["single_memops"]
	word["spi_gdbg_per_vmid_cntl"] = field["spi_gdbg"]
	for (i = 0; i < 4; i++)
		word["tcp_watch_cntl[" i "]"] = $(NF - 3 + i)
	# before the first step nothing is a difference
	for (i = 1; !step && i <= nr_words; i++)
		before[names[i]] = word[names[i]]
}
