// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
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

int codes_open(struct pick_codes *codes, const struct picks *picks,
	       struct grun_err *err)
{
	unsigned int i;
	int ret = 0;

	codes->list = calloc(picks->nr_args + 1, sizeof(*codes->list));
	codes->open = calloc(picks->nr_args + 1, sizeof(*codes->open));
	if (!codes->list || !codes->open)
		return grun_fail(err, -ENOMEM, "out of memory");
	for (i = 0; !ret && i < picks->nr_args; i++)
		if (picks->args[i].letter == 'c')
			ret = code_open(codes, picks->args[i].text, err);
	return ret;
}

void codes_close(struct pick_codes *codes)
{
	while (codes->nr)
		grun_code_free(codes->open[--codes->nr]);
	free(codes->open);
	free(codes->list);
}
