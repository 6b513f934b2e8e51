// SPDX-License-Identifier: GPL-2.0
/* Places in programs: in this one, and in none. */
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "site.h"
#include "tap.h"

static int first_object(struct dl_phdr_info *info, size_t size, void *data)
{
	*(uintptr_t *)data = info->dlpi_addr;
	return 1;
}

static bool text_is(const char *frames, bool all, const char *want)
{
	char out[256];

	if (!strcmp(site_text(frames, all, out, sizeof(out)), want))
		return true;
	tap_note("%s", out);
	return false;
}

/* "PATH+0xADDRESS" of @addr */
static const char *frame_of(uintptr_t addr, char *out, size_t len)
{
	char path[200] = "";
	uintptr_t base = 0;

	dl_iterate_phdr(first_object, &base);
	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		return "";
	snprintf(out, len, "%s+0x%lx", path, (unsigned long)(addr - base));
	return out;
}

/* on one line, so that this is the line of each of its addresses */
static int first_line(void) { return __LINE__; }

int main(void)
{
	char frame[256], want[64], two[600], out[600], both[128];

	frame_of((uintptr_t)first_line, frame, sizeof(frame));
	snprintf(want, sizeof(want), "test_site.c:%d", first_line());
	tap_plan(7);
	tap_ok(text_is(frame, false, want), "the line of a function");
	snprintf(two, sizeof(two), "%s\t/none/lib.so+0x12", frame);
	tap_ok(text_is(two, false, want), "the innermost frame");
	snprintf(both, sizeof(both), "%s < lib.so+0x12", want);
	tap_ok(text_is(two, true, both), "all frames, and one without a line");
	snprintf(both, sizeof(both), "%s\t/none/lib.so+0x12", want);
	tap_ok(!strcmp(site_resolve(two, out, sizeof(out)), both),
	       "the same as fields, which keep their paths");
	tap_ok(text_is(both, false, want), "what was looked up already");
	tap_ok(text_is("/a/b", false, "b") && text_is("", true, ""), "no address");
	tap_ok(text_is("/none+0x1x", false, "none+0x1x"), "nonsense");
	return tap_status();
}
