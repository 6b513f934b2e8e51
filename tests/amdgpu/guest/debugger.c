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
#include <unistd.h>
#include <linux/kfd_ioctl.h>

#include "operations.h"

#define QUEUES	16

static int kfd;
static pid_t target;
static uint32_t gpu;
static struct kfd_runtime_info runtime;
static uint32_t queue_ids[QUEUES], nr_queues;

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
