// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of perf-gpubp top.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"
#include "top_rows.h"

static struct top_row *row_of(struct top_rows *rows,
			      const struct live_sample *sample)
{
	struct top_row *row = rows->rows;
	size_t nr = rows->nr;

	for (; row < rows->rows + nr; row++)
		if (row->pc == sample->rec.pc && row->pid == sample->pid &&
		    row->event == sample->event)
			return row;
	if (!(nr & (nr - 1))) {
		row = realloc(rows->rows, (nr ? 2 * nr : 1) * sizeof(*row));
		if (!row)
			return NULL;
		rows->rows = row;
	}
	row = &rows->rows[rows->nr++];
	memset(row, 0, sizeof(*row));
	row->event = sample->event;
	row->pid = sample->pid;
	row->pc = sample->rec.pc;
	return row;
}

bool rows_add(struct top_rows *rows, const struct live_sample *sample)
{
	struct top_row *row = row_of(rows, sample);

	if (!row)
		return false;
	row->total++;
	row->last = sample->rec;
	return true;
}

static int by_news(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	uint64_t m = x->total - x->before, n = y->total - y->before;

	if (m != n)
		return (m < n) - (m > n);
	if (x->total != y->total)
		return (x->total < y->total) - (x->total > y->total);
	return (x->pc > y->pc) - (x->pc < y->pc);
}

void rows_sort(struct top_rows *rows)
{
	if (rows->nr)
		qsort(rows->rows, rows->nr, sizeof(*rows->rows), by_news);
}

void rows_refreshed(struct top_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		rows->rows[i].before = rows->rows[i].total;
}

void rows_free(struct top_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

#define ROW_COLUMNS	"%10s %10s %8s %8s  %-24s %-22s %-18s %s"

void row_head(FILE *out, int width)
{
	char line[256];

	snprintf(line, sizeof(line), ROW_COLUMNS, "HITS/s", "TOTAL", "ARMED",
		 "PID", "INSTRUCTION", "LAST VALUE", "WORK-ITEM", "EVENT");
	fprintf(out, "%.*s\n", width, line);
}

static void work_item(const struct gpubp_hit_record *rec, char *out, size_t len)
{
	int lane = rec->lanes ? __builtin_ctzll(rec->lanes) : 0;

	if (rec->flags & GPUBP_HIT_COORDS)
		snprintf(out, len, "(%u,%u,%u) %u/%d", rec->wg_x, rec->wg_y,
			 rec->wg_z, rec->wave_in_group, lane);
	else
		snprintf(out, len, "lane %d", lane);
}

static const char *instruction(const struct symmap *names, uint64_t pc, char *out,
			       size_t len)
{
	const struct sym *sym = symmap_find(names, pc);
	char name[128];

	if (!sym)
		return symmap_text(names, pc, out, len);
	snprintf(out, len, "%s+0x%" PRIx64, demangle(sym->name, name, sizeof(name)),
		 pc - sym->start);
	return out;
}

void row_print(FILE *out, int width, const struct top_row *row,
	       const struct symmap *names, const char *watch, double armed,
	       double seconds)
{
	char line[512], rate[24], total[24], share[16] = "-", pid[16];
	char pc[160], value[24] = "?", item[64];

	snprintf(rate, sizeof(rate), "%.1f",
		 (double)(row->total - row->before) / seconds);
	snprintf(total, sizeof(total), "%" PRIu64, row->total);
	if (armed >= 0)
		snprintf(share, sizeof(share), "%.2f%%", armed);
	snprintf(pid, sizeof(pid), "%u", row->pid);
	if (row->last.flags & GPUBP_HIT_NEW_VALUE)
		snprintf(value, sizeof(value), "0x%0*" PRIx64,
			 2 * row->last.value_len, (uint64_t)row->last.new_value);
	work_item(&row->last, item, sizeof(item));
	snprintf(line, sizeof(line), ROW_COLUMNS, rate, total, share, pid,
		 instruction(names, row->pc, pc, sizeof(pc)), value, item,
		 watch);
	fprintf(out, "%.*s\n", width, line);
}
