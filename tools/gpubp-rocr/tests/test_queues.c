// SPDX-License-Identifier: GPL-2.0
/*
 * test_queues LIBRARY: what is recorded of the packets of a program's queues. ROCr is
 * fake.h's, KFD is here.
 */
#include <dlfcn.h>
#include <hsa.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake.h"
#include "internal.h"
#include "tap.h"

#define SIZE	64	/* of each queue */
#define WIDE	16, 8, 48, 16
#define HIGH	8, 16, 48, 16

static struct fake *fake;
static uint32_t next_id;	/* of KFD's queues */
static bool kfd_fails;
static void (*kfd_destroyed)(void);	/* what another thread does then */

/* KFD, behind the library's ioctl() */
static int kfd_ioctl(int fd, unsigned long request, ...)
{
	struct fake_kfd_queue *queue;
	va_list ap;

	va_start(ap, request);
	queue = va_arg(ap, void *);
	va_end(ap);
	if (fd != FAKE_KFD_FD || kfd_fails)
		return -1;
	if (request == FAKE_KFD_CREATE)
		queue->id = next_id;
	if (request == FAKE_KFD_DESTROY && kfd_destroyed)
		kfd_destroyed();
	return 0;
}

#define SECONDS	20	/* until a thread hangs for ever */

static pthread_t other;
static bool other_hangs;

static void *store_signal(void *unused)
{
	hsa_signal_store_relaxed((hsa_signal_t){ 0xe0 }, 1);
	return NULL;
}

/* has the lock of the loader, as a constructor has that another thread runs */
static void loader_waits(void)
{
	static bool waited;
	struct timespec end;

	if (waited)
		return;
	waited = true;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += SECONDS;
	pthread_create(&other, NULL, store_signal, NULL);
	other_hangs = pthread_timedjoin_np(other, NULL, &end);
}

/* the linker has it for the library's dlsym() */
void *__wrap_dlsym(void *handle, const char *name);
void *__real_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name)
{
	if (!strcmp(name, "hsa_queue_load_write_index_relaxed"))
		loader_waits();
	return strcmp(name, "ioctl") ? __real_dlsym(handle, name) :
				       (void *)(uintptr_t)kfd_ioctl;
}

/* ---- a program ------------------------------------------------------------------ */

/* a queue with its ring, of which @hsa is first */
struct queue {
	hsa_queue_t hsa;
	uint64_t index;
	hsa_kernel_dispatch_packet_t ring[SIZE];
};

static void queue_reset(struct queue *q, uint32_t id, uint64_t doorbell)
{
	int i;

	memset(q, 0, sizeof(*q));
	q->hsa = (hsa_queue_t){
		.base_address = q->ring, .doorbell_signal = { doorbell }, .size = SIZE,
		.id = id,
	};
	for (i = 0; i < SIZE; i++)
		q->ring[i].header = HSA_PACKET_TYPE_INVALID;
}

/* KFD numbers it @id, and ROCr says nothing of that */
static void queue_create(struct queue *q, uint32_t id, uint64_t doorbell)
{
	hsa_queue_t *created = NULL;

	queue_reset(q, id, doorbell);
	next_id = id;
	fake->queue = q;
	fake->kfd_ring = (uintptr_t)q->ring;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 0, NULL, NULL, 0, 0, &created);
}

static void packet_write(struct queue *q, uint64_t index, uint16_t x, uint16_t y,
			 uint32_t grid_x, uint32_t grid_y)
{
	q->ring[index % SIZE] = (hsa_kernel_dispatch_packet_t){
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH, .setup = 2,
		.workgroup_size_x = x, .workgroup_size_y = y, .workgroup_size_z = 1,
		.grid_size_x = grid_x, .grid_size_y = grid_y, .grid_size_z = 1,
		.kernel_object = 0x7f0000,
	};
}

static void queue_ring(struct queue *q, uint64_t value)
{
	if (q->index < value + 1)
		q->index = value + 1;
	fake->write_index = q->index;
	hsa_signal_store_screlease(q->hsa.doorbell_signal, (hsa_signal_value_t)value);
}

static void launch(struct queue *q, uint16_t x, uint16_t y, uint32_t grid_x, uint32_t grid_y)
{
	uint64_t index = q->index;

	packet_write(q, index, x, y, grid_x, grid_y);
	queue_ring(q, index);
	q->ring[index % SIZE].header = HSA_PACKET_TYPE_INVALID;
}

/* ---- what is recorded ------------------------------------------------------------- */

/* what the file has since the last call, but for kinds, without times */
static const char *recorded(void)
{
	static char text[8192];
	static size_t seen;
	char path[32], line[2048], what[16], rest[64];
	size_t nr = 0, len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", (int)getpid());
	file = fopen(path, "r");
	text[0] = '\0';
	for (; file && fgets(line, sizeof(line), file); nr++)
		if (nr >= seen && sscanf(line, "%15s %*d %63[^\n]", what, rest) == 2 &&
		    strcmp(what, "kind") && strcmp(what, "gpubp"))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s; ",
						what, rest);
	if (file)
		fclose(file);
	seen = nr;
	return text;
}

static bool is_recorded(const char *want)
{
	const char *text = recorded();

	if (!strcmp(text, want))
		return true;
	tap_note("recorded \"%s\", not \"%s\"", text, want);
	return false;
}

/* what is recorded until now is not looked at */
static void forget(void)
{
	recorded();
}

static struct queue a, b;

static void launches_of_two_queues(void)
{
	queue_create(&a, 4, 0xd0);
	queue_create(&b, 9, 0xd8);
	tap_ok(is_recorded("queue 4 64 0; queue 9 64 0; "), "queues have the numbers of KFD");
	launch(&a, WIDE);
	tap_ok(!other_hangs, "no lock is held while the loader looks for a function");
	launch(&b, HIGH);
	launch(&a, HIGH);
	tap_ok(is_recorded("launch 4 0 1; launch 9 0 2; launch 4 1 2; "),
	       "launches are those of their queue");
	tap_ok(fake->rung[0] == 0xd0 && fake->rung[1] == 1, "ROCr's doorbell is rung");
	hsa_signal_store_relaxed((hsa_signal_t){ 0xe0 }, 1);
	tap_ok(is_recorded("") && fake->rung[0] == 0xe0 && fake->rung[1] == 1,
	       "another signal is only stored");
}

/* one doorbell for several packets, of which some launch nothing */
static void several_packets(void)
{
	packet_write(&a, 2, WIDE);
	packet_write(&a, 3, WIDE);
	a.ring[3].header = HSA_PACKET_TYPE_BARRIER_AND;
	packet_write(&a, 4, WIDE);
	queue_ring(&a, 4);
	tap_ok(is_recorded("launch 4 2 1; launch 4 4 1; "), "all packets up to the doorbell are read");
	packet_write(&a, 5, HIGH);
	a.index = 6;
	fake->write_index = 6;
	hsa_signal_store_relaxed(a.hsa.doorbell_signal, 6);
	tap_ok(is_recorded("launch 4 5 2; "), "a doorbell may have the index behind the last one");
	launch(&a, WIDE);
	tap_ok(is_recorded("launch 4 6 1; "), "... and the next packet is not missed then");
}

/* two threads have places, and the first is slower */
static void packets_that_are_late(void)
{
	packet_write(&a, 8, HIGH);
	queue_ring(&a, 8);
	tap_ok(is_recorded("launch 4 8 2; "), "a packet that is not written yet is not read");
	packet_write(&a, 7, WIDE);
	queue_ring(&a, 7);
	tap_ok(is_recorded("launch 4 7 1; "), "... but when it is rung for");
	packet_write(&a, 10, HIGH);
	queue_ring(&a, 10);
	packet_write(&a, 9, WIDE);
	packet_write(&a, 11, WIDE);
	queue_ring(&a, 11);
	tap_ok(is_recorded("launch 4 10 2; launch 4 9 1; launch 4 11 1; "),
	       "... or another one is, as the GPU may have it then");
}

static void rings_that_wrap(void)
{
	int i;

	for (i = 0; i < SIZE; i++)
		launch(&b, HIGH);
	forget();
	for (i = 0; i < 1000; i++)
		launch(&b, HIGH);
	tap_ok(is_recorded(""), "the same launches again are no lines");
	launch(&b, WIDE);
	tap_ok(b.index == SIZE + 1002 && is_recorded("launch 9 41 1; "),
	       "a place of the ring may have another one");
	/* indices have 64 bits, hits 25 */
	queue_ring(&b, (1ULL << 32) - 2);
	forget();
	launch(&b, WIDE);
	launch(&b, WIDE);
	tap_ok(is_recorded("launch 9 63 1; launch 9 0 1; "),
	       "... also where the lower bits of its index wrap");
}

/* what was in the place of a packet that was never seen is not it */
static void packets_that_are_missed(void)
{
	int i;

	for (i = 0; i < SIZE; i++)
		launch(&b, HIGH);
	forget();
	queue_ring(&b, b.index + 1);
	tap_ok(is_recorded("launch 9 1 0; launch 9 2 0; "), "a packet that was not seen is not known");
	queue_ring(&b, b.index + 1000);
	forget();
	launch(&b, HIGH);
	tap_ok(is_recorded("launch 9 44 2; "), "a doorbell far ahead does not take long");
}

static void queues_that_end(void)
{
	hsa_queue_destroy(&a.hsa);
	tap_ok(is_recorded("queue 4 0 0; "), "the end of a queue is recorded");
	packet_write(&a, a.index, WIDE);
	queue_ring(&a, a.index);
	tap_ok(is_recorded(""), "its doorbell is none any more");
	queue_create(&a, 4, 0xd0);
	launch(&a, WIDE);
	tap_ok(is_recorded("queue 4 64 0; launch 4 0 1; "), "another one has its number");
}

static struct queue c, d;

/* of queue d, which is not created yet */
static void create_ring(void)
{
	struct fake_kfd_queue kfd = { .ring = (uintptr_t)d.ring, .type = 2 };

	ioctl(FAKE_KFD_FD, FAKE_KFD_CREATE, &kfd);
}

/* KFD gives the lowest number that is free */
static void queues_of_other_threads(void)
{
	hsa_queue_t *created;

	queue_create(&c, 3, 0xf0);
	queue_reset(&d, 3, 0xf8);
	kfd_destroyed = create_ring;
	hsa_queue_destroy(&c.hsa);
	kfd_destroyed = NULL;
	fake->queue = &d;
	fake->kfd_ring = 0;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 0, NULL, NULL, 0, 0, &created);
	tap_ok(is_recorded("queue 3 64 0; queue 3 0 0; queue 3 64 0; "),
	       "a number may be another queue's before the end of the first one returns");
	kfd_fails = true;
	hsa_queue_destroy(&d.hsa);
	kfd_fails = false;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 0, NULL, NULL, 0, 0, &created);
	tap_ok(is_recorded("queue 3 0 0; queue 3 64 0; "),
	       "a ring that KFD does not destroy keeps its number");
	hsa_queue_destroy(&d.hsa);
	forget();
}

/* ROCr ends, and with it queues that the program did not destroy */
static void queues_of_a_runtime_that_ends(void)
{
	queue_create(&d, 5, 0xf8);
	launch(&d, WIDE);
	forget();
	fake->users = 1;
	hsa_shut_down();
	launch(&d, HIGH);
	tap_ok(is_recorded("launch 5 1 2; "), "another user of ROCr ends");
	hsa_shut_down();
	launch(&d, HIGH);
	tap_ok(is_recorded("queue 5 0 0; queue 4 0 0; queue 9 0 0; "), "the last one ends all queues");
	fake->is_off = false;
	queue_create(&a, 4, 0xd0);
	queue_create(&d, 7, 0xf8);
	launch(&d, WIDE);
	tap_ok(is_recorded("queue 4 64 0; queue 7 64 0; launch 7 0 1; "),
	       "a queue at the same place later is another one");
	hsa_queue_destroy(&d.hsa);
	launch(&a, WIDE);
	forget();
}

/* of a tool that intercepts packets: the ring that KFD has is another one */
static void queues_of_others(void)
{
	hsa_queue_t *created;

	queue_reset(&c, 6, 0xf0);
	next_id = 6;
	fake->queue = &c;
	fake->kfd_ring = 0x1000;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 0, NULL, NULL, 0, 0, &created);
	launch(&c, WIDE);
	tap_ok(created == &c.hsa && is_recorded(""), "a queue without a number has no launches");
}

/* that of cooperative kernels is one, however often it is created */
static void queues_that_are_shared(void)
{
	hsa_queue_t *created;

	fake->queue = &a;
	fake->kfd_ring = 0;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 2, NULL, NULL, 0, 0, &created);
	launch(&a, HIGH);
	hsa_queue_destroy(&a.hsa);
	launch(&a, HIGH);
	tap_ok(is_recorded("launch 4 1 2; launch 4 2 2; "), "a queue that is created twice ends once");
}

/* ROCr is none in it, and its file has nothing of the parent's queues */
static void children(void)
{
	pid_t pid = fork();
	int status = 1;

	if (!pid) {
		launch(&a, WIDE);
		_exit(recorded()[0] || fake->rung[0] != 0xd0);
	}
	waitpid(pid, &status, 0);
	tap_ok(!status && is_recorded(""), "a child has no queues");
}

struct test_dim {
	uint32_t x, y, z;
};

int __hipPushCallConfiguration(struct test_dim grid, struct test_dim block, size_t shared,
			       void *stream);
int hipLaunchKernel(const void *kernel, struct test_dim grid, struct test_dim block,
		    void **args, size_t shared, void *stream);

static const struct test_dim grid = { 6, 1, 1 }, block = { 8, 16, 7 };

static void __attribute__((noinline)) push_here(void)
{
	tap_ok(__hipPushCallConfiguration(grid, block, 0, NULL) == fake->fails,
	       "HIP is given what <<<>>> has");
}

static void launched(void)
{
	static uint32_t width = 100;

	/* each is of another kind */
	launch(&a, 8, 16, width++, 16);
}

/* where the last kind of launches is; "" not known */
static const char *last_place(void)
{
	static char place[2048];
	char path[32], line[2048];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", (int)getpid());
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "kind ", 5))
			strcpy(place, strchr(line, '\t') + 1);
	if (file)
		fclose(file);
	place[strcspn(place, "\t\n")] = '\0';
	return place;
}

static bool place_is_in(const char *place, void (*function)(void))
{
	const char *plus = strrchr(place, '+');
	uintptr_t start = (uintptr_t)function;
	Dl_info info;

	if (!plus || !dladdr((void *)start, &info))
		return false;
	start -= (uintptr_t)info.dli_fbase;
	return strtoull(plus + 1, NULL, 0) - start < 256;
}

/* <<<>>> is of a function of its own, which is not where the program launches */
static void places(void)
{
	void *args[1];

	setenv("GPUBP_CALLSITES", "1", 1);
	fake->launched = launched;
	push_here();
	tap_ok(!hipLaunchKernel(NULL, grid, block, args, 3, args), "a kernel is launched");
	tap_ok(place_is_in(last_place(), push_here), "... where the program said <<<>>>");
	tap_ok(hipLaunchKernel(NULL, grid, block, args, 4, args) && !last_place()[0],
	       "... and another one is not");
	fake->fails = true;
	push_here();
	fake->fails = false;
	launched();
	tap_ok(!last_place()[0], "... nor one behind a <<<>>> that fails");
	unsetenv("GPUBP_CALLSITES");
	push_here();
	hipLaunchKernel(NULL, grid, block, args, 3, args);
	tap_ok(!last_place()[0], "nothing is recorded of that unless asked for");
}

int main(int argc, char **argv)
{
	void *library;
	char path[32];

	if (argc != 2)
		return 2;
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	if (!library) {
		printf("Bail out! %s\n", dlerror());
		return 1;
	}
	fake = dlsym(library, "fake");
	tap_plan(35);
	launches_of_two_queues();
	several_packets();
	packets_that_are_late();
	rings_that_wrap();
	packets_that_are_missed();
	queues_that_end();
	queues_of_other_threads();
	queues_of_a_runtime_that_ends();
	queues_of_others();
	queues_that_are_shared();
	children();
	places();
	snprintf(path, sizeof(path), "/tmp/gpubp-%d.names", (int)getpid());
	unlink(path);
	return tap_status();
}
