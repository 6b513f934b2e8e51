/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child processes in lock step with the test: both sides say() and hear()
 * numbers through a socket. If one side exits, the other's hear() fails.
 * Children die with their parent.
 */
#ifndef SELFTESTS_CHILD_H
#define SELFTESTS_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int sock;
};

/**
 * child_start() - fork
 * @child: out
 * @fn: function to run; returns the exit status
 * @arg: for @fn
 *
 * Return: 0 or a negative errno.
 */
int child_start(struct child *child, int (*fn)(int sock, void *arg), void *arg);

/** child_end() - wait for its exit: exit status, or 128 + signal */
int child_end(struct child *child);

/** child_kill() - SIGKILL it and wait for its exit */
int child_kill(struct child *child);

/** say() - send a number to the other side; false if it has exited */
bool say(int sock, uint64_t value);

/** hear() - wait for a number; false if the other side has exited */
bool hear(int sock, uint64_t *value);

/** heard() - hear() for small values; -1 if the other side has exited */
int64_t heard(int sock);

/** run_on_cpu() - of a thread, 0 for the caller, on no other CPU; 0 or a negative errno */
int run_on_cpu(pid_t tid, int cpu);

/** become() - drop root; 0 or a negative errno */
int become(uid_t uid);

/** task_state() - state letter from /proc/<pid>/stat, 0 if there is no such task */
char task_state(pid_t pid);

/** asleep_in_ioctl() - does a task sleep in this ioctl */
bool asleep_in_ioctl(pid_t pid, unsigned int cmd);

/**
 * enum disturbance - what ends a sleep although no signal has a handler
 * @DISTURB_STOP: SIGSTOP and SIGCONT
 * @DISTURB_TRACE: a tracer that attaches, stops the task and detaches
 */
enum disturbance {
	DISTURB_STOP,
	DISTURB_TRACE,
};

/** disturb() - do that to a child; 0 or a negative errno, -ECHILD if it exits */
int disturb(pid_t pid, enum disturbance how);

/**
 * disturb_in_ioctl() - disturb a child each time that it sleeps in an ioctl
 * @pid: child
 * @cmd: the ioctl
 * @how: how
 * @times: end after so many times, 0 when it exits
 * @seconds: or after that time
 *
 * Return: how often it was disturbed, or a negative errno: -ETIMEDOUT, and if it
 * exits before, -ECHILD.
 */
int disturb_in_ioctl(pid_t pid, unsigned int cmd, enum disturbance how,
		     int times, int seconds);

/** wait_asleep() - wait until a task sleeps and keeps sleeping; false: timeout */
bool wait_asleep(pid_t pid, int seconds);

#endif /* SELFTESTS_CHILD_H */
