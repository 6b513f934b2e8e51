/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rig of suites about the data of accesses: a wave of gfx90a whose registers
 * and memory a test sets, and the samples of its hits. On top of the mock.
 */
#ifndef _GPUBP_KUNIT_DATA_RIG_H
#define _GPUBP_KUNIT_DATA_RIG_H

#include "mock.h"

#define BLOCK	(MOCK_VA + 0x1000)	/* of a comparator */
#define AT(n)	(BLOCK + (n))
#define ALL	(GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC)
#define SIZE	128	/* bytes of memory that tests use */
#define LANES	4	/* lanes that they use */
#define FIRST	2	/* register that has data, like those behind it */
#define NR_DATA	4
#define NR_REGS	16	/* registers of which is noted what is read */

/* struct gpubp_isa gfx90a: address in v[0:1], data in v2, unless noted */
#define INSN_STORE_X4	0xdc7c8000, 0x007f0200	/* global_store_dwordx4 */
#define INSN_STORE_HI	0xdc648000, 0x007f0200	/* store_byte_d16_hi */
#define INSN_LOAD_X4	0xdc5c8000, 0x057f0000	/* load_dwordx4 v[5:8] */
#define INSN_CMPSWAP	0xdd048000, 0x007f0200	/* the comparand in v3 */
#define INSN_RETURNS	0xdd098000, 0x057f0200	/* global_atomic_add v5 */
#define INSN_OVERWRITES	0xdd098000, 0x027f0200	/* likewise v2 */
#define INSN_BUFFER	0xe0701000, 0x80000200	/* offen, v0, s[0:3], 0 */
#define INSN_BUFFER_LD	0xe0501000, 0x80000500	/* likewise, load to v5 */
#define INSN_BUFFER_X4	0xe07c1000, 0x80000200	/* buffer_store_dwordx4 */

/**
 * struct data_rig - what the rig adds to the mock
 * @scalars: s[0:3]
 * @unreadable: register with data, which cannot be read; 0 none
 * @asked: reads of registers with data, or of none
 * @lanes: of each vector register, lanes that were read
 * @copies: reads of memory at BLOCK
 * @on_data: called before registers with data are read; may be NULL
 */
extern struct data_rig {
	u32 scalars[4];
	unsigned int unreadable;
	unsigned int asked;
	u64 lanes[NR_REGS];
	unsigned int copies;
	void (*on_data)(void);
} data_rig;

int rig_init(struct kunit *test, const struct gpubp_caps *caps);
struct mock_ctx *rig_ctx(struct kunit *test);
u8 rig_old_byte(unsigned int at);
u8 rig_new_byte(unsigned int at);
u32 rig_slots(struct mock_ctx *c);
u64 rig_set_lanes(struct mock *m, const u64 at[LANES],
		  const u32 values[LANES]);
struct gpubp_hit rig_hit(struct mock_ctx *c, const u32 *insn,
			 struct mock_stop stop);
void rig_deliver(struct kunit *test, const struct gpubp_hit *hit);
void rig_execute(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		 u64 exec);
void rig_report(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		u64 exec, u16 width);
void rig_expect_values(struct kunit *test, const struct gpubp_hit_record *r);
struct mock_kept *rig_open_attr(struct kunit *test,
				struct perf_event_attr *attr);
struct mock_kept *rig_trace(struct kunit *test);

#endif /* _GPUBP_KUNIT_DATA_RIG_H */
