// SPDX-License-Identifier: GPL-2.0
/*
 * control REGISTER [VALUE]: read or write a register of the model's own, by its name
 * in control_registers.h ("pc_lo" is CONTROL_PC_LO): through amdgpu_regs in debugfs,
 * where amdgpu must be bound.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char * const names[CONTROL_NR] = {
	[CONTROL_MARK] = "mark",
	[CONTROL_PC_LO] = "pc_lo",
	[CONTROL_PC_HI] = "pc_hi",
	[CONTROL_ADDR_LO] = "addr_lo",
	[CONTROL_ADDR_HI] = "addr_hi",
	[CONTROL_VALUE] = "value",
	[CONTROL_PLACE] = "place",
	[CONTROL_CODE] = "code",
	[CONTROL_PASID] = "pasid",
	[CONTROL_STOP] = "stop",
	[CONTROL_WAVES] = "waves",
	[CONTROL_RESUMED] = "resumed",
	[CONTROL_COMPARATORS] = "comparators",
	[CONTROL_FAULTS] = "faults",
	[CONTROL_WAVE_READS] = "wave_reads",
	[CONTROL_WAVE_WRITES] = "wave_writes",
};

int main(int argc, char **argv)
{
	unsigned int nr;

	for (nr = 0; argc > 1 && nr < CONTROL_NR; nr++)
		if (names[nr] && !strcmp(names[nr], argv[1]))
			break;
	if (argc < 2 || argc > 3 || nr == CONTROL_NR) {
		fprintf(stderr, "usage: control REGISTER [VALUE]\n");
		return 2;
	}
	if (argc == 3)
		model_write(nr, strtoul(argv[2], NULL, 0));
	else
		printf("%u\n", model_read(nr));
	return 0;
}
