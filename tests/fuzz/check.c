// SPDX-License-Identifier: GPL-2.0
/*
 * usage: check DIR BAD
 *
 * Check that the descriptions in DIR match the headers: sizes, offsets, ioctls.
 * And that each file of the directory BAD is rejected. Prints TAP.
 */
#include <glob.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "syntax.h"

static unsigned int nr_results, nr_wrong, nr_compared;
static bool all_right = true;

static void wrong(const char *what, const char *name)
{
	printf("# %s: %s\n", name, what);
	nr_wrong++;
}

static void result(const char *what)
{
	printf("%s %u - %s\n", nr_wrong || !nr_compared ? "not ok" : "ok", ++nr_results,
	       what);
	printf("# %u compared\n", nr_compared);
	all_right &= !nr_wrong && nr_compared;
	nr_wrong = 0;
	nr_compared = 0;
}

static const struct layout *layout_of(const char *name, const char *field)
{
	const struct layout *l;

	for (l = layouts; l->name; l++)
		if (!strcmp(l->name, name) && !strcmp(l->field, field))
			return l;
	return NULL;
}

static void compare(const struct type *type);

static void compare_fields(const struct type *type)
{
	unsigned int i;

	for (i = 0; i < type->nr; i++) {
		const struct field *f = &type->fields[i];
		const struct layout *l = type->kind == TYPE_STRUCT ?
			layout_of(type->name, f->name) : NULL;

		compare(f->type);
		if (!l)
			continue;
		nr_compared++;
		if (l->offset != f->offset)
			wrong(f->name, type->name);
		if (l->size != type->size)
			wrong("size", type->name);
	}
}

static void compare(const struct type *type)
{
	if (type->kind == TYPE_PTR || type->kind == TYPE_ARRAY)
		compare(type->elem);
	else if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION)
		compare_fields(type);
}

/* calls @look for each type of an argument, and of its fields */
static void each_argument(void (*look)(const struct type *type))
{
	unsigned int nr, i, j;
	const struct call *calls = syntax_calls(&nr);

	for (i = 0; i < nr; i++)
		for (j = 0; j < calls[i].nr_args; j++)
			look(calls[i].args[j].type);
}

/* the size is part of an ioctl's number */
static void all_ioctls(void)
{
	unsigned int nr, i;
	const struct call *calls = syntax_calls(&nr);
	const struct constant *c;

	for (c = ioctls; c->name; c++) {
		bool found = false;

		for (i = 0; i < nr; i++) {
			const struct type *arg = calls[i].args[2].type;

			if (calls[i].nr_args < 3 || calls[i].args[1].type->lo != c->value)
				continue;
			found = true;
			nr_compared++;
			if ((arg->elem ? arg->elem->size : 0) != _IOC_SIZE(c->value))
				wrong("size of its argument", calls[i].name);
			if (!(arg->dir & DIR_OUT) != !(_IOC_DIR(c->value) & _IOC_READ))
				wrong("direction of its argument", calls[i].name);
		}
		if (!found)
			wrong("is not described", c->name);
	}
	result("ioctls");
}

/*
 * fields with the same name in perf_event_attr; bits and reserved ones are ours
 */
static void attr(void)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
		{ "config", offsetof(struct perf_event_attr, config) },
		{ "sample_type", offsetof(struct perf_event_attr, sample_type) },
		{ "read_format", offsetof(struct perf_event_attr, read_format) },
		{ "wakeup_events", offsetof(struct perf_event_attr, wakeup_events) },
		{ "config1", offsetof(struct perf_event_attr, config1) },
		{ "config2", offsetof(struct perf_event_attr, config2) },
		{ "sig_data", offsetof(struct perf_event_attr, sig_data) },
	};
	const struct type *type =
		syntax_call("perf_event_open$gpubp_watch")->args[0].type->elem;
	unsigned int i, j;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (j = 0; j < type->nr; j++) {
			if (strcmp(type->fields[j].name, fields[i].name))
				continue;
			nr_compared++;
			if (type->fields[j].offset != fields[i].offset)
				wrong("offset", fields[i].name);
		}
	if (nr_compared != i)
		wrong("fields are missing", type->name);
	if (type->size != PERF_ATTR_SIZE_VER7)
		wrong("size", type->name);
	result("perf_event_attr");
}

/* does some call return a resource that other calls need? */
static bool is_made(const struct resource *res, const struct type *type, enum dir dir)
{
	unsigned int i;

	switch (type->kind) {
	case TYPE_RESOURCE:
		return (dir & DIR_OUT) && syntax_is_a(type->res, res);
	case TYPE_PTR:
		return is_made(res, type->elem, type->dir);
	case TYPE_ARRAY:
		return is_made(res, type->elem, dir);
	case TYPE_STRUCT:
	case TYPE_UNION:
		for (i = 0; i < type->nr; i++)
			if (is_made(res, type->fields[i].type,
				    type->fields[i].dir ?: dir))
				return true;
		return false;
	default:
		return false;
	}
}

static bool somebody_makes(const struct resource *res)
{
	unsigned int nr, i, j;
	const struct call *calls = syntax_calls(&nr);

	for (i = 0; i < nr; i++) {
		if (calls[i].ret && syntax_is_a(calls[i].ret, res))
			return true;
		for (j = 0; j < calls[i].nr_args; j++)
			if (is_made(res, calls[i].args[j].type, DIR_IN))
				return true;
	}
	return false;
}

static void needed(const struct type *type)
{
	unsigned int i;

	if (type->kind == TYPE_RESOURCE) {
		nr_compared++;
		if (strcmp(type->res->name, "gpubp_worker") &&
		    !somebody_makes(type->res))
			wrong("no call makes it", type->res->name);
	} else if (type->kind == TYPE_PTR || type->kind == TYPE_ARRAY) {
		needed(type->elem);
	} else if (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION) {
		for (i = 0; i < type->nr; i++)
			needed(type->fields[i].type);
	}
}

/* the parser exits with status 2 at anything unknown */
static bool is_refused(const char *dir)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		freopen("/dev/null", "w", stderr);
		syntax_load(dir);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 2;
}

static void all_refused(const char *bad)
{
	char pattern[512];
	glob_t dirs;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/*/", bad);
	if (glob(pattern, 0, NULL, &dirs))
		dirs.gl_pathc = 0;
	for (i = 0; i < dirs.gl_pathc; i++) {
		nr_compared++;
		if (!is_refused(dirs.gl_pathv[i]))
			wrong("is not refused", dirs.gl_pathv[i]);
	}
	result("what is not known is refused");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IONBF, 0);
	all_refused(argv[2]);
	syntax_load(argv[1]);
	each_argument(compare);
	result("structs");
	all_ioctls();
	attr();
	each_argument(needed);
	result("resources");
	printf("1..%u\n", nr_results);
	return !all_right;
}
