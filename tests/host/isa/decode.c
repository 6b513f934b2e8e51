// SPDX-License-Identifier: GPL-2.0
/*
 * decode CPU: read lines "address word word ..." (hexadecimal), each
 * a contiguous range of code, and print "address length mnemonic" for every
 * instruction. Addresses continue within a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include "../processor.h"

#define MAX_RUN	(1 << 20)

static u32 words[MAX_RUN];

static unsigned int parse_words(char *p)
{
	unsigned int nr = 0;
	char *end;

	while (nr < MAX_RUN) {
		words[nr] = strtoul(p, &end, 16);
		if (end == p)
			break;
		nr++;
		p = end;
	}
	return nr;
}

static void decode_run(enum gfx9_arch arch, unsigned long addr, unsigned int nr)
{
	struct gfx9_inst inst;
	unsigned int at;

	for (at = 0; at < nr; at += inst.len / 4) {
		gfx9_decode(arch, words + at, nr - at, &inst);
		printf("%lx %u %s\n", addr + 4 * at, inst.len, inst.name);
	}
}

int main(int argc, char **argv)
{
	enum gfx9_arch arch;
	size_t cap = 0;
	char *line = NULL, *p;

	if (argc != 2)
		return 2;
	arch = processor_named(argv[1]);
	while (getline(&line, &cap, stdin) > 0) {
		unsigned long addr = strtoul(line, &p, 16);

		decode_run(arch, addr, parse_words(p));
	}
	free(line);
	return 0;
}
