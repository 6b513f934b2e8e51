// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: each request as root and as an unprivileged user. And events
 * that perf removes when a program gains privileges are disarmed.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "roles.h"
#include "session.h"

#define ADDR		0x100000
#define USER		1000
#define NOBODY		65534
#define PATIENCE	60	/* s */
#define SIZE		4096
#define NO_PID		(4194304 + 1)	/* above the highest there can be */
#define DEBUGFS		"/sys/kernel/debug/gpubp"
#define SIM_DEBUGFS	"/sys/kernel/debug/gpubp_sim0"
#define PARAMETER	"/sys/module/gpubp/parameters/max_sample_rate"

/* values that Debian's kernel adds, where the values matter */

/* objects of root: a process, one of its events, its session, a condition of that */
static struct {
	pid_t pid;
	uint64_t id;
	int session;
	uint32_t condition;
} roots;

static const struct gpubp_condition first_group = { .places = GPUBP_PLACE_WG_X };

/* ---- requests -------------------------------------------------------------- */

static struct perf_event_attr users(void)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);

	attr.exclude_kernel = 1;
	return attr;
}

static int open_and_close(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = event_open(attr, pid, cpu);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int own(void)
{
	struct perf_event_attr attr = users();

	return open_and_close(&attr, 0, -1);
}

static int own_with_kernel(void)
{
	struct perf_event_attr attr = users();

	attr.exclude_kernel = 0;
	return open_and_close(&attr, 0, -1);
}

static int own_with_phys_addr(void)
{
	struct perf_event_attr attr = users();

	event_sample(&attr, 1);
	attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	return open_and_close(&attr, 0, -1);
}

static int own_with_raw(void)
{
	struct perf_event_attr attr = users();

	event_sample(&attr, 1);
	return open_and_close(&attr, 0, -1);
}

static int own_with_branches(void)
{
	struct perf_event_attr attr = users();

	event_sample(&attr, 1);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	return open_and_close(&attr, 0, -1);
}

static int own_break(void)
{
	struct perf_event_attr attr = users();

	attr.config = GPUBP_KIND_BREAK;
	attr.config2 = 0;
	return open_and_close(&attr, 0, -1);
}

static int a_break_of_a_cpu(void)
{
	struct perf_event_attr attr = users();

	attr.config = GPUBP_KIND_BREAK;
	attr.config2 = 0;
	return open_and_close(&attr, -1, 0);
}

static int own_empty(void)
{
	struct perf_event_attr attr = users();

	attr.config2 = 0;
	return open_and_close(&attr, 0, -1);
}

static int others(void)
{
	struct perf_event_attr attr = users();

	return open_and_close(&attr, roots.pid, -1);
}

static int others_with_signals(void)
{
	struct perf_event_attr attr = users();

	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	return open_and_close(&attr, roots.pid, -1);
}

static int a_cpu(void)
{
	struct perf_event_attr attr = users();

	return open_and_close(&attr, -1, 0);
}

static int a_cpu_of_changes(void)
{
	struct perf_event_attr attr = users();

	attr.config |= GPUBP_CONFIG_CHANGED;
	return open_and_close(&attr, -1, 0);
}

/* as user: a condition of another user's */
static int own_with_roots_condition(void)
{
	struct perf_event_attr attr = users();

	event_if(&attr, roots.condition);
	return open_and_close(&attr, 0, -1);
}

static int a_cpu_with_a_condition(void)
{
	struct perf_event_attr attr = users();
	int session = session_open(), ret;
	uint32_t id;

	ret = session_condition_create(session, &first_group, &id);
	event_if(&attr, id);
	ret = ret ?: open_and_close(&attr, -1, 0);
	close(session);
	return ret;
}

static int no_process(void)
{
	struct perf_event_attr attr = users();

	return open_and_close(&attr, NO_PID, -1);
}

static int file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

static int books(void)
{
	return file(DEBUGFS "/gpubp_sim0/books", O_RDONLY);
}

static int device_state(void)
{
	return file(SIM_DEBUGFS "/counters", O_RDONLY);
}

static int parameter(void)
{
	return file(PARAMETER, O_WRONLY);
}

static int door(void)
{
	return file("/dev/gpubp", O_RDWR);
}

static int call(unsigned long cmd, void *arg)
{
	int session = session_open(), ret;

	if (session < 0)
		return session;
	ret = session_call(session, cmd, arg);
	close(session);
	return ret;
}

static int modify_others(void)
{
	struct gpubp_modify m = { .id = roots.id, .config = users().config,
				  .config1 = ADDR + 8, .config2 = 4 };

	return call(GPUBP_MODIFY, &m);
}

static int sync_others(void)
{
	struct gpubp_sync s = { .id = roots.id };

	return call(GPUBP_SYNC, &s);
}

static int figures_of_others(void)
{
	struct gpubp_event_stats s = { .id = roots.id };

	return call(GPUBP_STATS, &s);
}

static int rights_of_others(void)
{
	struct gpubp_attach a = { .id = roots.id };

	return call(GPUBP_RIGHTS, &a);
}

static int attach_nothing(void)
{
	struct gpubp_attach a = { .fd = -1 };

	return call(GPUBP_ATTACH, &a);
}

static int no_such_set(void)
{
	struct gpubp_set set = { .id = 0xfffffff0 };

	return call(GPUBP_SET_DESTROY, &set);
}

/* as root: of another session */
static int roots_condition(void)
{
	struct gpubp_condition condition = { .id = roots.condition };

	return call(GPUBP_CONDITION_DESTROY, &condition);
}

static int no_such_command(void)
{
	return call(_IO('B', 0x7f), NULL);
}

/* inherited from the process that opened it */
static int others_session(void)
{
	struct gpubp_set set = {};

	return session_call(roots.session, GPUBP_SET_CREATE, &set);
}

/* ---- the table ------------------------------------------------------------- */

#define ANY	(-2)	/* any perf_event_paranoid */
#define DEBIAN	3	/* where this value has a meaning at all */

/**
 * struct request - a request, and the expected results
 * @name: situation
 * @paranoid: perf_event_paranoid
 * @ask: make the request; 0 or a negative errno
 * @root: result for root
 * @user: result for an unprivileged user
 */
struct request {
	const char *name;
	int paranoid;
	int (*ask)(void);
	int root;
	int user;
};

static const struct request requests[] = {
	{ "own, paranoid -1", -1, own, 0, 0 },
	{ "own, paranoid 0", 0, own, 0, 0 },
	{ "own, paranoid 1", 1, own, 0, 0 },
	{ "own, paranoid 2", 2, own, 0, 0 },
	{ "own, paranoid 3", DEBIAN, own, 0, -EACCES },
	{ "own and the kernel, paranoid 1", 1, own_with_kernel, 0, 0 },
	{ "own and the kernel, paranoid 2", 2, own_with_kernel, 0, -EACCES },
	{ "own, raw, paranoid 2", 2, own_with_raw, 0, 0 },
	{ "own, raw, paranoid 3", DEBIAN, own_with_raw, 0, -EACCES },
	{ "own, physical addresses, paranoid 1", 1, own_with_phys_addr, 0, 0 },
	{ "own, physical addresses, paranoid 2", 2, own_with_phys_addr, 0, -EACCES },
	{ "own, branches", 2, own_with_branches, -EOPNOTSUPP, -EOPNOTSUPP },
	{ "own, a break", 2, own_break, 0, 0 },
	{ "a CPU, a break", 0, a_break_of_a_cpu, 0, -EACCES },
	{ "own, no bytes", 2, own_empty, -EINVAL, -EINVAL },
	{ "a CPU, paranoid 0", 0, a_cpu, 0, 0 },
	{ "a CPU, paranoid 1", 1, a_cpu, 0, -EACCES },
	{ "a CPU, of what changed, paranoid 0", 0, a_cpu_of_changes, 0, -EACCES },
	{ "own, with a condition of root's", 2, own_with_roots_condition, 0, -EINVAL },
	{ "a CPU, with a condition, paranoid 0", 0, a_cpu_with_a_condition, 0, -EACCES },
	{ "root's, paranoid -1", -1, others, 0, -EACCES },
	{ "root's, paranoid 0", 0, others, 0, -EACCES },
	{ "root's, paranoid 1", 1, others, 0, -EACCES },
	{ "root's, paranoid 2", 2, others, 0, -EACCES },
	{ "root's, paranoid 3", DEBIAN, others, 0, -EACCES },
	{ "root's, signals, paranoid -1", -1, others_with_signals, 0, -EACCES },
	{ "root's, signals, paranoid 2", 2, others_with_signals, 0, -EACCES },
	{ "a process that is not there", 2, no_process, -ESRCH, -ESRCH },
	{ "debugfs books", ANY, books, 0, -EACCES },
	{ "a device's counters", ANY, device_state, 0, -EACCES },
	{ "a parameter", ANY, parameter, 0, -EACCES },
	{ "the door", ANY, door, 0, 0 },
	{ "a session of another process", ANY, others_session, -EPERM, -EPERM },
	{ "GPUBP_MODIFY of another's", ANY, modify_others, -ENOENT, -ENOENT },
	{ "GPUBP_SYNC of another's", ANY, sync_others, -ENOENT, -ENOENT },
	{ "GPUBP_STATS of another's", ANY, figures_of_others, -ENOENT, -ENOENT },
	{ "GPUBP_RIGHTS of another's", ANY, rights_of_others, -ENOENT, -ENOENT },
	{ "GPUBP_ATTACH of nothing", ANY, attach_nothing, -EBADF, -EBADF },
	{ "GPUBP_SET_DESTROY of none", ANY, no_such_set, -ENOENT, -ENOENT },
	{ "GPUBP_CONDITION_DESTROY of another's", ANY, roots_condition, -ENOENT, -ENOENT },
	{ "no command", ANY, no_such_command, -ENOTTY, -ENOTTY },
};

struct asker {
	const struct request *request;
	uid_t uid;
};

static int ask(int sock, void *arg)
{
	const struct asker *asker = arg;

	if (asker->uid && become(asker->uid))
		return 1;
	return !say(sock, asker->request->ask());
}

static bool is_debian(void)
{
	char kernel[16] = "";
	FILE *from = fopen("/etc/vm/kernel", "re");

	if (from) {
		fgets(kernel, sizeof(kernel), from);
		fclose(from);
	}
	return !strncmp(kernel, "stock", 5);
}

FIXTURE(refused) {
	int paranoid;
	int fd;
};

FIXTURE_SETUP(refused)
{
	struct perf_event_attr attr = users();

	self->paranoid = event_paranoid(2);
	ASSERT_NE(-1, self->paranoid);
	attr.disabled = 1;
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
	roots.pid = getpid();
	roots.id = session_id(self->fd);
	roots.session = session_open();
	ASSERT_LE(0, roots.session);
	ASSERT_EQ(0, session_condition_create(roots.session, &first_group,
					      &roots.condition));
}

FIXTURE_TEARDOWN(refused)
{
	event_paranoid(self->paranoid);
	close(roots.session);
	close(self->fd);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

#define EXPECT_ANSWER(r, user, want) do {				\
	struct asker _asker = { r, user };				\
	struct child _child;						\
									\
	ASSERT_EQ(0, child_start(&_child, ask, &_asker));		\
	EXPECT_EQ(want, heard(_child.sock)) TH_LOG("%s: %s", #user, (r)->name); \
	EXPECT_EQ(0, child_end(&_child));				\
} while (0)

TEST_F(refused, to_root_and_to_an_unprivileged_user)
{
	const struct request *r;

	for (r = requests; r < requests + ARRAY_SIZE(requests); r++) {
		if (r->paranoid == DEBIAN && !is_debian())
			continue;
		event_paranoid(r->paranoid == ANY ? 2 : r->paranoid);
		EXPECT_ANSWER(r, 0, r->root);
		EXPECT_ANSWER(r, NOBODY, r->user);
	}
}

/* ---- debugfs --------------------------------------------------------------- */

static unsigned int nr_files, nr_open;

static int look(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	if (flag != FTW_F)
		return 0;
	nr_files++;
	if (st->st_uid || (st->st_mode & 077)) {
		nr_open++;
		printf("# %s has mode %o\n", path, st->st_mode);
	}
	return 0;
}

/* independent of the mode of the directory that they are in, and of other mounts */
TEST(debugfs_is_for_root_alone)
{
	ASSERT_EQ(0, nftw(DEBUGFS, look, 16, FTW_PHYS));
	ASSERT_EQ(0, nftw(SIM_DEBUGFS, look, 16, FTW_PHYS));
	EXPECT_LE(5, nr_files);
	EXPECT_EQ(0, nr_open);
}

/* ---- programs that gain privileges ------------------------------------------- */

#define TARGET_ENV	"REFUSED_TARGET"	/* set in the programs executed below */
#define VA		0x340000000000ULL
#define ROUNDS		5
#define PLAIN		"/tmp/refused.plain"
#define SUID		"/tmp/refused.suid"
#define UNREADABLE	"/tmp/refused.unreadable"

/* code of the program that is executed: it runs before main() */
__attribute__((constructor)) static void be_target(void)
{
	struct grun_mem mem;
	struct gpu gpu;

	if (!getenv(TARGET_ENV))
		return;
	if (gpu_open(&gpu, "loop") || gpu_buffer(&gpu, &mem, SIZE, VA) ||
	    !say(TARGET_SOCK, 0) || heard(TARGET_SOCK) ||
	    gpu_run(&gpu, "repeat", 1, GPU_ARGS(VA, ROUNDS)))
		_exit(1);
	say(TARGET_SOCK, geteuid());
	_exit(heard(TARGET_SOCK));
}

/* a copy of this program; GPU code is searched for next to it */
static int install(const char *to, const char *mode)
{
	char command[1024], exe[256] = "";

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return -errno;
	snprintf(command, sizeof(command),
		 "cp %s %s && chmod %s %s && ln -sfn $(dirname %s)/gpu /tmp/gpu",
		 exe, to, mode, to, exe);
	return system(command) ? -EIO : 0;
}

/* a process of another user, until it executes the program */
static int executing_target(int sock, void *arg)
{
	const char *program = arg;

	if (become(USER) || !say(sock, 0) || heard(sock) ||
	    dup2(sock, TARGET_SOCK) < 0 || fcntl(TARGET_SOCK, F_SETFD, 0) ||
	    setenv(TARGET_ENV, "1", 1))
		return 1;
	execl(program, program, NULL);
	return 1;
}

/**
 * struct exec - effect of a program that is executed on events
 * @program: program
 * @remove: attr.remove_on_exec
 * @euid: effective user of the program
 * @survives: the event keeps counting
 */
struct exec {
	const char *program;
	bool remove;
	uid_t euid;
	bool survives;
};

static const struct exec execs[] = {
	{ PLAIN, false, USER, true },
	{ PLAIN, true, USER, false },
	{ SUID, false, 0, false },
	{ SUID, true, 0, false },
	{ UNREADABLE, false, USER, false },
};

static void check_exec(struct __test_metadata *_metadata, const struct exec *e)
{
	struct perf_event_attr attr = event_watch(VA, 4, EVENT_STORES);
	int64_t raised = books_raised();
	struct child child;
	int fd;

	ASSERT_EQ(0, child_start(&child, executing_target, (void *)e->program));
	ASSERT_EQ(0, heard(child.sock));
	attr.remove_on_exec = e->remove;
	fd = event_open(&attr, child.pid, -1);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(say(child.sock, 0));
	ASSERT_EQ(0, heard(child.sock)) TH_LOG("%s", e->program);
	ASSERT_TRUE(say(child.sock, 0));
	EXPECT_EQ(e->euid, heard(child.sock)) TH_LOG("%s", e->program);
	EXPECT_TRUE(books_settle(PATIENCE));
	EXPECT_EQ(e->survives ? ROUNDS : 0, event_count(fd))
		TH_LOG("%s, %d", e->program, e->remove);
	EXPECT_EQ(e->survives, books_state("watches") > 0) TH_LOG("%s", e->program);
	/* nothing was armed: no wave was stopped either */
	EXPECT_EQ(e->survives ? ROUNDS : 0, books_raised() - raised);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	close(fd);
}

TEST(a_program_with_privileges_is_not_watched)
{
	int dumpable = sysctl_set(DUMPABLE, 0);
	unsigned int i;

	ASSERT_EQ(0, install(PLAIN, "0755"));
	ASSERT_EQ(0, install(SUID, "4755"));
	ASSERT_EQ(0, install(UNREADABLE, "0711"));
	for (i = 0; i < ARRAY_SIZE(execs); i++)
		check_exec(_metadata, &execs[i]);
	sysctl_set(DUMPABLE, dumpable);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- contents of results --------------------------------------------------- */

/* no field keeps its old contents, and none is a kernel address */
TEST(figures_are_figures)
{
	struct perf_event_attr attr = users();
	int fd = event_open(&attr, 0, -1), session = session_open();
	struct gpubp_event_stats stats;
	struct gpubp_sync sync;
	const __u64 *word;

	ASSERT_LE(0, fd);
	memset(&stats, 0xa5, sizeof(stats));
	stats.id = session_id(fd);
	stats.flags = 0;
	stats.reserved = 0;
	ASSERT_EQ(0, session_call(session, GPUBP_STATS, &stats));
	EXPECT_EQ(session_id(fd), stats.id);
	/* without a context all other fields are 0 */
	for (word = &stats.resident_ns; word < (__u64 *)(&stats + 1); word++)
		EXPECT_EQ(0, *word) TH_LOG("word %td", word - &stats.id);

	memset(&sync, 0xa5, sizeof(sync));
	sync.id = session_id(fd);
	sync.timeout_ms = PATIENCE * 1000;
	sync.flags = 0;
	ASSERT_EQ(0, session_call(session, GPUBP_SYNC, &sync));
	EXPECT_EQ(0, sync.nr_watches | sync.nr_armed | sync.nr_rotating |
		     sync.nr_pending | sync.nr_unserved | sync.nr_lost);
	close(session);
	close(fd);
}

static int find_address(const char *path, const struct stat *st, int flag,
			struct FTW *ftw)
{
	char *line = NULL;
	size_t size = 0;
	FILE *from;

	/* "regs" is all registers by number, without an end */
	if (flag != FTW_F || !(st->st_mode & 0400) ||
	    !strcmp(path + ftw->base, "regs"))
		return 0;
	from = fopen(path, "re");
	while (from && getline(&line, &size, from) > 0)
		if (strstr(line, "ffff8") || strstr(line, "ffffffffc")) {
			nr_open++;
			printf("# %s: %s", path, line);
		}
	free(line);
	if (from)
		fclose(from);
	nr_files++;
	return 0;
}

TEST(debugfs_tells_no_address)
{
	struct perf_event_attr attr;
	struct grun_mem mem;
	struct gpu gpu;
	int fd;

	ASSERT_EQ(0, gpu_open(&gpu, "loop"));
	ASSERT_EQ(0, gpu_buffer(&gpu, &mem, SIZE, 0));
	attr = event_watch(mem.va, 4, EVENT_STORES);
	fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, gpu_run(&gpu, "repeat", 1, GPU_ARGS(mem.va, 3)));
	ASSERT_EQ(0, nftw(DEBUGFS, find_address, 16, FTW_PHYS));
	ASSERT_EQ(0, nftw(SIM_DEBUGFS, find_address, 16, FTW_PHYS));
	EXPECT_LE(5, nr_files);
	EXPECT_EQ(0, nr_open);
	close(fd);
	gpu_close(&gpu);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

TEST_HARNESS_MAIN
