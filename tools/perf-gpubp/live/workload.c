// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent_env.h"
#include "verb.h"
#include "workload.h"

#define MESSAGES_MAX	4096

/* what a perf record says that succeeds, and what may be in front of it */
#define DONE		"[ perf record: Captured and wrote"
#define PROGRESS	"[ perf record:"

/* never in the place of a standard file that is closed */
static int workload_file(const char *name, int dup_command)
{
	int fd = memfd_create(name, MFD_CLOEXEC), out = -1;

	if (fd < 0)
		return -1;
	/* several processes write into it */
	fcntl(fd, F_SETFL, O_APPEND);
	out = fcntl(fd, dup_command, STDERR_FILENO + 1);
	close(fd);
	return out;
}

int workload_init(struct workload *w, struct grun_err *err)
{
	ssize_t n = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);
	int out = dup(STDERR_FILENO);

	/* perf has it as its standard error, and the command not at all */
	w->messages = workload_file("messages", F_DUPFD_CLOEXEC);
	w->failed = workload_file("failed", F_DUPFD);
	if (n < 0 || w->messages < 0 || w->failed < 0)
		return grun_fail(err, -1, "%s", strerror(errno));
	w->self[n] = '\0';
	snprintf(w->fds[0], sizeof(w->fds[0]), "%d", out);
	snprintf(w->fds[1], sizeof(w->fds[1]), "%d", w->failed);
	w->args[0] = w->self;
	w->args[1] = WORKLOAD_EXEC;
	w->args[2] = w->fds[0];
	w->args[3] = w->fds[1];
	return 0;
}

bool workload_failed(const struct workload *w)
{
	struct stat st;

	return !fstat(w->failed, &st) && st.st_size > 0;
}

/* as much of it as fits, from its begin or up to its end */
static void read_messages(const struct workload *w, char *text, size_t len,
			  bool last)
{
	off_t at = last ? lseek(w->messages, 0, SEEK_END) - (off_t)len + 1 : 0;
	ssize_t n = pread(w->messages, text, len - 1, at > 0 ? at : 0);

	text[n > 0 ? n : 0] = '\0';
}

/* the first line that has a word and is not about progress */
static void first_message(const char *all, char *text, size_t len)
{
	const char *line = all;

	do {
		line += strspn(line, " \t\n");
		if (strncmp(line, PROGRESS, strlen(PROGRESS)))
			break;
		line = strchrnul(line, '\n');
	} while (*line);
	snprintf(text, len, "%.*s", (int)strcspn(line, "\n"), line);
}

bool workload_perf_failed(const struct workload *w, int sig, char *text, size_t len)
{
	char all[MESSAGES_MAX];

	read_messages(w, all, sizeof(all), false);
	first_message(all, text, len);
	if (sig)
		snprintf(text, len, "signal %d (%s) ended it", sig, strsignal(sig));
	else if (!text[0])
		snprintf(text, len, "it does not say why");
	read_messages(w, all, sizeof(all), true);
	return !strstr(all, DONE);
}

/* perf's standard output is the command's, its standard error is not */
int workload_exec(int argc, const char **argv)
{
	int out, failed;

	if (argc < WORKLOAD_ARGS)
		return misuse(WORKLOAD_EXEC " is what perf-gpubp run itself executes");
	out = atoi(argv[1]);
	failed = atoi(argv[2]);
	/* of a perf-gpubp without a standard error it is none, either */
	if (out >= 0) {
		dup2(out, STDERR_FILENO);
		close(out);
	} else {
		close(STDERR_FILENO);
	}
	fcntl(failed, F_SETFD, FD_CLOEXEC);
	agent_env_for_kernel("");
	/* execvp() changes none of them */
	execvp(argv[3], (char **)(uintptr_t)(argv + 3));
	complain("%s: %s", argv[3], strerror(errno));
	if (write(failed, "", 1) != 1)
		complain("%s", strerror(errno));
	return EXIT_NO_COMMAND;
}
