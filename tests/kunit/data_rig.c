// SPDX-License-Identifier: GPL-2.0
/* The rig of suites about the data of accesses. */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/unaligned.h>

#include "data_rig.h"

struct data_rig data_rig;

static void note_lanes(const struct gpubp_reg_req *req, unsigned int nr)
{
	unsigned int i;

	for (; nr; nr--, req++)
		for (i = 0; i < req->count && req->file == GPUBP_REG_VECTOR; i++)
			data_rig.lanes[(req->first + i) % NR_REGS] |=
				req->lanes ?: U64_MAX;
}

static int read_wave(void *dev, u64 wave, const struct gpubp_reg_req *req,
		     unsigned int nr, u32 *out)
{
	note_lanes(req, nr);
	if (nr && req->file == GPUBP_REG_VECTOR &&
	    (req->first >= FIRST || !req->count)) {
		data_rig.asked++;
		if (data_rig.on_data)
			data_rig.on_data();
		if (req->first == data_rig.unreadable)
			return -ESRCH;
	}
	if (req->file != GPUBP_REG_SCALAR || req->first)
		return mock_ops.read_wave(dev, wave, req, nr, out);
	memcpy(out, data_rig.scalars, sizeof(data_rig.scalars));
	return nr == 1 ? 0 : mock_ops.read_wave(dev, wave, req + 1, nr - 1,
						out + req->count);
}

static ssize_t mem_rw(void *ctx, const struct gpubp_where *where, void *buf,
		      size_t len, unsigned int how)
{
	data_rig.copies += where->va >= BLOCK && where->va < BLOCK + SIZE;
	return mock_ops.mem_rw(ctx, where, buf, len, how);
}

static struct gpubp_ops ops;

/*
 * of register v(2 + r), lane l, byte b is 0x10 + 4 * r + b + 0x40 * l: so the
 * bytes of v[2:5] are 10, 11, 12, ... 1f
 */
static void set_regs(struct mock *m)
{
	unsigned int reg, lane;

	for (reg = 0; reg < NR_DATA; reg++)
		for (lane = 0; lane < LANES; lane++)
			m->vgprs[FIRST + reg][lane] =
				0x13121110 + 0x04040404 * reg +
				0x40404040 * lane;
}

int rig_init(struct kunit *test, const struct gpubp_caps *caps)
{
	int err;

	ops = mock_ops;
	ops.read_wave = read_wave;
	ops.mem_rw = mem_rw;
	data_rig = (struct data_rig) {
		.scalars = { BLOCK, 0, SIZE },
	};
	err = mock_init_ops(test, &ops, caps);
	if (!err)
		set_regs(test->priv);
	return err;
}

/* a sampling event of this thread; fails the test if it cannot be opened */
struct mock_kept *rig_open_attr(struct kunit *test,
				struct perf_event_attr *attr)
{
	struct mock_kept *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_RAW;
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mock_open_attr(test, attr, current,
							  mock_keep, k));
	return k;
}

u8 rig_old_byte(unsigned int at)
{
	return at * 37 + 1;
}

u8 rig_new_byte(unsigned int at)
{
	return at * 37 + 8;
}

static void fill(struct mock_ctx *c, u8 (*byte)(unsigned int at))
{
	unsigned int i;

	for (i = 0; i < SIZE; i++)
		c->mem[BLOCK - MOCK_VA + i] = byte(i);
}

/* a context whose memory at BLOCK has rig_old_byte() */
struct mock_ctx *rig_ctx(struct kunit *test)
{
	struct mock_ctx *c = mock_ctx(test);

	fill(c, rig_old_byte);
	return c;
}

/* the comparators of all bytes that tests use */
u32 rig_slots(struct mock_ctx *c)
{
	u32 slots = 0;
	unsigned int i;

	for (i = 0; i < SIZE; i++)
		slots |= mock_slots(c, BLOCK + i);
	return slots;
}

/* what a wave reports that executed the instruction, which changes memory */
struct gpubp_hit rig_hit(struct mock_ctx *c, const u32 *insn,
			 struct mock_stop stop)
{
	mock_settle(c->m);
	stop.pc = mock_put_insn(c, insn[0], insn[1]);
	stop.slots = rig_slots(c);
	fill(c, rig_new_byte);
	return mock_hit(c, &stop);
}

/* the hit is reported and delivered */
void rig_deliver(struct kunit *test, const struct gpubp_hit *hit)
{
	KUNIT_EXPECT_EQ(test, mock_report(test->priv, hit), GPUBP_TAKEN);
	mock_quiesce(test);
}

/* a wave executes the instruction and stops behind it */
void rig_execute(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		 u64 exec)
{
	struct gpubp_hit hit = rig_hit(c, insn,
				       (struct mock_stop) { .exec = exec });

	rig_deliver(test, &hit);
}

/**
 * rig_set_lanes() - give lanes their addresses, and values
 * @m: the mock
 * @at: addresses by lane
 * @values: of the register with data; 0: that of the rig
 *
 * Return: lane 0, and those up to the last one that has an address.
 */
u64 rig_set_lanes(struct mock *m, const u64 at[LANES], const u32 values[LANES])
{
	unsigned int lane, nr = 0;

	for (lane = 0; lane < LANES; lane++) {
		mock_lane_addr(m, lane, at[lane]);
		if (values[lane])
			m->vgprs[FIRST][lane] = values[lane];
		if (at[lane])
			nr = lane + 1;
	}
	return BIT_ULL(nr) - 1;
}

/* the device reports that a lane stored @width bytes at AT(16) */
void rig_report(struct kunit *test, struct mock_ctx *c, const u32 *insn,
		u64 exec, u16 width)
{
	struct gpubp_hit hit = rig_hit(c, insn,
				       (struct mock_stop) { .exec = exec });

	hit.valid |= GPUBP_HITF_ADDR;
	hit.addr = AT(16);
	hit.width = width;
	hit.access = GPUBP_ACCESS_STORE;
	rig_deliver(test, &hit);
}

/* what memory has at an address */
static u64 word_of(u8 (*byte)(unsigned int at), u64 addr, unsigned int len)
{
	u8 bytes[8] = {};
	unsigned int i;

	for (i = 0; i < min(len, 8u); i++)
		bytes[i] = byte(addr - BLOCK + i);
	return get_unaligned_le64(bytes);
}

/* the old and new values of the record's bytes are those of memory */
void rig_expect_values(struct kunit *test, const struct gpubp_hit_record *r)
{
	bool valid = r->flags & (GPUBP_HIT_SEEN | GPUBP_HIT_NOW);

	KUNIT_EXPECT_EQ(test, r->seen, valid ?
			word_of(rig_old_byte, r->hit_addr, r->hit_len) : 0);
	KUNIT_EXPECT_EQ(test, r->now, valid ?
			word_of(rig_new_byte, r->hit_addr, r->hit_len) : 0);
}

/* ---- the tracepoint -------------------------------------------------------- */

static struct tracepoint *hit_point;

static void find_point(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "gpubp_hit"))
		hit_point = tp;
}

#ifdef CONFIG_MODULES
static int find_module_point(struct notifier_block *nb, unsigned long event,
			     void *data)
{
	struct tp_module *module = data;
	tracepoint_ptr_t *points = module->mod->tracepoints_ptrs;
	unsigned int i;

	for (i = 0; i < module->mod->num_tracepoints; i++)
		find_point(tracepoint_ptr_deref(points + i), NULL);
	return NOTIFY_OK;
}

/* it is called for each module that is loaded already */
static void find_module_points(void)
{
	static struct notifier_block nb = {
		.notifier_call = find_module_point,
	};

	register_tracepoint_module_notifier(&nb);
	unregister_tracepoint_module_notifier(&nb);
}
#else
static void find_module_points(void)
{
}
#endif

static void keep_trace(void *data, const struct gpubp_hit_record *rec,
		       const struct task_struct *owner, int cpu)
{
	struct mock_kept *k = data;

	k->rec = *rec;
	k->nr++;
}

static void stop_trace(void *k)
{
	tracepoint_probe_unregister(hit_point, keep_trace, k);
	tracepoint_synchronize_unregister();
}

/* keeps what the tracepoint has from now on, to the end of the test */
struct mock_kept *rig_trace(struct kunit *test)
{
	struct mock_kept *k = kunit_kzalloc(test, sizeof(*k), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, k);
	hit_point = NULL;
	for_each_kernel_tracepoint(find_point, NULL);
	find_module_points();
	KUNIT_ASSERT_NOT_NULL(test, hit_point);
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(hit_point, keep_trace,
							k), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, stop_trace, k),
			0);
	return k;
}
