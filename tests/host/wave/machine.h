/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A minimal environment of the interpreter: flat memory, comparators, LDS,
 * messages; code objects and grids.
 */
#ifndef TESTS_WAVE_MACHINE_H
#define TESTS_WAVE_MACHINE_H

#include <linux/types.h>
#include "isa/gfx9/regs.h"
#include "providers/sim/wave/wave.h"

#define MAX_REGIONS	16
#define MAX_MESSAGES	64
#define NR_WATCHES	4
#define LDS_SIZE	65536
#define DOORBELL	0x155

struct region {
	u64 va;
	u8 *bytes;
	u64 size;
};

/* a comparator; mode as TCP_WATCH_CNTL.MODE */
struct watch {
	bool valid;
	u64 value, mask;
	unsigned int mode;
};

struct message {
	u32 msg, m0;
	bool priv;
};

/* the last call of sim_env_gws() */
struct gws {
	unsigned int calls;
	bool init;
	unsigned int resource;
	u32 value;
};

#define MAX_NEEDED	1024

/* ranges that an instruction requested: see sim_env_need() */
struct needed {
	const struct sim_wave *wave;
	u64 inst;
	unsigned int refused;
	unsigned int nr;
	struct {
		u64 va, len;
		bool write;
	} range[MAX_NEEDED];
};

struct machine {
	struct region region[MAX_REGIONS];
	enum sim_step step;
	unsigned int nr_regions;
	struct watch watch[NR_WATCHES];
	struct message message[MAX_MESSAGES];
	unsigned int nr_messages;
	struct gws gws;
	bool gws_waits;
	unsigned int nr_hits;		/* watch comparisons that matched */
	u8 lds[LDS_SIZE];
	u64 time;
	bool delays;			/* memory is not available at once */
	u32 delay_state;
	unsigned int nr_delayed;		/* how often it was not */
	unsigned int nr_unasked;	/* accesses that were not requested */
	struct needed needed;
	/* replaces the comparators */
	u32 (*watch_fn)(struct sim_wave *wave, enum sim_access kind,
			unsigned int width, u64 lanes, const u64 *addrs);
};

extern struct machine machine;

void machine_reset(void);
u8 *machine_map(u64 va, u64 size);
u8 *machine_at(u64 va, u64 len);

/* a wave with @nr_vgprs registers, exec all ones; freed by machine_reset() */
struct sim_wave *machine_wave(unsigned int nr_vgprs);

/* elf.c: load a code object at @va; address of a symbol, 0 if there is none */
bool elf_load(const char *path, u64 va);
u64 elf_symbol(const char *name);

/* grid.c */
struct grid {
	u64 kernarg;
	u64 dispatch_ptr;	/* AQL packet, 0 none */
	u32 size[3], workgroup[3];
	bool trap_en, ttmps;
	u32 excp_en;
	u64 tba, tma;
	enum gfx9_arch arch;
	/* called for a halted wave, which it may change */
	void (*halted)(struct sim_wave *w, const struct grid *g);
	unsigned int nr_halts;
	/*
	 * may be NULL; called for a wave that stopped for good, to report why
	 */
	void (*fatal)(const struct sim_wave *w, const struct grid *g);
};

/* SIM_STOP_ENDED, or the reason why the first wave stopped that did not end */
enum sim_stop grid_run(struct grid *g, const char *kernel);

#endif /* TESTS_WAVE_MACHINE_H */
