// SPDX-License-Identifier: GPL-2.0
/* Rig of gpubp_breaker. */
#include "../../providers/breaker/breaker.h"
#include "toy.h"

static const struct gpubp_rig breaker = {
	.name = "breaker",
	.gpu = &gpubp_breaker.toy,
	TOY_RIG,
	.run_break = toy_rig_run_break,
};

gpubp_conform_suite(breaker);
