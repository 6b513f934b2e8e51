// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments of a session: who may attach which event, and what ends an
 * attachment.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "harness.h"
#include "books.h"
#include "event.h"
#include "roles.h"
#include "session.h"

#define READ	GPUBP_RIGHT_READ
#define ALL	RIGHTS_ALL
#define TRAP	OPENER_ATTR_SIGTRAP
#define USER	1000
#define OTHER	1001
#define ADDR	0x100000

static const struct who user = { .uid = USER };
static const struct who root = { .caps = ALL_CAPS, .idle = CAP_BIT(KILL) };

/* ---- step by step -------------------------------------------------------- */

FIXTURE(steps) {
	int yama;
	int paranoid;
	struct opener opener;
	struct target target;
	int fd;
};

FIXTURE_SETUP(steps)
{
	self->yama = sysctl_set(YAMA, 1);
	if (self->yama < 0)
		SKIP(return, "ptrace_scope cannot be set");
	self->paranoid = sysctl_set(PARANOID, 2);
	ASSERT_EQ(0, opener_start(&self->opener, &user));
	ASSERT_EQ(0, opener_spawn(&self->opener, &self->target));
	opener_do(&self->opener, OPENER_ATTR, TRAP);
	self->fd = opener_do(&self->opener, OPENER_OPEN, self->target.pid);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(steps)
{
	target_end(&self->target);
	opener_end(&self->opener);
	EXPECT_TRUE(books_idle(20)) books_print();
	sysctl_set(YAMA, self->yama);
	sysctl_set(PARANOID, self->paranoid);
}

#define DO(step, arg)	opener_do(&self->opener, OPENER_##step, arg)

TEST_F(steps, attached_once)
{
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(-EEXIST, DO(ATTACH, self->fd));
	EXPECT_EQ(ALL, DO(RIGHTS, 0));
	EXPECT_EQ(0, DO(DETACH, 0));
	EXPECT_EQ(-ENOENT, DO(RIGHTS, 0));
	EXPECT_EQ(-ENOENT, DO(DETACH, 0));
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
}

TEST_F(steps, closed)
{
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(0, DO(CLOSE, self->fd));
	EXPECT_EQ(-ESRCH, DO(RIGHTS, 0));
	EXPECT_EQ(-EBADF, DO(ATTACH, self->fd));
	/* by then the event is freed, but its id is still known */
	EXPECT_TRUE(books_idle(20));
	EXPECT_EQ(-ESRCH, DO(RIGHTS, 0));
	EXPECT_EQ(0, DO(DETACH, 0));
	EXPECT_EQ(-ENOENT, DO(RIGHTS, 0));
}

TEST_F(steps, the_last_fd_counts)
{
	int dup = DO(DUP, self->fd);

	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(-EEXIST, DO(ATTACH, dup));
	EXPECT_EQ(0, DO(CLOSE, self->fd));
	EXPECT_EQ(ALL, DO(RIGHTS, 0));
	EXPECT_EQ(0, DO(CLOSE, dup));
	EXPECT_EQ(-ESRCH, DO(RIGHTS, 0));
}

TEST_F(steps, enabled_and_disabled)
{
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(0, DO(ENABLE, self->fd));
	EXPECT_EQ(ALL, DO(RIGHTS, 0));
	EXPECT_EQ(0, DO(DISABLE, self->fd));
	EXPECT_EQ(ALL, DO(RIGHTS, 0));
}

TEST_F(steps, two_events_on_one_target)
{
	int fd;

	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	DO(ATTR, 0);
	fd = DO(OPEN, self->target.pid);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, DO(ATTACH, fd));
	EXPECT_EQ(0, target_do(&self->target, TARGET_EXEC));
	EXPECT_EQ(0, DO(RIGHTS, 0));
	EXPECT_EQ(-ESRCH, DO(ATTACH, self->fd));
}

TEST_F(steps, which_process)
{
	int64_t tid = target_do(&self->target, TARGET_THREAD);

	ASSERT_LT(0, tid);
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(self->target.pid, DO(PID, 0));
	self->fd = DO(OPEN, tid);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(self->target.pid, DO(PID, 0));
}

/* the exit of the leader does not end an event on another thread */
TEST_F(steps, the_leader_of_a_thread_exits)
{
	int64_t tid = target_do(&self->target, TARGET_THREAD);

	self->fd = DO(OPEN, tid);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(ALL, DO(ATTACH, self->fd));
	EXPECT_EQ(0, target_do(&self->target, TARGET_LEADER_EXITS));
	EXPECT_EQ(ALL, DO(RIGHTS, 0));
	EXPECT_EQ(self->target.pid, DO(PID, 0));
	EXPECT_EQ(0, target_do(&self->target, TARGET_EXEC));
	EXPECT_EQ(-ESRCH, DO(RIGHTS, 0));
}

TEST_F(steps, inherited_events_give_nothing)
{
	DO(ATTR, OPENER_ATTR_INHERIT);
	self->fd = DO(OPEN, self->target.pid);
	ASSERT_LE(0, self->fd);
	EXPECT_EQ(-EINVAL, DO(ATTACH, self->fd));
}

/* like a tracer that drops its privileges */
TEST_F(steps, the_opener_drops_its_privileges)
{
	struct opener opener;
	struct target target;
	int64_t fd;

	ASSERT_EQ(0, opener_start(&opener, &root));
	ASSERT_EQ(0, target_start(&target, OTHER));
	opener_do(&opener, OPENER_ATTR, TRAP);
	fd = opener_do(&opener, OPENER_OPEN, target.pid);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, opener_do(&opener, OPENER_DROP, 0));
	EXPECT_EQ(-EACCES, opener_do(&opener, OPENER_OPEN, target.pid));
	EXPECT_EQ(ALL, opener_do(&opener, OPENER_ATTACH, fd));
	EXPECT_EQ(ALL, opener_do(&opener, OPENER_RIGHTS, 0));
	target_end(&target);
	opener_end(&opener);
}

/* ---- files that are no event of gpubp, or of another process -------------- */

static int attach(int session, int fd)
{
	struct gpubp_attach a = { .fd = fd };

	return ioctl(session, GPUBP_ATTACH, &a) ? -errno : (int)a.rights;
}

static int open_dummy(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};

	return event_open(&attr, 0, -1);
}

static int open_own(void)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);

	attr.disabled = 1;
	return event_open(&attr, 0, -1);
}

static int open_lookalike(void)
{
	return open("/tmp/[perf_event]", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int open_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0);
}

static int open_epoll(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int open_eventfd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static int open_memfd(void)
{
	return syscall(SYS_memfd_create, "[perf_event]", 0);
}

static int open_directory(void)
{
	return open("/tmp", O_RDONLY | O_CLOEXEC);
}

static int open_path(void)
{
	return open("/dev/null", O_PATH | O_CLOEXEC);
}

static int open_none(void)
{
	return 1 << 19;
}

static int open_negative(void)
{
	return -1;
}

TEST(what_is_not_an_event_of_ours)
{
	static const struct {
		const char *name;
		int (*open)(void);
		int want;
	} files[] = {
		{ "one of ours", open_own, READ },
		{ "perf's software event", open_dummy, -EINVAL },
		{ "a file of that name", open_lookalike, -EINVAL },
		{ "a memfd of that name", open_memfd, -EINVAL },
		{ "a socket", open_socket, -EINVAL },
		{ "an epoll instance", open_epoll, -EINVAL },
		{ "an eventfd", open_eventfd, -EINVAL },
		{ "another session", session_open, -EINVAL },
		{ "a directory", open_directory, -EINVAL },
		{ "a path", open_path, -EBADF },
		{ "no file", open_none, -EBADF },
		{ "a negative number", open_negative, -EBADF },
	};
	int session = session_open();
	unsigned int i;

	ASSERT_LE(0, session);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int fd = files[i].open();

		EXPECT_EQ(files[i].want, attach(session, fd))
			TH_LOG("%s", files[i].name);
		close(fd);
	}
	EXPECT_EQ(-EINVAL, attach(session, session));
	close(session);
	EXPECT_TRUE(books_idle(20)) books_print();
}

TEST(undefined_flags)
{
	static const unsigned long commands[] = {
		GPUBP_ATTACH, GPUBP_RIGHTS, GPUBP_DETACH
	};
	int session = session_open(), fd = open_own();
	struct gpubp_attach a = { .fd = fd };
	unsigned int i, bit;

	ASSERT_EQ(0, ioctl(session, GPUBP_ATTACH, &a));
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		for (bit = 0; bit < 32; bit++) {
			struct gpubp_attach bad = {
				.fd = fd, .id = a.id, .flags = 1U << bit
			};

			EXPECT_EQ(-1, ioctl(session, commands[i], &bad));
			EXPECT_EQ(EINVAL, errno) TH_LOG("bit %u", bit);
		}
	EXPECT_EQ(0, ioctl(session, GPUBP_DETACH, &a));
	close(fd);
	close(session);
}

TEST(bad_pointers_and_commands)
{
	int session = session_open();

	EXPECT_EQ(-1, ioctl(session, GPUBP_ATTACH, NULL));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-1, ioctl(session, _IOWR('B', 0x7f, struct gpubp_attach), NULL));
	EXPECT_EQ(ENOTTY, errno);
	EXPECT_EQ(-1, ioctl(session, _IOR('B', 0x50, struct gpubp_attach), NULL));
	EXPECT_EQ(ENOTTY, errno);
	close(session);
}

TEST(any_member_of_a_group)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	int session = session_open(), dummy = open_dummy(), own = open_own();
	int first, second;

	first = syscall(SYS_perf_event_open, &attr, 0, -1, dummy, 0);
	second = syscall(SYS_perf_event_open, &attr, 0, -1, own, 0);
	ASSERT_LE(0, first);
	ASSERT_LE(0, second);
	EXPECT_EQ(-EINVAL, attach(session, dummy));
	EXPECT_EQ(READ, attach(session, first));
	EXPECT_EQ(READ, attach(session, own));
	EXPECT_EQ(READ, attach(session, second));
	close(own);
	close(dummy);
	close(first);
	close(second);
	close(session);
	EXPECT_TRUE(books_idle(20)) books_print();
}

/* failed detaches must not let the kernel's state grow without limit */
TEST(attachments_are_limited)
{
	int session = session_open(), i, ret = READ;

	for (i = 0; i <= GPUBP_ATTACH_MAX && ret == READ; i++) {
		int fd = open_own();

		ASSERT_LE(0, fd);
		ret = attach(session, fd);
		close(fd);
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(GPUBP_ATTACH_MAX + 1, i);
	close(session);
	EXPECT_TRUE(books_idle(60)) books_print();
}

/* ---- files that change hands ---------------------------------------------- */

struct gift {
	int session;
	int fd;
	uint64_t id;
};

/* a child with both files, and with a session of its own */
static int child_with_files(int sock, void *arg)
{
	struct gift *gift = arg;
	struct gpubp_attach a = { .id = gift->id };
	int own = session_open();

	say(sock, attach(gift->session, gift->fd));
	say(sock, ioctl(gift->session, GPUBP_RIGHTS, &a) ? -errno : (int)a.rights);
	say(sock, ioctl(gift->session, GPUBP_DETACH, &a) ? -errno : 0);
	say(sock, attach(own, gift->fd));
	say(sock, ioctl(own, GPUBP_RIGHTS, &a) ? -errno : (int)a.rights);
	return 0;
}

TEST(a_child_inherits_no_rights)
{
	struct gift gift = { session_open(), open_own() };
	struct gpubp_attach a = { .fd = gift.fd };
	struct child child;
	uint64_t value;

	ASSERT_EQ(0, ioctl(gift.session, GPUBP_ATTACH, &a));
	gift.id = a.id;
	ASSERT_EQ(0, child_start(&child, child_with_files, &gift));
	EXPECT_TRUE(hear(child.sock, &value));
	EXPECT_EQ(-EPERM, (int)value);		/* attach to the session */
	EXPECT_TRUE(hear(child.sock, &value));
	EXPECT_EQ(-EPERM, (int)value);		/* its rights */
	EXPECT_TRUE(hear(child.sock, &value));
	EXPECT_EQ(-EPERM, (int)value);		/* detach from it */
	EXPECT_TRUE(hear(child.sock, &value));
	EXPECT_EQ(-EPERM, (int)value);		/* the event, in its own */
	EXPECT_TRUE(hear(child.sock, &value));
	EXPECT_EQ(-ENOENT, (int)value);		/* the id, in its own */
	EXPECT_EQ(0, child_end(&child));
	EXPECT_EQ(0, ioctl(gift.session, GPUBP_RIGHTS, &a));
	close(gift.fd);
	close(gift.session);
	EXPECT_TRUE(books_idle(20)) books_print();
}

static int fd_send(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int fd_receive(int sock)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(sock, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -EBADMSG;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* holds all rights in its parent, passes both files to it, and stays alive */
static int generous(int sock, void *arg)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);
	int session = session_open(), fd;

	attr.sigtrap = 1;
	attr.remove_on_exec = 1;
	attr.disabled = 1;
	if (caps_idle(CAP_BIT(KILL)))
		return 1;
	fd = event_open(&attr, getppid(), -1);
	say(sock, attach(session, fd));
	if (fd_send(sock, session) || fd_send(sock, fd))
		return 1;
	return heard(sock) == 0 && attach(session, fd) == -EEXIST ? 0 : 1;
}

TEST(files_given_away)
{
	int own = session_open(), session, fd;
	struct gpubp_attach a = { };
	struct child child;

	ASSERT_EQ(0, child_start(&child, generous, NULL));
	EXPECT_EQ(ALL, heard(child.sock));
	session = fd_receive(child.sock);
	fd = fd_receive(child.sock);
	ASSERT_LE(0, session);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EPERM, attach(session, fd));
	EXPECT_EQ(-EPERM, attach(own, fd));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ID, &a.id));
	EXPECT_EQ(-1, ioctl(session, GPUBP_RIGHTS, &a));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(-1, ioctl(own, GPUBP_RIGHTS, &a));
	EXPECT_EQ(ENOENT, errno);
	say(child.sock, 0);
	EXPECT_EQ(0, child_end(&child));
	/* also refused after the opener exited */
	EXPECT_EQ(-EPERM, attach(own, fd));
	EXPECT_EQ(-EPERM, attach(session, fd));
	close(fd);
	close(session);
	close(own);
	EXPECT_TRUE(books_idle(20)) books_print();
}

TEST_HARNESS_MAIN
