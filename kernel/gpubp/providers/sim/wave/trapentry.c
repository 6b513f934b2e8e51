// SPDX-License-Identifier: GPL-2.0
/*
 * Exceptions, trap handler entry and exit. The rules are in the comment of
 * sim_wave_run().
 */
#include <linux/kernel.h>
#include "interp.h"

#define TTMP0			SIM_TTMP_FIRST
#define TTMP1_TRAP_ID_SHIFT	16
#define WORD_ENDPGM		0xbf810000

/* taken whatever MODE.EXCP_EN says */
#define ALWAYS		(TRAPSTS_MEM_VIOL | TRAPSTS_ILLEGAL_INST)

static bool wave_has_handler(const struct sim_wave *w)
{
	return w->tba && (w->status & STATUS_TRAP_EN);
}

/* MODE.EXCP_EN has the bit layout of TRAPSTS */
static u32 enabled_traps(const struct sim_wave *w)
{
	u32 excp_en = w->mode >> MODE_EXCP_EN_SHIFT;
	u32 arithmetic = excp_en & (TRAPSTS_FP | TRAPSTS_INT_DIV0);

	if (w->mode & MODE_DX10_CLAMP)
		arithmetic &= ~TRAPSTS_FP;
	return ALWAYS | arithmetic |
	       (w->mode & MODE_EXCP_EN_WATCH ? TRAPSTS_WATCH : 0);
}

/**
 * sim_raise() - record exception events
 * @w: wave
 * @trapsts: their TRAPSTS bits
 */
void sim_raise(struct sim_wave *w, u32 trapsts)
{
	w->trapsts |= trapsts;
	w->pending |= trapsts & enabled_traps(w);
}

/**
 * sim_mem_viol() - record a failed memory access
 * @w: wave
 * @addr: address
 * @translation: the address is not mapped; else it is misaligned or outside an
 *	aperture
 */
void sim_mem_viol(struct sim_wave *w, u64 addr, bool translation)
{
	if (!(w->pending & TRAPSTS_MEM_VIOL))
		w->fatal_addr = addr;
	sim_raise(w,
		  TRAPSTS_MEM_VIOL | (translation ? TRAPSTS_XNACK_ERROR : 0));
}

/**
 * sim_skid_seed() - seed of the skid sequence of a new wave
 * @dispatch: number of the dispatch
 * @wg: workgroup
 * @wave: number of the wave in it
 *
 * Deterministic: the same wave of the same program has the same skids. Never 0.
 */
u32 sim_skid_seed(u64 dispatch, const u32 wg[3], u32 wave)
{
	u32 seed = dispatch;

	seed = seed * 0x01000193 ^ wg[0];
	seed = seed * 0x01000193 ^ wg[1];
	seed = seed * 0x01000193 ^ wg[2];
	seed = seed * 0x01000193 ^ wave;
	return (seed * 0x9e3779b1) | 1;
}

/* xorshift: any sequence with a long period is suitable */
static u32 next_skid(struct sim_wave *w)
{
	u32 x = w->skid_state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	w->skid_state = x;
	return x % (w->max_skid + 1);
}

/* the bits of the comparators are not consecutive */
static u32 trapsts_of(u32 slots)
{
	return (slots & 1 ? TRAPSTS_WATCH0 : 0) |
	       ((slots << 11) & TRAPSTS_WATCH123) |
	       ((slots << 12) & TRAPSTS_WATCH4_15);
}

/**
 * sim_watch_hit() - record matches of comparators
 * @w: wave
 * @slots: bitmap of comparators
 */
void sim_watch_hit(struct sim_wave *w, u32 slots)
{
	if (!slots)
		return;
	/* hits while another one is pending share its handler entry */
	if (!w->single_memop && !(w->pending & TRAPSTS_WATCH))
		w->skid = next_skid(w);
	sim_raise(w, trapsts_of(slots));
}

static void enter_handler(struct sim_wave *w, unsigned int id)
{
	w->s[TTMP0] = (u32)w->pc;
	w->s[TTMP0 + 1] = ((u32)(w->pc >> 32) & 0xffff) |
			  id << TTMP1_TRAP_ID_SHIFT;
	w->status |= STATUS_PRIV;
	sim_set_pc(w, w->tba);
	w->skid = 0;
}

static int fatal_trap(struct sim_wave *w, u32 trapsts, unsigned int id)
{
	w->fatal_trapsts = trapsts;
	w->fatal_trap_id = id;
	return SIM_STOP_FATAL;
}

/* only watch hits skid; any other pending exception traps at once, with them */
static bool still_skids(struct sim_wave *w)
{
	if ((w->pending & ~TRAPSTS_WATCH) || !w->skid)
		return false;
	w->skid--;
	return true;
}

/*
 * sim_take_pending() - enter the handler if an exception is pending and it can
 * be taken
 *
 * Return: 0 or SIM_STOP_FATAL.
 */
int sim_take_pending(struct sim_wave *w)
{
	bool in_handler = w->status & STATUS_PRIV;

	if ((w->pending & ALWAYS) && (in_handler || !wave_has_handler(w)))
		return fatal_trap(w, w->pending & ALWAYS, 0);
	if (in_handler)
		return 0;
	if (!wave_has_handler(w)) {
		w->pending = 0;
		return 0;
	}
	if (still_skids(w))
		return 0;
	w->fatal_trapsts = w->pending & ALWAYS;
	w->fatal_trap_id = 0;
	w->pending = 0;
	enter_handler(w, 0);
	return 0;
}

bool sim_wave_halts_at_end(struct sim_wave *w)
{
	u32 word = 0;
	unsigned int nr;

	return sim_is_halted(w) && w->arch != GFX9_GFX942 &&
	       !sim_env_fetch(w, w->pc, &word, 1, &nr) && word == WORD_ENDPGM;
}

/* sim_save_due() - can the state of the wave be saved, which is requested? */
bool sim_save_due(struct sim_wave *w)
{
	return wave_has_handler(w) && !(w->status & STATUS_PRIV) && !sim_wave_halts_at_end(w);
}

/*
 * sim_take_save() - enter the handler for it, and for what is pending
 *
 * A wave leaves its barrier and arrives there once more when it is restored.
 */
void sim_take_save(struct sim_wave *w)
{
	if (w->in_barrier)
		sim_set_pc(w, w->pc - 4);
	w->in_barrier = false;
	w->fatal_trapsts = w->pending & ALWAYS;
	w->fatal_trap_id = 0;
	w->pending = 0;
	enter_handler(w, 0);
}

/* sim_trap_due() - would the handler be entered now without skid? */
bool sim_trap_due(const struct sim_wave *w)
{
	return w->pending && wave_has_handler(w) && !(w->status & STATUS_PRIV);
}

/**
 * sim_trap() - s_trap
 * @w: wave
 * @id: trap id
 *
 * Return: 0 or SIM_STOP_FATAL.
 */
int sim_trap(struct sim_wave *w, unsigned int id)
{
	sim_set_pc(w, w->pc - 4);
	w->fatal_trap_id = id;
	w->fatal_pc = w->pc;
	if ((w->status & STATUS_PRIV) || !wave_has_handler(w))
		return fatal_trap(w, 0, id);
	w->fatal_trapsts = 0;
	enter_handler(w, id);
	return 0;
}

/**
 * sim_rfe() - s_rfe_b64
 * @w: wave
 * @pc: operand; the upper 16 bits are not part of the address
 *
 * Return: 0 or -EILSEQ.
 */
int sim_rfe(struct sim_wave *w, u64 pc)
{
	if (!(w->status & STATUS_PRIV))
		return -EILSEQ;
	w->status &= ~STATUS_PRIV;
	sim_set_pc(w, pc & SIM_PC_MASK);
	return 0;
}
