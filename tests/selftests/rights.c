// SPDX-License-Identifier: GPL-2.0
/*
 * Which rights a session gets in another process through a perf fd, and when it
 * loses them. Documentation/gpubp/use/rights.rst has the same tables.
 *
 * yama_off_for_good must be the last test: it cannot be undone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "harness.h"
#include "books.h"
#include "roles.h"

#define READ	GPUBP_RIGHT_READ
#define ALL	RIGHTS_ALL
#define TRAP	OPENER_ATTR_SIGTRAP
#define REMOVE	OPENER_ATTR_REMOVE

#define USER	1000
#define OTHER	1001

#define CAP(name) CAP_BIT(name)

static const struct who user = { .uid = USER };
static const struct who user_kill = { USER, CAP(KILL) };
static const struct who user_perfmon = { USER, CAP(PERFMON) };
static const struct who user_perfmon_kill = { USER, CAP(PERFMON) | CAP(KILL) };
static const struct who user_ptrace = { USER, CAP(SYS_PTRACE) };
static const struct who user_three = {
	USER, CAP(PERFMON) | CAP(KILL) | CAP(SYS_PTRACE)
};
static const struct who user_three_asked = {
	USER, CAP(PERFMON) | CAP(KILL) | CAP(SYS_PTRACE), CAP(KILL)
};
static const struct who user_admin = { USER, CAP(SYS_ADMIN) };
static const struct who user_admin_kill = { USER, CAP(SYS_ADMIN) | CAP(KILL) };
static const struct who ns_root = { .uid = USER, .userns = true };
static const struct who root = { .caps = ALL_CAPS };
/* as Documentation/gpubp/use/sessions.rst advises authors of debuggers */
static const struct who root_asked = { .caps = ALL_CAPS, .idle = CAP(KILL) };
static const struct who root_unprofiling = {
	.caps = ALL_CAPS, .idle = CAP(PERFMON) | CAP(SYS_ADMIN)
};
static const struct who root_untracing = { 0, CAP(PERFMON) | CAP(KILL) | CAP(SETUID) };
static const struct who root_untracing_asked = {
	0, CAP(PERFMON) | CAP(KILL) | CAP(SETUID), CAP(KILL)
};

FIXTURE(rights) {
	int paranoid;
	int yama;
	int dumpable;
};

FIXTURE_SETUP(rights)
{
	self->yama = sysctl_set(YAMA, 1);
	if (self->yama < 0)
		SKIP(return, "ptrace_scope cannot be set");
	self->paranoid = sysctl_set(PARANOID, 2);
	ASSERT_NE(-1, self->paranoid);
	self->dumpable = sysctl_set(DUMPABLE, 0);
	ASSERT_EQ(0, target_programs());
}

FIXTURE_TEARDOWN_PARENT(rights)
{
	if (self->yama < 0)
		return;
	sysctl_set(YAMA, self->yama);
	sysctl_set(PARANOID, self->paranoid);
	sysctl_set(DUMPABLE, self->dumpable);
}

/* ---- opening, and the resulting rights ----------------------------------- */

enum relation { ITSELF, CHILD, USERS, OTHERS, ROOTS };

/**
 * struct opening - an event is opened and attached to
 * @name: situation
 * @who: the opener
 * @relation: the target: the opener, its child, or a child of the test
 * @before: first step of the target before the open
 * @before2: second step
 * @yama: ptrace_scope
 * @plain: errno of opening an event without sigtrap, or the rights it gives
 * @sigtrap: the same with sigtrap
 * @trace: result of process_vm_readv(2), which checks for a tracer's access
 */
struct opening {
	const char *name;
	const struct who *who;
	enum relation relation;
	enum target_step before;
	enum target_step before2;
	int yama;
	int plain;
	int sigtrap;
	bool trace;
};

static const struct opening openings[] = {
	{ "user, itself", &user, ITSELF, 0, 0, 2, READ, ALL, true },
	{ "user, its child, yama 0", &user, CHILD, 0, 0, 0, 0, ALL, true },
	{ "user, its child, yama 1", &user, CHILD, 0, 0, 1, 0, ALL, true },
	{ "user, its child, yama 2", &user, CHILD, 0, 0, 2, 0, -EACCES, false },
	{ "user, a user's, yama 0", &user, USERS, 0, 0, 0, 0, ALL, true },
	{ "user, a user's, yama 1", &user, USERS, 0, 0, 1, 0, -EACCES, false },
	{ "user, a user's with PTRACER_ANY, yama 1", &user, USERS,
	  TARGET_PTRACER_ANY, 0, 1, 0, ALL, true },
	{ "user, a user's with PTRACER_ANY, yama 2", &user, USERS,
	  TARGET_PTRACER_ANY, 0, 2, 0, -EACCES, false },
	{ "user, other's", &user, OTHERS, 0, 0, 0, -EACCES, -EACCES, false },
	{ "user, root's", &user, ROOTS, 0, 0, 0, -EACCES, -EACCES, false },
	{ "user, its child, not dumpable", &user, CHILD,
	  TARGET_UNDUMPABLE, 0, 0, -EACCES, -EACCES, false },
	{ "user, its child, which became root", &user, CHILD,
	  TARGET_EXEC_SUID, 0, 0, -EACCES, -EACCES, false },
	{ "user, its child, of a program it may not read", &user, CHILD,
	  TARGET_EXEC_UNREADABLE, 0, 0, -EACCES, -EACCES, false },

	{ "CAP_KILL, its child", &user_kill, CHILD, 0, 0, 1, 0, ALL, true },
	{ "CAP_KILL, other's", &user_kill, OTHERS, 0, 0, 0, -EACCES, -EACCES, false },

	{ "CAP_PERFMON, itself", &user_perfmon, ITSELF, 0, 0, 2, READ, ALL, true },
	{ "CAP_PERFMON, its child, yama 1", &user_perfmon, CHILD, 0, 0, 1, 0, ALL, true },
	{ "CAP_PERFMON, its child, yama 2", &user_perfmon, CHILD, 0, 0, 2, 0, -EACCES, false },
	{ "CAP_PERFMON, other's", &user_perfmon, OTHERS, 0, 0, 0, 0, -EACCES, false },
	{ "CAP_PERFMON, its child, not dumpable", &user_perfmon, CHILD,
	  TARGET_UNDUMPABLE, 0, 0, 0, -EACCES, false },

	{ "CAP_PERFMON and CAP_KILL, itself", &user_perfmon_kill, ITSELF,
	  0, 0, 0, READ, ALL, true },
	{ "CAP_PERFMON and CAP_KILL, its child", &user_perfmon_kill, CHILD,
	  0, 0, 0, 0, 0, true },
	{ "CAP_PERFMON and CAP_KILL, other's", &user_perfmon_kill, OTHERS,
	  0, 0, 0, 0, 0, false },
	{ "CAP_PERFMON and CAP_KILL, root's, yama 2", &user_perfmon_kill, ROOTS,
	  0, 0, 2, 0, 0, false },

	{ "CAP_SYS_PTRACE, other's, yama 2", &user_ptrace, OTHERS, 0, 0, 2, 0, ALL, true },
	{ "all three, other's, yama 2", &user_three, OTHERS, 0, 0, 2, 0, 0, true },
	{ "all three, other's, not dumpable", &user_three, OTHERS,
	  TARGET_UNDUMPABLE, 0, 0, 0, 0, true },
	{ "all three, CAP_KILL idle, other's, yama 2", &user_three_asked, OTHERS,
	  0, 0, 2, 0, ALL, true },
	{ "all three, CAP_KILL idle, other's, not dumpable", &user_three_asked,
	  OTHERS, TARGET_UNDUMPABLE, 0, 0, 0, ALL, true },

	{ "CAP_SYS_ADMIN, other's", &user_admin, OTHERS, 0, 0, 0, 0, -EACCES, false },
	{ "CAP_SYS_ADMIN and CAP_KILL, other's", &user_admin_kill, OTHERS,
	  0, 0, 0, 0, 0, false },

	{ "root, itself", &root, ITSELF, 0, 0, 2, READ, ALL, true },
	{ "root, other's, yama 0", &root, OTHERS, 0, 0, 0, 0, 0, true },
	{ "root, CAP_KILL idle, other's, yama 2", &root_asked, OTHERS,
	  0, 0, 2, 0, ALL, true },
	{ "root, CAP_KILL idle, other's, not dumpable", &root_asked, OTHERS,
	  TARGET_UNDUMPABLE, 0, 0, 0, ALL, true },
	{ "root without CAP_SYS_PTRACE, other's", &root_untracing, OTHERS,
	  0, 0, 0, 0, 0, false },
	{ "root without CAP_SYS_PTRACE, CAP_KILL idle, other's",
	  &root_untracing_asked, OTHERS, 0, 0, 0, 0, -EACCES, false },

	{ "root of a user namespace, its child", &ns_root, CHILD, 0, 0, 2, 0, ALL, true },
	{ "root of a user namespace, outside", &ns_root, USERS,
	  0, 0, 0, -EACCES, -EACCES, false },
	{ "user, its child in a user namespace", &user, CHILD,
	  TARGET_UNSHARE, 0, 2, 0, ALL, true },
	{ "user, its child in a user namespace, not dumpable", &user, CHILD,
	  TARGET_UNDUMPABLE, TARGET_UNSHARE, 0, -EACCES, -EACCES, false },
	{ "CAP_PERFMON, its child in a user namespace", &user_perfmon, CHILD,
	  TARGET_UNSHARE, 0, 0, 0, 0, true },
	{ "CAP_PERFMON, its child in a user namespace, not dumpable",
	  &user_perfmon, CHILD, TARGET_UNDUMPABLE, TARGET_UNSHARE, 0, 0, 0, false },
	{ "root, CAP_KILL idle, its child in a user namespace", &root_asked,
	  CHILD, TARGET_UNSHARE, 0, 0, 0, 0, true },
	{ "root, CAP_PERFMON idle, its child in a user namespace",
	  &root_unprofiling, CHILD, TARGET_UNSHARE, 0, 2, 0, ALL, true },
};

static int target_of(struct target *target, struct opener *opener, enum relation relation)
{
	switch (relation) {
	case CHILD:
		return opener_spawn(opener, target);
	case USERS:
		return target_start(target, USER);
	case OTHERS:
		return target_start(target, OTHER);
	case ROOTS:
		return target_start(target, 0);
	case ITSELF:
		break;
	}
	*target = (struct target){ .sock = -1, .pid = opener->child.pid };
	return 0;
}

/* rights or an errno of an event with these OPENER_ATTR_* */
static int64_t try(struct opener *opener, pid_t tid, int attr)
{
	int64_t fd, ret;

	opener_do(opener, OPENER_ATTR, attr);
	fd = opener_do(opener, OPENER_OPEN, tid);
	if (fd < 0)
		return fd;
	ret = opener_do(opener, OPENER_ATTACH, fd);
	if (ret >= 0 && opener_do(opener, OPENER_RIGHTS, 0) != ret)
		ret = -EBADMSG;
	opener_do(opener, OPENER_CLOSE, fd);
	return ret;
}

static int prepare(struct target *target, const struct opening *o)
{
	return (o->before ? target_do(target, o->before) : 0) ?:
	       (o->before2 ? target_do(target, o->before2) : 0);
}

#define EXPECT_OPENING(o) do {						\
	struct opener opener;						\
	struct target target;						\
	int64_t trace, plain, sigtrap;					\
									\
	ASSERT_EQ(0, opener_start(&opener, (o)->who)) TH_LOG("%s", (o)->name); \
	ASSERT_EQ(0, target_of(&target, &opener, (o)->relation)) TH_LOG("%s", (o)->name); \
	ASSERT_EQ(0, prepare(&target, o)) TH_LOG("%s", (o)->name);	\
	trace = opener_do(&opener, OPENER_TRACE, target.pid);		\
	EXPECT_EQ((o)->trace, trace) TH_LOG("%s, tracing", (o)->name);	\
	plain = try(&opener, target.pid, 0);				\
	EXPECT_EQ((o)->plain, plain) TH_LOG("%s, plain", (o)->name);	\
	sigtrap = try(&opener, target.pid, TRAP);			\
	EXPECT_EQ((o)->sigtrap, sigtrap) TH_LOG("%s, sigtrap", (o)->name); \
	/* no rights where the kernel refuses a tracer */		\
	EXPECT_TRUE(trace == 1 || (plain <= 0 && sigtrap <= 0))		\
		TH_LOG("%s, more than a tracer", (o)->name);		\
	if (target.sock >= 0)						\
		target_end(&target);					\
	opener_end(&opener);						\
} while (0)

TEST_F(rights, opening)
{
	const struct opening *o;

	for (o = openings; o < openings + ARRAY_SIZE(openings); o++) {
		sysctl_set(YAMA, o->yama);
		EXPECT_OPENING(o);
	}
	EXPECT_TRUE(books_idle(20)) books_print();
}

/* Debian's level: only CAP_SYS_ADMIN may open events */
TEST_F(rights, paranoid_3)
{
	static const struct opening stock[] = {
		{ "user, its child, paranoid 3", &user, CHILD,
		  0, 0, 0, -EACCES, -EACCES, true },
		{ "CAP_PERFMON, its child, paranoid 3", &user_perfmon, CHILD,
		  0, 0, 0, -EACCES, -EACCES, true },
		{ "root, other's, paranoid 3", &root, OTHERS, 0, 0, 0, 0, 0, true },
		{ "root, CAP_KILL idle, other's, paranoid 3", &root_asked, OTHERS,
		  0, 0, 0, 0, ALL, true },
	};
	char kernel[16] = "";
	FILE *file = fopen("/etc/vm/kernel", "re");
	unsigned int i;

	if (file) {
		fgets(kernel, sizeof(kernel), file);
		fclose(file);
	}
	if (strncmp(kernel, "stock", 5))
		SKIP(return, "not a kernel of Debian");
	sysctl_set(PARANOID, 3);
	for (i = 0; i < ARRAY_SIZE(stock); i++)
		EXPECT_OPENING(&stock[i]);
}

/* events that perf allows any user give no rights in other processes */
TEST_F(rights, paranoid_minus_1)
{
	const struct opening o = {
		"user, other's, paranoid -1", &user, OTHERS,
		0, 0, 0, -EACCES, -EACCES, false
	};

	sysctl_set(PARANOID, -1);
	EXPECT_OPENING(&o);
}

/* ---- changes of rights -------------------------------------------------- */

/**
 * struct change - the target changes after rights were given
 * @name: situation
 * @who: the opener
 * @relation: the target
 * @attr: OPENER_ATTR_* of the event
 * @step: step of the target
 * @suid_dumpable: the sysctl
 * @after: rights after it, or an errno
 * @trace: result of process_vm_readv(2) after it
 */
struct change {
	const char *name;
	const struct who *who;
	enum relation relation;
	int attr;
	enum target_step step;
	int suid_dumpable;
	int after;
	int trace;
};

static const struct change changes[] = {
	{ "exec, plain", &user, CHILD, 0, TARGET_EXEC, 0, 0, 1 },
	{ "exec, plain, remove_on_exec", &user, CHILD, REMOVE, TARGET_EXEC,
	  0, -ESRCH, 1 },
	{ "exec, sigtrap", &user, CHILD, TRAP, TARGET_EXEC, 0, -ESRCH, 1 },
	{ "exec in a thread, plain", &user, CHILD, 0, TARGET_THREAD_EXEC,
	  0, -ESRCH, 1 },
	{ "exec in a thread, sigtrap", &user, CHILD, TRAP,
	  TARGET_THREAD_EXEC, 0, -ESRCH, 1 },
	{ "set-uid exec, plain", &user, CHILD, 0, TARGET_EXEC_SUID, 0, -ESRCH, 0 },
	{ "set-uid exec, sigtrap", &user, CHILD, TRAP, TARGET_EXEC_SUID,
	  0, -ESRCH, 0 },
	{ "set-uid exec, suid_dumpable 2, plain", &user, CHILD, 0,
	  TARGET_EXEC_SUID, 2, -ESRCH, 0 },
	/* remains attached, without rights */
	{ "set-uid exec, suid_dumpable 1, plain", &user, CHILD, 0,
	  TARGET_EXEC_SUID, 1, 0, 0 },
	{ "set-uid exec, suid_dumpable 1, sigtrap", &user, CHILD, TRAP,
	  TARGET_EXEC_SUID, 1, -ESRCH, 0 },
	{ "unreadable exec, plain", &user, CHILD, 0, TARGET_EXEC_UNREADABLE,
	  0, -ESRCH, 0 },
	{ "unreadable exec, sigtrap", &user, CHILD, TRAP,
	  TARGET_EXEC_UNREADABLE, 0, -ESRCH, 0 },
	{ "exec of a program with capabilities, plain", &user, CHILD, 0,
	  TARGET_EXEC_CAPABLE, 0, -ESRCH, 0 },
	{ "exec of a program with capabilities, sigtrap", &user, CHILD,
	  TRAP, TARGET_EXEC_CAPABLE, 0, -ESRCH, 0 },
	{ "no more dumpable, plain", &user, CHILD, 0, TARGET_UNDUMPABLE, 0, 0, 0 },
	{ "no more dumpable, sigtrap", &user, CHILD, TRAP,
	  TARGET_UNDUMPABLE, 0, ALL, 0 },
	{ "a user namespace, sigtrap", &user, CHILD, TRAP,
	  TARGET_UNSHARE, 0, ALL, 1 },
	{ "a user namespace, CAP_PERFMON, sigtrap", &user_perfmon, CHILD,
	  TRAP, TARGET_UNSHARE, 0, 0, 1 },
	{ "a user namespace, root, CAP_KILL idle, sigtrap", &root_asked, CHILD,
	  TRAP, TARGET_UNSHARE, 0, 0, 1 },
	{ "root becomes user, sigtrap", &root_asked, ROOTS, TRAP,
	  TARGET_SETUID, 0, ALL, 1 },
	{ "the leader exits, plain", &user, CHILD, 0, TARGET_LEADER_EXITS,
	  0, -ESRCH, -ESRCH },
	{ "the leader exits, sigtrap", &user, CHILD, TRAP,
	  TARGET_LEADER_EXITS, 0, -ESRCH, -ESRCH },
	{ "exit, plain", &user, CHILD, 0, TARGET_EXIT, 0, -ESRCH, -ESRCH },
	{ "exit, sigtrap", &user, CHILD, TRAP, TARGET_EXIT,
	  0, -ESRCH, -ESRCH },
};

/* an exit is visible once the event has ended, too */
static int64_t rights_after(struct opener *opener, enum target_step step)
{
	int64_t ret;
	int i;

	for (i = 0; i < 1000; i++) {
		ret = opener_do(opener, OPENER_RIGHTS, 0);
		if (step != TARGET_EXIT || ret < 0)
			break;
		usleep(10000);
	}
	return ret;
}

#define EXPECT_CHANGE(c) do {						\
	struct opener opener;						\
	struct target target;						\
	int64_t fd;							\
									\
	ASSERT_EQ(0, opener_start(&opener, (c)->who));			\
	ASSERT_EQ(0, target_of(&target, &opener, (c)->relation));		\
	opener_do(&opener, OPENER_ATTR, (c)->attr);			\
	fd = opener_do(&opener, OPENER_OPEN, target.pid);		\
	ASSERT_LE(0, fd) TH_LOG("%s", (c)->name);			\
	EXPECT_EQ((c)->attr & TRAP ? ALL : 0,				\
		  opener_do(&opener, OPENER_ATTACH, fd))		\
		TH_LOG("%s", (c)->name);				\
	EXPECT_EQ((c)->step == TARGET_EXIT ? -EPIPE : 0,		\
		  target_do(&target, (c)->step)) TH_LOG("%s", (c)->name); \
	EXPECT_EQ((c)->after, rights_after(&opener, (c)->step))		\
		TH_LOG("%s", (c)->name);				\
	EXPECT_EQ((c)->trace, opener_do(&opener, OPENER_TRACE, target.pid)) \
		TH_LOG("%s, tracing", (c)->name);			\
	/* rights are not restored, and cannot be acquired again */	\
	EXPECT_EQ((c)->after, opener_do(&opener, OPENER_RIGHTS, 0))	\
		TH_LOG("%s, permanently", (c)->name);			\
	EXPECT_EQ(0, opener_do(&opener, OPENER_DETACH, 0));		\
	EXPECT_EQ((c)->after, opener_do(&opener, OPENER_ATTACH, fd))	\
		TH_LOG("%s, again", (c)->name);				\
	target_end(&target);						\
	opener_end(&opener);						\
} while (0)

TEST_F(rights, changes)
{
	bool capable = !target_capable();
	const struct change *c;

	if (!capable)
		TH_LOG("no file capabilities in /tmp here");
	for (c = changes; c < changes + ARRAY_SIZE(changes); c++) {
		if (c->step == TARGET_EXEC_CAPABLE && !capable)
			continue;
		sysctl_set(DUMPABLE, c->suid_dumpable);
		EXPECT_CHANGE(c);
	}
	EXPECT_TRUE(books_idle(20)) books_print();
}

/* ---- last: forbids tracing of all processes until the next boot ------------- */

FIXTURE(last) {
	int paranoid;
};

FIXTURE_SETUP(last)
{
	self->paranoid = sysctl_set(PARANOID, 2);
	ASSERT_NE(-1, self->paranoid);
}

FIXTURE_TEARDOWN_PARENT(last)
{
	sysctl_set(PARANOID, self->paranoid);
}

TEST_F(last, yama_off_for_good)
{
	static const struct opening last[] = {
		{ "user, itself, yama 3", &user, ITSELF, 0, 0, 3, READ, ALL, true },
		{ "user, its child, yama 3", &user, CHILD, 0, 0, 3, 0, -EACCES, false },
		{ "CAP_SYS_PTRACE, other's, yama 3", &user_ptrace, OTHERS,
		  0, 0, 3, 0, -EACCES, false },
		{ "root, other's, yama 3", &root, OTHERS, 0, 0, 3, 0, 0, false },
		{ "root, CAP_KILL idle, other's, yama 3", &root_asked, OTHERS,
		  0, 0, 3, 0, -EACCES, false },
	};
	unsigned int i;

	sysctl_set(YAMA, 3);
	for (i = 0; i < ARRAY_SIZE(last); i++)
		EXPECT_OPENING(&last[i]);
}

TEST_HARNESS_MAIN
