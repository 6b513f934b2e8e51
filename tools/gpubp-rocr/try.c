// SPDX-License-Identifier: GPL-2.0
/*
 * gpubp-rocr-try: a ROCm program that does as little as can be watched. It stores to each
 * word of a buffer as often as it says, and looks whether the words are right.
 *
 *	gpubp-rocr-try [DISPATCHES [GROUPS]]
 *
 * perf-gpubp doctor --report runs it, to try on a GPU what has been tried on none. The buffer
 * is named "tried"; a store of a wave to one of its words is one hit.
 *
 * ROCr is loaded, not linked with: it may be in /opt, and none may be there.
 */
#include <dlfcn.h>
#include <hsa.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpubp_rocr.h"

#define WORDS		64
#define SECONDS		60
#define PACKETS		256
#define PACKET_BYTES	64

/*
 * Code objects of try.cl: gpubp_try_GPU, and behind it gpubp_try_GPU_end; empty if the compiler
 * did not know the GPU.
 */
#define CODE(gpu)	extern const unsigned char gpubp_try_##gpu[], gpubp_try_##gpu##_end[];
#include "try_code.h"
#undef CODE

static const struct {
	const char *gpu;
	const unsigned char *begin, *end;
} codes[] = {
#define CODE(name)	{ #name, gpubp_try_##name, gpubp_try_##name##_end },
#include "try_code.h"
#undef CODE
};

/* what is called of ROCr; by dlsym(), so that a library that is preloaded is called first */
#define FUNCTIONS(F)							\
	F(hsa_init) F(hsa_shut_down) F(hsa_status_string)		\
	F(hsa_iterate_agents) F(hsa_agent_get_info)			\
	F(hsa_agent_iterate_regions) F(hsa_region_get_info)		\
	F(hsa_memory_allocate) F(hsa_memory_free)			\
	F(hsa_signal_create) F(hsa_signal_destroy)			\
	F(hsa_signal_store_relaxed) F(hsa_signal_store_screlease)	\
	F(hsa_signal_wait_scacquire)					\
	F(hsa_queue_create) F(hsa_queue_destroy)			\
	F(hsa_queue_add_write_index_relaxed)				\
	F(hsa_code_object_reader_create_from_memory)			\
	F(hsa_executable_create_alt)					\
	F(hsa_executable_load_agent_code_object)			\
	F(hsa_executable_freeze) F(hsa_executable_get_symbol_by_name)	\
	F(hsa_executable_symbol_get_info) F(hsa_system_get_info)

static struct {
#define MEMBER(name)	__typeof__(&name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} rocr;

/**
 * struct try - the program
 * @gpu: the first GPU
 * @name: its ISA
 * @memory: region of system memory that the GPU has, too
 * @queue: queue
 * @done: signal of its dispatches
 * @failed: why the queue has stopped
 * @words: what is stored to
 * @packet: a dispatch
 */
static struct try {
	hsa_agent_t gpu;
	char name[64];
	hsa_region_t memory;
	hsa_queue_t *queue;
	hsa_signal_t done;
	volatile hsa_status_t failed;
	uint32_t *words;
	hsa_kernel_dispatch_packet_t packet;
} try;

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "gpubp-rocr-try: %s: %s\n", what, why);
	exit(2);
}

/* it succeeds, or the program ends */
static void must(hsa_status_t status, const char *what)
{
	const char *text = "?";

	if (status == HSA_STATUS_SUCCESS || status == HSA_STATUS_INFO_BREAK)
		return;
	rocr.hsa_status_string(status, &text);
	fail(what, text);
}

static void load_rocr(void)
{
	void *library = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		library = dlopen("/opt/rocm/lib/libhsa-runtime64.so.1", RTLD_NOW | RTLD_GLOBAL);
	if (!library)
		fail("ROCr", dlerror());
#define FIND(name)							\
	rocr.name = (__typeof__(&name))dlsym(RTLD_DEFAULT, #name);	\
	if (!rocr.name)							\
		fail("ROCr lacks", #name);
	FUNCTIONS(FIND)
#undef FIND
}

/* ---- the GPU ------------------------------------------------------------------------ */

static hsa_status_t find_gpu(hsa_agent_t agent, void *unused)
{
	hsa_device_type_t type;

	(void)unused;
	must(rocr.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type), "type of device");
	if (type != HSA_DEVICE_TYPE_GPU)
		return HSA_STATUS_SUCCESS;
	try.gpu = agent;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t find_region(hsa_region_t region, void *unused)
{
	hsa_region_segment_t segment;
	uint32_t flags = 0;

	(void)unused;
	rocr.hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
	rocr.hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
	if (segment != HSA_REGION_SEGMENT_GLOBAL || !(flags & HSA_REGION_GLOBAL_FLAG_KERNARG))
		return HSA_STATUS_SUCCESS;
	try.memory = region;
	return HSA_STATUS_INFO_BREAK;
}

/* kernel arguments are in system memory */
static hsa_status_t find_regions(hsa_agent_t agent, void *unused)
{
	rocr.hsa_agent_iterate_regions(agent, find_region, unused);
	return try.memory.handle ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

/* of ROCr's thread */
static void queue_failed(hsa_status_t status, hsa_queue_t *queue, void *unused)
{
	(void)queue;
	(void)unused;
	try.failed = status;
}

static void begin(void)
{
	must(rocr.hsa_init(), "hsa_init");
	must(rocr.hsa_iterate_agents(find_gpu, NULL), "agents");
	if (!try.gpu.handle)
		fail("agents", "ROCr has no GPU");
	must(rocr.hsa_agent_get_info(try.gpu, HSA_AGENT_INFO_NAME, try.name), "name");
	must(rocr.hsa_iterate_agents(find_regions, NULL), "regions");
	must(rocr.hsa_memory_allocate(try.memory, WORDS * sizeof(*try.words),
				      (void **)&try.words), "memory");
	memset(try.words, 0, WORDS * sizeof(*try.words));
	gpubp_name(try.words, 0, "tried");
	must(rocr.hsa_signal_create(0, 0, NULL, &try.done), "signal");
	must(rocr.hsa_queue_create(try.gpu, PACKETS, HSA_QUEUE_TYPE_SINGLE, queue_failed,
				   NULL, UINT32_MAX, UINT32_MAX, &try.queue), "queue");
}

/* ---- its code ----------------------------------------------------------------------- */

static hsa_code_object_reader_t read_code(void)
{
	hsa_code_object_reader_t reader;
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (!strcmp(codes[i].gpu, try.name) && codes[i].begin < codes[i].end)
			break;
	if (i == sizeof(codes) / sizeof(codes[0]))
		fail(try.name, "this program has no code for that GPU");
	must(rocr.hsa_code_object_reader_create_from_memory(codes[i].begin,
			codes[i].end - codes[i].begin, &reader), "reader");
	return reader;
}

static void load_code(void)
{
	hsa_code_object_reader_t reader = read_code();
	hsa_kernel_dispatch_packet_t *packet = &try.packet;
	hsa_executable_symbol_t kernel;
	hsa_executable_t executable;
	uint32_t bytes = 0;

	must(rocr.hsa_executable_create_alt(HSA_PROFILE_BASE,
			HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable), "executable");
	must(rocr.hsa_executable_load_agent_code_object(executable, try.gpu, reader, NULL,
							NULL), "load");
	must(rocr.hsa_executable_freeze(executable, NULL), "freeze");
	must(rocr.hsa_executable_get_symbol_by_name(executable, "gpubp_try.kd", &try.gpu,
						    &kernel), "kernel");
	must(rocr.hsa_executable_symbol_get_info(kernel,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &packet->kernel_object),
	     "kernel object");
	must(rocr.hsa_executable_symbol_get_info(kernel,
			HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &bytes),
	     "size of arguments");
	must(rocr.hsa_memory_allocate(try.memory, bytes, &packet->kernarg_address),
	     "arguments");
	memset(packet->kernarg_address, 0, bytes);
}

/* ---- dispatches --------------------------------------------------------------------- */

static void submit(void)
{
	const uint16_t header =
		HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
		HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
		HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
	uint64_t index = rocr.hsa_queue_add_write_index_relaxed(try.queue, 1);
	char *to = (char *)try.queue->base_address +
		   PACKET_BYTES * (index % try.queue->size);

	memcpy(to + sizeof(header), (const char *)&try.packet + sizeof(header),
	       PACKET_BYTES - sizeof(header));
	__atomic_store_n((uint16_t *)to, header, __ATOMIC_RELEASE);
	rocr.hsa_signal_store_screlease(try.queue->doorbell_signal, (hsa_signal_value_t)index);
}

static void wait_for_it(void)
{
	unsigned int seconds = SECONDS;
	hsa_signal_value_t value = 1;
	uint64_t frequency;

	must(rocr.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency),
	     "frequency");
	while (value && !try.failed && seconds--)
		value = rocr.hsa_signal_wait_scacquire(try.done, HSA_SIGNAL_CONDITION_EQ, 0,
						       frequency, HSA_WAIT_STATE_BLOCKED);
	must(try.failed, "queue");
	if (value)
		fail("dispatch", "has not ended after a minute");
}

static void dispatch(unsigned int groups, uint32_t value)
{
	const struct {
		uint32_t *words;
		uint32_t value;
	} args = { try.words, value };

	memcpy(try.packet.kernarg_address, &args, sizeof(args));
	try.packet.setup = 1;	/* dimension */
	try.packet.workgroup_size_x = WORDS;
	try.packet.workgroup_size_y = 1;
	try.packet.workgroup_size_z = 1;
	try.packet.grid_size_x = WORDS * groups;
	try.packet.grid_size_y = 1;
	try.packet.grid_size_z = 1;
	try.packet.completion_signal = try.done;
	rocr.hsa_signal_store_relaxed(try.done, 1);
	submit();
	wait_for_it();
}

static unsigned int count_wrong(uint32_t value)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < WORDS; i++)
		wrong += try.words[i] != value + i;
	return wrong;
}

int main(int argc, char **argv)
{
	const unsigned int dispatches = argc > 1 ? (unsigned int)atoi(argv[1]) : 10;
	const unsigned int groups = argc > 2 ? (unsigned int)atoi(argv[2]) : 10;
	unsigned int n, wrong = 0;

	if (argc > 3 || !dispatches || !groups) {
		fprintf(stderr, "usage: gpubp-rocr-try [DISPATCHES [GROUPS]]\n");
		return 2;
	}
	load_rocr();
	begin();
	load_code();
	for (n = 0; n < dispatches; n++) {
		dispatch(groups, n);
		wrong += count_wrong(n);
	}
	printf("%s: %u stores to each word, %u words are wrong\n", try.name,
	       dispatches * groups, wrong);
	rocr.hsa_queue_destroy(try.queue);
	rocr.hsa_signal_destroy(try.done);
	rocr.hsa_memory_free(try.packet.kernarg_address);
	rocr.hsa_memory_free(try.words);
	rocr.hsa_shut_down();
	return wrong ? 1 : 0;
}
