// SPDX-License-Identifier: GPL-2.0
/* What perf-gpubp top prints of an instruction. */
#include <stdlib.h>
#include <string.h>
#include "tap.h"
#include "top_rows.h"

static const char map[] =
	"1000 100 _Z6repeatPVjj\n"
	"2000 100 repeat\n"
	"3000 100 _Z5blockILi64EEvPj\n";

static const struct row {
	uint64_t pc;
	const char *instruction;
} rows[] = {
	{ 0x2050, " repeat+0x50 " },
	{ 0x1050, " repeat+0x50 " },
	{ 0x3010, " block<64>+0x10 " },
	{ 0x4000, " 0x4000 " },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static void test_row(const struct symmap *names, const struct row *row)
{
	struct live_sample sample = { .pid = 7, .rec = { .pc = row->pc } };
	struct top_rows top = {};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	rows_add(&top, &sample);
	row_print(out, 200, top.rows, names, "out[5]", 100, 1);
	fclose(out);
	tap_ok(strstr(text, row->instruction), "%s", row->instruction);
	tap_note("%s", text);
	rows_free(&top);
	free(text);
}

int main(void)
{
	FILE *file = fmemopen((char *)(uintptr_t)map, strlen(map), "r");
	struct symmap names;
	struct grun_err err;
	size_t i;

	tap_plan(NR_ROWS);
	if (!file || symmap_read_file(&names, file, &err))
		return 1;
	for (i = 0; i < NR_ROWS; i++)
		test_row(&names, &rows[i]);
	symmap_free(&names);
	fclose(file);
	return tap_status();
}
