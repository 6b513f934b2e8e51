// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "simdev.h"

#define CONFIG	"/sys/kernel/config/gpubp_sim/"
#define DEBUG	"/sys/kernel/debug/gpubp_sim"

/* bits of an offset in the file regs */
#define BY_VMID		(1ULL << 61)
#define BY_INDEX	(1ULL << 62)
#define INSTANCE	44
#define SQ_CMD		0x37b
#define SQ_CMD_HALT	0x101	/* SETHALT, data 1 */
#define SQ_CMD_WAVE	16
#define SQ_CMD_SIMD	20
#define VMID_SHIFT	54

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int simdev_mkdir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CONFIG "%s", name);
	return mkdir(path, 0755) ? -errno : 0;
}

int simdev_rmdir(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CONFIG "%s", name);
	return rmdir(path) ? -errno : 0;
}

int simdev_set(const char *name, const char *field, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), CONFIG "%s/%s", name, field);
	return put(path, value);
}

int simdev_get(const char *name, const char *field)
{
	char path[128];
	int value = -ENODATA;
	FILE *file;

	snprintf(path, sizeof(path), CONFIG "%s/%s", name, field);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (fscanf(file, "%d", &value) != 1)
		value = -ENODATA;
	fclose(file);
	return value;
}

unsigned int simdev_caps(const char *file, char words[SIMDEV_MAX][SIMDEV_WORD])
{
	char path[128];
	unsigned int n = 0;
	FILE *in;

	snprintf(path, sizeof(path),
		 "/sys/bus/event_source/devices/gpubp/caps/%s", file);
	in = fopen(path, "re");
	if (!in)
		return 0;
	while (n < SIMDEV_MAX && fscanf(in, "%63s", words[n]) == 1)
		n++;
	fclose(in);
	return n;
}

int simdev_place(const char *name)
{
	char words[SIMDEV_MAX][SIMDEV_WORD], wanted[32];
	unsigned int i, n = simdev_caps("names", words);

	snprintf(wanted, sizeof(wanted), "gpubp_sim%d",
		 simdev_get(name, "number"));
	for (i = 0; i < n; i++)
		if (!strcmp(words[i], wanted))
			return i;
	return -ENODEV;
}

int simdev_device(const char *name)
{
	char words[SIMDEV_MAX][SIMDEV_WORD];
	int place = simdev_place(name);

	if (place < 0)
		return place;
	return (unsigned int)place < simdev_caps("devices", words) ?
	       atoi(words[place]) : -ENODEV;
}

int simdev_fault(unsigned int nr, const char *fault, unsigned int every)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), DEBUG "%u/faults/%s", nr, fault);
	snprintf(text, sizeof(text), "%u", every);
	return put(path, text);
}

int simdev_reset(unsigned int nr)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUG "%u/reset", nr);
	return put(path, "1");
}

/* waves whose line has @text, printed or not; -1 without debugfs */
static int waves_with(unsigned int nr, const char *text, bool print)
{
	char path[128], line[256];
	FILE *file;
	int n = 0;

	snprintf(path, sizeof(path), DEBUG "%u/waves", nr);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		n += strstr(line, text) != NULL;
		if (print)
			printf("# %s", line);
	}
	fclose(file);
	return n;
}

int simdev_waves(unsigned int nr, const char *text)
{
	return waves_with(nr, text, false);
}

void simdev_print_waves(unsigned int nr)
{
	waves_with(nr, "", true);
}

bool simdev_await_waves(unsigned int nr, const char *text, int number, int seconds)
{
	int ms;

	for (ms = 0; simdev_waves(nr, text) != number && ms < seconds * 1000; ms += 5)
		usleep(5000);
	return simdev_waves(nr, text) == number;
}

int simdev_contexts(unsigned int nr, struct simdev_context *contexts, int max)
{
	char path[128], line[256];
	FILE *file;
	int n = 0;

	snprintf(path, sizeof(path), DEBUG "%u/contexts", nr);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (n < max && fgets(line, sizeof(line), file)) {
		struct simdev_context *c = &contexts[n];

		n += sscanf(line, "context %u pasid %*u vmid %u maps %*u vmid_ns %*u groups %u saved %u can_run %u of %u",
			    &c->id, &c->vmid, &c->groups, &c->saved, &c->can_run,
			    &c->recount) == 6;
	}
	fclose(file);
	return n;
}

/* faults/planted: how often the fault occurred, and how often it could have */
static int look_up_fault(unsigned int nr, const char *fault, int *planted,
			 int *seen)
{
	char path[128], name[32];
	int p, s, err = -ENOENT;
	FILE *file;

	snprintf(path, sizeof(path), DEBUG "%u/faults/planted", nr);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fscanf(file, "%31s %d of %d", name, &p, &s) == 3)
		if (!strcmp(name, fault)) {
			*planted = p;
			*seen = s;
			err = 0;
		}
	fclose(file);
	return err;
}

int simdev_planted(unsigned int nr, const char *fault)
{
	int planted, seen;

	return look_up_fault(nr, fault, &planted, &seen) ?: planted;
}

int simdev_fault_at(unsigned int nr, const char *fault, unsigned int nth)
{
	int planted, seen;

	return look_up_fault(nr, fault, &planted, &seen) ?:
	       simdev_fault(nr, fault, seen + nth);
}

int simdev_sweep(unsigned int ms)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", ms);
	return put("/sys/module/gpubp_sim/parameters/sweep_ms", text);
}

int simdev_take(unsigned int nr, unsigned int slots)
{
	char path[128], text[16];

	snprintf(path, sizeof(path), DEBUG "%u/taken", nr);
	snprintf(text, sizeof(text), "%#x", slots);
	return put(path, text);
}

int simdev_regs(unsigned int nr)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), DEBUG "%u/regs", nr);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

uint32_t simdev_read(int fd, uint32_t reg, unsigned int vmid)
{
	uint64_t pos = reg * 4ULL | BY_VMID | (uint64_t)vmid << VMID_SHIFT;
	uint32_t value = UINT32_MAX;

	if (pread(fd, &value, sizeof(value), pos) != sizeof(value))
		return UINT32_MAX;
	return value;
}

int simdev_write(int fd, uint32_t reg, unsigned int vmid, uint32_t value)
{
	uint64_t pos = reg * 4ULL | BY_VMID | (uint64_t)vmid << VMID_SHIFT;

	return pwrite(fd, &value, sizeof(value), pos) == sizeof(value) ?
		0 : -errno;
}

int simdev_halt(unsigned int nr, unsigned int cu, unsigned int simd,
		unsigned int wave)
{
	uint32_t cmd = SQ_CMD_HALT | wave << SQ_CMD_WAVE | simd << SQ_CMD_SIMD;
	uint64_t pos = SQ_CMD * 4ULL | BY_INDEX | (uint64_t)cu << INSTANCE;
	int fd = simdev_regs(nr), err = 0;

	if (fd < 0)
		return fd;
	if (pwrite(fd, &cmd, sizeof(cmd), pos) != sizeof(cmd))
		err = -errno;
	close(fd);
	return err;
}

int simdev_select(unsigned int nr, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUG "%u/select", nr);
	return put(path, text);
}
