// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
#include "agent_env.h"
#include "sysfile.h"
#include "trial.h"

#define PROGRAM		"gpubp-rocr-try"
#define WATCH		"tried:u32[5]:w"
#define SECONDS		300
#define OUTPUT_MAX	8192

/**
 * struct trial - a trial
 * @what: what is tried
 * @kernel: it needs gpubp.ko, or must not have a driver with it
 * @args: of perf-gpubp
 * @expect: what is printed if it went well
 */
static const struct trial {
	const char *what;
	bool kernel;
	const char *args[12];
	const char *expect;
} trials[] = {
	{ "without gpubp.ko", false,
	  { "run", "--no-kernel", "-w", WATCH, "--", PROGRAM, "10", "10" },
	  WATCH ": 100 hits;" },
	{ "counts of perf", true,
	  { "stat", "-x", ",", "-w", WATCH, "--", PROGRAM, "10", "10" }, "\n100," },
	{ "samples of perf", true,
	  { "run", "-w", WATCH, "--", PROGRAM, "10", "10" }, ", 100 hits" },
};

/* why it cannot be, or NULL */
static const char *trial_lacks(const char *root, const struct trial *t)
{
	if (!sys_exists(root, "/dev/kfd"))
		return "there is no /dev/kfd: amdgpu.ko is not loaded, or no GPU of AMD is there";
	if (!sys_exists("", agent_library()))
		return "libgpubp-rocr.so is not installed: sudo make -C tools/gpubp-rocr install";
	if (t->kernel && !sys_exists(root, SYS_PMU))
		return "gpubp is not loaded";
	if (t->kernel && !agent_env_is_asked(root))
		return "gpubp_agent is not loaded";
	return NULL;
}

/* ---- a command ---------------------------------------------------------------------- */

static pid_t command_start(const char *const *args, int out)
{
	const char *argv[16] = { "perf-gpubp" };
	unsigned int n;
	pid_t pid = fork();

	if (pid)
		return pid;
	for (n = 0; args[n]; n++)
		argv[n + 1] = args[n];
	setpgid(0, 0);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	/* execv() changes none of them */
	execv("/proc/self/exe", (char **)(uintptr_t)argv);
	_exit(127);
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* false: there is too much, or the time is over */
static bool read_output(int fd, char text[OUTPUT_MAX])
{
	struct pollfd file = { .fd = fd, .events = POLLIN };
	const time_t end = now() + SECONDS;
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < OUTPUT_MAX - 1 && now() < end) {
		if (poll(&file, 1, 1000) <= 0)
			continue;
		n = read(fd, text + len, OUTPUT_MAX - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = 0;
	return !n;
}

/* Return: its exit status, 128 and more of a signal; -1 it could not be started */
static int command_run(const char *const *args, char text[OUTPUT_MAX])
{
	int ends[2], status = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	fflush(NULL);
	pid = command_start(args, ends[1]);
	close(ends[1]);
	text[0] = 0;
	if (pid > 0) {
		if (!read_output(ends[0], text))
			kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	close(ends[0]);
	if (pid < 0)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- trials ------------------------------------------------------------------------- */

static void print_command(const struct trial *t, FILE *out)
{
	unsigned int n;

	fprintf(out, "$ perf-gpubp");
	for (n = 0; t->args[n]; n++)
		fprintf(out, strpbrk(t->args[n], "[*") ? " '%s'" : " %s", t->args[n]);
	fputc('\n', out);
}

static void print_indented(const char *text, FILE *out)
{
	while (*text) {
		const size_t len = strcspn(text, "\n");

		fprintf(out, "  %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

int trial_run(const char *root, unsigned int n, FILE *out)
{
	/* a line may be the first one */
	char text[OUTPUT_MAX + 1] = "\n";
	const struct trial *t = &trials[n];
	const char *lack;
	int status;

	if (n >= sizeof(trials) / sizeof(trials[0]))
		return -1;
	lack = trial_lacks(root, t);
	if (lack) {
		fprintf(out, "not tried: %s: %s\n", t->what, lack);
		return TRIAL_NOT;
	}
	print_command(t, out);
	status = command_run(t->args, text + 1);
	print_indented(text + 1, out);
	if (!status && strstr(text, t->expect)) {
		fprintf(out, "right: %s\n", t->what);
		return TRIAL_RIGHT;
	}
	fprintf(out, "WRONG: %s: exit status %d, and \"%s\" was expected\n", t->what, status,
		t->expect + (t->expect[0] == '\n'));
	return TRIAL_WRONG;
}
