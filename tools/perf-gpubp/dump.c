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
	case GPUBP_KIND_EXCEPTION:
		return "exception";
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

static void dump_hit(const struct show *show, const struct hit *hit)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	char pc[160], addr[160], value[64];

	printf("%" PRIu64 ".%09" PRIu64 " %s %u/%u [%03u] %s: %s %u bytes at %s %s %s",
	       (uint64_t)rec->gpu_time / 1000000000,
	       (uint64_t)rec->gpu_time % 1000000000,
	       hit->comm[0] ? hit->comm : "?", hit->pid, hit->tid, hit->cpu,
	       symmap_text(&show->map, rec->pc, pc, sizeof(pc)),
	       hit_access(hit), rec->width,
	       symmap_text(&show->map, rec->addr, addr, sizeof(addr)),
	       hit_state(hit), hit_value(hit, value, sizeof(value)));
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
