// SPDX-License-Identifier: GPL-2.0
/*
 * words debugger PID GPU, words events PID: the same watches of a process, once by the
 * KFD's debug ioctls and once by perf events. Before each step it writes the step's
 * number into the model's log (CONTROL_MARK), which tells what the driver wrote.
 *
 * Prints "step N: ok", or why it failed, and ends then.
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

#include "events.h"
#include "model.h"

/* steps in the order of tests/amdgpu/words */
enum step {
	STEP_ATTACH = 1, STEP_STORES, STEP_LOADS, STEP_BOTH, STEP_PRECISE,
	STEP_CLEAR_PRECISE, STEP_EXCEPTION, STEP_CLEAR_EXCEPTION, STEP_CLEAR_BOTH, STEP_CLEAR_LOADS, STEP_CLEAR_STORES,
	STEP_DETACH, STEP_END
};

/* any will do: what is watched need not be mapped */
#define ADDRESS		0x7f1234567000ull
#define BLOCK		64

static int device = -1;		/* /dev/kfd or /dev/gpubp */
static pid_t target;
static uint32_t gpu;

static void begin_step(enum step step)
{
	model_write(CONTROL_MARK, step);
}

static void end_step(enum step step, int failed)
{
	if (failed) {
		printf("step %d: -%s\n", step, strerrorname_np(errno));
		exit(1);
	}
	printf("step %d: ok\n", step);
}

/* ---- a debugger ---------------------------------------------------------- */

static int debug_trap(struct kfd_ioctl_dbg_trap_args *args, uint32_t op)
{
	args->pid = target;
	args->op = op;
	return ioctl(device, AMDKFD_IOC_DBG_TRAP, args);
}

static int debug_watch(unsigned int nr, uint32_t mode)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.set_node_address_watch = {
			.address = ADDRESS + nr * BLOCK, .mask = -BLOCK,
			.mode = mode, .gpu_id = gpu,
		},
	};

	return debug_trap(&args, KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH);
}

static int debug_clear(unsigned int id)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.clear_node_address_watch = { .gpu_id = gpu, .id = id },
	};

	return debug_trap(&args, KFD_IOC_DBG_TRAP_CLEAR_NODE_ADDRESS_WATCH);
}

static int debug_precise(uint32_t flags)
{
	struct kfd_ioctl_dbg_trap_args args = { .set_flags.flags = flags };

	return debug_trap(&args, KFD_IOC_DBG_TRAP_SET_FLAGS);
}

#define OVERRIDES	(KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH | \
			 KFD_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO)

/* ROCgdb enables the exception of watches when it sets the first */
static int debug_override(uint32_t mask)
{
	struct kfd_ioctl_dbg_trap_args args = {
		.launch_override = {
			.override_mode = KFD_DBG_TRAP_OVERRIDE_OR,
			.enable_mask = mask,
			.support_request_mask = OVERRIDES,
		},
	};

	return debug_trap(&args, KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE);
}

static int debug_attach(void)
{
	struct kfd_runtime_info runtime;
	struct kfd_ioctl_dbg_trap_args args = {
		.enable = {
			.rinfo_ptr = (uintptr_t)&runtime,
			.rinfo_size = sizeof(runtime),
			.dbg_fd = eventfd(0, EFD_NONBLOCK),
		},
	};

	return debug_trap(&args, KFD_IOC_DBG_TRAP_ENABLE) ||
	       debug_override(KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH);
}

static int debug_detach(void)
{
	struct kfd_ioctl_dbg_trap_args args = { };

	return debug_trap(&args, KFD_IOC_DBG_TRAP_DISABLE);
}

static int debug_step(enum step step)
{
	switch (step) {
	case STEP_ATTACH:
		return debug_attach();
	case STEP_STORES:
		return debug_watch(0, KFD_DBG_TRAP_ADDRESS_WATCH_MODE_NONREAD);
	case STEP_LOADS:
		return debug_watch(1, KFD_DBG_TRAP_ADDRESS_WATCH_MODE_READ);
	case STEP_BOTH:
		return debug_watch(2, KFD_DBG_TRAP_ADDRESS_WATCH_MODE_ALL);
	case STEP_PRECISE:
		return debug_precise(KFD_DBG_TRAP_FLAG_SINGLE_MEM_OP);
	case STEP_CLEAR_PRECISE:
		return debug_precise(0);
	case STEP_EXCEPTION:
		return debug_override(OVERRIDES);
	case STEP_CLEAR_EXCEPTION:
		return debug_override(KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH);
	case STEP_CLEAR_BOTH:
		return debug_clear(2);
	case STEP_CLEAR_LOADS:
		return debug_clear(1);
	case STEP_CLEAR_STORES:
		return debug_clear(0);
	case STEP_DETACH:
		return debug_detach();
	default:
		return 0;
	}
}

/* ---- perf events --------------------------------------------------------- */

static int events[STEP_END];

/* until the device does what the event asks for */
static int await_armed(int event)
{
	struct gpubp_sync sync;

	if (event_sync(device, event, &sync))
		return -1;
	errno = EAGAIN;
	return sync.nr_armed == 1 ? 0 : -1;
}

static int open_armed(enum step step, struct perf_event_attr *attr)
{
	events[step] = event_open(attr, target);
	return events[step] < 0 ? -1 : await_armed(events[step]);
}

static int event_watch(enum step step, unsigned int nr, uint64_t access,
		       unsigned int precise)
{
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_WATCH | access << GPUBP_CONFIG_ACCESS_SHIFT,
		.config1 = ADDRESS + nr * BLOCK,
		.config2 = BLOCK,
		.precise_ip = precise,
	};

	return open_armed(step, &attr);
}

static int event_exception(enum step step, uint64_t exceptions)
{
	struct perf_event_attr attr = {
		.config = GPUBP_KIND_EXCEPTION |
			  exceptions << GPUBP_CONFIG_CODE_SHIFT,
	};

	return open_armed(step, &attr);
}

/*
 * The sync of another event waits for the commit without this one. After the last,
 * the device itself tells, once the process is mapped again.
 */
static int event_close(enum step step, enum step other)
{
	unsigned int tries;

	close(events[step]);
	if (other)
		return await_armed(events[other]);
	for (tries = EVENT_SYNC_MS; tries && model_read(CONTROL_COMPARATORS); tries--)
		usleep(1000);
	errno = ETIMEDOUT;
	return tries ? 0 : -1;
}

static int event_step(enum step step)
{
	switch (step) {
	case STEP_STORES:
		return event_watch(step, 0, GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC, 0);
	case STEP_LOADS:
		return event_watch(step, 1, GPUBP_ACCESS_LOAD, 0);
	case STEP_BOTH:
		return event_watch(step, 2, GPUBP_ACCESS_LOAD | GPUBP_ACCESS_STORE |
				  GPUBP_ACCESS_ATOMIC, 0);
	case STEP_PRECISE:
		return event_watch(step, 0, GPUBP_ACCESS_STORE | GPUBP_ACCESS_ATOMIC, 1);
	case STEP_CLEAR_PRECISE:
		return event_close(STEP_PRECISE, STEP_STORES);
	case STEP_EXCEPTION:
		return event_exception(step, GPUBP_EXC_FP_DIV0);
	case STEP_CLEAR_EXCEPTION:
		return event_close(STEP_EXCEPTION, STEP_STORES);
	case STEP_CLEAR_BOTH:
		return event_close(STEP_BOTH, STEP_STORES);
	case STEP_CLEAR_LOADS:
		return event_close(STEP_LOADS, STEP_STORES);
	case STEP_CLEAR_STORES:
		return event_close(STEP_STORES, 0);
	default:
		return 0;
	}
}

int main(int argc, char **argv)
{
	int debugger = argc == 4 && !strcmp(argv[1], "debugger");
	enum step step;

	if (!debugger && (argc != 3 || strcmp(argv[1], "events"))) {
		fprintf(stderr, "usage: words debugger PID GPU|events PID\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	target = atoi(argv[2]);
	gpu = debugger ? strtoul(argv[3], NULL, 0) : 0;
	device = open(debugger ? "/dev/kfd" : "/dev/gpubp", O_RDWR | O_CLOEXEC);
	if (device < 0 || (debugger && ptrace(PTRACE_SEIZE, target, 0, 0))) {
		perror("words");
		return 1;
	}
	for (step = STEP_ATTACH; step < STEP_END; step++) {
		begin_step(step);
		end_step(step, debugger ? debug_step(step) : event_step(step));
	}
	begin_step(STEP_END);
	return 0;
}
