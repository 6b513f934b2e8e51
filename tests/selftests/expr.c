// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of gpubp_expr.h: the string that they give stock perf and the attr
 * for perf_event_open(2) count the same, and what is known to happen.
 */
#include <fcntl.h>
#include <stdlib.h>
#include "harness.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "gpubp_expr.h"

#define PERF	"perf"
#define RUN	"/usr/bin/gpubp-run"
#define ROUNDS	50
#define MAX	8	/* events of an expression */

/* one wave of 64 lanes that all store ROUNDS times */
static const char *const script[] = {
	"buf out u32 64 at 0x200000000, other u32 64",
	"run repeat grid=64 wg=64 out 50", "wait",
};

static char elf[512];

/* become the application once the number comes */
static int application(int sock, void *arg)
{
	uint64_t go;
	int null = open("/dev/null", O_WRONLY);

	dup2(null, 1);
	if (hear(sock, &go))
		execl(RUN, RUN, elf, script[0], script[1], script[2], NULL);
	return 1;
}

static int open_all(const struct gexpr *list, size_t nr, pid_t pid, int *fds)
{
	size_t i;

	for (i = 0; i < nr && i < MAX; i++) {
		struct perf_event_attr attr = event_watch(0, 4, 0);

		gexpr_attr(&list[i], &attr);
		attr.sample_period = 0;
		attr.inherit = 1;
		attr.disabled = 1;
		attr.enable_on_exec = 1;
		fds[i] = event_open(&attr, pid, -1);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

static int64_t count_by_attr(const struct gexpr *list, size_t nr)
{
	struct child app;
	int fds[MAX];
	int64_t sum = 0;
	size_t i;

	if (child_start(&app, application, NULL) ||
	    open_all(list, nr, app.pid, fds) || !say(app.sock, 0) || child_end(&app))
		return -1;
	for (i = 0; i < nr; i++) {
		sum += event_count(fds[i]);
		close(fds[i]);
	}
	return sum;
}

static int perf_stat(int sock, void *arg)
{
	char **argv = arg;

	execvp(PERF, argv);
	return 1;
}

/* sum of the lines of perf stat -x that have the label, -1 if one has no count */
static int64_t counts_of(const char *path, const char *label)
{
	FILE *file = fopen(path, "r");
	char line[256], name[128];
	int64_t sum = -1, n;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%ld,,%127[^,]", &n, name) == 2 && !strcmp(name, label))
			sum = sum < 0 ? n : sum + n;
	}
	if (file)
		fclose(file);
	return sum;
}

static int64_t count_by_perf(const struct gexpr *list, size_t nr)
{
	static const char out[] = "/tmp/expr.out";
	char events[MAX][GEXPR_EVENT_MAX];
	const char *argv[2 * MAX + 16] = { PERF, "stat", "-x", ",", "-o", out };
	struct child perf;
	int argc = 6;
	size_t i;

	for (i = 0; i < nr && i < MAX; i++) {
		gexpr_event(&list[i], events[i], sizeof(events[i]));
		argv[argc++] = "-e";
		argv[argc++] = events[i];
	}
	argv[argc++] = RUN;
	argv[argc++] = elf;
	for (i = 0; i < 3; i++)
		argv[argc++] = script[i];
	if (child_start(&perf, perf_stat, argv) || child_end(&perf))
		return -1;
	return counts_of(out, list[0].label);
}

FIXTURE(expr) {
	struct grun_code *code;
	struct gexpr_code codes[1];
};

FIXTURE_SETUP(expr)
{
	struct grun_err err;
	ssize_t len = readlink("/proc/self/exe", elf, 400);
	char *slash;

	ASSERT_LT(0, len);
	elf[len] = 0;
	slash = strrchr(elf, '/');
	strcpy(slash, "/gpu/loop.elf");
	ASSERT_EQ(0, grun_code_open(&self->code, elf, &err));
	self->codes[0].code = self->code;
	self->codes[0].name = gexpr_code_name(elf);
}

FIXTURE_TEARDOWN(expr)
{
	grun_code_free(self->code);
}

FIXTURE_VARIANT(expr) {
	int option;
	const char *text;
	int64_t count;
};

#define VARIANT(name, option_, text_, count_)				\
	FIXTURE_VARIANT_ADD(expr, name) {				\
		.option = option_, .text = text_, .count = count_,	\
	}

VARIANT(element, 'w', "out[5]:w", ROUNDS);
VARIANT(store_and_atomic, 'w', "out[5]", ROUNDS);
VARIANT(loads, 'w', "out[5]:r", 0);
VARIANT(bytes, 'w', "out+20,4:rw", ROUNDS);
VARIANT(type, 'w', "out:u64[31]:w", ROUNDS);
VARIANT(another_buffer, 'w', "other[5]:w", 0);
VARIANT(address, 'w', "0x200000014/4:wa", ROUNDS);
VARIANT(kernel, 'b', "repeat", 1);
VARIANT(line, 'b', "loop.cl:27", -1);
VARIANT(exception, 'x', "mem_viol,fp", 0);

static int parse(const FIXTURE_DATA(expr) *self, const FIXTURE_VARIANT(expr) *variant,
		 struct gexpr **list, size_t *nr)
{
	struct grun_err err;

	if (variant->option == 'b')
		return gexpr_breaks(list, nr, variant->text, self->codes, 1, &err);
	*nr = 1;
	*list = calloc(1, sizeof(**list));
	if (variant->option == 'x')
		return gexpr_exception(*list, variant->text, &err);
	return gexpr_watch(*list, variant->text, NULL, &err);
}

TEST_F_TIMEOUT(expr, counts_the_same, 120)
{
	struct gexpr *list;
	int64_t count;
	size_t nr;

	ASSERT_EQ(0, parse(self, variant, &list, &nr));
	count = count_by_attr(list, nr);
	EXPECT_EQ(count, count_by_perf(list, nr));
	if (variant->count >= 0) {
		EXPECT_EQ(variant->count, count);
	} else {
		EXPECT_LE(ROUNDS, count);
	}
	free(list);
}

TEST_HARNESS_MAIN
