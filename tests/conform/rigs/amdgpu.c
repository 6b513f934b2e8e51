// SPDX-License-Identifier: GPL-2.0
/* Rig of amdgpu: contexts of KFD belong to processes, which offer them (offers.c). */
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/gpubp_conform.h>

#include "core/context.h"
#include "core/device.h"
#include "offers.h"

/* waves that a case starts, and one */
#define MAX_WAVES	16

/* the script unbinds no device while the suite runs */
static struct gpubp_device *device(void *gpu)
{
	struct gpubp_device *dev;

	guard(mutex)(&gpubp_devices_lock);
	list_for_each_entry(dev, &gpubp_devices, node)
		if (str_has_prefix(dev->desc.name, "amdgpu"))
			return dev;
	return NULL;
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

static void add_stopped(struct gpubp_ctx *core, void *nr)
{
	*(unsigned int *)nr += nr_stopped_of(core);
}

static unsigned int nr_stopped(void *gpu)
{
	unsigned int nr = 0;

	offers_for_each(add_stopped, &nr);
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
	.ctx_create = offers_ctx_create,
	.ctx_destroy = offers_ctx_destroy,
	.task = offers_task,
	.run = offers_run,
	.start = offers_start,
	.finish = offers_finish,
	.wait = offers_wait,
	.nr_stopped = nr_stopped,
	.raised = raised,
};

gpubp_conform_suite(amdgpu);
module_misc_device(offers_file);

MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("gpubp: conformance of amdgpu");
MODULE_LICENSE("GPL");
