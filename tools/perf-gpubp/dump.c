// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp dump: one line a hit, and what the two verbs share.
 */
#include <inttypes.h>
#include <stdio.h>
#include "show.h"

static const char *hit_trap(const struct hit *hit)
{
	switch (hit->rec.kind) {
	case GPUBP_KIND_BREAK:
		return "break";
	case GPUBP_KIND_TRAP:
		return "s_trap";
	default:
		return "access";
	}
}

const char *hit_access(const struct hit *hit)
{
	switch (hit->rec.access) {
	case GPUBP_ACCESS_LOAD:
		return "load";
	case GPUBP_ACCESS_STORE:
		return "store";
	case GPUBP_ACCESS_ATOMIC:
		return "atomic";
	default:
		return hit_trap(hit);
	}
}

static const struct {
	uint16_t exception;
	const char *name;
} exceptions[] = {
	{ GPUBP_EXC_MEM_VIOL, "memory violation" },
	{ GPUBP_EXC_ILLEGAL, "illegal instruction" },
	{ GPUBP_EXC_INT_DIV0, "integer division by zero" },
	{ GPUBP_EXC_FP_INVALID, "fp invalid" },
	{ GPUBP_EXC_FP_DENORMAL, "fp denormal" },
	{ GPUBP_EXC_FP_DIV0, "fp division by zero" },
	{ GPUBP_EXC_FP_OVERFLOW, "fp overflow" },
	{ GPUBP_EXC_FP_UNDERFLOW, "fp underflow" },
	{ GPUBP_EXC_FP_INEXACT, "fp inexact" },
	{ GPUBP_EXC_WAVE_START, "wave start" },
	{ GPUBP_EXC_WAVE_END, "wave end" },
};

const char *hit_exceptions(const struct hit *hit, char *out, size_t len)
{
	size_t i, at = 0;

	out[0] = '\0';
	for (i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if ((hit->rec.exceptions & exceptions[i].exception) && at < len)
			at += snprintf(out + at, len - at, "%s%s",
				       at ? ", " : "", exceptions[i].name);
	return out;
}

const char *hit_state(const struct hit *hit)
{
	switch (hit->rec.addr_state) {
	case GPUBP_ADDR_EXACT:
		return "exact";
	case GPUBP_ADDR_BLOCK:
		return "block";
	default:
		return "unknown";
	}
}

unsigned int hit_lane(const struct hit *hit)
{
	return hit->rec.lanes ? (unsigned int)__builtin_ctzll(hit->rec.lanes) : 0;
}

static int value_text(char *out, size_t len, bool known, uint64_t value,
		      unsigned int bytes)
{
	return known ? snprintf(out, len, "0x%0*" PRIx64, (int)(2 * bytes), value) :
		       snprintf(out, len, "?");
}

const char *hit_value(const struct hit *hit, char *out, size_t len)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	char old[24], new[24];

	value_text(old, sizeof(old), rec->flags & GPUBP_HIT_OLD_VALUE,
		   rec->old_value, rec->value_len);
	value_text(new, sizeof(new), rec->flags & GPUBP_HIT_NEW_VALUE,
		   rec->new_value, rec->value_len);
	snprintf(out, len, "%s -> %s", old, new);
	return out;
}

static void dump_flags(const struct gpubp_hit_record *rec)
{
	if (!(rec->flags & GPUBP_HIT_PC_EXACT))
		printf(" skid");
	if (rec->flags & GPUBP_HIT_POSSIBLE)
		printf(" possible");
	if (rec->nr_merged > 1)
		printf(" merged=%u", rec->nr_merged);
}

static void dump_access(const struct show *show, const struct hit *hit)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	char addr[160];

	printf("%s %u bytes at %s %s", hit_access(hit), rec->width,
	       symmap_text(&show->map, rec->addr, addr, sizeof(addr)),
	       hit_state(hit));
}

/* an exception has no values, and most have no access */
static void dump_exception(const struct show *show, const struct hit *hit)
{
	char text[256];

	printf("%s", hit_exceptions(hit, text, sizeof(text)));
	if (!hit->rec.access)
		return;
	printf(": ");
	dump_access(show, hit);
}

static void dump_what(const struct show *show, const struct hit *hit)
{
	char value[64];

	if (hit->rec.kind == GPUBP_KIND_EXCEPTION)
		return dump_exception(show, hit);
	dump_access(show, hit);
	printf(" %s", hit_value(hit, value, sizeof(value)));
}

static void dump_hit(const struct show *show, const struct hit *hit)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	char pc[160];

	printf("%" PRIu64 ".%09" PRIu64 " %s %u/%u [%03u] %s: ",
	       (uint64_t)rec->gpu_time / 1000000000,
	       (uint64_t)rec->gpu_time % 1000000000,
	       hit->comm[0] ? hit->comm : "?", hit->pid, hit->tid, hit->cpu,
	       symmap_text(&show->map, rec->pc, pc, sizeof(pc)));
	dump_what(show, hit);
	printf(" lanes=%#" PRIx64 " exec=%#" PRIx64, (uint64_t)rec->lanes,
	       (uint64_t)rec->exec);
	if (rec->flags & GPUBP_HIT_COORDS)
		printf(" group=%u,%u,%u wave=%u", rec->wg_x, rec->wg_y,
		       rec->wg_z, rec->wave_in_group);
	printf(" device=%u context=%u queue=%u", rec->device, rec->context,
	       rec->queue);
	if (rec->flags & GPUBP_HIT_DISPATCH)
		printf(" dispatch=%u", rec->dispatch);
	printf(" watch=%" PRIu64, (uint64_t)rec->watch);
	dump_flags(rec);
	putchar('\n');
}

void show_dump(const struct show *show)
{
	size_t i;

	for (i = 0; i < show->hits.nr; i++)
		dump_hit(show, &show->hits.hits[i]);
	if (show->hits.lost)
		printf("lost %" PRIu64 "\n", show->hits.lost);
}
