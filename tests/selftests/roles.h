/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Openers and targets: processes that perform the steps that the test requests,
 * one at a time, so that a test reads as a table of actors and actions.
 */
#ifndef SELFTESTS_ROLES_H
#define SELFTESTS_ROLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/capability.h>
#include <linux/gpubp.h>
#include "child.h"

#define ALL_CAPS	(~0ULL)

#define RIGHTS_ALL	(GPUBP_RIGHT_READ | GPUBP_RIGHT_WRITE | \
			 GPUBP_RIGHT_STOP | GPUBP_RIGHT_SIGNAL)

#define YAMA		"/proc/sys/kernel/yama/ptrace_scope"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define DUMPABLE	"/proc/sys/fs/suid_dumpable"

#define CAP_BIT(name)	(1ULL << CAP_##name)

/* missing from some headers */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/** caps_idle() - remove these from this thread's effective set; 0 or -errno */
int caps_idle(uint64_t caps);

/** sysctl_set() - set a value; returns the old value, -1 if it cannot be set */
int sysctl_set(const char *path, int value);

/**
 * struct who - credentials of a process
 * @uid: user and group
 * @caps: capabilities, one a bit, in its initial user namespace
 * @idle: those of them that are not effective
 * @userns: it then creates its own user namespace, where it is root
 */
struct who {
	uid_t uid;
	uint64_t caps;
	uint64_t idle;
	bool userns;
};

/**
 * enum target_step - steps of a target; each returns 0 or -errno
 * @TARGET_EXEC: executes itself
 * @TARGET_EXEC_SUID: executes a set-user-id program
 * @TARGET_EXEC_UNREADABLE: executes a program that may be executed but not read
 * @TARGET_EXEC_CAPABLE: executes a program that has file capabilities
 * @TARGET_UNDUMPABLE: PR_SET_DUMPABLE 0
 * @TARGET_PTRACER_ANY: PR_SET_PTRACER_ANY
 * @TARGET_UNSHARE: creates its own user namespace
 * @TARGET_SETUID: becomes user 1000
 * @TARGET_THREAD: starts a thread; returns its id
 * @TARGET_LEADER_EXITS: the leader exits, another thread continues
 * @TARGET_THREAD_EXEC: @TARGET_EXEC in another thread
 * @TARGET_EXIT: exits without an answer
 */
enum target_step {
	TARGET_NOTHING,
	TARGET_EXEC,
	TARGET_EXEC_SUID,
	TARGET_EXEC_UNREADABLE,
	TARGET_EXEC_CAPABLE,
	TARGET_UNDUMPABLE,
	TARGET_PTRACER_ANY,
	TARGET_UNSHARE,
	TARGET_SETUID,
	TARGET_THREAD,
	TARGET_LEADER_EXITS,
	TARGET_THREAD_EXEC,
	TARGET_EXIT,
};

/* programs that targets execute */
#define TARGET_PROGRAM		"/lib/gpubp/selftests/rights_target"
#define TARGET_SUID		"/tmp/rights_target.suid"
#define TARGET_UNREADABLE	"/tmp/rights_target.unreadable"
#define TARGET_CAPABLE		"/tmp/rights_target.capable"
#define TARGET_SOCK		3	/* the descriptor of the socket to the test */

/** struct target - a target as seen by the test */
struct target {
	int sock;
	pid_t pid;
};

/** target_programs() - install TARGET_SUID and TARGET_UNREADABLE; 0 or -errno */
int target_programs(void);

/**
 * target_capable() - install TARGET_CAPABLE, if the file system supports it; 0
 *	or -errno
 */
int target_capable(void);

/** target_start() - start a target as a child of the test; 0 or -errno */
int target_start(struct target *target, uid_t uid);

/** target_do() - request a step */
int64_t target_do(struct target *target, enum target_step step);

/** target_end() - let it exit, if it has not */
void target_end(struct target *target);

/**
 * enum opener_step - steps of an opener; each returns -errno on failure
 * @OPENER_SPAWN: fork a target
 * @OPENER_ATTR: select the event to open: OPENER_ATTR_*
 * @OPENER_OPEN: open it on a thread; returns a descriptor
 * @OPENER_ATTACH: GPUBP_ATTACH of a descriptor; returns the rights
 * @OPENER_RIGHTS: GPUBP_RIGHTS of the last attachment; returns the rights
 * @OPENER_PID: the pid from the last GPUBP_RIGHTS
 * @OPENER_DETACH: GPUBP_DETACH of the last attachment
 * @OPENER_CLOSE: close a descriptor
 * @OPENER_DUP: duplicate a descriptor
 * @OPENER_ENABLE: enable the event of a descriptor
 * @OPENER_DISABLE: disable the event of a descriptor
 * @OPENER_TRACE: returns 1 if it may trace this process, else 0
 * @OPENER_DROP: drop all capabilities and become an unprivileged user
 */
enum opener_step {
	OPENER_SPAWN,
	OPENER_ATTR,
	OPENER_OPEN,
	OPENER_ATTACH,
	OPENER_RIGHTS,
	OPENER_PID,
	OPENER_DETACH,
	OPENER_CLOSE,
	OPENER_DUP,
	OPENER_ENABLE,
	OPENER_DISABLE,
	OPENER_TRACE,
	OPENER_DROP,
};

#define OPENER_ATTR_SIGTRAP	1	/* sigtrap, remove_on_exec */
#define OPENER_ATTR_REMOVE	2	/* remove_on_exec */
#define OPENER_ATTR_INHERIT	4

/** struct opener - an opener as seen by the test */
struct opener {
	struct child child;
	int spawned;
};

/** opener_start() - start an opener with a session; 0 or -errno */
int opener_start(struct opener *opener, const struct who *who);

/** opener_do() - request a step */
int64_t opener_do(struct opener *opener, enum opener_step step, int64_t arg);

/** opener_spawn() - start a target as a child of the opener; 0 or -errno */
int opener_spawn(struct opener *opener, struct target *target);

/** opener_end() - let it exit */
void opener_end(struct opener *opener);

#endif /* SELFTESTS_ROLES_H */
