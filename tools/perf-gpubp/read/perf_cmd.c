// SPDX-License-Identifier: GPL-2.0
/*
 * Running perf.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perf_cmd.h"

#define FILTER		"perf-gpubp-hits.so"
#define BESIDE_BIN	"/../lib/perf-gpubp"

/* perf's standard error */
static int messages = -1;

const char *perf_program(void)
{
	const char *perf = getenv("PERF");

	return perf && perf[0] ? perf : "perf";
}

bool perf_has_program(const char *name)
{
	const char *dirs = getenv("PATH"), *end;
	char path[PATH_MAX];

	for (; dirs && *dirs; dirs = *end ? end + 1 : end) {
		end = strchrnul(dirs, ':');
		snprintf(path, sizeof(path), "%.*s/%s", (int)(end - dirs), dirs,
			 name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static bool is_there(char *path, size_t len, const char *dir, size_t dir_len)
{
	int n = snprintf(path, len, "%.*s/" FILTER, (int)dir_len, dir);

	return n > 0 && (size_t)n < len && !access(path, R_OK);
}

int perf_filter(char *path, size_t len, struct grun_err *err)
{
	const char *dir = getenv("PERF_GPUBP_LIBDIR");
	char self[PATH_MAX];
	ssize_t n;

	if (dir && is_there(path, len, dir, strlen(dir)))
		return 0;
	if (dir)
		return grun_fail(err, -1, "no " FILTER " in %s", dir);
	/* a program that was not installed */
	n = readlink("/proc/self/exe", self, sizeof(self));
	while (n > 0 && self[--n] != '/')
		;
	if (n > 0 && is_there(path, len, self, (size_t)n))
		return 0;
	/* one that was installed elsewhere than it was built for */
	if (n > 0 && (size_t)n + sizeof(BESIDE_BIN) <= sizeof(self)) {
		strcpy(self + n, BESIDE_BIN);
		if (is_there(path, len, self, strlen(self)))
			return 0;
	}
	if (is_there(path, len, LIBDIR, strlen(LIBDIR)))
		return 0;
	return grun_fail(err, -1, "no " FILTER " in " LIBDIR ", set PERF_GPUBP_LIBDIR");
}

static void keep_messages(void)
{
	dup2(messages, STDERR_FILENO);
}

int perf_start(struct child_process *perf, struct grun_err *err)
{
	int ret;

	messages = memfd_create("messages", MFD_CLOEXEC);
	if (messages < 0)
		return grun_fail(err, -1, "%s", strerror(errno));
	perf->preexec_cb = keep_messages;
	ret = start_command(perf);
	if (!ret)
		return 0;
	close(messages);
	return grun_fail(err, -1, "cannot run %s", perf_program());
}

/* the first line with a word in it */
static const char *first_message(char *text, size_t len)
{
	ssize_t n = pread(messages, text, len - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	text += strspn(text, " \t\n");
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* e.g. that the recording is incomplete */
static void pass_messages(void)
{
	char text[4096];
	ssize_t n = pread(messages, text, sizeof(text), 0);

	if (n > 0)
		fprintf(stderr, "%.*s", (int)n, text);
}

int perf_finish(struct child_process *perf, struct grun_err *err)
{
	int ret = finish_command(perf);
	char text[200];

	if (ret == -ERR_RUN_COMMAND_EXEC)
		grun_fail(err, -1, "%s: cannot be run, install linux-perf or set PERF",
			  perf_program());
	else if (ret)
		grun_fail(err, -1, "perf: %s", first_message(text, sizeof(text)));
	else
		pass_messages();
	close(messages);
	return ret ? -1 : 0;
}
