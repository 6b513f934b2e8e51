// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp report: a line or a paragraph for each culprit. Details are those of
 * its first hit.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "access.h"
#include "plural.h"
#include "report.h"

#define COLOR_CODE	"\033[1m"
#define COLOR_END	"\033[m"

static void print_code(struct show *show, const struct hit *hit)
{
	char text[256];

	printf("%s%s%s%s", show->color ? COLOR_CODE : "",
	       hit->rec.flags & GPUBP_HIT_PC_EXACT ? "" : "before ",
	       show_pc(show, hit, text, sizeof(text)),
	       show->color ? COLOR_END : "");
}

static void line_item(struct show *show, const struct hit *hit)
{
	uint32_t item[3];

	if (show_item(show, hit, item)) {
		printf(" work-item (%u,%u,%u)", item[0], item[1], item[2]);
		return;
	}
	if (hit->rec.flags & GPUBP_HIT_COORDS)
		printf(" group (%u,%u,%u) wave %u", hit->rec.wg_x, hit->rec.wg_y,
		       hit->rec.wg_z, hit->rec.wave_in_group);
	if (hit->rec.addr_state == GPUBP_ADDR_EXACT)
		printf(" lane %u", hit_lane(hit));
}

static void line_access(struct show *show, const struct hit *hit)
{
	char text[256], freed[SHOW_FREED_MAX];

	printf(" %s %s", access_past(hit->rec.access),
	       hit->rec.addr_state == GPUBP_ADDR_EXACT ? "" : "the block of ");
	printf("%s", show_element(show, hit, text, sizeof(text)));
	if (show_freed(show, hit, freed, sizeof(freed))[0])
		printf(" (%s)", freed);
}

static void line_value(const struct hit *hit)
{
	struct hit first;
	char text[160];

	hit_first_element(hit, &first);
	printf(" %s", hit_value(&first, text, sizeof(text)));
}

static void line_what(struct show *show, const struct hit *hit)
{
	char text[256];

	switch (hit->rec.kind) {
	case GPUBP_KIND_EXCEPTION:
		printf(": %s", hit_exceptions(hit, text, sizeof(text)));
		if (hit->rec.access && hit_has_address(hit))
			line_access(show, hit);
		break;
	case GPUBP_KIND_BREAK:
		printf(" reached");
		break;
	case GPUBP_KIND_TRAP:
		printf(" s_trap %u", hit->rec.trap_id);
		break;
	default:
		line_access(show, hit);
		line_value(hit);
		break;
	}
}

static void report_hits(const struct culprit *c)
{
	printf("%" PRIu64 " hit%s", c->nr, plural(c->nr));
	if (c->places > 1)
		printf(" at %" PRIu64 " places", c->places);
	if (c->possible)
		printf(", %" PRIu64 " of them possible only", c->possible);
	putchar('\n');
}

void report_line(struct show *show, const struct culprit *c, bool process)
{
	const struct hit *hit = &c->first;
	struct line line;

	if (process)
		printf("%s[%u] ", hit->comm[0] ? hit->comm : "?", hit->pid);
	print_code(show, hit);
	if (show_source(show, hit, &line))
		printf(" %s:%d", basename(line.file), line.line);
	line_item(show, hit);
	line_what(show, hit);
	printf(", ");
	report_hits(c);
}

/* below the working directory, as the user would type it */
static const char *short_path(const char *path)
{
	static char dir[PATH_MAX];
	size_t len;

	if (!dir[0] && !getcwd(dir, sizeof(dir)))
		return path;
	len = strlen(dir);
	return !strncmp(path, dir, len) && path[len] == '/' ? path + len + 1 :
	       path;
}

static void report_source(struct show *show, const struct place *place)
{
	char text[512];
	struct line line;

	if (!lines_find(place->object->lines, place->pc, &line))
		return;
	printf("  source     %s:%d\n", short_path(line.file), line.line);
	if (*lines_text(&line, text, sizeof(text)))
		printf("             %s\n", lines_text(&line, text, sizeof(text)));
}

static void report_code(struct show *show, const struct hit *hit)
{
	struct place place;
	const char *insn;

	if (!show_place(show, hit, &place))
		return;
	report_source(show, &place);
	insn = object_insn(place.object, place.pc);
	printf("  code       %#" PRIx64 "%s%s\n", place.pc, insn ? ": " : "",
	       insn ? insn : "");
}

static void report_work_item(struct show *show, const struct culprit *c)
{
	const struct hit *hit = &c->first;
	bool exact = hit->rec.addr_state == GPUBP_ADDR_EXACT;
	uint32_t item[3];

	printf("  work-item  ");
	if (hit->rec.flags & GPUBP_HIT_COORDS)
		printf("workgroup (%u,%u,%u) wave %u, ", hit->rec.wg_x,
		       hit->rec.wg_y, hit->rec.wg_z, hit->rec.wave_in_group);
	if (hit_is_stop(hit))
		printf("lanes %#" PRIx64, (uint64_t)hit->rec.lanes);
	else if (exact)
		printf("lane %u", hit_lane(hit));
	else
		printf("one of lanes %#" PRIx64, (uint64_t)hit->rec.lanes);
	if (show_item(show, hit, item))
		printf(", global id (%u,%u,%u)", item[0], item[1], item[2]);
	if (c->lanes > 1)
		printf("; %s%" PRIu64 " lanes in all",
		       c->possible ? "at most " : "", c->lanes);
	putchar('\n');
}

/* of the buffer that has the address, or had it */
static void report_lifetime(struct show *show, const struct hit *hit)
{
	char text[SHOW_FREED_MAX];

	if (show_freed(show, hit, text, sizeof(text))[0])
		printf("  buffer     %s\n", text);
	else if (show_allocated(show, hit, text, sizeof(text))[0])
		printf("  buffer     allocated at %s\n", text);
}

static void report_address(struct show *show, const struct culprit *c)
{
	const struct hit *hit = &c->first;
	char text[256], beside[256], high[256];

	printf("  address    %s (%#" PRIx64 ")",
	       show_addr(show, hit, hit_addr(hit), text, sizeof(text)),
	       hit_addr(hit));
	if (hit->rec.addr_state != GPUBP_ADDR_EXACT)
		printf(", %s", hit_state(hit));
	show_beside(show, hit, beside, sizeof(beside));
	if (beside[0])
		printf(", %s", beside);
	if (c->low != c->high)
		printf("; first lanes of all hits %s to %s",
		       show_addr(show, hit, c->low, text, sizeof(text)),
		       show_addr(show, hit, c->high, high, sizeof(high)));
	putchar('\n');
	report_lifetime(show, hit);
}

static void report_access(const struct hit *hit)
{
	if (hit->rec.width)
		printf("  access     %s of %u bytes a lane\n", hit_access(hit),
		       hit->rec.width);
	else
		printf("  access     unknown\n");
}

static void report_values(const struct culprit *c)
{
	char text[160];

	printf("  value      %s", hit_value(&c->first, text, sizeof(text)));
	if (c->nr > 1)
		printf("; at the last hit %s", hit_value(&c->last, text, sizeof(text)));
	putchar('\n');
}

/* only a memory violation has an access and an address, as far as known */
static void report_exception(struct show *show, const struct culprit *c)
{
	const struct hit *hit = &c->first;
	char text[256];

	printf("  exception  %s\n", hit_exceptions(hit, text, sizeof(text)));
	if (hit->rec.access)
		report_access(hit);
	report_work_item(show, c);
	if (!(hit->rec.exceptions & GPUBP_EXC_MEM_VIOL))
		return;
	if (hit_has_address(hit))
		report_address(show, c);
	else
		puts("  address    unknown");
}

static void report_what(struct show *show, const struct culprit *c)
{
	if (c->first.rec.kind == GPUBP_KIND_EXCEPTION)
		return report_exception(show, c);
	if (hit_is_stop(&c->first))
		return report_work_item(show, c);
	report_access(&c->first);
	report_work_item(show, c);
	report_address(show, c);
	report_values(c);
}

static void report_dispatch(struct show *show, const struct culprit *c)
{
	const struct hit *hit = &c->first;
	char text[512];

	printf("  dispatch   %u", hit->rec.dispatch);
	if (c->nr > 1)
		printf(" to %u", c->last.rec.dispatch);
	printf(" of queue %u\n", hit->rec.queue);
	if (show_launched(show, hit, text, sizeof(text))[0])
		printf("             launched at %s\n", text);
}

void report_paragraph(struct show *show, const struct culprit *c)
{
	const struct hit *hit = &c->first;

	printf("%s[%u] ", hit->comm[0] ? hit->comm : "?", hit->pid);
	print_code(show, hit);
	printf(": ");
	report_hits(c);
	report_code(show, hit);
	report_what(show, c);
	if (hit->rec.flags & GPUBP_HIT_DISPATCH)
		report_dispatch(show, c);
}
