// SPDX-License-Identifier: GPL-2.0
/* What is written of launches to the file of names. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "internal.h"
#include "tap.h"

static const struct grun_launch small = { { 100, 50, 1 }, { 16, 16, 1 } };
static const struct grun_launch large = { { 640, 1, 1 }, { 64, 1, 1 } };

/* what the file has, from @at on, with T for each time */
static const char *written(size_t at)
{
	static char text[4096];
	char path[32], line[1024], what[16], rest[1024];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", (int)getpid());
	file = fopen(path, "r");
	text[0] = '\0';
	while (file && fgets(line, sizeof(line), file))
		if (at)
			at--;
		else if (sscanf(line, "%15s %*d %1023[^\n]", what, rest) == 2 &&
			 strcmp(what, "kind"))
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s T %s\n", what, rest);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", line);
	if (file)
		fclose(file);
	return text;
}

static bool is_written(size_t at, const char *want)
{
	const char *text = written(at);

	if (!strcmp(text, want))
		return true;
	printf("# %s\n# instead of\n# %s\n", text, want);
	return false;
}

static void test_lines(void)
{
	struct grun_launches *a = grun_launches_new(0, 1, 64), *b = grun_launches_new(0, 2, 64);
	int i;

	grun_launches_add(a, 0, 0x7f0000, &small, "");
	grun_launches_add(b, 0, 0x7f0000, &small, "main+0x1\tmain+0x2");
	tap_ok(is_written(0, "gpubp names 1\n"
			  "queue T 1 64 0\nqueue T 2 64 0\n"
			  "kind 1 7f0000 16 16 1 100 50 1\t\nlaunch T 1 0 1\n"
			  "kind 2 7f0000 16 16 1 100 50 1\tmain+0x1\tmain+0x2\n"
			  "launch T 2 0 2\n"), "launches are written");
	for (i = 1; i < 1000; i++)
		grun_launches_add(a, 64 * (uint64_t)i, 0x7f0000, &small, "");
	tap_ok(is_written(7, ""), "... not again where the place had an equal one");
	grun_launches_add(a, (1ULL << 32) + 64, 0x7f0000, &large, "");
	grun_launches_add(a, (1ULL << 32) + 65, 0x7f0000, &small, "");
	grun_launches_add(a, (1ULL << 32) + 128, 0x7f0000, &small, "");
	tap_ok(is_written(7, "kind 3 7f0000 64 1 1 640 1 1\t\nlaunch T 1 0 3\n"
			  "launch T 1 1 1\nlaunch T 1 0 1\n"),
	       "... but where it had another one");
	grun_launches_add(a, 64, 0, NULL, "");
	grun_launches_add(a, 66, 0, NULL, "");
	tap_ok(is_written(11, "launch T 1 0 0\n"), "... and one that is not known");
	grun_launches_free(a);
	tap_ok(is_written(12, "queue T 1 0 0\n"), "the end of a queue is written");
	grun_launches_free(b);
}

static void test_refused(void)
{
	tap_ok(!grun_launches_new(0, 1, 0) && !grun_launches_new(0, 1, 3) &&
	       is_written(14, ""), "a queue whose numbers do not repeat by two to N is not");
	grun_launches_add(NULL, 0, 0, &small, "");
	grun_launches_free(NULL);
}

static void test_contexts(void)
{
	struct grun_launches *a = grun_launches_new(77, 1, 64);

	grun_launches_add(a, 9, 0x7f0000, &small, "");
	grun_launches_free(a);
	grun_name_record(5, 77, 0x1000, 0x20, "a", NULL);
	grun_name_record(6, 0, 0x1000, 0x20, "b", NULL);
	tap_ok(is_written(14, "queue T 1 64 0 77\nlaunch T 1 9 1 77\nqueue T 1 0 0 77\n"
			  "5 T 20@77 a\t\n6 T 20 b\t\n"),
	       "a context has queues and names of its own");
}

/* the file of a child has its own launches only */
static void test_fork(void)
{
	struct grun_launches *a = grun_launches_new(0, 7, 64), *b;
	pid_t pid = fork();
	bool ok;
	int status = 1;

	if (!pid) {
		b = grun_launches_new(0, 8, 64);
		grun_launches_add(b, 3, 0x7f0000, &large, "");
		ok = is_written(0, "gpubp names 1\nqueue T 8 64 0\n"
				"kind 1 7f0000 64 1 1 640 1 1\t\nlaunch T 8 3 1\n");
		_exit(!ok);
	}
	waitpid(pid, &status, 0);
	tap_ok(!status && is_written(19, "queue T 7 64 0\n"),
	       "a child writes to a file of its own");
	grun_launches_free(a);
}

/* a program closes all files, as a daemon does, and opens its own */
static void test_closed(void)
{
	struct grun_launches *a = grun_launches_new(0, 1, 64);
	bool is_written_to = false;
	int fd, last = 0;

	close_range(3, ~0U, 0);
	while (last < 16)
		last = memfd_create("of the program", 0);
	grun_launches_add(a, 5, 0x7f0000, &small, "");
	for (fd = 3; fd <= last; fd++)
		is_written_to |= lseek(fd, 0, SEEK_END) > 0;
	tap_ok(!is_written_to, "nothing is written to a file of the program");
	close_range(3, ~0U, 0);
	grun_launches_free(a);
	tap_ok(is_written(22, "launch T 1 5 1\nqueue T 1 0 0\n"), "... but to that of names");
}

/* places that change all the time */
static void test_end(void)
{
	struct grun_launches *a = grun_launches_new(0, 1, 64);
	unsigned int i, nr = 0;
	const char *last;
	char path[32], line[1024];
	FILE *file;

	for (i = 0; i < (1 << 20) + 1000; i++)
		grun_launches_add(a, 0, 0x7f0000, i % 2 ? &small : &large, "");
	grun_launches_free(a);
	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", (int)getpid());
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		nr++;
	if (file)
		fclose(file);
	last = line;
	/* with the header and the kinds */
	tap_ok(nr == (1 << 20) + 6 && !strncmp(last, "unlaunched ", 11),
	       "the file ends, and says so");
	unlink(path);
}

int main(void)
{
	tap_plan(11);
	test_lines();
	test_refused();
	test_contexts();
	test_fork();
	test_closed();
	test_end();
	return tap_status();
}
