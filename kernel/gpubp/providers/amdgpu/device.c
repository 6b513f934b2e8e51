// SPDX-License-Identifier: GPL-2.0
/* Nodes: supported GPUs and their capabilities. */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "amdgpu.h"
#include "kfd_debug.h"
#include "kfd_device_queue_manager.h"

#include "provider.h"

#define OPS(...) {					\
	.commit		= gpubp_amd_commit,		\
	.acquire	= gpubp_amd_acquire,		\
	.release	= gpubp_amd_release,		\
	.trap_install	= gpubp_amd_trap_install,	\
	.trap_remove	= gpubp_amd_trap_remove,	\
	.code_alloc	= gpubp_amd_code_alloc,		\
	.code_free	= gpubp_amd_code_free,		\
	.code_map	= gpubp_amd_code_map,		\
	.ctx_suspend	= gpubp_amd_ctx_suspend,	\
	.ctx_resume	= gpubp_amd_ctx_resume,		\
	.mem_rw		= gpubp_amd_mem_rw,		\
	.mem_translate	= gpubp_amd_mem_translate,	\
	.flush		= gpubp_amd_flush,		\
	.read_wave	= gpubp_amd_read_wave,		\
	.halt		= gpubp_amd_halt,		\
	.resume		= gpubp_amd_resume,		\
	.hit_done	= gpubp_amd_hit_done,		\
	.clock_ns	= gpubp_amd_clock_ns,		\
	.quiesce	= gpubp_amd_quiesce,		\
	__VA_ARGS__					\
}

static const struct gpubp_ops ops = OPS();

/* where waves in memory are understood, and our own handler stops them */
#define ISA_OPS					\
	.list_waves	= gpubp_amd_list_waves,	\
	.write_wave	= gpubp_amd_write_wave,	\
	.step		= gpubp_amd_step

static const struct gpubp_ops ops_isa = OPS(ISA_OPS);

/*
 * gfx9.4.1 is missing: debugging requires that its waves do not skip waits at
 * barriers (kgd_arcturus_enable_debug_trap()), and setting that stops all
 * compute queues. So are 10.1.3, 10.1.4 and 10.3.3, whose firmware lacks
 * support.
 */
static const struct {
	u32 first;
	u32 last;
	const struct gpubp_amd_gen *gen;
} generations[] = {
	{ IP_VERSION(9, 0, 1), IP_VERSION(9, 4, 0), &gpubp_amd_gfx9_0 },
	{ IP_VERSION(9, 4, 2), IP_VERSION(9, 4, 2), &gpubp_amd_gfx9_4_2 },
	{ IP_VERSION(9, 4, 3), IP_VERSION(9, 4, 4), &gpubp_amd_gfx9_4_3 },
	{ IP_VERSION(10, 1, 1), IP_VERSION(10, 1, 2), &gpubp_amd_gfx10_1 },
	{ IP_VERSION(10, 1, 10), IP_VERSION(10, 1, 10), &gpubp_amd_gfx10_1 },
	{ IP_VERSION(10, 3, 0), IP_VERSION(10, 3, 2), &gpubp_amd_gfx10_3 },
	{ IP_VERSION(10, 3, 4), IP_VERSION(10, 3, 7), &gpubp_amd_gfx10_3 },
	{ IP_VERSION(11, 0, 0), IP_VERSION(11, 5, 2), &gpubp_amd_gfx11 },
	{ IP_VERSION(12, 0, 0), IP_VERSION(12, 0, 1), &gpubp_amd_gfx12 },
};

static const struct gpubp_amd_gen *node_generation(struct kfd_node *node)
{
	u32 version = KFD_GC_VERSION(node);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(generations); i++)
		if (version >= generations[i].first &&
		    version <= generations[i].last)
			return generations[i].gen;
	return NULL;
}

static bool node_has_hws(struct kfd_node *node)
{
	return node->dqm->sched_policy != KFD_SCHED_POLICY_NO_HWS;
}

/*
 * Records of the trap handler: shader engine, compute unit, SIMD, wave slot; the
 * interrupt has only two bits of the shader engine, hit.c finds the third.
 */
#define ARRAY_RECORDS	1024
#define MAX_ARRAYS	8

static int record_index(u32 se, u32 sh, u32 cu, u32 simd, u32 wave)
{
	int n = gpubp_isa_gfx90a.record_index(0, sh, cu, simd, wave);

	if (n < 0 || se >= MAX_ARRAYS)
		return -ENOENT;
	return se * ARRAY_RECORDS + n;
}

/**
 * gpubp_amd_record_place() - whose record is this
 * @index: its number
 * @place: (out) the wave slot
 *
 * Return: false if there is no such record.
 */
bool gpubp_amd_record_place(u32 index, struct gpubp_amd_place *place)
{
	*place = (struct gpubp_amd_place){
		.se = index / ARRAY_RECORDS, .cu = index / 64 % 16,
		.simd = index / 16 % 4, .wave = index % 16,
	};
	return index < MAX_ARRAYS * ARRAY_RECORDS;
}

/* those of the core have records of one shader array; filled in once each */
static struct gpubp_isa gfx90a, gfx942;
static DEFINE_MUTEX(isa_lock);		/* while they are filled in */

/* nodes use it as soon as it has been returned once, and may come at any time */
static const struct gpubp_isa *isa_of_arrays(struct gpubp_isa *isa,
					     const struct gpubp_isa *of_one)
{
	guard(mutex)(&isa_lock);
	if (isa->nr_records)
		return isa;
	*isa = *of_one;
	isa->nr_records = MAX_ARRAYS * ARRAY_RECORDS;
	isa->record_index = record_index;
	return isa;
}

/*
 * NULL: no handler of ours, the process's runtime stops waves. Graphics cores of a
 * node that has several have shader arrays of the same numbers, which record_index()
 * could not tell from each other.
 */
static const struct gpubp_isa *node_isa(struct kfd_node *node,
					const struct gpubp_amd_gen *gen)
{
	const struct amdgpu_gfx_config *config = &node->adev->gfx.config;

	if (!node->kfd->cwsr_enabled || NUM_XCC(node->xcc_mask) != 1 ||
	    config->max_shader_engines > MAX_ARRAYS || config->max_sh_per_se != 1)
		return NULL;
	if (gen == &gpubp_amd_gfx9_4_2)
		return isa_of_arrays(&gfx90a, &gpubp_isa_gfx90a);
	if (gen == &gpubp_amd_gfx9_4_3)
		return isa_of_arrays(&gfx942, &gpubp_isa_gfx942);
	return NULL;
}

/**
 * gpubp_amd_first_records() - number of the first record of each shader array
 * @first: (out) for the start of the handler's memory, by SE * 2 + SH
 */
void gpubp_amd_first_records(u32 first[GPUBP_AMD_HANDLER_ARRAYS])
{
	unsigned int i;

	for (i = 0; i < GPUBP_AMD_HANDLER_ARRAYS; i++)
		first[i] = i / 2 * ARRAY_RECORDS;
}

/*
 * ROCr's handler does not only halt a wave there: it lets it continue at a
 * s_trap of its own, which aborts the queue. It must not be entered for hits.
 */
static bool gen_parks_waves(const struct gpubp_amd_gen *gen)
{
	return gen == &gpubp_amd_gfx9_0 || gen == &gpubp_amd_gfx9_4_2 ||
	       gen == &gpubp_amd_gfx10_1 || gen == &gpubp_amd_gfx11;
}

/*
 * Control words are loaded by firmware, so they need a hardware scheduler. A
 * guest must not access these registers.
 */
static const char *node_fault(struct kfd_node *node,
			      const struct gpubp_amd_gen *gen)
{
	if (!gen)
		return "generation is not supported";
	if (amdgpu_sriov_vf(node->adev))
		return "it is a virtual function";
	if (gen->banked && !node_has_hws(node))
		return "control words need the hardware scheduler";
	if (gen_parks_waves(gen) && !node_isa(node, gen))
		return "a hit would abort the queue: there is no trap handler for it";
	return NULL;
}

/** gpubp_amd_nr_waves() - the most that can be on a node */
u32 gpubp_amd_nr_waves(const struct kfd_node *node)
{
	const struct amdgpu_cu_info *info = &node->adev->gfx.cu_info;

	return info->number * info->simd_per_cu * info->max_waves_per_simd;
}

/* our handler takes neither of them for a reason */
#define WAVE_TRAPS	(GPUBP_EXC_WAVE_START | GPUBP_EXC_WAVE_END)

/* the interrupt does not say which occurred, the handler's record does */
static u32 node_exceptions(struct kfd_node *node,
			   const struct gpubp_amd_gen *gen)
{
	return node_isa(node, gen) ?
	       gpubp_amd_exceptions(gen, KFD_GC_VERSION(node)) & ~WAVE_TRAPS : 0;
}

/* what a hit has in addition to its place, without a record */
static u32 node_hit_state(struct kfd_node *node,
			  const struct gpubp_amd_gen *gen)
{
	return node_isa(node, gen) ? 0 : GPUBP_HITF_PC | GPUBP_HITF_EXEC |
					 GPUBP_HITF_SLOTS;
}

/*
 * The handler's memory is system memory. PCIe knows an atomic addition, if all
 * bridges on the way pass it on, but no increment that wraps: the second-level
 * handler only adds.
 */
static bool node_counts(const struct kfd_node *node)
{
	return node->kfd->cwsr_enabled && node->kfd->pci_atomic_requested;
}

/*
 * In places of its memory, with a time. Work ends in queues that the kernel does not
 * see: nothing is called then, and hits of counting events stop.
 */
static bool node_records(struct kfd_node *node, const struct gpubp_amd_gen *gen)
{
	return node_isa(node, gen) && node_counts(node) && gpubp_amd_has_clock(node);
}

static struct gpubp_caps node_caps(struct kfd_node *node,
				   const struct gpubp_amd_gen *gen)
{
	return (struct gpubp_caps){
		.nr_slots	= GPUBP_AMD_NR_SLOTS,
		.usable_slots	= GENMASK(GPUBP_AMD_NR_SLOTS - 1, 0),
		.nr_waves	= gpubp_amd_nr_waves(node),
		.granule	= gpubp_amd_granule(gen),
		.max_block	= gpubp_amd_max_block(gen),
		.va_bits	= 48,
		.modes		= BIT(GPUBP_MODE_READ) |
				  BIT(GPUBP_MODE_NONREAD) |
				  BIT(GPUBP_MODE_ATOMIC) | BIT(GPUBP_MODE_ALL),
		.paths		= GPUBP_PATH_VECTOR |
				  (gen->reg[AMD_SQ_CNTL].name ?
				   GPUBP_PATH_SCALAR : 0),
		.residency	= gen->banked ? GPUBP_RESIDENCY_FIRMWARE :
				  node_has_hws(node) ? GPUBP_RESIDENCY_RESERVED :
				  GPUBP_RESIDENCY_REPORTED,
		.cntl_banked	= gen->banked,
		.precise	= gen == &gpubp_amd_gfx9_4_2 ||
				  gen == &gpubp_amd_gfx9_4_3,
		.interrupts	= true,
		.commit_preempts = gen->banked &&
				   !node->kfd->shared_resources.enable_mes,
		.saves_waves	= node->kfd->cwsr_enabled,
		.atomics	= node_counts(node),
		.records	= node_records(node, gen),
		.unseen_ends	= node_records(node, gen),
		.exceptions	= node_exceptions(node, gen),
		.stops		= GPUBP_STOPS_WAVE,
		.can_step	= node_isa(node, gen),
		.can_catch	= node_isa(node, gen),
		.trap_level	= node->kfd->cwsr_enabled ?
				  GPUBP_TRAP_SECOND : GPUBP_TRAP_FIRST,
		.hit_fields	= GPUBP_HITF_VMID | GPUBP_HITF_PASID |
				  GPUBP_HITF_DOORBELL | GPUBP_HITF_POSITION |
				  GPUBP_HITF_CODE | GPUBP_HITF_CTX |
				  node_hit_state(node, gen),
	};
}

static int node_register(struct gpubp_amd_node *n)
{
	struct kfd_node *node = n->node;
	char name[32];
	struct gpubp_device_desc desc = {
		.name	= name,
		.owner	= THIS_MODULE,
		.isa	= n->isa,
		.caps	= node_caps(node, n->gen),
		.ops	= n->isa ? &ops_isa : &ops,
	};

	scnprintf(name, sizeof(name), "amdgpu%d_%u",
		  adev_to_drm(node->adev)->render->index, node->node_id);
	n->core = gpubp_device_register(&desc, n);
	return PTR_ERR_OR_ZERO(n->core);
}

static struct gpubp_amd_node *node_alloc(struct kfd_node *node)
{
	struct gpubp_amd_node *n = kzalloc(sizeof(*n), GFP_KERNEL);

	if (!n)
		return NULL;
	n->node = node;
	n->gen = node_generation(node);
	n->isa = node_isa(node, n->gen);
	n->reported = !node_has_hws(node);
	gpubp_amd_commit_init(n);
	gpubp_amd_waves_init(n);
	gpubp_amd_find_init(n);
	gpubp_amd_clock_init(n);
	return n;
}

/* failures are logged, not returned: the GPU then works without gpubp */
void gpubp_amd_node_add(struct kfd_node *node)
{
	const char *why = node_fault(node, node_generation(node));
	struct gpubp_amd_node *n;
	int err;

	if (why) {
		dev_info(node->adev->dev, "gpubp: not used: %s\n", why);
		return;
	}
	n = node_alloc(node);
	err = n ? node_register(n) : -ENOMEM;
	if (err) {
		dev_warn(node->adev->dev, "gpubp: not used: %d\n", err);
		kfree(n);
		return;
	}
	node->gpubp = n;
}

void gpubp_amd_node_remove(struct kfd_node *node)
{
	struct gpubp_amd_node *n = node->gpubp;

	if (!n)
		return;
	node->gpubp = NULL;
	gpubp_device_unregister(n->core);
	gpubp_amd_commit_stop(n);
	gpubp_amd_find_stop(n);
	cancel_work_sync(&n->resume_work);
	kfree(n);
}

/* for a reset or a suspend: on return nothing here accesses the GPU */
void gpubp_amd_node_stop(struct kfd_node *node)
{
	struct gpubp_amd_node *n = node->gpubp;

	if (!n)
		return;
	gpubp_device_suspend(n->core);
	gpubp_amd_commit_stop(n);
	gpubp_amd_waves_stop(n);
}

/* registers and waves are lost */
void gpubp_amd_node_start(struct kfd_node *node)
{
	struct gpubp_amd_node *n = node->gpubp;

	if (!n)
		return;
	n->traps = false;
	gpubp_amd_waves_start(n);
	gpubp_device_resume(n->core);
}
