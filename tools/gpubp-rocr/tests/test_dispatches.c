// SPDX-License-Identifier: GPL-2.0
/*
 * test_dispatches LIBRARY: what a tool gets of the packets of a program's queues, and when
 * these begin. ROCr is fake.h's, the tool is a thread.
 */
#include <dlfcn.h>
#include <hsa.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake.h"
#include "internal.h"
#include "kernels.h"
#include "tap.h"

#define SIZE		64
#define CODE		0x7f0000000000ULL
#define KERN		(CODE + 0x40)
#define OUT		0x7f1000000000ULL
#define NO_KERNEL	0x7f2000000000ULL
#define DOORBELL	0xd0
#define BUSY_US		20000	/* a thread that does not wait has gone on by then, or this is no test */

static struct fake *fake;

/* ---- KFD ------------------------------------------------------------------------ */

static int kfd_ioctl(int fd, unsigned long request, void *arg)
{
	if (request == FAKE_KFD_CREATE)
		((struct fake_kfd_queue *)arg)->id = 4;
	return 0;
}

void *__wrap_dlsym(void *handle, const char *name);
void *__real_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name)
{
	return strcmp(name, "ioctl") ? __real_dlsym(handle, name) : (void *)(uintptr_t)kfd_ioctl;
}

/* ---- a program -------------------------------------------------------------------- */

static struct {
	hsa_queue_t hsa;
	hsa_kernel_dispatch_packet_t ring[SIZE];
} q;

/* of the kernel: a pointer, which it only reads by; a struct; a hidden argument */
struct block {
	uint64_t in;
	uint64_t sizes;
	uint64_t out;
	uint64_t hidden;
};

static struct block block = { OUT, 0x200000000400, 0, OUT };

static void load_code(void)
{
	struct grun_code *code = calloc(1, sizeof(*code));
	struct grun_kernel *kernel = calloc(1, sizeof(*kernel));

	*kernel = (struct grun_kernel){
		.name = "kern", .descriptor = 0x40, .kernarg_size = sizeof(block), .nr_args = 3,
		.args = {
			{ .kind = GRUN_ARG_POINTER, .offset = 0, .size = 8 },
			{ .kind = GRUN_ARG_OTHER, .offset = 8, .size = 16 },
			{ .kind = GRUN_ARG_HIDDEN, .offset = 24, .size = 8 },
		},
	};
	code->fd = -1;
	code->mem.va = CODE;
	code->kernels = kernel;
	code->nr_kernels = 1;
	kernels_add(code);
}

static void queue_create(void)
{
	hsa_queue_t *created = NULL;
	int i;

	memset(&q, 0, sizeof(q));
	q.hsa = (hsa_queue_t){
		.base_address = q.ring, .doorbell_signal = { DOORBELL }, .size = SIZE, .id = 4,
	};
	for (i = 0; i < SIZE; i++)
		q.ring[i].header = HSA_PACKET_TYPE_INVALID;
	fake->write_index = 0;
	fake->queue = &q;
	fake->kfd_ring = (uintptr_t)q.ring;
	hsa_queue_create((hsa_agent_t){ 0 }, SIZE, 0, NULL, NULL, 0, 0, &created);
}

static hsa_kernel_dispatch_packet_t *packet_write(uint64_t index, uint64_t kernel)
{
	q.ring[index % SIZE] = (hsa_kernel_dispatch_packet_t){
		.header = HSA_PACKET_TYPE_KERNEL_DISPATCH, .setup = 1, .workgroup_size_x = 64,
		.workgroup_size_y = 1, .workgroup_size_z = 1, .grid_size_x = 64, .grid_size_y = 1,
		.grid_size_z = 1, .kernel_object = kernel, .kernarg_address = &block,
	};
	if (fake->write_index <= index)
		fake->write_index = index + 1;
	return &q.ring[index % SIZE];
}

static void queue_ring(uint64_t index)
{
	hsa_signal_store_screlease(q.hsa.doorbell_signal, (hsa_signal_value_t)index);
}

static unsigned int type_at(uint64_t index)
{
	return q.ring[index % SIZE].header & 0xff;
}

/* the packet processor has done it; the packet stays as it is, but for its header */
static void packet_end(uint64_t index)
{
	hsa_signal_t signal = q.ring[index % SIZE].completion_signal;

	q.ring[index % SIZE].header = HSA_PACKET_TYPE_INVALID;
	if (signal.handle)
		(*(int64_t *)(uintptr_t)signal.handle)--;
}

static unsigned int nr_waits;
static uint64_t to_end;

/* what is waited for ends */
static void end_next(int64_t *signal)
{
	nr_waits++;
	packet_end(to_end);
}

/* ---- the tool ------------------------------------------------------------------------ */

static int tool;
static char heard[4096];	/* since the last look, with what was so then */
static void (*when_heard)(void);
static bool answered;

/* which of the first four places are valid, and what was rung last */
static void *tool_run(void *unused)
{
	char text[8192];
	size_t len;
	ssize_t n;
	int i;

	while ((n = recv(tool, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		len = strlen(heard);
		len += (size_t)snprintf(heard + len, sizeof(heard) - len, "%s |", text);
		for (i = 0; i < 4; i++)
			heard[len++] = type_at((uint64_t)i) == HSA_PACKET_TYPE_INVALID ? '-' : 'v';
		snprintf(heard + len, sizeof(heard) - len, " %d; ", (int)fake->rung[1]);
		if (when_heard)
			when_heard();
		answered = true;
		send(tool, "", 1, MSG_NOSIGNAL);
	}
	return NULL;
}

/* without process and queue: "dispatch PID 0/4/NUMBER DONE" has the numbers less 2^32 */
static bool is_heard(const char *want)
{
	static char text[4096];
	unsigned long long seq, done;
	char *from = heard, *end;
	int pid, used, len = 0;
	char what[16];

	text[0] = '\0';
	for (; (end = strstr(from, "; ")); from = end + 2) {
		*end = '\0';
		if (sscanf(from, "%15s %d 0/4/%llu %llu %n", what, &pid, &seq, &done, &used) == 4 &&
		    pid == getpid())
			len += sprintf(text + len, "%s %d after %d %s; ", what,
				       (int)(seq - (1ULL << 32)), (int)(done - (1ULL << 32)),
				       from + used);
		else
			len += sprintf(text + len, "%.5s; ", from);
	}
	heard[0] = '\0';
	if (strcmp(text, want))
		tap_note("heard \"%s\", not \"%s\"", text, want);
	return !strcmp(text, want);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void a_kernel(void)
{
	hsa_kernel_dispatch_packet_t *packet = packet_write(0, KERN);

	block.out = (uintptr_t)&q;
	queue_ring(0);
	block.out = 0;
	tap_ok(strstr(heard, "kern 0x7f1000000000,=0x") && strstr(heard, " |---- 77; "),
	       "the tool has its arguments before it begins");
	tap_ok(strstr(heard, "=0x200000000400") == NULL, "... but what is no address");
	heard[0] = '\0';
	tap_ok(fake->rung[1] == 0 && type_at(0) == HSA_PACKET_TYPE_KERNEL_DISPATCH,
	       "then it begins");
	tap_ok(packet->completion_signal.handle, "... with a signal");
}

static void one_after_the_other(void)
{
	to_end = 0;
	packet_write(1, KERN);
	queue_ring(1);
	tap_ok(nr_waits == 1 && is_heard("dispatch 1 after 0 kern 0x7f1000000000 |---- 0; "),
	       "the second one waits for the first");
	/* three, and a barrier, of one ring: each is rung for */
	packet_end(1);
	packet_write(2, KERN);
	packet_write(3, 0)->header = HSA_PACKET_TYPE_BARRIER_AND;
	packet_write(4, KERN);
	to_end = 2;
	queue_ring(4);
	tap_ok(nr_waits == 2 && fake->rung[1] == 4 &&
	       is_heard("dispatch 2 after 1 kern 0x7f1000000000 |---v 1; "
			"dispatch 4 after 3 kern 0x7f1000000000 |---v 2; "),
	       "of several of one ring, too; a barrier is as it was");
	packet_end(3);
	packet_end(4);
}

static void signals_of_the_program(void)
{
	/* no function of this library */
	__typeof__(&hsa_signal_create) create = dlsym(NULL, "hsa_signal_create");
	hsa_signal_t signal;
	int nr = fake->nr_signals;

	create(1, 0, NULL, &signal);
	packet_write(5, KERN)->completion_signal = signal;
	queue_ring(5);
	tap_ok(q.ring[5].completion_signal.handle == signal.handle, "a signal stays");
	heard[0] = '\0';
	packet_end(5);
	/* it was seen, and is used again */
	hsa_signal_store_relaxed(signal, 1);
	packet_write(6, KERN)->completion_signal = signal;
	queue_ring(6);
	tap_ok(is_heard("dispatch 6 after 5 kern 0x7f1000000000 |---- 5; "),
	       "one that is another packet's has ended");
	/* to read it would be an error of the sanitizer */
	hsa_signal_destroy(signal);
	q.ring[6].header = HSA_PACKET_TYPE_INVALID;
	packet_write(7, KERN);
	queue_ring(7);
	tap_ok(is_heard("dispatch 7 after 6 kern 0x7f1000000000 |---- 6; "),
	       "one that is destroyed, too");
	packet_end(7);
	tap_ok(fake->nr_signals == nr, "the library needs no more of them");
}

static void what_cannot_be_read(void)
{
	packet_write(8, NO_KERNEL);
	queue_ring(8);
	packet_end(8);
	packet_write(9, KERN)->kernarg_address = (void *)16;
	queue_ring(9);
	packet_end(9);
	tap_ok(is_heard("dispatch 8 after 7 - ... |---- 7; dispatch 9 after 8 kern ... |---- 8; "),
	       "a kernel that is not known, and arguments that are not there");
}

/* another thread has 10 and is not done; this one has 11 */
static void packets_that_are_late(void)
{
	fake->write_index = 12;
	packet_write(11, KERN);
	queue_ring(11);
	tap_ok(is_heard("dispatch 11 after 10 kern 0x7f1000000000 |---- 9; "),
	       "a packet in front of it is not there");
	packet_write(10, KERN);
	queue_ring(10);
	tap_ok(is_heard("began 10 after 9 kern 0x7f1000000000 |---- 11; "),
	       "when it is, it may have begun");
	packet_end(10);
	packet_end(11);
	packet_write(12, KERN)->header = HSA_PACKET_TYPE_INVALID;
	queue_ring(12);
	tap_ok(is_heard("began 12 after 11 kern 0x7f1000000000 |---- 10; "),
	       "so may one of which the header is invalid");
	packet_write(13, 0)->workgroup_size_x = 0;
	q.ring[13].header = HSA_PACKET_TYPE_INVALID;
	queue_ring(13);
	tap_ok(is_heard(""), "but no barrier");
}

/* 15 is another thread's, which has not rung yet */
static void packets_of_others(void)
{
	packet_write(15, KERN);
	packet_write(14, KERN);
	queue_ring(14);
	tap_ok(is_heard("dispatch 14 after 13 kern 0x7f1000000000 |---- 13; ") &&
	       type_at(15) == HSA_PACKET_TYPE_INVALID && fake->rung[1] == 14,
	       "what another thread will ring for does not begin before");
	packet_end(14);
	queue_ring(15);
	tap_ok(is_heard("dispatch 15 after 14 kern 0x7f1000000000 |---- 14; ") &&
	       type_at(15) == HSA_PACKET_TYPE_KERNEL_DISPATCH, "... and then it does");
	packet_end(15);
}

/* ---- a thread that wants a place while the tool has a message */

static pthread_t other;
static bool other_has_place, other_had_answer;

static void *other_adds(void *unused)
{
	hsa_queue_add_write_index_screlease(&q.hsa, 1);
	other_had_answer = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
	__atomic_store_n(&other_has_place, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start_other(void)
{
	pthread_create(&other, NULL, other_adds, NULL);
	usleep(BUSY_US);
}

static void places_of_others(void)
{
	packet_write(16, KERN);
	answered = false;
	when_heard = start_other;
	queue_ring(16);
	when_heard = NULL;
	pthread_join(other, NULL);
	tap_ok(other_has_place && other_had_answer,
	       "a thread gets a place for a packet when the tool has answered");
	packet_end(16);
	/* it has it */
	packet_write(17, KERN);
	queue_ring(17);
	packet_end(17);
	heard[0] = '\0';
}

static void queues_that_wrap(void)
{
	uint64_t index;
	int nr = 0;

	for (index = 18; index < 18 + 2 * SIZE; index++) {
		packet_write(index, KERN);
		queue_ring(index);
		packet_end(index);
		nr += strstr(heard, " kern 0x7f1000000000 |") != NULL;
		heard[0] = '\0';
	}
	tap_ok(nr == 2 * SIZE, "twice around the ring");
}

/* what is held then begins */
static void tool_goes(void)
{
	shutdown(tool, SHUT_RDWR);
}

static void a_tool_that_goes(void)
{
	const uint64_t first = 18 + 2 * SIZE;

	packet_write(first, KERN);
	packet_write(first + 1, KERN);
	when_heard = tool_goes;
	queue_ring(first);
	tap_ok(type_at(first) == HSA_PACKET_TYPE_KERNEL_DISPATCH && fake->rung[1] == first,
	       "a tool that goes: the kernel begins");
	queue_ring(first + 1);
	tap_ok(type_at(first + 1) == HSA_PACKET_TYPE_KERNEL_DISPATCH &&
	       fake->rung[1] == first + 1, "... and those behind it");
}

static void queues_that_end(void)
{
	packet_end(18 + 2 * SIZE);
	hsa_queue_destroy(&q.hsa);
	tap_ok(!fake->nr_signals, "a queue that ends has no signals");
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	char text[32];
	pthread_t thread;
	int ends[2];

	if (!library || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		return 2;
	fake = dlsym(library, "fake");
	fake->waited = end_next;
	fake->rung[1] = 77;
	tool = ends[0];
	snprintf(text, sizeof(text), "%d", ends[1]);
	setenv("GPUBP_LISTENER", text, 1);
	setenv("GPUBP_DISPATCHES", "1", 1);
	setenv("GPUBP_SERIAL", "1", 1);
	pthread_create(&thread, NULL, tool_run, NULL);
	tap_plan(22);
	load_code();
	queue_create();
	a_kernel();
	one_after_the_other();
	signals_of_the_program();
	what_cannot_be_read();
	packets_that_are_late();
	packets_of_others();
	places_of_others();
	queues_that_wrap();
	a_tool_that_goes();
	queues_that_end();
	pthread_join(thread, NULL);
	kernels_remove(CODE);
	snprintf(text, sizeof(text), "/tmp/gpubp-%d.names", (int)getpid());
	unlink(text);
	return tap_status();
}
