/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits for the trap handler of isa/gfx9, and what the core says of them. A wave is put
 * behind an access that it need not execute, with a comparator's bit set.
 */
#ifndef TESTS_WAVE_HITS_H
#define TESTS_WAVE_HITS_H

#include <linux/types.h>
#include <uapi/linux/gpubp.h>
#include "isa/gfx9/ops.h"
#include "isa/gfx9/trap.h"
#include "machine.h"
#include "providers/sim/wave/interp.h"

#define CODE		0x1ffffff000ull
#define CODE_LIKE_PARK	0x1ffffff9fcull	/* behind it the low half is the handler's */
#define HANDLER		0x6000fffffa00ull	/* ends behind a 4 GiB boundary */
#define TMA		0x6100fffff000ull	/* and so does it, behind its page of filters */
#define RECORDS		0xa80
#define TMA_SIZE	(RECORDS + 64 * GFX9_NR_RECORDS)
#define RING		0x62fffffff000ull	/* its second place is behind such a boundary */
#define NR_PLACES	8
#define NR_VGPRS	256
#define HW_ID		(5 | 2 << 4 | 3 << 8 | 9 << 20)
#define RECORD_INDEX	(3 * 64 + 2 * 16 + 5)
#define IB_STS		0x1a8000
#define IB_STS_SHIFT	15
#define TTMP_IB_STS	26
#define STICKY		0x21			/* TRAPSTS bits that are not enabled */

#define S_NOP		0xbf800000
#define S_ENDPGM	0xbf810000

#define FLAT(_op, _seg)	(0xdc000000u | (_op) << 18 | (_seg) << 14)
#define BIT_LDS		0x2000u
#define BIT_GLC		0x10000u
#define BIT_ACC		0x800000u
#define SADDR_OFF	(0x7fu << 16)
#define LAST_SADDR	100

/* one lane, one range */
#define ADDR		0x7f0000aa0100ull
#define VADDR		8
#define SBASE		20

/**
 * struct image - a trap handler
 * @name: in messages
 * @isa: tables of the processors that it is for
 * @arch: these processors
 * @nr_arch: how many
 * @nr_slots: comparators
 * @second: it is the second level
 * @unattended: it stops no wave: these are its words
 * @gfx942: its conventions of ttmps
 */
struct image {
	const char *name;
	const struct gpubp_isa *isa[2];
	enum gfx9_arch arch[2];
	unsigned int nr_arch, nr_slots;
	bool second, gfx942;
	const struct gfx9_words *unattended;
};

#define NR_IMAGES	6

extern const struct image images[NR_IMAGES];

#define NR_UNATTENDED	2

extern const struct image unattended_images[NR_UNATTENDED];

enum verdict { GONE_ON, STRAY, COUNTED, RECORDED, REPORTED, AT_LIMIT, BROKEN };

extern const char *const verdict_names[];

/* one access, and what it is decided by */
struct hit {
	u32 words[2];
	u64 exec;
	unsigned int slot;
	u32 mode;
	struct gpubp_handler_counter counter;
	struct gpubp_handler_filter filter;
	struct gpubp_handler_ring ring;
};

/* under test */
extern const struct image *image;
extern const struct gpubp_isa *isa;
extern enum gfx9_arch arch;

/* the wave, and as it was when it entered the handler */
extern struct sim_wave *w, before;
extern u8 *tma, tma_before[TMA_SIZE];
extern u8 *places;
extern u64 start;		/* of the access */
extern unsigned int nr_insts;	/* of the handler */

/*
 * Instructions that the handler may need at the first level on silicon, for an access of 4
 * bytes with an address in registers and one watched range.
 */
#define MAX_STRAY	100
#define MAX_COUNTED	130
#define MAX_RECORDED	200
#define MAX_FURTHER	30	/* more for each further range */
#define MAX_SECOND	60	/* more at the second level */
#define MAX_TABLE_16	7	/* more where a table says how the last of 16 bits is cleared */

bool in_each_arch(bool (*test)(void));
bool cost_is_within(unsigned int insts, unsigned int max);

enum reason {
	DECIDED, NO_ACCESS, PRIVATE, LDS_BIT, MODES, OVERWRITTEN, NV_BIT, SCALAR_BASE,
	FAR_BASE, NR_REASONS,
};

extern const char *const reason_names[NR_REASONS];

u64 rnd(void);
bool once_in(unsigned int n);
u32 *ttmp(unsigned int n);
struct gpubp_handler_counter *counter(unsigned int slot);
struct gpubp_handler_filter *filter(unsigned int slot);
struct gpubp_handler_ring *ring(void);
u8 *place_of(u32 number);
u32 slot_bit(unsigned int slot);
void image_load(const struct image *im);
void pick_arch(unsigned int n);
void wave_prepare(const struct hit *h, u32 trapsts);
void hit_prepare(const struct hit *h, u32 trapsts);
bool state_kept(void);
bool memory_kept(unsigned int slot);
enum verdict hit_reported(u32 slots);
bool setup_agrees(const struct gpubp_trap_record *rec);
enum verdict hit_recorded(const struct hit *h);
bool hit_is_notice(const struct message *m);
enum sim_stop hit_run(void);
enum verdict hit_handle(const struct hit *h);
void insn_read_regs(const struct gpubp_insn *insn, u32 *out);
bool ring_is_on(const struct hit *h);
void enter_second(u32 ib_sts);
bool is_touched(const struct hit *h, const struct gpubp_insn *insn);
enum verdict verdict_of(const struct hit *h, bool touched);
struct gpubp_handler_ring plain_ring(void);
bool acc_overlaps(const struct hit *h);
enum reason reason_of(const struct hit *h, bool access,
		      const struct gpubp_insn *insn);
u32 field(u32 word, unsigned int low, unsigned int bits);
bool has_opcode(const struct image *im, unsigned int seg, unsigned int op);
void random_regs(void);
bool random_hit(struct hit *h, struct gpubp_insn *insn);
void hit_print(const struct hit *h, const char *what, enum verdict v,
	       enum verdict want);
void set_lane0(u64 addr);
struct hit plain_hit(u32 word0, u32 word1);
struct hit store_hit(void);

#endif /* TESTS_WAVE_HITS_H */
