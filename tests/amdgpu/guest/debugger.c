// SPDX-License-Identifier: GPL-2.0
/*
 * debugger PID GPU OP...: what a debugger of a KFD process does, by the ioctl
 * AMDKFD_IOC_DBG_TRAP. GPU is the node's gpu_id. Prints a line "OP: RESULT" for
 * each, where RESULT is 0, a number or -ERRNO by its name, and what else came back.
 *
 *	enable			"enable: 0 runtime STATE ttmps N"
 *	disable
 *	watch=ADDRESS[,MASK[,MODE]]	"watch=...: 0 id N"
 *	clear=ID
 *	flags=N			"flags=N: 0 before M"
 *	override=MODE,MASK	"override=...: 0 before MASK supported MASK"
 *	launch=MODE
 *	snapshot		the queues, and none is new any more
 *	suspend, resume		all queues of the last snapshot
 *	waves			what is in the context save areas of these, suspended:
 *				"waves: WAVES, N groups" of all queues, or "corrupt"
 *	untrace			detach by ptrace; the session remains
 *	runtime			the process's runtime, which comes later, need not wait for us
 *	until=FILE		wait until FILE exists
 *	touch=FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/kfd_ioctl.h>

#include "operations.h"

#define QUEUES	16

static int kfd;
static pid_t target;
static uint32_t gpu;
static struct kfd_runtime_info runtime;
static uint32_t queue_ids[QUEUES], nr_queues;
static uint64_t save_areas[QUEUES];

static int debug_trap(struct kfd_ioctl_dbg_trap_args *args, uint32_t op)
{
	args->pid = target;
	args->op = op;
	return ioctl(kfd, AMDKFD_IOC_DBG_TRAP, args);
}

/* the number behind *TEXT's comma, or the default */
static unsigned long next_number(char **text, unsigned long or_else)
{
	unsigned long number;

	if (!**text)
		return or_else;
	number = strtoul(*text, text, 0);
	if (**text == ',')
		++*text;
	return number;
}

static void enable_debug(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.enable = {
			.exception_mask = KFD_EC_MASK(EC_QUEUE_WAVE_TRAP) |
					  KFD_EC_MASK(EC_QUEUE_NEW),
			.rinfo_ptr = (uintptr_t)&runtime,
			.rinfo_size = sizeof(runtime),
			.dbg_fd = eventfd(0, EFD_NONBLOCK),
		},
	};

	(void)arg;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_ENABLE));
	printf(" runtime %u ttmps %u\n", runtime.runtime_state, runtime.ttmp_setup);
}

static void disable_debug(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = { };

	(void)arg;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_DISABLE));
	printf("\n");
}

static void pass_runtime(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.send_runtime_event.exception_mask = KFD_EC_MASK(EC_PROCESS_RUNTIME),
	};

	(void)arg;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_SEND_RUNTIME_EVENT));
	printf("\n");
}

static void set_watch(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.set_node_address_watch = {
			.address = next_number(&arg, 0),
			.mask = next_number(&arg, 0xffffffc0),
			.mode = next_number(&arg, KFD_DBG_TRAP_ADDRESS_WATCH_MODE_NONREAD),
			.gpu_id = gpu,
		},
	};
	int result = debug_trap(&args, KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH);

	print_result(op, result);
	if (!result)
		printf(" id %u", args.set_node_address_watch.id);
	printf("\n");
}

static void clear_watch(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.clear_node_address_watch = {
			.gpu_id = gpu,
			.id = next_number(&arg, 0),
		},
	};

	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH));
	printf("\n");
}

static void set_flags(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.set_flags.flags = next_number(&arg, 0),
	};

	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_SET_FLAGS));
	printf(" before %u\n", args.set_flags.flags);
}

static void set_override(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = { };

	args.launch_override.override_mode = next_number(&arg, 0);
	args.launch_override.enable_mask = next_number(&arg, 0);
	args.launch_override.support_request_mask = args.launch_override.enable_mask;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE));
	printf(" before 0x%x supported 0x%x\n", args.launch_override.enable_mask,
	       args.launch_override.support_request_mask);
}

static void set_launch_mode(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.launch_mode.launch_mode = next_number(&arg, 0),
	};

	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE));
	printf("\n");
}

static void take_snapshot(const char *op, char *arg)
{
	struct kfd_queue_snapshot_entry entries[QUEUES] = { };
	struct kfd_ioctl_dbg_trap_args args = {
		.queue_snapshot = {
			.exception_mask = KFD_EC_MASK(EC_QUEUE_NEW),
			.snapshot_buf_ptr = (uintptr_t)entries,
			.num_queues = QUEUES,
			.entry_size = sizeof(entries[0]),
		},
	};
	int result = debug_trap(&args, KFD_IOC_DBG_TRAP_GET_QUEUE_SNAPSHOT);
	uint32_t i;

	(void)arg;
	print_result(op, result);
	nr_queues = result ? 0 : args.queue_snapshot.num_queues;
	printf(" queues %u", nr_queues);
	if (nr_queues > QUEUES)
		nr_queues = QUEUES;
	for (i = 0; i < nr_queues; i++) {
		queue_ids[i] = entries[i].queue_id;
		save_areas[i] = entries[i].ctx_save_restore_address;
		printf(", id %u ring 0x%llx type %u", entries[i].queue_id,
		       entries[i].ring_base_address, entries[i].queue_type);
	}
	printf("\n");
}

/* The kernel adds a bit to the ids of queues for which it failed. */
static void print_queues(void)
{
	uint32_t i;

	for (i = 0; i < nr_queues; i++) {
		if (queue_ids[i] & KFD_DBG_QUEUE_ERROR_MASK)
			printf(" error");
		if (queue_ids[i] & KFD_DBG_QUEUE_INVALID_MASK)
			printf(" invalid");
		queue_ids[i] &= ~(KFD_DBG_QUEUE_ERROR_MASK | KFD_DBG_QUEUE_INVALID_MASK);
	}
	printf("\n");
}

static void suspend_queues(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.suspend_queues = {
			.queue_array_ptr = (uintptr_t)queue_ids,
			.num_queues = nr_queues,
		},
	};

	(void)arg;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_SUSPEND_QUEUES));
	print_queues();
}

static void resume_queues(const char *op, char *arg)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.resume_queues = {
			.queue_array_ptr = (uintptr_t)queue_ids,
			.num_queues = nr_queues,
		},
	};

	(void)arg;
	print_result(op, debug_trap(&args, KFD_IOC_DBG_TRAP_RESUME_QUEUES));
	print_queues();
}

static void end_trace(const char *op, char *arg)
{
	int result = ptrace(PTRACE_INTERRUPT, target, 0, 0);

	(void)arg;
	if (!result && waitpid(target, NULL, __WALL) == target)
		result = ptrace(PTRACE_DETACH, target, 0, 0);
	print_result(op, result);
	printf("\n");
}

/* ---- saved waves --------------------------------------------------------- */

#define STACK_DWORDS	4096
#define BITS(word, low, high)	((word) >> (low) & ((1u << ((high) - (low) + 1)) - 1))

/* as a debugger walks it on gfx90a: words from the top, records from the end down */
static int count_waves(const uint32_t *stack, uint32_t nr, uint32_t bytes,
		       unsigned int *groups)
{
	uint32_t state = 0, i;
	int waves = 0;

	for (i = 2; i < nr; i++) {
		uint32_t record;

		if (BITS(stack[i], 31, 31)) {
			state = stack[i];
			continue;
		}
		/* vector and scalar registers, hardware registers and ttmps, a gap */
		record = (BITS(state, 0, 5) + 1) * 8 * 256 + BITS(state, 6, 8) * 64 +
			 128 + 64;
		if (BITS(stack[i], 17, 17)) {
			record += BITS(state, 9, 17) * 512;
			++*groups;
		}
		if (!state || record > bytes)
			return -1;
		bytes -= record;
		waves++;
	}
	return bytes ? -1 : waves;
}

static int read_target(int memory, uint64_t at, void *to, size_t len)
{
	return pread(memory, to, len, at) == (ssize_t)len ? 0 : -1;
}

static int find_waves(int memory, uint64_t area, unsigned int *groups)
{
	struct kfd_context_save_area_header header;
	static uint32_t stack[STACK_DWORDS];
	uint32_t bytes;

	if (read_target(memory, area, &header, sizeof(header.wave_state)))
		return -1;
	bytes = header.wave_state.control_stack_size;
	if (bytes > sizeof(stack) ||
	    header.wave_state.control_stack_offset + bytes !=
	    header.wave_state.wave_state_offset - header.wave_state.wave_state_size ||
	    read_target(memory, area + header.wave_state.control_stack_offset, stack, bytes))
		return -1;
	return count_waves(stack, bytes / 4, header.wave_state.wave_state_size, groups);
}

static void show_waves(const char *op, char *arg)
{
	unsigned int groups = 0;
	char name[32];
	int waves = 0, memory, nr;
	uint32_t i;

	(void)arg;
	snprintf(name, sizeof(name), "/proc/%d/mem", target);
	memory = open(name, O_RDONLY | O_CLOEXEC);
	for (i = 0; i < nr_queues && waves >= 0; i++) {
		nr = find_waves(memory, save_areas[i], &groups);
		waves = nr < 0 ? nr : waves + nr;
	}
	close(memory);
	if (waves < 0)
		printf("%s: corrupt\n", op);
	else
		printf("%s: %d, %u groups\n", op, waves, groups);
}

static const struct operation operations[] = {
	{ "enable", enable_debug },
	{ "disable", disable_debug },
	{ "watch", set_watch },
	{ "clear", clear_watch },
	{ "flags", set_flags },
	{ "override", set_override },
	{ "launch", set_launch_mode },
	{ "snapshot", take_snapshot },
	{ "suspend", suspend_queues },
	{ "resume", resume_queues },
	{ "waves", show_waves },
	{ "untrace", end_trace },
	{ "runtime", pass_runtime },
	{ "until", wait_until },
	{ "touch", touch_file },
	{ 0 }
};

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: debugger PID GPU OPERATION...\n");
		return 2;
	}
	target = atoi(argv[1]);
	gpu = strtoul(argv[2], NULL, 0);
	kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (kfd < 0 || ptrace(PTRACE_SEIZE, target, 0, 0)) {
		perror("debugger: /dev/kfd, ptrace");
		return 1;
	}
	perform_operations(operations, argv + 3);
	return 0;
}
