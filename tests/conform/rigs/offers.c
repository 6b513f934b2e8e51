// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts that belong to processes, which no kernel thread can be: each process opens
 * the device node of this module, writes a struct rig_offer, and does what it reads,
 * until the end of the case that took its context (tests/amdgpu/guest/offer.c).
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
#include "offers.h"

#define WAIT_SECONDS	120

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

/* referenced, or NULL */
static struct gpubp_ctx *ctx_on(struct gpubp_device *dev, struct pid *pid)
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

static struct gpubp_ctx *ctx_of(struct pid *pid)
{
	struct gpubp_device *dev;
	struct gpubp_ctx *ctx;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node) {
		ctx = ctx_on(dev, pid);
		if (ctx)
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
		offer->core = ctx_of(task_tgid(current));
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

struct miscdevice offers_file = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = RIG_OFFER_FILE,
	.fops = &offer_fops,
	.mode = 0600,
};

/* ---- contexts of cases ------------------------------------------------------------- */

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

static struct offer *wait_offer(struct offer *(*get)(void))
{
	unsigned long end = jiffies + WAIT_SECONDS * HZ;
	struct offer *offer;

	while (!(offer = get()) && time_before(jiffies, end))
		msleep(20);
	return offer;
}

static struct offer *first_offer(void)
{
	struct offer *offer;

	guard(mutex)(&offers_lock);
	offer = list_first_entry_or_null(&offers, struct offer, node);
	return offer;
}

struct gpubp_device *offers_first_device(void)
{
	struct offer *offer = wait_offer(first_offer);

	return offer ? offer->core->dev : NULL;
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

int offers_ctx_create(struct gpubp_rig_ctx *ctx)
{
	struct offer *offer;

	if (ctx->fenced || ctx->max_stall_us)
		return -EOPNOTSUPP;
	offer = wait_offer(take_offer);
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
void offers_ctx_destroy(struct gpubp_rig_ctx *ctx)
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

struct task_struct *offers_task(struct gpubp_rig_ctx *ctx)
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

int offers_run(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
	       unsigned int nr)
{
	return launch(ctx, RIG_RUN, acc, nr);
}

int offers_start(struct gpubp_rig_ctx *ctx, const struct gpubp_rig_access *acc,
		 unsigned int nr)
{
	return launch(ctx, RIG_START, acc, nr);
}

void offers_finish(struct gpubp_rig_ctx *ctx)
{
	ask(ctx, RIG_FINISH, NULL, 0);
}

int offers_wait(struct gpubp_rig_ctx *ctx)
{
	return ask(ctx, RIG_WAIT, NULL, 0);
}

void offers_settle(struct gpubp_rig_ctx *ctx)
{
	ask(ctx, RIG_SETTLE, NULL, 0);
}

void offers_for_each(void (*fn)(struct gpubp_ctx *core, void *data), void *data)
{
	struct offer *offer;

	guard(mutex)(&offers_lock);
	list_for_each_entry(offer, &taken, node)
		fn(offer->core, data);
}
