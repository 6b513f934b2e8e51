// SPDX-License-Identifier: GPL-2.0
/* What is said of GPUs that amdkfd lists. */
#include "amd.h"
#include "fakeroot.h"
#include "tap.h"

#define NODE(n)		"/sys/class/kfd/kfd/topology/nodes/" #n "/properties"

static const struct row {
	const char *properties;
	const char *name;
	struct amd_gpu gpu;
} rows[] = {
	{ "simd_count 416\ncapability 805601920\ngfx_target_version 90010\ndrm_render_minor 128\n",
	  "gfx90a", { 1, 90010, 128, 4, true, true } },
	{ "capability 536904320\ngfx_target_version 110001\ndrm_render_minor 129\n",
	  "gfx1101", { 1, 110001, 129, 4, true, false } },
	{ "capability 0\ngfx_target_version 90006\n", "gfx906", { 1, 90006, 0, 0, false, false } },
	{ "gfx_target_version 90402\ncapability 262144\n", "gfx942",
	  { 1, 90402, 0, 0, false, true } },
};

static bool gpu_is(const struct amd_gpu *a, const struct amd_gpu *b)
{
	return a->node == b->node && a->gfx == b->gfx && a->minor == b->minor &&
	       a->watches == b->watches && a->debugs == b->debugs && a->precise == b->precise;
}

static void test_row(const struct row *row)
{
	struct amd_gpu gpu = {};
	char name[16] = "";

	fakeroot_file(NODE(1), row->properties);
	if (amd_gpu_find(fakeroot, 0, &gpu))
		amd_gpu_name(&gpu, name);
	tap_ok(gpu_is(&gpu, &row->gpu) && !strcmp(name, row->name),
	       "%s: %u comparators, debugs %d, precise %d", name, gpu.watches, gpu.debugs,
	       gpu.precise);
}

static bool prints(const char *text)
{
	char *said = NULL;
	size_t len;
	FILE *out = open_memstream(&said, &len);
	bool found;

	amd_print(fakeroot, out);
	fclose(out);
	found = strstr(said, text);
	if (!found)
		tap_note("%s", said);
	free(said);
	return found;
}

int main(void)
{
	struct amd_gpu gpu;
	size_t i;

	tap_plan(sizeof(rows) / sizeof(rows[0]) + 5);
	fakeroot_make();
	tap_ok(!amd_gpu_find(fakeroot, 0, &gpu), "no amdkfd");
	fakeroot_file(NODE(0), "cpu_cores_count 8\ncapability 0\ngfx_target_version 0\n");
	tap_ok(!amd_gpu_find(fakeroot, 0, &gpu), "a CPU is none");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(&rows[i]);
	fakeroot_file("/etc/os-release", "NAME=x\nPRETTY_NAME=\"A Linux 1\"\nID=x\n");
	tap_ok(prints("distribution \"A Linux 1\"\n"), "the distribution");
	tap_ok(prints("/dev/kfd     No such file"), "a device that cannot be opened");
	fakeroot_file("/dev/kfd", "");
	tap_ok(prints("/dev/kfd     can be opened\n") &&
	       prints("GPU          gfx942: 0 comparators, cannot be debugged, precise memory\n"),
	       "the GPU");
	fakeroot_drop();
	return tap_status();
}
