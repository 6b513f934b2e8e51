// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction cache of the software GPU: code that is written is executed from the next
 * dispatch on, or behind s_icache_inv, as on silicon. What gpubp writes is executed at
 * once: breaks, late and others would not stop where it forgot to flush.
 */
#include "harness.h"
#include "gpu.h"

#define FIRST	0x5a5a		/* of rewrite.cl */
#define TIMES	2

FIXTURE(icache)
{
	struct gpu gpu;
	struct grun_mem out;
};

FIXTURE_SETUP(icache)
{
	ASSERT_EQ(0, gpu_open(&self->gpu, "rewrite"));
	ASSERT_EQ(0, gpu_buffer(&self->gpu, &self->out, 4096, 0));
}

FIXTURE_TEARDOWN(icache)
{
	gpu_close(&self->gpu);
}

/* the kernel's instruction has @constant from now on; false: it has not ended well */
static bool rewrite(struct gpu *gpu, const struct grun_mem *out,
		    uint32_t constant, bool invalidate)
{
	return !gpu_run(gpu, "rewrite", 1,
			GPU_ARGS(out->va, constant, invalidate, TIMES));
}

TEST_F(icache, code_that_is_written)
{
	const volatile uint32_t *out = self->out.cpu;

	ASSERT_TRUE(rewrite(&self->gpu, &self->out, FIRST + 1, false));
	EXPECT_EQ(FIRST, out[0]);
	EXPECT_EQ(FIRST, out[1]);
	ASSERT_TRUE(rewrite(&self->gpu, &self->out, FIRST + 2, false));
	EXPECT_EQ(FIRST + 1, out[0]);
	EXPECT_EQ(FIRST + 1, out[1]);
	ASSERT_TRUE(rewrite(&self->gpu, &self->out, FIRST + 3, true));
	EXPECT_EQ(FIRST + 2, out[0]);
	EXPECT_EQ(FIRST + 3, out[1]);
}

TEST_HARNESS_MAIN
