// SPDX-License-Identifier: GPL-2.0
/* Ranks by the environment of launchers, and in names of files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rank.h"
#include "tap.h"

static const char * const variables[] = {
	"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID",
	"SLURM_STEP_NUM_TASKS",
};

static const struct row {
	const char *set[2];	/* NAME=VALUE */
	int rank;
} rows[] = {
	{ { NULL }, -1 },
	{ { "OMPI_COMM_WORLD_RANK=3" }, 3 },
	{ { "PMI_RANK=0" }, 0 },
	{ { "MV2_COMM_WORLD_RANK=12" }, 12 },
	{ { "PMIX_RANK=1" }, 1 },
	{ { "OMPI_COMM_WORLD_RANK=2", "SLURM_PROCID=0" }, 2 },
	/* a batch script has one, too */
	{ { "SLURM_PROCID=0" }, -1 },
	{ { "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1" }, -1 },
	{ { "SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8" }, 5 },
	{ { "PMI_RANK=x" }, -1 },
	{ { "PMI_RANK=" }, -1 },
	{ { "PMI_RANK=-1" }, -1 },
	{ { "PMI_RANK=99999999999" }, -1 },
};

static const struct {
	const char *path;
	const char *text;	/* NULL: no rank */
} paths[] = {
	{ "perf.data.3.node1", "rank 3 on node1" },
	{ "/tmp/x/perf.data.12.a-b", "rank 12 on a-b" },
	{ "perf.data", NULL },
	{ "perf.data.old", NULL },
	{ "perf.data.3", NULL },
	{ "perf.data.3.", NULL },
	{ "3.node1", NULL },
	{ "dir.3.x/perf", NULL },
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static void set_only(const struct row *row)
{
	char text[64];
	size_t i;

	for (i = 0; i < NR(variables); i++)
		unsetenv(variables[i]);
	for (i = 0; i < 2 && row->set[i]; i++) {
		snprintf(text, sizeof(text), "%s", row->set[i]);
		*strchr(text, '=') = '\0';
		setenv(text, strchr(row->set[i], '=') + 1, 1);
	}
}

int main(void)
{
	char host[65] = "", out[128], want[128], small[8];
	const char *text;
	size_t i;

	tap_plan(NR(rows) + NR(paths) + 3);
	for (i = 0; i < NR(rows); i++) {
		set_only(&rows[i]);
		tap_ok(rank_get() == rows[i].rank, "%s: rank %d", rows[i].set[0] ?: "none",
		       rank_get());
	}
	for (i = 0; i < NR(paths); i++) {
		text = rank_of_path(paths[i].path, out, sizeof(out)) ? out : NULL;
		tap_ok(paths[i].text ? text && !strcmp(text, paths[i].text) : !text, "%s: %s",
		       paths[i].path, text ?: "no rank");
	}
	set_only(&rows[0]);
	tap_ok(!rank_path("perf.data", out, sizeof(out)), "no rank: no path of its own");
	set_only(&rows[1]);
	gethostname(host, 64);
	host[strcspn(host, ".")] = '\0';
	snprintf(want, sizeof(want), "perf.data.3.%s", host[0] ? host : "localhost");
	tap_ok(rank_path("perf.data", out, sizeof(out)) && !strcmp(out, want), "%s", want);
	tap_ok(!rank_path("perf.data", small, sizeof(small)), "too long");
	return tap_status();
}
