// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent_env.h"
#include "agents.h"
#include "doctor.h"
#include "symmap.h"
#include "sysfile.h"

#define CAP_SYS_ADMIN	21
#define CAP_PERFMON	38

__attribute__((format(printf, 3, 4)))
static void finding_set(struct doctor_finding *f, enum doctor_verdict verdict,
			const char *fmt, ...)
{
	va_list args;

	f->verdict = verdict;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3)))
static void finding_todo(struct doctor_finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->todo, sizeof(f->todo), fmt, args);
	va_end(args);
}

static bool kernel_release(const char *root, char text[SYS_FILE_MAX])
{
	return sys_read(root, "/proc/sys/kernel/osrelease", text) > 0;
}

static void check_kernel(const char *root, struct doctor_finding *f)
{
	char text[SYS_FILE_MAX];
	int major = 0, minor = 0;

	if (!kernel_release(root, text) ||
	    sscanf(text, "%d.%d", &major, &minor) != 2) {
		finding_set(f, DOCTOR_BAD, "the version of the kernel is not known");
	} else if (major < 6 || (major == 6 && minor < 12)) {
		finding_set(f, DOCTOR_BAD, "Linux %.60s: gpubp needs 6.12 or newer",
			    text);
		finding_todo(f, "sudo apt install -t bookworm-backports linux-image-amd64 linux-headers-amd64");
	} else {
		finding_set(f, DOCTOR_FINE, "Linux %.60s", text);
	}
}

/* does a line of modules.dep name the module? */
static bool module_installed(const char *root, const char *release)
{
	char path[PATH_MAX], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "%.200s/lib/modules/%.200s/modules.dep", root,
		 release);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, ":")] = 0;
		found = strstr(line, "/gpubp.ko");
	}
	if (file)
		fclose(file);
	return found;
}

static bool lockdown_is_on(const char *root)
{
	char text[SYS_FILE_MAX];

	if (sys_read(root, "/sys/module/module/parameters/sig_enforce", text) > 0 &&
	    text[0] == 'Y')
		return true;
	return sys_read(root, "/sys/kernel/security/lockdown", text) > 0 &&
	       !strstr(text, "[none]");
}

static void check_module(const char *root, struct doctor_finding *f)
{
	char release[SYS_FILE_MAX];

	if (sys_exists(root, SYS_PMU)) {
		finding_set(f, DOCTOR_FINE, "gpubp is loaded");
		return;
	}
	if (kernel_release(root, release) && module_installed(root, release)) {
		finding_set(f, DOCTOR_BAD, "gpubp is installed, but not loaded");
		finding_todo(f, "sudo modprobe gpubp_sim");
		return;
	}
	finding_set(f, DOCTOR_BAD, "gpubp is not installed for this kernel");
	finding_todo(f, "make && sudo make install, in gpubp's checkout");
}

static void check_signature(const char *root, struct doctor_finding *f)
{
	bool loaded = sys_exists(root, SYS_PMU);

	if (!lockdown_is_on(root)) {
		finding_set(f, DOCTOR_FINE, "modules need no signature");
	} else if (loaded) {
		finding_set(f, DOCTOR_FINE,
			    "modules need a signature, and gpubp has one");
	} else {
		finding_set(f, DOCTOR_BAD,
			    "Secure Boot: the kernel refuses modules without a signature");
		finding_todo(f, "sudo mokutil --import /var/lib/dkms/mok.pub, reboot, enrol the key");
	}
}

/* each program that uses one makes a device of its own */
static void check_agent(struct doctor_finding *f)
{
	if (sys_exists("", agent_library())) {
		finding_set(f, DOCTOR_FINE, "AMD's GPUs, of programs that perf-gpubp starts");
		return;
	}
	finding_set(f, DOCTOR_BAD, "no watches on AMD's GPUs: %.120s is missing",
		    agent_library());
	finding_todo(f, "make -C tools/gpubp-rocr, and sudo make -C tools/gpubp-rocr install");
}

static void check_device(const char *root, struct doctor_finding *f)
{
	const int paused = agents_paused(root, NULL);
	char names[SYS_FILE_MAX];

	if (!sys_exists(root, SYS_PMU)) {
		finding_set(f, DOCTOR_BAD, "no GPU, as gpubp is not loaded");
	} else if (paused) {
		finding_set(f, DOCTOR_LESS,
			    "process %d gives way to a debugger of the GPU, and is not watched", paused);
		finding_todo(f, "perf-gpubp agent return %d, when the debugger is not needed any more",
			     paused);
	} else if (sys_read(root, SYS_PMU "/caps/names", names) > 0) {
		finding_set(f, DOCTOR_FINE, "%.120s", names);
	} else if (agent_env_is_asked(root)) {
		check_agent(f);
	} else {
		finding_set(f, DOCTOR_BAD, "no GPU takes part in gpubp");
		finding_todo(f, "sudo modprobe gpubp_sim");
	}
}

static unsigned long long effective_caps(const char *root)
{
	char text[SYS_FILE_MAX];
	const char *caps;

	if (sys_read(root, "/proc/self/status", text) <= 0)
		return 0;
	caps = strstr(text, "\nCapEff:");
	return caps ? strtoull(caps + strlen("\nCapEff:"), NULL, 16) : 0;
}

static void check_rights(const char *root, struct doctor_finding *f)
{
	long paranoid = sys_number(root, "/proc/sys/kernel/perf_event_paranoid", 2);
	unsigned long long caps = effective_caps(root);

	if (caps & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN)) {
		finding_set(f, DOCTOR_FINE, "may watch any process");
	} else if (paranoid > 2) {
		finding_set(f, DOCTOR_BAD,
			    "perf_event_paranoid is %ld: only root may open events",
			    paranoid);
		finding_todo(f, "sudo sysctl kernel.perf_event_paranoid=2");
	} else {
		finding_set(f, DOCTOR_FINE, "may watch own processes");
	}
}

static bool program_exists(const char *root, const char *pattern)
{
	char *dirs = strdup(getenv("PATH") ?: "/usr/bin"), *rest = dirs, *dir;
	char path[PATH_MAX];
	bool found = false;
	glob_t files;

	while (!found && (dir = strsep(&rest, ":"))) {
		snprintf(path, sizeof(path), "%s%s/%s", root, dir, pattern);
		found = !glob(path, 0, NULL, &files);
		globfree(&files);
	}
	free(dirs);
	return found;
}

static void check_perf(const char *root, struct doctor_finding *f)
{
	if (program_exists(root, "perf") || getenv("PERF")) {
		finding_set(f, DOCTOR_FINE, "perf is installed");
		return;
	}
	finding_set(f, DOCTOR_BAD, "perf is not installed");
	finding_todo(f, "sudo apt install linux-perf");
}

static void check_debugfs(const char *root, struct doctor_finding *f)
{
	if (!sys_exists(root, "/sys/kernel/debug/gpubp/events")) {
		finding_set(f, DOCTOR_LESS,
			    "no debugfs, or not root: events and explain see less");
		finding_todo(f, "sudo mount -t debugfs none /sys/kernel/debug, and sudo perf-gpubp");
		return;
	}
	finding_set(f, DOCTOR_FINE, "statistics of all events can be read");
}

static void check_tracefs(const char *root, struct doctor_finding *f)
{
	if (sys_exists(root, "/sys/kernel/tracing/events/gpubp/gpubp_arm/id")) {
		finding_set(f, DOCTOR_FINE, "tracepoints can be read");
		return;
	}
	finding_set(f, DOCTOR_LESS, "no tracefs, or not root: no timeline");
	finding_todo(f, "sudo mount -t tracefs none /sys/kernel/tracing, and sudo perf-gpubp");
}

struct live_maps {
	const char *root;
	unsigned int nr;
};

static void map_count(uint32_t pid, const char *path, void *data)
{
	struct live_maps *maps = data;
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/%" PRIu32, pid);
	maps->nr += sys_exists(maps->root, proc);
}

static void check_names(const char *root, struct doctor_finding *f)
{
	struct live_maps maps = { .root = root };

	symmap_each_process(root, map_count, &maps);
	if (maps.nr)
		finding_set(f, DOCTOR_FINE, "running processes with names: %u",
			    maps.nr);
	else
		finding_set(f, DOCTOR_LESS,
			    "no running process has published names of buffers");
}

static void check_llvm(const char *root, struct doctor_finding *f)
{
	if (getenv("LLVM_OBJDUMP") || program_exists(root, "llvm-objdump*")) {
		finding_set(f, DOCTOR_FINE, "llvm-objdump is installed");
		return;
	}
	finding_set(f, DOCTOR_LESS, "no llvm-objdump: reports have no instructions");
	finding_todo(f, "sudo apt install llvm");
}

static const struct {
	const char *what;
	void (*check)(const char *root, struct doctor_finding *f);
} checks[] = {
	{ "kernel", check_kernel },
	{ "signature", check_signature },
	{ "module", check_module },
	{ "device", check_device },
	{ "rights", check_rights },
	{ "perf", check_perf },
	{ "debugfs", check_debugfs },
	{ "tracefs", check_tracefs },
	{ "names", check_names },
	{ "llvm", check_llvm },
};

int doctor_check(const char *root, unsigned int n,
		 struct doctor_finding *finding)
{
	if (n >= sizeof(checks) / sizeof(checks[0]))
		return -1;
	memset(finding, 0, sizeof(*finding));
	finding->what = checks[n].what;
	checks[n].check(root, finding);
	return 0;
}
