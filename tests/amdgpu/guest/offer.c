// SPDX-License-Identifier: GPL-2.0
/*
 * usage: offer [device]
 *
 * A process with a queue and memory of the system (or of the device), which it
 * offers to the rig of the conformance suite (tests/conform/rigs/offers.c), and which
 * dispatches for that. Ends when the case that took them does.
 */
#include <errno.h>
#include <fcntl.h>
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amdgpu.h"
#include "kfd_memory.h"
#include "submit.h"

#define FILE_NAME	"/dev/" RIG_OFFER_FILE
#define DATA_SIZE	0x200000	/* ROCr gives that a buffer object of its own */
#define PACKETS		64
#define OPEN_SECONDS	120
#define CODE_SIZE	0x10000
#define MAX_LOOPS	8
#define WAIT_SECONDS	60

#define S_BRANCH	0xbf82		/* upper half */
#define S_ENDPGM	0xbf810000

struct search {
	hsa_device_type_t type;
	hsa_agent_t agent;
};

/**
 * struct work_queue - a queue, and the last thing in it
 * @queue: queue
 * @done: signal of that
 */
struct work_queue {
	hsa_queue_t *queue;
	hsa_signal_t done;
};

static struct work_queue own, loop[MAX_LOOPS];
static unsigned int nr_loops;
static hsa_agent_t gpu;
static uint8_t *code;		/* where the code is here */
static uint64_t code_va;	/* and for the GPU */
static uint32_t code_used;

static void check(hsa_status_t status, const char *what)
{
	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return;
	printf("offer: failed: %s: %d\n", what, status);
	exit(1);
}

static hsa_status_t find_agent(hsa_agent_t agent, void *data)
{
	struct search *search = data;
	hsa_device_type_t type;

	check(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "device type");
	if (type != search->type)
		return HSA_STATUS_SUCCESS;
	search->agent = agent;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_agent_t agent_of(hsa_device_type_t type)
{
	struct search search = { .type = type };

	check(hsa_iterate_agents(find_agent, &search), "agents");
	if (!search.agent.handle)
		check(HSA_STATUS_ERROR_INVALID_AGENT, "no agent of this type");
	return search.agent;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *data)
{
	hsa_amd_segment_t segment;
	bool may_allocate;

	check(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT,
					   &segment), "segment");
	check(hsa_amd_memory_pool_get_info(pool,
			HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
			&may_allocate), "pool");
	if (segment != HSA_AMD_SEGMENT_GLOBAL || !may_allocate)
		return HSA_STATUS_SUCCESS;
	*(hsa_amd_memory_pool_t *)data = pool;
	return HSA_STATUS_INFO_BREAK;
}

static void *allocate(hsa_agent_t owner, size_t size)
{
	hsa_amd_memory_pool_t pool = {};
	void *data;

	check(hsa_amd_agent_iterate_memory_pools(owner, find_pool, &pool), "pools");
	check(hsa_amd_memory_pool_allocate(pool, size, 0, &data), "memory");
	return data;
}

static void *allocate_data(hsa_agent_t owner, hsa_agent_t gpu)
{
	void *data = allocate(owner, DATA_SIZE);

	check(hsa_amd_agents_allow_access(1, &gpu, NULL, data), "access");
	return data;
}

/* the module of the rig may come later than this process */
static int open_file(void)
{
	int file, tries;

	for (tries = OPEN_SECONDS * 10; tries; tries--) {
		file = open(FILE_NAME, O_RDWR);
		if (file >= 0)
			return file;
		usleep(100000);
	}
	perror(FILE_NAME);
	exit(1);
}

/* ---- waves --------------------------------------------------------------- */

static void make_queue(struct work_queue *q)
{
	check(hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
			       UINT32_MAX, UINT32_MAX, &q->queue), "queue");
	check(hsa_signal_create(0, 0, NULL, &q->done), "signal");
}

static void destroy_queue(struct work_queue *q)
{
	check(hsa_queue_destroy(q->queue), "destroy");
	check(hsa_signal_destroy(q->done), "signal");
}

/* code of waves that may still execute is not reused */
static int dispatch(struct work_queue *q, const struct rig_work *work)
{
	hsa_kernel_dispatch_packet_t packet = {
		.setup = 1,
		.workgroup_size_x = 1, .workgroup_size_y = 1, .workgroup_size_z = 1,
		.grid_size_x = 1, .grid_size_y = 1, .grid_size_z = 1,
		.kernel_object = code_va + code_used,
		.completion_signal = q->done,
	};

	if (work->size > CODE_SIZE - code_used)
		return -ENOSPC;
	memcpy(code + code_used, work->code, work->size);
	code_used += (work->size + 255) & ~255u;
	hsa_signal_store_relaxed(q->done, 1);
	queue_submit(q->queue, HSA_PACKET_TYPE_KERNEL_DISPATCH, &packet);
	return 0;
}

static int wait_for(const struct work_queue *q)
{
	unsigned int tries = WAIT_SECONDS * 1000;

	while (hsa_signal_load_scacquire(q->done))
		if (usleep(1000), !--tries)
			return -ETIMEDOUT;
	return 0;
}

static int run(const struct rig_work *work)
{
	int err;

	if (!nr_loops)
		code_used = 0;
	err = dispatch(&own, work);
	return err ? err : wait_for(&own);
}

static int start(const struct rig_work *work)
{
	if (nr_loops == MAX_LOOPS)
		return -ENOSPC;
	make_queue(&loop[nr_loops]);
	return dispatch(&loop[nr_loops++], work);
}

/* the packet has the fence by which waves execute what was written */
static int finish(void)
{
	hsa_barrier_and_packet_t packet = { };
	uint32_t *word = (uint32_t *)code;

	for (; word < (uint32_t *)(code + code_used); word++)
		if (*word >> 16 == S_BRANCH)
			*word = S_ENDPGM;
	queue_submit(own.queue, HSA_PACKET_TYPE_BARRIER_AND, &packet);
	return 0;
}

static int wait_loops(void)
{
	int err = 0;

	for (; nr_loops && !err; nr_loops -= !err) {
		err = wait_for(&loop[nr_loops - 1]);
		if (!err)
			destroy_queue(&loop[nr_loops - 1]);
	}
	return err;
}

/* a thread that frees memory waits until the agent of the process has written its hits */
static int settle(void)
{
	check(hsa_amd_memory_pool_free(allocate(agent_of(HSA_DEVICE_TYPE_CPU), 4096)), "free");
	return 0;
}

static int do_work(const struct rig_work *work)
{
	switch (work->op) {
	case RIG_RUN:
		return run(work);
	case RIG_START:
		return start(work);
	case RIG_FINISH:
		return finish();
	case RIG_WAIT:
		return wait_loops();
	case RIG_SETTLE:
		return settle();
	default:
		return -EINVAL;
	}
}

static void map_code(void)
{
	void *range = mmap(NULL, CODE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	struct kfd_memory mem;

	code_va = (uintptr_t)range;
	code = range == MAP_FAILED ? NULL : kfd_memory_map(kfd, code_va, CODE_SIZE, &mem);
	if (!code)
		check(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "memory for code");
	close(kfd);
}

/* ---- the process --------------------------------------------------------- */

/* until the case has ended */
static void serve(int file)
{
	static struct rig_work work;
	struct rig_done done;
	ssize_t n;

	while ((n = read(file, &work, sizeof(work))) > 0) {
		done.err = do_work(&work);
		if (write(file, &done, sizeof(done)) < 0)
			perror("offer: write");
	}
	if (n < 0) {
		perror("offer: read");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	bool device = argc > 1 && !strcmp(argv[1], "device");
	struct rig_offer what = { .size = DATA_SIZE };
	void *data;
	int file;

	check(hsa_init(), "hsa_init");
	gpu = agent_of(HSA_DEVICE_TYPE_GPU);
	data = allocate_data(device ? gpu : agent_of(HSA_DEVICE_TYPE_CPU), gpu);
	if (!device)
		memset(data, 0, DATA_SIZE);
	make_queue(&own);
	map_code();
	what.data = (uintptr_t)data;
	file = open_file();
	if (write(file, &what, sizeof(what)) != sizeof(what)) {
		perror("offer: " FILE_NAME);
		return 1;
	}
	serve(file);
	/* waves that are left end with the process */
	if (nr_loops)
		return 0;
	destroy_queue(&own);
	check(hsa_shut_down(), "shut down");
	return 0;
}
