// SPDX-License-Identifier: GPL-2.0
/* Calls about processes, and the type of the PMU. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include <linux/gpubp_agent.h>
#include "exec.h"

#define PMU_TYPE	"/sys/bus/event_source/devices/gpubp/type"
#define CHILD_SECONDS	1	/* lifetime of a child, which is killed then */

static int64_t pmu_type(const struct made *made)
{
	char text[16] = "";
	int fd = open(PMU_TYPE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	return n < 0 ? -ENODEV : atoi(text);
}

enum child {
	CHILD_ENDS,
	CHILD_EXECUTES,
	CHILD_STORES,
	CHILD_STANDS,
	CHILD_USES_FILES,
};

static void execute(void)
{
	execl("/bin/true", "true", NULL);
	_exit(0);
}

static void store(void)
{
	volatile char *pages = gen_pages();
	int i;

	for (i = 0; i < VMA_PAGES; i++)
		pages[i * PAGE] = i;
	munmap(gen_pages(), VMA_PAGES / 2 * PAGE);
}

/* descriptors of the parent, invalid in another process */
static void use_files(void)
{
	struct gpubp_sync sync = {};
	int fd;

	for (fd = 3; fd < 64; fd++) {
		ioctl(fd, GPUBP_SYNC, &sync);
		close(fd);
	}
}

static void child(enum child how)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	alarm(CHILD_SECONDS);
	switch (how) {
	case CHILD_ENDS:
		break;
	case CHILD_EXECUTES:
		execute();
		break;
	case CHILD_STORES:
		store();
		break;
	case CHILD_STANDS:
		poll(NULL, 0, CHILD_SECONDS * 1000);
		break;
	case CHILD_USES_FILES:
		use_files();
		break;
	}
	_exit(0);
}

static int64_t sys_fork(const struct made *made)
{
	pid_t pid = fork();

	if (!pid)
		child(made->args[0] % (CHILD_USES_FILES + 1));
	return pid < 0 ? -errno : pid;
}

static int64_t sys_end(const struct made *made)
{
	if (made->args[0] & 1)
		kill(getpid(), SIGKILL);
	execute();
	return 0;
}

/* an agent that serves this process, with the queues 1 to 3 */
static int64_t agent_join(const struct made *made)
{
	struct gpubp_agent_join join = {
		.isa = "gfx90a", .name = "fuzz", .node_fd = -1, .nr_slots = 4,
		.granule = 64, .va_bits = 48, .max_block = 1 << 30, .modes = 0xf,
		.flags = GPUBP_AGENT_PRECISE,
	};
	int fd = open("/dev/gpubp_agent", O_RDWR | O_CLOEXEC | O_NONBLOCK), err;
	struct gpubp_agent_queue queue = { .id = 1 };

	if (fd < 0)
		return -errno;
	err = ioctl(fd, GPUBP_AGENT_JOIN, &join) ? -errno : 0;
	for (; !err && queue.id <= 3; queue.id++)
		err = ioctl(fd, GPUBP_AGENT_QUEUE_CREATE, &queue) ? -errno : 0;
	if (err)
		close(fd);
	return err ?: fd;
}

const struct own_call exec_sys[] = {
	{ "syz_agent_join", agent_join },
	{ "syz_gpubp_type", pmu_type },
	{ "syz_fork", sys_fork },
	{ "syz_end", sys_end },
	{ NULL, NULL },
};
