// SPDX-License-Identifier: GPL-2.0
/*
 * Rig of amdgpu. A context of KFD belongs to a process and no kernel thread can
 * have one, so processes make them: each opens the device node of this module,
 * writes a struct rig_offer, and does what it reads, until the end of the case that
 * took its context (tests/amdgpu/guest/offer.c).
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/gpubp_conform.h>

#include "amdgpu.h"
#include "code.h"
#include "core/context.h"
#include "core/device.h"

#define WAIT_SECONDS	120

/* waves that a case starts, and one */
#define MAX_WAVES	16

enum work_state { WORK_NONE, WORK_POSTED, WORK_TAKEN, WORK_DONE };

/**
 * struct offer - a process that offers its context
 * @node: in offers, until a case takes it; in taken, until that ends
 * @ref: of its file, of the case
 * @what: the offer
 * @core: its context, with a reference
 * @work: what it is to do
 * @state: enum work_state
 * @err: what became of @work
 * @over: that case has ended
 */
struct offer {
	struct list_head node;
	struct kref ref;
	struct rig_offer what;
	struct gpubp_ctx *core;
	const struct rig_work *work;
	enum work_state state;
	int err;
	bool over;
};

static LIST_HEAD(offers);
static LIST_HEAD(taken);
static DEFINE_MUTEX(offers_lock);	/* the lists, and work */
static DECLARE_WAIT_QUEUE_HEAD(changes);

static struct gpubp_device *find_device(void)
{
	struct gpubp_device *dev;

	lockdep_assert_held(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (str_has_prefix(dev->desc.name, "amdgpu"))
			return dev;
	return NULL;
}

/* the script unbinds no device while the suite runs */
static struct gpubp_device *device(void *gpu)
{
	guard(mutex)(&gpubp_devices_lock);
	return find_device();
}

static struct gpubp_ctx *ctx_of(struct gpubp_device *dev, struct pid *pid)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&dev->lock);
	list_for_each_entry(ctx, &dev->ctxs, node)
		if (ctx->pid == pid) {
			kref_get(&ctx->ref);
			return ctx;
		}
	return NULL;
}

/* ---- the file ------------------------------------------------------------ */

static void offer_free(struct kref *ref)
{
	struct offer *offer = container_of(ref, struct offer, ref);

	if (offer->core)
		gpubp_ctx_put(offer->core);
	kfree(offer);
}

static int offer_open(struct inode *inode, struct file *file)
{
	struct offer *offer = kzalloc(sizeof(*offer), GFP_KERNEL);

	if (!offer)
		return -ENOMEM;
	kref_init(&offer->ref);
	INIT_LIST_HEAD(&offer->node);
	file->private_data = offer;
	return stream_open(inode, file);
}

static int offer_release(struct inode *inode, struct file *file)
{
	struct offer *offer = file->private_data;

	scoped_guard(mutex, &offers_lock)
		list_del_init(&offer->node);
	kref_put(&offer->ref, offer_free);
	return 0;
}

static ssize_t work_is_done(struct offer *offer, const char __user *buf)
{
	struct rig_done done;

	if (copy_from_user(&done, buf, sizeof(done)))
		return -EFAULT;
	scoped_guard(mutex, &offers_lock) {
		if (offer->state != WORK_TAKEN)
			return -EINVAL;
		offer->err = done.err;
		WRITE_ONCE(offer->state, WORK_DONE);
	}
	wake_up_all(&changes);
	return sizeof(done);
}

static ssize_t offer_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	struct offer *offer = file->private_data;
	struct rig_offer what;

	if (len == sizeof(struct rig_done))
		return work_is_done(offer, buf);
	if (len != sizeof(what))
		return -EINVAL;
	if (copy_from_user(&what, buf, sizeof(what)))
		return -EFAULT;
	scoped_guard(mutex, &offers_lock) {
		if (offer->core)
			return -EBUSY;
		scoped_guard(mutex, &gpubp_devices_lock) {
			struct gpubp_device *dev = find_device();

			if (dev)
				offer->core = ctx_of(dev, task_tgid(current));
		}
		if (!offer->core)
			return -ENXIO;
		offer->what = what;
		list_add_tail(&offer->node, &offers);
	}
	return len;
}

/* 0: it was taken back */
static ssize_t work_take(struct offer *offer, char __user *buf)
{
	size_t size;

	guard(mutex)(&offers_lock);
	if (offer->state != WORK_POSTED)
		return 0;
	size = offsetof(struct rig_work, code) + offer->work->size;
	if (copy_to_user(buf, offer->work, size))
		return -EFAULT;
	WRITE_ONCE(offer->state, WORK_TAKEN);
	return size;
}

static ssize_t offer_read(struct file *file, char __user *buf, size_t len,
			  loff_t *pos)
{
	struct offer *offer = file->private_data;
	ssize_t n = 0;

	if (len < sizeof(struct rig_work))
		return -EINVAL;
	while (!n) {
		n = wait_event_interruptible(changes, READ_ONCE(offer->over) ||
					     READ_ONCE(offer->state) == WORK_POSTED);
		if (n || READ_ONCE(offer->over))
			break;
		n = work_take(offer, buf);
	}
	return n;
}

static const struct file_operations offer_fops = {
	.owner = THIS_MODULE,
	.open = offer_open,
	.release = offer_release,
	.write = offer_write,
	.read = offer_read,
};

static struct miscdevice offer_file = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = RIG_OFFER_FILE,
	.fops = &offer_fops,
	.mode = 0600,
};

module_misc_device(offer_file);

/* ---- the rig ------------------------------------------------------------- */

static struct offer *take_offer(void)
{
	struct offer *offer;

	guard(mutex)(&offers_lock);
	offer = list_first_entry_or_null(&offers, struct offer, node);
	if (!offer)
		return NULL;
	list_move(&offer->node, &taken);
	kref_get(&offer->ref);
	return offer;
}

static struct offer *wait_offer(void)
{
	unsigned long end = jiffies + WAIT_SECONDS * HZ;
	struct offer *offer;

	while (!(offer = take_offer()) && time_before(jiffies, end))
		msleep(20);
	return offer;
}

static bool is_listed(struct gpubp_ctx *core)
{
	struct gpubp_ctx *ctx;

	guard(mutex)(&core->dev->lock);
	list_for_each_entry(ctx, &core->dev->ctxs, node)
		if (ctx == core)
			return true;
	return false;
}

static u32 doorbell_of(struct gpubp_ctx *core)
{
	struct gpubp_queue *queue;

	guard(mutex)(&core->dev->lock);
	queue = list_first_entry_or_null(&core->queues, struct gpubp_queue,
					 node);
	return queue ? queue->doorbell : 0;
}

static int ctx_create(struct gpubp_rig_ctx *ctx)
{
	struct offer *offer;

	if (ctx->fenced || ctx->max_stall_us)
		return -EOPNOTSUPP;
	offer = wait_offer();
	if (!offer)
		return -ETIMEDOUT;
	ctx->priv = offer;
	ctx->core = offer->core;
	ctx->doorbell = doorbell_of(offer->core);
	ctx->data = offer->what.data;
	ctx->size = offer->what.size;
	return 0;
}

/* the process ends, and KFD releases it some time later */
static void ctx_destroy(struct gpubp_rig_ctx *ctx)
{
	struct offer *offer = ctx->priv;
	unsigned long end = jiffies + WAIT_SECONDS * HZ;

	scoped_guard(mutex, &offers_lock)
		list_del_init(&offer->node);
	WRITE_ONCE(offer->over, true);
	wake_up_all(&changes);
	while (is_listed(offer->core) && time_before(jiffies, end))
		msleep(20);
	WARN_ONCE(is_listed(offer->core), "a context outlives its process\n");
	kref_put(&offer->ref, offer_free);
}

static struct task_struct *task(struct gpubp_rig_ctx *ctx)
{
	return get_pid_task(ctx->core->pid, PIDTYPE_TGID);
}

/* ---- waves --------------------------------------------------------------- */

static void work_post(struct offer *offer, const struct rig_work *work)
{
	scoped_guard(mutex, &offers_lock) {
		offer->work = work;
		WRITE_ONCE(offer->state, WORK_POSTED);
	}
	wake_up_all(&changes);
}

/* what it does not do in time is taken back */
static int work_wait(struct offer *offer)
{
	int err;

	wait_event_timeout(changes, READ_ONCE(offer->state) == WORK_DONE,
			   WAIT_SECONDS * HZ);
	guard(mutex)(&offers_lock);
	err = offer->state == WORK_DONE ? offer->err : -ETIMEDOUT;
	WRITE_ONCE(offer->state, WORK_NONE);
	offer->work = NULL;
	return err;
}

static int ask(struct gpubp_rig_ctx *ctx, enum rig_op op, const u32 *code, size_t size)
{
	struct offer *offer = ctx->priv;
	struct rig_work *work;
	int err;

	if (size > RIG_CODE_MAX)
		return -ENOSPC;
	work = kzalloc(sizeof(*work), GFP_KERNEL);
	if (!work)
		return -ENOMEM;
	work->op = op;
	work->size = size;
	if (size)
		memcpy(work->code, code, size);
	work_post(offer, work);
	err = work_wait(offer);
	kfree(work);
	return err;
}

static int launch(struct gpubp_rig_ctx *ctx, enum rig_op op,
		  const struct gpubp_rig_access *acc, unsigned int nr)
{
	size_t size;
	u32 *code = rig_code(acc, nr, op == RIG_START, &size);
	int err;

	if (!code)
		return -ENOMEM;
	err = ask(ctx, op, code, size);
	kfree(code);
	return err;
}

static int run(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
	       unsigned int nr)
{
	return launch(ctx, RIG_RUN, acc, nr);
}

static int start(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
		 unsigned int nr)
{
	return launch(ctx, RIG_START, acc, nr);
}

static void finish(struct gpubp_rig_ctx *ctx)
{
	ask(ctx, RIG_FINISH, NULL, 0);
}

static int wait_waves(struct gpubp_rig_ctx *ctx)
{
	return ask(ctx, RIG_WAIT, NULL, 0);
}

/* as the provider lists them; 1 if it cannot tell */
static unsigned int nr_stopped_of(struct gpubp_ctx *core)
{
	struct gpubp_wave_info info[MAX_WAVES];
	unsigned int nr = 0;
	int i, n = core->dev->ops.list_waves(core->priv, info, MAX_WAVES);

	if (n < 0 || n > MAX_WAVES)
		return 1;
	for (i = 0; i < n; i++)
		nr += info[i].stopped;
	return nr;
}

static unsigned int nr_stopped(void *gpu)
{
	struct offer *offer;
	unsigned int nr = 0;

	guard(mutex)(&offers_lock);
	list_for_each_entry(offer, &taken, node)
		nr += nr_stopped_of(offer->core);
	return nr;
}

/* hardware does not count them: that none is lost before the core is not checked here */
static u64 raised(void *gpu)
{
	return atomic64_read(&device(gpu)->stats.v[GPUBP_STAT_RAISED]);
}

static const struct gpubp_rig amdgpu = {
	.name = "amdgpu",
	.device = device,
	.ctx_create = ctx_create,
	.ctx_destroy = ctx_destroy,
	.task = task,
	.run = run,
	.start = start,
	.finish = finish,
	.wait = wait_waves,
	.nr_stopped = nr_stopped,
	.raised = raised,
};

gpubp_conform_suite(amdgpu);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: conformance of amdgpu");
MODULE_LICENSE("GPL");
