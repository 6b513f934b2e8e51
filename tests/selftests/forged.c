// SPDX-License-Identifier: GPL-2.0
/*
 * Forgeries: programs that imitate the trap handler, the driver or another
 * process. No hit, count or sample results from that; a wave that does what
 * only the handler may do gets its exception; other programs run on.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kselftest.h"
#include "books.h"
#include "event.h"
#include "repeater.h"
#include "session.h"
#include "simdev.h"

#define SIZE		4096
#define PATIENCE	60	/* s */
#define MESSAGES	10000
#define ROUNDS		5	/* stores of the victim */
#define GRANULE		64
#define WATCHES		3	/* with that of the victim all comparators are used */
#define OUT		2048	/* offset of the output of kernels */
#define VICTIM_VA	0x300000000ULL

/**
 * struct forgery - what a program tries to forge
 * @name: description
 * @kernel: kernel that does so
 * @n: argument of the kernel: repetitions; 0: it has no such argument
 * @out: the kernel has an argument for its output, which must be 0
 * @endless: it never ends by itself
 * @messages: it sends @n messages that the device attributes to programs
 * @ret: result of grun_wait()
 * @bare: result of grun_wait() without watches
 * @counts: count of the watch on the word that it stores to at its end
 * @traps: stops that are not hits
 */
struct forgery {
	const char *name;
	const char *kernel;
	unsigned int n;
	bool out;
	bool endless;
	bool messages;
	int ret;
	int bare;
	unsigned int counts;
	unsigned int traps;
};

#define SURVIVES	.counts = 1
#define ILLEGAL		.ret = -EILSEQ, .bare = -EILSEQ, .traps = 1

static const struct forgery forgeries[] = {
	{ "interrupts with any payload", "interrupts", .n = MESSAGES,
	  .messages = true, SURVIVES },
	{ "the handler's interrupt for all doorbells", "trap_interrupts",
	  .n = MESSAGES, .messages = true, SURVIVES },
	{ "all other messages", "messages", SURVIVES },
	{ "a trap register", "write_ttmp", ILLEGAL },
	{ "two of them", "write_ttmps", ILLEGAL },
	{ "a load into them", "load_ttmps", ILLEGAL },
	{ "reading them", "read_ttmps", .out = true, SURVIVES },
	{ "s_rfe_b64", "rfe", ILLEGAL },
	{ "STATUS", "set_status", .out = true, SURVIVES },
	{ "other registers", "set_others", SURVIVES },
	{ "watch bits of TRAPSTS", "set_trapsts", .n = MESSAGES, SURVIVES },
	{ "watch bits and a trap", "decoy_trap", .bare = -EIO, .traps = 1,
	  SURVIVES },
	{ "watch bits and an exception behind a store", "decoy_illegal",
	  ILLEGAL },
	{ "no exceptions, please", "clear_excp_en", },
	{ "a trap a step", "single_step", .n = 100, SURVIVES },
	{ "all traps", "traps", .bare = -EIO, .traps = 254, SURVIVES },
	{ "the trap that aborts", "trap_abort", .ret = -EIO, .bare = -EIO,
	  .traps = 1 },
	{ "another trap", "trap_other", .bare = -EIO, .traps = 1, SURVIVES },
	{ "the end of a saved wave", "end_saved", SURVIVES },
	{ "a wave that halts itself", "halt", .endless = true },
	{ "likewise, by a message", "halt_by_message", .endless = true },
};

#define NR_FORGERIES	(sizeof(forgeries) / sizeof(forgeries[0]))

/**
 * struct rig - a forging program and its victim
 * @gpu: the forger's context
 * @mem: words that it stores to, and the output of its kernels
 * @session: /dev/gpubp
 * @watch: events on its words; -1 none
 * @victim: another process
 * @victim_watch: event on it
 */
struct rig {
	struct gpu gpu;
	struct grun_mem mem;
	int session;
	int watch[WATCHES];
	struct child victim;
	int victim_watch;
};

static const char *wrong(const char *what, int64_t got, int64_t want)
{
	static char text[128];

	if (got == want)
		return NULL;
	snprintf(text, sizeof(text), "%s: %lld, expected %lld", what,
		 (long long)got, (long long)want);
	return text;
}

/* ---- watches ----------------------------------------------------------------- */

static int watch(int session, uint64_t va, pid_t pid)
{
	struct perf_event_attr attr = event_watch(va, 4, EVENT_ANY);
	struct gpubp_sync sync;
	int fd = event_open(&attr, pid, -1);

	if (fd < 0)
		return fd;
	if (!session_sync(session, fd, PATIENCE, &sync) && sync.nr_armed == 1)
		return fd;
	close(fd);
	return -EBUSY;
}

static bool watch_forger(struct rig *rig)
{
	bool ok = true;
	int i;

	for (i = 0; i < WATCHES; i++) {
		rig->watch[i] = watch(rig->session, rig->mem.va + i * GRANULE, 0);
		ok &= rig->watch[i] >= 0;
	}
	return ok;
}

static const char *check_counts(const struct rig *rig, const struct forgery *f)
{
	const char *text = NULL;
	int i;

	for (i = 0; i < WATCHES && !text; i++)
		text = wrong(i ? "counts of another watch" : "counts",
			     event_count(rig->watch[i]), i ? 0 : f->counts);
	return text;
}

/* ---- the victim --------------------------------------------------------------- */

static int victim_start(struct rig *rig)
{
	uint64_t va = VICTIM_VA;
	int ret = child_start(&rig->victim, repeater, &va);

	if (ret)
		return ret;
	if (heard(rig->victim.sock) != VICTIM_VA)
		return -EIO;
	rig->victim_watch = watch(rig->session, va, rig->victim.pid);
	return rig->victim_watch < 0 ? rig->victim_watch : 0;
}

/* its stores are counted exactly */
static const char *victim_works(struct rig *rig)
{
	int64_t before = event_count(rig->victim_watch);

	if (!repeater_run(&rig->victim, ROUNDS))
		return "the victim exited";
	if (!books_settle(PATIENCE))
		return "the statistics do not balance";
	return wrong("counts of the victim",
		     event_count(rig->victim_watch) - before, ROUNDS);
}

/* ---- a forgery ----------------------------------------------------------------- */

static int start(struct rig *rig, const struct forgery *f)
{
	uint64_t second = f->out ? rig->mem.va + OUT : f->n;
	uint64_t args[] = { rig->mem.va, second };

	return gpu_start(&rig->gpu, f->kernel, 1, 1 + (second != 0), args);
}

/*
 * No interrupt reports it, and it is not a hit. A driver that looks for waves
 * whose interrupt was lost may resume it; then it is counted.
 */
static const char *check_standing(struct rig *rig)
{
	const char *text;
	int ret;

	if (!simdev_await_waves(0, "halted", 1, PATIENCE))
		return "no wave is halted";
	text = victim_works(rig);
	if (text)
		return text;
	ret = gpu_wait(&rig->gpu, 0);
	if (ret)
		return wrong("how it ends", ret, -ETIME);
	return NULL;
}

static const char *check_ended(struct rig *rig, const struct forgery *f, int want)
{
	const uint32_t *out = (void *)((char *)rig->mem.cpu + OUT);
	const char *text = victim_works(rig);

	text = text ?: wrong("how it ends", gpu_wait(&rig->gpu, PATIENCE), want);
	return text ?: wrong("what it read", *out, 0);
}

/**
 * struct figures - counters of the device and of the core
 * @messages: sent by programs, including those without room in the ring
 * @raised: hits and other stops
 * @traps: of @raised, those that are not hits
 */
struct figures {
	int64_t messages;
	int64_t raised;
	int64_t traps;
};

static struct figures figures(void)
{
	return (struct figures){
		.messages = books_device("user_msgs") + books_device("overflows"),
		.raised = books_raised(),
		.traps = books_get("stray_trap"),
	};
}

static const char *check_figures(const struct forgery *f,
				 const struct figures *old, bool watched)
{
	struct figures new;
	const char *text;

	if (!books_settle(PATIENCE))
		return "the statistics do not balance";
	new = figures();
	text = wrong("traps", new.traps - old->traps, watched ? f->traps : 0);
	text = text ?: wrong("hits", new.raised - old->raised, ROUNDS +
			     (watched ? f->traps + f->counts : 0));
	if (f->messages)
		text = text ?: wrong("messages", new.messages - old->messages, f->n);
	return text;
}

static const char *forge(struct rig *rig, const struct forgery *f, bool watched)
{
	struct figures old = figures();
	const char *text;

	if (start(rig, f))
		return "not started";
	if (f->endless)
		return check_standing(rig);
	text = check_ended(rig, f, watched ? f->ret : f->bare);
	text = text ?: check_figures(f, &old, watched);
	return text ?: (watched ? check_counts(rig, f) : NULL);
}

static const char *test_forgery(struct rig *rig, const struct forgery *f,
				bool watched)
{
	const char *text = "no context";
	int i;

	for (i = 0; i < WATCHES; i++)
		rig->watch[i] = -1;
	if (gpu_open(&rig->gpu, "forged"))
		return text;
	if (gpu_buffer(&rig->gpu, &rig->mem, SIZE, 0) ||
	    (watched && !watch_forger(rig)))
		text = "not armed";
	else
		text = forge(rig, f, watched);
	for (i = 0; i < WATCHES; i++)
		close(rig->watch[i]);
	gpu_close(&rig->gpu);
	/* nothing of the forgery is left, whatever it did */
	return text ?: (simdev_await_waves(0, "vmid", 0, PATIENCE) ?
			NULL : "waves are left");
}

static void test_both(struct rig *rig, const struct forgery *f)
{
	int watched;

	for (watched = 0; watched < 2; watched++) {
		const char *text = test_forgery(rig, f, watched);

		if (text)
			ksft_print_msg("%s\n", text);
		ksft_test_result(!text, "%s%s\n", f->name,
				 watched ? ", watched" : "");
	}
}

int main(void)
{
	struct rig rig = {};
	unsigned int i;

	ksft_print_header();
	ksft_set_plan(2 * NR_FORGERIES);
	rig.session = session_open();
	if (rig.session < 0 || victim_start(&rig))
		ksft_exit_fail_msg("no victim\n");
	for (i = 0; i < NR_FORGERIES; i++)
		test_both(&rig, &forgeries[i]);
	say(rig.victim.sock, 0);
	if (child_end(&rig.victim))
		ksft_exit_fail_msg("the victim did not end well\n");
	close(rig.victim_watch);
	close(rig.session);
	ksft_finished();
}
