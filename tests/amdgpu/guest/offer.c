// SPDX-License-Identifier: GPL-2.0
/*
 * usage: offer [device]
 *
 * A process with a queue and memory of the system (or of the device), which it
 * offers to the rig of the conformance suite (tests/conform/rigs/amdgpu.c). Ends
 * when the case that took them does.
 */
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

#define FILE_NAME	"/dev/" RIG_OFFER_FILE
#define DATA_SIZE	0x200000	/* ROCr gives that a buffer object of its own */
#define PACKETS		64
#define OPEN_SECONDS	120

struct search {
	hsa_device_type_t type;
	hsa_agent_t agent;
};

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

static void *allocate_data(hsa_agent_t owner, hsa_agent_t gpu)
{
	hsa_amd_memory_pool_t pool = {};
	void *data;

	check(hsa_amd_agent_iterate_memory_pools(owner, find_pool, &pool), "pools");
	check(hsa_amd_memory_pool_allocate(pool, DATA_SIZE, 0, &data), "memory");
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

int main(int argc, char **argv)
{
	bool device = argc > 1 && !strcmp(argv[1], "device");
	struct rig_offer what = { .size = DATA_SIZE };
	hsa_queue_t *queue;
	hsa_agent_t gpu;
	void *data;
	int file;
	char end;

	check(hsa_init(), "hsa_init");
	gpu = agent_of(HSA_DEVICE_TYPE_GPU);
	data = allocate_data(device ? gpu : agent_of(HSA_DEVICE_TYPE_CPU), gpu);
	if (!device)
		memset(data, 0, DATA_SIZE);
	check(hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
			       UINT32_MAX, UINT32_MAX, &queue), "queue");
	what.data = (uintptr_t)data;
	file = open_file();
	if (write(file, &what, sizeof(what)) != sizeof(what)) {
		perror("offer: " FILE_NAME);
		return 1;
	}
	if (read(file, &end, 1)) {
		perror("offer: read");
		return 1;
	}
	check(hsa_queue_destroy(queue), "destroy");
	check(hsa_shut_down(), "shut down");
	return 0;
}
