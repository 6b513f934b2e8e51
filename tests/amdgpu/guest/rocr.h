/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that dispatches the test kernels of tests/gpu through ROCr. What fails is
 * printed as a comment of TAP.
 */
#ifndef TESTS_AMDGPU_ROCR_H
#define TESTS_AMDGPU_ROCR_H

#include <fcntl.h>
#include <hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpubp_run.h"
#include "submit.h"
#include "tap.h"

#define ROCR_PACKETS	256
#define ROCR_STACK	16384	/* bytes of a work-item, as HIP has it */

/**
 * struct rocr - the process
 * @gpu: the first GPU
 * @system: region of system memory, for arguments and buffers
 * @vram: region of the GPU's memory
 * @queue: queue
 * @done: signal of its dispatches
 * @frequency: of timeouts
 * @error: why the queue has stopped
 */
struct rocr {
	hsa_agent_t gpu;
	hsa_region_t system;
	hsa_region_t vram;
	hsa_queue_t *queue;
	hsa_signal_t done;
	uint64_t frequency;
	volatile hsa_status_t error;
};

/**
 * struct rocr_kernel - a kernel that is loaded
 * @code: what its arguments are
 * @name: kernel
 * @file: code object
 * @reader: for that
 * @executable: it, loaded
 * @packet: what is dispatched
 */
struct rocr_kernel {
	struct grun_code *code;
	const char *name;
	int file;
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	hsa_kernel_dispatch_packet_t packet;
};

static inline bool rocr_ok(hsa_status_t status, const char *what)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return true;
	hsa_status_string(status, &text);
	tap_note("%s: %s", what, text);
	return false;
}

/* it succeeds, or the program ends */
static inline void rocr_must(hsa_status_t status, const char *what)
{
	if (rocr_ok(status, what))
		return;
	printf("Bail out! %s\n", what);
	exit(1);
}

/* ---- the GPU ------------------------------------------------------------- */

static inline hsa_status_t rocr_find_gpu(hsa_agent_t agent, void *arg)
{
	struct rocr *rocr = arg;
	hsa_device_type_t type;

	rocr_must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type),
		  "device type");
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	rocr->gpu = agent;
	return HSA_STATUS_INFO_BREAK;
}

static inline hsa_status_t rocr_find_region(hsa_region_t region, void *arg)
{
	hsa_region_segment_t segment;
	struct rocr *rocr = arg;
	uint32_t flags = 0;
	bool can = false;

	hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
	hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
	hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &can);
	if (segment != HSA_REGION_SEGMENT_GLOBAL || !can)
		return HSA_STATUS_SUCCESS;
	if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
		rocr->system = region;
	else if (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED)
		rocr->vram = region;
	return HSA_STATUS_SUCCESS;
}

/* the GPU's regions last: system memory is a region of both */
static inline hsa_status_t rocr_find_regions(hsa_agent_t agent, void *arg)
{
	struct rocr *rocr = arg;

	if (agent.handle == rocr->gpu.handle)
		return HSA_STATUS_SUCCESS;
	hsa_agent_iterate_regions(agent, rocr_find_region, rocr);
	hsa_agent_iterate_regions(rocr->gpu, rocr_find_region, rocr);
	return HSA_STATUS_SUCCESS;
}

/* of ROCr's thread */
static inline void rocr_queue_failed(hsa_status_t status, hsa_queue_t *queue, void *arg)
{
	struct rocr *rocr = arg;

	rocr->error = status;
}

static inline bool rocr_make_queue(struct rocr *rocr)
{
	return rocr_ok(hsa_queue_create(rocr->gpu, ROCR_PACKETS, HSA_QUEUE_TYPE_SINGLE,
					rocr_queue_failed, rocr, UINT32_MAX, UINT32_MAX,
					&rocr->queue), "queue");
}

static inline void rocr_start(struct rocr *rocr)
{
	rocr_must(hsa_init(), "hsa_init");
	rocr_must(hsa_iterate_agents(rocr_find_gpu, rocr), "agents");
	rocr_must(hsa_iterate_agents(rocr_find_regions, rocr), "regions");
	rocr_must(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
				      &rocr->frequency), "timestamps");
	rocr_must(hsa_signal_create(0, 0, NULL, &rocr->done), "signal");
	if (!rocr_make_queue(rocr))
		exit(1);
}

static inline void rocr_end(struct rocr *rocr)
{
	rocr_must(hsa_queue_destroy(rocr->queue), "destroy");
	rocr_must(hsa_signal_destroy(rocr->done), "signal");
	rocr_must(hsa_shut_down(), "shut down");
}

/* ---- kernels ------------------------------------------------------------- */

static inline bool rocr_find_kernel(struct rocr *rocr, struct rocr_kernel *k)
{
	hsa_executable_symbol_t symbol;
	bool found, unknown = false;
	char name[80];

	snprintf(name, sizeof(name), "%s.kd", k->name);
	found = rocr_ok(hsa_executable_get_symbol_by_name(k->executable, name,
			&rocr->gpu, &symbol), name) &&
	       rocr_ok(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
			&k->packet.kernel_object), "kernel object") &&
	       rocr_ok(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
			&k->packet.group_segment_size), "LDS") &&
	       rocr_ok(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
			&k->packet.private_segment_size), "private memory") &&
	       rocr_ok(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK,
			&unknown), "stack");
	if (unknown && k->packet.private_segment_size < ROCR_STACK)
		k->packet.private_segment_size = ROCR_STACK;
	return found;
}

/* kernel @name of DIRECTORY/@file.elf; rocr_unload() even if it fails */
static inline bool rocr_load(struct rocr *rocr, struct rocr_kernel *k,
			     const char *dir, const char *file, const char *name)
{
	struct grun_err err;
	char path[256];

	*k = (struct rocr_kernel){ .name = name };
	snprintf(path, sizeof(path), "%s/%s.elf", dir, file);
	if (grun_code_open(&k->code, path, &err)) {
		tap_note("%s", err.text);
		return false;
	}
	k->file = open(path, O_RDONLY | O_CLOEXEC);
	return rocr_ok(hsa_code_object_reader_create_from_file(k->file, &k->reader),
		       "reader") &&
	       rocr_ok(hsa_executable_create_alt(HSA_PROFILE_BASE,
			HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &k->executable),
		       "executable") &&
	       rocr_ok(hsa_executable_load_agent_code_object(k->executable, rocr->gpu,
			k->reader, NULL, NULL), "load") &&
	       rocr_ok(hsa_executable_freeze(k->executable, NULL), "freeze") &&
	       rocr_find_kernel(rocr, k) &&
	       rocr_ok(hsa_memory_allocate(rocr->system,
			grun_code_find(k->code, name)->kernarg_size ?: 1,
			&k->packet.kernarg_address), "arguments");
}

static inline void rocr_unload(struct rocr_kernel *k)
{
	if (k->packet.kernarg_address)
		hsa_memory_free(k->packet.kernarg_address);
	if (k->executable.handle)
		hsa_executable_destroy(k->executable);
	if (k->reader.handle)
		hsa_code_object_reader_destroy(k->reader);
	if (k->file > 0)
		close(k->file);
	grun_code_free(k->code);
}

/* @args: of eight bytes at most; the others are what @launch says */
static inline void rocr_set_arguments(struct rocr_kernel *k, const uint64_t *args,
				      const struct grun_launch *launch)
{
	const struct grun_kernel *kernel = grun_code_find(k->code, k->name);
	union grun_value values[GRUN_MAX_ARGS] = { };
	unsigned int i;

	for (i = 0; i < grun_kernel_nr_params(kernel); i++)
		values[i].va = args[i];
	grun_pack_args(kernel, launch, values, k->packet.kernarg_address);
}

/* ---- dispatches ---------------------------------------------------------- */

/* @packet is of any type, and without a header; rocr_wait() waits for it */
static inline void rocr_submit(struct rocr *rocr, hsa_packet_type_t type, const void *packet)
{
	hsa_signal_store_relaxed(rocr->done, 1);
	queue_submit(rocr->queue, type, packet);
}

static inline void rocr_dispatch(struct rocr *rocr, struct rocr_kernel *k,
				 const struct grun_launch *launch)
{
	k->packet.setup = 3;	/* dimensions */
	k->packet.workgroup_size_x = launch->workgroup[0];
	k->packet.workgroup_size_y = launch->workgroup[1];
	k->packet.workgroup_size_z = launch->workgroup[2];
	k->packet.grid_size_x = launch->grid[0];
	k->packet.grid_size_y = launch->grid[1];
	k->packet.grid_size_z = launch->grid[2];
	k->packet.completion_signal = rocr->done;
	rocr_submit(rocr, HSA_PACKET_TYPE_KERNEL_DISPATCH, &k->packet);
}

/* until the last dispatch has ended; false: the queue has stopped, or so many seconds have passed */
static inline bool rocr_wait(struct rocr *rocr, unsigned int seconds)
{
	hsa_signal_value_t value = 1;

	while (value && !rocr->error && seconds--)
		value = hsa_signal_wait_scacquire(rocr->done, HSA_SIGNAL_CONDITION_EQ, 0,
				rocr->frequency, HSA_WAIT_STATE_ACTIVE);
	return !value;
}

#endif /* TESTS_AMDGPU_ROCR_H */
