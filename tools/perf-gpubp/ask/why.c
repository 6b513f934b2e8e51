// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>
#include "open_events.h"
#include "plural.h"
#include "why.h"

/* a share below this is shown as less than 100 % */
#define ALL	0.9995
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
/* stopped time, as a part of the time armed, that changes results */
#define SLOW	0.02

struct lines {
	FILE *out;
	unsigned int nr;
};

__attribute__((format(printf, 2, 3)))
static void line_add(struct lines *lines, const char *fmt, ...)
{
	va_list args;

	fputs("  * ", lines->out);
	va_start(args, fmt);
	vfprintf(lines->out, fmt, args);
	va_end(args);
	fputc('\n', lines->out);
	lines->nr++;
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* part of the resident time that it was armed */
static double why_share(const struct why *why)
{
	return event_armed_share(&why->stats);
}

static void why_not_bound(const struct why *why, struct lines *lines)
{
	if (why->nr_bound || why->stats.resident_ns)
		return;
	if (why->named && !why->stats.elsewhere)
		line_add(lines, "not bound: the target has no GPU context with that name (perf-gpubp list names shows those that there are), or comparators cannot cover the bytes: give a range");
	else if (why->stats.elsewhere)
		line_add(lines, "not bound: another thread of the process has the GPU context; an event with process=1 (:process) on the thread group leader counts all of its threads");
	else
		line_add(lines, "not bound: the target has no GPU context");
}

static void why_not_resident(const struct why *why, struct lines *lines)
{
	if (why->nr_bound && !why->stats.resident_ns)
		line_add(lines, "its contexts were never resident: they ran nothing on the GPU while the event was enabled");
}

static void why_not_armed(const struct why *why, struct lines *lines)
{
	const struct gpubp_event_stats *s = &why->stats;

	if (why->is_paused)
		line_add(lines, "not armed now: its process gives way to a debugger of the GPU (perf-gpubp agent state), and is watched again when that is gone");
	if (why->nr_pending)
		line_add(lines, "pending in %u context%s: waves that were launched before the event run without traps until they end",
			 why->nr_pending, plural(why->nr_pending));
	if (!s->resident_ns || why_share(why) >= ALL)
		return;
	line_add(lines, "armed %.2f%% of the time that its contexts were resident (%" PRIu64 " of %" PRIu64 " quanta, longest gap %.1f ms): perf's count is an estimate",
		 100 * why_share(why), (uint64_t)s->armed_quanta,
		 (uint64_t)s->wanted_quanta, (double)s->longest_gap_ns / 1e6);
	if (s->armed_quanta < s->wanted_quanta)
		line_add(lines, "it takes turns with other watches on the comparators; gpubp/.../D reserves one");
}

static void why_group(const struct why *why, struct lines *lines)
{
	if (why->group)
		line_add(lines, "the %u events of its group are not armed together: they need more comparators than there are, or one is in another group, too. perf scales its count by the times of the group's leader (%.2f%%), not by its own (%.2f%%): open it outside of a group",
			 why->group, 100 * why->leader_share, 100 * why_share(why));
}

bool why_is_unmapped(const struct why *why)
{
	const struct gpubp_event_stats *s = &why->stats;

	return !s->matched && !s->unchanged && s->places &&
	       s->unmapped >= s->places;
}

static void why_unmapped(const struct why *why, struct lines *lines)
{
	const struct gpubp_event_stats *s = &why->stats;

	if (why_is_unmapped(why))
		line_add(lines, "while it was armed, nothing was mapped at its address in any GPU context of the target: perf-gpubp list names shows where buffers are");
	else if (!s->matched && s->unmapped)
		line_add(lines, "while it was armed, nothing was mapped at its address in %" PRIu64 " of %" PRIu64 " GPU context%s",
			 (uint64_t)s->unmapped, (uint64_t)s->places, plural(s->places));
}

void why_set_kind(struct why *why, unsigned int kind, uint32_t code)
{
	why->is_watch = kind == GPUBP_KIND_WATCH || kind == GPUBP_KIND_WATCH_SET;
	why->is_exception = kind == GPUBP_KIND_EXCEPTION;
	why->is_fp = why->is_exception && (!code || (code & GPUBP_EXC_FP));
}

static void why_clamped(const struct why *why, struct lines *lines)
{
	if (!why->is_fp)
		return;
	if (!why->clamped)
		line_add(lines, "possible: DX10_CLAMP, which clang sets in kernels by default, masks all exceptions of floating point; gpubp-run --list CODE.elf says which kernels have it");
	else if (why->clamped[0])
		line_add(lines, "kernels with DX10_CLAMP, which masks all exceptions of floating point and is clang's default: %s",
			 why->clamped);
}

/* what it watches, and had none of */
static const char *why_nothing(const struct why *why)
{
	static const char *const words[] = {
		"no store or atomic access", "no load", "no store",
		"no load or store", "no atomic access",
		"no load or atomic access", "no store or atomic access",
		"no access",
	};

	return words[why->access & (ARRAY_SIZE(words) - 1)];
}

/* there may be changes without a hit that it should have had */
static bool why_may_have_missed(const struct why *why)
{
	return why->nr_pending || why->stats.lost || why->stats.stall_throttled ||
	       why_share(why) < ALL;
}

static void why_no_access(const struct why *why, struct lines *lines)
{
	const unsigned int all = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC;
	bool others = why->access && (why->access & all) != all;

	/* of hits that are not exact it has no figure */
	line_add(lines, "while it was armed, %s touched the bytes%s by a path that the GPU's comparators see (%s)",
		 why_nothing(why), why->is_exact ? " at an exact address" : "",
		 why->paths[0] ? why->paths : "unknown");
	if (why->is_exact)
		line_add(lines, "an access that overwrites its address has no exact one but at a precise point, of which a context has as many as the parameter escalations says, 64 at most, for the code of its runtime, too; without /pp (:exact) its hit counts as possible");
	line_add(lines, "if the bytes changed, another one wrote: %s%sthe CPU (perf-gpubp run --cpu, perf record -e mem:ADDR/LEN:w), a copy engine, or a GPU context of another process (-a)",
		 others ? "an access of another kind (:wa is stores and atomics), " : "",
		 why_may_have_missed(why) ? "an access while it was not armed, or whose hit was dropped, " : "");
}

static void why_no_stop(const struct why *why, struct lines *lines)
{
	line_add(lines, why->is_exception ?
		 "it was armed, and no wave stopped for it" :
		 "it was armed, and no wave came there");
	why_clamped(why, lines);
}

static void why_no_hits(const struct why *why, struct lines *lines)
{
	if (why->stats.matched || !why->stats.armed_ns || why_is_unmapped(why))
		return;
	if (!why->is_watch)
		why_no_stop(why, lines);
	else if (why->is_part)
		line_add(lines, "it was armed, and no hit was one of those that it counts (possible, lost)");
	else if (!why->stats.unchanged && !why->stats.filtered)
		why_no_access(why, lines);
}

static void why_unchanged(const struct why *why, struct lines *lines)
{
	if (why->stats.unchanged)
		line_add(lines, "%" PRIu64 " access%s did not change the bytes (changed)",
			 (uint64_t)why->stats.unchanged,
			 why->stats.unchanged == 1 ? "" : "es");
}

static void why_filtered(const struct why *why, struct lines *lines)
{
	if (why->stats.filtered)
		line_add(lines, "%" PRIu64 " access%s did not meet the condition",
			 (uint64_t)why->stats.filtered,
			 why->stats.filtered == 1 ? "" : "es");
}

static void why_possible(const struct why *why, struct lines *lines)
{
	if (why->stats.possible)
		line_add(lines, "%" PRIu64 " of %" PRIu64 " hit%s may be of other bytes, or may not meet the condition: the access overwrote registers, or the wave ran on before it stopped",
			 (uint64_t)why->stats.possible,
			 (uint64_t)why->stats.matched, plural(why->stats.matched));
}

static void why_missing(const struct why *why, struct lines *lines)
{
	const struct gpubp_event_stats *s = &why->stats;

	if (s->throttled)
		line_add(lines, "%" PRIu64 " hit%s no sample, by the rate limit kernel.perf_event_max_sample_rate",
			 (uint64_t)s->throttled, s->throttled == 1 ? " has" : "s have");
	if (s->stall_throttled)
		line_add(lines, "disarmed for a while, %" PRIu64 " time%s, as its hits stopped too many waves (max_stall_percent): the count is a lower bound",
			 (uint64_t)s->stall_throttled, plural(s->stall_throttled));
	if (s->lost)
		line_add(lines, "%" PRIu64 " hit%s dropped that may have been its own",
			 (uint64_t)s->lost, s->lost == 1 ? " was" : "s were");
}

static void why_slow(const struct why *why, struct lines *lines)
{
	const struct gpubp_event_stats *s = &why->stats;

	if (s->strays > s->matched)
		line_add(lines, "%" PRIu64 " hit%s of its comparators %s at bytes beside it: each stops a wave",
			 (uint64_t)s->strays, plural(s->strays),
			 s->strays == 1 ? "was" : "were");
	if (ratio(s->stopped_armed_ns, s->armed_ns) > SLOW)
		line_add(lines, "waves stood still for hits for %.1f%% of the time armed, all added up: the program was slower while it was watched",
			 100 * ratio(s->stopped_armed_ns, s->armed_ns));
}

unsigned int why_print(const struct why *why, FILE *out)
{
	struct lines lines = { .out = out };

	why_not_bound(why, &lines);
	why_not_resident(why, &lines);
	why_not_armed(why, &lines);
	why_group(why, &lines);
	why_unmapped(why, &lines);
	why_no_hits(why, &lines);
	why_unchanged(why, &lines);
	why_filtered(why, &lines);
	why_possible(why, &lines);
	why_missing(why, &lines);
	why_slow(why, &lines);
	return lines.nr;
}
