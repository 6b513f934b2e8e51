// SPDX-License-Identifier: GPL-2.0
/* When a command gets the agent's library, and beside what. */
#include <stdlib.h>
#include <string.h>
#include "agent_env.h"
#include "fakeroot.h"
#include "tap.h"

#define LIB	"/lib/libgpubp-rocr.so"	/* below the root */

static char library[128];

static const struct row {
	const char *what;
	const char *missing;	/* file that is not there, or NULL */
	const char *more;	/* one that is there */
	const char *agent, *preload, *tools;	/* before; NULL: not set */
	const char *preload_after;	/* %: the library; NULL: as before */
	const char *tools_after;
} rows[] = {
	{ "a GPU with amdgpu as it is", NULL, NULL, NULL, NULL, NULL, "%", "%" },
	{ "beside other libraries", NULL, NULL, NULL, "/lib/a.so:/lib/b.so", "/lib/t.so",
	  "%:/lib/a.so:/lib/b.so", "% /lib/t.so" },
	{ "it is there already", NULL, NULL, NULL, "/x/libgpubp-rocr.so", "/x/libgpubp-rocr.so",
	  "/x/libgpubp-rocr.so", "/x/libgpubp-rocr.so" },
	{ "the door is not there", "/dev/gpubp_agent", NULL, NULL, "/lib/a.so", NULL, NULL, NULL },
	{ "no GPU of AMD", "/dev/kfd", NULL, NULL, NULL, NULL, NULL, NULL },
	{ "amdgpu has the provider", NULL, "/sys/module/gpubp/holders/amdgpu", NULL, NULL, NULL,
	  NULL, NULL },
	{ "no library", LIB, NULL, NULL, NULL, NULL, NULL, NULL },
	{ "GPUBP_AGENT is set", NULL, NULL, "@x", NULL, NULL, NULL, NULL },
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* a % of @want is the library */
static bool is(const char *name, const char *want)
{
	const char *value = getenv(name), *mark = want ? strchr(want, '%') : NULL;
	char text[512];

	if (!value || !want)
		return !value && !want;
	if (!mark)
		return !strcmp(value, want);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(mark - want), want, library, mark + 1);
	return !strcmp(value, text);
}

static void test_row(const struct row *row)
{
	const bool done = row->preload_after;

	fakeroot_make();
	snprintf(library, sizeof(library), "%s" LIB, fakeroot);
	setenv("GPUBP_ROCR", library, 1);
	fakeroot_file("/dev/gpubp_agent", "");
	fakeroot_file("/dev/kfd", "");
	fakeroot_file(LIB, "");
	if (row->missing)
		fakeroot_file(row->missing, NULL);
	if (row->more)
		fakeroot_file(row->more, "");
	set("GPUBP_AGENT", row->agent);
	set("LD_PRELOAD", row->preload);
	set("HSA_TOOLS_LIB", row->tools);
	agent_env_for_kernel(fakeroot);
	tap_ok(is("GPUBP_AGENT", done ? "kernel" : row->agent) &&
	       is("LD_PRELOAD", done ? row->preload_after : row->preload) &&
	       is("HSA_TOOLS_LIB", done ? row->tools_after : row->tools), "%s", row->what);
	/* the next commands are this test's own */
	unsetenv("LD_PRELOAD");
	fakeroot_drop();
}

int main(void)
{
	size_t i;

	tap_plan(sizeof(rows) / sizeof(rows[0]));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_row(&rows[i]);
	return tap_status();
}
