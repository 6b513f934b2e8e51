// SPDX-License-Identifier: GPL-2.0
/* Which launch a hit is of, and which work-item: truth is a list of all of them. */
#include <string.h>
#include "item.h"
#include "launches.h"
#include "tap.h"

static const char lines[] =
	"gpubp names 1\n"
	"5 7000 100 act0\tmodel.cc:41\n"
	"queue 10 1 64 0\n"
	"queue 10 2 128 0\n"
	"kind 1 7f0000 64 1 1 640 1 1\tmodel.cc:50\tmain.cc:7\n"
	"launch 11 1 3 1\n"
	"kind 2 7f0040 16 16 1 100 50 1\t\n"
	"launch 11 2 3 2\n"
	"launch 20 1 3 2\n"
	"launch 30 1 3 0\n"
	"launch 31 1 3 9\n"
	"launch 32 1 3 1\n"
	/* written late */
	"launch 25 1 4 1\n"
	/* gone, and another one */
	"queue 40 1 0 0\n"
	"queue 50 1 64 0\n"
	"launch 51 1 4 2\n"
	"launch 52 1 5 3\n"
	"launch 53 3 3 1\n"
	"nonsense\nlaunch\nlaunch 1 2\nqueue 1 1 3 0\nkind 3 0 0 1 1 1 1 1\t\n"
	"kind 4 0 1025 1 1 1 1 1\t\nkind 5 0 1 1 1 0 1 1\t\nkind 70000 0 1 1 1 1 1 1\t\n"
	"kind 6 0 1 1 1 1 1 1\t\033[2J\n"
	"unlaunched 90 1 0 0\n"
	"unlaunched 95 1 0 0\n";

static const struct {
	uint32_t queue, dispatch;
	uint64_t time;
	uint32_t kind;
} cases[] = {
	{ 1, 3, 10, 0 },
	{ 1, 3, 11, 1 },
	{ 1, 3, 19, 1 },
	/* of the number there are the lower bits only, and the ring has fewer */
	{ 1, 64 + 3, 19, 1 },
	{ 1, 0x1ffffc3, 19, 1 },
	{ 1, 32 + 3, 19, 0 },
	/* another queue */
	{ 2, 3, 19, 2 },
	{ 2, 128 + 3, 19, 2 },
	{ 2, 64 + 3, 19, 0 },
	/* the place has another one, or one that is not known */
	{ 1, 3, 20, 2 },
	{ 1, 3, 30, 0 },
	{ 1, 3, 31, 0 },
	{ 1, 3, 32, 1 },
	{ 1, 4, 24, 0 },
	{ 1, 4, 25, 1 },
	/* what an earlier queue of this number had is over */
	{ 1, 3, 40, 0 },
	{ 1, 3, 50, 0 },
	{ 1, 4, 50, 0 },
	{ 1, 4, 51, 2 },
	/* lines that make no sense */
	{ 1, 5, 53, 0 },
	{ 3, 3, 60, 0 },
	/* the file ended */
	{ 1, 4, 89, 2 },
	{ 1, 4, 90, 0 },
};

#define NR_CASES	((int)(sizeof(cases) / sizeof(cases[0])))

static void read_text(struct launches *launches, const char *text)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	launches_read(launches, file);
	fclose(file);
}

static bool case_ok(const struct launches *launches, int i)
{
	struct gpubp_hit_record rec = {
		.queue = cases[i].queue, .dispatch = cases[i].dispatch,
		.gpu_time = cases[i].time, .flags = GPUBP_HIT_DISPATCH,
	};
	const struct launch *launch = launches_find(launches, &rec);

	if ((launch ? launch->nr : 0) == cases[i].kind)
		return true;
	printf("# queue %u dispatch %u time %llu: %u\n", rec.queue, rec.dispatch,
	       (unsigned long long)rec.gpu_time, launch ? launch->nr : 0);
	return false;
}

static void test_find(void)
{
	const struct gpubp_hit_record unknown = {
		.queue = 1, .dispatch = 3, .gpu_time = 11,
	};
	struct gpubp_hit_record rec = unknown;
	struct launches launches;
	const struct launch *launch;
	bool ok = true;
	int i;

	read_text(&launches, lines);
	for (i = 0; i < NR_CASES; i++)
		ok &= case_ok(&launches, i);
	tap_ok(ok, "the launch of a hit is that of its queue, number and time");
	tap_ok(!launches_find(&launches, &unknown), "... none without a number");
	rec.flags = GPUBP_HIT_DISPATCH;
	launch = launches_find(&launches, &rec);
	tap_ok(launch && launch->kernel == 0x7f0000 && launch->workgroup[0] == 64 &&
	       launch->grid[0] == 640 &&
	       !strcmp(launch->site, "model.cc:50\tmain.cc:7"), "... as recorded");
	launches_free(&launches);
}

/* two contexts that have a queue of one number each, and one of all contexts */
static void test_contexts(void)
{
	static const struct {
		uint32_t context, queue;
		uint64_t time;
		uint32_t kind;
	} rows[] = {
		{ 5, 0, 11, 1 }, { 6, 0, 12, 2 }, { 5, 0, 12, 1 }, { 5, 0, 20, 0 },
		{ 6, 0, 20, 2 }, { 7, 0, 20, 0 }, { 7, 1, 20, 2 }, { 5, 1, 20, 2 },
	};
	struct gpubp_hit_record rec = { .flags = GPUBP_HIT_DISPATCH, .dispatch = 3 };
	const struct launch *launch;
	struct launches launches;
	bool ok = true;
	size_t i;

	read_text(&launches, "gpubp names 1\nqueue 10 0 64 0 5\nqueue 10 0 64 0 6\n"
		  "queue 10 1 64 0\n"
		  "kind 1 7f0000 64 1 1 640 1 1\t\nkind 2 7f0040 64 1 1 640 1 1\t\n"
		  "launch 11 0 3 1 5\nlaunch 12 0 3 2 6\nlaunch 12 1 3 2\n"
		  "queue 20 0 0 0 5\n");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rec.context = rows[i].context;
		rec.queue = rows[i].queue;
		rec.gpu_time = rows[i].time;
		launch = launches_find(&launches, &rec);
		ok &= (launch ? launch->nr : 0) == rows[i].kind;
	}
	tap_ok(ok, "queues are those of their contexts");
	launches_free(&launches);
}

/* as a GPU has them: lanes one after the other, x first, in each group as it is cut */
static bool items_ok(const struct launch *launch, const uint32_t at[3])
{
	struct gpubp_hit_record rec = {
		.wg_x = at[0], .wg_y = at[1], .wg_z = at[2], .flags = GPUBP_HIT_COORDS,
	};
	uint32_t x, y, z, lane = 0, item[3];
	const uint32_t *size = launch->workgroup, *grid = launch->grid;

	for (z = at[2] * size[2]; z < (at[2] + 1) * size[2] && z < grid[2]; z++)
		for (y = at[1] * size[1]; y < (at[1] + 1) * size[1] && y < grid[1]; y++)
			for (x = at[0] * size[0]; x < (at[0] + 1) * size[0] &&
			     x < grid[0]; x++, lane++) {
				rec.wave_in_group = lane / 64;
				rec.lanes = ~0ULL << lane % 64;
				if (!item_of(item, launch, NULL, &rec) ||
				    item[0] != x || item[1] != y || item[2] != z)
					return false;
			}
	rec.wave_in_group = lane / 64;
	rec.lanes = 1ULL << lane % 64;
	return !item_of(item, launch, NULL, &rec);
}

static void test_items(void)
{
	const struct launch launch = {
		.workgroup = { 10, 5, 3 }, .grid = { 37, 11, 7 },
	};
	const uint32_t outside[3] = { 4, 0, 0 };
	uint32_t at[3];
	bool ok = true;

	for (at[2] = 0; at[2] < 3; at[2]++)
		for (at[1] = 0; at[1] < 3; at[1]++)
			for (at[0] = 0; at[0] < 4; at[0]++)
				ok &= items_ok(&launch, at);
	tap_ok(ok, "work-items are right, also where the grid cuts workgroups");
	tap_ok(items_ok(&launch, outside), "... a workgroup beyond the grid has none");
}

static void test_code(void)
{
	const struct launch launch = { .workgroup = { 8, 8, 1 }, .grid = { 64, 64, 1 } };
	struct grun_kernel kernel = { .required = { 8, 8, 1 } };
	struct gpubp_hit_record rec = {
		.wg_x = 2, .wg_y = 3, .lanes = 1 << 10, .flags = GPUBP_HIT_COORDS,
	};
	uint32_t item[3] = {};

	tap_ok(item_of(item, NULL, &kernel, &rec) && item[0] == 18 && item[1] == 25,
	       "the code says the size of workgroups, without a launch");
	tap_ok(item_of(item, &launch, &kernel, &rec) && item[0] == 18 && item[1] == 25,
	       "... with a launch that agrees");
	kernel.required[0] = 16;
	tap_ok(!item_of(item, &launch, &kernel, &rec), "... and with another one nothing");
	kernel.required[0] = 0;
	tap_ok(item_of(item, &launch, &kernel, &rec), "the code need not say it");
	tap_ok(!item_of(item, NULL, &kernel, &rec) && !item_of(item, NULL, NULL, &rec),
	       "nothing is known without both");
	rec.flags = 0;
	tap_ok(!item_of(item, &launch, NULL, &rec), "... and without the workgroup");
}

int main(void)
{
	tap_plan(12);
	test_find();
	test_contexts();
	test_items();
	test_code();
	return tap_status();
}
