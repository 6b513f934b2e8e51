// SPDX-License-Identifier: GPL-2.0
/*
 * Dump: one wave for a session, all waves of a device for root.
 *
 * The debugfs file halts one wave after another, each while its registers are
 * read. Waves that must not be halted are listed with what their provider
 * reports of running waves.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "../trap/trap.h"
#include "dump.h"
#include "hold.h"
#include "runctl.h"
#include "session.h"

static_assert(GPUBP_DUMP_REGS <= GPUBP_MAX_DUMP_REGS);

#define MAX_SCALARS	128	/* of one dump */
#define SCALARS_PER_LINE	8

/**
 * struct dump - dump of one wave
 * @d: as for GPUBP_DUMP_WAVE
 * @isa: instruction set of the wave
 * @err: why only id, pc and queue are known, or 0
 * @scalar: values of its scalar registers
 */
struct dump {
	struct gpubp_wave_dump d;
	const struct gpubp_isa *isa;
	int err;
	u32 scalar[MAX_SCALARS];
};

/* ---- reading ------------------------------------------------------------- */

static bool can_dump(const struct gpubp_isa *isa)
{
	return isa && isa->dump_regs.count == GPUBP_DUMP_REGS &&
	       isa->pc_reg.count == 2 && isa->exec_reg.count == 2;
}

static u64 dump_u64(const u32 *value)
{
	return value[0] | (u64)value[1] << 32;
}

/* one read_wave() for a consistent snapshot; the values have no gaps */
static int dump_read_regs(struct gpubp_ctx *ctx, struct gpubp_wave_dump *d)
{
	const struct gpubp_device *dev = ctx->dev;
	const struct gpubp_isa *isa = dev->desc.isa;
	const struct gpubp_reg_req req[] = {
		isa->dump_regs, isa->pc_reg, isa->exec_reg,
	};
	u32 value[GPUBP_DUMP_REGS + 4];
	int err = dev->ops.read_wave(dev->priv, d->wave, req, ARRAY_SIZE(req),
				     value);

	if (err)
		return err;
	memcpy(d->regs, value, sizeof(d->regs));
	d->pc = gpubp_pc_in_program(ctx, dump_u64(value + GPUBP_DUMP_REGS));
	d->exec = dump_u64(value + GPUBP_DUMP_REGS + 2);
	return 0;
}

static void dump_decode_place(const struct gpubp_isa *isa,
			      struct gpubp_wave_dump *d)
{
	u8 *place = d->place;
	struct gpubp_wave_place p;

	isa->wave_place(d->regs, &p);
	d->valid |= GPUBP_DUMP_PLACE | GPUBP_DUMP_ALLOC;
	place[GPUBP_PLACE_GFX9_SE] = p.se;
	place[GPUBP_PLACE_GFX9_SH] = p.sh;
	place[GPUBP_PLACE_GFX9_CU] = p.cu;
	place[GPUBP_PLACE_GFX9_SIMD] = p.simd;
	place[GPUBP_PLACE_GFX9_SLOT] = p.slot;
	place[GPUBP_PLACE_GFX9_VMID] = p.vmid;
	place[GPUBP_PLACE_GFX9_ME] = p.me;
	place[GPUBP_PLACE_GFX9_PIPE] = p.pipe;
	place[GPUBP_PLACE_GFX9_QUEUE] = p.queue;
	place[GPUBP_PLACE_GFX9_GROUP] = p.group;
	place[GPUBP_PLACE_GFX9_STATE] = p.state;
	d->nr_scalars = p.nr_scalars;
	d->nr_vectors = p.nr_vectors;
	d->lds_base = p.lds_base;
	d->lds_bytes = p.lds_bytes;
}

/* reads fewer words in front of the pc if a mapping begins there */
static void dump_read_words(struct gpubp_ctx *ctx, struct gpubp_wave_dump *d)
{
	int before;
	ssize_t n;

	for (before = GPUBP_DUMP_BEFORE; before >= 0; before--) {
		d->words_addr = d->pc - before * sizeof(u32);
		n = gpubp_program_read(ctx, d->words_addr, d->words,
				       sizeof(d->words), GPUBP_MEM_WAIT);
		if (n <= 0)
			continue;
		d->nr_words = n / sizeof(u32);
		break;
	}
}

static void dump_find_code(struct gpubp_ctx *ctx, struct gpubp_wave_dump *d)
{
	const struct gpubp_name *n;

	guard(mutex)(&ctx->dev->lock);
	list_for_each_entry(n, &ctx->names, node) {
		if (!n->code || d->pc - n->va >= n->size)
			continue;
		d->valid |= GPUBP_DUMP_CODE;
		d->code_start = n->va;
		d->code_size = n->size;
		strscpy(d->code_name, n->name, sizeof(d->code_name));
		return;
	}
}

/* dump the stopped wave d->wave */
static int dump_wave(struct gpubp_ctx *ctx, struct gpubp_wave_dump *d)
{
	const struct gpubp_isa *isa = ctx->dev->desc.isa;
	int err = can_dump(isa) ? dump_read_regs(ctx, d) : -EOPNOTSUPP;

	if (err)
		return err;
	dump_decode_place(isa, d);
	dump_read_words(ctx, d);
	dump_find_code(ctx, d);
	return 0;
}

static int dump_stopped_wave(const struct gpubp_holder *holder,
			     struct gpubp_wave_dump *d)
{
	struct gpubp_wave_info info;
	struct gpubp_held held;
	int err = gpubp_wave_check_stopped(holder, d->wave, &info);

	if (err)
		return err;
	held = gpubp_hold_state(holder, d->wave);
	d->queue = gpubp_wave_queue(holder->ctx, info.doorbell);
	d->wave_flags = gpubp_wave_flags(&info, &held);
	return dump_wave(holder->ctx, d);
}

static void dump_clear_results(struct gpubp_wave_dump *d)
{
	memset_startat(d, 0, pc);
}

/** gpubp_dump_wave_cmd() - GPUBP_DUMP_WAVE */
long gpubp_dump_wave_cmd(struct gpubp_session *session, void *arg)
{
	struct gpubp_wave_dump *d = arg;
	struct gpubp_holder holder;
	int err;

	dump_clear_results(d);
	err = gpubp_runctl_begin(session, d->event, GPUBP_RIGHT_READ,
				 d->context, &holder);
	if (err)
		return err;
	err = dump_stopped_wave(&holder, d);
	gpubp_runctl_end(&holder);
	return err;
}

/* ---- all waves of a device ----------------------------------------------- */

/**
 * struct dumps - waves of a device when the file was opened
 * @nr: entries used in @dump
 * @max: entries allocated in @dump
 * @dump: the waves
 */
struct dumps {
	unsigned int nr;
	unsigned int max;
	struct dump *dump;
};

static bool dumps_may_halt(const struct gpubp_ctx *ctx)
{
	return !ctx->fenced && ctx->dev->desc.caps.stops != GPUBP_STOPS_NONE;
}

static int dump_read_scalars(struct gpubp_ctx *ctx, struct dump *e)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_reg_req req = {
		.file = GPUBP_REG_SCALAR,
		.count = min(e->d.nr_scalars, MAX_SCALARS),
	};

	return dev->ops.read_wave(dev->priv, e->d.wave, &req, 1, e->scalar);
}

/* the wave continues after it was read, unless it is stopped otherwise, too */
static int dump_halted(struct gpubp_ctx *ctx, struct dump *e)
{
	const struct gpubp_device *dev = ctx->dev;
	struct gpubp_waves waves = {
		.ctx = ctx->priv,
		.wave = &e->d.wave,
		.nr = 1,
	};
	int err;

	if (!dumps_may_halt(ctx))
		return -EOPNOTSUPP;
	err = gpubp_halt_waves(ctx, &waves);
	if (err)
		return err;
	err = dump_wave(ctx, &e->d) ?: dump_read_scalars(ctx, e);
	dev->ops.resume(dev->priv, &waves);
	return err;
}

static int dumps_add_listed(struct gpubp_ctx *ctx, struct dumps *all,
			    const struct gpubp_wave_info *info, int nr)
{
	int i, err;

	for (i = 0; i < nr && all->nr < all->max; i++) {
		struct dump *e = &all->dump[all->nr];

		err = gpubp_ctx_op_check(ctx);
		if (err)
			return err;
		e->isa = ctx->dev->desc.isa;
		e->d.wave = info[i].wave;
		e->d.context = ctx->id;
		e->d.pc = info[i].pc;
		e->d.queue = gpubp_wave_queue(ctx, info[i].doorbell);
		e->d.wave_flags = info[i].stopped ? GPUBP_WAVE_STOPPED : 0;
		e->err = dump_halted(ctx, e);
		all->nr += e->err != -ESRCH;
	}
	return 0;
}

static int dumps_grow(struct dumps *all, unsigned int more)
{
	struct dump *dump;

	dump = kvcalloc(all->nr + more, sizeof(*dump), GFP_KERNEL);
	if (!dump)
		return -ENOMEM;
	if (all->nr)
		memcpy(dump, all->dump, all->nr * sizeof(*dump));
	kvfree(all->dump);
	all->dump = dump;
	all->max = all->nr + more;
	return 0;
}

static int dumps_add_waves(struct gpubp_ctx *ctx, struct dumps *all)
{
	struct gpubp_wave_info *info;
	int err, nr = gpubp_waves_list(ctx, &info);

	err = min(nr, 0);
	if (nr > 0)
		err = dumps_grow(all, nr) ?:
		      dumps_add_listed(ctx, all, info, nr);
	kvfree(info);
	return err;
}

/* a context that is being destroyed is skipped */
static int dumps_add_ctx(struct gpubp_ctx *ctx, struct dumps *all)
{
	int err = gpubp_ctx_op_begin(ctx);

	if (err)
		return err == -ESRCH ? 0 : err;
	err = dumps_add_waves(ctx, all);
	gpubp_ctx_op_end(ctx);
	return err == -ESRCH ? 0 : err;
}

/* context with the lowest id >= @id, with a reference, or NULL */
static struct gpubp_ctx *ctx_next_from(struct gpubp_device *dev, u32 id)
{
	struct gpubp_ctx *ctx, *lowest = NULL;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->id >= id && (!lowest || ctx->id < lowest->id))
			lowest = ctx;
	if (lowest)
		kref_get(&lowest->ref);
	return lowest;
}

static int dumps_add_device(struct gpubp_device *dev, struct dumps *all)
{
	struct gpubp_ctx *ctx;
	u32 id = 0;
	int err = 0;

	while (!err && (ctx = ctx_next_from(dev, id))) {
		id = ctx->id + 1;
		err = dumps_add_ctx(ctx, all);
		gpubp_ctx_put(ctx);
	}
	return err;
}

/* ---- text output --------------------------------------------------------- */

static void show_control(struct seq_file *m,
			 const struct gpubp_control_reg *reg, u32 value)
{
	const struct gpubp_reg_field *f;

	seq_printf(m, "  %-9s %08x", reg->name, value);
	for (f = reg->fields; f->name; f++)
		seq_printf(m, " %s=%lu", f->name,
			   (value & GENMASK(f->high, f->low)) >> f->low);
	seq_putc(m, '\n');
}

static void show_place(struct seq_file *m, const struct gpubp_wave_dump *d)
{
	const u8 *p = d->place;

	seq_printf(m, "  at se %u sh %u cu %u simd %u slot %u: vmid %u me %u pipe %u queue %u group %u state %u\n",
		   p[GPUBP_PLACE_GFX9_SE], p[GPUBP_PLACE_GFX9_SH],
		   p[GPUBP_PLACE_GFX9_CU], p[GPUBP_PLACE_GFX9_SIMD],
		   p[GPUBP_PLACE_GFX9_SLOT], p[GPUBP_PLACE_GFX9_VMID],
		   p[GPUBP_PLACE_GFX9_ME], p[GPUBP_PLACE_GFX9_PIPE],
		   p[GPUBP_PLACE_GFX9_QUEUE], p[GPUBP_PLACE_GFX9_GROUP],
		   p[GPUBP_PLACE_GFX9_STATE]);
	seq_printf(m, "  has %u SGPRs, %u VGPRs, %u bytes of LDS from %u on\n",
		   d->nr_scalars, d->nr_vectors, d->lds_bytes, d->lds_base);
}

static void show_code(struct seq_file *m, const struct gpubp_wave_dump *d)
{
	unsigned int i;
	u64 addr;

	if (d->valid & GPUBP_DUMP_CODE)
		seq_printf(m, "  in %*pE + 0x%llx\n",
			   (int)strlen(d->code_name), d->code_name,
			   d->pc - d->code_start);
	for (i = 0; i < d->nr_words; i++) {
		addr = d->words_addr + i * sizeof(u32);
		seq_printf(m, "  %c %012llx: %08x\n", addr == d->pc ? '>' : ' ',
			   addr, d->words[i]);
	}
}

static void show_scalars(struct seq_file *m, const struct dump *e)
{
	unsigned int i, nr = min(e->d.nr_scalars, MAX_SCALARS);

	for (i = 0; i < nr; i++) {
		if (i % SCALARS_PER_LINE == 0)
			seq_printf(m, "  s%-3u", i);
		seq_printf(m, " %08x%s", e->scalar[i],
			   i % SCALARS_PER_LINE == SCALARS_PER_LINE - 1 ||
			   i == nr - 1 ? "\n" : "");
	}
}

static int dumps_show(struct seq_file *m, void *v)
{
	const struct dump *e = v;
	const struct gpubp_wave_dump *d = &e->d;
	unsigned int i;

	seq_printf(m, "wave %llx context %u queue %u pc %llx", d->wave,
		   d->context, d->queue, d->pc);
	if (e->err) {
		seq_printf(m, " not halted: error %d\n", e->err);
		return 0;
	}
	seq_printf(m, " exec %016llx%s\n", d->exec,
		   d->wave_flags & GPUBP_WAVE_STOPPED ? " stopped" : "");
	show_place(m, d);
	for (i = 0; i < GPUBP_DUMP_REGS; i++)
		show_control(m, &e->isa->control_regs[i], d->regs[i]);
	show_code(m, d);
	show_scalars(m, e);
	return 0;
}

static void *dumps_start(struct seq_file *m, loff_t *pos)
{
	struct dumps *all = m->private;

	return *pos < all->nr ? &all->dump[*pos] : NULL;
}

static void *dumps_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return dumps_start(m, pos);
}

static void dumps_stop(struct seq_file *m, void *v)
{
}

static const struct seq_operations dumps_sops = {
	.start	= dumps_start,
	.next	= dumps_next,
	.stop	= dumps_stop,
	.show	= dumps_show,
};

static void dumps_free(struct dumps *all)
{
	kvfree(all->dump);
	kfree(all);
}

static int waves_open(struct inode *inode, struct file *file)
{
	struct dumps *all = kzalloc(sizeof(*all), GFP_KERNEL);
	int err;

	if (!all)
		return -ENOMEM;
	err = dumps_add_device(inode->i_private, all) ?:
	      seq_open(file, &dumps_sops);
	if (err) {
		dumps_free(all);
		return err;
	}
	((struct seq_file *)file->private_data)->private = all;
	return 0;
}

static int waves_release(struct inode *inode, struct file *file)
{
	dumps_free(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

const struct file_operations gpubp_waves_fops = {
	.owner		= THIS_MODULE,
	.open		= waves_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= waves_release,
};
