// SPDX-License-Identifier: GPL-2.0
/*
 * control REGISTER [VALUE]: read or write a register of the model's own, by its number
 * (control_registers.h): through amdgpu_regs in debugfs, where amdgpu must be bound.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model.h"

int main(int argc, char **argv)
{
	unsigned int nr;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: control REGISTER [VALUE]\n");
		return 2;
	}
	nr = strtoul(argv[1], NULL, 0);
	if (argc == 3)
		model_write(nr, strtoul(argv[2], NULL, 0));
	else
		printf("%u\n", model_read(nr));
	return 0;
}
