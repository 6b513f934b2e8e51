// SPDX-License-Identifier: GPL-2.0
/* Whether perf record failed, by what it said and how it ended. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "tap.h"
#include "workload.h"

#define WOKE	"[ perf record: Woken up 1 times to write data ]\n"
#define WROTE	"[ perf record: Captured and wrote 0.001 MB perf.data (2 samples) ]\n"

static const struct row {
	const char *what;
	const char *messages;
	int sig;
	const char *text;	/* NULL: it did not fail */
} rows[] = {
	{ "a recording", WOKE WROTE, 0, NULL },
	{ "what perf refuses", "failed to open x : No such file or directory\n\nusage\n", 0,
	  "failed to open x : No such file or directory" },
	{ "nothing was said", "", 0, "it does not say why" },
	{ "a recording, ended by its command's signal", WOKE WROTE, SIGTERM, NULL },
	{ "a signal", "", SIGKILL, "signal 9 (Killed) ended it" },
	{ "a signal behind a warning", "Warning: x\n", SIGSEGV,
	  "signal 11 (Segmentation fault) ended it" },
	{ "a signal while it wrote", WOKE, SIGBUS, "signal 7 (Bus error) ended it" },
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

static void test_row(struct workload *w, const struct row *row)
{
	char text[256] = "";
	size_t len = strlen(row->messages);
	bool failed;

	if (ftruncate(w->messages, 0) ||
	    write(w->messages, row->messages, len) != (ssize_t)len)
		tap_note("no messages");
	failed = workload_perf_failed(w, row->sig, text, sizeof(text));
	tap_ok(failed == !!row->text && (!failed || !strcmp(text, row->text)), "%s",
	       row->what);
}

int main(void)
{
	struct workload w;
	struct grun_err err;
	size_t i;

	tap_plan(NR_ROWS);
	if (workload_init(&w, &err))
		return 1;
	for (i = 0; i < NR_ROWS; i++)
		test_row(&w, &rows[i]);
	return tap_status();
}
