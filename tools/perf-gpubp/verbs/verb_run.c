// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp run: record a command, report what hit, and explain what did not.
 *
 * perf record itself is the command that live.h starts: events of it are
 * inherited by the command that it runs. They only count; their statistics say
 * why there is no hit.
 *
 * Without gpubp.ko (--no-kernel) there is no perf, either: alone.h.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "alone.h"
#include "cpu.h"
#include "live_options.h"
#include "pick_codes.h"
#include "nan.h"
#include "perf_record.h"
#include "recorded.h"
#include "sysfile.h"
#include "verb.h"
#include "workload.h"
#include "zero.h"

#define WAIT_MS	20

/* a recording that is not to be kept */
static char temporary[PATH_MAX];

/**
 * struct run - the verb
 * @picks: events
 * @path: recording
 * @workload: the command
 * @perf_ended: perf was started, and has ended
 * @perf_signal: signal that ended it, 0 none
 * @began: when
 * @zeros: one for each event, or for all those of a line of source
 * @nr_zeros: entries of @zeros
 * @clamped: see struct why
 * @cpu: the CPU's stores, too
 * @nan: let kernels begin without DX10_CLAMP
 */
struct run {
	struct picks picks;
	const char *path;
	struct workload workload;
	bool perf_ended;
	int perf_signal;
	time_t began;
	struct zero *zeros;
	unsigned int nr_zeros;
	char *clamped;
	bool cpu;
	bool nan;
};

/* the paths to memory that the GPU's comparators see */
static char caps_paths[64];

/* perf record ... -o FILE -- COMMAND; not -q, which is silent of errors, too */
static const char **record_args(struct run *run, int argc, const char **argv)
{
	const char *options[] = { "-o", run->path, "--" };
	const size_t nr = sizeof(options) / sizeof(options[0]);
	const size_t begin = nr + WORKLOAD_ARGS;
	const char **all, **args;

	all = calloc(begin + (size_t)argc, sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, options, sizeof(options));
	memcpy(all + nr, run->workload.args, sizeof(run->workload.args));
	memcpy(all + begin, argv, (size_t)argc * sizeof(*argv));
	args = perf_record_args(&run->picks, (int)begin + argc, all);
	free(all);
	return args;
}

static void zero_init(struct zero *zero, const struct pick *pick)
{
	zero->text = pick->text;
	zero->attr = &pick->attr;
	zero->name = pick->name;
	zero->why.named = pick->attr.config & GPUBP_CONFIG_NAMED;
	zero->why.access = (pick->attr.config & GPUBP_CONFIG_ACCESS) >>
			   GPUBP_CONFIG_ACCESS_SHIFT;
	zero->why.is_part = pick->attr.config & (GPUBP_CONFIG_POSSIBLE |
						 GPUBP_CONFIG_LOST);
	zero->why.is_exact = pick->attr.precise_ip > 1;
	why_set_kind(&zero->why, pick->attr.config & GPUBP_CONFIG_KIND,
		     (uint32_t)(pick->attr.config >> GPUBP_CONFIG_CODE_SHIFT));
	zero->why.paths = caps_paths;
}

static void read_figures(struct run *run, struct live *live)
{
	static char text[SYS_FILE_MAX];
	struct gpubp_event_stats stats;
	struct zero *zero = NULL;
	unsigned int i;

	sys_read("", SYS_PMU "/caps/paths", text);
	sys_word(text, 0, caps_paths, sizeof(caps_paths));
	for (i = 0; i < run->picks.nr; i++) {
		/* a line of source that is inlined is one question */
		if (!picks_is_same(&run->picks, i)) {
			zero = &run->zeros[run->nr_zeros++];
			zero_init(zero, &run->picks.list[i]);
		}
		live_stats(live, i, &stats);
		live_add_stats(&zero->why.stats, &stats);
		zero->why.nr_bound = zero->why.stats.resident_ns ||
				     zero->why.stats.places;
	}
}

/* until perf ends: a signal is for it, too */
static void wait_perf(struct run *run, struct live *live)
{
	bool passed_on = false, listens = run->cpu;

	while (live_running(live)) {
		if (listens)
			listens = cpu_follow(&run->picks, WAIT_MS);
		else
			live_wait(live, WAIT_MS);
		if (live_interrupted() && !passed_on)
			kill(live_command(live), SIGTERM);
		passed_on = live_interrupted();
	}
}

static int record_hits(struct run *run, int argc, const char **argv)
{
	struct live_target target = {};
	int ret, theirs = -1;
	struct live *live;
	struct grun_err err;

	if (workload_init(&run->workload, &err))
		return complain("%s", err.text);
	target.messages = run->workload.messages;
	target.command = record_args(run, argc, argv);
	if (!target.command)
		return complain("out of memory");
	if (run->cpu && cpu_begin(&theirs, &err))
		complain("%s", err.text);
	ret = live_open_picks(&live, &target, &run->picks, false);
	if (theirs >= 0)
		close(theirs);
	if (!ret) {
		live_signals();
		ret = live_need_session(live);
		if (!ret && live_start(live, &err))
			ret = complain("%s", err.text);
		if (!ret) {
			wait_perf(run, live);
			run->perf_ended = true;
			run->perf_signal = live_signal(live);
			run->clamped = codes_clamped(&run->picks);
			read_figures(run, live);
		}
		ret = ret ? live_close(live), ret : live_close(live);
		/* what follows may take long */
		live_signals_end();
	}
	free(target.command);
	return ret;
}

/* if not, it was said why */
static bool is_recorded(const struct run *run)
{
	char text[256];

	if (!run->perf_ended || workload_failed(&run->workload))
		return false;
	if (!workload_perf_failed(&run->workload, run->perf_signal, text, sizeof(text)))
		return true;
	complain("perf record failed: %s", text);
	return false;
}

static int report_hits(const struct run *run)
{
	const char *args[6] = { "report" }, *code = picks_code(&run->picks);
	int nr = 1;

	if (code) {
		args[nr++] = "--code";
		args[nr++] = code;
	}
	if (run->nan)
		args[nr++] = "--first";
	args[nr++] = "-i";
	args[nr++] = run->path;
	return verb_report(nr, args);
}

static unsigned int explain_zeros(struct run *run)
{
	unsigned int i, nr = 0;
	struct symmap names = {};

	zero_names(&names, run->began);
	for (i = 0; i < run->nr_zeros; i++) {
		run->zeros[i].names = names;
		run->zeros[i].why.clamped = run->clamped;
		if (run->zeros[i].why.stats.matched)
			continue;
		zero_print(&run->zeros[i], stdout);
		nr++;
	}
	symmap_free(&names);
	return nr;
}

static int run_command(struct run *run, int argc, const char **argv)
{
	struct grun_err err;
	int status;

	run->began = time(NULL);
	run->zeros = calloc(run->picks.nr, sizeof(*run->zeros));
	if (!run->zeros)
		return complain("out of memory");
	status = record_hits(run, argc, argv);
	if (!is_recorded(run))
		return status ? status : EXIT_ERROR;
	if (run->nan && nan_print(stdout)) {
		free(run->clamped);
		run->clamped = strdup("");
	}
	if (run->path != temporary && recorded_append(run->path, NULL, &err) < 0)
		complain("%s: names are not kept in it: %s", run->path, err.text);
	if (explain_zeros(run) < run->nr_zeros && report_hits(run))
		return EXIT_ERROR;
	if (run->cpu)
		cpu_report(stdout);
	return status;
}

/* as from the reader of the report, or the terminal, that has gone */
static void remove_temporary(int sig)
{
	unlink(temporary);
	nan_end();
	cpu_clean();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* while the command runs, live_signals() has others for some of them */
static void handle_unless_ignored(void)
{
	static const int signals[] = { SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signal(signals[i], remove_temporary) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static int begin_files(struct run *run)
{
	handle_unless_ignored();
	if (run->path)
		return run->nan ? nan_begin() : 0;
	if (sys_temporary(temporary, "perf-gpubp"))
		return complain("%s: %s", temporary, strerror(errno));
	run->path = temporary;
	return run->nan ? nan_begin() : 0;
}

/* ---- without the kernel ----------------------------------------------------------- */

static int add_watches(struct ask *ask, const struct picks *picks)
{
	const struct pick_arg *arg;
	struct grun_err err;

	for (arg = picks->args; arg < picks->args + picks->nr_args; arg++) {
		if (arg->letter != 'w')
			return misuse("-%c needs gpubp.ko: --no-kernel has -w only", arg->letter);
		if (ask_add(ask, arg->text, &err))
			return misuse("%s", err.text);
	}
	return ask->nr ? 0 : misuse("--no-kernel needs a watch: -w 'grid[4..7]:w'");
}

static int run_alone(const struct run *run, bool json, int pid, const char **command)
{
	struct alone alone = {
		.json = json, .path = run->path, .command = command, .pid = pid,
	};
	int ret;

	if (run->cpu || run->nan)
		return misuse("--%s needs gpubp.ko", run->cpu ? "cpu" : "nan");
	ret = add_watches(&alone.ask, &run->picks);
	return ret ? ret : alone_run(&alone);
}

int verb_run(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp run -w WATCH [<options>] [--] <command>",
		"perf-gpubp run --no-kernel -w WATCH [-w WATCH...] [-j] [-o FILE] [--] <command>",
		"perf-gpubp run --no-kernel -w WATCH [-w WATCH...] [-j] [-o FILE] -p PID",
		NULL
	};
	bool no_kernel = false, json = false;
	int pid = 0;
	struct run run = {};
	const struct option options[] = {
		PICK_OPTIONS(&run.picks, 'c'),
		OPT_STRING('o', "output", &run.path, "FILE",
			   "keep the recording; with --no-kernel: write findings there"),
		OPT_BOOLEAN(0, "cpu", &run.cpu,
			    "the CPU's stores to the bytes of each watch, too"),
		OPT_BOOLEAN(0, "nan", &run.nan,
			    "where a float stops being a number: -X fp_invalid in kernels without DX10_CLAMP"),
		OPT_BOOLEAN(0, "no-kernel", &no_kernel,
			    "without gpubp.ko and perf: the process watches itself"),
		OPT_BOOLEAN('j', "json", &json, "with --no-kernel: findings as JSON"),
		OPT_INTEGER('p', "pid", &pid, "with --no-kernel: a process that runs"),
		OPT_END()
	};
	struct grun_err err;
	int ret;

	argc = parse_options(argc, argv, options, usage,
			     PARSE_OPT_STOP_AT_NON_OPTION);
	if (pid && (argc || pid < 0 || !no_kernel))
		return misuse(no_kernel ? "-p has one process, and goes without a command" :
			      "-p needs --no-kernel: perf-gpubp record and stat have -p, too");
	if (!argc && !pid)
		return misuse("run needs a command");
	if (no_kernel)
		return run_alone(&run, json, pid, argv);
	if (json)
		return misuse("-j needs --no-kernel: perf-gpubp report has -j, too");
	if (run.path && !strcmp(run.path, "-"))
		return misuse("-o needs a file: the standard output has the report");
	if (run.nan && pick_add(&run.picks, 'X', "fp_invalid"))
		return complain("out of memory");
	run.picks.command = argv;
	ret = live_complain(picks_resolve(&run.picks, NULL, &err), &err);
	if (ret)
		return ret;
	ret = begin_files(&run);
	if (!ret)
		ret = run_command(&run, argc, argv);
	unlink(temporary);
	nan_end();
	cpu_clean();
	picks_free(&run.picks);
	free(run.zeros);
	free(run.clamped);
	return ret;
}
