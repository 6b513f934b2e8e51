// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "onlooker.h"
#include "pages.h"
#include "waves.h"

#define OWN_BYTE	0x11	/* contents of the process's memory */
#define MY_BYTE		0x22	/* what the onlooker stores there */
#define AFTER		100	/* accesses after the start of the program */
#define DELAY_US	3000	/* until exec, at most */
#define HALF		(SECRET_SIZE / 2)
#define RING_PAGES	8
#define PATIENCE	30	/* s */

_Static_assert(PAGES_SIZE == SECRET_SIZE, "what pages_for_gpu() maps");

/**
 * struct round - one process, from its start to the end of its program
 * @o: parameters and results
 * @gpu: a context of the onlooker, which also maps memory of the process
 * @mem: its buffers: copied data, loaded data, data to store
 * @target: process
 * @mine: address of the process's memory in @gpu
 * @its: its address in the process's own context
 * @owner: session with a tracer's rights
 * @sampler: event on stores of the process's waves
 * @ring: its samples
 * @delay_us: before exec
 * @seen: ways by which memory of the process was accessed: SEEN_*
 */
struct round {
	struct onlooker *o;
	struct gpu gpu;
	struct grun_mem mem[3];
	struct child target;
	uint64_t mine;
	uint64_t its;
	struct owner owner;
	int sampler;
	struct ring ring;
	unsigned int delay_us;
	unsigned int seen;
};

#define COPIED	mem[0]
#define LOADED	mem[1]
#define STORED	mem[2]

#define SEEN_COPY	1	/* by the copy engine */
#define SEEN_SESSION	2	/* by GPUBP_READ_MEM */
#define SEEN_WAVES	4	/* by waves of the onlooker */
#define SEEN_SAMPLES	8	/* in samples */
#define SEEN_ALL	15

int onlooker_programs(void)
{
	if (system("cp " SECRET_PROGRAM " " SECRET_SUID))
		return -EIO;
	return chmod(SECRET_SUID, 04755) ? -errno : 0;
}

/* ---- the process ---------------------------------------------------------- */

/* its contexts and waves stay after exec */
static int keep(const struct gpu *gpu)
{
	return fcntl(grun_fd(gpu->dev), F_SETFD, 0);
}

/* a break word is in its code */
static void open_break(const struct gpu *gpu)
{
	struct perf_event_attr attr;
	uint64_t entry;

	if (!grun_code_symbol(gpu->code, "until", &entry))
		return;
	attr = event_break(grun_code_va(gpu->code) + entry);
	attr.exclude_kernel = 1;
	event_open(&attr, 0, -1);
}

static int execute(const struct round *r, const struct gpu *own)
{
	char data[32], code[32];

	snprintf(data, sizeof(data), "%#llx", SECRET_ADDR);
	snprintf(code, sizeof(code), "%#llx", (unsigned long long)grun_code_va(own->code));
	usleep(r->delay_us);
	execl(r->o->program, r->o->program, data, code, NULL);
	return 1;
}

static int target_main(int sock, void *arg)
{
	struct round *r = arg;
	volatile uint32_t *p;
	struct grun_mem stop;
	struct gpu own;

	p = mmap((void *)SECRET_ADDR, SECRET_SIZE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	memset((void *)p, OWN_BYTE, SECRET_SIZE);
	if (gpu_open(&own, "loop") || gpu_buffer(&own, &stop, HALF, 0) ||
	    pages_for_gpu(&own, (void *)p, &r->its) ||
	    pages_for_gpu(&r->gpu, (void *)p, &r->mine))
		return 1;
	open_break(&own);
	if (keep(&own) || keep(&r->gpu) || dup2(sock, SECRET_SOCK) < 0)
		return 1;
	if (!say(sock, r->mine) || !say(sock, r->its) || heard(sock))
		return 1;
	if (gpu_start(&own, "until", 1, GPU_ARGS(r->its, stop.va)) ||
	    !say(sock, 0) || heard(sock))
		return 1;
	return execute(r, &own);
}

/* ---- the onlooker --------------------------------------------------------- */

static bool has_secret(const volatile void *memory, size_t len)
{
	const volatile uint8_t *p = memory;
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] == SECRET_BYTE)
			return true;
	return false;
}

static void look_by(struct round *r, unsigned int way, const volatile void *memory,
		    size_t len)
{
	r->seen |= way;
	r->o->leaked += has_secret(memory, len);
}

static void look_at_samples(struct round *r)
{
	struct sample s;

	while (ring_next(&r->ring, &s)) {
		if (s.rec.flags & GPUBP_HIT_OLD_VALUE)
			look_by(r, SEEN_SAMPLES, &s.rec.old_value, s.rec.value_len);
		if (s.rec.flags & GPUBP_HIT_NEW_VALUE)
			look_by(r, SEEN_SAMPLES, &s.rec.new_value, s.rec.value_len);
	}
}

/* try each way once */
static void look(struct round *r)
{
	uint8_t page[HALF];

	if (!gpu_copy(&r->gpu, r->COPIED.va, r->mine + HALF, HALF))
		look_by(r, SEEN_COPY, r->COPIED.cpu, HALF);
	if (peek(&r->owner, r->its, page, HALF) == HALF)
		look_by(r, SEEN_SESSION, page, HALF);
	if (*(volatile uint32_t *)r->LOADED.cpu)
		look_by(r, SEEN_WAVES, r->LOADED.cpu, 256);
	look_at_samples(r);
	memset(r->STORED.cpu, MY_BYTE, HALF);
	gpu_copy(&r->gpu, r->mine + HALF, r->STORED.va, HALF);
}

/* wait for the start of the program; -1: it does not start */
static int has_begun(int sock)
{
	uint64_t value;
	ssize_t n = recv(sock, &value, sizeof(value), MSG_DONTWAIT);

	return n == sizeof(value) ? 1 : n < 0 && errno == EAGAIN ? 0 : -1;
}

static int look_on(struct round *r)
{
	int i, begun;

	while (r->seen != SEEN_ALL)
		look(r);
	r->o->looked++;
	if (!say(r->target.sock, 0))
		return -EPIPE;
	do {
		look(r);
		begun = has_begun(r->target.sock);
	} while (!begun);
	if (begun < 0)
		return -ENOEXEC;
	for (i = 0; i < AFTER; i++)
		look(r);
	return 0;
}

static int open_sampler(struct round *r)
{
	struct perf_event_attr attr = event_watch(r->its, 4, EVENT_STORES);

	attr.exclude_kernel = 1;
	event_sample(&attr, 1);
	r->sampler = event_open(&attr, r->target.pid, -1);
	return r->sampler < 0 ? r->sampler : ring_map(&r->ring, r->sampler, RING_PAGES);
}

/*
 * waves of the onlooker load from the memory, whose words are neither 0 (store)
 * nor 2 (end)
 */
static int attach(struct round *r)
{
	int err;

	r->mine = heard(r->target.sock);
	r->its = heard(r->target.sock);
	err = open_sampler(r) ?: owner_open(&r->owner, r->target.pid, true) ?:
	      gpu_start(&r->gpu, "on_demand", 1,
			GPU_ARGS(r->STORED.va, r->mine + HALF, r->LOADED.va));
	if (err)
		return err;
	return say(r->target.sock, 0) && !heard(r->target.sock) ? 0 : -EPIPE;
}

static int begin(struct round *r)
{
	int i, err = gpu_open(&r->gpu, "loop");

	for (i = 0; !err && i < 3; i++)
		err = gpu_buffer(&r->gpu, &r->mem[i], HALF, 0);
	return err ?: child_start(&r->target, target_main, r) ?: attach(r);
}

/* overlapping accesses may keep it for a moment; false: it stays */
static bool is_gone(struct round *r)
{
	int ms;

	for (ms = 0; ms < PATIENCE * 1000; ms++) {
		if (gpu_copy(&r->gpu, r->COPIED.va, r->mine + HALF, HALF) == -EFAULT)
			return true;
		usleep(1000);
	}
	return false;
}

static int end(struct round *r)
{
	int64_t changed;

	if (!say(r->target.sock, 0))
		return -EPIPE;
	changed = heard(r->target.sock);
	if (changed < 0 || child_end(&r->target))
		return -EPIPE;
	r->o->changed += changed;
	r->o->kept += !is_gone(r);
	look_at_samples(r);
	ring_unmap(&r->ring);
	close(r->sampler);
	owner_close(&r->owner);
	gpu_close(&r->gpu);
	return 0;
}

int onlooker_main(int sock, void *arg)
{
	struct onlooker *o = arg;
	unsigned int i;
	int err = become(o->uid);

	/* like a login: a change of user ids makes a process undumpable */
	prctl(PR_SET_DUMPABLE, 1);
	for (i = 0; !err && i < o->rounds; i++) {
		struct round r = { .o = o, .delay_us = rand() % DELAY_US };

		err = begin(&r) ?: look_on(&r) ?: end(&r);
	}
	if (err)
		printf("# onlooker: %u rounds: %s\n", i, strerror(-err));
	return !!err;
}
