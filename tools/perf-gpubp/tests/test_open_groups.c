// SPDX-License-Identifier: GPL-2.0
/* Groups whose members are armed together, and those that are larger than the device. */
#include <math.h>
#include "open_groups.h"
#include "tap.h"

/**
 * struct row - a group of two, of which event 1 is the leader
 * @what: description
 * @group: of its other member
 * @wanted: quanta of that, of the leader's 1000
 * @armed: of these, and of the leader's
 * @apart: what is expected
 */
static const struct row {
	const char *what;
	uint64_t group;
	uint64_t wanted;
	uint64_t armed[2];
	unsigned int apart;
} rows[] = {
	{ "armed together", 1, 1000, { 600, 600 }, 0 },
	{ "and read a quantum later", 1, 1001, { 600, 600 }, 0 },
	{ "all the time", 1, 1000, { 1000, 1000 }, 0 },
	{ "the one without the other", 1, 1000, { 660, 640 }, 2 },
	{ "opened much later, but together", 1, 500, { 900, 400 }, 0 },
	{ "of another group", 7, 1000, { 660, 640 }, 0 },
	{ "without a group", 0, 1000, { 660, 640 }, 0 },
};

static struct open_event event(uint64_t id, uint64_t group, uint64_t wanted,
			       uint64_t armed)
{
	return (struct open_event) {
		.stats = {
			.id = id, .resident_ns = wanted, .armed_ns = armed,
			.wanted_quanta = wanted, .armed_quanta = armed,
		},
		.group = group,
	};
}

static void test_row(const struct row *row)
{
	struct open_event leader = event(1, 1, 1000, row->armed[0]);
	struct open_event member = event(2, row->group, row->wanted,
					 row->armed[1]);
	struct open_event single = event(3, 0, 1000, 10);
	struct open_groups groups = {};
	double share = 0;
	unsigned int apart;

	open_groups_add(&leader, &groups);
	open_groups_add(&member, &groups);
	open_groups_add(&single, &groups);
	apart = open_groups_apart(&groups, &member, &share);
	tap_ok(apart == row->apart && !open_groups_apart(&groups, &single, &share) &&
	       fabs(share - (apart ? row->armed[0] / 1000.0 : 0)) < 1e-9,
	       "%s", row->what);
	open_groups_free(&groups);
}

int main(void)
{
	const unsigned int nr = sizeof(rows) / sizeof(rows[0]);
	unsigned int i;

	tap_plan((int)nr);
	for (i = 0; i < nr; i++)
		test_row(&rows[i]);
	return tap_status();
}
