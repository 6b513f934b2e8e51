/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Openers and targets: processes that do what the test tells them, one step at
 * a time, so that a test reads as a table of who does what to whom.
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

/* newer than some of the headers */
#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

/** caps_idle() - have this thread's effective set lack these; 0 or -errno */
int caps_idle(uint64_t caps);

/** sysctl_set() - its old value, -1 if it cannot be set */
int sysctl_set(const char *path, int value);

/**
 * struct who - whose rights a process has
 * @uid: user and group
 * @caps: capabilities, bit by bit, in the user namespace that it begins in
 * @idle: those of them that it does not keep effective
 * @userns: then it makes its own user namespace, where it is root
 */
struct who {
	uid_t uid;
	uint64_t caps;
	uint64_t idle;
	bool userns;
};

/**
 * enum target_step - what a target does; each returns 0 or -errno
 * @TARGET_EXEC: executes itself
 * @TARGET_EXEC_SUID: a set-user-id program
 * @TARGET_EXEC_UNREADABLE: a program that may be executed but not read
 * @TARGET_EXEC_CAPABLE: a program that has file capabilities
 * @TARGET_UNDUMPABLE: PR_SET_DUMPABLE 0
 * @TARGET_PTRACER_ANY: PR_SET_PTRACER_ANY
 * @TARGET_UNSHARE: its own user namespace
 * @TARGET_SETUID: becomes user 1000
 * @TARGET_THREAD: starts a thread; returns its id
 * @TARGET_LEADER_EXITS: goes on in another thread
 * @TARGET_THREAD_EXEC: @TARGET_EXEC in another thread
 * @TARGET_EXIT: no answer
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
#define TARGET_SOCK		3	/* the descriptor that they talk through */

/** struct target - the test's end of one */
struct target {
	int sock;
	pid_t pid;
};

/** target_programs() - install TARGET_SUID and TARGET_UNREADABLE; 0 or -errno */
int target_programs(void);

/** target_capable() - install TARGET_CAPABLE, if the file system can; 0 or -errno */
int target_capable(void);

/** target_start() - a target that is the test's own child; 0 or -errno */
int target_start(struct target *target, uid_t uid);

/** target_do() - have it take a step */
int64_t target_do(struct target *target, enum target_step step);

/** target_end() - it exits, if it has not */
void target_end(struct target *target);

/**
 * enum opener_step - what an opener does; each returns -errno where it fails
 * @OPENER_SPAWN: fork a target
 * @OPENER_ATTR: choose the event to be opened: OPENER_ATTR_*
 * @OPENER_OPEN: open it on a thread; returns a descriptor
 * @OPENER_ATTACH: GPUBP_ATTACH of a descriptor; returns the rights
 * @OPENER_RIGHTS: GPUBP_RIGHTS of what was attached last; the rights
 * @OPENER_PID: as GPUBP_RIGHTS told last
 * @OPENER_DETACH: GPUBP_DETACH of it
 * @OPENER_CLOSE: a descriptor
 * @OPENER_DUP: a descriptor
 * @OPENER_ENABLE: event of a descriptor
 * @OPENER_DISABLE: event of a descriptor
 * @OPENER_TRACE: may it trace this process? 1 or 0
 * @OPENER_DROP: all capabilities, and become nobody
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

/** struct opener - the test's end of one */
struct opener {
	struct child child;
	int spawned;
};

/** opener_start() - an opener with a session; 0 or -errno */
int opener_start(struct opener *opener, const struct who *who);

/** opener_do() - have it take a step */
int64_t opener_do(struct opener *opener, enum opener_step step, int64_t arg);

/** opener_spawn() - a target that is the opener's child; 0 or -errno */
int opener_spawn(struct opener *opener, struct target *target);

/** opener_end() - it exits */
void opener_end(struct opener *opener);

#endif /* SELFTESTS_ROLES_H */
