/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code: where instructions begin in code objects that were published.
 *
 * Nothing marks that, so all is decoded from where an object begins. It is
 * divided into spans, a limited number of them however large it is, and of each
 * that was decoded it is remembered where the next one begins. So what is far
 * inside is found in many small steps, each of which the next caller may rely
 * on, and a second time one span is decoded only. Of that one it is noticed
 * whether it still is what it was; if not, nothing that was remembered counts.
 */
#ifndef _GPUBP_TRAP_INSN_MAP_H
#define _GPUBP_TRAP_INSN_MAP_H

#include <linux/sizes.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_insn;
struct gpubp_name;

#define GPUBP_CODE_MAX		SZ_64M	/* what is farther inside is not served */
#define GPUBP_CODE_BUDGET	SZ_256K	/* bytes to decode in one run of a device */

/**
 * struct gpubp_span - some bytes of a code object, as they were decoded
 * @hash: of all instructions that begin in it
 * @over: bytes by which the last of them reaches into the next span
 */
struct gpubp_span {
	u32 hash;
	u32 over;
};

/**
 * struct gpubp_spans - what is known of a code object; under the device lock
 * @id: which object, of all that its context ever had; constant
 * @size: of a span, bytes; constant
 * @max: entries of @span; constant
 * @nr: of the first ones that were decoded
 * @span: in order
 */
struct gpubp_spans {
	u64 id;
	u32 size;
	unsigned int max;
	unsigned int nr;
	struct gpubp_span span[] __counted_by(max);
};

struct gpubp_spans *gpubp_spans_alloc(u64 size);
bool gpubp_code_contains(struct gpubp_ctx *ctx, u64 pc, u32 len);
bool gpubp_code_scan(struct gpubp_ctx *ctx, u64 *at, s64 *budget,
		     void (*fn)(struct gpubp_ctx *ctx, u64 pc,
				const struct gpubp_insn *insn));
int gpubp_code_check_pc(struct gpubp_ctx *ctx, u64 pc, u32 len, s64 *budget);

#endif /* _GPUBP_TRAP_INSN_MAP_H */
