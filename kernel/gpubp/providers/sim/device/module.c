// SPDX-License-Identifier: GPL-2.0
/*
 * gpubp_sim: software GPUs. One device exists while the module is loaded,
 * configured by module parameters; configfs creates and removes others.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <kunit/visibility.h>
#include <linux/err.h>
#include <linux/module.h>

#include "configfs.h"
#include "device.h"
#include "field.h"
#include "pager.h"

static struct sim_config first = SIM_CONFIG_DEFAULT;

static int param_set_field(const char *text, const struct kernel_param *param)
{
	const struct sim_field *field = param->arg;
	char range[SIM_FIELD_TEXT];

	if (!sim_field_set(&first, field, text))
		return 0;
	sim_field_range(field, range, sizeof(range));
	pr_err("parameter %s must be %s\n", field->name, range);
	return -EINVAL;
}

static int param_show_field(char *page, const struct kernel_param *param)
{
	int n = sim_field_show(&first, param->arg, page, PAGE_SIZE - 1);

	return n + scnprintf(page + n, PAGE_SIZE - n, "\n");
}

static const struct kernel_param_ops field_ops = {
	.set = param_set_field,
	.get = param_show_field,
};

#define FIELD_PARAM(_name, _field, _text) \
	module_param_cb(_name, &field_ops, (void *)&sim_fields[_field], 0444); \
	MODULE_PARM_DESC(_name, _text)

FIELD_PARAM(personality, SIM_FIELD_PERSONALITY,
	    "GPU to model: gfx90a (default), gfx942 or gfx900");
FIELD_PARAM(residency, SIM_FIELD_RESIDENCY,
	    "VMID allocation: reported (default), reserved_vmid or firmware");
FIELD_PARAM(cus, SIM_FIELD_CUS, "Compute units, one thread each (1 to 16)");
FIELD_PARAM(simd_slots, SIM_FIELD_SIMD_SLOTS,
	    "Wave slots per SIMD (1 to 10)");
FIELD_PARAM(watches, SIM_FIELD_WATCHES, "Comparators (1 to 16)");
FIELD_PARAM(granule, SIM_FIELD_GRANULE,
	    "Smallest block of a comparator, bytes (64 or 128)");
FIELD_PARAM(vmids, SIM_FIELD_VMIDS, "VMIDs for programs (1 to 15)");
FIELD_PARAM(ih_entries, SIM_FIELD_IH_ENTRIES,
	    "Entries of the interrupt ring (1 to 65536)");
FIELD_PARAM(skid, SIM_FIELD_SKID,
	    "gfx900: most instructions from an access to its trap (0 to 64)");
FIELD_PARAM(quantum_ms, SIM_FIELD_QUANTUM_MS,
	    "Time that a context keeps a VMID while others wait (1 to 10000)");
FIELD_PARAM(preempt_ms, SIM_FIELD_PREEMPT_MS,
	    "Time to save a context before it is reset (1 to 60000)");
FIELD_PARAM(ternary, SIM_FIELD_TERNARY,
	    "1: the core may use masks with holes (default 0)");
FIELD_PARAM(ttmps, SIM_FIELD_TTMPS,
	    "1: hits report their workgroup and dispatch (default 1)");
FIELD_PARAM(end_halts, SIM_FIELD_END_HALTS,
	    "1: waves that are halted at s_endpgm can be saved (default 0)");

static bool devices = true;
module_param(devices, bool, 0444);
MODULE_PARM_DESC(devices, "0: create no device at load, only through configfs");

VISIBLE_IF_KUNIT struct sim_device *gpubp_sim;
EXPORT_SYMBOL_IF_KUNIT(gpubp_sim);

static int add_first_device(void)
{
	struct sim_device *dev;

	if (!devices)
		return 0;
	dev = sim_device_create(&first);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	gpubp_sim = dev;
	return 0;
}

static void remove_first_device(void)
{
	if (gpubp_sim)
		sim_device_remove(gpubp_sim);
}

static int __init sim_init(void)
{
	int err = sim_pager_wq_init();

	if (err)
		return err;
	err = add_first_device();
	if (err)
		goto no_device;
	err = sim_configfs_register();
	if (err)
		goto no_configfs;
	return 0;

no_configfs:
	remove_first_device();
no_device:
	sim_pager_wq_exit();
	return err;
}

static void __exit sim_exit(void)
{
	sim_configfs_unregister();
	remove_first_device();
	sim_pager_wq_exit();
}

module_init(sim_init);
module_exit(sim_exit);

MODULE_DESCRIPTION("gpubp: software GPU");
MODULE_LICENSE("GPL");
MODULE_VERSION(GPUBP_VERSION);
