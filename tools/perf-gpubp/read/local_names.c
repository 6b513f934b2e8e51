// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "local_names.h"
#include "perf_data.h"
#include "sysfile.h"

#define FEATURE_HOSTNAME	3

/* ns by which the clocks of a file system and of the machine may differ */
#define SLACK		10000000000LL

static long long nanoseconds(long long seconds, long long more)
{
	return seconds * 1000000000 + more;
}

/* the features stand behind the records: a table, and in its order what it is about */
static bool read_hostname(int fd, char *name, size_t len)
{
	struct file_header hdr = {};
	struct section section;
	uint32_t nr;
	size_t at;

	if (pread(fd, &hdr, sizeof(hdr), 0) != sizeof(hdr) ||
	    memcmp(hdr.magic, FILE_MAGIC, sizeof(hdr.magic)) ||
	    !hdr.data.size || !(hdr.features[0] & 1ULL << FEATURE_HOSTNAME))
		return false;
	at = (size_t)__builtin_popcountll(hdr.features[0] &
					  ((1ULL << FEATURE_HOSTNAME) - 1));
	if (pread(fd, &section, sizeof(section),
		  (off_t)(hdr.data.offset + hdr.data.size +
			  at * sizeof(section))) != sizeof(section) ||
	    pread(fd, &nr, sizeof(nr), (off_t)section.offset) != sizeof(nr) ||
	    !nr || nr > len ||
	    pread(fd, name, nr, (off_t)section.offset + (off_t)sizeof(nr)) != nr)
		return false;
	name[nr - 1] = '\0';
	return true;
}

void local_names_init(struct local_names *local, const char *path)
{
	char name[sizeof(((struct utsname *)NULL)->nodename)];
	struct utsname here;
	struct stat st;
	int fd = -1;

	memset(local, 0, sizeof(*local));
	clock_gettime(CLOCK_REALTIME, &local->ended);
	/* a pipe is opened once only */
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	local->ended = st.st_mtim;
	local->elsewhere = read_hostname(fd, name, sizeof(name)) && !uname(&here) &&
			   strcmp(name, here.nodename);
	close(fd);
}

/* ns of CLOCK_REALTIME; -1: it has ended */
static long long process_started(uint32_t pid)
{
	char path[32], text[SYS_FILE_MAX], word[32] = "";
	struct timespec now, up;
	unsigned long long ticks;
	const char *rest;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	if (sys_read("", path, text) <= 0)
		return -1;
	/* its name may have spaces and brackets; then this is field 3 */
	rest = strrchr(text, ')');
	if (!rest || !sys_word(rest + 1, 22 - 3, word, sizeof(word)) ||
	    sscanf(word, "%llu", &ticks) != 1)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return nanoseconds(now.tv_sec - up.tv_sec, now.tv_nsec - up.tv_nsec) +
	       (long long)(ticks * (1000000000ULL / (unsigned long)sysconf(_SC_CLK_TCK)));
}

static bool local_names_fit(const struct local_names *local, uint32_t pid, FILE *file)
{
	long long ended = nanoseconds(local->ended.tv_sec, local->ended.tv_nsec);
	long long started = process_started(pid);
	struct statx st;

	if (local->elsewhere ||
	    statx(fileno(file), "", AT_EMPTY_PATH, STATX_MTIME | STATX_BTIME, &st))
		return false;
	/* not all file systems know when a file was begun */
	if (st.stx_mask & STATX_BTIME &&
	    nanoseconds(st.stx_btime.tv_sec, st.stx_btime.tv_nsec) > ended + SLACK)
		return false;
	/* one that started later has only the number of that which was recorded */
	return started < 0 || started > ended + SLACK ||
	       nanoseconds(st.stx_mtime.tv_sec, st.stx_mtime.tv_nsec) + SLACK >= started;
}

FILE *local_names_open(const struct local_names *local, uint32_t pid,
		       const char *format)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), format, pid);
	file = sys_fopen(path);
	if (!file || local_names_fit(local, pid, file))
		return file;
	fclose(file);
	return NULL;
}
