// SPDX-License-Identifier: GPL-2.0
/*
 * Run lists that do not fit: more processes than VMIDs, more queues than hardware
 * queues. Each has a queue whose kernel counts in memory until it is to end: what it
 * counts tells that nothing of it is lost in its turns.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>


#include "tap.h"
#include "user_queue.h"

#define MAX_QUEUES	6u
#define FIRST_PASID	0x8001u
#define QUEUE_DOORBELL(i)	(0x800u + 4 * (i))

/* of all processes */
#define AT_DESCRIPTOR	0x30000u
#define AT_CODE		0x30100u
#define AT_HANDLER	0x40000u
#define AT_TMA		0x42000u
#define VRAM_ROOTS	0x300000u

/* of each queue, from AT_OWN on */
#define AT_OWN		0x80000u
#define OWN_BYTES	0x40000u
#define OWN(i, at)	(AT_OWN + (i) * OWN_BYTES + (at))
#define OWN_PACKETS	0x0u
#define OWN_READ	0x1000u
#define OWN_WRITE	0x1800u
#define OWN_SIGNAL	0x2000u
#define OWN_MQD		0x3000u
#define OWN_KERNARG	0x5000u
#define OWN_OUT		0x5400u
#define OWN_SAVE	0x10000u
#define STACK_BYTES	0x1000u
#define SAVE_BYTES	0x30000u

#define IDLE_NS			1000000u	/* runlist.c's */

#define DESC_KERNARG_PTR	(1u << 3)
#define RSRC2_USER_SGPRS(nr)	((nr) << 1)

static struct world w;

static const uint32_t count_up[] = {
	0xc0060000, 0x00000000,	/* s_load_dwordx2 s[0:1], s[0:1], 0x0 */
	0x7e020280,		/* v_mov_b32 v1, 0 */
	0x7e060280,		/* v_mov_b32 v3, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0x68060681,		/* w: v_add_u32 v3, 1, v3 */
	0xdc708000, 0x00000301,	/* global_store_dword v1, v3, s[0:1] */
	0xdc518040, 0x02000001,	/* global_load_dword v2, v1, s[0:1] offset:64 glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x7d940480,		/* v_cmp_eq_u32 vcc, 0, v2 */
	0xbf87fff8,		/* s_cbranch_vccnz w */
	0xdc708080, 0x00000301,	/* global_store_dword v1, v3, s[0:1] offset:128 */
	0xbf810000,		/* s_endpgm */
};

static volatile uint32_t *out(unsigned int i, unsigned int byte)
{
	return guest32(&w, OWN(i, OWN_OUT) + byte);
}

static volatile int64_t *signal_of(unsigned int i)
{
	return (int64_t *)guest64(&w, OWN(i, OWN_SIGNAL) + 8);
}

static struct v9_mqd *mqd(unsigned int i)
{
	return (struct v9_mqd *)(w.guest + OWN(i, OWN_MQD));
}

/* ---- what the driver puts into memory ------------------------------------ */

static void put_common(void)
{
	put_handler(&w, AT_HANDLER);
	memset(w.guest + AT_DESCRIPTOR, 0, 64);
	*guest32(&w, AT_DESCRIPTOR + 16) = AT_CODE - AT_DESCRIPTOR;
	*guest32(&w, AT_DESCRIPTOR + 44) = 0;
	*guest32(&w, AT_DESCRIPTOR + 52) = RSRC2_USER_SGPRS(2);
	*guest32(&w, AT_DESCRIPTOR + 56) = DESC_KERNARG_PTR;
	memcpy(w.guest + AT_CODE, count_up, sizeof(count_up));
}

static void put_queue(unsigned int i)
{
	struct v9_mqd *m = mqd(i);
	unsigned int packet;

	memset(w.guest + OWN(i, 0), 0, OWN_BYTES);
	for (packet = 0; packet < NR_PACKETS; packet++)
		*guest32(&w, OWN(i, OWN_PACKETS) + packet * 64) = TYPE_INVALID;
	m->cp_hqd_pq_base_lo = LO(USER(OWN(i, OWN_PACKETS)) >> 8);
	m->cp_hqd_pq_base_hi = HI(USER(OWN(i, OWN_PACKETS)) >> 8);
	m->cp_hqd_pq_control = __builtin_ctz(NR_PACKETS * 16) - 1;
	m->cp_hqd_pq_rptr_report_addr_lo = LO(USER(OWN(i, OWN_READ)));
	m->cp_hqd_pq_rptr_report_addr_hi = HI(USER(OWN(i, OWN_READ)));
	m->cp_hqd_aql_control = 1;
	m->cp_hqd_ctx_save_base_addr_lo = LO(USER(OWN(i, OWN_SAVE)));
	m->cp_hqd_ctx_save_base_addr_hi = HI(USER(OWN(i, OWN_SAVE)));
	m->cp_hqd_ctx_save_size = SAVE_BYTES;
	m->cp_hqd_cntl_stack_size = STACK_BYTES;
	m->cp_hqd_cntl_stack_offset = STACK_BYTES;
	m->cp_hqd_wg_state_offset = STACK_BYTES;
}

/* the kernel, and the doorbell, whether the queue is on the GPU or not */
static void kick(unsigned int i)
{
	struct compute_packet *p = (void *)(w.guest + OWN(i, OWN_PACKETS));

	*guest64(&w, OWN(i, OWN_KERNARG)) = USER(OWN(i, OWN_OUT));
	*signal_of(i) = 1;
	memset(p, 0, sizeof(*p));
	p->setup = 1;
	p->workgroup[0] = p->grid[0] = 64;
	p->workgroup[1] = p->workgroup[2] = p->grid[1] = p->grid[2] = 1;
	p->object = USER(AT_DESCRIPTOR);
	p->kernarg = USER(OWN(i, OWN_KERNARG));
	p->signal = USER(OWN(i, OWN_SIGNAL));
	p->header = TYPE_DISPATCH | 0x1500;
	*guest64(&w, OWN(i, OWN_WRITE)) = 1;
	ring_doorbell(&w, QUEUE_DOORBELL(i), 0);
}

/* ---- the list ------------------------------------------------------------ */

static unsigned int put_process(uint32_t *dw, unsigned int i)
{
	uint32_t root = VRAM_ROOTS + i * 4096;
	const uint32_t map[21] = {
		3u << 30 | 0xa1 << 8 | 19 << 16, (FIRST_PASID + i) | 10u << 25,
		root | 1, 0, 0, 0,
		LO(USER(AT_HANDLER) >> 8), USER(AT_HANDLER) >> 40,
		LO(USER(AT_TMA) >> 8), USER(AT_TMA) >> 40,
	};

	memcpy(w.gpu->mem.vram + root, w.gpu->mem.vram + VRAM_ROOT, 4096);
	memcpy(dw, map, sizeof(map));
	return 21;
}

static unsigned int put_map(uint32_t *dw, unsigned int i)
{
	const uint32_t map[7] = {
		3u << 30 | 0xa2 << 8 | 5 << 16, 1u << 29, QUEUE_DOORBELL(i) << 2,
		LO(GUEST_GART + OWN(i, OWN_MQD)), HI(GUEST_GART + OWN(i, OWN_MQD)),
		LO(USER(OWN(i, OWN_WRITE))), HI(USER(OWN(i, OWN_WRITE)))
	};

	memcpy(dw, map, sizeof(map));
	return 7;
}

static void kernel_packets(const uint32_t *dw, unsigned int nr)
{
	ring_begin(&w, 0);
	ring_put(&w, dw, nr);
	ring_kick(&w);
}

static void unmap_all(void)
{
	kernel_packets((const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 2 << 4, 0, 0,
		       0, 0 }, 6);
}

/* @nr queues of as many processes or of one, with so many VMIDs and hardware queues */
static void run_list(unsigned int nr, bool one, unsigned int limit, uint32_t vmids,
		     uint32_t hardware)
{
	uint32_t *list = guest32(&w, AT_LIST);
	unsigned int i, dw = 0;

	for (i = 0; i < nr; i++) {
		if (!i || !one)
			dw += put_process(list + dw, i);
		dw += put_map(list + dw, i);
	}
	/* the list names itself, as amdkfd's do then */
	memcpy(list + dw, (const uint32_t []){ 3u << 30 | 0xa5 << 8 | 2 << 16,
	       LO(GUEST_GART + AT_LIST), 0, (dw + 4) | 1u << 20 | limit << 24 }, 16);
	dw += 4;
	kernel_packets((const uint32_t []){
		3u << 30 | 0xa0 << 8 | 6 << 16, vmids, hardware, 0, 0, 0, 0, 0,
		3u << 30 | 0xa5 << 8 | 2 << 16, LO(GUEST_GART + AT_LIST), 0,
		dw | limit << 24 }, 12);
}

static void begin(unsigned int nr, bool one, unsigned int limit, uint32_t vmids,
		  uint32_t hardware)
{
	unsigned int i;

	unmap_all();
	put_common();
	for (i = 0; i < nr; i++)
		put_queue(i);
	run_list(nr, one, limit, vmids, hardware);
}

/* ---- what happens -------------------------------------------------------- */

static bool is_mapped(unsigned int i)
{
	return queue_find(&w.gpu->engine, QUEUE_DOORBELL(i));
}

static unsigned int count_mapped(unsigned int nr)
{
	unsigned int i, mapped = 0;

	for (i = 0; i < nr; i++)
		mapped += is_mapped(i);
	return mapped;
}

/**
 * struct turns - what was seen of queues
 * @max: most that were mapped at a time
 * @nr: how often each one came
 * @on: it is mapped
 * @last: what it had counted
 * @back: it had counted more before
 */
struct turns {
	unsigned int max;
	unsigned int nr[MAX_QUEUES];
	bool on[MAX_QUEUES];
	uint32_t last[MAX_QUEUES];
	bool back;
};

static void turns_look(struct turns *t, unsigned int nr)
{
	unsigned int i, mapped = count_mapped(nr);

	t->max = mapped > t->max ? mapped : t->max;
	for (i = 0; i < nr; i++) {
		bool on = is_mapped(i);
		uint32_t count = *out(i, 0);

		t->nr[i] += on && !t->on[i];
		t->on[i] = on;
		t->back |= count < t->last[i];
		t->last[i] = count;
	}
}

static unsigned int turns_min(const struct turns *t, unsigned int nr)
{
	unsigned int i, min = t->nr[0];

	for (i = 1; i < nr; i++)
		min = t->nr[i] < min ? t->nr[i] : min;
	return min;
}

static unsigned int turns_max(const struct turns *t, unsigned int nr)
{
	unsigned int i, max = 0;

	for (i = 0; i < nr; i++)
		max = t->nr[i] > max ? t->nr[i] : max;
	return max;
}

/* until each one had so many, a minute at most */
static void turns_take(struct turns *t, unsigned int nr, unsigned int want)
{
	uint64_t end = clock_ns() + 60000000000ull;

	memset(t, 0, sizeof(*t));
	while (turns_min(t, nr) < want && clock_ns() < end) {
		gpu_look_again(w.gpu);
		turns_look(t, nr);
	}
}

/* each kernel is to end, and does */
static bool all_end(unsigned int nr)
{
	uint64_t end = clock_ns() + 60000000000ull;
	unsigned int i, left = nr;

	for (i = 0; i < nr; i++)
		*out(i, 64) = 1;
	while (left && clock_ns() < end) {
		gpu_look_again(w.gpu);
		for (i = left = 0; i < nr; i++)
			left += *signal_of(i) != 0;
	}
	for (i = 0; i < nr; i++)
		if (*out(i, 0) != *out(i, 128) || !*out(i, 0))
			return false;
	return !left && !w.gpu->sq.view;
}

static void check_processes(void)
{
	struct turns t;
	unsigned int i;
	uint64_t saved;

	begin(5, false, 2, 0x0f00, 0);
	tap_ok(count_mapped(5) == 2 && is_mapped(0) && is_mapped(1),
	       "as many processes as the list allows are mapped");
	tap_ok(!w.gpu->engine.process[10].mapped, "though there are more VMIDs");
	for (i = 0; i < 5; i++)
		kick(i);
	tap_ok(!world_log(&w, "has no queue"), "doorbells of those that wait are no error");
	turns_take(&t, 5, 4);
	tap_ok(turns_min(&t, 5) >= 4 && turns_max(&t, 5) <= 6, "all have turns, in order");
	tap_ok(t.max == 2, "never more at a time");
	tap_ok(!t.back && w.gpu->compute.saved >= 10 &&
	       w.gpu->compute.restored >= 10, "their waves are saved and go on");
	saved = w.gpu->compute.saved;
	unmap_all();
	tap_ok(!count_mapped(5) && !w.gpu->sq.view && gpu_look_again(w.gpu) < 0 &&
	       w.gpu->compute.saved > saved, "UNMAP_QUEUES ends the turns");
	run_list(5, false, 0, 0x0700, 0);
	turns_take(&t, 5, 2);
	tap_ok(t.max == 3 && !t.back, "three VMIDs, and no other limit");
	tap_ok(all_end(5), "all kernels end");
	unmap_all();
}

/* each of the four waits for one of two hardware queues */
static void check_queues(void)
{
	struct turns t;
	unsigned int i;

	begin(4, true, 1, 0xff00, 3);
	tap_ok(count_mapped(4) == 2, "as many queues as there are hardware queues");
	for (i = 0; i < 4; i++)
		kick(i);
	turns_take(&t, 4, 3);
	tap_ok(t.max == 2 && turns_min(&t, 4) >= 3 && turns_max(&t, 4) <= 5 && !t.back,
	       "all have turns");
	tap_ok(w.gpu->engine.process[8].mapped && !w.gpu->engine.process[9].mapped,
	       "in one address space");
	tap_ok(all_end(4), "their kernels end");
	unmap_all();
}

/* the only one of five that is mapped */
static unsigned int mapped_one(void)
{
	unsigned int i;

	for (i = 0; i < 4 && !is_mapped(i); i++)
		;
	return i;
}

/*
 * Those that do nothing are not in the way of the one that does. Looks may come late,
 * on a busy machine.
 */
static void check_idle(void)
{
	unsigned int was = 5, one, turns = 0, late = 0, stayed = 0;
	uint64_t end, now, since = 0;

	begin(5, false, 0, 0x0100, 0);
	kick(4);
	end = clock_ns() + 60000000000ull;
	while (turns < 5 && (now = clock_ns()) < end) {
		gpu_look_again(w.gpu);
		one = mapped_one();
		/* one look decides that it leaves, the next one takes it off */
		late += one == was && one != 4 && now - since >= IDLE_NS;
		stayed += late > 2;
		if (one != was) {
			since = clock_ns();
			late = 0;
		}
		turns += one != was && one == 4;
		was = one;
		usleep(100);
	}
	tap_ok(turns == 5 && !stayed, "what has nothing to do leaves soon");
	*out(4, 64) = 1;
	while (*signal_of(4) && clock_ns() < end + 60000000000ull)
		gpu_look_again(w.gpu);
	tap_ok(!*signal_of(4), "and the kernel ends");
	unmap_all();
}

/* amdkfd takes one queue off, or one process */
static void check_drop(void)
{
	unsigned int i;
	struct turns t;

	begin(4, false, 0, 0x0300, 0);
	for (i = 0; i < 4; i++)
		kick(i);
	turns_take(&t, 4, 2);
	kernel_packets((const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 1 << 4,
		       FIRST_PASID + 3, 0, 0, 0 }, 6);
	kernel_packets((const uint32_t []){ 3u << 30 | 0xa3 << 8 | 4 << 16, 1u << 29,
		       QUEUE_DOORBELL(2) << 2, 0, 0, 0 }, 6);
	for (i = 0; i < 100; i++)
		gpu_look_again(w.gpu);
	tap_ok(is_mapped(0) && is_mapped(1) && !is_mapped(2) && !is_mapped(3),
	       "UNMAP_QUEUES of some: the others have what is free");
	tap_ok(mqd(2)->cp_hqd_cntl_stack_offset < STACK_BYTES &&
	       mqd(3)->cp_hqd_cntl_stack_offset < STACK_BYTES, "their waves are saved");
	unmap_all();
	run_list(4, false, 0, 0xff00, 0);
	tap_ok(count_mapped(4) == 4 && all_end(4), "all end when there is room for all");
	unmap_all();
}

int main(void)
{
	tap_plan(19);
	world_create(&w, true);
	w.gpu->runlist.unit_ms = 1;
	check_processes();
	check_queues();
	check_idle();
	check_drop();
	tap_ok(!w.gpu->log.faults, "nothing was wrong");
	world_destroy(&w);
	return tap_status();
}
