/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child processes that run in step with the test: both sides say() and hear()
 * numbers through a socket. A side that is gone makes the other's hear() fail.
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
 * @fn: what it does; its exit status
 * @arg: for @fn
 *
 * Return: 0 or a negative errno.
 */
int child_start(struct child *child, int (*fn)(int sock, void *arg), void *arg);

/** child_end() - wait for it: its exit status, or 128 + signal */
int child_end(struct child *child);

/** child_kill() - SIGKILL it and wait for it */
int child_kill(struct child *child);

/** say() - tell the other side a number; false if it is gone */
bool say(int sock, uint64_t value);

/** hear() - wait for a number; false if the other side is gone */
bool hear(int sock, uint64_t *value);

/** heard() - hear(), where the value is meant to be small; -1 if gone */
int64_t heard(int sock);

/** become() - give up root; 0 or a negative errno */
int become(uid_t uid);

/** task_state() - the letter in /proc/<pid>/stat, 0 if there is no such task */
char task_state(pid_t pid);

/** wait_asleep() - until a task sleeps, and goes on sleeping; false: it never does */
bool wait_asleep(pid_t pid, int seconds);

#endif /* SELFTESTS_CHILD_H */
