// SPDX-License-Identifier: GPL-2.0
/* What doctor says of machines that lack something. */
#include <string.h>
#include "doctor.h"
#include "fakeroot.h"
#include "sysfile.h"
#include "tap.h"

#define RELEASE		"6.12.1-test"
#define STATUS		"Name:\tx\nCapEff:\t"

/* a machine that lacks nothing */
static const struct file {
	const char *path;
	const char *text;
} good[] = {
	{ "/proc/sys/kernel/osrelease", RELEASE "\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ "/proc/self/status", STATUS "0000000000000000\n" },
	{ "/proc/41/comm", "app\n" },
	{ "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n" },
	{ "/sys/module/module/parameters/sig_enforce", "N\n" },
	{ SYS_PMU "/type", "42\n" },
	{ SYS_PMU "/caps/names", "gpubp_sim0\n" },
	{ "/sys/kernel/debug/gpubp/events", "" },
	{ "/sys/kernel/tracing/events/gpubp/gpubp_arm/id", "7\n" },
	{ "/usr/bin/perf", "" },
	{ "/usr/bin/llvm-objdump-19", "" },
	{ "/tmp/perf-41.map", "1 1 x\n" },
	{ "/lib/modules/" RELEASE "/modules.dep",
	  "kernel/x.ko:\nupdates/kernel/gpubp/gpubp.ko: kernel/x.ko\n" },
};

/* one file is another, or none: what becomes of which check */
static const struct row {
	const char *path;
	const char *text;
	const char *what;
	enum doctor_verdict verdict;
	const char *found;	/* part of the text */
	const char *todo;	/* part of what to type */
} rows[] = {
	{ "/proc/sys/kernel/osrelease", "6.1.0-42-amd64\n", "kernel",
	  DOCTOR_BAD, "Linux 6.1.0-42-amd64: gpubp needs 6.12", "bookworm-backports" },
	{ "/proc/sys/kernel/osrelease", "7.2.0\n", "kernel", DOCTOR_FINE, "7.2.0", "" },
	{ "/proc/sys/kernel/osrelease", NULL, "kernel", DOCTOR_BAD, "not known", "" },
	{ "/proc/sys/kernel/perf_event_paranoid", "3\n", "rights", DOCTOR_BAD,
	  "perf_event_paranoid is 3", "sysctl kernel.perf_event_paranoid=2" },
	{ "/proc/self/status", STATUS "0000004000000000\n", "rights",
	  DOCTOR_FINE, "any process", "" },
	{ "/sys/kernel/security/lockdown", "none [integrity]\n", "signature",
	  DOCTOR_FINE, "has one", "" },
	{ "/sys/module/module/parameters/sig_enforce", "Y\n", "signature",
	  DOCTOR_FINE, "has one", "" },
	{ SYS_PMU "/caps/names", "\n", "device", DOCTOR_BAD, "no GPU takes part",
	  "modprobe gpubp_sim" },
	{ SYS_PMU "/caps/names", "gpubp_sim0 amdgpu0\n", "device", DOCTOR_FINE,
	  "gpubp_sim0 amdgpu0", "" },
	{ "/sys/kernel/debug/gpubp_agents",
	  "device 3 gfx90a.1 pid 40 uid 0 granted 0xf held 0xf armed 0x1 hits 0\n"
	  "device 4 gfx90a.2 pid 41 uid 0 paused granted 0 held 0 armed 0 hits 9\n",
	  "device", DOCTOR_LESS, "process 41 gives way to a debugger", "agent return 41" },
	{ "/sys/kernel/debug/gpubp_agents", NULL, "device", DOCTOR_FINE, "", "" },
	{ "/sys/kernel/debug/gpubp/events", NULL, "debugfs", DOCTOR_LESS,
	  "no debugfs", "mount -t debugfs" },
	{ "/sys/kernel/tracing/events/gpubp/gpubp_arm/id", NULL, "tracefs",
	  DOCTOR_LESS, "no timeline", "mount -t tracefs" },
	{ "/usr/bin/perf", NULL, "perf", DOCTOR_BAD, "not installed", "linux-perf" },
	{ "/usr/bin/llvm-objdump-19", NULL, "llvm", DOCTOR_LESS,
	  "no instructions", "apt install llvm" },
	{ "/tmp/perf-41.map", NULL, "names", DOCTOR_LESS, "no running process", "" },
	{ "/proc/41/comm", "app\n", "names", DOCTOR_FINE, "names: 1", "" },
};

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

static bool find_check(const char *what, struct doctor_finding *f)
{
	unsigned int i;

	for (i = 0; !doctor_check(fakeroot, i, f); i++)
		if (!strcmp(f->what, what))
			return true;
	return false;
}

static void make_good(void)
{
	size_t i;

	for (i = 0; i < NR(good); i++)
		fakeroot_file(good[i].path, good[i].text);
}

static unsigned int count_findings(void)
{
	struct doctor_finding f;
	unsigned int i, n = 0;

	for (i = 0; !doctor_check(fakeroot, i, &f); i++)
		n += f.verdict != DOCTOR_FINE || f.todo[0];
	return n;
}

static void test_row(const struct row *row)
{
	struct doctor_finding f;

	make_good();
	fakeroot_file(row->path, row->text);
	tap_ok(find_check(row->what, &f) && f.verdict == row->verdict &&
	       strstr(f.text, row->found) && strstr(f.todo, row->todo) &&
	       !*row->todo == !*f.todo,
	       "%s: %s", row->what, f.text);
}

/* a GPU that is watched by agents, with their library and without */
static void test_agents(void)
{
	char library[128];
	struct doctor_finding f;

	make_good();
	fakeroot_file(SYS_PMU "/caps/names", "\n");
	fakeroot_file("/dev/gpubp_agent", "");
	fakeroot_file("/dev/kfd", "");
	snprintf(library, sizeof(library), "%s/lib.so", fakeroot);
	setenv("GPUBP_ROCR", library, 1);
	tap_ok(find_check("device", &f) && f.verdict == DOCTOR_BAD && strstr(f.text, library) &&
	       strstr(f.todo, "install"), "agents: %s", f.text);
	fakeroot_file("/lib.so", "");
	tap_ok(find_check("device", &f) && f.verdict == DOCTOR_FINE && strstr(f.text, "AMD's GPUs"),
	       "agents: %s", f.text);
	fakeroot_file("/dev/gpubp_agent", NULL);
	fakeroot_file("/dev/kfd", NULL);
	fakeroot_file("/lib.so", NULL);
}

/* gpubp itself is missing: a PMU is a directory */
static void test_no_module(void)
{
	struct doctor_finding f;

	make_good();
	fakeroot_file(SYS_PMU "/type", NULL);
	fakeroot_file(SYS_PMU "/caps/names", NULL);
	fakeroot_file("/sys/kernel/security/lockdown", "none [integrity]\n");
	unsetenv("PERF");
	{
		char dir[128];

		snprintf(dir, sizeof(dir), "%s" SYS_PMU "/caps", fakeroot);
		rmdir(dir);
		*strrchr(dir, '/') = 0;
		rmdir(dir);
	}
	tap_ok(find_check("module", &f) && f.verdict == DOCTOR_BAD &&
	       strstr(f.todo, "modprobe"), "installed, not loaded: %s", f.todo);
	tap_ok(find_check("signature", &f) && f.verdict == DOCTOR_BAD &&
	       strstr(f.todo, "mokutil"), "Secure Boot: %s", f.todo);
	tap_ok(find_check("device", &f) && f.verdict == DOCTOR_BAD,
	       "no device: %s", f.text);
	fakeroot_file("/lib/modules/" RELEASE "/modules.dep", "kernel/x.ko:\n");
	tap_ok(find_check("module", &f) && f.verdict == DOCTOR_BAD &&
	       strstr(f.todo, "make install"), "not installed: %s", f.todo);
}

int main(void)
{
	size_t i;

	unsetenv("PERF");
	unsetenv("LLVM_OBJDUMP");
	setenv("PATH", "/none:/usr/bin", 1);
	tap_plan(NR(rows) + 7);
	fakeroot_make();
	make_good();
	tap_ok(!count_findings(), "nothing to say of a good machine");
	for (i = 0; i < NR(rows); i++)
		test_row(&rows[i]);
	test_agents();
	test_no_module();
	fakeroot_drop();
	return tap_status();
}
