// SPDX-License-Identifier: GPL-2.0
/*
 * GPUBP_SYNC that is stopped and continued, or traced, while it waits: the
 * program has no handler, so it is not to know. Calls of the software GPU are
 * in sim_uapi.c.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "session.h"

#define PATIENCE	60	/* s */
#define SYNC_S		1

/* its hits wait for it, as it is stopped */
static int hit_and_stop(int sock, void *arg)
{
	struct grun_mem out, stop;
	struct gpu gpu;

	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &out, 4096, 0) ||
	    gpu_buffer(&gpu, &stop, 4096, 0) || !say(sock, out.va) ||
	    heard(sock) ||
	    gpu_start(&gpu, "until", 1, GPU_ARGS(out.va, stop.va)))
		return 1;
	raise(SIGSTOP);
	return 1;
}

/* a sampling event on a task */
static int watch(pid_t pid, uint64_t addr)
{
	struct perf_event_attr attr = event_watch(addr, 4, EVENT_STORES);

	event_sample(&attr, 1);
	return event_open(&attr, pid, -1);
}

/* ... and a hit since then */
static int await_stopped(pid_t pid)
{
	int64_t raised;
	int status;

	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		return -ECHILD;
	raised = books_raised();
	while (books_raised() == raised)
		usleep(1000);
	return 0;
}

/* Return: the errno of GPUBP_SYNC, which waits for samples of a stopped task */
static int sync_in_vain(int sock, void *arg)
{
	int session = session_open(), event, err;
	struct child owner;
	uint64_t va;

	if (session < 0 || child_start(&owner, hit_and_stop, NULL) ||
	    !hear(owner.sock, &va))
		return 0;
	event = watch(owner.pid, va);
	if (event < 0 || session_sync(session, event, PATIENCE, NULL) ||
	    !say(owner.sock, 0) || await_stopped(owner.pid) || !say(sock, 0))
		return 0;
	err = session_sync(session, event, SYNC_S, NULL);
	child_kill(&owner);
	return -err;
}

FIXTURE(restarts) { };

FIXTURE_VARIANT(restarts) {
	enum disturbance how;
};

FIXTURE_VARIANT_ADD(restarts, by_stops) {
	.how = DISTURB_STOP,
};

FIXTURE_VARIANT_ADD(restarts, by_a_tracer) {
	.how = DISTURB_TRACE,
};

FIXTURE_SETUP(restarts)
{
}

FIXTURE_TEARDOWN(restarts)
{
	EXPECT_TRUE(books_idle(PATIENCE));
}

/* as often as possible: a restart waits for the time that is left */
TEST_F(restarts, sync)
{
	struct child waiter;

	books_of(0);
	ASSERT_EQ(0, child_start(&waiter, sync_in_vain, NULL));
	ASSERT_EQ(0, heard(waiter.sock));
	EXPECT_LT(0, disturb_in_ioctl(waiter.pid, GPUBP_SYNC, variant->how, 0,
				      PATIENCE));
	kill(waiter.pid, SIGKILL);
	EXPECT_EQ(ETIMEDOUT, child_end(&waiter));
}

TEST_HARNESS_MAIN
