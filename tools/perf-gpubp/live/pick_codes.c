// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "pick_codes.h"

static int code_open(struct pick_codes *codes, const char *path,
		     struct grun_err *err)
{
	struct grun_code **code = &codes->open[codes->nr];
	int ret = grun_code_open(code, path, err);

	if (ret)
		return ret;
	codes->list[codes->nr++] = (struct gexpr_code) {
		.code = *code,
		.name = gexpr_code_name(path),
	};
	return 0;
}

static size_t command_length(const struct picks *picks)
{
	size_t nr = 0;

	while (picks->command && picks->command[nr])
		nr++;
	return nr;
}

static bool any_break(const struct picks *picks)
{
	unsigned int i;

	for (i = 0; i < picks->nr_args; i++)
		if (picks->args[i].letter == 'b')
			return true;
	return false;
}

/* most arguments are something else; a device or a pipe is not to be opened */
static void command_open(struct pick_codes *codes, const struct picks *picks)
{
	struct grun_err err;
	struct stat st;
	size_t i;

	for (i = 0; i < command_length(picks); i++)
		if (!stat(picks->command[i], &st) && S_ISREG(st.st_mode))
			code_open(codes, picks->command[i], &err);
}

static int codes_open_named(struct pick_codes *codes,
			    const struct picks *picks, struct grun_err *err)
{
	size_t most = picks->nr_args + command_length(picks) + 1;
	unsigned int i;
	int ret = 0;

	codes->list = calloc(most, sizeof(*codes->list));
	codes->open = calloc(most, sizeof(*codes->open));
	if (!codes->list || !codes->open)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; !ret && i < picks->nr_args; i++)
		if (picks->args[i].letter == 'c')
			ret = code_open(codes, picks->args[i].text, err);
	return ret;
}

/* whether or not a break needs them */
static int codes_open_any(struct pick_codes *codes, const struct picks *picks,
			  struct grun_err *err)
{
	int ret = codes_open_named(codes, picks, err);

	if (!ret && !codes->nr)
		command_open(codes, picks);
	return ret;
}

int codes_open(struct pick_codes *codes, const struct picks *picks,
	       struct grun_err *err)
{
	return any_break(picks) ? codes_open_any(codes, picks, err) :
				  codes_open_named(codes, picks, err);
}

static void clamped_add(FILE *out, const struct grun_code *code, const char **sep)
{
	const struct grun_kernel *kernel;
	unsigned int i;

	for (i = 0; (kernel = grun_code_kernel(code, i)); i++)
		if (kernel->dx10_clamp) {
			fprintf(out, "%s%s", *sep, kernel->name);
			*sep = ", ";
		}
}

char *codes_clamped(const struct picks *picks)
{
	struct pick_codes codes = {};
	const char *sep = "";
	struct grun_err err;
	char *names = NULL;
	FILE *out = NULL;
	size_t i, size;

	if (!codes_open_any(&codes, picks, &err) && codes.nr)
		out = open_memstream(&names, &size);
	for (i = 0; out && i < codes.nr; i++)
		clamped_add(out, codes.open[i], &sep);
	if (out)
		fclose(out);
	codes_close(&codes);
	return names;
}

void codes_close(struct pick_codes *codes)
{
	while (codes->nr)
		grun_code_free(codes->open[--codes->nr]);
	free(codes->open);
	free(codes->list);
}
