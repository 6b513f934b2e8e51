// SPDX-License-Identifier: GPL-2.0
/* Events as perf's -e takes them: attr, or a sentence. */
#include <errno.h>
#include <string.h>
#include "event_string.h"
#include "fakeroot.h"
#include "sysfile.h"
#include "tap.h"

static const struct row {
	const char *text;
	uint64_t config, config1, config2, period;
	const char *error;	/* NULL: none */
} rows[] = {
	{ "gpubp/watch_w,addr=0x1000,len=4/", 0x201, 0x1000, 4, 1, NULL },
	{ "gpubp/watch_w,addr=16,len=4,named=1,code=0x5/", 0x500080201, 16, 4, 1,
	  NULL },
	{ "gpubp/watch_w,addr=16,len=4,named,code=0x5/", 0x500080201, 16, 4, 1,
	  NULL },
	{ "gpubp/kind=1,access=7,addr=1,len=2/", 0x701, 1, 2, 0, NULL },
	{ "gpubp/config=0x201,config1=0x10,config2=4/", 0x201, 16, 4, 0, NULL },
	{ "gpubp/exc_fp/", 0x1f800000000, 0, 0, 1, NULL },
	{ "gpubp/exc_fp,name=tail/", 0x1f800000000, 0, 0, 1, NULL },
	{ "gpubp//", 0, 0, 0, 0, NULL },
	{ "gpubp/watch_w,addr=1,len=0xffffffffffff/", 0x201, 1, 0xffffffffffff,
	  1, NULL },
	{ "gpubp/watch_w,len=4/", 0, 0, 0, 0, "addr= is missing" },
	{ "gpubp/watch_w,addr=4/", 0, 0, 0, 0, "len= is missing" },
	{ "gpubp/watch_q,addr=4/", 0, 0, 0, 0,
	  "watch_q is neither a term nor an event that a device serves: see perf-gpubp list" },
	{ "gpubp/kind=256/", 0, 0, 0, 0, "kind has 8 bits: 256 is too large" },
	{ "gpubp/kind=x/", 0, 0, 0, 0, "kind is no number: x" },
	{ "gpubp/kind=-1/", 0, 0, 0, 0, "kind is no number: -1" },
	{ "gpubp/kind=/", 0, 0, 0, 0, "kind is no number: " },
	{ "gpubp/kind=1,,len=3/", 0, 0, 0, 0, "an empty term" },
	{ "gpubp/period=x/", 0, 0, 0, 0, "period needs a number" },
	{ "gpubp/exc_fp/z", 0, 0, 0, 0, "no modifier of perf: z" },
	{ "cpu/cycles/", 0, 0, 0, 0, "cpu/cycles/ is not gpubp/.../" },
	{ "gpubp/", 0, 0, 0, 0, "gpubp/ is not gpubp/.../" },
	{ "gpubp", 0, 0, 0, 0, "gpubp is not gpubp/.../" },
	{ "", 0, 0, 0, 0, " is not gpubp/.../" },
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static void make_pmu(void)
{
	fakeroot_file(SYS_PMU "/type", "42\n");
	fakeroot_file(SYS_PMU "/format/kind", "config:0-7\n");
	fakeroot_file(SYS_PMU "/format/access", "config:8-10\n");
	fakeroot_file(SYS_PMU "/format/named", "config:19\n");
	fakeroot_file(SYS_PMU "/format/code", "config:32-63\n");
	fakeroot_file(SYS_PMU "/format/addr", "config1:0-63\n");
	fakeroot_file(SYS_PMU "/format/len", "config2:0-47\n");
	fakeroot_file(SYS_PMU "/events/watch_w",
		      "kind=0x1,access=0x2,addr=?,len=?,period=1\n");
	fakeroot_file(SYS_PMU "/events/exc_fp", "kind=0x0,code=0x1f8,period=1\n");
}

static void test_row(const struct row *row)
{
	struct perf_event_attr attr;
	struct grun_err err = {};
	int ret = event_string_parse(&attr, fakeroot, row->text, &err);

	if (row->error)
		tap_ok(ret == -EINVAL && !strcmp(err.text, row->error), "'%s': %s",
		       row->text, err.text);
	else
		tap_ok(!ret && attr.type == 42 && attr.config == row->config &&
		       attr.config1 == row->config1 &&
		       attr.config2 == row->config2 &&
		       attr.sample_period == row->period, "'%s' %s", row->text,
		       err.text);
}

static void test_modifiers(void)
{
	struct perf_event_attr attr;
	struct grun_err err;

	tap_ok(!event_string_parse(&attr, fakeroot, "gpubp/exc_fp/Deuppp", &err) &&
	       attr.pinned && attr.exclusive && attr.precise_ip == 3,
	       "modifiers");
	tap_ok(!event_string_parse(&attr, fakeroot, "gpubp/exc_fp,freq=99/", &err) &&
	       attr.freq && attr.sample_freq == 99, "a frequency");
}

static void test_no_pmu(void)
{
	struct perf_event_attr attr;
	struct grun_err err;

	fakeroot_file(SYS_PMU "/type", NULL);
	tap_ok(event_string_parse(&attr, fakeroot, "gpubp//", &err) == -ENODEV,
	       "no PMU: %s", err.text);
}

int main(void)
{
	size_t i;

	tap_plan(NR(rows) + 3);
	fakeroot_make();
	make_pmu();
	for (i = 0; i < NR(rows); i++)
		test_row(&rows[i]);
	test_modifiers();
	test_no_pmu();
	fakeroot_drop();
	return tap_status();
}
