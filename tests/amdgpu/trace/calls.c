// SPDX-License-Identifier: GPL-2.0
/* amdgpu's functions and ours, and what they are called with. */
#include "amdgpu.h"
#include "amdgpu_amdkfd.h"
#include "kfd_priv.h"
#include "soc15_int.h"
#include <uapi/linux/kfd_ioctl.h>

#include "../../../kernel/gpubp/providers/amdgpu/cookie.h"
#include "../../../kernel/gpubp/providers/amdgpu/run.h"
#include "calls.h"

/* takes the next digit, in base ARRAY_SIZE(list), off n */
#define DIGIT(n, list)							\
	({								\
		unsigned int digit = (n) % ARRAY_SIZE(list);		\
		(n) /= ARRAY_SIZE(list);				\
		(list)[digit];						\
	})

static const u64 addresses[] = {
	0, 0x1000, 0x7f1234567000, 0x00007fffffffff80,
	0x0000800000000040,		/* half a granule of later generations */
	0x0000123456789aff,		/* not aligned at all */
	0xffffffffffffffc0,		/* more bits than are compared */
};

static const u32 masks[] = {
	0xffffffff, 0xffffffc0, 0xffffff80, 0xfffff000, 0xc0000000, 0,
	0xfffff0ff,			/* with a hole */
	0x00000040,
};

static const u64 handlers[] = {
	0, 0x100, 0x7ff800000000, 0xffffffffff00, 0x123456789a00,
};

static const u8 vmids[] = { 8, 15 };
static const u32 fills[] = { 0, 0xffffffff, 0xa5a5a5a5, 0x5a5a5a5a };
static const u8 slots[] = { 0, 1, 2, 3 };
static const u8 modes[] = { 0, 1, 2, 3 };
static const bool flags[] = { false, true };

static bool always(const struct generation *g)
{
	return true;
}

static void run(const struct generation *g, struct amdgpu_device *adev,
		const struct input *in, const struct gpubp_amd_steps *list)
{
	gpubp_amd_run(adev, g->gen, in->xcc, list);
}

/* a control word, which firmware loads; older generations return nothing */
static void word(const struct generation *g, u32 value)
{
	if (g->gen->banked)
		trace_return(value);
}

/* ---- comparators ------------------------------------------------------------------ */

static bool watch_input(const struct generation *g, unsigned int n,
			struct input *in)
{
	in->slot = DIGIT(n, slots);
	in->mode = DIGIT(n, modes);
	in->vmid = DIGIT(n, vmids);
	in->address = DIGIT(n, addresses);
	in->mask = DIGIT(n, masks);
	in->xcc = n % g->nr_xccs;
	return n / g->nr_xccs == 0;
}

static void their_watch(const struct generation *g, struct amdgpu_device *adev,
			const struct input *in)
{
	word(g, g->kfd->set_address_watch(adev, in->address, in->mask,
					  in->slot, in->mode, in->vmid,
					  in->xcc));
}

static void our_watch(const struct generation *g, struct amdgpu_device *adev,
		      const struct input *in)
{
	struct gpubp_amd_watch watch = {
		.mask = in->mask | GENMASK_ULL(63, 32),
		.mode = in->mode,
		.vmid = g->gen->banked ? 0 : in->vmid,
	};
	struct gpubp_amd_steps list = {};

	if (!g->gen->banked)
		gpubp_amd_watch_clear(g->gen, in->slot, &list);
	gpubp_amd_watch_address(g->gen, in->slot, in->address, &list);
	if (!g->gen->banked)
		gpubp_amd_watch_validate(g->gen, in->slot, &watch, &list);
	run(g, adev, in, &list);
	word(g, gpubp_amd_tcp_cntl(g->gen, &watch));
}

static bool clear_input(const struct generation *g, unsigned int n,
			struct input *in)
{
	in->slot = DIGIT(n, slots);
	in->fill = DIGIT(n, fills);
	return n == 0;
}

static void their_clear(const struct generation *g, struct amdgpu_device *adev,
			const struct input *in)
{
	word(g, g->kfd->clear_address_watch(adev, in->slot));
}

static void our_clear(const struct generation *g, struct amdgpu_device *adev,
		      const struct input *in)
{
	struct gpubp_amd_steps list = {};

	if (!g->gen->banked)
		gpubp_amd_watch_clear(g->gen, in->slot, &list);
	run(g, adev, in, &list);
	word(g, 0);
}

/* ---- trap handler ----------------------------------------------------------------- */

static bool has_handler(const struct generation *g)
{
	return g->kfd->program_trap_handler_settings;
}

static bool handler_input(const struct generation *g, unsigned int n,
			  struct input *in)
{
	in->vmid = DIGIT(n, vmids);
	in->tba = DIGIT(n, handlers);
	in->tma = DIGIT(n, handlers);
	in->xcc = n % g->nr_xccs;
	return n / g->nr_xccs == 0;
}

static void their_handler(const struct generation *g,
			  struct amdgpu_device *adev, const struct input *in)
{
	g->kfd->program_trap_handler_settings(adev, in->vmid, in->tba, in->tma,
					      in->xcc);
}

static void our_handler(const struct generation *g, struct amdgpu_device *adev,
			const struct input *in)
{
	struct gpubp_amd_steps list = {};

	gpubp_amd_handler(g->gen, in->vmid, in->tba, in->tma, &list);
	run(g, adev, in, &list);
}

/* ---- traps ------------------------------------------------------------------------ */

static bool trap_input(const struct generation *g, unsigned int n,
		       struct input *in)
{
	in->vmid = DIGIT(n, vmids);
	in->flag = DIGIT(n, flags);
	in->fill = DIGIT(n, fills);
	return n == 0;
}

static void their_enable(const struct generation *g,
			 struct amdgpu_device *adev, const struct input *in)
{
	word(g, g->kfd->enable_debug_trap(adev, in->flag, in->vmid));
}

static void their_disable(const struct generation *g,
			  struct amdgpu_device *adev, const struct input *in)
{
	word(g, g->kfd->disable_debug_trap(adev, in->flag, in->vmid));
}

static void our_reset(const struct generation *g, struct amdgpu_device *adev,
		      const struct input *in)
{
	struct gpubp_amd_traps none = {};
	struct gpubp_amd_steps list = {};

	if (!g->gen->banked)
		gpubp_amd_trap_reset(g->gen, in->vmid, &list);
	run(g, adev, in, &list);
	word(g, gpubp_amd_trap_cntl(g->gen, &none));
}

/* of gfx10: after GFXOFF its registers have to be restored */
static bool has_config(const struct generation *g)
{
	return g->ip_version >= IP_VERSION(10, 0, 0) && !g->gen->banked;
}

static void our_enable(const struct generation *g, struct amdgpu_device *adev,
		       const struct input *in)
{
	struct gpubp_amd_steps list = {};

	if (!in->flag || !has_config(g)) {
		our_reset(g, adev, in);
		return;
	}
	gpubp_amd_trap_config(g->gen, in->vmid, &list);
	run(g, adev, in, &list);
}

/* gpubp's exception of each of the KFD's; 0: comparators */
static const struct {
	u32 kfd;
	u32 gpubp;
} exceptions[] = {
	{ KFD_DBG_TRAP_MASK_FP_INVALID,		GPUBP_EXC_FP_INVALID },
	{ KFD_DBG_TRAP_MASK_FP_INPUT_DENORMAL,	GPUBP_EXC_FP_DENORMAL },
	{ KFD_DBG_TRAP_MASK_FP_DIVIDE_BY_ZERO,	GPUBP_EXC_FP_DIV0 },
	{ KFD_DBG_TRAP_MASK_FP_OVERFLOW,	GPUBP_EXC_FP_OVERFLOW },
	{ KFD_DBG_TRAP_MASK_FP_UNDERFLOW,	GPUBP_EXC_FP_UNDERFLOW },
	{ KFD_DBG_TRAP_MASK_FP_INEXACT,		GPUBP_EXC_FP_INEXACT },
	{ KFD_DBG_TRAP_MASK_INT_DIVIDE_BY_ZERO,	GPUBP_EXC_INT_DIV0 },
	{ KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH,	0 },
	{ KFD_DBG_TRAP_MASK_DBG_MEMORY_VIOLATION, GPUBP_EXC_MEM_VIOL },
	{ KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_START,	GPUBP_EXC_WAVE_START },
	{ KFD_DBG_TRAP_MASK_TRAP_ON_WAVE_END,	GPUBP_EXC_WAVE_END },
};

static u32 supported_by_them(const struct generation *g,
			     struct amdgpu_device *adev)
{
	u32 mask = ~0U;

	WARN_ON(g->kfd->validate_trap_override_request(adev,
						       KFD_DBG_TRAP_OVERRIDE_OR,
						       &mask));
	return mask;
}

/* what both can ask for: each exception alone, none, all */
static bool override_input(const struct generation *g, unsigned int n,
			   struct input *in)
{
	unsigned int i = n % (ARRAY_SIZE(exceptions) + 2);
	unsigned int j;

	n /= ARRAY_SIZE(exceptions) + 2;
	in->vmid = DIGIT(n, vmids);
	in->fill = DIGIT(n, fills);
	in->bits = 0;
	for (j = 0; j < ARRAY_SIZE(exceptions); j++)
		if (j == i || i == ARRAY_SIZE(exceptions))
			in->bits |= exceptions[j].kfd;
	return n == 0;
}

static void their_override(const struct generation *g,
			   struct amdgpu_device *adev, const struct input *in)
{
	u32 request = supported_by_them(g, adev);
	u32 bits = in->bits & request;
	u32 prev, ret;

	ret = g->kfd->set_wave_launch_trap_override(adev, in->vmid,
						    KFD_DBG_TRAP_OVERRIDE_OR,
						    bits, request, &prev, 0);
	word(g, ret);
}

static struct gpubp_amd_traps traps_of(u32 bits, u32 supported)
{
	struct gpubp_amd_traps traps = {
		.watch = bits & KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (bits & exceptions[i].kfd)
			traps.exceptions |= exceptions[i].gpubp & supported;
	return traps;
}

static void our_override(const struct generation *g,
			 struct amdgpu_device *adev, const struct input *in)
{
	struct gpubp_amd_traps traps =
		traps_of(in->bits, gpubp_amd_exceptions(g->gen, g->ip_version));
	struct gpubp_amd_steps list = {};

	if (!g->gen->banked)
		gpubp_amd_trap_watch(g->gen, in->vmid, traps.watch, &list);
	run(g, adev, in, &list);
	word(g, gpubp_amd_trap_cntl(g->gen, &traps));
}

static bool validate_input(const struct generation *g, unsigned int n,
			   struct input *in)
{
	return n == 0;
}

static void their_validate(const struct generation *g,
			   struct amdgpu_device *adev, const struct input *in)
{
	trace_return(supported_by_them(g, adev));
}

static void our_validate(const struct generation *g,
			 struct amdgpu_device *adev, const struct input *in)
{
	u32 supported = gpubp_amd_exceptions(g->gen, g->ip_version);
	u32 bits = KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (supported & exceptions[i].gpubp)
			bits |= exceptions[i].kfd;
	trace_return(bits);
}

/* ---- interrupts ------------------------------------------------------------------- */

#define PASID	0x8123

/* bits that say: a message, by privileged code */
static void set_message(const struct generation *g, u32 *cookie)
{
	bool encoding_in_0 = g->ip_version < IP_VERSION(10, 0, 0);
	u32 priv = encoding_in_0 ? BIT(13) :
		   g->ip_version < IP_VERSION(11, 0, 0) ? BIT(24) : BIT(26);
	u32 *word = &cookie[!encoding_in_0];
	unsigned int shift = encoding_in_0 ? 26 : 6;

	cookie[0] |= priv;
	*word = (*word & ~(3 << shift)) | 1 << shift;
}

/* each bit alone, none, all */
static bool interrupt_input(const struct generation *g, unsigned int n,
			    struct input *in)
{
	u64 bits = n < 64 ? BIT_ULL(n) : n == 64 ? 0 : ~0ULL;

	in->cookie[0] = lower_32_bits(bits);
	in->cookie[1] = upper_32_bits(bits);
	return n < 66;
}

static void their_interrupt(const struct generation *g,
			    struct amdgpu_device *adev, const struct input *in)
{
	/* client GRBM_CP has one number in all generations */
	u32 entry[8] = {
		SOC15_IH_CLIENTID_GRBM_CP | SOC15_INTSRC_SQ_INTERRUPT_MSG << 8,
		0, 0, PASID, in->cookie[0], in->cookie[1],
	};
	struct kfd_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	set_message(g, &entry[4]);
	if (node)
		g->interrupts->interrupt_wq(node, entry);
	kfree(node);
}

static void our_interrupt(const struct generation *g,
			  struct amdgpu_device *adev, const struct input *in)
{
	u32 ids[2] = { in->cookie[0], in->cookie[1] };
	struct gpubp_amd_cookie cookie;

	set_message(g, ids);
	cookie = gpubp_amd_cookie_parse(IP_VERSION_MAJ(g->ip_version), ids[0],
					ids[1]);
	trace_decoded(PASID, cookie.doorbell, cookie.code);
}

const struct call calls[] = {
	{
		"set_address_watch", always, watch_input,
		{ .slot = 1, .address = 0x7f1234567000, .mask = 0xfffff000,
		  .mode = GPUBP_MODE_NONREAD, .vmid = 15 },
		their_watch, our_watch,
	}, {
		"clear_address_watch", always, clear_input,
		{ .slot = 1 },
		their_clear, our_clear,
	}, {
		"program_trap_handler_settings", has_handler, handler_input,
		{ .vmid = 8, .tba = 0x7ff800000000, .tma = 0x7ff800001800 },
		their_handler, our_handler,
	}, {
		"enable_debug_trap", always, trap_input,
		{ .vmid = 15, .flag = true },
		their_enable, our_enable,
	}, {
		"disable_debug_trap", always, trap_input,
		{ .vmid = 15, .flag = true },
		their_disable, our_reset,
	}, {
		"set_wave_launch_trap_override", always, override_input,
		{ .vmid = 15, .bits = KFD_DBG_TRAP_MASK_DBG_ADDRESS_WATCH },
		their_override, our_override,
	}, {
		"validate_trap_override_request", always, validate_input,
		{ },
		their_validate, our_validate,
	}, {
		"interrupt_wq", always, interrupt_input,
		{ .cookie = { 0x00000801, 0 } },
		their_interrupt, our_interrupt,
	},
};

const unsigned int nr_calls = ARRAY_SIZE(calls);
