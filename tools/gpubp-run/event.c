// SPDX-License-Identifier: GPL-2.0
/*
 * Events by name, in the words of perf's event parser and of the PMU's format/
 * directory.
 */
#include <stdio.h>
#include "gpubp_run.h"

void grun_event_string(char *out, size_t len, const char *name,
		       uint64_t offset, uint64_t size, unsigned int access)
{
	snprintf(out, len,
		 "gpubp/kind=%d,access=%u,named=1,code=0x%x,addr=0x%llx,len=%llu,period=1/",
		 GPUBP_KIND_WATCH, access, gpubp_name_hash(name),
		 (unsigned long long)offset, (unsigned long long)size);
}
