// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks in awkward places: where no break is possible, where waves wait for
 * each other, and on all instructions that read the pc.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "event.h"
#include "session.h"
#include "simdev.h"
#include "waves.h"

#define PATIENCE	120	/* s */
#define GROUPS		2
#define WAVES		(GROUPS * BC_WAVES)
#define LOOPS		10
#define FOREVER		UINT32_MAX
#define SHARED_VA	0x400000000ULL
#define PRIVATE_VA	0x500000000ULL
#define PAGE		4096

FIXTURE(awkward) {
	struct breakcode bc;
	struct owner o;
};

FIXTURE_SETUP(awkward)
{
	ASSERT_EQ(0, bc_open(&self->bc));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
}

/* buffers of waves that ended inside are reclaimed on the next allocation */
static bool buffers_come_back(void)
{
	int session = session_open(), fd = event_open_break(BC_PC(BC_LOOP_NOP), 0);

	if (fd < 0 || session_sync(session, fd, PATIENCE, NULL))
		return false;
	close(fd);
	close(session);
	return books_idle(PATIENCE) &&
	       books_wait_none("buffers_in_use", PATIENCE);
}

FIXTURE_TEARDOWN(awkward)
{
	unsigned int at;

	owner_close(&self->o);
	EXPECT_TRUE(buffers_come_back()) books_print();
	for (at = 0; at < BC_TEXT_SIZE; at += 4)
		EXPECT_EQ(bc_original(at), bc_text(&self->bc, at));
	bc_close(&self->bc);
}

/* ---- places without breaks ----------------------------------------------- */

static int publish(const struct breakcode *bc, uint64_t va, const char *name)
{
	struct gpubp_sim_name n = {
		.va = va, .size = 256, .flags = GPUBP_SIM_NAME_CODE,
	};

	strcpy(n.name, name);
	return ioctl(bc->fd, GPUBP_SIM_NAME, &n) ? -errno : 0;
}

/* map memory of the process for the GPU, with some s_nop in it, and publish a name */
static int map_code(const struct breakcode *bc, uint64_t va, int flags,
		    const char *name, volatile uint32_t **cpu)
{
	uint32_t *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			      MAP_ANONYMOUS | flags, -1, 0);
	struct gpubp_sim_userptr u = {
		.cpu_addr = (uintptr_t)code, .size = PAGE, .va = va,
	};
	unsigned int i;

	if (code == MAP_FAILED)
		return -errno;
	*cpu = code;
	for (i = 0; i < PAGE / 4; i++)
		code[i] = bc_original(BC_LOOP_NOP);
	if (ioctl(bc->fd, GPUBP_SIM_USERPTR, &u))
		return -errno;
	return publish(bc, va, name);
}

/* trap handler of the only context that has one */
static uint64_t only_handler(void)
{
	unsigned int vmid;
	uint64_t tba = 0;
	int fd = simdev_regs(0);

	for (vmid = 1; vmid < 16 && !tba; vmid++)
		tba = (uint64_t)simdev_read(fd, 0x31d, vmid) << 40 |
		      (uint64_t)simdev_read(fd, 0x31c, vmid) << 8;
	close(fd);
	return tba;
}

/* XOL buffer in which a displaced step takes place */
static uint64_t buffer_of_a_step(struct owner *o)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	struct gpubp_displaced d = {};
	uint32_t nop = bc_original(BC_LOOP_NOP);

	while (list(o, e, MAX_WAVES) < BC_WAVES)
		usleep(1000);
	if (halt(o, e[0].wave) || displaced_as(o, e[0].wave, &nop, 4, &d))
		return 0;
	if (displaced(o, GPUBP_DISPLACED_COMPLETE, e[0].wave, &d) ||
	    resume(o, e[0].wave))
		return 0;
	return d.to;
}

/* the events file of debugfs says whether it is refused */
static bool is_refused(int session, uint64_t pc, int err)
{
	struct gpubp_sync sync = {};
	int fd = event_open_break(pc, 0), reported;
	bool ok;

	if (fd < 0 || session_sync(session, fd, PATIENCE, &sync))
		return false;
	reported = books_break_error(pc);
	ok = sync.nr_watches == 1 && sync.nr_unserved == 1 && reported == err;
	if (!ok)
		ksft_print_msg("%llx: %u of %u unserved, %d, not %d\n",
			       (unsigned long long)pc, sync.nr_unserved,
			       sync.nr_watches, reported, err);
	close(fd);
	return ok;
}

TEST_F(awkward, where_none_can_be)
{
	int session = self->o.session;
	uint64_t handler, buffer;

	/* a break elsewhere, so that a handler and buffers exist */
	int fd = event_open_break(BC_PC(BC_LOOP_END), 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(session, fd, PATIENCE, NULL));
	ASSERT_EQ(0, bc_start(&self->bc, BC_LOOP, 1, FOREVER, 0));
	buffer = buffer_of_a_step(&self->o);
	handler = only_handler();
	ASSERT_NE(0, buffer);
	ASSERT_NE(0, handler);

	/* the second dword of an instruction, and addresses behind and before all code */
	EXPECT_TRUE(is_refused(session, BC_PC(BC_LOOP_ADD) + 4, -EINVAL));
	EXPECT_TRUE(is_refused(session, BC_PC(BC_TEXT_SIZE), -ENOENT));
	EXPECT_TRUE(is_refused(session, BC_CODE_VA, -ENOENT));
	/* our own code, also if a program publishes it as code of its own */
	EXPECT_TRUE(is_refused(session, handler, -EOPNOTSUPP));
	EXPECT_TRUE(is_refused(session, buffer, -EOPNOTSUPP));
	ASSERT_EQ(0, publish(&self->bc, handler, "handler"));
	ASSERT_EQ(0, publish(&self->bc, buffer & ~255ULL, "buffers"));
	EXPECT_TRUE(is_refused(session, handler, -EOPNOTSUPP));
	EXPECT_TRUE(is_refused(session, handler + 4, -EOPNOTSUPP));
	EXPECT_TRUE(is_refused(session, buffer, -EOPNOTSUPP));
	/* an invalid instruction, and one that only trap handlers may execute */
	ASSERT_EQ(0, publish(&self->bc, BC_DATA_VA + 1024, "data"));
	self->bc.data[256] = 0xbfff0000;
	self->bc.data[257] = 0xbe801f6c;	/* s_rfe_b64 */
	EXPECT_TRUE(is_refused(session, BC_DATA_VA + 1024, -EOPNOTSUPP));
	EXPECT_TRUE(is_refused(session, BC_DATA_VA + 1028, -EOPNOTSUPP));
	close(fd);
}

/* a process that maps the same memory would execute the break without a handler */
TEST_F(awkward, memory_of_several_processes)
{
	int session = self->o.session;
	volatile uint32_t *code;

	ASSERT_EQ(0, map_code(&self->bc, SHARED_VA, MAP_SHARED, "shared", &code));
	EXPECT_TRUE(is_refused(session, SHARED_VA + 8, -EOPNOTSUPP));
}

/* the child would keep the break word in its copy */
TEST_F(awkward, memory_that_fork_copies)
{
	int session = self->o.session, status, fd;
	volatile uint32_t *code;
	pid_t pid;

	ASSERT_EQ(0, map_code(&self->bc, PRIVATE_VA, MAP_PRIVATE, "private", &code));
	fd = event_open_break(PRIVATE_VA + 8, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_sync(session, fd, PATIENCE, NULL));
	pid = fork();
	if (!pid)
		_exit(code[2] != bc_original(BC_LOOP_NOP));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(fd);
	EXPECT_TRUE(is_refused(session, PRIVATE_VA + 8, -EOPNOTSUPP));
}

/* ---- where waves wait for each other ------------------------------------- */

static bool wait_count(int fd, int64_t count)
{
	int i;

	for (i = 0; i < PATIENCE * 100; i++) {
		if (event_count(fd) >= count)
			return true;
		usleep(10000);
	}
	return false;
}

/* half of the workgroup is held before the barrier, the other half waits in the buffer */
TEST_F(awkward, a_barrier_with_half_the_waves_stopped)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	uint32_t one = 1;
	int i, closed;

	for (closed = 0; closed < 2; closed++) {
		int fd = event_open_break(BC_PC(BC_LOOP_BARRIER), 0);

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, bc_start(&self->bc, BC_LOOP, 1, FOREVER, 0));
		while (list(&self->o, e, MAX_WAVES) < BC_WAVES ||
		       !self->bc.data[0])
			usleep(1000);
		ASSERT_EQ(0, halt_all(&self->o));
		for (i = 0; i < BC_WAVES; i++) {
			while (get_pc(&self->o, e[i].wave) != BC_PC(BC_LOOP_ADD))
				ASSERT_EQ(0, step(&self->o, e[i].wave));
			ASSERT_EQ(0, regs(&self->o, GPUBP_WRITE_REGS, e[i].wave,
					  range(GPUBP_REGS_SCALAR, 6, 1), &one,
					  1));
		}
		for (i = 0; i < BC_WAVES / 2; i++)
			ASSERT_EQ(0, resume(&self->o, e[i].wave));
		EXPECT_TRUE(wait_count(fd, BC_WAVES / 2));
		EXPECT_EQ(1, books_state("buffers_in_use"));
		if (closed) {
			close(fd);
			while (books_state("breaks"))
				usleep(1000);
		}
		EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
		EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
		EXPECT_EQ(BC_WAVES * BC_LANES, self->bc.data[1]);
		EXPECT_TRUE(books_settle(PATIENCE)) books_print();
		if (!closed) {
			EXPECT_EQ(BC_WAVES, event_count(fd));
			close(fd);
		}
	}
}

/* ---- several breaks at once ---------------------------------------------- */

/**
 * struct several - breaks in one kernel, plus a watch
 * @name: of the case
 * @kernel: kernel
 * @at: offsets of the breaks; 0 ends the list
 * @watch: watch the first word for atomics
 * @once: each is executed once a wave, else once a loop iteration
 */
struct several {
	const char *name;
	enum bc_kernel kernel;
	unsigned int at[3];
	bool watch;
	bool once;
};

static const struct several several[] = {
	{ "two adjacent ones", BC_LOOP, { BC_LOOP_NOP, BC_LOOP_NOP2 } },
	{ "adjacent ones of 8 and 4 bytes", BC_LOOP,
	  { BC_LOOP_ADD, BC_LOOP_WAIT } },
	{ "the barrier and s_endpgm", BC_LOOP,
	  { BC_LOOP_BARRIER, BC_LOOP_END }, .once = true },
	{ "with a watch on the same", BC_LOOP, { BC_LOOP_ADD }, .watch = true },
	{ "with a watch behind it", BC_LOOP,
	  { BC_LOOP_ADD, BC_LOOP_WAIT, BC_LOOP_NOP }, .watch = true },
	{ "the program's own s_trap", BC_TRAP,
	  { BC_TRAP_1, BC_TRAP_3, BC_TRAP_200 } },
	{ "a call and a return", BC_CALL,
	  { BC_CALL_GETPC, BC_CALL_SWAPPC, BC_CALL_RETURN } },
};

TEST_F(awkward, several_at_once)
{
	struct perf_event_attr watch = event_watch(BC_DATA_VA, 4,
						   GPUBP_ACCESS_ATOMIC);
	unsigned int i, n;

	for (i = 0; i < sizeof(several) / sizeof(several[0]); i++) {
		const struct several *s = &several[i];
		int64_t want = s->once ? WAVES : WAVES * LOOPS;
		int fd[3] = { -1, -1, -1 }, watched = -1;

		TH_LOG("%s", s->name);
		for (n = 0; n < 3 && s->at[n]; n++) {
			fd[n] = event_open_break(BC_PC(s->at[n]), 0);
			ASSERT_LE(0, fd[n]);
		}
		if (s->watch) {
			watched = event_open(&watch, 0, -1);
			ASSERT_LE(0, watched);
		}
		for (n = 0; n < 3 && s->at[n]; n++)
			ASSERT_EQ(0, session_sync(self->o.session, fd[n],
						  PATIENCE, NULL));
		ASSERT_EQ(0, bc_run(&self->bc, s->kernel, GROUPS, LOOPS));
		EXPECT_EQ((s->kernel == BC_TRAP ? 1 : LOOPS) * WAVES * BC_LANES,
			  self->bc.data[0]);
		EXPECT_TRUE(books_settle(PATIENCE)) books_print();
		for (n = 0; n < 3 && s->at[n]; n++) {
			EXPECT_EQ(want, event_count(fd[n]));
			close(fd[n]);
		}
		if (s->watch) {
			EXPECT_EQ(WAVES * LOOPS, event_count(watched));
			close(watched);
		}
	}
}

/* ---- instructions that read the pc --------------------------------------- */

#define NR_EDGES	((BC_TEXT_SIZE - BC_EDGES_FIRST) / 4)
#define EDGE_LOOPS	3

/* back edges, call chains, EXEC = 0, both forks and the join */
TEST_F(awkward, all_that_reads_the_pc)
{
	long slots = event_parameter("break_slots", NR_EDGES);
	int fd[NR_EDGES], i, armed = 0;
	int64_t counted = 0, insts;
	struct gpubp_sync sync;

	bc_close(&self->bc);
	ASSERT_EQ(0, bc_open(&self->bc));
	insts = books_device("instructions");
	ASSERT_EQ(0, bc_run(&self->bc, BC_EDGES, 1, EDGE_LOOPS));
	insts = books_device("instructions") - insts;
	ASSERT_TRUE(bc_edges(&self->bc, BC_WAVES, EDGE_LOOPS));
	for (i = 0; i < NR_EDGES; i++) {
		fd[i] = event_open_break(BC_PC(BC_EDGES_FIRST + 4 * i), 0);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < NR_EDGES; i++) {
		ASSERT_EQ(0, session_sync(self->o.session, fd[i], PATIENCE,
					  &sync));
		EXPECT_EQ(1, sync.nr_armed + sync.nr_unserved);
		armed += sync.nr_armed;
	}
	EXPECT_LT(NR_EDGES - 12, armed);
	ASSERT_EQ(0, bc_run(&self->bc, BC_EDGES, 1, EDGE_LOOPS));
	EXPECT_TRUE(bc_edges(&self->bc, BC_WAVES, EDGE_LOOPS));
	EXPECT_TRUE(books_settle(PATIENCE)) books_print();
	for (i = 0; i < NR_EDGES; i++) {
		counted += event_count(fd[i]);
		close(fd[i]);
	}
	EXPECT_EQ(insts, counted);
	event_parameter("break_slots", slots);
}

/* the wave makes no progress, and each execution is counted */
TEST_F(awkward, a_branch_to_itself)
{
	struct gpubp_wave_entry e[MAX_WAVES];
	int i, n, fd = event_open_break(BC_PC(BC_SELF_BRANCH), 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bc_start(&self->bc, BC_SELF, 1, 0, 0));
	EXPECT_TRUE(wait_count(fd, 100));
	ASSERT_EQ(0, halt_all(&self->o));
	n = list(&self->o, e, MAX_WAVES);
	EXPECT_EQ(BC_WAVES, n);
	for (i = 0; i < n; i++)
		EXPECT_EQ(BC_PC(BC_SELF_BRANCH), e[i].pc);
	EXPECT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	ASSERT_EQ(0, bc_queue_destroy(&self->bc));
	close(fd);
}

TEST_HARNESS_MAIN
