// SPDX-License-Identifier: GPL-2.0
/* /dev/gpubp_simN: system calls and their checks. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/gpubp.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp_sim.h>

#include "ctx.h"
#include "device.h"
#include "file.h"
#include "queue.h"

static int ioc_info(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_info *info = data;

	*info = (struct gpubp_sim_info){
		.va_start = SIM_VA_START,
		.va_end = SIM_VA_END,
		.page_size = PAGE_SIZE,
		.nr_wave_slots = sim_device_nr_waves(ctx->dev),
		.device = gpubp_device_number(ctx->dev->core),
		.context = gpubp_ctx_id(ctx->core),
	};
	strscpy(info->isa, sim_config_isa(&ctx->dev->config)->name,
		sizeof(info->isa));
	return 0;
}

static int ioc_bo_create(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_bo *bo = data;
	int err;

	if ((bo->flags & ~GPUBP_SIM_INVISIBLE) || bo->reserved)
		return -EINVAL;
	err = sim_vm_alloc(&ctx->vm, bo->flags & GPUBP_SIM_INVISIBLE ?
			   SIM_MAP_INVISIBLE : SIM_MAP_BO, bo->size, &bo->va);
	bo->mmap_offset = bo->va;
	return err;
}

static int ioc_userptr(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_userptr *u = data;

	if ((u->flags & ~GPUBP_SIM_READONLY) || u->reserved)
		return -EINVAL;
	return sim_vm_userptr(&ctx->vm, u->cpu_addr, u->size,
			      u->flags & GPUBP_SIM_READONLY, &u->va);
}

static int file_unmap(void *priv, u64 va, u64 size)
{
	struct sim_ctx *ctx = priv;

	return sim_vm_unmap(&ctx->vm, va, size);
}

static int ioc_unmap(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_unmap *args = data;
	u64 size = sim_vm_size(&ctx->vm, args->va);

	return size ? gpubp_mem_unmap(ctx->core, args->va, size, file_unmap) :
		      -ENOENT;
}

static int ioc_queue_create(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_queue *args = data;

	if (args->flags)
		return -EINVAL;
	return sim_queue_create(ctx, &args->id);
}

static int ioc_queue_destroy(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_queue *args = data;

	if (args->flags)
		return -EINVAL;
	return sim_queue_remove(ctx, args->id);
}

static int file_name_code(struct sim_ctx *ctx,
			  const struct gpubp_sim_name *args)
{
	gpubp_code_destroy(ctx->core, args->va);
	return args->size ? gpubp_code_create(ctx->core, args->va, args->size,
					      args->name) : 0;
}

static int ioc_name(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_name *args = data;
	size_t len = strnlen(args->name, sizeof(args->name));
	u64 end;

	if ((args->flags & ~GPUBP_SIM_NAME_CODE) || args->reserved ||
	    !len || len == sizeof(args->name) ||
	    check_add_overflow(args->va, args->size, &end))
		return -EINVAL;
	if (args->flags & GPUBP_SIM_NAME_CODE)
		return file_name_code(ctx, args);
	return gpubp_buffer_name(ctx->core, args->va, args->size, args->name);
}

static int ioc_dispatch(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_dispatch *args = data;
	struct sim_queue *queue = sim_queue_get(ctx, args->queue);
	int err;

	if (!queue)
		return -ENOENT;
	err = sim_dispatch_submit(queue, args);
	sim_queue_put(queue);
	return err;
}

static int ioc_wait(struct sim_ctx *ctx, void *data)
{
	struct gpubp_sim_wait *args = data;
	struct sim_queue *queue;
	int err;

	if (args->timeout_ns < -1)
		return -EINVAL;
	queue = sim_queue_get(ctx, args->queue);
	if (!queue)
		return -ENOENT;
	err = sim_queue_wait(queue, args);
	sim_queue_put(queue);
	return err;
}

static int ioc_copy(struct sim_ctx *ctx, void *data)
{
	const struct gpubp_sim_copy *args = data;

	return sim_vm_copy(&ctx->vm, args->dst, args->src, args->size,
			   &ctx->gone);
}

/**
 * struct ioc - an ioctl
 * @cmd: number; its direction and size determine what is copied
 * @fn: handler; @data is a copy of the argument, and copied back on success and
 *	with -ERESTARTSYS
 */
struct ioc {
	unsigned int cmd;
	int (*fn)(struct sim_ctx *ctx, void *data);
};

static const struct ioc iocs[] = {
	{ GPUBP_SIM_INFO,		ioc_info },
	{ GPUBP_SIM_BO_CREATE,		ioc_bo_create },
	{ GPUBP_SIM_USERPTR,		ioc_userptr },
	{ GPUBP_SIM_UNMAP,		ioc_unmap },
	{ GPUBP_SIM_QUEUE_CREATE,	ioc_queue_create },
	{ GPUBP_SIM_QUEUE_DESTROY,	ioc_queue_destroy },
	{ GPUBP_SIM_NAME,		ioc_name },
	{ GPUBP_SIM_DISPATCH,		ioc_dispatch },
	{ GPUBP_SIM_WAIT,		ioc_wait },
	{ GPUBP_SIM_COPY,		ioc_copy },
};

union ioc_data {
	struct gpubp_sim_info info;
	struct gpubp_sim_bo bo;
	struct gpubp_sim_userptr userptr;
	struct gpubp_sim_unmap file_unmap;
	struct gpubp_sim_queue queue;
	struct gpubp_sim_name name;
	struct gpubp_sim_dispatch dispatch;
	struct gpubp_sim_wait wait;
	struct gpubp_sim_copy copy;
};

static const struct ioc *ioc_find(unsigned int cmd)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(iocs); i++)
		if (iocs[i].cmd == cmd)
			return &iocs[i];
	return NULL;
}

/* the device may have been removed while its file is open */
static int ioc_call(struct sim_ctx *ctx, const struct ioc *ioc, void *data)
{
	guard(rwsem_read)(&ctx->life);
	return READ_ONCE(ctx->gone) ? -ENODEV : ioc->fn(ctx, data);
}

static long sim_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct ioc *ioc = ioc_find(cmd);
	void __user *user = (void __user *)arg;
	union ioc_data data = {};
	int err;

	if (!ioc)
		return -ENOTTY;
	if ((_IOC_DIR(cmd) & _IOC_WRITE) &&
	    copy_from_user(&data, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	err = ioc_call(file->private_data, ioc, &data);
	/* a restart reads what is left of a timeout */
	if (err && err != -ERESTARTSYS)
		return err;
	if ((_IOC_DIR(cmd) & _IOC_READ) &&
	    copy_to_user(user, &data, _IOC_SIZE(cmd)))
		return -EFAULT;
	return err;
}

static int sim_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sim_ctx *ctx = file->private_data;

	return READ_ONCE(ctx->gone) ? -ENODEV : sim_vm_mmap(&ctx->vm, vma);
}

static int sim_open(struct inode *inode, struct file *file)
{
	struct sim_device *dev = container_of(file->private_data,
					      struct sim_device, misc);
	struct sim_ctx *ctx;

	ctx = sim_ctx_create(dev);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	file->private_data = ctx;
	return nonseekable_open(inode, file);
}

static int sim_release(struct inode *inode, struct file *file)
{
	sim_ctx_destroy(file->private_data);
	return 0;
}

static const struct file_operations sim_fops = {
	.owner		= THIS_MODULE,
	.open		= sim_open,
	.release	= sim_release,
	.unlocked_ioctl	= sim_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= sim_mmap,
};

/** sim_file_register() - register the device file; 0 or an errno */
int sim_file_register(struct sim_device *dev)
{
	dev->misc.minor = MISC_DYNAMIC_MINOR;
	dev->misc.name = dev->name;
	dev->misc.fops = &sim_fops;
	dev->misc.mode = 0666;
	return misc_register(&dev->misc);
}

/** sim_file_unregister() - unregister the device file; open files stay valid */
void sim_file_unregister(struct sim_device *dev)
{
	misc_deregister(&dev->misc);
}
