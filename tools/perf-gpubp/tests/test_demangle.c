// SPDX-License-Identifier: GPL-2.0
/* Names of C++ functions: a table. */
#include <string.h>
#include "demangle.h"
#include "tap.h"

static const struct {
	const char *name, *want;
} table[] = {
	{ "_Z6repeatPVjj", "repeat" },
	{ "_ZN3foo3barIiEEvT_", "foo::bar<int>" },
	{ "_Z3fooILi3EEvPT_", "foo<3>" },
	{ "_Z4fillIfLj4EN2ns3OpsIfEEEvPT_T1_", "fill<float, 4u, ns::Ops<float> >" },
	{ "_ZN12_GLOBAL__N_16kernelEPi", "(anonymous namespace)::kernel" },
	{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator() const" },
	{ "_Z16repeat_is_longerv", "repeat_is_longer" },
	{ "_ZL6statici", "static" },
	{ "_Z6repeatPVjj.cold", "repeat" },
	{ "_Z1Iv", "I" },
	{ "_Z", "_Z" },
	{ "_Z9short", "_Z9short" },
	{ "stencil", "stencil" },
	{ "", "" },
};

int main(void)
{
	char out[64], longest[1024] = "_Z1000";
	size_t i;

	tap_plan(sizeof(table) / sizeof(table[0]) + 2);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		tap_ok(!strcmp(demangle(table[i].name, out, sizeof(out)), table[i].want),
		       "%s: %s", table[i].name, out);
	tap_ok(!strcmp(demangle("_Z6repeatPVjj", out, 4), "rep"), "as much as fits");
	memset(longest + 6, 'x', 1000);
	demangle(longest, out, sizeof(out));
	tap_ok(!strncmp(out, "_Z1000xxx", 9), "a name that is very long");
	return tap_status();
}
