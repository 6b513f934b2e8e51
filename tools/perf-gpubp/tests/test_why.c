// SPDX-License-Identifier: GPL-2.0
/* Figures of events in sentences: each of them, and no other. */
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "why.h"

#define ARMED	.resident_ns = 1, .armed_ns = 1
#define BUSY	.resident_ns = 1000, .armed_ns = 1000, .matched = 7

static const struct row {
	const char *what;
	struct why why;
	const char *texts[6];	/* a part of each line */
} rows[] = {
	{ "all is well", { .stats = { BUSY }, .nr_bound = 1 }, {} },
	{ "no context", {}, { "no GPU context" } },
	{ "of another thread", { .stats = { .elsewhere = 1 } },
	  { "another thread of the process has the GPU context; an event with process=1" } },
	{ "no name", { .named = true }, { "no GPU context with that name" } },
	{ "bound once", { .stats = { BUSY } }, {} },
	{ "not resident", { .nr_bound = 1 }, { "never resident" } },
	{ "pending", { .stats = { .resident_ns = 10 }, .nr_bound = 2,
	  .nr_pending = 2 }, { "pending in 2 contexts", "armed 0.00%" } },
	{ "giving way", { .stats = { .resident_ns = 4, .armed_ns = 3, .matched = 1 },
	  .nr_bound = 1, .is_paused = true },
	  { "its process gives way to a debugger", "armed 75.00%" } },
	{ "taking turns", { .stats = { .resident_ns = 1000, .armed_ns = 250,
	  .matched = 1, .wanted_quanta = 8, .armed_quanta = 2,
	  .longest_gap_ns = 1500000 }, .nr_bound = 1 },
	  { "armed 25.00% of the time that its contexts were resident (2 of 8 quanta, longest gap 1.5 ms)",
	    "takes turns" } },
	{ "of a group that is too large", { .stats = { .resident_ns = 1000,
	  .armed_ns = 612, .matched = 1 }, .nr_bound = 1, .group = 6,
	  .leader_share = 0.775 },
	  { "armed 61.20%", "the 6 events of its group are not armed together: they need more comparators than there are, or one is in another group, too. perf scales its count by the times of the group's leader (77.50%), not by its own (61.20%)" } },
	{ "no hit", { .stats = { .resident_ns = 1, .armed_ns = 1 },
	  .nr_bound = 1, .is_watch = true, .paths = "vector" },
	  { "see (vector)", "mem:ADDR/LEN:w" } },
	{ "no hit, of what device", { .stats = { .resident_ns = 1,
	  .armed_ns = 1 }, .nr_bound = 1, .is_watch = true, .paths = "" },
	  { "see (unknown)", "mem:ADDR/LEN:w" } },
	{ "nothing is mapped there", { .stats = { .resident_ns = 1,
	  .armed_ns = 1, .places = 2, .unmapped = 2 }, .nr_bound = 1,
	  .is_watch = true, .paths = "vector" },
	  { "while it was armed, nothing was mapped at its address in any GPU context" } },
	{ "mapped in one of two contexts", { .stats = { .resident_ns = 1,
	  .armed_ns = 1, .places = 2, .unmapped = 1 }, .nr_bound = 1,
	  .is_watch = true, .paths = "vector" },
	  { "in 1 of 2 GPU contexts", "no store or atomic access touched", "mem:ADDR" } },
	{ "no load, and others do not count", { .stats = { ARMED }, .nr_bound = 1,
	  .is_watch = true, .paths = "vector", .access = GPUBP_ACCESS_LOAD },
	  { "while it was armed, no load touched",
	    "wrote: an access of another kind (:wa is stores and atomics), the CPU" } },
	{ "no store, and atomics do not count", { .stats = { ARMED }, .nr_bound = 1,
	  .is_watch = true, .paths = "vector", .access = GPUBP_ACCESS_STORE },
	  { "no store touched", "an access of another kind" } },
	{ "nothing at all", { .stats = { ARMED }, .nr_bound = 1, .is_watch = true,
	  .paths = "vector", .access = 7 },
	  { "no access touched", "another one wrote: the CPU" } },
	{ "no hit of a watch that takes turns", { .stats = { .resident_ns = 1000,
	  .armed_ns = 250 }, .nr_bound = 1, .is_watch = true, .paths = "vector" },
	  { "armed 25.00%", "while it was armed, no store",
	    "wrote: an access while it was not armed, or whose hit was dropped, the CPU" } },
	{ "no possible hit", { .stats = { ARMED }, .nr_bound = 1, .is_watch = true,
	  .is_part = true, .paths = "vector" },
	  { "no hit was one of those that it counts" } },
	{ "no exact hit", { .stats = { ARMED }, .nr_bound = 1, .is_watch = true,
	  .is_exact = true, .paths = "vector" },
	  { "access touched the bytes at an exact address by a path", "parameter escalations says",
	    "another one wrote: the CPU" } },
	{ "unmapped later", { .stats = { BUSY, .places = 1, .unmapped = 1 },
	  .nr_bound = 1, .is_watch = true }, {} },
	{ "no change", { .stats = { .resident_ns = 1, .armed_ns = 1,
	  .unchanged = 64 }, .nr_bound = 1, .is_watch = true },
	  { "64 accesses did not change the bytes" } },
	{ "some changes", { .stats = { BUSY, .unchanged = 3 }, .nr_bound = 1,
	  .is_watch = true }, { "3 accesses did not change the bytes" } },
	{ "a condition", { .stats = { .resident_ns = 1, .armed_ns = 1,
	  .filtered = 9 }, .nr_bound = 1, .is_watch = true },
	  { "9 accesses did not meet the condition" } },
	{ "a break without a hit", { .stats = { .resident_ns = 1,
	  .armed_ns = 1 }, .nr_bound = 1 }, { "no wave came there" } },
	{ "no exception", { .stats = { .resident_ns = 1, .armed_ns = 1 },
	  .nr_bound = 1, .is_exception = true }, { "no wave stopped for it" } },
	{ "no exception of floating point", { .stats = { .resident_ns = 1,
	  .armed_ns = 1 }, .nr_bound = 1, .is_exception = true,
	  .is_fp = true }, { "no wave stopped", "possible: DX10_CLAMP" } },
	{ "as these kernels mask it", { .stats = { .resident_ns = 1,
	  .armed_ns = 1 }, .nr_bound = 1, .is_exception = true, .is_fp = true,
	  .clamped = "a, b" }, { "no wave stopped", "default: a, b" } },
	{ "and no kernel masks it", { .stats = { .resident_ns = 1,
	  .armed_ns = 1 }, .nr_bound = 1, .is_exception = true, .is_fp = true,
	  .clamped = "" }, { "no wave stopped" } },
	{ "possible", { .stats = { BUSY, .possible = 2 }, .nr_bound = 1 },
	  { "2 of 7 hits may be of other bytes" } },
	{ "rate limit", { .stats = { BUSY, .throttled = 5 }, .nr_bound = 1 },
	  { "5 hits have no sample" } },
	{ "stalls", { .stats = { BUSY, .stall_throttled = 4 }, .nr_bound = 1 },
	  { "disarmed for a while, 4 times" } },
	{ "drops", { .stats = { BUSY, .lost = 9 }, .nr_bound = 1 },
	  { "9 hits were dropped" } },
	{ "strays", { .stats = { BUSY, .strays = 8 }, .nr_bound = 1 },
	  { "8 hits of its comparators were at bytes beside it" } },
	{ "few strays", { .stats = { BUSY, .strays = 7 }, .nr_bound = 1 }, {} },
	{ "one of each", { .stats = { BUSY, .unchanged = 1, .filtered = 1, .possible = 1,
	  .throttled = 1, .stall_throttled = 1, .lost = 1 }, .nr_bound = 1,
	  .is_watch = true },
	  { "1 access did not change", "1 access did not meet", "1 of 7 hits may be",
	    "1 hit has no sample", "disarmed for a while, 1 time,",
	    "1 hit was dropped that may have been its own" } },
	{ "in one context", { .stats = { .resident_ns = 10 }, .nr_bound = 1,
	  .nr_pending = 1 }, { "pending in 1 context:", "armed 0.00%" } },
	{ "slow", { .stats = { BUSY, .stopped_armed_ns = 500 }, .nr_bound = 1 },
	  { "50.0% of the time armed" } },
	{ "hardly slow", { .stats = { BUSY, .stopped_armed_ns = 20 },
	  .nr_bound = 1 }, {} },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static bool lines_are(const char *text, const char * const *texts)
{
	char *copy = strdup(text), *rest = copy, *line;
	unsigned int n = 0;
	bool same = true;

	while ((line = strsep(&rest, "\n")) && line[0]) {
		same &= n < 6 && texts[n] && strstr(line, texts[n]);
		n++;
	}
	free(copy);
	return same && (n == 6 || !texts[n]);
}

static void test_row(const struct row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int nr = why_print(&row->why, out), n = 0;

	fclose(out);
	while (n < 6 && row->texts[n])
		n++;
	tap_ok(nr == n && lines_are(text, row->texts), "%s", row->what);
	if (!lines_are(text, row->texts))
		tap_note("%s", text);
	free(text);
}

static void test_kinds(void)
{
	struct why watch = {}, set = {}, brk = {}, all = {}, fp = {}, viol = {};

	why_set_kind(&watch, GPUBP_KIND_WATCH, 8);
	why_set_kind(&set, GPUBP_KIND_WATCH_SET, 8);
	why_set_kind(&brk, GPUBP_KIND_BREAK, 8);
	why_set_kind(&all, GPUBP_KIND_EXCEPTION, 0);
	why_set_kind(&fp, GPUBP_KIND_EXCEPTION, GPUBP_EXC_FP_INVALID);
	why_set_kind(&viol, GPUBP_KIND_EXCEPTION, GPUBP_EXC_MEM_VIOL);
	tap_ok(watch.is_watch && set.is_watch && !brk.is_watch && !fp.is_watch &&
	       !watch.is_exception && !set.is_fp && !brk.is_exception &&
	       all.is_exception && all.is_fp && fp.is_exception && fp.is_fp &&
	       viol.is_exception && !viol.is_fp, "what events are of");
}

int main(void)
{
	size_t i;

	tap_plan(NR_ROWS + 1);
	test_kinds();
	for (i = 0; i < NR_ROWS; i++)
		test_row(&rows[i]);
	return tap_status();
}
