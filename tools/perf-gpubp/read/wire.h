/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits as the filter in perf script prints them, between the lines that perf
 * script prints itself. Both ends are of one build, on one machine.
 */
#ifndef PERF_GPUBP_WIRE_H
#define PERF_GPUBP_WIRE_H

#include <stdint.h>
#include <linux/gpubp.h>

/* no line begins with a NUL */
#define WIRE_MAGIC	"\0gpubp\n"
#define WIRE_MAGIC_LEN	8

enum wire_string {
	WIRE_COMM,
	WIRE_EVENT,
	WIRE_SYM,		/* function at the pc */
	WIRE_DSO,		/* file that has the function */
	WIRE_DATA,		/* name of the address */
	WIRE_STRINGS,
};

/**
 * struct wire_hit - one sample; its strings follow, without NUL
 * @magic: WIRE_MAGIC
 * @time: of the sample, ns
 * @type: attr.type of its event
 * @pid: process
 * @tid: thread
 * @cpu: CPU
 * @raw_size: bytes of raw data that it had; what @rec lacks is 0
 * @sym_off: of the pc in WIRE_SYM
 * @code_off: of the pc in the file WIRE_DSO, 0 unknown
 * @data_off: of the address in WIRE_DATA
 * @len: bytes of each string
 * @rec: the raw data
 */
struct wire_hit {
	char magic[WIRE_MAGIC_LEN];
	uint64_t time;
	uint32_t type;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t raw_size;
	uint32_t sym_off;
	uint64_t code_off;
	uint32_t data_off;
	uint16_t len[WIRE_STRINGS];
	struct gpubp_hit_record rec;
};

/** record_addr() - first watched byte that was accessed, as far as it is known */
static inline uint64_t record_addr(const struct gpubp_hit_record *rec)
{
	return rec->flags & GPUBP_HIT_BYTES ? rec->hit_addr : rec->addr;
}

#endif /* PERF_GPUBP_WIRE_H */
