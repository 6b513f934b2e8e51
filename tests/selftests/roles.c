// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "event.h"
#include "roles.h"

#define ADDR	0x100000
#define NOBODY	65534

/* value from the other side; it may be -EPERM, so that -1 cannot mean that it exited */
static int64_t answer(int sock)
{
	uint64_t value;

	return hear(sock, &value) ? (int64_t)value : -EPIPE;
}

/* ---- shared by both -------------------------------------------------------- */

int sysctl_set(const char *path, int value)
{
	FILE *file = fopen(path, "r+e");
	int old = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &old) == 1) {
		rewind(file);
		fprintf(file, "%d\n", value);
	}
	return fclose(file) ? -1 : old;
}

/* ---- targets ------------------------------------------------------------- */

static int copy(const char *to, mode_t mode)
{
	char command[256];

	snprintf(command, sizeof(command), "cp %s %s", TARGET_PROGRAM, to);
	if (system(command))
		return -EIO;
	return chmod(to, mode) ? -errno : 0;
}

int target_programs(void)
{
	return copy(TARGET_SUID, 04755) ?: copy(TARGET_UNREADABLE, 0711);
}

int target_capable(void)
{
	static const struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1U << CAP_NET_BIND_SERVICE,
	};
	int err = copy(TARGET_CAPABLE, 0755);

	if (err)
		return err;
	/* on-disk format: little-endian, without the root id of later revisions */
	return setxattr(TARGET_CAPABLE, "security.capability", &data,
			XATTR_CAPS_SZ_2, 0) ? -errno : 0;
}

static void target_main(int sock, uid_t uid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (uid != getuid() && become(uid))
		_exit(1);
	if (dup2(sock, TARGET_SOCK) < 0 || fcntl(TARGET_SOCK, F_SETFD, 0))
		_exit(1);
	execl(TARGET_PROGRAM, TARGET_PROGRAM, NULL);
	_exit(1);
}

static int pair(int sock[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock) ?
	       -errno : 0;
}

int target_start(struct target *target, uid_t uid)
{
	int sock[2], err = pair(sock);

	if (err)
		return err;
	target->sock = sock[0];
	target->pid = fork();
	if (!target->pid)
		target_main(sock[1], uid);
	close(sock[1]);
	return target->pid < 0 ? -errno : answer(target->sock);
}

int64_t target_do(struct target *target, enum target_step step)
{
	if (!say(target->sock, step))
		return -EPIPE;
	return answer(target->sock);
}

void target_end(struct target *target)
{
	int status;

	say(target->sock, TARGET_EXIT);
	close(target->sock);
	/* the opener's child must be reaped by the opener */
	waitpid(target->pid, &status, 0);
}

/* ---- openers ------------------------------------------------------------- */

/* state of an opener */
static struct {
	int session;
	int target;
	unsigned int attr;
	uint64_t id;
	uint32_t pid;
} self;

static int set_caps(uint64_t caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int caps_idle(uint64_t caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~caps;
	data[1].effective &= ~(caps >> 32);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* /proc/self belongs to the user only if it is dumpable */
static int own_userns(uid_t uid)
{
	char map[32];

	snprintf(map, sizeof(map), "0 %u 1", uid);
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		return -errno;
	return write_file("/proc/self/uid_map", map);
}

static int be(const struct who *who)
{
	int err;

	if (who->caps == ALL_CAPS)
		return caps_idle(who->idle);
	if (prctl(PR_SET_KEEPCAPS, 1))
		return -errno;
	err = become(who->uid) ?: set_caps(who->caps) ?: caps_idle(who->idle);
	return err ?: who->userns ? own_userns(who->uid) : 0;
}

static struct perf_event_attr attr_of(unsigned int flags)
{
	struct perf_event_attr attr = event_watch(ADDR, 4, EVENT_STORES);

	attr.exclude_kernel = 1;
	attr.disabled = 1;
	attr.sigtrap = !!(flags & OPENER_ATTR_SIGTRAP);
	attr.remove_on_exec = !!(flags & (OPENER_ATTR_SIGTRAP | OPENER_ATTR_REMOVE));
	attr.inherit = !!(flags & OPENER_ATTR_INHERIT);
	return attr;
}

static int64_t open_on(pid_t tid)
{
	struct perf_event_attr attr = attr_of(self.attr);

	return event_open(&attr, tid, -1);
}

static int64_t spawn(void)
{
	pid_t pid = fork();

	if (!pid)
		target_main(self.target, getuid());
	close(self.target);	/* so that the target's exit is noticed */
	return pid < 0 ? -errno : pid;
}

static int64_t attach(int fd)
{
	struct gpubp_attach a = { .fd = fd };

	if (ioctl(self.session, GPUBP_ATTACH, &a))
		return -errno;
	self.id = a.id;
	self.pid = a.pid;
	return a.rights;
}

static int64_t rights(void)
{
	struct gpubp_attach a = { .id = self.id };

	if (ioctl(self.session, GPUBP_RIGHTS, &a))
		return -errno;
	self.pid = a.pid;
	return a.rights;
}

static int64_t detach(void)
{
	struct gpubp_attach a = { .id = self.id };

	return ioctl(self.session, GPUBP_DETACH, &a) ? -errno : 0;
}

/* the access is checked before the address, which is invalid */
static int64_t trace(pid_t pid)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { NULL, 1 };

	process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return errno == EFAULT ? 1 : errno == EPERM ? 0 : -errno;
}

static int64_t of_call(int64_t ret)
{
	return ret < 0 ? -errno : ret;
}

static int64_t take(enum opener_step step, int64_t arg)
{
	switch (step) {
	case OPENER_SPAWN:
		return spawn();
	case OPENER_ATTR:
		self.attr = arg;
		return 0;
	case OPENER_OPEN:
		return open_on(arg);
	case OPENER_ATTACH:
		return attach(arg);
	case OPENER_RIGHTS:
		return rights();
	case OPENER_PID:
		return self.pid;
	case OPENER_DETACH:
		return detach();
	case OPENER_CLOSE:
		return of_call(close(arg));
	case OPENER_DUP:
		return of_call(dup(arg));
	case OPENER_ENABLE:
		return of_call(ioctl(arg, PERF_EVENT_IOC_ENABLE));
	case OPENER_DISABLE:
		return of_call(ioctl(arg, PERF_EVENT_IOC_DISABLE));
	case OPENER_TRACE:
		return trace(arg);
	case OPENER_DROP:
		return become(NOBODY) ?: set_caps(0);
	}
	return -EINVAL;
}

static int opener_main(int sock, void *arg)
{
	uint64_t step, value;
	int err;

	/* children of a test that exits are reaped by the kernel */
	signal(SIGCHLD, SIG_IGN);
	err = be(arg);
	self.session = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	if (!err && self.session < 0)
		err = -errno;
	if (!say(sock, err) || err)
		return 1;
	while (hear(sock, &step) && hear(sock, &value))
		if (!say(sock, take(step, value)))
			break;
	return 0;
}

int opener_start(struct opener *opener, const struct who *who)
{
	int sock[2], err = pair(sock);

	if (err)
		return err;
	self.target = sock[1];
	opener->spawned = sock[0];
	err = child_start(&opener->child, opener_main, (void *)who);
	close(sock[1]);
	return err ?: answer(opener->child.sock);
}

int64_t opener_do(struct opener *opener, enum opener_step step, int64_t arg)
{
	if (!say(opener->child.sock, step) || !say(opener->child.sock, arg))
		return -EPIPE;
	return answer(opener->child.sock);
}

int opener_spawn(struct opener *opener, struct target *target)
{
	int64_t pid = opener_do(opener, OPENER_SPAWN, 0);

	if (pid < 0)
		return pid;
	target->pid = pid;
	target->sock = opener->spawned;
	opener->spawned = -1;
	return answer(target->sock);
}

void opener_end(struct opener *opener)
{
	if (opener->spawned >= 0)
		close(opener->spawned);
	shutdown(opener->child.sock, SHUT_RDWR);
	child_end(&opener->child);
}
