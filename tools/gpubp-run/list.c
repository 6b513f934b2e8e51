// SPDX-License-Identifier: GPL-2.0
/*
 * gpubp-run --list.
 */
#include <glob.h>
#include <stdio.h>
#include "list.h"

static void list_arg(const struct grun_arg *arg, bool first)
{
	printf("%s%s%s%s", first ? "" : ", ", arg->type[0] ? arg->type : "?",
	       arg->name[0] ? " " : "", arg->name);
}

static void list_kernel(const struct grun_kernel *kernel)
{
	const struct grun_arg *arg;
	unsigned int i;

	printf("  %s(", kernel->name);
	for (i = 0; (arg = grun_kernel_param(kernel, i)); i++)
		list_arg(arg, !i);
	printf(")");
	if (kernel->required[0])
		printf(" wg=%ux%ux%u", kernel->required[0], kernel->required[1],
		       kernel->required[2]);
	if (kernel->group_size)
		printf(" lds=%u", kernel->group_size);
	if (kernel->private_size)
		printf(" scratch=%u", kernel->private_size);
	if (kernel->dx10_clamp)
		printf(" dx10_clamp");
	putchar('\n');
}

void list_code(const struct grun_code *code)
{
	struct grun_variable var;
	uint64_t pos = 0;
	unsigned int i;

	printf("code object for %s\n", grun_code_isa(code));
	for (i = 0; i < grun_code_nr_kernels(code); i++)
		list_kernel(grun_code_kernel(code, i));
	while (grun_code_variable(code, &pos, &var))
		printf("  variable %s, %llu byte%s\n", var.name,
		       (unsigned long long)var.size, var.size == 1 ? "" : "s");
}

static void list_device(const char *path)
{
	const struct gpubp_sim_info *info;
	struct grun_device *dev;
	struct grun_err err;

	if (grun_open(&dev, path, &err)) {
		printf("%s\n", err.text);
		return;
	}
	info = grun_info(dev);
	printf("%s: device %u, %s, %u waves, addresses %#llx to %#llx\n", path,
	       info->device, info->isa, info->nr_wave_slots,
	       (unsigned long long)info->va_start,
	       (unsigned long long)info->va_end - 1);
	grun_close(dev);
}

unsigned int list_devices(void)
{
	unsigned int nr = 0;
	glob_t found;

	if (!glob("/dev/gpubp_sim*", 0, NULL, &found)) {
		for (; nr < found.gl_pathc; nr++)
			list_device(found.gl_pathv[nr]);
		globfree(&found);
	}
	return nr;
}
