// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "amd.h"
#include "sysfile.h"

#define NODES		"/sys/class/kfd/kfd/topology/nodes"
#define MAX_NODES	256

/* of <linux/kfd_sysfs.h>, which Debian 12 has not: HSA_CAP_* */
#define CAP_WATCHES		0x80u
#define CAP_WATCHES_SHIFT	8
#define CAP_WATCHES_MASK	0xfu
/* all that amdkfd demands for a debugger: _TRAP_DEBUG_SUPPORT, _TRAP_DEBUG_FIRMWARE_SUPPORTED */
#define CAP_DEBUGS		0x20008000u
#define CAP_PRECISE		0x40000u

/* a line "NAME NUMBER" of the properties of a node */
static uint64_t property(const char *text, const char *name)
{
	const size_t len = strlen(name);
	const char *line = text;

	while (line) {
		if (!strncmp(line, name, len) && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
		line = strchr(line, '\n');
		line += !!line;
	}
	return 0;
}

/* a node with a version is a GPU; CPUs have 0 */
static bool gpu_read(const char *root, unsigned int node, struct amd_gpu *gpu)
{
	char path[sizeof(NODES) + 32], text[SYS_FILE_MAX];
	uint64_t caps;

	snprintf(path, sizeof(path), NODES "/%u/properties", node);
	if (sys_read(root, path, text) <= 0)
		return false;
	caps = property(text, "capability");
	*gpu = (struct amd_gpu) {
		.node = node,
		.gfx = (unsigned int)property(text, "gfx_target_version"),
		.minor = (unsigned int)property(text, "drm_render_minor"),
		.debugs = (caps & CAP_DEBUGS) == CAP_DEBUGS,
		.precise = caps & CAP_PRECISE,
	};
	if (caps & CAP_WATCHES)
		gpu->watches = 1U << (caps >> CAP_WATCHES_SHIFT & CAP_WATCHES_MASK);
	return gpu->gfx;
}

bool amd_gpu_find(const char *root, unsigned int node, struct amd_gpu *gpu)
{
	for (; node < MAX_NODES; node++)
		if (gpu_read(root, node, gpu))
			return true;
	return false;
}

void amd_gpu_name(const struct amd_gpu *gpu, char name[16])
{
	snprintf(name, 16, "gfx%u%x%x", gpu->gfx / 10000 % 1000, gpu->gfx / 100 % 100,
		 gpu->gfx % 100);
}

/* ---- lines -------------------------------------------------------------------------- */

static void print_file(const char *root, const char *what, const char *path, FILE *out)
{
	char text[SYS_FILE_MAX];

	if (sys_read(root, path, text) > 0)
		fprintf(out, "%-12s %.160s\n", what, text);
}

/* the value of PRETTY_NAME, in quotes */
static void print_distribution(const char *root, FILE *out)
{
	static const char name[] = "PRETTY_NAME=";
	char text[SYS_FILE_MAX], *at;

	if (sys_read(root, "/etc/os-release", text) <= 0)
		return;
	at = strstr(text, name);
	if (at)
		fprintf(out, "%-12s %.*s\n", "distribution",
			(int)strcspn(at + strlen(name), "\n"), at + strlen(name));
}

static void print_open(const char *root, const char *path, FILE *out)
{
	char full[PATH_MAX];
	int fd;

	snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_RDWR | O_CLOEXEC);
	fprintf(out, "%-12s %s\n", path, fd < 0 ? strerror(errno) : "can be opened");
	if (fd >= 0)
		close(fd);
}

static void print_gpu(const char *root, const struct amd_gpu *gpu, FILE *out)
{
	char name[16], path[32];

	amd_gpu_name(gpu, name);
	fprintf(out, "%-12s %s: %u comparators, %s, %s\n", "GPU", name, gpu->watches,
		gpu->debugs ? "can be debugged" : "cannot be debugged",
		gpu->precise ? "precise memory" : "no precise memory");
	snprintf(path, sizeof(path), "/dev/dri/renderD%u", gpu->minor);
	print_open(root, path, out);
}

void amd_print(const char *root, FILE *out)
{
	struct amd_gpu gpu;
	unsigned int node;

	print_distribution(root, out);
	print_file(root, "kernel", "/proc/sys/kernel/osrelease", out);
	print_file(root, "amdgpu.ko", "/sys/module/amdgpu/srcversion", out);
	print_file(root, "amdgpu-dkms", "/sys/module/amdgpu/version", out);
	print_file(root, "ROCm", "/opt/rocm/.info/version", out);
	print_open(root, "/dev/kfd", out);
	for (node = 0; amd_gpu_find(root, node, &gpu); node = gpu.node + 1)
		print_gpu(root, &gpu, out);
}
