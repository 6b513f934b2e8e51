// SPDX-License-Identifier: GPL-2.0
/*
 * app DIRECTORY FILE KERNEL [vram]: a process that dispatches a kernel of
 * DIRECTORY/FILE.elf through ROCr, as often as it is asked to. It prints
 *
 *	app PID ADDRESS
 *
 * and then does what it reads from standard input, a line each:
 *
 *	run GROUPS N		dispatch so many workgroups of 64, with the arguments
 *				ADDRESS and N, wait: "ended", or "failed 0x..." with
 *				the status of the queue, 0 after a minute
 *	start GROUPS N		the same without waiting: "started"
 *	thread GROUPS N		as run, by a thread and a queue that are made for it
 *	at VALUE		the first argument from now on: "at"
 *	wait			for that: the same
 *	code ADDRESS		print eight bytes of the kernel: "code 0x..."
 *	find HALF		the first dword of the kernel whose upper half this is:
 *				"found 0x..."
 *
 * until the end of the input, at which it prints "end".
 */
#include <pthread.h>
#include "rocr.h"

#define BYTES		65536
#define WAIT_SECONDS	300

static struct rocr rocr;
static struct rocr_kernel kernel;

static void start(uint64_t first, uint32_t groups, uint32_t second)
{
	const struct grun_launch launch = {
		.grid = { groups * 64, 1, 1 }, .workgroup = { 64, 1, 1 },
	};

	rocr_set_arguments(&kernel, (const uint64_t []){ first, second, 0 }, &launch);
	rocr_dispatch(&rocr, &kernel, &launch);
}

static void wait_for_it(void)
{
	if (rocr_wait(&rocr, WAIT_SECONDS))
		printf("ended\n");
	else
		printf("failed 0x%x\n", rocr.error);
}

/* with a queue of its own; the main thread waits for its end */
static void *run_in_thread(void *arg)
{
	hsa_queue_t *queue = rocr.queue;
	const uint64_t *args = arg;

	if (rocr_make_queue(&rocr)) {
		start(args[0], args[1], args[2]);
		wait_for_it();
		hsa_queue_destroy(rocr.queue);
	}
	rocr.queue = queue;
	return NULL;
}

static void run_thread(uint64_t first, uint32_t groups, uint32_t second)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, run_in_thread,
			    (uint64_t []){ first, groups, second }))
		pthread_join(thread, NULL);
}

/* the descriptor has the distance of the first instruction, at 16 */
static const uint32_t *find_dword(uint32_t half)
{
	const char *descriptor = (const char *)kernel.packet.kernel_object;
	const uint32_t *at = (const uint32_t *)(descriptor + *(long *)(descriptor + 16));

	while (*at >> 16 != half)
		at++;
	return at;
}

int main(int argc, char **argv)
{
	unsigned int groups, second, half;
	unsigned long address, first;
	char line[64];
	void *memory;

	if (argc < 4) {
		fprintf(stderr, "usage: app DIRECTORY FILE KERNEL [vram]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	rocr_start(&rocr);
	if (!rocr_load(&rocr, &kernel, argv[1], argv[2], argv[3]))
		return 1;
	rocr_must(hsa_memory_allocate(argc > 4 ? rocr.vram : rocr.system, BYTES,
				      &memory), "memory");
	first = (unsigned long)memory;
	printf("app %d %p\n", getpid(), memory);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "run %u %u", &groups, &second) == 2) {
			start(first, groups, second);
			wait_for_it();
		} else if (sscanf(line, "start %u %u", &groups, &second) == 2) {
			start(first, groups, second);
			printf("started\n");
		} else if (sscanf(line, "thread %u %u", &groups, &second) == 2) {
			run_thread(first, groups, second);
		} else if (sscanf(line, "at %lx", &first) == 1) {
			printf("at\n");
		} else if (sscanf(line, "code %lx", &address) == 1) {
			printf("code 0x%lx\n", *(unsigned long *)address);
		} else if (sscanf(line, "find %x", &half) == 1) {
			printf("found %p\n", find_dword(half));
		} else if (!strcmp(line, "wait\n")) {
			wait_for_it();
		} else {
			printf("failed: no such command: %s", line);
		}
	}
	hsa_memory_free(memory);
	rocr_unload(&kernel);
	rocr_end(&rocr);
	printf("end\n");
	return 0;
}
