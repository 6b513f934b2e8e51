// SPDX-License-Identifier: GPL-2.0
/*
 * test_buffers LIBRARY global|local: what is published of the calls of a program. HIP and
 * ROCr are fake.h's, LIBRARY and what it needs; local: RTLD_NEXT does not find them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <hsa_ext_amd.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake.h"
#include "freed.h"
#include "gpubp_rocr.h"
#include "names.h"
#include "tap.h"

int hipMalloc(void **at, size_t size);
int hipExtMallocWithFlags(void **at, size_t size, unsigned int flags);
int hipMallocManaged(void **at, size_t size, unsigned int flags);
int hipHostMalloc(void **at, size_t size, unsigned int flags);
int hipHostAlloc(void **at, size_t size, unsigned int flags);
int hipMallocHost(void **at, size_t size);
int hipMemAllocHost(void **at, size_t size);
int hipMallocPitch(void **at, size_t *pitch, size_t width, size_t height);
int hipMemAllocPitch(void **at, size_t *pitch, size_t width, size_t height,
		     unsigned int element);
int hipFree(void *at);
int hipHostFree(void *at);
int hipFreeHost(void *at);
int hipHostRegister(void *host, size_t size, unsigned int flags);
int hipHostUnregister(void *host);
int hipIpcCloseMemHandle(void *at);
int hipMemMap(void *at, size_t size, size_t offset, void *handle, unsigned long long flags);
int hipMemUnmap(void *at, size_t size);
int hipMallocAsync(void **at, size_t size, void *stream);
int hipMallocFromPoolAsync(void **at, size_t size, void *pool, void *stream);
int hipFreeAsync(void *at, void *stream);

struct test_pitched {
	void *at;
	size_t pitch, width, height;
};

struct test_extent {
	size_t width, height, depth;
};

struct test_ipc {
	char reserved[64];
};

int hipMalloc3D(struct test_pitched *to, struct test_extent extent);
int hipIpcOpenMemHandle(void **at, struct test_ipc handle, unsigned int flags);

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **at);
hsa_status_t hsa_memory_free(void *at);
hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
					  uint32_t flags, void **at);
hsa_status_t hsa_amd_memory_pool_free(void *at);
hsa_status_t hsa_amd_vmem_map(void *at, size_t size, size_t offset,
			      hsa_amd_vmem_alloc_handle_t memory, uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void *at, size_t size);
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t size,
				       uint32_t nr, const hsa_agent_t *agents, void **at);
hsa_status_t hsa_amd_ipc_memory_detach(void *at);
hsa_status_t hsa_amd_memory_lock(void *host, size_t size, hsa_agent_t *agents, int nr,
				 void **at);
hsa_status_t hsa_amd_memory_lock_to_pool(void *host, size_t size, hsa_agent_t *agents, int nr,
					 hsa_amd_memory_pool_t pool, uint32_t flags, void **at);
hsa_status_t hsa_amd_memory_unlock(void *host);
hsa_status_t hsa_amd_svm_attributes_set(void *at, size_t size,
					hsa_amd_svm_attribute_pair_t *list, size_t nr);

/* what was published: "+NAME ADDRESS SIZE " and "-NAME "; N of allocN is that of the test */
static char heard[1024];
static unsigned int nr_heard, nr_before;	/* the highest N ever; ... before the test */
static int refused;	/* errno of the kernel for names, 0: it takes them */
static struct fake *fake;
static fake_run_fn *run, *reset;
static fake_advise_fn *advise;

static void __attribute__((format(printf, 1, 2))) hear(const char *fmt, ...)
{
	size_t len = strlen(heard);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(heard + len, sizeof(heard) - len, fmt, ap);
	va_end(ap);
}

/* the linker has these for calls of open() and ioctl() */
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, struct gpubp_publish *p);
int __real_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	return strcmp(path, "/dev/gpubp") ? __real_open(path, flags, 0644) : 1000;
}

static const char *name_of(const char *name)
{
	static char text[16];
	unsigned int nr;

	if (sscanf(name, "alloc%u", &nr) != 1)
		return name;
	nr_heard = nr > nr_heard ? nr : nr_heard;
	snprintf(text, sizeof(text), "alloc%u", nr - nr_before);
	return text;
}

int __wrap_ioctl(int fd, unsigned long request, struct gpubp_publish *p)
{
	if (fd != 1000 || request != GPUBP_PUBLISH || p->kind != GPUBP_PUBLISH_BUFFER)
		hear("?");
	else if (p->size && refused)
		return errno = refused, -1;
	else if (p->size)
		hear("+%s %llx %llx ", name_of(p->name), p->va, p->size);
	else
		hear("-%s ", name_of(p->name));
	return 0;
}

static bool published(const char *expected)
{
	bool ok = !strcmp(heard, expected);

	if (!ok)
		tap_note("published \"%s\", not \"%s\"", heard, expected);
	heard[0] = 0;
	return ok;
}

static void *address(uintptr_t va)
{
	return (void *)va;
}

/* the next allocation is there */
static void *gives(uintptr_t va)
{
	fake->at = address(va);
	return fake->at;
}

static void *allocate(uintptr_t va, size_t size)
{
	void *at = NULL;

	gives(va);
	hipMalloc(&at, size);
	return at;
}

/* what is published until now is not looked at */
static void forget(void)
{
	heard[0] = 0;
}

/* ---- plain allocations -------------------------------------------------------- */

static void freed(void *at)
{
	hear("freed ");
}

static void names_in_order(void)
{
	setenv("GPUBP_NAMES", "none,prices,,limits", 1);
	allocate(0x1000, 0x100);
	allocate(0x2000, 0x200);
	allocate(0, 0);
	allocate(0x3000, 0x300);
	allocate(0x4000, 0x400);
	tap_ok(published("+prices 1000 100 +alloc2 2000 200 +limits 3000 300 +alloc4 4000 400 "),
	       "names in the order of allocations; one of nothing has none");
	fake->freed = freed;
	hipFree(address(0x1000));
	tap_ok(published("freed -prices "), "the name ends behind the free, which waits for kernels");
	hipFree(NULL);
	hipFree(address(0x1000));
	hipFree(address(0x2080));
	tap_ok(published("freed freed freed "), "what is not the start of a buffer has no name");
	hipFree(address(0x2000));
	hipFree(address(0x3000));
	hipFree(address(0x4000));
	tap_ok(published("freed -alloc2 freed -limits freed -alloc4 "), "each has its own one");
	setenv("GPUBP_NAMES", "", 1);
}

static void names_by_size(void)
{
	setenv("GPUBP_NAMES", "rates/4096,a,b,c,d,e,f,in_order,mean/0x20", 1);
	allocate(0x10000, 4096);
	allocate(0x20000, 4096);
	allocate(0x30000, 32);
	tap_ok(published("+rates 10000 1000 +in_order 20000 1000 +mean 30000 20 "),
	       "NAME/SIZE is for one of that size, in no order");
	hipFree(address(0x10000));
	allocate(0x10000, 4096);
	tap_ok(published("-rates +rates 10000 1000 "), "... for the next one, when it is freed");
	hipFree(address(0x10000));
	hipFree(address(0x20000));
	hipFree(address(0x30000));
	setenv("GPUBP_NAMES", "", 1);
	forget();
}

static void failures(void)
{
	void *at = gives(0x1000);

	fake->fails = true;
	hipMalloc(&at, 0x100);
	tap_ok(published(""), "an allocation that fails has no name");
	fake->fails = false;
	allocate(0x1000, 0x100);
	tap_ok(published("+alloc1 1000 100 "), "... and takes none");
	fake->fails = true;
	hipFree(at);
	tap_ok(published(""), "a free that fails keeps the name");
	fake->fails = false;
	hipFree(at);
	tap_ok(published("-alloc1 "), "... for the one that does not");
}

static void freed_without_a_call(void)
{
	allocate(0x1000, 0x100);
	allocate(0x1100, 0x100);
	forget();
	allocate(0x10f0, 0x20);
	tap_ok(published("-alloc2 -alloc1 +alloc3 10f0 20 ") ,
	       "a buffer ends the names of what it overlaps");
	hipFree(address(0x10f0));
	tap_ok(published("-alloc3 "), "... and has its own");
}

/* each kind with its own free; HIP's own calls of ROCr have no names */
static void kinds(void)
{
	struct test_pitched pitched = {};
	size_t pitch = 0;
	void *at;

	at = gives(0x1000);
	hipExtMallocWithFlags(&at, 1, 0);
	hipFree(at);
	hipMallocManaged(&at, 2, 0);
	hipFree(at);
	tap_ok(published("+alloc1 1000 1 -alloc1 +alloc2 1000 2 -alloc2 "),
	       "hipExtMallocWithFlags, hipMallocManaged");
	hipHostMalloc(&at, 3, 0);
	hipHostFree(at);
	hipHostAlloc(&at, 4, 0);
	hipFreeHost(at);
	tap_ok(published("+alloc3 1000 3 -alloc3 +alloc4 1000 4 -alloc4 "),
	       "hipHostMalloc, hipHostAlloc");
	hipMallocHost(&at, 5);
	hipHostFree(at);
	hipMemAllocHost(&at, 6);
	hipFreeHost(at);
	tap_ok(published("+alloc5 1000 5 -alloc5 +alloc6 1000 6 -alloc6 "),
	       "hipMallocHost, hipMemAllocHost");
	hipMallocPitch(&at, &pitch, 100, 3);
	hipFree(at);
	hipMemAllocPitch(&at, &pitch, 100, 4, 4);
	hipFree(at);
	tap_ok(published("+alloc7 1000 600 -alloc7 +alloc8 1000 800 -alloc8 "),
	       "hipMallocPitch, hipMemAllocPitch: whole rows");
	hipMalloc3D(&pitched, (struct test_extent){ 16, 3, 2 });
	hipFree(pitched.at);
	tap_ok(published("+alloc9 1000 60 -alloc9 "), "hipMalloc3D: all slices");
	hsa_memory_allocate((hsa_region_t){}, 7, &at);
	hsa_memory_free(at);
	hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){}, 8, 0, &at);
	hsa_amd_memory_pool_free(at);
	tap_ok(published("+alloc10 1000 7 -alloc10 +alloc11 1000 8 -alloc11 "),
	       "hsa_memory_allocate, hsa_amd_memory_pool_allocate");
}

/* ---- streams ------------------------------------------------------------------ */

static void in_the_order_of_a_stream(void)
{
	void *at = gives(0x1000), *again;

	hipMallocAsync(&at, 0x100, NULL);
	tap_ok(published(""), "a stream's buffer has no name before the stream is there");
	run();
	tap_ok(published("+alloc1 1000 100 "), "... and then");
	hipFreeAsync(at, NULL);
	hipMallocFromPoolAsync(&again, 0x80, NULL, NULL);
	tap_ok(published(""), "it has it while kernels before its free may run");
	run();
	tap_ok(published("-alloc1 +alloc2 1000 80 "), "... and the next one there later");
	fake->fails = true;
	hipFreeAsync(again, NULL);
	fake->fails = false;
	run();
	tap_ok(published(""), "a free that fails keeps it");
	hipFree(again);
	tap_ok(published("-alloc2 "), "hipFree ends it, too");
}

static void freed_before_its_name(void)
{
	void *at = gives(0x1000);

	hipMallocAsync(&at, 0x100, NULL);
	hipFree(at);
	run();
	tap_ok(published(""), "freed before the stream is there: never a name");
	hipMallocAsync(&at, 0x100, NULL);
	hipFreeAsync(at, NULL);
	run();
	tap_ok(published("+alloc2 1000 100 -alloc2 "), "... but for what is between");
}

static void streams_without_functions(void)
{
	void *at = gives(0x1000);

	fake->no_functions = true;
	hipMallocAsync(&at, 0x100, NULL);
	hipFreeAsync(at, NULL);
	tap_ok(published("+alloc1 1000 100 -alloc1 "), "a stream without functions: at once");
	fake->no_functions = false;
	fake->captured = true;
	hipMallocAsync(&at, 0x100, NULL);
	hipFreeAsync(at, NULL);
	run();
	tap_ok(published("+alloc2 1000 100 "), "a graph's buffer keeps its name");
	fake->captured = false;
	allocate(0x1000, 0x100);
	tap_ok(published("-alloc2 +alloc3 1000 100 "), "... until another one is there");
	hipFree(address(0x1000));
	forget();
}

/* ---- mappings ----------------------------------------------------------------- */

static void memory_of_the_host(void)
{
	void *host = address(0x7000), *at = NULL;

	gives(0x1000);
	hipHostRegister(host, 0x100, 0);
	hipHostUnregister(host);
	tap_ok(published("+alloc1 1000 100 -alloc1 "),
	       "registered memory has its name where the GPU has it");
	hsa_amd_memory_lock(host, 0x100, NULL, 0, &at);
	hsa_amd_memory_lock_to_pool(host, 0x100, NULL, 0, (hsa_amd_memory_pool_t){}, 0, &at);
	tap_ok(published("+alloc2 1000 100 "), "locked memory, and again");
	hsa_amd_memory_unlock(host);
	tap_ok(published(""), "... is locked still");
	hsa_amd_memory_unlock(host);
	tap_ok(published("-alloc2 "), "... and no more");
	hsa_amd_memory_lock(host, 0x100, NULL, 0, &at);
	hipHostRegister(host, 0x100, 0);
	tap_ok(published("+alloc3 1000 100 "), "locked by the program, and registered");
	hipHostUnregister(host);
	tap_ok(published(""), "HIP's own unlock is not counted: it is locked still");
	fake->fails_later = true;
	hipHostRegister(host, 0x100, 0);
	fake->fails_later = false;
	tap_ok(published(""), "... nor that of a call that fails");
	hsa_amd_memory_unlock(host);
	tap_ok(published("-alloc3 "), "... until the program unlocks it");
}

static void what_the_runtime_frees(void)
{
	void *at = gives(0x1000);

	hipMallocManaged(&at, 0x100, 0);
	advise(at, 0x100, 0, 0);
	tap_ok(published("+alloc1 1000 100 "), "advice for one GPU does not end a name");
	reset();
	tap_ok(published("-alloc1 "), "what HIP frees of itself has no name");
}

static void memory_of_others(void)
{
	struct test_ipc ipc = { .reserved[63] = 'h' };
	void *at = NULL;

	gives(0x1000);
	fake->size = 0x300;
	hipIpcOpenMemHandle(&at, ipc, 0);
	hipIpcOpenMemHandle(&at, ipc, 0);
	hipIpcCloseMemHandle(at);
	tap_ok(published("+alloc1 1000 300 "), "memory of another process that is open twice");
	hipIpcCloseMemHandle(at);
	tap_ok(published("-alloc1 "), "... and is not, after both are closed");
	hsa_amd_ipc_memory_attach(&(hsa_amd_ipc_memory_t){}, 0x400, 0, NULL, &at);
	hsa_amd_ipc_memory_detach(at);
	tap_ok(published("+alloc2 1000 400 -alloc2 "), "hsa_amd_ipc_memory_attach");
}

static void virtual_memory(void)
{
	hipMemMap(address(0x1000), 0x1000, 0, NULL, 0);
	hipMemMap(address(0x2000), 0x1000, 0, NULL, 0);
	hipMemMap(address(0x3000), 0x1000, 0, NULL, 0);
	hipMemUnmap(address(0x1000), 0x2000);
	tap_ok(published("+alloc1 1000 1000 +alloc2 2000 1000 +alloc3 3000 1000 "
			 "-alloc1 -alloc2 "), "hipMemUnmap of two mappings of three");
	fake->fails = true;
	hipMemUnmap(address(0x3000), 0x1000);
	tap_ok(published(""), "... one that fails");
	fake->fails = false;
	hsa_amd_vmem_unmap(address(0x3000), 0x1000);
	hsa_amd_vmem_map(address(0x1000), 0x1000, 0, (hsa_amd_vmem_alloc_handle_t){}, 0);
	hsa_amd_vmem_unmap(address(0x1000), 0x1000);
	tap_ok(published("-alloc3 +alloc4 1000 1000 -alloc4 "), "hsa_amd_vmem_map");
}

static void shared_virtual_memory(void)
{
	hsa_amd_svm_attribute_pair_t accessible = { HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE, 1 };
	hsa_amd_svm_attribute_pair_t not = { HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, 1 };
	hsa_amd_svm_attribute_pair_t other = { 7, 1 };
	size_t page = (size_t)getpagesize();
	char expected[64], *at;

	at = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hsa_amd_svm_attributes_set(at, 2 * page, &other, 1);
	tap_ok(published(""), "memory of the host that the GPU cannot access");
	hsa_amd_svm_attributes_set(at, 2 * page, &accessible, 1);
	hsa_amd_svm_attributes_set(at, page, &accessible, 1);
	snprintf(expected, sizeof(expected), "+alloc1 %lx %zx ", (long)at, 2 * page);
	tap_ok(published(expected), "... and can, once");
	hsa_amd_svm_attributes_set(at, 2 * page, &not, 1);
	tap_ok(published("-alloc1 "), "... and cannot any more");
	accessible.attribute = HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE;
	hsa_amd_svm_attributes_set(at + page, page, &accessible, 1);
	snprintf(expected, sizeof(expected), "+alloc2 %lx %zx ", (long)(at + page), page);
	tap_ok(published(expected), "... in place");
	munmap(at, page);
	tap_ok(published(""), "munmap of what is beside it");
	munmap(at + page, page);
	tap_ok(published("-alloc2 "), "munmap ends the name");
}

/* ---- what the program names ---------------------------------------------------- */

static void names_of_the_program(void)
{
	char *at = allocate(0x1000, 0x100);

	allocate(0x2000, 0x100);
	forget();
	gpubp_name(at, 0, "weights");
	tap_ok(published("-alloc1 +weights 1000 100 "), "an allocation has another name");
	gpubp_name(at, 0x100, "weights2");
	tap_ok(published("-weights +weights2 1000 100 "), "... and another one");
	gpubp_name(address(0x2000), 0x100, "weights2");
	tap_ok(published("-alloc2 +weights2 2000 100 "), "its name goes to the last one");
	hipFree(at);
	tap_ok(published(""), "... which keeps it when the first one is freed");
	gpubp_name(address(0x2000), 0, NULL);
	tap_ok(published("-weights2 "), "no name any more");
	hipFree(address(0x2000));
	tap_ok(published(""), "... nor when it is freed");
}

static void names_of_parts(void)
{
	char *at = allocate(0x1000, 0x100);

	forget();
	gpubp_name(at, 0x40, "bias");
	gpubp_name(at + 0x40, 0, "rest");
	tap_ok(published("+bias 1000 40 +rest 1040 c0 "), "parts, beside the allocation's name");
	gpubp_name(at + 0x20, 0x40, "both");
	tap_ok(published("-rest -bias +both 1020 40 "), "a part ends those that it overlaps");
	gpubp_name(at, 0x10, "few");
	gpubp_name(at + 0x20, 0x10, NULL);
	tap_ok(published("+few 1000 10 -both "), "a part without a name");
	fake->fails = true;
	hipFree(at);
	tap_ok(published(""), "a free that fails keeps parts");
	fake->fails = false;
	hipFree(at);
	tap_ok(published("-few -alloc1 ") , "parts end with the allocation");
	gpubp_name(address(0x9000), 0x10, "alone");
	allocate(0x9000, 0x100);
	hipFree(address(0x9000));
	tap_ok(published("+alone 9000 10 -alone +alloc2 9000 100 -alloc2 "),
	       "a part of nothing that is known ends with the next allocation there");
}

static void names_in_a_stream(void)
{
	void *at = gives(0x1000);

	hipMallocAsync(&at, 0x100, NULL);
	gpubp_name(at, 0, "early");
	run();
	hipFreeAsync(at, NULL);
	run();
	tap_ok(published("+early 1000 100 -early "), "named before the stream is there");
}

static void names_that_are_refused(void)
{
	char *at = allocate(0x1000, 0x100), name[65] = "";

	forget();
	memset(name, 'x', 64);
	tap_ok(gpubp_name(at, 0, name) == -EINVAL && gpubp_name(at, 0, "a b") == -EINVAL &&
	       gpubp_name(at, 0, "a\n") == -EINVAL, "names that are no names");
	tap_ok(gpubp_name(at + 0x80, 0x81, "a") == -EINVAL &&
	       gpubp_name(at - 1, 0x80, "a") == -EINVAL &&
	       gpubp_name(at - 1, 0, "a") == -EINVAL &&
	       gpubp_name((char *)-16, 32, "a") == -EINVAL, "ranges that are no parts");
	tap_ok(published(""), "... and nothing is published");
	name[63] = 0;
	tap_ok(!gpubp_name(at, 0, name), "63 characters are a name");
	hipFree(at);
}

static void no_room_in_the_kernel(void)
{
	static const int errors[] = { ENOSPC, EAGAIN, ENOMEM };
	char *at = allocate(0x1000, 0x100);
	bool whole = true, part = true;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		refused = errors[i];
		whole &= gpubp_name(at, 0, "weights") == -errors[i];
		part &= gpubp_name(at + 0x10, 0x10, "bias") == -errors[i];
	}
	refused = ESRCH;
	tap_ok(!gpubp_name(at + 0x20, 0x10, "early"), "a process without a GPU context");
	refused = 0;
	gpubp_name(at + 0x20, 0x10, NULL);
	forget();
	tap_ok(whole, "the kernel's errors, for an allocation");
	tap_ok(part, "... and for a part of it");
	tap_ok(!gpubp_name(at, 0, "weights") && !gpubp_name(at + 0x10, 0x10, "bias") &&
	       published("+weights 1000 100 +bias 1010 10 "), "... until it has room");
	refused = ENOSPC;
	allocate(0x2000, 0x100);
	refused = 0;
	hipFree(at);
	tap_ok(published("-bias -weights "), "... and each name ends");
	hipFree(address(0x2000));
	forget();
}

/* ---- what an agent hears -------------------------------------------------------- */

static void say_freed(uint64_t at, uint64_t size)
{
	hear("~%lx %lx ", (long)at, (long)size);
}

/* an agent's thread, until it does not listen any more */
static void *listens(void *file)
{
	struct pollfd files[] = { { .fd = *(int *)file, .events = POLLIN }, { .fd = -1 } };

	while (!(files[0].revents & POLLNVAL) && poll(files, 1, 10) >= 0)
		if (files[0].revents & POLLIN)
			freed_take(say_freed);
	return NULL;
}

static void freed_as_heard(void)
{
	pthread_t thread;
	void *at, *again;
	int file = freed_listen();

	pthread_create(&thread, NULL, listens, &file);
	fake->freed = freed;
	allocate(0x1000, 0x100);
	allocate(0x2000, 0x100);
	forget();
	hipFree(address(0x1000));
	tap_ok(published("freed ~1000 100 -alloc1 "), "an agent hears of a free, before it returns");
	hipFree(address(0x1000));
	hipFree(address(0x2010));
	tap_ok(published("freed freed "), "... and of none of what is no buffer");
	allocate(0x2080, 0x100);
	tap_ok(published("~2080 100 -alloc2 +alloc3 2080 100 "),
	       "... and of one without a call that is known, before the next name");
	hipFree(address(0x2080));
	fake->freed = NULL;
	at = address(0x3000);
	gives(0x3000);
	hipHostRegister(at, 0x100, 0);
	hipHostRegister(at, 0x100, 0);
	forget();
	hipHostUnregister(at);
	tap_ok(published(""), "... not of memory that is still mapped another time");
	hipHostUnregister(at);
	tap_ok(strstr(heard, "~3000 100 -") == heard, "... but then");
	freed_deaf();
	pthread_join(thread, NULL);
	again = allocate(0x1000, 0x100);
	forget();
	hipFree(again);
	tap_ok(published("-alloc5 "), "when it is gone a free does not wait");
}

static void *frees(void *at)
{
	hipFree(at);
	return NULL;
}

/* it ends before it takes it */
static void freed_and_not_heard(void)
{
	pthread_t thread;
	struct pollfd files = { .fd = freed_listen(), .events = POLLIN };

	pthread_create(&thread, NULL, frees, allocate(0x1000, 0x100));
	poll(&files, 1, -1);
	freed_deaf();
	pthread_join(thread, NULL);
	forget();
	tap_ok(true, "who waits when it ends goes on");
}

static void (*const tests[])(void) = {
	names_in_order,
	names_by_size,
	failures,
	freed_without_a_call,
	kinds,
	in_the_order_of_a_stream,
	freed_before_its_name,
	streams_without_functions,
	memory_of_the_host,
	what_the_runtime_frees,
	memory_of_others,
	virtual_memory,
	shared_virtual_memory,
	names_of_the_program,
	names_of_parts,
	names_in_a_stream,
	names_that_are_refused,
	no_room_in_the_kernel,
	freed_as_heard,
	freed_and_not_heard,
};

int main(int argc, char **argv)
{
	void *library;
	char map[32];
	size_t i;

	if (argc != 3)
		return 2;
	library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "local") ? RTLD_GLOBAL : 0));
	if (!library) {
		printf("Bail out! %s\n", dlerror());
		return 1;
	}
	fake = dlsym(library, "fake");
	run = (fake_run_fn *)dlsym(library, "fake_run");
	reset = (fake_run_fn *)dlsym(library, "hipDeviceReset");
	advise = (fake_advise_fn *)dlsym(library, "hipMemAdvise");
	tap_plan(80);
	for (i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		memset(fake, 0, sizeof(*fake));
		hipFree(allocate(0x1000, 1));
		forget();
		nr_before = nr_heard;
		tests[i]();
	}
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", getpid());
	unlink(map);
	snprintf(map, sizeof(map), "/tmp/gpubp-%d.names", getpid());
	unlink(map);
	return tap_status();
}
