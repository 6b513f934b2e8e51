// SPDX-License-Identifier: GPL-2.0
/*
 * A process with one user queue, made through ROCr. It prints
 *
 *	agent NAME
 *	queue PID RING CODE DATA
 *
 * and then does what it reads from standard input, a word a line:
 *
 *	submit	put a barrier packet into the queue: "submitted"
 *	wait	until the last of them has completed: "completed" or, after 10 s,
 *		"pending"
 *	look	the same without waiting
 *	data	print the first word of DATA
 *	context	make a second context of KFD (context.h): "context PASID" or
 *		"context -ERRNO"
 *	leave	release it: "left"
 *	others FILE	make and destroy a queue over and over, until FILE exists:
 *		"others N"
 *
 * At the end of the input it destroys the queue and prints "end". CODE and DATA
 * are addresses in the ring, which the GPU can reach: code is three instructions
 * that store to an address in v[0:1].
 */
#include <errno.h>
#include <hsa.h>
#include <hsa_ext_amd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"

#define PACKETS		256
#define CODE_PACKET	100	/* never submitted: for code, for data */
#define DATA_PACKET	200
#define WAIT_SECONDS	10

static const uint32_t code_words[] = {
	0xdc708000, 0x007f0200,		/* global_store_dword v[0:1], v2, off */
	0xbf810000,			/* s_endpgm */
};

static hsa_agent_t gpu;
static hsa_queue_t *queue;
static hsa_signal_t signal;
static uint64_t timestamp_frequency;
static unsigned int submitted;
static struct context context;

static void check(hsa_status_t status, const char *what)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return;
	hsa_status_string(status, &text);
	printf("failed: %s: %s\n", what, text);
	exit(1);
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *found)
{
	hsa_device_type_t type;

	check(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "device type");
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	gpu = agent;
	*(int *)found = 1;
	return HSA_STATUS_INFO_BREAK;
}

static void *packet_at(uint64_t index)
{
	return (char *)queue->base_address + 64 * (index % queue->size);
}

static void make_queue(void)
{
	char name[64] = "";
	uint32_t *data;
	int found = 0;

	check(hsa_init(), "hsa_init");
	check(hsa_iterate_agents(find_gpu, &found), "agents");
	if (!found) {
		printf("failed: no GPU among the agents\n");
		exit(1);
	}
	check(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, name), "name");
	check(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
				  &timestamp_frequency), "timestamps");
	printf("agent %s\n", name);
	check(hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
			       UINT32_MAX, UINT32_MAX, &queue), "queue");
	check(hsa_signal_create(0, 0, NULL, &signal), "signal");
	memcpy(packet_at(CODE_PACKET), code_words, sizeof(code_words));
	data = packet_at(DATA_PACKET);
	*data = 0x11;
	printf("queue %d %p %p %p\n", getpid(), queue->base_address,
	       packet_at(CODE_PACKET), (void *)data);
}

static void submit_barrier(void)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_barrier_and_packet_t *packet = packet_at(index);
	uint16_t header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	if (++submitted == CODE_PACKET) {
		printf("failed: no more than %d packets\n", CODE_PACKET - 1);
		exit(1);
	}
	hsa_signal_store_relaxed(signal, 1);
	memset((char *)packet + sizeof(header), 0, sizeof(*packet) - sizeof(header));
	packet->completion_signal = signal;
	__atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
	printf("submitted\n");
}

static void wait_for_barrier(unsigned int seconds)
{
	hsa_signal_value_t value;

	value = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0,
			timestamp_frequency * seconds, HSA_WAIT_STATE_ACTIVE);
	printf("%s\n", value ? "pending" : "completed");
}

static void make_context(void)
{
	uint32_t gpu_id;

	check(hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_UID,
				 &gpu_id), "gpu_id");
	if (context_make(&context, gpu_id))
		printf("context -%s\n", strerrorname_np(errno));
	else
		printf("context %u\n", context_pasid(&context));
}

static void leave_context(void)
{
	context_leave(&context);
	printf("left\n");
}

static void make_others(const char *until)
{
	unsigned int nr = 0;
	hsa_queue_t *other;

	do {
		check(hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
				       0, 0, &other), "another queue");
		check(hsa_queue_destroy(other), "destroy another");
		nr++;
	} while (access(until, F_OK));
	printf("others %u\n", nr);
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	make_queue();
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "submit"))
			submit_barrier();
		else if (!strcmp(line, "wait"))
			wait_for_barrier(WAIT_SECONDS);
		else if (!strcmp(line, "look"))
			wait_for_barrier(0);
		else if (!strcmp(line, "data"))
			printf("data 0x%x\n", *(volatile uint32_t *)packet_at(DATA_PACKET));
		else if (!strcmp(line, "context"))
			make_context();
		else if (!strcmp(line, "leave"))
			leave_context();
		else if (!strncmp(line, "others ", 7))
			make_others(line + 7);
		else
			printf("failed: no such command: %s\n", line);
	}
	check(hsa_queue_destroy(queue), "destroy");
	check(hsa_signal_destroy(signal), "signal");
	check(hsa_shut_down(), "shut down");
	printf("end\n");
	return 0;
}
