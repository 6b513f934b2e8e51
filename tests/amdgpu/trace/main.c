// SPDX-License-Identifier: GPL-2.0
/* Runs the comparison when loaded; debugfs: amdgpu_trace/{results,table}. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "amdgpu_amdkfd.h"

#include "calls.h"
#include "differ.h"

extern const struct kfd2kgd_calls gfx_v9_kfd2kgd, aldebaran_kfd2kgd,
	gc_9_4_3_kfd2kgd, gfx_v10_kfd2kgd, gfx_v10_3_kfd2kgd, gfx_v11_kfd2kgd,
	gfx_v12_kfd2kgd;

extern const struct kfd_event_interrupt_class event_interrupt_class_v9,
	event_interrupt_class_v9_4_3, event_interrupt_class_v10,
	event_interrupt_class_v11;

static const struct generation generations[] = {
	{ &gpubp_amd_gfx9_0, &gfx_v9_kfd2kgd,
	  &event_interrupt_class_v9, IP_VERSION(9, 0, 1), 1 },
	{ &gpubp_amd_gfx9_4_2, &aldebaran_kfd2kgd,
	  &event_interrupt_class_v9, IP_VERSION(9, 4, 2), 1 },
	{ &gpubp_amd_gfx9_4_3, &gc_9_4_3_kfd2kgd,
	  &event_interrupt_class_v9_4_3, IP_VERSION(9, 4, 3), 2 },
	{ &gpubp_amd_gfx10_1, &gfx_v10_kfd2kgd,
	  &event_interrupt_class_v10, IP_VERSION(10, 1, 10), 1 },
	{ &gpubp_amd_gfx10_3, &gfx_v10_3_kfd2kgd,
	  &event_interrupt_class_v10, IP_VERSION(10, 3, 0), 1 },
	{ &gpubp_amd_gfx11, &gfx_v11_kfd2kgd,
	  &event_interrupt_class_v11, IP_VERSION(11, 0, 0), 1 },
	{ &gpubp_amd_gfx11, &gfx_v11_kfd2kgd,
	  &event_interrupt_class_v11, IP_VERSION(11, 0, 4), 1 },
	{ &gpubp_amd_gfx12, &gfx_v12_kfd2kgd,
	  &event_interrupt_class_v11, IP_VERSION(12, 0, 0), 1 },
};

/* more than these say nothing new */
#define SHOWN_FAILURES	3

static struct workspace {
	struct trace theirs;
	struct trace ours;
	struct pair pairs[PAIRS_MAX];
	unsigned int nr_pairs;
} *work;

static struct dentry *dir;

static bool compare(const struct generation *g, struct amdgpu_device *adev,
		    const struct call *call, const struct input *in)
{
	trace_begin(&work->theirs, in->fill);
	call->theirs(g, adev, in);
	trace_begin(&work->ours, in->fill);
	call->ours(g, adev, in);
	trace_end();
	return traces_align(g->gen, call->name, &work->theirs, &work->ours,
			    work->pairs, &work->nr_pairs);
}

static void print_value(struct seq_file *m, const struct trace_entry *e)
{
	if (!e)
		seq_puts(m, "-");
	else if (e->kind == TRACE_READ && e->value == 1)
		seq_puts(m, "read");
	else if (e->kind == TRACE_READ)
		seq_printf(m, "read %u times", e->value);
	else if (e->kind == TRACE_SELECT)
		seq_printf(m, "VMID %u", e->value);
	else
		seq_printf(m, "0x%08x", e->value);
}

static const char * const kind_names[] = {
	[TRACE_SELECT]	= "GRBM_GFX_CNTL",
	[TRACE_RETURN]	= "control word",
	[TRACE_DECODED]	= "decoded",
};

/* TCP_WATCH0_CNTL of comparator 2 is TCP_WATCH2_CNTL */
static void print_place(struct seq_file *m, const struct gpubp_amd_gen *gen,
			const struct trace_entry *e)
{
	unsigned int slot;
	const char *name, *number;

	if (e->kind != TRACE_READ && e->kind != TRACE_WRITE) {
		seq_puts(m, kind_names[e->kind]);
		return;
	}
	name = trace_name(gen, e, &slot);
	number = name ? strstr(name, "WATCH0") : NULL;
	if (!name)
		seq_printf(m, "unknown register 0x%x", e->reg);
	else if (!number)
		seq_puts(m, name);
	else
		seq_printf(m, "%.*sWATCH%u%s", (int)(number - name), name, slot,
			   number + strlen("WATCH0"));
}

static void print_pairs(struct seq_file *m, const struct gpubp_amd_gen *gen,
			const char *indent)
{
	unsigned int i;

	for (i = 0; i < work->nr_pairs; i++) {
		const struct pair *pair = &work->pairs[i];

		seq_puts(m, indent);
		print_place(m, gen, pair->theirs ?: pair->ours);
		seq_puts(m, ", ");
		print_value(m, pair->theirs);
		seq_puts(m, ", ");
		print_value(m, pair->ours);
		if (pair->why)
			seq_printf(m, ", difference %td",
				   pair->why - differences + 1);
		seq_puts(m, "\n");
	}
}

static void print_failure(struct seq_file *m, const struct generation *g,
			  const struct input *in)
{
	seq_printf(m, "# slot %u xcc %u vmid %u mode %u address 0x%llx mask 0x%x tba 0x%llx tma 0x%llx bits 0x%x cookie 0x%x 0x%x flag %u fill 0x%x\n",
		   in->slot, in->xcc, in->vmid, in->mode, in->address, in->mask,
		   in->tba, in->tma, in->bits, in->cookie[0], in->cookie[1],
		   in->flag, in->fill);
	seq_puts(m, "# register, theirs, ours\n");
	print_pairs(m, g->gen, "#   ");
}

static bool compare_all(struct seq_file *m, const struct generation *g,
			const struct call *call, struct amdgpu_device *adev,
			unsigned int *inputs)
{
	struct input in = {};
	unsigned int failures = 0;

	for (*inputs = 0; call->input(g, *inputs, &in); ++*inputs) {
		if (!compare(g, adev, call, &in) &&
		    failures++ < SHOWN_FAILURES)
			print_failure(m, g, &in);
	}
	return !failures && *inputs;
}

static const char *ip_name(const struct generation *g, char *buf, size_t size)
{
	scnprintf(buf, size, "gfx%u.%u.%u", IP_VERSION_MAJ(g->ip_version),
		  IP_VERSION_MIN(g->ip_version), IP_VERSION_REV(g->ip_version));
	return buf;
}

static void result(struct seq_file *m, unsigned int *nr, bool good)
{
	seq_printf(m, "%sok %u - ", good ? "" : "not ", ++*nr);
}

static unsigned int count(void)
{
	unsigned int i, j, n = nr_differences;

	for (i = 0; i < ARRAY_SIZE(generations); i++)
		for (j = 0; j < nr_calls; j++)
			n += calls[j].exists(&generations[i]);
	return n;
}

static void test_generation(struct seq_file *m, const struct generation *g,
			    unsigned int *nr)
{
	struct amdgpu_device *adev =
		trace_device_create(g->gen, g->ip_version);
	unsigned int i, inputs;
	char name[16];

	for (i = 0; adev && i < nr_calls; i++) {
		if (!calls[i].exists(g))
			continue;
		result(m, nr, compare_all(m, g, &calls[i], adev, &inputs));
		seq_printf(m, "%s %s, %u inputs\n",
			   ip_name(g, name, sizeof(name)), calls[i].name,
			   inputs);
	}
	trace_device_destroy(adev);
}

/* a difference that is not there any more must leave the table */
static void test_difference(struct seq_file *m, const struct difference *d,
			    unsigned int *nr)
{
	bool good = d->kind == DIFF_BITS ? d->seen == d->bits : d->seen;

	result(m, nr, good);
	seq_printf(m, "difference of%s%s %s\n", d->gens, d->call, d->reg);
	if (!good)
		seq_printf(m, "# expected bits 0x%x, seen 0x%x\n", d->bits,
			   d->seen);
}

static int results_show(struct seq_file *m, void *unused)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_differences; i++)
		differences[i].seen = 0;
	seq_printf(m, "TAP version 13\n1..%u\n", count());
	for (i = 0; i < ARRAY_SIZE(generations); i++)
		test_generation(m, &generations[i], &nr);
	for (i = 0; i < nr_differences; i++)
		test_difference(m, &differences[i], &nr);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(results);

static const char head[] =
	".. SPDX-License-Identifier: GPL-2.0\n"
	"\n"
	"========================\n"
	"Register writes, amdgpu\n"
	"========================\n"
	"\n"
	".. Written by tests/amdgpu/registers --update; do not edit.\n"
	"\n"
	"What amdgpu's functions of ``struct kfd2kgd_calls`` do to registers, and\n"
	"what :doc:`the provider <amdgpu>` does instead, one after the other, for\n"
	"one example each. Both were called and recorded; neither ran on hardware.\n"
	"What of it reaches a (modelled) device is on :doc:`amdgpu-device`.\n"
	"A *control word* is what the function returns: firmware loads it into the\n"
	"register when it maps the process. ``interrupt_wq`` decodes\n"
	"interrupts: PASID, doorbell, trap code, upper half of the trap code.\n"
	"``tests/amdgpu/trace/calls.c`` has the\n"
	"examples, and the inputs, thousands, for which the same was compared.\n"
	"\n";

static void show_call(struct seq_file *m, const struct generation *g,
		      struct amdgpu_device *adev, const struct call *call)
{
	if (!call->exists(g))
		return;
	compare(g, adev, call, &call->example);
	seq_printf(m, ".. csv-table:: %s\n   :header: register, amdgpu, gpubp, note\n\n",
		   call->name);
	print_pairs(m, g->gen, "   ");
	seq_puts(m, "\n");
}

static int show_generation(struct seq_file *m, const struct generation *g)
{
	struct amdgpu_device *adev =
		trace_device_create(g->gen, g->ip_version);
	unsigned int i;
	char name[16];

	if (!adev)
		return -ENOMEM;
	ip_name(g, name, sizeof(name));
	seq_printf(m, "%s\n%.*s\n\n", name, (int)strlen(name),
		   "----------------");
	for (i = 0; i < nr_calls; i++)
		show_call(m, g, adev, &calls[i]);
	trace_device_destroy(adev);
	return 0;
}

static void show_difference(struct seq_file *m, unsigned int i)
{
	const struct difference *d = &differences[i];

	seq_printf(m, "%u.%s%s, %s", i + 1, d->gens, d->call, d->reg);
	if (d->kind == DIFF_BITS)
		seq_printf(m, ", bits 0x%08x", d->bits);
	seq_printf(m, ": %s.\n", d->why);
}

static int table_show(struct seq_file *m, void *unused)
{
	unsigned int i;
	int err;

	seq_puts(m, head);
	for (i = 0; i < ARRAY_SIZE(generations); i++) {
		err = show_generation(m, &generations[i]);
		if (err)
			return err;
	}
	seq_puts(m, "Differences\n-----------\n\nThere are these and no other, for all inputs.\n\n");
	for (i = 0; i < nr_differences; i++)
		show_difference(m, i);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(table);

static int __init module_start(void)
{
	work = kvzalloc(sizeof(*work), GFP_KERNEL);
	if (!work)
		return -ENOMEM;
	dir = debugfs_create_dir("amdgpu_trace", NULL);
	debugfs_create_file("results", 0400, dir, NULL, &results_fops);
	debugfs_create_file("table", 0400, dir, NULL, &table_fops);
	return 0;
}

static void __exit module_stop(void)
{
	debugfs_remove(dir);
	kvfree(work);
}

module_init(module_start);
module_exit(module_stop);
MODULE_DESCRIPTION("Compares gpubp's register programs with amdgpu's");
MODULE_LICENSE("GPL");
