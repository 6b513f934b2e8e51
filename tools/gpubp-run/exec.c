// SPDX-License-Identifier: GPL-2.0
/*
 * Running a checked script.
 *
 * Dispatches go on while the next statements run; those that look at results
 * or replace contents wait first. cpuwrite does not: it is there to write while
 * the GPU runs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "exec.h"

/* where the elements of a declared buffer are */
struct place {
	uint64_t va;
	char *cpu;
};

struct run {
	const struct script *script;
	struct grun_device *dev;
	struct grun_code *code;
	int64_t timeout_ns;
	struct place *places;	/* one for each declaration */
	struct grun_mem *mems;	/* one for each statement, used by buf */
	struct grun_err *err;
};

static const struct decl *range_decl(const struct run *run,
				     const struct range *range)
{
	return &run->script->decls[range->decl];
}

static void *range_ptr(const struct run *run, const struct range *range,
		       uint64_t index)
{
	return run->places[range->decl].cpu +
	       index * range_decl(run, range)->type->size;
}

static int run_wait_all(struct run *run)
{
	return grun_wait(run->dev, 0, run->timeout_ns, run->err);
}

/* of a buffer in its allocation; red zones are between buffers */
static size_t decl_offset(const struct run *run, const struct stmt *stmt, size_t i)
{
	return run->script->decls[i].offset + (i - stmt->first) * grun_redzone();
}

static int run_alloc(struct run *run, const struct stmt *stmt,
		     struct grun_mem *mem)
{
	const struct decl *first = &run->script->decls[stmt->first];
	const struct decl *last = first + stmt->nr - 1;
	size_t size = decl_offset(run, stmt, stmt->first + stmt->nr - 1) +
		      last->count * last->type->size;

	return first->userptr ?
	       grun_userptr(run->dev, mem, size, first->va, run->err) :
	       grun_alloc(run->dev, mem, size, first->va, run->err);
}

static int run_buf(struct run *run, const struct stmt *stmt)
{
	struct grun_mem *mem = &run->mems[stmt - run->script->stmts];
	int ret = run_alloc(run, stmt, mem);
	size_t i;

	for (i = stmt->first; !ret && i < stmt->first + stmt->nr; i++) {
		const struct decl *decl = &run->script->decls[i];
		struct place *place = &run->places[i];

		place->va = mem->va + decl_offset(run, stmt, i);
		place->cpu = (char *)mem->cpu + decl_offset(run, stmt, i);
		if (decl->pattern.type != PATTERN_NONE)
			ret = pattern_fill(&decl->pattern, decl->type, place->cpu,
					   decl->count, run->err);
		/* last: an event binds when the name appears */
		if (!ret)
			ret = grun_name(run->dev, place->va,
					decl->count * decl->type->size,
					decl->name, run->err);
	}
	return ret;
}

static void run_arg(const struct run *run, const struct word *word,
		    const struct grun_arg *arg, union grun_value *value)
{
	const struct range *range = &word->range;

	if (!word->is_range) {
		script_value(arg, &word->number, value);
		return;
	}
	memset(value, 0, sizeof(*value));
	value->va = run->places[range->decl].va +
		    range->first * range_decl(run, range)->type->size;
}

static int run_run(struct run *run, const struct stmt *stmt)
{
	const struct grun_kernel *kernel = grun_code_find(run->code, stmt->name);
	union grun_value args[GRUN_MAX_ARGS];
	uint64_t i;
	int ret = 0;

	for (i = 0; i < stmt->nr; i++)
		run_arg(run, &run->script->words[stmt->first + i],
			grun_kernel_param(kernel, (unsigned int)i), &args[i]);
	for (i = 0; !ret && i < stmt->times; i++)
		ret = grun_dispatch(run->dev, run->code, kernel, &stmt->launch,
				    args, (unsigned int)stmt->nr, NULL, run->err);
	return ret;
}

static int run_wait(struct run *run, const struct stmt *stmt)
{
	double seconds = stmt->number.real;
	int64_t ns = -1;

	if (seconds >= 0)
		ns = seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;
	return grun_wait(run->dev, 0, ns, run->err);
}

static int run_fill(struct run *run, const struct stmt *stmt)
{
	const struct range *range = &stmt->range;
	int ret = run_wait_all(run);

	if (ret)
		return ret;
	return pattern_fill(&stmt->pattern, range_decl(run, range)->type,
			    range_ptr(run, range, range->first),
			    range->last - range->first + 1, run->err);
}

static void print_row(const struct run *run, const struct range *range,
		      uint64_t first, uint64_t last)
{
	const struct elem_type *type = range_decl(run, range)->type;
	char text[32];
	uint64_t i;

	printf("%s[%" PRIu64 "..%" PRIu64 "]", range->name, first, last);
	for (i = first; i <= last; i++) {
		elem_format(type, range_ptr(run, range, i), text, sizeof(text));
		printf(" %s", text);
	}
	putchar('\n');
}

static int run_print(struct run *run, const struct stmt *stmt)
{
	const struct range *range = &stmt->range;
	int ret = run_wait_all(run);
	uint64_t i, last;

	for (i = range->first; !ret && i <= range->last; i = last + 1) {
		last = i + 15 < range->last ? i + 15 : range->last;
		print_row(run, range, i, last);
	}
	return ret;
}

/* integers: modulo 2^64; floats: in double, front to back */
static int run_sum(struct run *run, const struct stmt *stmt)
{
	const struct range *range = &stmt->range;
	const struct elem_type *type = range_decl(run, range)->type;
	int ret = run_wait_all(run);
	struct number n, sum = {};
	uint64_t i;

	if (ret)
		return ret;
	for (i = range->first; i <= range->last; i++) {
		n = elem_get(type, range_ptr(run, range, i));
		sum.num += n.num;
		sum.real += n.real;
	}
	if (type->kind == ELEM_FLOAT)
		printf("sum %s %.17g\n", range->name, sum.real);
	else if (type->kind == ELEM_SIGNED)
		printf("sum %s %" PRId64 "\n", range->name, (int64_t)sum.num);
	else
		printf("sum %s %" PRIu64 "\n", range->name, sum.num);
	return 0;
}

static int run_check_one(struct run *run, const struct stmt *stmt, uint64_t i,
			 const struct word *want)
{
	const struct range *range = &stmt->range;
	const struct elem_type *type = range_decl(run, range)->type;
	const void *got = range_ptr(run, range, i);
	char got_text[32], want_text[32], wanted[8];

	elem_put(type, wanted, &want->number);
	if (!memcmp(wanted, got, type->size))
		return 0;
	elem_format(type, got, got_text, sizeof(got_text));
	elem_format(type, wanted, want_text, sizeof(want_text));
	lex_error(run->err, stmt->pos, "%s[%" PRIu64 "] is %s, not %s",
		  range->name, i, got_text, want_text);
	return -EBADMSG;
}

static int run_check(struct run *run, const struct stmt *stmt)
{
	const struct word *want = &run->script->words[stmt->first];
	int ret = run_wait_all(run);
	uint64_t i;

	for (i = stmt->range.first; !ret && i <= stmt->range.last; i++) {
		ret = run_check_one(run, stmt, i, want);
		if (stmt->nr > 1)
			want++;
	}
	return ret;
}

static int run_sleep(struct run *run, const struct stmt *stmt)
{
	double seconds = stmt->number.real < 1e9 ? stmt->number.real : 1e9;
	struct timespec ts = { .tv_sec = (time_t)seconds };

	ts.tv_nsec = (long)((seconds - (double)ts.tv_sec) * 1e9);
	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
	return 0;
}

static int run_cpuwrite(struct run *run, const struct stmt *stmt)
{
	const struct range *range = &stmt->range;

	elem_put(range_decl(run, range)->type,
		 range_ptr(run, range, range->first), &stmt->number);
	return 0;
}

static int run_name(struct run *run, const struct stmt *stmt)
{
	const struct decl *decl = range_decl(run, &stmt->range);

	return grun_name(run->dev, run->places[stmt->range.decl].va,
			 decl->count * decl->type->size, stmt->name, run->err);
}

static int run_unname(struct run *run, const struct stmt *stmt)
{
	return grun_name(run->dev, run->places[stmt->range.decl].va, 0, stmt->name,
			 run->err);
}

static int (*const run_verbs[])(struct run *run, const struct stmt *stmt) = {
	[VERB_BUF] = run_buf,
	[VERB_RUN] = run_run,
	[VERB_WAIT] = run_wait,
	[VERB_FILL] = run_fill,
	[VERB_PRINT] = run_print,
	[VERB_SUM] = run_sum,
	[VERB_CHECK] = run_check,
	[VERB_SLEEP] = run_sleep,
	[VERB_CPUWRITE] = run_cpuwrite,
	[VERB_NAME] = run_name,
	[VERB_UNNAME] = run_unname,
};

static int run_all(struct run *run)
{
	const struct script *s = run->script;
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < s->nr_stmts; i++) {
		ret = run_verbs[s->stmts[i].verb](run, &s->stmts[i]);
		/* results appear as they come, also in a pipe */
		fflush(stdout);
	}
	return ret ? ret : run_wait_all(run);
}

int script_run(const struct script *s, struct grun_device *dev,
	       struct grun_code *code, int64_t timeout_ns, struct grun_err *err)
{
	struct run run = {
		.script = s, .dev = dev, .code = code,
		.timeout_ns = timeout_ns, .err = err,
	};
	size_t i;
	int ret;

	run.places = calloc(s->nr_decls + 1, sizeof(*run.places));
	run.mems = calloc(s->nr_stmts + 1, sizeof(*run.mems));
	if (run.places && run.mems)
		ret = run_all(&run);
	else
		ret = grun_fail(err, -ENOMEM, "out of memory");
	/* not under a kernel that still runs: closing the device kills that */
	for (i = 0; !ret && i < s->nr_stmts; i++)
		grun_release(dev, &run.mems[i]);
	free(run.places);
	free(run.mems);
	return ret;
}
