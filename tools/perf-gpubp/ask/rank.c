// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rank.h"

#define HOST_MAX	64	/* as uname() has it */

/*
 * Open MPI, MPICH and Intel MPI, MVAPICH, whatever uses PMIx; and Slurm, which has a rank for
 * batch scripts, too: those of a step with several tasks.
 */
static const struct {
	const char *rank;
	const char *ranks;	/* how many there are; has to be more than one */
} launchers[] = {
	{ "OMPI_COMM_WORLD_RANK", NULL },
	{ "PMI_RANK", NULL },
	{ "MV2_COMM_WORLD_RANK", NULL },
	{ "PMIX_RANK", NULL },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
};

/* of a variable; -1: it is not set, or is none */
static int number(const char *name)
{
	const char *text = getenv(name);
	char *end;
	long value;

	if (!text || !isdigit((unsigned char)text[0]))
		return -1;
	value = strtol(text, &end, 10);
	return *end || value > INT_MAX ? -1 : (int)value;
}

int rank_get(void)
{
	unsigned int n;
	int rank;

	for (n = 0; n < sizeof(launchers) / sizeof(launchers[0]); n++) {
		rank = number(launchers[n].rank);
		if (rank >= 0 && (!launchers[n].ranks || number(launchers[n].ranks) > 1))
			return rank;
	}
	return -1;
}

bool rank_path(const char *path, char *out, size_t size)
{
	char host[HOST_MAX + 1] = "";
	int rank = rank_get(), len;

	if (rank < 0)
		return false;
	gethostname(host, HOST_MAX);
	/* the name of a host may have dots, which part fields here */
	host[strcspn(host, ".")] = '\0';
	len = snprintf(out, size, "%s.%d.%s", path, rank, host[0] ? host : "localhost");
	return len > 0 && (size_t)len < size;
}

bool rank_of_path(const char *path, char *out, size_t size)
{
	const char *host = strrchr(path, '.'), *at = host;

	if (!host || !host[1] || strchr(host, '/'))
		return false;
	while (at > path && isdigit((unsigned char)at[-1]))
		at--;
	if (at == host || at == path || at[-1] != '.')
		return false;
	snprintf(out, size, "rank %.*s on %s", (int)(host - at), at, host + 1);
	return true;
}
