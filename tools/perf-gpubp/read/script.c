// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp script: one line a hit.
 */
#include <inttypes.h>
#include <stdio.h>
#include "script.h"

static void script_access(struct show *show, const struct hit *hit)
{
	char addr[256], freed[SHOW_FREED_MAX];

	printf("%s", hit_access(hit));
	if (hit->rec.width)
		printf(" %u bytes", hit->rec.width);
	printf(" at %s %s",
	       show_addr(show, hit, hit_addr(hit), addr, sizeof(addr)),
	       hit_state(hit));
	if (show_freed(show, hit, freed, sizeof(freed))[0])
		printf(" (%s)", freed);
}

/* an exception has no values, and most have no access */
static void script_exception(struct show *show, const struct hit *hit)
{
	char text[256];

	printf("%s", hit_exceptions(hit, text, sizeof(text)));
	if (!hit->rec.access)
		return;
	printf(": ");
	script_access(show, hit);
}

static void script_what(struct show *show, const struct hit *hit)
{
	char value[160];

	if (hit->rec.kind == GPUBP_KIND_EXCEPTION) {
		script_exception(show, hit);
		return;
	}
	if (hit_is_stop(hit)) {
		printf("%s", hit_access(hit));
		return;
	}
	script_access(show, hit);
	printf(" %s", hit_value(hit, value, sizeof(value)));
}

static void script_flags(const struct gpubp_hit_record *rec)
{
	if (!(rec->flags & GPUBP_HIT_PC_EXACT))
		printf(" skid");
	if (rec->flags & GPUBP_HIT_POSSIBLE)
		printf(" possible");
	if (rec->nr_merged > 1)
		printf(" merged=%u", rec->nr_merged);
}

void script_hit(struct show *show, const struct hit *hit)
{
	const struct gpubp_hit_record *rec = &hit->rec;
	char pc[256];

	printf("%" PRIu64 ".%09" PRIu64 " %s %u/%u [%03u] %s: ",
	       (uint64_t)rec->gpu_time / 1000000000,
	       (uint64_t)rec->gpu_time % 1000000000,
	       hit->comm[0] ? hit->comm : "?", hit->pid, hit->tid, hit->cpu,
	       show_pc(show, hit, pc, sizeof(pc)));
	script_what(show, hit);
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
	script_flags(rec);
	putchar('\n');
}
