// SPDX-License-Identifier: GPL-2.0
/*
 * Users whose tasks hardly run: a task with SCHED_IDLE that is preempted while it
 * has a lock of all users must not keep the others waiting until it runs again.
 *
 * On one processor a busy process, which rests now and then, lets the attackers
 * begin something, and then keeps them from ending it. How long calls of another
 * user take is counted in units of what the busy process does during them, so neither
 * the speed of the machine matters nor pauses of it. GPUBP_SYNC is none of
 * them: it waits for commits of what the attackers' sets want, too.
 *
 * Where the kernel's preemption can be chosen it is full: in the others a task is
 * preempted with a lock only where it sleeps.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PREEMPT		"/sys/kernel/debug/sched/preempt"
#define ATTACKER	1000
#define VICTIM		1001
#define IDLERS		8
#define MEMBERS		1024	/* of the set of an attacker */
#define OPS		100
#define BUSY		50000	/* units of work before each rest */
#define UNIT		500	/* loops */
#define REST_US		3000
#define PATIENCE	120	/* s */

/*
 * Of so many calls one may be longer: the machine may stand still. Those that wait
 * for an attacker are as long as the busy process is busy, at least.
 */
#define ONE_IN		20

/* ---- attackers ----------------------------------------------------------- */

struct attacker {
	int session;
	int event;
	uint32_t set;
	struct gpubp_set_watch watches[MEMBERS];
};

static bool attack_set(struct attacker *a)
{
	static unsigned int round;
	unsigned int i;

	for (i = 0; i < MEMBERS; i++)
		a->watches[i].addr ^= 4096;
	if (round++ % 4 == 0)
		session_sync(a->session, a->event, PATIENCE, NULL);
	return !session_update(a->session, a->set, a->watches, MEMBERS, NULL);
}

static bool attack_sync(struct attacker *a)
{
	struct gpubp_event_stats stats;

	session_sync(a->session, a->event, 0, NULL);
	return !session_stats(a->session, a->event, &stats);
}

static bool attack_contexts(struct attacker *a)
{
	int fd = open("/dev/gpubp_sim0", O_RDWR | O_CLOEXEC);

	return fd >= 0 && !close(fd);
}

static bool attack_events(struct attacker *a)
{
	struct perf_event_attr attr = event_watch(0x1000, 8, EVENT_STORES);
	int fd;

	attr.exclude_kernel = 1;
	fd = event_open(&attr, 0, -1);
	return fd >= 0 && !close(fd);
}

static bool (*const attacks[4])(struct attacker *a) = {
	attack_set, attack_sync, attack_contexts, attack_events,
};

static int attacker_prepare(struct attacker *a)
{
	struct perf_event_attr attr = event_watch(0, 0, 0);
	unsigned int i;

	a->session = session_open();
	if (a->session < 0 || session_set(a->session, &a->set))
		return -1;
	for (i = 0; i < MEMBERS; i++)
		a->watches[i] = (struct gpubp_set_watch) {
			.addr = 0x100000 + 64 * i, .len = 4,
		};
	if (session_update(a->session, a->set, a->watches, MEMBERS, NULL))
		return -1;
	attr.config = GPUBP_KIND_WATCH_SET |
		      (uint64_t)a->set << GPUBP_CONFIG_CODE_SHIFT;
	attr.exclude_kernel = 1;
	a->event = event_open(&attr, 0, -1);
	return a->event < 0;
}

static int be_idle(int sock, void *arg)
{
	static struct attacker a;
	const struct sched_param param = {};
	struct gpu gpu;

	if (become(ATTACKER) || gpu_open(&gpu, "loop") || attacker_prepare(&a))
		return 1;
	if (sched_setscheduler(0, SCHED_IDLE, &param) || !say(sock, 0))
		return 1;
	for (;;)
		if (!attacks[*(unsigned int *)arg % 4](&a))
			return 1;
}

/* ---- the others ---------------------------------------------------------- */

static volatile uint64_t *units;	/* that were done; shared */

static int be_busy(int sock, void *arg)
{
	volatile unsigned int i;

	if (become(VICTIM) || !say(sock, 0))
		return 1;
	for (;;) {
		for (i = 0; i < UNIT; i++)
			;
		if (++*units % BUSY == 0)
			usleep(REST_US);
	}
}

enum op { OP_STATS, OP_EVENT, OP_CONTEXT, OP_DISPATCH, NR_OPS };

static const char *const op_names[NR_OPS] = {
	"STATS", "open and close of an event", "open and close of a context",
	"dispatch",
};

struct victim {
	struct gpu gpu;
	struct grun_mem out;
	int session;
	int event;
};

static bool victim_prepare(struct victim *v)
{
	struct perf_event_attr attr;

	if (gpu_open(&v->gpu, "loop") || gpu_buffer(&v->gpu, &v->out, 256, 0))
		return false;
	attr = event_watch(v->out.va, 4, EVENT_STORES);
	attr.exclude_kernel = 1;
	v->event = event_open(&attr, 0, -1);
	v->session = session_open();
	return v->event >= 0 && v->session >= 0 &&
	       !gpu_run(&v->gpu, "repeat", 1, GPU_ARGS(v->out.va, 1));
}

static bool victim_do(struct victim *v, enum op op)
{
	struct gpubp_event_stats stats;

	switch (op) {
	case OP_STATS:
		return !session_stats(v->session, v->event, &stats);
	case OP_EVENT:
		return attack_events(NULL);
	case OP_CONTEXT:
		return attack_contexts(NULL);
	default:
		return !gpu_run(&v->gpu, "repeat", 1, GPU_ARGS(v->out.va, 1));
	}
}

static int u64_cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* how long it takes but for the longest ones, units, or -1 */
static int64_t victim_time(struct victim *v, enum op op)
{
	uint64_t took[OPS], from;
	unsigned int i;

	for (i = 0; i < OPS; i++) {
		from = *units;
		if (!victim_do(v, op))
			return -1;
		took[i] = *units - from;
		/* attackers begin */
		usleep(REST_US);
	}
	qsort(took, OPS, sizeof(took[0]), u64_cmp);
	return took[OPS - 1 - OPS / ONE_IN];
}

/* says how long each operation takes; and again when asked */
static int be_victim(int sock, void *arg)
{
	static struct victim v;
	int64_t us;
	enum op op;

	if (become(VICTIM) || !victim_prepare(&v))
		return 1;
	do {
		for (op = 0; op < NR_OPS; op++) {
			us = victim_time(&v, op);
			if (us < 0 || !say(sock, us))
				return 1;
		}
	} while (heard(sock) >= 0);
	return 0;
}

static bool hear_all(int sock, int64_t us[NR_OPS])
{
	enum op op;

	for (op = 0; op < NR_OPS; op++) {
		us[op] = heard(sock);
		if (us[op] < 0)
			return false;
	}
	return true;
}

/* "none voluntary (full)"; Return: the model, for preemption_set(), or NULL: there is one */
static const char *preemption_get(char buf[64])
{
	FILE *file = fopen(PREEMPT, "re");
	char *model = NULL;

	if (!file)
		return NULL;
	if (fgets(buf, 64, file))
		model = strchr(buf, '(');
	fclose(file);
	return model ? strtok(model, "()") : NULL;
}

static bool preemption_set(const char *model)
{
	FILE *file = fopen(PREEMPT, "we");
	bool done = file && fputs(model, file) >= 0;

	return file && !fclose(file) && done;
}

TEST(keep_no_lock_from_others)
{
	static unsigned int nr[IDLERS] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct child idlers[IDLERS], busy, victim;
	int64_t calm[NR_OPS], beside[NR_OPS];
	int paranoid = event_paranoid(2);
	const char *preemption;
	unsigned int i;
	char buf[64];

	preemption = preemption_get(buf);
	if (preemption) {
		ASSERT_TRUE(preemption_set("full"));
	} else {
		TH_LOG("preemption as the kernel was built");
	}
	ASSERT_NE(-1, paranoid);
	units = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, units);
	ASSERT_EQ(0, child_start(&busy, be_busy, NULL));
	ASSERT_EQ(0, heard(busy.sock));
	ASSERT_EQ(0, child_start(&victim, be_victim, NULL));
	ASSERT_TRUE(hear_all(victim.sock, calm));
	for (i = 0; i < IDLERS; i++)
		ASSERT_EQ(0, child_start(&idlers[i], be_idle, &nr[i]));
	for (i = 0; i < IDLERS; i++)
		ASSERT_EQ(0, heard(idlers[i].sock));
	ASSERT_TRUE(say(victim.sock, 0));
	ASSERT_TRUE(hear_all(victim.sock, beside));
	for (i = 0; i < NR_OPS; i++) {
		TH_LOG("%s: %lld units, beside idle attackers %lld",
		       op_names[i], (long long)calm[i], (long long)beside[i]);
		EXPECT_GE(BUSY / 2 + 3 * calm[i], beside[i]);
	}
	child_kill(&victim);
	child_kill(&busy);
	/* each is still at it */
	for (i = 0; i < IDLERS; i++)
		EXPECT_EQ(128 + SIGKILL, child_kill(&idlers[i]));
	event_paranoid(paranoid);
	if (preemption) {
		EXPECT_TRUE(preemption_set(preemption));
	}
	EXPECT_TRUE(books_idle(PATIENCE));
}

TEST_HARNESS_MAIN
