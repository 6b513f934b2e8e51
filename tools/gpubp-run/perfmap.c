// SPDX-License-Identifier: GPL-2.0
/*
 * The names of a process's GPU memory, for tools that read recordings of it:
 *
 * /tmp/perf-PID.map, from which perf takes the names of addresses that no file
 * backs. Buffers go there, too: they do not overlap code, and tools that know
 * GPU addresses find their names in the same place.
 *
 * /tmp/gpubp-PID.names, with the same names and the times from which and until
 * which they are valid. Its first line is GRUN_NAMES_HEADER, each other one
 *
 *	TIME ADDRESS SIZE[@CONTEXT] NAME<tab>SITE
 *
 * TIME is ns of CLOCK_MONOTONIC, as the times of hits are, ADDRESS and SIZE are
 * hexadecimal. SIZE 0: NAME, at ADDRESS, is withdrawn. CONTEXT is the decimal number of
 * the GPU context that has the range, as hits have it; without one all of the process
 * have it, as those of ROCm. SITE, if GPUBP_CALLSITES
 * asks for it, says where the program did so (callsite.c). Further lines are of what
 * the queues of the process were given (launches.c), numbers are decimal but for KERNEL:
 *
 *	kind N KERNEL WX WY WZ GX GY GZ<tab>SITE
 *	queue TIME QUEUE PLACES 0 [CONTEXT]
 *	launch TIME QUEUE PLACE N [CONTEXT]
 *	unlaunched TIME ...
 *
 * Launches of kind N have workgroups of WX, WY, WZ work-items in a grid of GX, GY, GZ;
 * KERNEL is the address of the kernel's descriptor, SITE where the program launched.
 * From TIME on a QUEUE is there, in which a dispatch of a number is over when that with
 * the number + PLACES is launched; PLACES is a power of two, 0: the queue is gone. From
 * TIME on, dispatches of it whose number modulo PLACES is PLACE are launches of kind N; 0:
 * it is not known of which, as at the begin. From the TIME of "unlaunched" on nothing is
 * known, as the file has as many lines of this kind as it may.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "internal.h"

/*
 * Names in /tmp are guessable: a link is not followed, what another user put there is
 * not written to, and a file that an earlier process with our pid left is removed
 * before the first line.
 */
static int map_open(const char *path, bool fresh)
{
	struct stat st;
	int fd;

	if (fresh)
		unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC |
		  O_NONBLOCK | (fresh ? O_EXCL : 0), 0644);
	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
		       st.st_uid == geteuid() && st.st_nlink == 1))
		return fd;
	close(fd);
	return -1;
}

static void map_write_perf(bool fresh, uint64_t addr, uint64_t size,
			   const char *name)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), GRUN_PERF_MAP, (unsigned int)getpid());
	fd = map_open(path, fresh);
	if (fd < 0)
		return;
	dprintf(fd, "%llx %llx %s\n", (unsigned long long)addr,
		(unsigned long long)size, name);
	close(fd);
}

static void map_write_names(bool fresh, uint64_t time, uint32_t context, uint64_t addr,
			    uint64_t size, const char *name, const char *site)
{
	char path[32], at[16] = "";
	int fd;

	snprintf(path, sizeof(path), GRUN_NAMES, (unsigned int)getpid());
	fd = map_open(path, fresh);
	if (fd < 0)
		return;
	if (context)
		snprintf(at, sizeof(at), "@%u", context);
	dprintf(fd, "%s%llu %llx %llx%s %s\t%s\n",
		fresh ? GRUN_NAMES_HEADER "\n" : "", (unsigned long long)time,
		(unsigned long long)addr, (unsigned long long)size, at, name, site);
	close(fd);
}

static pthread_mutex_t map_lock = PTHREAD_MUTEX_INITIALIZER;

/* another thread of the parent, which the child does not have, may have had it */
static void map_forked(void)
{
	pthread_mutex_init(&map_lock, NULL);
}

static void __attribute__((constructor)) map_begin(void)
{
	pthread_atfork(NULL, NULL, map_forked);
}

/* write() is where a thread is cancelled: not with the lock. Returns what map_give() takes */
static int map_take(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&map_lock);
	return state;
}

static void map_give(int state)
{
	pthread_mutex_unlock(&map_lock);
	pthread_setcancelstate(state, NULL);
}

/* under the lock: is this the first record of this process? */
static bool map_is_fresh(void)
{
	static pid_t owner;
	bool fresh = owner != getpid();

	owner = getpid();
	return fresh;
}

/*
 * The file stays open: there may be a line for each launch. The program may close what it
 * did not open, as a daemon does, and then the number is that of a file of its own.
 */
static int map_fd(bool fresh)
{
	static int fd = -1;
	static pid_t opener;
	static struct stat file;
	struct stat now;
	char path[32];
	bool is_open = !fstat(fd, &now) && now.st_dev == file.st_dev &&
		       now.st_ino == file.st_ino;

	if (is_open && !fresh && opener == getpid())
		return fd;
	if (is_open)
		close(fd);
	opener = getpid();
	snprintf(path, sizeof(path), GRUN_NAMES, (unsigned int)opener);
	fd = map_open(path, fresh);
	if (fstat(fd, &file))
		memset(&file, 0, sizeof(file));
	return fd;
}

uint64_t grun_name_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void grun_name_record(uint64_t time, uint32_t context, uint64_t addr, uint64_t size,
		      const char *name, const void *caller)
{
	char site[GRUN_CALLSITE_MAX];
	bool fresh;
	int state;

	grun_callsite(caller, site);
	state = map_take();
	fresh = map_is_fresh();
	/* perf's has no word for what is withdrawn */
	if (size)
		map_write_perf(fresh, addr, size, name);
	map_write_names(fresh, time, context, addr, size, name, site);
	map_give(state);
}

/* perf's is that of an earlier process, too, if the other one is */
static void map_header(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), GRUN_PERF_MAP, (unsigned int)getpid());
	unlink(path);
	dprintf(fd, GRUN_NAMES_HEADER "\n");
}

void grun_name_line(const char *line)
{
	int fd, state = map_take();
	bool fresh = map_is_fresh();

	fd = map_fd(fresh);
	if (fresh && fd >= 0)
		map_header(fd);
	/* at once, as a program that fails has launched */
	if (fd >= 0)
		dprintf(fd, "%s", line);
	map_give(state);
}

void grun_name_functions(uint32_t context, const struct grun_code *code)
{
	uint64_t i, time = grun_name_time();
	struct grun_symbol sym;

	for (i = 0; i < code->elf.nr_syms; i++) {
		if (!grun_elf_symbol(&code->elf, i, &sym))
			continue;
		if (sym.type == STT_FUNC && sym.size)
			grun_name_record(time, context, code->mem.va + sym.value,
					 sym.size, sym.name, NULL);
	}
}
