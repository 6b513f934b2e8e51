// SPDX-License-Identifier: GPL-2.0
/* Rig of gpubp_poller. */
#include "../../providers/poller/poller.h"
#include "toy.h"

static const struct gpubp_rig poller = {
	.name = "poller",
	.gpu = &gpubp_poller.toy,
	TOY_RIG,
	.run_break = toy_rig_run_break,
};

gpubp_conform_suite(poller);
