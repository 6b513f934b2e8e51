// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "child.h"

static void run_child(pid_t parent, int sock, int (*fn)(int sock, void *arg),
		      void *arg)
{
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/*
	 * 0 if the parent is outside the pid namespace of which the child is
	 * the first process
	 */
	if (getppid() && getppid() != parent)
		_exit(1);	/* the parent died before PR_SET_PDEATHSIG was set */
	signal(SIGPIPE, SIG_IGN);
	status = fn(sock, arg);
	fflush(stdout);
	_exit(status);
}

int child_start(struct child *child, int (*fn)(int sock, void *arg), void *arg)
{
	pid_t parent = getpid();
	int sock[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sock))
		return -errno;
	fflush(stdout);
	child->pid = fork();
	if (child->pid < 0)
		return -errno;
	if (!child->pid) {
		close(sock[0]);
		run_child(parent, sock[1], fn, arg);
	}
	close(sock[1]);
	child->sock = sock[0];
	return 0;
}

int child_end(struct child *child)
{
	int status;

	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	close(child->sock);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

int child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	return child_end(child);
}

bool say(int sock, uint64_t value)
{
	return send(sock, &value, sizeof(value), MSG_NOSIGNAL) == sizeof(value);
}

bool hear(int sock, uint64_t *value)
{
	ssize_t n;

	do {
		n = recv(sock, value, sizeof(*value), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*value);
}

int64_t heard(int sock)
{
	uint64_t value;

	return hear(sock, &value) ? (int64_t)value : -1;
}

int run_on_cpu(pid_t tid, int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(tid, sizeof(cpus), &cpus) ? -errno : 0;
}

int become(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

char task_state(pid_t pid)
{
	char path[32], line[512];
	const char *paren;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	n = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[n] = '\0';
	paren = strrchr(line, ')');
	return paren && paren[1] ? paren[2] : 0;
}

bool asleep_in_ioctl(pid_t pid, unsigned int cmd)
{
	unsigned long fd, arg;
	char path[32];
	long nr = -1;
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* "running" while it does not sleep */
	n = fscanf(file, "%ld 0x%lx 0x%lx", &nr, &fd, &arg);
	fclose(file);
	return n == 3 && nr == SYS_ioctl && (unsigned int)arg == cmd;
}

/* -ECHILD if it exits instead; then child_end() is still to be called */
static int await_stop(pid_t pid)
{
	siginfo_t info = {};

	if (waitid(P_PID, pid, &info, WEXITED | WSTOPPED | WNOWAIT))
		return -errno;
	if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
		return -ECHILD;
	return waitid(P_PID, pid, &info, WSTOPPED) ? -errno : 0;
}

static int stop_and_continue(pid_t pid)
{
	int err;

	if (kill(pid, SIGSTOP))
		return -errno;
	err = await_stop(pid);
	if (!err && kill(pid, SIGCONT))
		err = -errno;
	return err;
}

static int trace_and_detach(pid_t pid)
{
	int err;

	/* a task that exits cannot be attached to */
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		return errno == ESRCH || errno == EPERM ? -ECHILD : -errno;
	err = await_stop(pid);
	if (!err && ptrace(PTRACE_DETACH, pid, NULL, NULL))
		err = -errno;
	return err;
}

int disturb(pid_t pid, enum disturbance how)
{
	return how == DISTURB_STOP ? stop_and_continue(pid) :
				     trace_and_detach(pid);
}

static bool has_exited(pid_t pid)
{
	siginfo_t info = {};

	return waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid;
}

int disturb_in_ioctl(pid_t pid, unsigned int cmd, enum disturbance how,
		     int times, int seconds)
{
	time_t end = time(NULL) + seconds;
	int n = 0, err;

	while (!times || n < times) {
		if (has_exited(pid))
			return times ? -ECHILD : n;
		if (time(NULL) > end)
			return -ETIMEDOUT;
		if (!asleep_in_ioctl(pid, cmd)) {
			usleep(100);
			continue;
		}
		err = disturb(pid, how);
		if (err && err != -ECHILD)
			return err;
		n += !err;
	}
	return n;
}

#define ASLEEP_MS	20

bool wait_asleep(pid_t pid, int seconds)
{
	int ms, asleep = 0;

	for (ms = 0; ms < seconds * 1000 && asleep < ASLEEP_MS; ms++) {
		char state = task_state(pid);

		asleep = state == 'S' || state == 'D' ? asleep + 1 : 0;
		usleep(1000);
	}
	return asleep == ASLEEP_MS;
}
