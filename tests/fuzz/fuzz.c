// SPDX-License-Identifier: GPL-2.0
/*
 * usage: fuzz [OPTIONS]
 *        fuzz replay FILE
 *
 * Make calls of gpubp's ABI from its descriptions, as root in a VM; prints TAP.
 * If the kernel complains, or a process hangs, the calls of all processes are
 * printed; replay makes the calls of a FILE again: one process for each worker,
 * concurrently.
 *
 * options:
 *   --seconds N   duration (or GPUBP_FUZZ_SECONDS), default 20
 *   --seed N      seed of all choices (or GPUBP_SEED)
 *   --workers N   processes, default 5
 *   --blind       coverage is measured, but does not guide
 *   --dir DIR     the descriptions, default the program's name and ".d"
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "books.h"
#include "cover.h"
#include "event.h"
#include "exec.h"
#include "prog.h"
#include "splat.h"
#include "worker.h"

#define ROUND_US	20000
#define PROGRESS_S	60	/* s between progress messages */
#define PATIENCE	120	/* s until all exited and statistics balance */

static unsigned int seconds = 20, nr_workers = 5;
static uint64_t seed;
static bool blind;
static const char *dir;

static unsigned int nr_results;
static bool failed;

static void result(bool good, const char *what, const char *skip)
{
	printf("%s %u - %s%s%s\n", good ? "ok" : "not ok", ++nr_results, what,
	       skip ? " # SKIP " : "", skip ?: "");
	failed |= !good;
}

/* two workers of one user, two of another, one of root */
static uid_t uid_of(unsigned int nr)
{
	return nr % 5 == 4 ? 0 : nr & 1 ? 1001 : 1000;
}

/* settings for unprivileged users; restored at the end */
static struct {
	const char *path;
	int wanted;
	int before;
} settings[] = {
	{ "/proc/sys/vm/unprivileged_userfaultfd", 1, 0 },
	{ "/proc/sys/kernel/perf_event_paranoid", 2, 0 },
	/* MiB: the contexts of all processes fit into the machine */
	{ "/sys/module/gpubp_sim/parameters/ctx_mem_mb", 8, 0 },
	/* else the calls that led to a complaint could not be printed */
	{ "/proc/sys/kernel/panic_on_oops", 0, 0 },
};

static void set(const char *path, int value, int *before)
{
	FILE *file = fopen(path, "r+e");

	if (!file)
		return;
	if (before && fscanf(file, "%d", before) != 1)
		*before = value;
	rewind(file);
	fprintf(file, "%d\n", value);
	fclose(file);
}

static void set_all(bool back)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		set(settings[i].path, back ? settings[i].before : settings[i].wanted,
		    back ? NULL : &settings[i].before);
}

static void print_worker(FILE *file, unsigned int nr)
{
	const struct worker *w = &state->workers[nr];
	uint64_t n = w->nr_lives < KEPT ? 0 : w->nr_lives - KEPT;
	unsigned int i;

	for (; n < w->nr_lives; n++) {
		const struct life *life = &w->lives[n % KEPT];

		fprintf(file, "process uid %u # worker %u\n", life->uid, nr);
		for (i = 0; i < life->nr; i++)
			prog_print(file, &life->steps[i]);
	}
}

static void print_calls(void)
{
	unsigned int i;

	printf("# calls until then, for fuzz replay:\n");
	for (i = 0; i < nr_workers; i++)
		print_worker(stdout, i);
	printf("# end of the calls\n");
	fflush(stdout);
}

/* returns a complaint, or that a process does not die */
static const char *trouble(void)
{
	const char *splat = splat_next();
	unsigned int i;

	for (i = 0; !splat && i < nr_workers; i++)
		if (state->workers[i].undead)
			splat = "a process does not die";
	return splat;
}

static bool start_workers(void)
{
	bool covered = true;
	unsigned int i;
	int ready[2];
	char answer;

	if (pipe(ready))
		return false;
	for (i = 0; i < nr_workers; i++) {
		uint64_t of_worker = gen_next(&seed);

		if (fork())
			continue;
		answer = cover_open(i) ? 'y' : 'n';
		if (write(ready[1], &answer, 1) != 1)
			_exit(1);
		close(ready[0]);
		close(ready[1]);
		worker_monitor(i, uid_of(i), of_worker, !blind);
		_exit(0);
	}
	for (i = 0; i < nr_workers; i++)
		covered &= read(ready[0], &answer, 1) == 1 && answer == 'y';
	return covered;
}

static uint64_t total(bool errors)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < nr_workers; i++)
		sum += errors ? state->workers[i].errors : state->workers[i].calls;
	return sum;
}

/* returns NULL, or a description of the failure */
static const char *run(double start)
{
	const char *splat = NULL;
	double next_report = PROGRESS_S;

	while (!splat && now_ns() / 1e9 - start < seconds) {
		usleep(ROUND_US);
		splat = trouble();
		if (now_ns() / 1e9 - start < next_report)
			continue;
		printf("# %llu calls in %.0f s\n", (unsigned long long)total(false), next_report);
		fflush(stdout);
		next_report += PROGRESS_S;
	}
	state->stop = true;
	return splat;
}

/* wait for the monitors; false if some still run */
static bool wait_all(void)
{
	double start = now_ns() / 1e9;

	while (now_ns() / 1e9 - start < PATIENCE) {
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return true;
		usleep(ROUND_US);
	}
	return false;
}

/* for each kind: calls, calls without an error, mean duration */
static void print_kinds(void)
{
	unsigned int nr, i;
	const struct call *calls = syntax_calls(&nr);

	printf("#  made  done  us each\n");
	for (i = 0; i < nr; i++) {
		const struct kind *k = &state->kinds[i];

		printf("# %llu %llu %llu %s\n", (unsigned long long)k->made,
		       (unsigned long long)k->done,
		       (unsigned long long)(k->made ? k->took / k->made / 1000 : 0),
		       calls[i].name);
	}
}

static void print_figures(double took, int64_t hits)
{
	uint64_t lives = 0, stuck = 0;
	unsigned int i;

	for (i = 0; i < nr_workers; i++) {
		lives += state->workers[i].nr_lives;
		stuck += state->workers[i].stuck;
	}
	printf("# %llu calls in %.1f s, %.0f a second, %llu failed; %llu processes, %llu stuck\n",
	       (unsigned long long)total(false), took, total(false) / took,
	       (unsigned long long)total(true), (unsigned long long)lives,
	       (unsigned long long)stuck);
	printf("# %lld hits; coverage: %u blocks, %u edges; %u programs kept\n",
	       (long long)hits, state->nr_blocks, state->nr_signals, state->nr_corpus);
	print_kinds();
}

static uint64_t done(const char *name)
{
	return state->kinds[syntax_call(name)->nr].done;
}

/* a run that does not reach these shows nothing */
static void print_results(bool covered, int64_t hits)
{
	result(done("ioctl$GPUBP_SIM_DISPATCH"), "dispatches are launched", NULL);
	result(hits > 0, "watches are hit", NULL);
	result(!covered || state->nr_blocks > 100, "coverage", covered ? NULL : "no KCOV");
	result(books_idle(PATIENCE), "the statistics balance", NULL);
}

static int fuzz(void)
{
	double start = now_ns() / 1e9, took;
	const char *splat;
	bool covered;
	int64_t hits;

	printf("TAP version 13\n1..5\n# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	hits = books_get("raised");
	set_all(false);
	splat_open();
	covered = start_workers();
	splat = run(start);
	took = now_ns() / 1e9 - start;
	if (splat) {
		printf("# after %.1f s, %llu calls: %s\n", took,
		       (unsigned long long)total(false), splat);
		print_calls();
		result(false, "the kernel does not complain", NULL);
		return 1;
	}
	if (!wait_all() || (splat = trouble())) {
		printf("# at the end: %s\n", splat ?: "processes do not die");
		print_calls();
	}
	hits = books_get("raised") - hits;
	print_figures(took, hits);
	result(!splat && !failed, "the kernel does not complain", NULL);
	print_results(covered, hits);
	set_all(true);
	return failed;
}

/* "process uid N", then its calls, one per line */
static bool read_calls(const char *path)
{
	struct life *life = NULL;
	size_t room = 0;
	char *line = NULL;
	unsigned int uid;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	while (getline(&line, &room, file) > 0) {
		if (sscanf(line, "process uid %u", &uid) == 1) {
			if (state->nr_workers == MAX_WORKERS)
				return false;
			life = &state->workers[state->nr_workers++].lives[0];
			life->uid = uid;
		} else if (*line != '#' && *line != '\n') {
			if (!life || life->nr == MAX_LIFE ||
			    !prog_parse(line, &life->steps[life->nr]))
				return false;
			life->nr++;
		}
	}
	fclose(file);
	return true;
}

static int replay(const char *path)
{
	unsigned int i;

	if (!read_calls(path)) {
		fprintf(stderr, "fuzz: %s: not a list of calls\n", path);
		return 2;
	}
	set_all(false);
	for (i = 0; i < state->nr_workers; i++) {
		state->workers[i].pid = fork();
		if (!state->workers[i].pid)
			worker_replay(i, stdout);
	}
	wait_all();
	set_all(true);
	return 0;
}

static const char *beside_program(void)
{
	static char path[PATH_MAX + 2];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);

	strcpy(path + (n > 0 ? n : 0), ".d");
	return path;
}

static uint64_t number(const char *text)
{
	return text ? strtoull(text, NULL, 0) : 0;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "workers", required_argument, NULL, 'w' },
		{ "blind", no_argument, NULL, 'b' },
		{ "dir", required_argument, NULL, 'd' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	seconds = number(getenv("GPUBP_FUZZ_SECONDS")) ?: seconds;
	seed = number(getenv("GPUBP_SEED")) ?: (uint64_t)time(NULL) ^ getpid();
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 's': seconds = number(optarg); break;
		case 'r': seed = number(optarg); break;
		case 'w': nr_workers = number(optarg); break;
		case 'b': blind = true; break;
		case 'd': dir = optarg; break;
		default: exit(2);
		}
	if (!nr_workers || nr_workers > MAX_WORKERS)
		exit(2);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	if (!dir)
		dir = beside_program();
	syntax_load(dir);
	exec_init();
	/* a later process may have no descriptor left to read the type */
	event_type();
	prog_init(dir);
	if (!state_init())
		return 2;
	if (optind + 2 == argc && !strcmp(argv[optind], "replay"))
		return replay(argv[optind + 1]);
	if (optind != argc)
		return 2;
	state->nr_workers = nr_workers;
	return fuzz();
}
