// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "perf_cmd.h"
#include "perf_record.h"

const char **perf_record_args(const struct picks *picks, int argc,
			      const char **argv)
{
	/*
	 * -R: the record; -d: the address; -B: no build ids, for which perf reads
	 * each file with samples: of a render node, where a runtime's own kernels
	 * are, that never ends
	 */
	const char * const fixed[] = {
		perf_program(), "record", "-R", "-d", "-B",
	};
	const size_t nr_fixed = sizeof(fixed) / sizeof(fixed[0]);
	const char **args, **at;
	unsigned int i;

	args = calloc(nr_fixed + 2 * picks->nr + (size_t)argc + 1, sizeof(*args));
	if (!args)
		return NULL;
	at = args;
	for (i = 0; i < nr_fixed; i++)
		*at++ = fixed[i];
	for (i = 0; i < picks->nr; i++) {
		*at++ = "-e";
		*at++ = picks->list[i].event;
	}
	while (argc--)
		*at++ = *argv++;
	return args;
}
