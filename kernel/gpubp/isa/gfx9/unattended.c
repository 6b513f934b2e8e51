// SPDX-License-Identifier: GPL-2.0
/*
 * The trap handler (trap_handler.S) of a process that watches itself: it stops no wave.
 * User space installs it; the module does not have it.
 */
#include <linux/kernel.h>
#include "trap.h"
#include "trap_handler_unattended.h"

const struct gfx9_words gfx9_unattended = {
	gfx9_trap_handler_unattended, ARRAY_SIZE(gfx9_trap_handler_unattended),
};

const struct gfx9_words gfx942_unattended = {
	gfx942_trap_handler_unattended, ARRAY_SIZE(gfx942_trap_handler_unattended),
};
