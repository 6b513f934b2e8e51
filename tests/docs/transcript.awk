# SPDX-License-Identifier: GPL-2.0
#
# usage: awk -f transcript.awk WANT GOT
#
# Is the output GOT what the document shows, WANT? There "..." stands for any
# characters of a line, or if it is a line, for any number of lines. Empty lines and
# blanks at the end of lines do not count. Exit status 1 if it is not, and lines
# "- WANTED" and "+ LINE" from the first one that no line of WANT is left for.

# regex(LINE): an ERE for it
function regex(line,	re)
{
	gsub(/[][\\.^$*+?(){}|]/, "\\\\&", line)
	while (match(line, /\\\.\\\.\\\./)) {
		re = re substr(line, 1, RSTART - 1) ".*"
		line = substr(line, RSTART + RLENGTH)
	}
	return "^" re line "$"
}

{ sub(/[ \t\r]+$/, "") }
/^$/ { next }
FILENAME == ARGV[1] {
	want[++wants] = $0
	re[wants] = regex($0)
	any[wants] = $0 ~ /^[ \t]*\.\.\.$/
	next
}
{ got[++gots] = $0 }
END {
	# reached[w]: the lines up to here are what the first w of WANT stand for
	reached[0] = 1
	for (w = 1; w <= wants && any[w]; w++)
		reached[w] = 1
	for (g = 1; g <= gots; g++) {
		for (w = wants; w >= 1; w--)
			now[w] = any[w] ? reached[w] : reached[w - 1] && got[g] ~ re[w]
		now[0] = 0
		some = 0
		for (w = 0; w <= wants; w++) {
			# no line at all
			if (w && any[w] && now[w - 1])
				now[w] = 1
			if (now[w]) {
				some = 1
				last = w
			}
		}
		if (!some)
			break
		for (w = 0; w <= wants; w++)
			reached[w] = now[w]
	}
	if (g > gots && reached[wants])
		exit
	last = 0
	for (w = 0; w <= wants; w++)
		if (reached[w])
			last = w
	for (w = last + 1; w <= wants && w <= last + 3; w++)
		print "- " want[w]
	for (w = g; w <= gots && w <= g + 2; w++)
		print "+ " got[w]
	exit 1
}
