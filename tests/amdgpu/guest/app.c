// SPDX-License-Identifier: GPL-2.0
/*
 * app DIRECTORY KERNEL [vram]: a process that dispatches a kernel of tests/gpu/loop.cl,
 * through ROCr, as often as it is asked to. It prints
 *
 *	app PID ADDRESS
 *
 * and then does what it reads from standard input, a line each:
 *
 *	run GROUPS ROUNDS	dispatch so many workgroups of 64, which store to
 *				ADDRESS so often, wait: "ended" or "failed"
 *	start GROUPS ROUNDS	the same without waiting: "started"
 *	wait			for that: "ended" or "failed"
 *	code ADDRESS		print eight bytes of the kernel: "code 0x..."
 *
 * until the end of the input, at which it prints "end".
 */
#include "rocr.h"

#define BYTES		65536
#define WAIT_SECONDS	60

static struct rocr rocr;
static struct rocr_kernel kernel;

static void start(void *memory, uint32_t groups, uint32_t rounds)
{
	const uint32_t grid[2] = { groups * 64, 1 }, workgroup[2] = { 64, 1 };

	rocr_set_arguments(&kernel, (const uint64_t []){ (uint64_t)memory, rounds, 0 });
	rocr_dispatch(&rocr, &kernel, grid, workgroup);
}

static void wait_for_it(void)
{
	printf("%s\n", rocr_wait(&rocr, WAIT_SECONDS) ? "ended" : "failed");
}

int main(int argc, char **argv)
{
	unsigned int groups, rounds;
	unsigned long address;
	char line[64];
	void *memory;

	if (argc < 3) {
		fprintf(stderr, "usage: app DIRECTORY KERNEL [vram]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	rocr_start(&rocr);
	if (!rocr_load(&rocr, &kernel, argv[1], "loop", argv[2]))
		return 1;
	rocr_must(hsa_memory_allocate(argc > 3 ? rocr.vram : rocr.system, BYTES,
				      &memory), "memory");
	printf("app %d %p\n", getpid(), memory);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "run %u %u", &groups, &rounds) == 2) {
			start(memory, groups, rounds);
			wait_for_it();
		} else if (sscanf(line, "start %u %u", &groups, &rounds) == 2) {
			start(memory, groups, rounds);
			printf("started\n");
		} else if (sscanf(line, "code %lx", &address) == 1) {
			printf("code 0x%lx\n", *(unsigned long *)address);
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
