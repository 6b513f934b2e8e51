// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "personality.h"

const char * const plain_registers[] = {
	/* memory hubs: contexts, caches, apertures that are not used */
	"GC VM_*", "MMHUB VM_*", "GC MC_VM_*", "MMHUB MC_VM_*", "MMHUB DAGB*",
	"ATHUB *",
	/* clocks and power */
	"GC RLC_*", "GC *THROTTLE*", "GC GC_CAC_*", "GC CP_MEM_SLP_CNTL", "HDP *",
	/* microcode, which nothing executes */
	"GC *UCODE*", "GC CP_CPC_IC_*", "GC CP_MEC_CNTL",
	/* queues: what the model does not need to know */
	"GC CP_HQD_*", "GC CP_MQD_*", "GC CP_PQ_*", "GC CP_IQ_WAIT_TIME*",
	"GC CP_MEC_DOORBELL_RANGE_*", "GC CP_ME?_PIPE?_INT_CNTL",
	"GC CP_INT_CNTL_RING0", "GC CPC_INT_CNTL", "GC COMPUTE_*",
	"SDMA? SDMA*",
	/* shaders and their caches */
	"GC GDS_*", "GC SQ_*", "GC SPI_*", "GC TA_*", "GC TCP_*", "GC TCI_*",
	"GC TCC_*", "GC DB_DEBUG*", "GC GB_ADDR_CONFIG*", "GC GRBM_*",
	"GC CC_GC_SHADER_ARRAY_CONFIG", "GC GC_USER_SHADER_ARRAY_CONFIG",
	"GC CC_RB_*", "GC GC_USER_RB_*", "GC SCRATCH_*",
	/* interrupts and the bus */
	"OSSSYS IH_*", "NBIO *", "SMUIO *", "MP0 *", "DF *", "THM *", "UMC *",
	NULL
};

const struct personality *personality_find(const char *name)
{
	static const struct personality * const all[] = {
		&personality_gfx90a, &personality_gfx942,
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}
