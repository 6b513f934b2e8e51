// SPDX-License-Identifier: GPL-2.0
/*
 * kernels DIRECTORY [vram]: run the test kernels of tests/gpu through ROCr, and
 * compare all of their memory with the models. It prints TAP.
 *
 * Buffers are in system memory or, with vram, in that of the GPU: kernels of ROCr
 * copy them there and back then.
 */
#include <fcntl.h>
#include <hsa.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpubp_run.h"
#include "gpu/model.h"
#include "gpu/specs.h"
#include "tap.h"

#define PACKETS		64
#define KERNARG_BYTES	1024
#define WAIT_SECONDS	60

static hsa_agent_t gpu;
static hsa_region_t kernargs, vram;
static hsa_queue_t *queue;
static hsa_signal_t done;
static uint64_t timestamp_frequency;
static unsigned long long seed = 4711;

static bool succeeded(hsa_status_t status, const char *what)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return true;
	hsa_status_string(status, &text);
	tap_note("%s: %s", what, text);
	return false;
}

static void must(hsa_status_t status, const char *what)
{
	if (succeeded(status, what))
		return;
	printf("Bail out! %s\n", what);
	exit(1);
}

/* ---- the GPU ------------------------------------------------------------- */

static hsa_status_t find_gpu(hsa_agent_t agent, void *found)
{
	hsa_device_type_t type;

	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "device type");
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = agent;
	return type == HSA_DEVICE_TYPE_GPU ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

static hsa_status_t find_kernargs(hsa_region_t region, void *found)
{
	uint32_t flags = 0;

	hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
	if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
		kernargs = region;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_vram(hsa_region_t region, void *found)
{
	hsa_region_segment_t segment;
	uint32_t flags = 0;
	bool can = false;

	hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
	hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
	hsa_region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &can);
	if (segment == HSA_REGION_SEGMENT_GLOBAL && can &&
	    flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED)
		vram = region;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_regions(hsa_agent_t agent, void *found)
{
	hsa_device_type_t type;

	must(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "device type");
	hsa_agent_iterate_regions(agent, type == HSA_DEVICE_TYPE_GPU ? find_vram :
				  find_kernargs, NULL);
	return HSA_STATUS_SUCCESS;
}

static void set_up(void)
{
	must(hsa_init(), "hsa_init");
	must(hsa_iterate_agents(find_gpu, NULL), "agents");
	must(hsa_iterate_agents(find_regions, NULL), "regions");
	must(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY,
				 &timestamp_frequency), "timestamps");
	must(hsa_queue_create(gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, NULL, NULL,
			      UINT32_MAX, UINT32_MAX, &queue), "queue");
	must(hsa_signal_create(0, 0, NULL, &done), "signal");
}

/* ---- a dispatch ---------------------------------------------------------- */

/**
 * struct run - a kernel that is loaded
 * @code: what its arguments are
 * @file: code object
 * @reader: for that
 * @executable: it, loaded
 * @packet: what is dispatched
 */
struct run {
	struct grun_code *code;
	int file;
	hsa_code_object_reader_t reader;
	hsa_executable_t executable;
	hsa_kernel_dispatch_packet_t packet;
};

static bool find_kernel(struct run *run, const char *kernel)
{
	hsa_executable_symbol_t symbol;
	char name[80];

	snprintf(name, sizeof(name), "%s.kd", kernel);
	return succeeded(hsa_executable_get_symbol_by_name(run->executable, name,
			&gpu, &symbol), name) &&
	       succeeded(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
			&run->packet.kernel_object), "kernel object") &&
	       succeeded(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
			&run->packet.group_segment_size), "LDS") &&
	       succeeded(hsa_executable_symbol_get_info(symbol,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
			&run->packet.private_segment_size), "private memory");
}

static bool load(struct run *run, const char *dir, const struct spec *spec)
{
	struct grun_err err;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s.elf", dir, spec->file);
	if (grun_code_open(&run->code, path, &err)) {
		tap_note("%s", err.text);
		return false;
	}
	run->file = open(path, O_RDONLY | O_CLOEXEC);
	return succeeded(hsa_code_object_reader_create_from_file(run->file,
			&run->reader), "reader") &&
	       succeeded(hsa_executable_create_alt(HSA_PROFILE_BASE,
			HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL,
			&run->executable), "executable") &&
	       succeeded(hsa_executable_load_agent_code_object(run->executable, gpu,
			run->reader, NULL, NULL), "load") &&
	       succeeded(hsa_executable_freeze(run->executable, NULL), "freeze") &&
	       find_kernel(run, spec->kernel);
}

static void unload(struct run *run)
{
	if (run->executable.handle)
		hsa_executable_destroy(run->executable);
	if (run->reader.handle)
		hsa_code_object_reader_destroy(run->reader);
	if (run->file > 0)
		close(run->file);
	grun_code_free(run->code);
}

static void put_arguments(struct run *run, const char *kernel, const uint64_t *args)
{
	const struct grun_kernel *k = grun_code_find(run->code, kernel);
	char *to = run->packet.kernarg_address;
	unsigned int i;

	memset(to, 0, KERNARG_BYTES);
	for (i = 0; i < grun_kernel_nr_params(k); i++) {
		const struct grun_arg *arg = grun_kernel_param(k, i);

		memcpy(to + arg->offset, &args[i], arg->size);
	}
}

static bool dispatch(struct run *run, const struct spec *spec)
{
	uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
	hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)
		queue->base_address + index % queue->size;
	uint16_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
			  HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;

	run->packet.setup = 2;
	run->packet.workgroup_size_x = spec->workgroup[0];
	run->packet.workgroup_size_y = spec->workgroup[1];
	run->packet.workgroup_size_z = 1;
	run->packet.grid_size_x = spec->grid[0];
	run->packet.grid_size_y = spec->grid[1];
	run->packet.grid_size_z = 1;
	run->packet.completion_signal = done;
	hsa_signal_store_relaxed(done, 1);
	memcpy((char *)packet + sizeof(header), (char *)&run->packet + sizeof(header),
	       sizeof(*packet) - sizeof(header));
	__atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
	hsa_signal_store_screlease(queue->doorbell_signal, index);
	return !hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0,
			timestamp_frequency * WAIT_SECONDS, HSA_WAIT_STATE_ACTIVE);
}

/* ---- comparison ---------------------------------------------------------- */

static bool run_model(const struct spec *spec, uint64_t va, char *bytes,
		      const uint64_t *args)
{
	const uint32_t grid[3] = { spec->grid[0], spec->grid[1], 1 };
	const uint32_t workgroup[3] = { spec->workgroup[0], spec->workgroup[1], 1 };
	struct model model = {};

	model_map(&model, va, bytes, SPEC_MEMORY);
	return model_run(&model, spec->kernel, grid, workgroup, args) && !model.faults;
}

static bool run_compared(struct run *run, const struct spec *spec, char *memory)
{
	static char want[SPEC_MEMORY], got[SPEC_MEMORY];
	uint64_t args[SPEC_ARGS], va = (uint64_t)memory;
	size_t i;

	memset(want, 0, sizeof(want));
	spec_place(spec, va, want, args, &seed);
	if (!succeeded(hsa_memory_copy(memory, want, SPEC_MEMORY), "copy"))
		return false;
	put_arguments(run, spec->kernel, args);
	if (!run_model(spec, va, want, args)) {
		tap_note("no model");
		return false;
	}
	if (!dispatch(run, spec)) {
		tap_note("it has not ended after %d s", WAIT_SECONDS);
		return false;
	}
	if (!succeeded(hsa_memory_copy(got, memory, SPEC_MEMORY), "copy back"))
		return false;
	for (i = 0; i < SPEC_MEMORY && want[i] == got[i]; i++)
		;
	if (i < SPEC_MEMORY)
		tap_note("byte %zu is %#x, the model says %#x", i,
			 (unsigned char)got[i], (unsigned char)want[i]);
	return i == SPEC_MEMORY;
}

static void check_spec(const char *dir, const struct spec *spec, bool in_vram)
{
	struct run run = {};
	void *memory = NULL;
	bool ok;

	ok = load(&run, dir, spec) &&
	     succeeded(hsa_memory_allocate(kernargs, KERNARG_BYTES,
			&run.packet.kernarg_address), "arguments") &&
	     succeeded(hsa_memory_allocate(in_vram ? vram : kernargs, SPEC_MEMORY,
			&memory), "memory") &&
	     run_compared(&run, spec, memory);
	tap_ok(ok, "%s%s: memory as the model's", spec->kernel,
	       in_vram ? ", in VRAM" : "");
	if (memory)
		hsa_memory_free(memory);
	if (run.packet.kernarg_address)
		hsa_memory_free(run.packet.kernarg_address);
	unload(&run);
}

int main(int argc, char **argv)
{
	bool in_vram = argc > 2 && !strcmp(argv[2], "vram");
	const struct spec *spec;
	int nr = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: kernels DIRECTORY [vram]\n");
		return 2;
	}
	for (spec = specs; spec->file; spec++)
		nr++;
	tap_plan(nr);
	set_up();
	for (spec = specs; spec->file; spec++)
		check_spec(argv[1], spec, in_vram);
	must(hsa_queue_destroy(queue), "destroy");
	must(hsa_signal_destroy(done), "signal");
	must(hsa_shut_down(), "shut down");
	return tap_status();
}
