// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp record: perf record of events in words.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agent_env.h"
#include "attach.h"
#include "live_options.h"
#include "perf_output.h"
#include "perf_record.h"
#include "picks.h"
#include "rank.h"
#include "recorded.h"
#include "verb.h"

/* where the options of perf-gpubp end */
static int own_arguments(int argc, const char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--") || !strcmp(argv[i], "--perf"))
			return i;
	return argc;
}

/* of perf record, which knows a pipe from a file, too */
static const char *record_output(const char **args)
{
	const char *output = perf_output(args + 2);
	struct stat st;

	if (output)
		return output;
	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

#define NR_SIGNALS	6

static pid_t perf;

/* a terminal sends its signals to perf, too */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	if (info->si_code <= 0)
		kill(perf, sig);
}

/* @mask: as it was */
static void perf_exec(const char **args, const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	/* perf hands it on to its command */
	agent_env_for_kernel("");
	/* execvp() changes none of them */
	execvp(args[0], (char **)(uintptr_t)args);
	_exit(complain("%s: %s", args[0], strerror(errno)));
}

/* its status as of waitpid(); -1: it was not started */
static int perf_run(const char **args)
{
	static const int signals[NR_SIGNALS] = {
		SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2
	};
	struct sigaction before[NR_SIGNALS];
	const struct sigaction action = {
		.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART,
	};
	sigset_t all, mask;
	unsigned int i;
	int status;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	perf = fork();
	if (!perf)
		perf_exec(args, &mask);
	for (i = 0; perf > 0 && i < NR_SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (perf < 0)
		return -1;
	while (waitpid(perf, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	for (i = 0; i < NR_SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	return status;
}

/* the names of its processes; of an older file, if perf wrote none, they are not known */
static void keep_names(const char *path, time_t since)
{
	struct grun_err err;
	struct stat st;

	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode) ||
	    !st.st_size || st.st_mtime < since)
		return;
	if (recorded_append(path, NULL, &err) < 0)
		complain("%s: names are not kept in it: %s", path, err.text);
}

/* ends as perf did */
static int record(const char **args)
{
	time_t since = time(NULL);
	struct grun_err err;
	int status;

	if (attach_for_kernel(perf_pids(args + 2), &err))
		return complain("%s", err.text);
	status = perf_run(args);
	if (status < 0)
		return complain("%s: %s", args[0], strerror(errno));
	keep_names(record_output(args), since);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return EXIT_ERROR;
}

/* the arguments with -o PATH in front; @argv has no such option */
static const char **with_output(const struct picks *picks, const char *path, int argc,
				const char **argv)
{
	const char **all = calloc((size_t)argc + 2, sizeof(*all)), **args;

	if (!all)
		return NULL;
	all[0] = "-o";
	all[1] = path;
	memcpy(all + 2, argv, (size_t)argc * sizeof(*argv));
	args = perf_record_args(picks, argc + 2, all);
	free(all);
	return args;
}

/* of many ranks each has its own file */
static const char **record_args(const struct picks *picks, int argc, const char **argv)
{
	const char **args = perf_record_args(picks, argc, argv);
	static char path[PATH_MAX];

	if (!args || perf_output(args + 2) || !strcmp(record_output(args), "-") ||
	    !rank_path("perf.data", path, sizeof(path)))
		return args;
	free(args);
	return with_output(picks, path, argc, argv);
}

/* append @more to the @nr arguments that parse_options() left in @argv */
static int append_arguments(const char **argv, int nr, const char **more,
			    int nr_more)
{
	if (nr_more && !strcmp(more[0], "--perf")) {
		more++;
		nr_more--;
	}
	memmove(argv + nr, more, (size_t)nr_more * sizeof(*argv));
	return nr + nr_more;
}

int verb_record(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp record [<options>] [<options of perf record>] -- <command>",
		"perf-gpubp record [<options>] --perf <options of perf record>",
		NULL
	};
	struct picks picks = {};
	const struct option options[] = {
		PICK_OPTIONS(&picks, 0),
		OPT_END()
	};
	int nr, ret, own = own_arguments(argc, argv);
	struct grun_err err;
	const char **args;

	nr = parse_options(own, argv, options, usage, PARSE_OPT_KEEP_UNKNOWN);
	picks.command = argv + own;
	ret = live_complain(picks_resolve(&picks, NULL, &err), &err);
	if (ret)
		return ret;
	nr = append_arguments(argv, nr, argv + own, argc - own);
	args = record_args(&picks, nr, argv);
	if (!args)
		return complain("out of memory");
	ret = record(args);
	free(args);
	return ret;
}
