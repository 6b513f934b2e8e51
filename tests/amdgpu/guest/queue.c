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
 *		"others N" after the Nth
 *
 * At the end of the input it destroys the queue and prints "end". CODE and DATA
 * are addresses in the ring, which the GPU can reach: code is three instructions
 * that store to an address in v[0:1].
 */
#include <errno.h>
#include <hsa_ext_amd.h>

#include "context.h"
#include "rocr.h"

#define CODE_PACKET	100	/* never submitted: for code, for data */
#define DATA_PACKET	200
#define WAIT_SECONDS	300

static const uint32_t code_words[] = {
	0xdc708000, 0x007f0200,		/* global_store_dword v[0:1], v2, off */
	0xbf810000,			/* s_endpgm */
};

static struct rocr rocr;
static unsigned int submitted;
static struct context context;

static void *packet_at(uint64_t index)
{
	return (char *)rocr.queue->base_address + SUBMIT_BYTES * index;
}

static void make_queue(void)
{
	char name[64] = "";
	uint32_t *data;

	rocr_start(&rocr);
	rocr_must(hsa_agent_get_info(rocr.gpu, HSA_AGENT_INFO_NAME, name), "name");
	printf("agent %s\n", name);
	memcpy(packet_at(CODE_PACKET), code_words, sizeof(code_words));
	data = packet_at(DATA_PACKET);
	*data = 0x11;
	printf("queue %d %p %p %p\n", getpid(), rocr.queue->base_address,
	       packet_at(CODE_PACKET), (void *)data);
}

static void submit_barrier(void)
{
	hsa_barrier_and_packet_t packet = { .completion_signal = rocr.done };

	if (++submitted == CODE_PACKET) {
		printf("failed: no more than %d packets\n", CODE_PACKET - 1);
		exit(1);
	}
	rocr_submit(&rocr, HSA_PACKET_TYPE_BARRIER_AND, &packet);
	printf("submitted\n");
}

static void print_completed(bool completed)
{
	printf("%s\n", completed ? "completed" : "pending");
}

static void make_context(void)
{
	uint32_t gpu_id;

	rocr_must(hsa_agent_get_info(rocr.gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_DRIVER_UID,
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
		rocr_must(hsa_queue_create(rocr.gpu, ROCR_PACKETS, HSA_QUEUE_TYPE_SINGLE,
					   NULL, NULL, 0, 0, &other), "another queue");
		rocr_must(hsa_queue_destroy(other), "destroy another");
		printf("others %u\n", ++nr);
	} while (access(until, F_OK));
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
			print_completed(rocr_wait(&rocr, WAIT_SECONDS));
		else if (!strcmp(line, "look"))
			print_completed(!hsa_signal_load_scacquire(rocr.done));
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
	rocr_end(&rocr);
	printf("end\n");
	return 0;
}
