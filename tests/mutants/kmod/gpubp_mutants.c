// SPDX-License-Identifier: GPL-2.0
/*
 * gpubp_mutants: which mutant is on (parameter "on"), and whose places were reached
 * (parameter "reached": one bit for each; writing clears it).
 */
#include <linux/export.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

int gpubp_mutant_on;
EXPORT_SYMBOL_GPL(gpubp_mutant_on);
module_param_named(on, gpubp_mutant_on, int, 0644);

unsigned char gpubp_mutant_reached[GPUBP_MUTANTS];
EXPORT_SYMBOL_GPL(gpubp_mutant_reached);

/* four in each hexadecimal digit, the first in the highest bit */
static int reached_get(char *buf, const struct kernel_param *kp)
{
	const unsigned char *r = gpubp_mutant_reached;
	int i;

	for (i = 0; i < GPUBP_MUTANTS / 4 && i < PAGE_SIZE - 2; i++, r += 4)
		buf[i] = "0123456789abcdef"[r[0] << 3 | r[1] << 2 | r[2] << 1 |
					    r[3]];
	buf[i++] = '\n';
	buf[i] = 0;
	return i;
}

static int reached_clear(const char *val, const struct kernel_param *kp)
{
	memset(gpubp_mutant_reached, 0, sizeof(gpubp_mutant_reached));
	return 0;
}

static const struct kernel_param_ops reached_ops = {
	.get = reached_get,
	.set = reached_clear,
};

module_param_cb(reached, &reached_ops, NULL, 0644);

MODULE_DESCRIPTION("gpubp: the mutant that is on");
MODULE_LICENSE("GPL");
