// SPDX-License-Identifier: GPL-2.0
/*
 * perf-gpubp guard: find accesses out of bounds of the buffers of a command.
 *
 * The bytes at the ends of the buffers that a kernel gets are members of a watch set,
 * which is changed before the kernel starts: the command says what it gets, and waits for
 * an answer.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <subcmd/parse-options.h>
#include "guard.h"
#include "launches.h"
#include "listen.h"
#include "live.h"
#include "sysfile.h"
#include "verb.h"

#define WAIT_MS		20
/* two of them are in time for the command, which waits ten seconds */
#define SYNC_MS		4000
#define ZONE_MAX	(1 << 20)

enum { EVENT_ZONES, EVENT_VIOLATIONS, NR_EVENTS };

/**
 * struct guard_run - the verb
 * @command: what is run
 * @runs: how often at most
 * @first: end after so many findings, 0 never
 * @zone: bytes at each end of a buffer
 * @redzone: bytes between allocations
 * @loads: loads, too
 * @concurrent: kernels need not wait for each other
 * @json: not text
 * @path: output file, NULL standard output
 * @suppress: patterns with commas in between, or NULL
 * @suppress_file: file with patterns, or NULL
 * @out: output
 * @map: of this run, like the members that follow
 * @set: zones
 * @sync: of the last change of @set
 * @is_late: @sync was not complete in time
 * @nr_began: dispatches that may have begun before it was said
 * @live: events and command
 * @listener: our end of the socket
 * @failed: something went wrong here
 * @findings: of all runs, like the members that follow
 * @counts: how much was watched
 */
struct guard_run {
	const char **command;
	unsigned int runs;
	unsigned int first;
	unsigned int zone;
	unsigned int redzone;
	bool loads;
	bool concurrent;
	bool json;
	const char *path;
	const char *suppress;
	const char *suppress_file;
	FILE *out;
	struct guard_map map;
	struct guard_set set;
	struct gpubp_sync sync;
	bool is_late;
	size_t nr_began;
	struct live *live;
	int listener;
	bool failed;
	struct guard_findings findings;
	struct guard_counts counts;
};

static volatile sig_atomic_t interrupted;

static void stop_runs(int sig)
{
	interrupted = sig;
}

static void fail(struct guard_run *run, const char *text)
{
	if (!run->failed)
		complain("%s", text);
	run->failed = true;
}

/* ---- hits ----------------------------------------------------------------- */

static void take_sample(const struct live_sample *sample, void *arg)
{
	struct guard_run *run = arg;
	int err;

	if (sample->event == EVENT_ZONES)
		err = guard_judge(&run->findings, &run->map, sample->pid,
				  &sample->rec);
	else
		err = guard_violation(&run->findings, &run->map, sample->pid,
				      &sample->rec);
	if (err)
		fail(run, "out of memory");
}

static void take_samples(struct guard_run *run)
{
	live_drain(run->live, take_sample, run);
}

/* ---- messages ------------------------------------------------------------- */

/* wait until the comparators have changed, and all hits have come */
static void sync_zones(struct guard_run *run)
{
	run->is_late = live_sync(run->live, EVENT_ZONES, SYNC_MS, &run->sync) != 0;
	take_samples(run);
}

static void change_zones(struct guard_run *run, const struct guard_zone *zones, size_t nr)
{
	struct grun_err err;

	if (guard_set_has(&run->set, zones, nr))
		return;
	/* hits of zones that go */
	sync_zones(run);
	if (guard_set_update(&run->set, zones, nr, &err))
		fail(run, err.text);
	sync_zones(run);
	if (nr > run->counts.zones)
		run->counts.zones = nr;
}

/* one context at least has watches of all zones */
static bool zones_are_armed(const struct guard_run *run)
{
	const struct gpubp_sync *sync = &run->sync;

	return sync->nr_watches >= run->set.nr && sync->nr_armed == sync->nr_watches;
}

static void count_dispatch(struct guard_run *run, size_t left_out)
{
	struct guard_counts *counts = &run->counts;

	counts->dispatches++;
	counts->overlap += guard_dispatches_running(&run->map) > 1;
	counts->left_out += left_out > 0;
	counts->late += run->is_late || run->map.nr_began > run->nr_began;
	run->nr_began = run->map.nr_began;
	counts->turns += !run->is_late && !zones_are_armed(run);
}

static void plan_zones(struct guard_run *run)
{
	struct guard_zone *zones;
	size_t left_out;
	ssize_t nr = guard_plan(&run->map, run->zone, &zones, &left_out);

	if (nr < 0) {
		fail(run, "out of memory");
		return;
	}
	change_zones(run, zones, (size_t)nr);
	free(zones);
	count_dispatch(run, left_out);
	if (run->map.buffers.nr > run->counts.buffers)
		run->counts.buffers = run->map.buffers.nr;
}

static void take_message(struct guard_run *run, const char *text)
{
	enum guard_news news;

	/* earlier hits are judged by what was known before */
	if (guard_withdraws(text))
		sync_zones(run);
	take_samples(run);
	news = guard_message(&run->map, text);
	if (news == GUARD_MALFORMED)
		fail(run, "a message of the command is malformed: is its libgpubp-run of another version?");
	else if (news == GUARD_NO_MEMORY)
		fail(run, "out of memory");
	else if (news == GUARD_DISPATCH)
		plan_zones(run);
}

/* the command is to end */
static bool run_is_over(const struct guard_run *run)
{
	return interrupted == SIGTERM || (run->first && run->findings.nr >= run->first);
}

/* false: no command has the other end any more */
static bool take_messages(struct guard_run *run)
{
	char text[LISTEN_MAX];
	ssize_t n = 0;

	while (!run_is_over(run) && (n = listen_receive(run->listener, WAIT_MS, text)) > 0) {
		take_message(run, text);
		if (!listen_answer(run->listener))
			return false;
		take_samples(run);
	}
	return !n;
}

/* ---- one run -------------------------------------------------------------- */

static int open_events(struct guard_run *run, struct grun_err *err)
{
	const struct live_target target = { .command = run->command };
	struct perf_event_attr attrs[NR_EVENTS] = {
		[EVENT_ZONES] = {
			.config = GPUBP_KIND_WATCH_SET | (uint64_t)run->set.id <<
				  GPUBP_CONFIG_CODE_SHIFT,
		},
		[EVENT_VIOLATIONS] = {
			.config = GPUBP_KIND_EXCEPTION | (uint64_t)GPUBP_EXC_MEM_VIOL <<
				  GPUBP_CONFIG_CODE_SHIFT,
		},
	};
	int i, ret = 0;

	for (i = 0; !ret && i < NR_EVENTS; i++)
		ret = live_prepare(&attrs[i], true, err);
	return ret ? ret : live_open(&run->live, &target, attrs, NR_EVENTS, err);
}

static int begin_run(struct guard_run *run, struct grun_err *err)
{
	int theirs = -1, ret = listen_begin(&run->listener, &theirs, err);

	if (ret)
		return ret;
	ret = guard_set_create(&run->set, err);
	if (!ret)
		ret = open_events(run, err);
	close(theirs);
	return ret ? ret : live_start(run->live, err);
}

static void follow_run(struct guard_run *run)
{
	struct gpubp_event_stats stats;
	bool listens = true, ended = false;

	while (live_running(run->live)) {
		if (run_is_over(run) && !ended)
			ended = !kill(live_command(run->live), SIGTERM);
		if (listens && !ended)
			listens = take_messages(run);
		else
			live_wait(run->live, WAIT_MS);
		take_samples(run);
	}
	take_samples(run);
	run->counts.unread += run->map.nr_unread;
	run->counts.lost += live_lost(run->live);
	if (live_stats(run->live, EVENT_ZONES, &stats))
		return;
	run->counts.resident_ns += stats.resident_ns;
	run->counts.armed_ns += stats.armed_ns;
}

static void read_launches(struct launches *launches, uint32_t pid)
{
	char path[32];
	FILE *file;

	launches_free(launches);
	snprintf(path, sizeof(path), "/tmp/gpubp-%u.names", pid);
	file = sys_fopen(path);
	if (!file)
		return;
	launches_read(launches, file);
	fclose(file);
}

/* of the first hit of each finding, from what its process recorded: mostly one process */
static void find_items(struct guard_run *run)
{
	struct guard_finding *f = run->findings.list;
	struct launches launches = {};
	uint32_t pid = 0;
	size_t i;

	for (i = 0; i < run->findings.nr; i++, f++) {
		if (f->run != run->findings.run)
			continue;
		if (f->pid != pid)
			read_launches(&launches, f->pid);
		pid = f->pid;
		guard_find_item(f, &run->map, &launches);
	}
	launches_free(&launches);
}

/* of the command's libgpubp-run, or libgpubp-rocr */
static void set_environment(const struct guard_run *run)
{
	char text[16];

	setenv("GPUBP_DISPATCHES", "1", 1);
	if (!run->concurrent)
		setenv("GPUBP_SERIAL", "1", 1);
	snprintf(text, sizeof(text), "%u", run->redzone);
	if (run->redzone)
		setenv("GPUBP_REDZONE", text, 1);
}

/* exit status of the command, EXIT_NO_COMMAND if it was not started */
static int run_once(struct guard_run *run)
{
	struct grun_err err;
	int status = 0;

	run->live = NULL;
	run->listener = -1;
	run->nr_began = 0;
	run->set = (struct guard_set){
		.fd = -1, .access = GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC |
				    (run->loads ? GPUBP_ACCESS_LOAD : 0),
	};
	run->map.loads = run->loads;
	run->findings.run++;
	set_environment(run);
	if (begin_run(run, &err))
		fail(run, err.text);
	else
		follow_run(run);
	if (run->live)
		status = live_close(run->live);
	find_items(run);
	if (run->listener >= 0)
		close(run->listener);
	guard_set_close(&run->set);
	guard_map_free(&run->map);
	return status;
}

/* ---- all runs ------------------------------------------------------------- */

static int print_all(const struct guard_run *run)
{
	if (run->json)
		guard_json(&run->findings, &run->counts, run->out);
	else
		guard_print(&run->findings, &run->counts, run->out);
	return finish_output(run->out, run->path ? run->path : "standard output");
}

static int run_all(struct guard_run *run)
{
	int status = 0, written;

	/* the terminal sends it to the command, too; then no other run begins */
	signal(SIGINT, stop_runs);
	signal(SIGTERM, stop_runs);
	while (!run->failed && !interrupted && !status && !run->findings.nr &&
	       run->findings.run < run->runs)
		status = run_once(run);
	if (run->failed)
		return status == EXIT_NO_COMMAND ? status : EXIT_ERROR;
	if (!run->counts.buffers && !run->findings.nr) {
		complain("the command named no buffers: guard needs a program that uses libgpubp-run, or HIP");
		return status ? status : EXIT_ERROR;
	}
	written = print_all(run);
	free(run->findings.list);
	guard_suppress_free(run->findings.suppress);
	if (run->findings.nr)
		return EXIT_FOUND;
	return status ? status : written;
}

int verb_guard(int argc, const char **argv)
{
	static const char * const usage[] = {
		"perf-gpubp guard [OPTIONS] -- COMMAND...", NULL
	};
	struct guard_run run = { .runs = 1, .zone = 256 };
	const struct option options[] = {
		OPT_UINTEGER('r', "runs", &run.runs,
			     "run the command so often, or until something is found; default 1"),
		OPT_UINTEGER('z', "zone", &run.zone,
			     "bytes that are watched at each end of a buffer; default 256"),
		OPT_UINTEGER('R', "redzone", &run.redzone,
			     "bytes between allocations that are in none; default 0"),
		OPT_BOOLEAN('l', "loads", &run.loads, "loads, too; not stores and atomics only"),
		OPT_UINTEGER('f', "first", &run.first,
			     "end the command after so many findings"),
		OPT_STRING('s', "suppress", &run.suppress, "KERNEL:BUFFER[,...]",
			   "do not report these; * and ? as in a shell"),
		OPT_STRING('S', "suppressions", &run.suppress_file, "FILE",
			   "likewise, one a line"),
		OPT_BOOLEAN('c', "concurrent", &run.concurrent,
			    "let kernels run at once, which otherwise wait for those before them on their queue"),
		OPT_BOOLEAN('j', "json", &run.json, "as JSON"),
		OPT_STRING('o', "output", &run.path, "FILE", "write there, not to standard output"),
		OPT_END()
	};
	struct grun_err err;

	argc = parse_options(argc, argv, options, usage, PARSE_OPT_STOP_AT_NON_OPTION);
	if (!argc)
		return misuse("guard needs a command: perf-gpubp guard -- ./app");
	if (!run.runs)
		return misuse("no runs find nothing");
	if (!run.zone || run.zone > ZONE_MAX)
		return misuse("zones of %u bytes: 1 to %d are possible", run.zone,
			      ZONE_MAX);
	if (run.redzone > ZONE_MAX)
		return misuse("red zones of %u bytes: at most %d are possible",
			      run.redzone, ZONE_MAX);
	if (guard_suppress_read(&run.findings.suppress, run.suppress, run.suppress_file, &err))
		return complain("%s", err.text);
	/* before runs that may take long */
	run.out = run.path && strcmp(run.path, "-") ? fopen(run.path, "we") : stdout;
	if (!run.out)
		return complain("%s: %s", run.path, strerror(errno));
	run.command = argv;
	return run_all(&run);
}
