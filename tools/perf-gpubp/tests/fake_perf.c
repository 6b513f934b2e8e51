// SPDX-License-Identifier: GPL-2.0
/*
 * A perf whose script prints hits as the environment says, as the filter in the
 * real one does: HITS of them, of KIND, by PIDS processes, from PID on, at PCS places in
 * turn, in CONTEXTS in turn, from SYM of the file DSO on, at AT_FILE in it, to ELEMENTS in turn, by a
 * command named COMM, with RAW bytes of raw data. The first VAGUE have no exact address,
 * and skid. SAMPLES of them, one after another, are of one access. Then it reads its
 * input to the end if WAIT is set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wire.h"

#define PMU_TYPE	11

static const char *text(const char *name, const char *otherwise)
{
	return getenv(name) ? getenv(name) : otherwise;
}

static unsigned long number(const char *name, const char *otherwise)
{
	return strtoul(text(name, otherwise), NULL, 0);
}

/* 0 without CONTEXTS */
static uint32_t context_of(unsigned long n)
{
	unsigned long nr = number("CONTEXTS", "0");

	return nr ? (uint32_t)(n % nr) + 1 : 0;
}

static void put_hit(unsigned long n, unsigned long pcs, unsigned long pids)
{
	struct wire_hit hit = {
		.magic = WIRE_MAGIC, .time = n, .type = PMU_TYPE,
		.pid = (uint32_t)(number("PID", "10") + n / pcs % pids),
		.raw_size = (uint32_t)number("RAW", "1000"),
		.sym_off = (uint32_t)(number("OFF", "0") + 4 * (n % pcs)),
		.code_off = number("AT_FILE", "0"),
		.rec = {
			.pc = 0x1000 + 4 * (n % pcs), .addr = 0x200000014,
			.lanes = number("LANES", "32"),
			.context = context_of(n),
			.wg_x = (uint32_t)number("GROUP_X", "0"),
			.wg_y = (uint32_t)number("GROUP_Y", "0"),
			.gpu_time = n / number("SAMPLES", "1"),
			.kind = (uint8_t)number("KIND", "1"), .value_len = 4,
			.access = (uint8_t)number("ACCESS", "2"),
			.width = (uint16_t)number("WIDTH", "4"),
			.addr_state = GPUBP_ADDR_EXACT, .new_value = n,
			.hit_addr = 0x200000014 + number("AT", "0") +
				    4 * (n % number("ELEMENTS", "1")),
			.hit_len = (uint8_t)number("LEN", "4"), .data = n + number("DATA", "0"),
			.before = 0x77 + n * number("CHANGES", "0"), .seen = 0x88, .now = 0x99,
			.flags = GPUBP_HIT_PC_EXACT | GPUBP_HIT_NEW_VALUE |
				 GPUBP_HIT_COORDS |
				 (uint16_t)number("FLAGS", "0xc0"),
		},
	};
	const char *texts[WIRE_STRINGS] = {
		text("COMM", "app"), n & number("EVENTS", "0") ? "b" : text("EVENT", "a"),
		text("SYM", "repeat"),
		text("DSO", "[JIT] tid 10"), "out",
	};
	unsigned int i;

	if (n < number("VAGUE", "0")) {
		hit.rec.addr_state = GPUBP_ADDR_BLOCK;
		hit.rec.flags = GPUBP_HIT_POSSIBLE;
	}
	hit.data_off = 0x14 + (uint32_t)number("AT", "0");
	hit.tid = hit.pid;
	for (i = 0; i < WIRE_STRINGS; i++)
		hit.len[i] = (uint16_t)strlen(texts[i]);
	fwrite(&hit, sizeof(hit), 1, stdout);
	for (i = 0; i < WIRE_STRINGS; i++)
		fputs(texts[i], stdout);
}

int main(int argc, char **argv)
{
	unsigned long i, pcs = number("PCS", "1"), pids = number("PIDS", "1");

	if (argc < 2 || strcmp(argv[1], "script"))
		return 1;
	if (getenv("FAIL")) {
		fprintf(stderr, "\n%s\nand more\n", getenv("FAIL"));
		return 255;
	}
	printf("# ========\n# pmu mappings: cpu = 4, gpubp = %d\n#\n", PMU_TYPE);
	for (i = 0; i < number("HITS", "1"); i++)
		put_hit(i, pcs, pids);
	fflush(stdout);
	while (getenv("WAIT") && getchar() != EOF)
		;
	return 0;
}
