// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/gpubp_sim.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attacker.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "pages.h"
#include "rawgpu.h"
#include "session.h"
#include "waves.h"

#define DEVICE		"/dev/gpubp_sim0"
#define PAGE		4096
#define FILES		2048	/* that a process may have */
#define MAX_FDS		16	/* events that it keeps */
#define WAVES		8	/* of a dispatch */
#define HOARD		500	/* hits pending for their process */
#define TIMES		20	/* repetitions of short operations */
#define WAIT_NS		20000000
#define RAW_VA		0x600000000ULL
#define CODE_VA		0x300000000ULL

/**
 * struct attacker - one life of an attacking process
 * @all: state shared by all attackers
 * @nr: number of this attacker
 * @seed: random state
 * @gpu: a context with a buffer, a part of its process's memory, and absent
 *	pages
 * @out: address of the buffer
 * @part: memory of the process, two pages
 * @part_va: GPU address of @part
 * @absent_va: GPU address of pages that never become present
 * @session: of /dev/gpubp
 * @fd: events
 * @next: index of the event that is replaced next
 */
struct attacker {
	struct attackers *all;
	unsigned int nr;
	unsigned int seed;
	struct gpu gpu;
	uint64_t out;
	uint8_t *part;
	uint64_t part_va;
	uint64_t absent_va;
	int session;
	int fd[MAX_FDS];
	unsigned int next;
};

static unsigned int pick(struct attacker *a, unsigned int below)
{
	return rand_r(&a->seed) % below;
}

/* a value at a limit, or just beyond it */
static uint64_t boundary(struct attacker *a)
{
	const uint64_t values[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 63, 64, 65, 255, 256, 511, 512, 1024,
		PAGE - 1, PAGE, PAGE + 1, 65535, 65536, 0x7fffffff, 0x80000000,
		0xfffffe00, 0xfffffe01, 0xffffffff, 1ULL << 32, 1ULL << 47,
		(1ULL << 48) - 1, 1ULL << 63, ~0ULL, a->out, a->part_va,
		a->absent_va, CODE_VA, RAW_VA, (uintptr_t)a->part, 1ULL << pick(a, 64),
	};

	return values[pick(a, sizeof(values) / sizeof(values[0]))];
}

static void keep(struct attacker *a, int fd)
{
	if (fd < 0)
		return;
	if (a->fd[a->next])
		close(a->fd[a->next]);
	a->fd[a->next] = fd;
	a->next = (a->next + 1) % MAX_FDS;
}

static struct perf_event_attr unprivileged(struct perf_event_attr attr)
{
	attr.exclude_kernel = 1;
	return attr;
}

static int watch(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = unprivileged(event_watch(addr, len, EVENT_WRITES));

	return event_open(&attr, 0, -1);
}

static int sample(uint64_t addr, uint64_t len)
{
	struct perf_event_attr attr = unprivileged(event_watch(addr, len, EVENT_WRITES));

	event_sample(&attr, 1);
	return event_open(&attr, 0, -1);
}

static int open_break(uint64_t pc)
{
	struct perf_event_attr attr = unprivileged(event_break(pc));

	return event_open(&attr, 0, -1);
}

static void store(struct attacker *a, uint64_t va, unsigned int times)
{
	gpu_start(&a->gpu, "repeat", WAVES, GPU_ARGS(va, times));
}

/* ---- acts ------------------------------------------------------------------------ */

/* a kernel descriptor, and the dispatch of its code */
static void raw_dispatch(struct attacker *a, int fd, uint8_t *page, uint32_t queue)
{
	uint32_t *code = (uint32_t *)(page + 512);
	struct gpubp_sim_dispatch d = {
		.kernel_object = RAW_VA, .kernarg = RAW_VA + 1024,
		.grid = { 64, 1, 1 }, .workgroup = { 64, 1, 1 }, .queue = queue,
	};
	struct gpubp_sim_wait wait = { .queue = queue, .timeout_ns = WAIT_NS };
	struct raw_descriptor desc = {
		.entry = 512, .rsrc1 = 0x00af0181, .rsrc2 = 2 << 1 | 1 << 7,
		.properties = 8, .rsrc3 = 1,
	};
	unsigned int i, at = pick(a, sizeof(desc) / 4) * 4;
	uint32_t value = boundary(a);

	if (pick(a, 4))
		memcpy((uint8_t *)&desc + at, &value, sizeof(value));
	else
		d.grid[pick(a, 3)] = boundary(a);
	if (!pick(a, 4))
		d.workgroup[pick(a, 3)] = boundary(a);
	for (i = 0; i < 16; i++)
		code[i] = rand_r(&a->seed) << 1;
	code[16] = 0xbf810000;	/* s_endpgm */
	memcpy(page, &desc, sizeof(desc));
	if (raw_call(fd, GPUBP_SIM_DISPATCH, &d))
		return;
	wait.seq = d.seq;
	raw_call(fd, GPUBP_SIM_WAIT, &wait);
}

static void descriptors(struct attacker *a)
{
	struct gpubp_sim_queue queue = {};
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC), i;
	uint8_t *page = fd < 0 ? NULL : raw_bo(fd, RAW_VA, PAGE);

	for (i = 0; page && i < TIMES && !raw_call(fd, GPUBP_SIM_QUEUE_CREATE, &queue); i++)
		raw_dispatch(a, fd, page, queue.id);
	if (page)
		munmap(page, PAGE);
	close(fd);
}

/* samples wait for this process, which stops itself; another attacker resumes it */
static void hoard(struct attacker *a)
{
	keep(a, sample(a->out, 4));
	store(a, a->out, HOARD);
	raise(SIGSTOP);
}

static void watch_absent(struct attacker *a)
{
	unsigned int i;

	for (i = 0; i < 6; i++)
		keep(a, watch(a->absent_va + PAGE - 8 - i, 16 + i));
	for (i = 0; i < 3; i++)
		keep(a, open_break(a->absent_va + 4 * pick(a, PAGE / 2)));
	store(a, a->absent_va + PAGE, TIMES);
}

static void store_absent(struct attacker *a)
{
	store(a, a->absent_va + pick(a, 2) * (PAGE - 64), TIMES);
}

/* insert breaks into code that fork copies, with mmap_lock contended all the time */
static void forks(struct attacker *a)
{
	int i;

	keep(a, open_break(CODE_VA + 4 * pick(a, PAGE / 4)));
	store(a, a->part_va, TIMES);
	for (i = 0; i < TIMES; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
}

static void names(struct attacker *a)
{
	struct gpubp_sim_name name = { .va = a->out, .size = 1 };
	int i;

	for (i = 0; i < 10000; i++) {
		snprintf(name.name, sizeof(name.name), "\x1b[31m%d", i);
		if (raw_call(grun_fd(a->gpu.dev), GPUBP_SIM_NAME, &name))
			return;
	}
}

static void queues(struct attacker *a)
{
	struct gpubp_sim_queue queue = {};

	while (!raw_call(grun_fd(a->gpu.dev), GPUBP_SIM_QUEUE_CREATE, &queue))
		;
}

static void contexts_too_many(struct attacker *a)
{
	static int fd[FILES];
	int i, n;

	for (n = 0; n < FILES; n++) {
		fd[n] = open(DEVICE, O_RDWR | O_CLOEXEC);
		if (fd[n] < 0)
			break;
	}
	for (i = 0; i < n; i++)
		close(fd[i]);
}

static void open_and_close(struct attacker *a)
{
	struct perf_event_attr attr = unprivileged(event_watch(a->out, 4, EVENT_WRITES));
	int i;

	for (i = 0; i < TIMES; i++) {
		attr.pinned = pick(a, 2);
		attr.inherit = pick(a, 2);
		attr.config1 = pick(a, 4) ? a->out + 64 * pick(a, 16) : boundary(a);
		close(event_open(&attr, 0, -1));
	}
}

/* unmap, remap and move memory that waves store to and that is watched */
static void move_memory(struct attacker *a)
{
	const int prot[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	uint8_t *to;
	int i;

	keep(a, watch(a->part_va + 8, 4));
	keep(a, open_break(a->part_va + 4 * pick(a, PAGE / 2)));
	store(a, a->part_va, TIMES);
	for (i = 0; i < TIMES; i++)
		mprotect(a->part, PAGE * (1 + pick(a, 2)), prot[pick(a, 3)]);
	munmap(a->part + PAGE, PAGE);
	to = mremap(a->part, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		    a->part + 16 * PAGE);
	if (to != MAP_FAILED)
		munmap(to, PAGE);
}

/* hold waves and step some of them */
static void hold(struct attacker *a)
{
	struct gpubp_wave_entry e[WAVES] = {};
	struct owner o;
	int i, n;

	gpu_start(&a->gpu, "spin", WAVES, GPU_ARGS(a->out, UINT32_MAX));
	if (owner_open(&o, 0, true))
		return;
	halt_all(&o);
	n = list(&o, e, WAVES);
	for (i = 0; i < n && i < WAVES; i++)
		step(&o, e[i].wave);
	keep(a, o.session);
	keep(a, o.fd);
}

static void signal_each_other(struct attacker *a)
{
	const int signals[] = { SIGSTOP, SIGCONT, SIGKILL };
	pid_t pid = a->all->pid[pick(a, ATTACKERS)];

	/* of another user: refused */
	if (pid > 0)
		kill(pid, signals[pick(a, 3)]);
}

static void random_ioctls(struct attacker *a)
{
	static const unsigned int dirs[] = { _IOC_READ, _IOC_WRITE, _IOC_READ | _IOC_WRITE };
	uint64_t arg[32];
	int i, j;

	for (i = 0; i < 4 * TIMES; i++) {
		const int fds[] = {
			a->session, grun_fd(a->gpu.dev), a->fd[pick(a, MAX_FDS)],
		};
		unsigned int which = pick(a, 3);
		unsigned int nr = which ? 0x80 + pick(a, 10) : 0x40 + pick(a, 0x24);

		for (j = 0; j < 32; j++)
			arg[j] = boundary(a);
		arg[0] = session_id(a->fd[pick(a, MAX_FDS)]);
		ioctl(fds[which], _IOC(dirs[pick(a, 3)], 'B', nr, 8 * pick(a, 33)), arg);
	}
}

static void exec(struct attacker *a)
{
	keep(a, watch(a->out, 4));
	store(a, a->out, HOARD);
	execl("/bin/sh", "sh", "-c", ":", NULL);
}

static const struct {
	const char *name;
	void (*fn)(struct attacker *a);
} acts[] = {
	{ "descriptors", descriptors },
	{ "hits that wait", hoard },
	{ "watches of absent pages", watch_absent },
	{ "stores to absent pages", store_absent },
	{ "forks", forks },
	{ "names", names },
	{ "queues", queues },
	{ "contexts", contexts_too_many },
	{ "events", open_and_close },
	{ "memory that moves", move_memory },
	{ "held waves", hold },
	{ "random calls", random_ioctls },
	{ "signals", signal_each_other },
	{ "exec", exec },
};

#define NR_ACTS	(sizeof(acts) / sizeof(acts[0]))

_Static_assert(NR_ACTS <= MAX_ACTS, "room for all");

const char *attacker_act(unsigned int act)
{
	return act < NR_ACTS ? acts[act].name : NULL;
}

/* ---- lives ----------------------------------------------------------------------- */

static int begin(struct attacker *a, void *absent)
{
	struct grun_mem out;

	if (gpu_open(&a->gpu, "loop"))
		return -1;
	a->part = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->part == MAP_FAILED || gpu_buffer(&a->gpu, &out, PAGE, 0) ||
	    pages_for_gpu(&a->gpu, absent, &a->absent_va) ||
	    pages_for_gpu(&a->gpu, a->part, &a->part_va))
		return -1;
	a->out = out.va;
	a->session = session_open();
	return 0;
}

static void end(struct attacker *a)
{
	munmap(a->part, 32 * PAGE);
	close(a->session);
	gpu_close(&a->gpu);
}

static unsigned int next_act(struct attackers *all)
{
	return __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED) % NR_ACTS;
}

/* one act after the other; some of them destroy the context */
static int live(struct attacker *a, void *absent, unsigned int patience)
{
	unsigned int only = a->all->only, n;

	for (;;) {
		if (begin(a, absent))
			return 1;
		for (n = pick(a, 4); n < 4; n++) {
			unsigned int i = only ? only - 1 : next_act(a->all);

			alarm(patience);	/* some acts would block for ever */
			__atomic_add_fetch(&a->all->done[i], 1, __ATOMIC_RELAXED);
			acts[i].fn(a);
		}
		end(a);
	}
}

static int attacker(struct attackers *all, unsigned int nr, unsigned int seed, uid_t uid)
{
	const struct rlimit files = { FILES, FILES };
	struct attacker a = { .all = all, .nr = nr, .seed = seed };
	unsigned int patience = slow_kernel() ? 10 : 2;	/* s; only root can find out */
	void *absent = pages_absent();

	/* CPU time goes to the others, so that what they lose is GPU time */
	if (!absent || setpriority(PRIO_PROCESS, 0, 19) ||
	    setrlimit(RLIMIT_NOFILE, &files) || become(uid))
		return 1;
	/* reset by the change of user */
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return live(&a, absent, patience);
}

struct attackers *attackers_map(void)
{
	void *all = mmap(NULL, sizeof(struct attackers), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return all == MAP_FAILED ? NULL : all;
}

int attacker_start(struct attackers *all, unsigned int nr, unsigned int seed, uid_t uid)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		setpgid(0, 0);
		/* refusals are expected and not reported */
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		_exit(attacker(all, nr, seed, uid));
	}
	setpgid(pid, pid);
	__atomic_store_n(&all->pid[nr], pid, __ATOMIC_RELAXED);
	return 0;
}

void attacker_end(struct attackers *all, unsigned int nr)
{
	pid_t pid = all->pid[nr];

	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	all->pid[nr] = 0;
}
