// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions attach, query and detach while events are opened and closed and
 * their targets execute programs and exit, all concurrently.
 *
 * environment:
 *	GPUBP_STORM	rounds of 100 ms, default 40
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "roles.h"

#define ADDR		0x100000
#define USER		1000
#define ROUNDS		40
#define SLOTS		8
#define TARGETS		2
#define THREADS		4
#define SECONDS		3000

/* shared by all threads and targets */
struct shared {
	pid_t target[TARGETS];
	bool stop;
};

static struct shared *shared;
static int session;
static int fds[SLOTS];
static uint64_t ids[SLOTS];
static unsigned long given, withheld, refused, wrong;

/* ---- targets: one process after the other ------------------------------------ */

static const char *const programs[] = {
	TARGET_PROGRAM, TARGET_SUID, TARGET_UNREADABLE
};

/* the program finds its socket closed, and so ends soon */
static void live(unsigned int seed)
{
	if (become(USER))
		_exit(1);
	usleep(rand_r(&seed) % 20000);
	close(TARGET_SOCK);
	if (rand_r(&seed) % 4)
		execl(programs[seed % 3], programs[seed % 3], NULL);
	_exit(0);
}

static int targets(int sock, void *arg)
{
	pid_t *published = arg;
	unsigned int seed = getpid();

	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		pid_t pid = fork();

		if (!pid)
			live(rand_r(&seed));
		__atomic_store_n(published, pid, __ATOMIC_RELAXED);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* ---- a session that threads share ------------------------------------------- */

static void open_one(unsigned int slot, unsigned int random)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	pid_t pid = __atomic_load_n(&shared->target[random % TARGETS],
				    __ATOMIC_RELAXED);
	int fd;

	attr.disabled = random & 4;
	attr.sigtrap = !!(random & 8);
	attr.remove_on_exec = attr.sigtrap || (random & 16);
	fd = event_open(&attr, pid, -1);
	if (fd < 0)
		return;
	fd = __atomic_exchange_n(&fds[slot], fd, __ATOMIC_RELAXED);
	if (fd >= 0)
		close(fd);
}

static void note(int ret, struct gpubp_attach *a)
{
	bool bad = ret ? errno != ESRCH && errno != ENOENT && errno != EBADF &&
			 errno != EEXIST :
			 a->rights && a->rights != RIGHTS_ALL;

	__atomic_fetch_add(ret ? &refused : a->rights ? &given : &withheld, 1,
			   __ATOMIC_RELAXED);
	if (bad)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void attach_one(unsigned int slot)
{
	struct gpubp_attach a = { .fd = fds[slot] };
	int ret = ioctl(session, GPUBP_ATTACH, &a);

	note(ret, &a);
	if (ret)
		return;
	/* replace an id: attachments that are never detached would fill the session */
	a.id = __atomic_exchange_n(&ids[slot], a.id, __ATOMIC_RELAXED);
	ioctl(session, GPUBP_DETACH, &a);
}

static void by_id(unsigned long command, unsigned int slot)
{
	struct gpubp_attach a = { .id = ids[slot] };
	int ret = ioctl(session, command, &a);

	if (command == GPUBP_DETACH && !ret)
		return;
	note(ret, &a);
}

static void step(unsigned int random)
{
	unsigned int slot = random % SLOTS;

	random /= SLOTS;
	switch (random % 8) {
	case 0:
		return open_one(slot, random / 8);
	case 1:
	case 2:
		return attach_one(slot);
	case 3:
		return by_id(GPUBP_DETACH, slot);
	case 4:
		ioctl(fds[slot], PERF_EVENT_IOC_ENABLE);
		return;
	default:
		return by_id(GPUBP_RIGHTS, slot);
	}
}

static void *attacher(void *seed)
{
	unsigned int random = (uintptr_t)seed;

	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED))
		step(rand_r(&random));
	return NULL;
}

static int rounds(void)
{
	return env_number("GPUBP_STORM", ROUNDS);
}

FIXTURE(storm) {
	struct child target[TARGETS];
};

FIXTURE_SETUP(storm)
{
	int i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	ASSERT_EQ(0, target_programs());
	event_type();
	session = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, session);
	for (i = 0; i < SLOTS; i++)
		fds[i] = -1;
	for (i = 0; i < TARGETS; i++)
		ASSERT_EQ(0, child_start(&self->target[i], targets,
					 &shared->target[i]));
	/* target 0 would be this process itself, which has other rights */
	for (i = 0; i < TARGETS; i++)
		while (!__atomic_load_n(&shared->target[i], __ATOMIC_RELAXED))
			usleep(1000);
	/* perf core checks access only without it, and there are rights with it */
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
}

FIXTURE_TEARDOWN(storm)
{
	int i;

	for (i = 0; i < TARGETS; i++)
		EXPECT_EQ(0, child_end(&self->target[i]));
	close(session);
	EXPECT_TRUE(books_idle(60)) books_print();
}

static bool none_is_left(void)
{
	bool ret = true;
	int i;

	for (i = 0; i < SLOTS; i++)
		close(fds[i]);
	for (i = 0; i < SLOTS; i++) {
		struct gpubp_attach a = { .id = ids[i] };

		ret &= ioctl(session, GPUBP_RIGHTS, &a) &&
		       (errno == ESRCH || errno == ENOENT);
	}
	return ret;
}

TEST_F_TIMEOUT(storm, everything_at_once, SECONDS)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, attacher,
					    (void *)(uintptr_t)(i + 1)));
	usleep(rounds() * 100000);
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	TH_LOG("%lu times rights, %lu times none, %lu times refused", given,
	       withheld, refused);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, given);
	EXPECT_LT(0, withheld);
	EXPECT_LT(0, refused);
	EXPECT_TRUE(none_is_left());
}

TEST_HARNESS_MAIN
