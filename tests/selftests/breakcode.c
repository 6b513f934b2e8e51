// SPDX-License-Identifier: GPL-2.0
/* Machine code to break into: see breakcode.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/gpubp_sim.h>
#include "breakcode.h"

#define DEVICE		"/dev/gpubp_sim0"
#define PAGE		4096
#define ARGS		2048	/* of the arguments from the page's start */
#define SECOND		1000000000LL

static const uint32_t code[] = {
	/* loop_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	0xbf800000,		/* s_nop 0 */
	/* loop: */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbf800000,		/* s_nop 0 */
	0xbf800001,		/* s_nop 1 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff8,		/* s_cbranch_scc1 loop */
	0xbf8a0000,		/* s_barrier */
	0xdd088004, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] offset:4 */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* sum_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0xc0060200, 0x00000010,	/* s_load_dwordx2 s[8:9], s[0:1], 0x10 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e040280,		/* v_mov_b32 v2, 0 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* sum: */
	0xdc518000, 0x01080000,	/* global_load_dword v1, v0, s[8:9] glc */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0x68040302,		/* v_add_u32 v2, v2, v1 */
	0x68000084,		/* v_add_u32 v0, 4, v0 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff8,		/* s_cbranch_scc1 sum */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0xdc708000, 0x00040200,	/* global_store_dword v0, v2, s[4:5] */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* trap_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* traps: */
	0xbf920001,		/* s_trap 1 */
	0xbf920003,		/* s_trap 3 */
	0xbf9200c8,		/* s_trap 0xc8 */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fffa,		/* s_cbranch_scc1 traps */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf810000,		/* s_endpgm */
	0xbf800000,		/* s_nop 0 */
	0xbf800000,		/* s_nop 0 */
	/* call_kernel: */
	0xc00a0100, 0x00000000,	/* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
	0x7e000280,		/* v_mov_b32 v0, 0 */
	0x7e020281,		/* v_mov_b32 v1, 1 */
	0xbf8cc07f,		/* s_waitcnt lgkmcnt(0) */
	/* calls: */
	0xbe8a1c00,		/* s_getpc_b64 s[10:11] */
	0x800a9c0a,		/* s_add_u32 s10, s10, 28 */
	0x820b800b,		/* s_addc_u32 s11, s11, 0 */
	0xbe8c1e0a,		/* s_swappc_b64 s[12:13], s[10:11] */
	0x80868106,		/* s_sub_u32 s6, s6, 1 */
	0xbf078006,		/* s_cmp_lg_u32 s6, 0 */
	0xbf85fff9,		/* s_cbranch_scc1 calls */
	0xbf810000,		/* s_endpgm */
	0xdd088000, 0x00040100,	/* global_atomic_add v0, v1, s[4:5] */
	0xbf8c0f70,		/* s_waitcnt vmcnt(0) */
	0xbe801d0c,		/* s_setpc_b64 s[12:13] */
};

static_assert(sizeof(code) == BC_TEXT_SIZE, "the end of the text");

/* where each kernel begins */
static const unsigned int entries[] = {
	[BC_LOOP] = 0x00, [BC_SUM] = 0x80, [BC_TRAP] = 0x100, [BC_CALL] = 0x140,
};

struct descriptor {
	uint32_t group_size, private_size, kernarg_size, reserved;
	uint64_t entry;
	uint8_t reserved1[20];
	uint32_t rsrc3, rsrc1, rsrc2;
	uint16_t properties;
	uint8_t reserved2[6];
};

struct args {
	uint64_t out;
	uint64_t loops;
	uint64_t extra;
};

/* 8 vector registers, kernel arguments in s[0:1], one id of three */
static struct descriptor descriptor_of(unsigned int kernel)
{
	return (struct descriptor) {
		.kernarg_size = sizeof(struct args),
		.entry = BC_TEXT + entries[kernel] -
			 kernel * sizeof(struct descriptor),
		.rsrc3 = 1,
		.rsrc1 = 0x00af0041,
		.rsrc2 = 2 << 1 | 1 << 7,
		.properties = 0x8,
	};
}

static int call(const struct breakcode *bc, unsigned long cmd, void *arg)
{
	return ioctl(bc->fd, cmd, arg) ? -errno : 0;
}

static void *make_bo(const struct breakcode *bc, uint64_t va)
{
	struct gpubp_sim_bo bo = { .size = PAGE, .va = va };
	void *map;

	if (call(bc, GPUBP_SIM_BO_CREATE, &bo))
		return NULL;
	map = mmap(NULL, bo.size, PROT_READ | PROT_WRITE, MAP_SHARED, bc->fd,
		   bo.mmap_offset);
	return map == MAP_FAILED ? NULL : map;
}

static int publish(const struct breakcode *bc)
{
	struct gpubp_sim_name name = {
		.va = BC_PC(0), .size = sizeof(code),
		.flags = GPUBP_SIM_NAME_CODE, .name = BC_NAME,
	};

	return call(bc, GPUBP_SIM_NAME, &name);
}

int bc_open(struct breakcode *bc)
{
	struct gpubp_sim_queue queue = {};
	unsigned int i;

	bc->last = 0;
	bc->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (bc->fd < 0)
		return -errno;
	bc->data = make_bo(bc, BC_DATA_VA);
	bc->page = make_bo(bc, BC_CODE_VA);
	if (!bc->data || !bc->page ||
	    call(bc, GPUBP_SIM_QUEUE_CREATE, &queue))
		return -EIO;
	for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		struct descriptor d = descriptor_of(i);

		memcpy(bc->page + i * sizeof(d), &d, sizeof(d));
	}
	memcpy(bc->page + BC_TEXT, code, sizeof(code));
	bc->queue = queue.id;
	return publish(bc);
}

void bc_close(struct breakcode *bc)
{
	munmap((void *)bc->data, PAGE);
	munmap(bc->page, PAGE);
	close(bc->fd);
}

int bc_start(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	     uint32_t loops, uint64_t extra)
{
	struct args args = { BC_DATA_VA, loops, extra };
	struct gpubp_sim_dispatch d = {
		.kernel_object = BC_CODE_VA + kernel * sizeof(struct descriptor),
		.kernarg = BC_CODE_VA + ARGS,
		.grid = { groups * BC_WAVES * BC_LANES, 1, 1 },
		.workgroup = { BC_WAVES * BC_LANES, 1, 1 },
		.queue = bc->queue,
	};
	int ret;

	bc->data[0] = 0;
	bc->data[1] = 0;
	memcpy(bc->page + ARGS, &args, sizeof(args));
	ret = call(bc, GPUBP_SIM_DISPATCH, &d);
	bc->last = d.seq;
	return ret;
}

int bc_wait(struct breakcode *bc, int seconds)
{
	struct gpubp_sim_wait wait = {
		.seq = bc->last, .queue = bc->queue,
		.timeout_ns = seconds < 0 ? -1 : seconds * SECOND,
	};

	return call(bc, GPUBP_SIM_WAIT, &wait) ?: -(int)wait.status;
}

int bc_run(struct breakcode *bc, enum bc_kernel kernel, unsigned int groups,
	   uint32_t loops)
{
	return bc_start(bc, kernel, groups, loops, 0) ?: bc_wait(bc, -1);
}

volatile uint32_t *bc_word(const struct breakcode *bc, unsigned int at)
{
	return (volatile uint32_t *)(bc->page + BC_TEXT + at);
}

uint32_t bc_text(const struct breakcode *bc, unsigned int at)
{
	return *bc_word(bc, at);
}

uint32_t bc_original(unsigned int at)
{
	return code[at / 4];
}
