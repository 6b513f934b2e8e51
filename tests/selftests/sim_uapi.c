// SPDX-License-Identifier: GPL-2.0
/*
 * The software GPU's own ABI (gpubp_sim.h): each call with valid and invalid
 * arguments, and the damage that a program can do to itself and to others:
 * endless loops, faults, more contexts than VMIDs, memory that is unmapped.
 *
 * Runs on the bare device: no event, no tool, no code object; the kernels are
 * the few machine words in sim_kernels.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/gpubp_sim.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>

#include "harness.h"
#include "books.h"
#include "child.h"
#include "event.h"
#include "sim_kernels.h"
#include "simdev.h"

#define PATIENCE	60	/* s, until a task sleeps */

#define DEVICE		"/dev/gpubp_sim0"
#define PAGE		4096UL
#define WAVE		64
#define SECOND		1000000000LL

static int sim_call(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

static int open_device(void)
{
	return open(DEVICE, O_RDWR | O_CLOEXEC);
}

/* a device created by root; a descriptor or a negative errno */
static int open_made(const char *name)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/gpubp_sim%d", simdev_get(name, "number"));
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* create a buffer, mapped for GPU and CPU; size in pages */
static int make_bo(int fd, unsigned int pages, uint64_t *va, void *cpu)
{
	struct gpubp_sim_bo bo = { .size = pages * PAGE, .va = *va };
	void *map;
	int err = sim_call(fd, GPUBP_SIM_BO_CREATE, &bo);

	if (err)
		return err;
	map = mmap(NULL, bo.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   bo.mmap_offset);
	if (map == MAP_FAILED)
		return -errno;
	*va = bo.va;
	*(void **)cpu = map;
	return 0;
}

static int make_userptr(int fd, void *cpu, unsigned int pages, uint32_t flags,
			uint64_t *va)
{
	struct gpubp_sim_userptr u = {
		.cpu_addr = (uintptr_t)cpu,
		.size = pages * PAGE,
		.flags = flags,
	};
	int err = sim_call(fd, GPUBP_SIM_USERPTR, &u);

	*va = u.va;
	return err;
}

static void *anonymous(unsigned int pages)
{
	void *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int unmap(int fd, uint64_t va)
{
	struct gpubp_sim_unmap args = { .va = va };

	return sim_call(fd, GPUBP_SIM_UNMAP, &args);
}

static int make_queue(int fd, uint32_t *id)
{
	struct gpubp_sim_queue args = { };
	int err = sim_call(fd, GPUBP_SIM_QUEUE_CREATE, &args);

	*id = args.id;
	return err;
}

static int destroy_queue(int fd, uint32_t id)
{
	struct gpubp_sim_queue args = { .id = id };

	return sim_call(fd, GPUBP_SIM_QUEUE_DESTROY, &args);
}

/* a context with code, arguments, a result buffer and a queue */
struct gpu {
	int fd;
	uint64_t code_va, args_va, out_va;
	uint8_t *code;
	uint64_t *args;
	uint32_t *out;
	uint32_t queue;
};

#define OUT_PAGES	16

static int load_code(struct gpu *gpu)
{
	int err = make_bo(gpu->fd, SIM_CODE_PAGES, &gpu->code_va, &gpu->code);

	if (!err)
		sim_kernels_load(gpu->code);
	return err;
}

/* set up on an open device */
static int start_gpu_on(struct gpu *gpu, int fd)
{
	int err;

	*gpu = (struct gpu){ .fd = fd };
	err = load_code(gpu);
	if (!err)
		err = make_bo(gpu->fd, 1, &gpu->args_va, &gpu->args);
	if (!err)
		err = make_bo(gpu->fd, OUT_PAGES, &gpu->out_va, &gpu->out);
	if (!err)
		err = make_queue(gpu->fd, &gpu->queue);
	return err;
}

static int start_gpu(struct gpu *gpu)
{
	int fd = open_device();

	return fd < 0 ? -errno : start_gpu_on(gpu, fd);
}

static void stop_gpu(struct gpu *gpu)
{
	munmap(gpu->code, SIM_CODE_PAGES * PAGE);
	munmap(gpu->args, PAGE);
	munmap(gpu->out, OUT_PAGES * PAGE);
	close(gpu->fd);
}

static struct gpubp_sim_dispatch grid_of(struct gpu *gpu, enum sim_kernel kernel,
					 unsigned int items, unsigned int group)
{
	return (struct gpubp_sim_dispatch){
		.kernel_object = gpu->code_va + SIM_KERNEL_OFFSET(kernel),
		.kernarg = gpu->args_va,
		.grid = { items, 1, 1 },
		.workgroup = { group, 1, 1 },
		.queue = gpu->queue,
	};
}

/* dispatch @kernel(@dst, @value) on @items work-items; does not wait */
static int start_kernel(struct gpu *gpu, enum sim_kernel kernel, uint64_t dst,
			uint32_t value, unsigned int items, unsigned int group,
			uint64_t *seq)
{
	struct gpubp_sim_dispatch d = grid_of(gpu, kernel, items, group);
	int err;

	gpu->args[0] = dst;
	gpu->args[1] = value;
	err = sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d);
	*seq = d.seq;
	return err;
}

static int wait_seq(struct gpu *gpu, uint64_t seq, int64_t timeout,
		    struct gpubp_sim_wait *w)
{
	*w = (struct gpubp_sim_wait){
		.seq = seq,
		.timeout_ns = timeout,
		.queue = gpu->queue,
	};
	return sim_call(gpu->fd, GPUBP_SIM_WAIT, w);
}

/* start and wait; the result is a negative errno or GPUBP_SIM_* */
static int run_kernel(struct gpu *gpu, enum sim_kernel kernel, uint64_t dst,
		      uint32_t value, unsigned int items, unsigned int group,
		      struct gpubp_sim_wait *w)
{
	uint64_t seq;
	int err = start_kernel(gpu, kernel, dst, value, items, group, &seq);

	if (!err)
		err = wait_seq(gpu, seq, -1, w);
	return err ?: (int)w->status;
}

static int run_fill(struct gpu *gpu, uint64_t dst, uint32_t value,
		    unsigned int items)
{
	struct gpubp_sim_wait w;

	return run_kernel(gpu, SIM_FILL, dst, value, items, WAVE, &w);
}

static unsigned int count_wrong(const uint32_t *out, uint32_t value,
				unsigned int items)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < items; i++)
		wrong += out[i] != value + i;
	return wrong;
}

/* start an endless loop and wait until it runs */
static int start_loop(struct gpu *gpu, uint64_t *seq)
{
	struct gpubp_sim_wait w;
	int err = start_kernel(gpu, SIM_LOOP, 0, 0, WAVE, WAVE, seq);

	if (err)
		return err;
	return wait_seq(gpu, *seq, SECOND / 10, &w) == -ETIME ? 0 : -EPROTO;
}

FIXTURE(sim) {
	struct gpu gpu;
};

FIXTURE_SETUP(sim)
{
	ASSERT_EQ(0, start_gpu(&self->gpu));
}

FIXTURE_TEARDOWN(sim)
{
	close(self->gpu.fd);
}

/*
 * Arguments
 */

TEST_F(sim, info)
{
	struct gpubp_sim_info info = { };

	ASSERT_EQ(0, sim_call(self->gpu.fd, GPUBP_SIM_INFO, &info));
	EXPECT_STREQ("gfx90a", info.isa);
	EXPECT_EQ(PAGE, info.page_size);
	EXPECT_GT(info.va_end, info.va_start);
	EXPECT_GT(info.nr_wave_slots, 0U);
	EXPECT_GT(info.context, 0U);
}

TEST_F(sim, contexts_have_different_ids)
{
	struct gpubp_sim_info a = { }, b = { };
	int fd = open_device();

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, sim_call(self->gpu.fd, GPUBP_SIM_INFO, &a));
	ASSERT_EQ(0, sim_call(fd, GPUBP_SIM_INFO, &b));
	EXPECT_NE(a.context, b.context);
	EXPECT_EQ(a.device, b.device);
	close(fd);
}

TEST_F(sim, unknown_calls)
{
	char buf[256] = { };

	EXPECT_EQ(-ENOTTY, sim_call(self->gpu.fd, _IOR('B', 0x7f, int), buf));
	EXPECT_EQ(-ENOTTY, sim_call(self->gpu.fd, _IOR('B', 0x80, int), buf));
	EXPECT_EQ(-ENOTTY, sim_call(self->gpu.fd, _IOW('B', 0x89, int), buf));
	EXPECT_EQ(-ENOTTY, sim_call(self->gpu.fd, 0, buf));
}

TEST_F(sim, bad_pointers)
{
	static const unsigned long cmds[] = {
		GPUBP_SIM_INFO, GPUBP_SIM_BO_CREATE, GPUBP_SIM_USERPTR,
		GPUBP_SIM_UNMAP, GPUBP_SIM_QUEUE_CREATE,
		GPUBP_SIM_QUEUE_DESTROY, GPUBP_SIM_NAME, GPUBP_SIM_DISPATCH,
		GPUBP_SIM_WAIT,
	};
	unsigned int i;

	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++)
		EXPECT_EQ(-EFAULT, sim_call(self->gpu.fd, cmds[i], NULL))
			TH_LOG("call %u", i);
}

TEST_F(sim, bo_bad_arguments)
{
	static const struct {
		struct gpubp_sim_bo bo;
		int err;
	} cases[] = {
		{ { .size = 0 }, -EINVAL },
		{ { .size = ~0ULL }, -EINVAL },
		{ { .size = 1ULL << 47 }, -EINVAL },
		{ { .size = 1ULL << 40 }, -ENOMEM },
		{ { .size = PAGE, .flags = 2 }, -EINVAL },
		{ { .size = PAGE, .flags = 1U << 31 }, -EINVAL },
		{ { .size = PAGE, .reserved = 1 }, -EINVAL },
		{ { .size = PAGE, .va = 1 }, -EINVAL },
		{ { .size = PAGE, .va = PAGE }, -EINVAL },
		{ { .size = PAGE, .va = 0x7fffffffffffULL }, -EINVAL },
		{ { .size = 2 * PAGE, .va = 0x7ffffffff000ULL }, -EINVAL },
		{ { .size = PAGE, .va = 0x800000000000ULL }, -EINVAL },
		{ { .size = PAGE, .va = ~0ULL << 12 }, -EINVAL },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpubp_sim_bo bo = cases[i].bo;

		EXPECT_EQ(cases[i].err,
			  sim_call(self->gpu.fd, GPUBP_SIM_BO_CREATE, &bo))
			TH_LOG("case %u", i);
		EXPECT_EQ(0, memcmp(&bo, &cases[i].bo, sizeof(bo)));
	}
}

TEST_F(sim, bo_ranges)
{
	int fd = self->gpu.fd;
	struct gpubp_sim_bo a = { .size = 1, .va = 0x200000000000ULL };
	struct gpubp_sim_bo b = { .size = 2 * PAGE, .va = a.va - PAGE };
	struct gpubp_sim_bo last = { .size = PAGE, .va = 0x7ffffffff000ULL };

	ASSERT_EQ(0, sim_call(fd, GPUBP_SIM_BO_CREATE, &a));
	EXPECT_EQ(0x200000000000ULL, a.va);
	EXPECT_EQ(-EEXIST, sim_call(fd, GPUBP_SIM_BO_CREATE, &a));
	EXPECT_EQ(-EEXIST, sim_call(fd, GPUBP_SIM_BO_CREATE, &b));
	b.size = PAGE;
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_BO_CREATE, &b));
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_BO_CREATE, &last));
	EXPECT_EQ(0, unmap(fd, a.va));
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_BO_CREATE, &a));
}

/* the limit in MiB; -1 if it cannot be read or set */
static int set_limit(int mb)
{
	return event_sim_parameter("ctx_mem_mb", mb);
}

TEST_F(sim, memory_is_limited_and_given_back)
{
	struct gpubp_sim_bo bo = { .size = 2UL << 20 };
	unsigned int i, n, round;
	int old = set_limit(8);
	uint64_t va[8];

	if (old < 0)
		SKIP(return, "cannot write ctx_mem_mb");
	for (round = 0; round < 2; round++) {
		for (n = 0; n < 8; n++) {
			bo.va = 0;
			if (sim_call(self->gpu.fd, GPUBP_SIM_BO_CREATE, &bo))
				break;
			va[n] = bo.va;
		}
		/* the fixture has allocated some already */
		EXPECT_EQ(3U, n);
		for (i = 0; i < n; i++)
			EXPECT_EQ(0, unmap(self->gpu.fd, va[i]));
	}
	set_limit(old);
}

/* a buffer without GPU mapping is charged as long as a CPU maps it */
TEST_F(sim, memory_is_counted_while_the_cpu_maps_it)
{
	uint64_t va[4] = {};
	int i, fd = self->gpu.fd, old = set_limit(8);
	void *p[4];

	ASSERT_LE(0, old);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, make_bo(fd, (2 << 20) / PAGE, &va[i], &p[i]));
		EXPECT_EQ(0, unmap(fd, va[i]));
	}
	EXPECT_EQ(-ENOMEM, make_bo(fd, (2 << 20) / PAGE, &va[3], &p[3]));
	EXPECT_EQ(0, munmap(p[0], 2 << 20));
	EXPECT_EQ(0, make_bo(fd, (2 << 20) / PAGE, &va[3], &p[3]));
	set_limit(old);
}

#define USERPTR_COST	(16UL << 10)	/* bytes */
#define FIXTURE_PAGES	(SIM_CODE_PAGES + 1 + OUT_PAGES)

/* each keeps memory of its process allocated, also after the exit of the process */
TEST_F(sim, userptrs_are_memory_of_the_context)
{
	unsigned int n, most = ((1 << 20) - FIXTURE_PAGES * PAGE) / USERPTR_COST;
	int fd = self->gpu.fd, old = set_limit(1);
	void *p = anonymous(1);
	uint64_t va, first = 0;

	ASSERT_LE(0, old);
	for (n = 0; n <= most && !make_userptr(fd, p, 1, 0, &va); n++)
		first = first ?: va;
	EXPECT_EQ(most, n);
	EXPECT_EQ(-ENOMEM, make_userptr(fd, p, 1, 0, &va));
	EXPECT_EQ(0, unmap(fd, first));
	EXPECT_EQ(0, make_userptr(fd, p, 1, 0, &va));
	set_limit(old);
}

/* memory in which a workgroup is saved when it must leave the GPU */
TEST_F(sim, room_for_saved_waves_is_memory_of_the_context)
{
	struct gpubp_sim_wait w;
	struct gpu *gpu = &self->gpu;
	int old = set_limit(0);
	uint64_t seq;

	ASSERT_LE(0, old);
	EXPECT_EQ(-ENOMEM, start_kernel(gpu, SIM_FILL, gpu->out_va, 1, WAVE,
					WAVE, &seq));
	set_limit(8);
	EXPECT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 2, WAVE));
	EXPECT_EQ(0, count_wrong(gpu->out, 2, WAVE));
	/* some has been allocated by now */
	set_limit(0);
	EXPECT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_FILL, gpu->out_va, 3, WAVE,
					     WAVE, &w));
	set_limit(old);
}

#define LDS_BLOCK	512
#define LDS_SIZE	(64 << 10)

/* each dispatch needs more space than the last: the old space is released */
TEST_F(sim, room_for_saved_waves_does_not_add_up)
{
	struct gpu *gpu = &self->gpu;
	struct sim_descriptor *desc = (void *)gpu->code +
				      SIM_KERNEL_OFFSET(SIM_FILL);
	uint32_t size, old_size = desc->group_size;
	int old = set_limit(4);

	ASSERT_LE(0, old);
	for (size = 0; size <= LDS_SIZE; size += 4 * LDS_BLOCK) {
		desc->group_size = size;
		ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, size,
						   80 * WAVE))
			TH_LOG("%u bytes of LDS", size);
	}
	desc->group_size = old_size;
	set_limit(old);
}

TEST_F(sim, cpu_mapping)
{
	struct gpubp_sim_bo bo = { .size = 2 * PAGE };
	int fd = self->gpu.fd;
	uint32_t *p, *second;

	ASSERT_EQ(0, sim_call(fd, GPUBP_SIM_BO_CREATE, &bo));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd,
				   bo.mmap_offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 3 * PAGE, PROT_READ, MAP_SHARED, fd,
				   bo.mmap_offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
				   bo.mmap_offset + 2 * PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
	p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		 bo.mmap_offset);
	ASSERT_NE(MAP_FAILED, p);
	second = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
		      bo.mmap_offset + PAGE);
	ASSERT_NE(MAP_FAILED, second);
	EXPECT_EQ(0, p[0] | p[1024]);
	p[1024] = 17;
	EXPECT_EQ(17, second[0]);
	/* the buffer outlives the GPU's mapping */
	EXPECT_EQ(0, unmap(fd, bo.va));
	p[1025] = 18;
	EXPECT_EQ(18, second[1]);
}

TEST_F(sim, userptr_bad_arguments)
{
	uintptr_t p = (uintptr_t)anonymous(2);
	const struct {
		struct gpubp_sim_userptr u;
		int err;
	} cases[] = {
		{ { .cpu_addr = p, .size = 0 }, -EINVAL },
		{ { .cpu_addr = p, .size = 1 }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE + 1 }, -EINVAL },
		{ { .cpu_addr = p + 1, .size = PAGE }, -EINVAL },
		{ { .cpu_addr = 1ULL << 63, .size = PAGE }, -EINVAL },
		{ { .cpu_addr = ~0ULL << 12, .size = PAGE }, -EINVAL },
		{ { .cpu_addr = p, .size = 1ULL << 47 }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE, .va = 8 }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE, .va = PAGE }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE, .flags = 2 }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE, .reserved = 1 }, -EINVAL },
		{ { .cpu_addr = p, .size = PAGE, .va = self->gpu.out_va },
		  -EEXIST },
	};
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpubp_sim_userptr u = cases[i].u;

		EXPECT_EQ(cases[i].err,
			  sim_call(self->gpu.fd, GPUBP_SIM_USERPTR, &u))
			TH_LOG("case %u", i);
	}
}

TEST_F(sim, unmap_only_what_starts_there)
{
	struct gpu *gpu = &self->gpu;

	EXPECT_EQ(-ENOENT, unmap(gpu->fd, 0));
	EXPECT_EQ(-ENOENT, unmap(gpu->fd, ~0ULL));
	EXPECT_EQ(-ENOENT, unmap(gpu->fd, gpu->out_va + PAGE));
	EXPECT_EQ(-ENOENT, unmap(gpu->fd, gpu->out_va + 1));
	EXPECT_EQ(0, unmap(gpu->fd, gpu->out_va));
	EXPECT_EQ(-ENOENT, unmap(gpu->fd, gpu->out_va));
}

#define MAPPINGS	1000	/* one after another at the same address */

struct reader {
	struct gpu *gpu;
	uint64_t va;
	bool stop;
	unsigned int wrong;
};

/* copies what is mapped there, zeroes, or nothing */
static void *read_always(void *data)
{
	struct reader *r = data;
	struct gpubp_sim_copy copy = {
		.dst = r->gpu->out_va, .src = r->va, .size = sizeof(uint32_t),
	};

	while (!__atomic_load_n(&r->stop, __ATOMIC_RELAXED)) {
		int err = sim_call(r->gpu->fd, GPUBP_SIM_COPY, &copy);

		r->wrong += err ? err != -EFAULT : *(volatile uint32_t *)r->gpu->out;
	}
	return NULL;
}

TEST_F(sim, a_bo_is_read_while_it_is_mapped)
{
	struct reader reader = { .gpu = &self->gpu };
	struct gpubp_sim_bo bo = { .size = PAGE };
	pthread_t thread;
	unsigned int i;

	ASSERT_EQ(0, sim_call(self->gpu.fd, GPUBP_SIM_BO_CREATE, &bo));
	ASSERT_EQ(0, unmap(self->gpu.fd, bo.va));
	reader.va = bo.va;
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_always, &reader));
	for (i = 0; i < MAPPINGS; i++) {
		bo = (struct gpubp_sim_bo){ .size = PAGE };
		if (sim_call(self->gpu.fd, GPUBP_SIM_BO_CREATE, &bo) ||
		    bo.va != reader.va || unmap(self->gpu.fd, bo.va))
			break;
	}
	__atomic_store_n(&reader.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(MAPPINGS, i);
	EXPECT_EQ(0, reader.wrong);
}

TEST_F(sim, memory_of_the_device_is_out_of_reach)
{
	struct gpubp_sim_bo bo = { .size = PAGE };
	uint64_t va;

	/* a queue has a page of packets below va_start */
	for (va = 0; va < 1ULL << 22; va += PAGE) {
		ASSERT_EQ(-ENOENT, unmap(self->gpu.fd, va));
		ASSERT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED,
					   self->gpu.fd, va));
		bo.va = va ?: PAGE;
		ASSERT_EQ(-EINVAL, sim_call(self->gpu.fd, GPUBP_SIM_BO_CREATE,
					    &bo));
	}
}

TEST_F(sim, queue_arguments)
{
	struct gpubp_sim_queue q = { .flags = 1 };
	int fd = self->gpu.fd;
	uint32_t id, n = 0;

	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_QUEUE_CREATE, &q));
	EXPECT_EQ(-ENOENT, destroy_queue(fd, 0));
	EXPECT_EQ(-ENOENT, destroy_queue(fd, self->gpu.queue + 1));
	while (n < 10000 && !make_queue(fd, &id))
		n++;
	EXPECT_GT(n, 1U);
	EXPECT_EQ(-ENOSPC, make_queue(fd, &id));
	EXPECT_EQ(0, destroy_queue(fd, self->gpu.queue));
	EXPECT_EQ(0, make_queue(fd, &id));
}

TEST_F(sim, doorbells_run_out_and_come_back)
{
	int fds[32], n, round, rounds = debug_kernel() ? 1 : 2;
	uint32_t id;

	for (round = 0; round < rounds; round++) {
		int err = 0;

		for (n = 0; n < 32 && err != -EPROTO; n++) {
			fds[n] = open_device();
			ASSERT_GE(fds[n], 0);
			while (!(err = make_queue(fds[n], &id)))
				;
			ASSERT_EQ(-ENOSPC, err);
		}
		while (n)
			close(fds[--n]);
		EXPECT_EQ(0, make_queue(self->gpu.fd, &id));
	}
}

TEST_F(sim, names_run_out_and_come_back)
{
	struct gpubp_sim_name n = { .va = PAGE, .size = 1 };
	int fd = self->gpu.fd, i, err = 0;

	for (i = 0; i < 10000 && !err; i++) {
		snprintf(n.name, sizeof(n.name), "name%d", i);
		err = sim_call(fd, GPUBP_SIM_NAME, &n);
	}
	EXPECT_EQ(-ENOSPC, err);
	EXPECT_EQ(8193, i);
	/* change the size of a name; remove it, and use its entry for another name */
	strcpy(n.name, "name7");
	n.size = 2;
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_NAME, &n));
	n.size = 0;
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_NAME, &n));
	n.size = 1;
	strcpy(n.name, "another");
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_NAME, &n));
	strcpy(n.name, "name7");
	EXPECT_EQ(-ENOSPC, sim_call(fd, GPUBP_SIM_NAME, &n));
}

TEST_F(sim, name_arguments)
{
	struct gpubp_sim_name good = {
		.va = self->gpu.out_va,
		.size = PAGE,
		.name = "grid",
	}, n;
	int fd = self->gpu.fd;

	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_NAME, &good));
	n = good;
	n.flags = 2;
	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_NAME, &n));
	n = good;
	n.reserved = 1;
	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_NAME, &n));
	n = good;
	n.name[0] = '\0';
	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_NAME, &n));
	n = good;
	memset(n.name, 'x', sizeof(n.name));
	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_NAME, &n));
	n = good;
	n.va = ~0ULL;
	EXPECT_EQ(-EINVAL, sim_call(fd, GPUBP_SIM_NAME, &n));
	good.size = 0;
	EXPECT_EQ(0, sim_call(fd, GPUBP_SIM_NAME, &good));
}

TEST_F(sim, dispatch_bad_arguments)
{
	struct gpu *gpu = &self->gpu;
	const struct gpubp_sim_dispatch good = grid_of(gpu, SIM_FILL, WAVE, WAVE);
	struct gpubp_sim_dispatch d;
	uint64_t unmapped = 0x300000000000ULL;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		d = good;
		d.grid[i] = 0;
		EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
		d = good;
		d.workgroup[i] = 0;
		EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
		d = good;
		d.workgroup[i] = ~0U;
		EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	}
	d = good;
	d.workgroup[1] = d.workgroup[2] = 5;
	EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.grid[0] = d.grid[1] = d.grid[2] = ~0U;
	d.workgroup[0] = 1;
	EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.flags = 1;
	EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.kernarg += 8;
	EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.queue++;
	EXPECT_EQ(-ENOENT, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.kernel_object = unmapped;
	EXPECT_EQ(-EFAULT, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	d = good;
	d.kernel_object = ~0ULL - 7;
	EXPECT_EQ(-EFAULT, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	/* the last word of a truncated descriptor */
	d = good;
	d.kernel_object = gpu->out_va + OUT_PAGES * PAGE - 60;
	EXPECT_EQ(-EFAULT, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	/* code instead of a descriptor */
	d = good;
	d.kernel_object += SIM_CODE_OFFSET;
	EXPECT_EQ(-EINVAL, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	/* nothing was submitted */
	d = good;
	gpu->args[0] = gpu->out_va;
	ASSERT_EQ(0, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
	EXPECT_EQ(1, d.seq);
}

/* it runs, fails, or is refused; in a context of its own, which is destroyed */
static int run_damaged(struct gpu *gpu, unsigned int dword, uint32_t value)
{
	struct gpubp_sim_wait w;
	int ret = start_gpu(gpu);
	uint64_t seq;

	if (ret)
		return ret;
	((uint32_t *)(gpu->code + SIM_KERNEL_OFFSET(SIM_FILL)))[dword] = value;
	ret = start_kernel(gpu, SIM_FILL, gpu->out_va, 1, WAVE, WAVE, &seq);
	if (!ret)
		ret = wait_seq(gpu, seq, SECOND / 10, &w);
	stop_gpu(gpu);
	return ret == -EINVAL || ret == -ENOMEM || ret == -ETIME ? 0 : ret;
}

TEST_F(sim, descriptors_of_boundary_values)
{
	static const uint32_t values[] = {
		1, 0xffff, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xfffffe00,
		0xfffffe01, 0xffffffff,
	};
	unsigned int i, n;
	struct gpu gpu;

	for (i = 0; i < sizeof(struct sim_descriptor) / sizeof(uint32_t); i++)
		for (n = 0; n < ARRAY_SIZE(values); n++)
			EXPECT_EQ(0, run_damaged(&gpu, i, values[n]))
				TH_LOG("dword %u: %#x", i, values[n]);
	/* and a descriptor that is valid */
	gpu = self->gpu;
	EXPECT_EQ(GPUBP_SIM_DONE, run_fill(&gpu, gpu.out_va, 1, WAVE));
}

TEST_F(sim, wait_arguments)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint64_t seq;

	EXPECT_EQ(-ENOENT, wait_seq(gpu, 0, -1, &w));
	EXPECT_EQ(-ENOENT, wait_seq(gpu, 1, -1, &w));
	ASSERT_EQ(0, start_loop(gpu, &seq));
	EXPECT_EQ(-ENOENT, wait_seq(gpu, seq + 1, -1, &w));
	EXPECT_EQ(-EINVAL, wait_seq(gpu, seq, -2, &w));
	EXPECT_EQ(-ETIME, wait_seq(gpu, seq, 0, &w));
	EXPECT_EQ(-ETIME, wait_seq(gpu, seq, SECOND / 100, &w));
	gpu->queue++;
	EXPECT_EQ(-ENOENT, wait_seq(gpu, seq, -1, &w));
}

/*
 * Running
 */

TEST_F(sim, fill)
{
	struct gpu *gpu = &self->gpu;

	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 1000, 640));
	EXPECT_EQ(0, count_wrong(gpu->out, 1000, 640));
	EXPECT_EQ(0, gpu->out[640]);
}

TEST_F(sim, last_workgroup_is_smaller)
{
	struct gpu *gpu = &self->gpu;

	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 7, 101));
	EXPECT_EQ(0, count_wrong(gpu->out, 7, 101));
	EXPECT_EQ(0, gpu->out[101]);
}

TEST_F(sim, dispatches_run_in_order)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint64_t seq = 0;
	unsigned int i;

	gpu->args[0] = gpu->out_va;
	for (i = 1; i <= 200; i++) {
		struct gpubp_sim_dispatch d = grid_of(gpu, SIM_COUNT, 128, WAVE);

		ASSERT_EQ(0, sim_call(gpu->fd, GPUBP_SIM_DISPATCH, &d));
		ASSERT_EQ(seq + 1, d.seq);
		seq = d.seq;
	}
	ASSERT_EQ(0, wait_seq(gpu, seq, -1, &w));
	EXPECT_EQ(GPUBP_SIM_DONE, w.status);
	EXPECT_EQ(200 * 128, gpu->out[0]);
	EXPECT_EQ(0, wait_seq(gpu, 1, 0, &w));
}

TEST_F(sim, atomics_of_many_workgroups)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;

	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_COUNT, gpu->out_va, 0,
					     500 * WAVE, WAVE, &w));
	EXPECT_EQ(500 * WAVE, gpu->out[0]);
}

TEST_F(sim, barrier)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	unsigned int i, wrong = 0;

	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_SWAP, gpu->out_va, 0, 128,
					     128, &w));
	for (i = 0; i < 128; i++)
		wrong += gpu->out[128 + i] != (i ^ 64);
	EXPECT_EQ(0, wrong);
}

TEST_F(sim, dispatch_packet)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;

	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_PACKET, gpu->out_va, 0, 77,
					     WAVE, &w));
	EXPECT_EQ(77, gpu->out[0]);
}

TEST_F(sim, private_memory)
{
	struct gpu *gpu = &self->gpu;
	struct sim_descriptor *desc = (void *)gpu->code +
				      SIM_KERNEL_OFFSET(SIM_SCRATCH);
	struct gpubp_sim_wait w;
	uint64_t seq;
	int limit;

	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_SCRATCH, gpu->out_va, 0,
					     40 * WAVE, WAVE, &w));
	EXPECT_EQ(0, count_wrong(gpu->out, 0, 40 * WAVE));
	/* more than the queue has so far */
	desc->private_size = 400;
	memset(gpu->out, 0, OUT_PAGES * PAGE);
	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_SCRATCH, gpu->out_va, 0,
					     40 * WAVE, WAVE, &w));
	EXPECT_EQ(0, count_wrong(gpu->out, 0, 40 * WAVE));
	/* over the limit of a context, and of a wave */
	desc->private_size = 1 << 16;
	limit = set_limit(8);
	ASSERT_LE(0, limit);
	EXPECT_EQ(-ENOMEM, start_kernel(gpu, SIM_SCRATCH, gpu->out_va, 0, WAVE,
					WAVE, &seq));
	set_limit(limit);
	desc->private_size = 1 << 17;
	EXPECT_EQ(-EINVAL, start_kernel(gpu, SIM_SCRATCH, gpu->out_va, 0, WAVE,
					WAVE, &seq));
}

#define WIDE		"wide"	/* a device with the maximum of compute units */
#define WIDE_CUS	16
#define CU_WAVES	40
#define GROUP_WAVES	4

/* 8 to 512 vector registers for @kernel, no accumulation registers */
static void set_registers(struct gpu *gpu, enum sim_kernel kernel, unsigned int nr)
{
	struct sim_descriptor *desc = (void *)gpu->code + SIM_KERNEL_OFFSET(kernel);

	desc->rsrc1 = (desc->rsrc1 & ~0x3fu) | (nr / 8 - 1);
	desc->rsrc3 = nr / 4 - 1;
}

/* number of halted waves of a device, once it is stable for a second */
static int count_halted(unsigned int nr)
{
	int now = -1, last, still = 0, ms;

	for (ms = 0; still < 10 && ms < PATIENCE * 1000; ms += 100) {
		last = now;
		usleep(100000);
		now = simdev_waves(nr, "halted");
		still = now == last && now > 0 ? still + 1 : 0;
	}
	return now;
}

FIXTURE(wide) {
	struct gpu gpu;
};

FIXTURE_SETUP(wide)
{
	int fd;

	ASSERT_EQ(0, simdev_mkdir(WIDE));
	ASSERT_EQ(0, simdev_set(WIDE, "cus", "16")) simdev_rmdir(WIDE);
	ASSERT_EQ(0, simdev_set(WIDE, "live", "1")) simdev_rmdir(WIDE);
	fd = open_made(WIDE);
	ASSERT_LE(0, fd) simdev_rmdir(WIDE);
	ASSERT_EQ(0, start_gpu_on(&self->gpu, fd)) simdev_rmdir(WIDE);
}

FIXTURE_TEARDOWN(wide)
{
	stop_gpu(&self->gpu);
	EXPECT_EQ(0, simdev_rmdir(WIDE));
}

/*
 * A group occupies private memory for each of its waves, ended or not, so that
 * the number of groups on the GPU is limited by whole groups: also if memory is
 * left from a dispatch of which more fitted.
 */
TEST_F(wide, groups_of_which_waves_have_ended)
{
	struct gpu *gpu = &self->gpu;
	unsigned int nr = simdev_get(WIDE, "number");
	struct gpubp_sim_wait w;
	uint64_t seq;

	set_registers(gpu, SIM_COUNT, 48);
	set_registers(gpu, SIM_FIRST_HALTS, 8);
	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(gpu, SIM_COUNT, gpu->out_va, 0,
					     WIDE_CUS * CU_WAVES * WAVE, WAVE, &w));
	ASSERT_EQ(0, start_kernel(gpu, SIM_FIRST_HALTS, 0, 0,
				  WIDE_CUS * CU_WAVES * GROUP_WAVES * WAVE,
				  GROUP_WAVES * WAVE, &seq));
	EXPECT_EQ(WIDE_CUS * CU_WAVES / GROUP_WAVES, count_halted(nr));
	EXPECT_EQ(0, destroy_queue(gpu->fd, gpu->queue));
}

TEST_F(sim, code_is_read_when_it_runs)
{
	struct gpu *gpu = &self->gpu;
	uint32_t *first = (void *)gpu->code + SIM_KERNEL_OFFSET(SIM_FILL) +
			  SIM_CODE_OFFSET;

	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 1, WAVE));
	*first = 0xbf810000;	/* s_endpgm */
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 2, WAVE));
	EXPECT_EQ(1, gpu->out[0]);
}

TEST_F(sim, user_message_is_no_hit)
{
	struct gpubp_sim_wait w;

	EXPECT_EQ(GPUBP_SIM_DONE, run_kernel(&self->gpu, SIM_MESSAGE, 0, 0,
					     20 * WAVE, WAVE, &w));
}

TEST_F(sim, two_contexts_have_their_own_memory)
{
	struct gpu *a = &self->gpu, b;
	uint64_t va = 0x11100000000ULL;	/* 32-bit programs can map it */
	uint32_t *in_a, *in_b;

	ASSERT_EQ(0, start_gpu(&b));
	ASSERT_EQ(0, make_bo(a->fd, 1, &va, &in_a));
	ASSERT_EQ(0, make_bo(b.fd, 1, &va, &in_b));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(a, va, 100, WAVE));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(&b, va, 200, WAVE));
	EXPECT_EQ(0, count_wrong(in_a, 100, WAVE));
	EXPECT_EQ(0, count_wrong(in_b, 200, WAVE));
	close(b.fd);
}

#define MANY	40

/* half of them on a debug kernel, still more than there are VMIDs */
static int many_contexts(void)
{
	return debug_kernel() ? MANY / 2 : MANY;
}

TEST(more_contexts_than_vmids)
{
	struct gpu gpu[MANY];
	struct gpubp_sim_wait w;
	uint64_t seq[MANY];
	int many = many_contexts();
	int i, round;

	for (i = 0; i < many; i++)
		ASSERT_EQ(0, start_gpu(&gpu[i]));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < many; i++)
			ASSERT_EQ(0, start_kernel(&gpu[i], SIM_FILL,
						  gpu[i].out_va, round * i,
						  10 * WAVE, WAVE, &seq[i]));
		for (i = 0; i < many; i++) {
			ASSERT_EQ(0, wait_seq(&gpu[i], seq[i], -1, &w));
			EXPECT_EQ(GPUBP_SIM_DONE, w.status);
			EXPECT_EQ(0, count_wrong(gpu[i].out, round * i,
						 10 * WAVE));
		}
	}
	for (i = 0; i < many; i++)
		close(gpu[i].fd);
}

/* contexts with endless work do not keep their VMIDs for ever */
TEST(contexts_that_are_never_idle)
{
	struct gpu gpu[MANY];
	struct gpubp_sim_wait w;
	uint64_t seq[MANY];
	int many = many_contexts(), waves = debug_kernel() ? 10 : 20;
	int i, n;

	for (i = 0; i < many; i++)
		ASSERT_EQ(0, start_gpu(&gpu[i]));
	for (i = 0; i < many; i++)
		for (n = 0; n < 8; n++)
			ASSERT_EQ(0, start_kernel(&gpu[i], SIM_COUNT,
						  gpu[i].out_va, 0, waves * WAVE,
						  WAVE, &seq[i]));
	for (i = many; i--; ) {
		ASSERT_EQ(0, wait_seq(&gpu[i], seq[i], -1, &w));
		EXPECT_EQ(8 * waves * WAVE, gpu[i].out[0]);
		close(gpu[i].fd);
	}
}

/*
 * Memory of the process
 */

TEST_F(sim, userptr)
{
	uint32_t *p = anonymous(3);
	uint64_t va;

	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 3, 0, &va));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(&self->gpu, va, 5, 3 * 1024));
	EXPECT_EQ(0, count_wrong(p, 5, 3 * 1024));
}

/*
 * A slice normally has 256 instructions. Every other instruction here needs 128
 * pages, all of them present; compute units do nothing else. On a slower
 * machine a slice has fewer instructions.
 */
TEST_F(sim, slices_end_in_time)
{
	const unsigned int pages = 2 * WAVE, slices = 20, most = 128;
	uint8_t *p = anonymous(pages);
	int64_t insts, from;
	uint64_t va, seq;

	ASSERT_NE(NULL, p);
	memset(p, 1, pages * PAGE);
	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, pages, 0, &va));
	ASSERT_EQ(0, start_kernel(&self->gpu, SIM_PAGES, va, 0, WAVE, WAVE, &seq));
	from = books_device("slices");
	ASSERT_LE(0, from);
	while (books_device("slices") == from)
		usleep(1000);
	from = books_device("slices");
	insts = books_device("instructions");
	while (books_device("slices") - from < slices)
		usleep(1000);
	insts = books_device("instructions") - insts;
	from = books_device("slices") - from;
	EXPECT_EQ(0, destroy_queue(self->gpu.fd, self->gpu.queue));
	TH_LOG("%ld instructions in %ld slices", (long)insts, (long)from);
	EXPECT_GT(most * (from + 1), insts);
	munmap(p, pages * PAGE);
}

TEST_F(sim, userptr_atomics)
{
	struct gpubp_sim_wait w;
	uint32_t *p = anonymous(1);
	uint64_t va;

	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 1, 0, &va));
	ASSERT_EQ(GPUBP_SIM_DONE, run_kernel(&self->gpu, SIM_COUNT, va, 0,
					     50 * WAVE, WAVE, &w));
	EXPECT_EQ(50 * WAVE, p[0]);
}

TEST_F(sim, userptr_readonly)
{
	struct gpubp_sim_wait w;
	uint32_t *p = anonymous(1);
	uint64_t va;

	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 1, GPUBP_SIM_READONLY, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, va, 1,
						 WAVE, WAVE, &w));
	EXPECT_EQ(va, w.addr);
	EXPECT_EQ(0, p[0]);
}

/* the GPU may not write memory that the process may not write */
TEST_F(sim, userptr_of_protected_memory)
{
	struct gpubp_sim_wait w;
	uint32_t *p = anonymous(1);
	uint64_t va;

	p[0] = 3;
	ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 1, 0, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, va, 1,
						 WAVE, WAVE, &w));
	EXPECT_EQ(3, p[0]);
}

TEST_F(sim, userptr_munmap)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint32_t *p = anonymous(2);
	uint64_t va;

	ASSERT_EQ(0, make_userptr(gpu->fd, p, 2, 0, &va));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, va, 1, 2048));
	ASSERT_EQ(0, munmap(p + 1024, PAGE));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, va, 2, 1024));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(gpu, SIM_FILL, va + PAGE, 3,
						 WAVE, WAVE, &w));
	EXPECT_EQ(va + PAGE, w.addr);
	EXPECT_EQ(0, count_wrong(p, 2, 1024));
}

/* with a buffer of another context, and with its own: each context keeps its buffers */
TEST_F(sim, userptr_of_a_buffer)
{
	struct gpu *a = &self->gpu, b;
	struct gpubp_sim_copy copy = { .size = sizeof(uint32_t) };
	struct gpubp_sim_wait w;
	uint64_t va;

	a->out[0] = 7;
	ASSERT_EQ(0, start_gpu(&b));
	ASSERT_EQ(0, make_userptr(b.fd, a->out, 1, 0, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&b, SIM_FILL, va, 1, WAVE, WAVE, &w));
	EXPECT_EQ(va, w.addr);
	copy.dst = b.out_va;
	copy.src = va;
	EXPECT_EQ(-EFAULT, sim_call(b.fd, GPUBP_SIM_COPY, &copy));
	ASSERT_EQ(0, make_userptr(a->fd, a->out, 1, 0, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(a, SIM_FILL, va, 1, WAVE, WAVE, &w));
	EXPECT_EQ(7, a->out[0]);
	stop_gpu(&b);
}

/* copy on write: parent and child have their own, and the GPU writes the parent's */
TEST_F(sim, userptr_and_fork)
{
	uint32_t *p = anonymous(1);
	int go[2], status;
	uint64_t va;
	pid_t child;
	char c;

	p[0] = 9;
	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 1, 0, &va));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		if (read(go[0], &c, 1) != 1)
			_exit(2);
		_exit(p[0] == 9 ? 0 : 1);
	}
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(&self->gpu, va, 1, WAVE));
	EXPECT_EQ(1, p[0]);
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* make @p's page absent, with faults that are never served; returns a descriptor */
static int make_missing(void *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)p, .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg))
		return fd;
	close(fd);
	return -1;
}

/* the compute unit does not wait for ever */
TEST_F(sim, userptr_of_a_page_that_never_comes)
{
	struct gpubp_sim_wait w;
	void *p = anonymous(1);
	int missing = make_missing(p);
	struct gpu b;
	uint64_t va;

	if (missing < 0)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, make_userptr(self->gpu.fd, p, 1, 0, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, va, 1,
						 4 * WAVE, WAVE, &w));
	EXPECT_EQ(va, w.addr & ~(uint64_t)(PAGE - 1));
	ASSERT_EQ(0, start_gpu(&b));
	EXPECT_EQ(GPUBP_SIM_DONE, run_fill(&b, b.out_va, 1, WAVE));
	close(b.fd);
	close(missing);
}

/*
 * Exceptions
 */

TEST_F(sim, memory_violation)
{
	struct gpubp_sim_wait w;
	uint64_t va = 0x400000000000ULL;

	ASSERT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, va, 1,
						 WAVE, WAVE, &w));
	EXPECT_EQ(va, w.addr);
	EXPECT_EQ(self->gpu.code_va + SIM_KERNEL_OFFSET(SIM_FILL) +
		  SIM_CODE_OFFSET + SIM_FILL_STORE, w.pc);
}

/* with process memory, pages that an access needs are looked up before it */
TEST_F(sim, memory_violation_at_the_last_address)
{
	struct gpubp_sim_wait w;
	uint64_t va;

	ASSERT_EQ(0, make_userptr(self->gpu.fd, anonymous(1), 1, 0, &va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL,
		  run_kernel(&self->gpu, SIM_FILL, -16ULL, 1, 1, WAVE, &w));
}

TEST_F(sim, unmapped_bo_is_gone)
{
	struct gpubp_sim_wait w;
	uint64_t va = 0;
	uint32_t *p;

	ASSERT_EQ(0, make_bo(self->gpu.fd, 1, &va, &p));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(&self->gpu, va, 1, WAVE));
	ASSERT_EQ(0, unmap(self->gpu.fd, va));
	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, va, 1,
						 WAVE, WAVE, &w));
	EXPECT_EQ(va, w.addr);
	EXPECT_EQ(1, p[0]);
}

TEST_F(sim, misaligned_atomic)
{
	struct gpubp_sim_wait w;

	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_COUNT,
						 self->gpu.out_va + 2, 0, WAVE,
						 WAVE, &w));
	EXPECT_EQ(0, self->gpu.out[0]);
	EXPECT_EQ(0, self->gpu.out[1]);
}

TEST_F(sim, device_memory_is_not_writable)
{
	struct gpubp_sim_wait w;
	uint64_t packets = 0x10000;

	EXPECT_EQ(GPUBP_SIM_MEM_VIOL, run_kernel(&self->gpu, SIM_FILL, packets,
						 1, WAVE, WAVE, &w));
	EXPECT_EQ(packets, w.addr);
}

TEST_F(sim, illegal_instruction)
{
	struct gpubp_sim_wait w;

	ASSERT_EQ(GPUBP_SIM_ILLEGAL_INST, run_kernel(&self->gpu, SIM_ILLEGAL, 0,
						     0, WAVE, WAVE, &w));
	EXPECT_EQ(self->gpu.code_va + SIM_KERNEL_OFFSET(SIM_ILLEGAL) +
		  SIM_CODE_OFFSET + 4, w.pc);
}

TEST_F(sim, trap_without_handler)
{
	struct gpubp_sim_wait w;

	ASSERT_EQ(GPUBP_SIM_TRAP, run_kernel(&self->gpu, SIM_TRAP, 0, 0, WAVE,
					     WAVE, &w));
	EXPECT_EQ(self->gpu.code_va + SIM_KERNEL_OFFSET(SIM_TRAP) +
		  SIM_CODE_OFFSET + 4, w.pc);
}

static int pmu_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/gpubp/type", "r");
	int type = -1;

	if (f && fscanf(f, "%d", &type) != 1)
		type = -1;
	if (f)
		fclose(f);
	return type;
}

/* an event that counts stores of this thread's queues to 4 bytes at @va */
static int watch(uint64_t va)
{
	struct perf_event_attr attr = {
		.type = pmu_type(),
		.size = sizeof(attr),
		.config = GPUBP_KIND_WATCH |
			  GPUBP_ACCESS_STORE << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = va,
		.config2 = 4,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* the trap handler takes exceptions, too; the results of a program do not change */
TEST_F(sim, exceptions_while_watched)
{
	struct gpu *gpu = &self->gpu;
	const struct {
		enum sim_kernel kernel;
		uint64_t dst;
		int status;
	} cases[] = {
		{ SIM_FILL, gpu->out_va, GPUBP_SIM_DONE },
		{ SIM_FILL, 0x400000000000ULL, GPUBP_SIM_MEM_VIOL },
		{ SIM_COUNT, gpu->out_va + 1, GPUBP_SIM_MEM_VIOL },
		{ SIM_ILLEGAL, 0, GPUBP_SIM_ILLEGAL_INST },
		{ SIM_TRAP, 0, GPUBP_SIM_TRAP },
		{ SIM_MESSAGE, 0, GPUBP_SIM_DONE },
	};
	struct gpubp_sim_wait bare, watched;
	unsigned int i;
	int event;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ASSERT_EQ(0, make_queue(gpu->fd, &gpu->queue));
		EXPECT_EQ(cases[i].status,
			  run_kernel(gpu, cases[i].kernel, cases[i].dst, 1, WAVE,
				     WAVE, &bare));
		ASSERT_EQ(0, make_queue(gpu->fd, &gpu->queue));
		event = watch(gpu->out_va);
		ASSERT_GE(event, 0);
		EXPECT_EQ(cases[i].status,
			  run_kernel(gpu, cases[i].kernel, cases[i].dst, 1, WAVE,
				     WAVE, &watched))
			TH_LOG("case %u", i);
		close(event);
		EXPECT_EQ(bare.pc, watched.pc);
		EXPECT_EQ(bare.addr, watched.addr);
	}
}

TEST_F(sim, queue_stays_in_error_others_do_not_care)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint64_t pc;

	ASSERT_EQ(GPUBP_SIM_TRAP, run_kernel(gpu, SIM_TRAP, 0, 0, 100 * WAVE,
					     WAVE, &w));
	pc = w.pc;
	ASSERT_EQ(GPUBP_SIM_TRAP, run_kernel(gpu, SIM_FILL, gpu->out_va, 1, WAVE,
					     WAVE, &w));
	EXPECT_EQ(pc, w.pc);
	EXPECT_EQ(0, gpu->out[1]);
	ASSERT_EQ(0, make_queue(gpu->fd, &gpu->queue));
	ASSERT_EQ(GPUBP_SIM_DONE, run_fill(gpu, gpu->out_va, 1, WAVE));
	EXPECT_EQ(0, count_wrong(gpu->out, 1, WAVE));
}

TEST_F(sim, one_wave_faults_others_loop)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint64_t seq;

	ASSERT_EQ(0, start_kernel(gpu, SIM_LOOP_OR_TRAP, 0, 0, 20 * WAVE, WAVE,
				  &seq));
	ASSERT_EQ(0, wait_seq(gpu, seq, 60 * SECOND, &w));
	EXPECT_EQ(GPUBP_SIM_TRAP, w.status);
}

/*
 * Ending endless programs
 */

struct waiter {
	struct gpu *gpu;
	uint64_t seq;
	pid_t tid;
	struct gpubp_sim_wait w;
	int err;
};

static void *wait_thread(void *data)
{
	struct waiter *waiter = data;

	waiter->tid = syscall(SYS_gettid);
	waiter->err = wait_seq(waiter->gpu, waiter->seq, -1, &waiter->w);
	return NULL;
}

TEST_F(sim, destroy_queue_of_endless_loop)
{
	struct waiter waiter = { .gpu = &self->gpu };
	pthread_t thread;

	ASSERT_EQ(0, start_loop(&self->gpu, &waiter.seq));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_thread, &waiter));
	while (!*(volatile pid_t *)&waiter.tid)
		usleep(1000);
	EXPECT_TRUE(wait_asleep(waiter.tid, PATIENCE));
	EXPECT_EQ(0, destroy_queue(self->gpu.fd, self->gpu.queue));
	pthread_join(thread, NULL);
	EXPECT_EQ(0, waiter.err);
	EXPECT_EQ(GPUBP_SIM_KILLED, waiter.w.status);
	EXPECT_EQ(-ENOENT, wait_seq(&self->gpu, waiter.seq, 0, &waiter.w));
}

TEST_F(sim, close_in_endless_loop)
{
	struct gpu b;
	uint64_t seq;

	ASSERT_EQ(0, start_gpu(&b));
	ASSERT_EQ(0, start_loop(&b, &seq));
	ASSERT_EQ(0, munmap(b.out, OUT_PAGES * PAGE));
	ASSERT_EQ(0, munmap(b.args, PAGE));
	close(b.fd);
	EXPECT_EQ(GPUBP_SIM_DONE, run_fill(&self->gpu, self->gpu.out_va, 1, WAVE));
}

TEST_F(sim, close_with_halted_waves)
{
	struct gpubp_sim_wait w;
	uint64_t seq;

	ASSERT_EQ(0, start_kernel(&self->gpu, SIM_HALT, 0, 0, 10 * WAVE, WAVE,
				  &seq));
	EXPECT_EQ(-ETIME, wait_seq(&self->gpu, seq, SECOND / 5, &w));
	EXPECT_EQ(0, destroy_queue(self->gpu.fd, self->gpu.queue));
}

static void loop_for_ever(int ready)
{
	struct gpubp_sim_wait w;
	struct gpu gpu;
	uint64_t seq;

	if (start_gpu(&gpu) || start_loop(&gpu, &seq) ||
	    start_kernel(&gpu, SIM_LOOP, 0, 0, 500 * WAVE, WAVE, &seq) ||
	    write(ready, "", 1) != 1)
		_exit(1);
	wait_seq(&gpu, seq, -1, &w);
	_exit(2);
}

/* all wave slots are taken; after the exit of the process they are free */
TEST_F(sim, kill_process_in_endless_loop)
{
	int ready[2], status;
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(ready));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		loop_for_ever(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	EXPECT_EQ(GPUBP_SIM_DONE, run_fill(&self->gpu, self->gpu.out_va, 1, WAVE));
}

/*
 * Waves that never end, each terminated in each way.
 */

static int end_by_queue(struct gpu *gpu, uint64_t seq)
{
	return destroy_queue(gpu->fd, gpu->queue);
}

static int end_by_close(struct gpu *gpu, uint64_t seq)
{
	munmap(gpu->code, SIM_CODE_PAGES * PAGE);
	munmap(gpu->out, OUT_PAGES * PAGE);
	munmap(gpu->args, PAGE);
	return close(gpu->fd);
}

static int end_by_reset(struct gpu *gpu, uint64_t seq)
{
	struct gpubp_sim_wait w = { };
	int err = simdev_reset(0);

	if (err)
		return err;
	return wait_seq(gpu, seq, -1, &w) ?:
	       w.status == GPUBP_SIM_RESET ? 0 : -EPROTO;
}

static int end_by_signal(struct gpu *gpu, uint64_t seq)
{
	raise(SIGKILL);
	return -EINTR;
}

static const struct {
	int (*fn)(struct gpu *gpu, uint64_t seq);
	int status;	/* exit status of the process */
} ways[] = {
	{ end_by_queue, 0 },
	{ end_by_close, 0 },
	{ end_by_reset, 0 },
	{ end_by_signal, SIGKILL },
};

static int run_away(enum sim_kernel kernel, unsigned int way)
{
	struct gpubp_sim_wait w;
	struct gpu gpu;
	uint64_t seq;
	int err;

	err = start_gpu(&gpu) ?: start_kernel(&gpu, kernel, gpu.out_va, 0,
					      10 * 2 * WAVE, 2 * WAVE, &seq);
	if (err || wait_seq(&gpu, seq, SECOND / 20, &w) != -ETIME)
		return 1;
	return ways[way].fn(&gpu, seq) ? 2 : 0;
}

TEST_F(sim, runaway_waves)
{
	static const enum sim_kernel kernels[] = {
		SIM_LOOP, SIM_SLEEP, SIM_DEADLOCK, SIM_HALT,
	};
	unsigned int i, way;
	int status;
	pid_t child;

	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		for (way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
			child = fork();
			ASSERT_GE(child, 0);
			if (!child)
				_exit(run_away(kernels[i], way));
			ASSERT_EQ(child, waitpid(child, &status, 0));
			EXPECT_EQ(ways[way].status, status)
				TH_LOG("kernel %u, way %u", kernels[i], way);
			EXPECT_EQ(GPUBP_SIM_DONE,
				  run_fill(&self->gpu, self->gpu.out_va, 1,
					   80 * WAVE));
		}
	}
}

/* more submissions than a queue holds: the last one blocks, and can be killed */
TEST_F(sim, full_queue)
{
	struct gpu *gpu = &self->gpu;
	int status;
	uint64_t seq;
	pid_t child;

	ASSERT_EQ(0, start_loop(gpu, &seq));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child) {
		while (!start_kernel(gpu, SIM_COUNT, gpu->out_va, 0, WAVE, WAVE,
				     &seq))
			;
		_exit(1);
	}
	EXPECT_TRUE(wait_asleep(child, PATIENCE));
	EXPECT_EQ(0, waitpid(child, &status, WNOHANG));
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, destroy_queue(gpu->fd, gpu->queue));
}

static void on_alarm(int sig)
{
	(void)sig;
}

TEST_F(sim, wait_and_signals)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct gpubp_sim_wait w;
	uint64_t seq;

	ASSERT_EQ(0, start_loop(&self->gpu, &seq));
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ualarm(100000, 0);
	EXPECT_EQ(-EINTR, wait_seq(&self->gpu, seq, -1, &w));
	act.sa_flags = SA_RESTART;
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ualarm(100000, 0);
	EXPECT_EQ(-ETIME, wait_seq(&self->gpu, seq, SECOND / 2, &w));
}

/* ---- calls that nothing but a stop or a tracer disturbs ------------------ */

#define DISTURBED	5	/* times */

FIXTURE(disturbed) {
	struct gpu gpu;
};

FIXTURE_VARIANT(disturbed) {
	enum disturbance how;
};

FIXTURE_VARIANT_ADD(disturbed, by_stops) {
	.how = DISTURB_STOP,
};

FIXTURE_VARIANT_ADD(disturbed, by_a_tracer) {
	.how = DISTURB_TRACE,
};

FIXTURE_SETUP(disturbed)
{
	ASSERT_EQ(0, start_gpu(&self->gpu));
}

FIXTURE_TEARDOWN(disturbed)
{
	end_by_close(&self->gpu, 0);
}

/* Return: the errno of the first dispatch that fails, as an exit status */
static int fill_queue(struct gpu *gpu)
{
	uint64_t seq;
	int err;

	do {
		err = start_kernel(gpu, SIM_COUNT, gpu->out_va, 0, WAVE, WAVE,
				   &seq);
	} while (!err);
	return -err;
}

TEST_F(disturbed, dispatch)
{
	struct gpu *gpu = &self->gpu;
	uint64_t seq;
	int status;
	pid_t child;

	ASSERT_EQ(0, start_loop(gpu, &seq));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(fill_queue(gpu));
	EXPECT_EQ(DISTURBED, disturb_in_ioctl(child, GPUBP_SIM_DISPATCH,
					      variant->how, DISTURBED, PATIENCE));
	EXPECT_EQ(0, destroy_queue(gpu->fd, gpu->queue));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(ENOENT, WEXITSTATUS(status));
}

/* as often as possible: a restart waits for the time that is left */
TEST_F(disturbed, wait_with_a_timeout)
{
	struct gpu *gpu = &self->gpu;
	struct gpubp_sim_wait w;
	uint64_t seq;
	int status;
	pid_t child;

	ASSERT_EQ(0, start_loop(gpu, &seq));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(-wait_seq(gpu, seq, SECOND, &w));
	EXPECT_LT(0, disturb_in_ioctl(child, GPUBP_SIM_WAIT, variant->how, 0,
				      PATIENCE));
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(ETIME, WEXITSTATUS(status));
}

#define COPY_SIZE	(16 << 20)

/* state of the process that copies */
struct copier {
	int copying;
	int stop;
};

static int copy_always(struct gpu *gpu, struct copier *copier, uint64_t va)
{
	struct gpubp_sim_copy copy = {
		.dst = va, .src = va + COPY_SIZE, .size = COPY_SIZE,
	};
	int err = 0;

	while (!err && !__atomic_load_n(&copier->stop, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&copier->copying, 1, __ATOMIC_RELEASE);
		err = sim_call(gpu->fd, GPUBP_SIM_COPY, &copy);
		__atomic_store_n(&copier->copying, 0, __ATOMIC_RELEASE);
	}
	return -err;
}

/* a copy does not sleep, so most of these are in its middle, but not all */
TEST_F(disturbed, copy)
{
	struct gpubp_sim_bo bo = { .size = 2 * COPY_SIZE };
	struct gpu *gpu = &self->gpu;
	struct copier *copier;
	int status, i;
	pid_t child;

	copier = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, copier);
	ASSERT_EQ(0, sim_call(gpu->fd, GPUBP_SIM_BO_CREATE, &bo));
	child = fork();
	ASSERT_GE(child, 0);
	if (!child)
		_exit(copy_always(gpu, copier, bo.va));
	for (i = 0; i < 4 * DISTURBED; i++) {
		while (!__atomic_load_n(&copier->copying, __ATOMIC_ACQUIRE) &&
		       !waitpid(child, &status, WNOHANG))
			;
		ASSERT_EQ(0, disturb(child, variant->how));
	}
	__atomic_store_n(&copier->stop, 1, __ATOMIC_RELEASE);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	munmap(copier, PAGE);
	EXPECT_EQ(0, unmap(gpu->fd, bo.va));
}

TEST_HARNESS_MAIN
