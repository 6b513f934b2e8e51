// SPDX-License-Identifier: GPL-2.0
/*
 * More programs than VMIDs and a quantum of a millisecond: results and counts
 * of each program are those of a program that has the GPU alone. For all ways
 * to assign VMIDs, whether or not the core is notified.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "gpu.h"
#include "simdev.h"

#define NAME		"squeeze"
#define SIZE		4096
#define NR_PROGRAMS	3
#define ROUNDS		4
#define STORES		50
#define PATIENCE	120	/* s */
/* the longest possible: an emulator may stop for longer than the default */
#define PREEMPT_MS	"60000"

FIXTURE(squeeze) {
	int nr;
};

FIXTURE_VARIANT(squeeze) {
	const char *residency;
	const char *vmids;	/* VMIDs reserved for programs with watches */
};

FIXTURE_VARIANT_ADD(squeeze, reported) {
	.residency = "reported", .vmids = "1",
};

FIXTURE_VARIANT_ADD(squeeze, reserved) {
	.residency = "reserved_vmid", .vmids = "2",
};

FIXTURE_VARIANT_ADD(squeeze, firmware) {
	.residency = "firmware", .vmids = "1",
};

static int make(const char *residency, const char *vmids)
{
	return simdev_mkdir(NAME) ?:
	       simdev_set(NAME, "residency", residency) ?:
	       simdev_set(NAME, "vmids", vmids) ?:
	       simdev_set(NAME, "quantum_ms", "1") ?:
	       simdev_set(NAME, "preempt_ms", PREEMPT_MS) ?:
	       simdev_set(NAME, "live", "1") ?:
	       simdev_get(NAME, "number");
}

FIXTURE_SETUP(squeeze)
{
	simdev_rmdir(NAME);	/* left by a failed test */
	self->nr = make(variant->residency, variant->vmids);
	ASSERT_LT(0, self->nr) simdev_rmdir(NAME);
	books_of(self->nr);
}

FIXTURE_TEARDOWN(squeeze)
{
	books_of(0);
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

/*
 * Counts
 */

static int count_round(struct gpu *gpu, const struct grun_mem *out, int event,
		       int round)
{
	struct event_value old, new;

	if (event_read(event, &old) ||
	    gpu_run(gpu, "repeat", 1, GPU_ARGS(out->va, STORES)) ||
	    !books_settle(PATIENCE) || event_read(event, &new))
		return 1;
	if (new.count - old.count == STORES && new.enabled == new.running)
		return 0;
	printf("# round %d: %llu of %d stores, armed %llu of %llu ns\n", round,
	       (unsigned long long)(new.count - old.count), STORES,
	       (unsigned long long)new.running,
	       (unsigned long long)new.enabled);
	books_print();
	return 2;
}

static int count(int sock, void *arg)
{
	struct perf_event_attr attr;
	struct grun_mem out;
	struct gpu gpu;
	int i, event, ret = 0;

	if (gpu_open_on(&gpu, *(int *)arg, "loop") ||
	    gpu_buffer(&gpu, &out, SIZE, 0))
		return 3;
	attr = event_watch(out.va + 8, 4, EVENT_STORES);
	event = event_open(&attr, 0, -1);
	if (event < 0)
		return 4;
	for (i = 0; !ret && i < ROUNDS; i++)
		ret = count_round(&gpu, &out, event, i);
	close(event);
	gpu_close(&gpu);
	return ret;
}

TEST_F(squeeze, counts)
{
	struct child child[NR_PROGRAMS];
	int i;

	for (i = 0; i < NR_PROGRAMS; i++)
		ASSERT_EQ(0, child_start(&child[i], count, &self->nr));
	for (i = 0; i < NR_PROGRAMS; i++)
		EXPECT_EQ(0, child_end(&child[i]));
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_LT(0, books_device("saves"));
	EXPECT_EQ(0, books_device("ctx_resets"));
}

/*
 * A wave that is halted by a debugger and never resumed
 */

static int stay(int sock, void *arg)
{
	struct gpu gpu;

	if (gpu_open_on(&gpu, *(int *)arg, "loop") ||
	    gpu_start(&gpu, "forever", 1, 0, NULL))
		return 1;
	say(sock, 0);
	return gpu_wait(&gpu, -1);
}

/* the only wave, while its program runs alone; false: there is none */
static bool find_wave(int nr, unsigned int at[3], char state[16])
{
	char path[64];
	bool found;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/gpubp_sim%d/waves", nr);
	f = fopen(path, "r");
	found = f && fscanf(f, "cu %u simd %u wave %u vmid %*u pc %*s status %*s %15s",
			    &at[0], &at[1], &at[2], state) == 4;
	if (f)
		fclose(f);
	return found;
}

static bool halt_it(int nr)
{
	unsigned int at[3];
	char state[16];
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (find_wave(nr, at, state)) {
			if (!strcmp(state, "halted"))
				return true;
			simdev_halt(nr, at[0], at[1], at[2]);
		}
		usleep(10000);
	}
	return false;
}

TEST_F(squeeze, a_halted_wave_stops_no_other)
{
	struct child halted, child[NR_PROGRAMS];
	int64_t saves;
	int i;

	ASSERT_EQ(0, child_start(&halted, stay, &self->nr));
	ASSERT_EQ(0, heard(halted.sock));
	ASSERT_TRUE(halt_it(self->nr));
	saves = books_device("saves");

	for (i = 0; i < NR_PROGRAMS; i++)
		ASSERT_EQ(0, child_start(&child[i], count, &self->nr));
	for (i = 0; i < NR_PROGRAMS; i++)
		EXPECT_EQ(0, child_end(&child[i]));
	EXPECT_LT(saves, books_device("saves"));
	EXPECT_EQ(0, books_device("ctx_resets"));
	EXPECT_EQ(128 + SIGKILL, child_kill(&halted));
}

/*
 * Results: LDS, barriers, data exchange between lanes, atomics, private memory.
 */

static pid_t start_corpus(int nr)
{
	char text[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(text, sizeof(text), "%d", nr);
	setenv("GPUBP_SIM", text, 1);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	execl("/lib/gpubp/selftests/corpus", "corpus", "bitonic_sort",
	      "permutes", "tickets", "calls", NULL);
	_exit(127);
}

TEST_F(squeeze, results)
{
	pid_t pid[NR_PROGRAMS];
	int i, status;

	for (i = 0; i < NR_PROGRAMS; i++) {
		pid[i] = start_corpus(self->nr);
		ASSERT_LT(0, pid[i]);
	}
	for (i = 0; i < NR_PROGRAMS; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_LT(0, books_device("saves"));
	EXPECT_EQ(0, books_device("ctx_resets"));
}

TEST_HARNESS_MAIN
