// SPDX-License-Identifier: GPL-2.0
/* Names of C++ functions: a table. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
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

/* which of so many parameters are pointers to const */
static const struct {
	const char *name, *want;
} parameters[] = {
	{ "_Z4vaddPKfS0_Pf", "cc-" },
	{ "_Z5frontIiEvPKT_PS0_i", "c--" },
	{ "_Z1fSt4pairIiPKiES1_", "-c" },
	{ "_Z1fPFvPKiES0_", "-c" },
	{ "_Z1fPKPi", "c" },
	{ "_Z1fPPKi", "-" },
	{ "_Z1fiPVKi", "-c" },
	{ "_Z4vaddPKfS0_Pf", "----" },
	{ "_Z1fv", "-" },
	{ "_Z1f", "-" },
	{ "vadd", "-" },
};

static void test_parameters(void)
{
	char text[8];
	size_t i;
	unsigned int n, nr;

	for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		nr = (unsigned int)strlen(parameters[i].want);
		for (n = 0; n < nr; n++)
			text[n] = demangle_is_const(parameters[i].name, nr, n) ? 'c' : '-';
		text[nr] = 0;
		tap_ok(!strcmp(text, parameters[i].want), "%s: %s", parameters[i].name, text);
	}
}

/* f<a<int, int>, ...>: each argument is twice the one before */
static const char *doubled(unsigned int times)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static char name[1024];
	size_t len = (size_t)snprintf(name, sizeof(name), "_Z1fI1aIiiE");
	unsigned int i;

	for (i = 1; i <= times; i++)
		len += (size_t)snprintf(name + len, sizeof(name) - len, "S0_IS%c_S%c_E",
					digits[i], digits[i]);
	snprintf(name + len, sizeof(name) - len, "EvT_");
	return name;
}

static void test_doubled(void)
{
	char out[64];

	tap_ok(!strcmp(demangle(doubled(1), out, sizeof(out)),
		       "f<a<int, int>, a<a<int, int>, a<int, int> > >"), "%s", out);
	/* of 2 to the 30 words, and 407 letters */
	alarm(20);
	demangle(doubled(30), out, sizeof(out));
	alarm(0);
	tap_ok(!strncmp(out, "_Z1fI1aIiiES0_I", 15), "a name that is longer than memory");
}

int main(void)
{
	char out[64], longest[1024] = "_Z1000";
	size_t i;

	tap_plan(sizeof(table) / sizeof(table[0]) + sizeof(parameters) / sizeof(parameters[0]) + 4);
	test_doubled();
	test_parameters();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		tap_ok(!strcmp(demangle(table[i].name, out, sizeof(out)), table[i].want),
		       "%s: %s", table[i].name, out);
	tap_ok(!strcmp(demangle("_Z6repeatPVjj", out, 4), "rep"), "as much as fits");
	memset(longest + 6, 'x', 1000);
	demangle(longest, out, sizeof(out));
	tap_ok(!strncmp(out, "_Z1000xxx", 9), "a name that is very long");
	return tap_status();
}
