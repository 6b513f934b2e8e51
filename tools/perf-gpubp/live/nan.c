// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gpubp_run.h"
#include "nan.h"
#include "sysfile.h"
#include "verb.h"

static char nan_path[PATH_MAX];

int nan_begin(void)
{
	if (sys_temporary(nan_path, "perf-gpubp-nan") ||
	    setenv("GPUBP_CLEAR_CLAMP", nan_path, 1))
		return complain("%s: %s", nan_path, strerror(errno));
	return 0;
}

static void print_kernels(FILE *in, FILE *out)
{
	char name[GRUN_KERNEL_NAME + 1];
	const char *sep = "";

	while (fgets(name, sizeof(name), in)) {
		name[strcspn(name, "\n")] = '\0';
		fprintf(out, "%s%s", sep, name);
		sep = ", ";
	}
}

bool nan_print(FILE *out)
{
	FILE *in = fopen(nan_path, "re");
	int first = in ? getc(in) : EOF;

	if (first == EOF) {
		fputs("--nan: no kernel with DX10_CLAMP was loaded by gpubp-run or its library\n",
		      out);
	} else {
		ungetc(first, in);
		fputs("--nan: without DX10_CLAMP, so that clamp(NaN) is NaN and not 0: ",
		      out);
		print_kernels(in, out);
		fputc('\n', out);
	}
	if (in)
		fclose(in);
	return first != EOF;
}

void nan_end(void)
{
	if (nan_path[0])
		unlink(nan_path);
}
