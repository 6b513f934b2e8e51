/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instruction map: where instructions begin in published code objects.
 *
 * Instructions have different lengths and no marks, so code is decoded from the
 * start of its object. An object is divided into spans, of a limited number
 * whatever its size. For each span that was decoded, the map stores where the
 * next one begins. An address far inside an object is thus reached in many
 * small steps, which later callers reuse, and a second query decodes one span
 * only. A hash shows whether this span has changed since; if so, the map of the
 * object is discarded.
 */
#ifndef _GPUBP_TRAP_INSN_MAP_H
#define _GPUBP_TRAP_INSN_MAP_H

#include <linux/sizes.h>
#include <linux/types.h>

struct gpubp_ctx;
struct gpubp_insn;
struct gpubp_name;

/* bytes of an object that have a map, from its start */
#define GPUBP_CODE_MAX		SZ_64M

/* bytes decoded in one run of a committer */
#define GPUBP_CODE_BUDGET	SZ_256K

/**
 * struct gpubp_span - a decoded span of a code object
 * @hash: hash of all instructions that begin in it
 * @over: bytes by which the last of them reaches into the next span
 */
struct gpubp_span {
	u32 hash;
	u32 over;
};

/**
 * struct gpubp_spans - map of a code object; under the device lock
 * @id: identifies the object among all that its context ever had; constant
 * @size: bytes of a span; constant
 * @max: entries of @span; constant
 * @nr: spans that are decoded, from the first one on
 * @span: the spans, in order of their addresses
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
