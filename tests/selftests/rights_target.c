// SPDX-License-Identifier: GPL-2.0
/* A target of rights.c: performs the steps that it receives on TARGET_SOCK. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "roles.h"

static void *serve(void *unused);

static int64_t execute(const char *path)
{
	execl(path, path, NULL);
	return -errno;
}

static void *sleeper(void *tid)
{
	__atomic_store_n((pid_t *)tid, syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return NULL;
}

static int64_t start_thread(void)
{
	static pid_t tid;
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleeper, &tid))
		return -EAGAIN;
	while (!__atomic_load_n(&tid, __ATOMIC_SEQ_CST))
		sched_yield();
	return tid;
}

static void *serve_after_leader(void *unused)
{
	while (task_state(getpid()) != 'Z')
		usleep(1000);
	say(TARGET_SOCK, 0);
	return serve(unused);
}

static int64_t leave_leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve_after_leader, NULL))
		return -EAGAIN;
	syscall(SYS_exit, 0);	/* this thread only */
	return 0;
}

static void *execute_in_thread(void *unused)
{
	say(TARGET_SOCK, execute(TARGET_PROGRAM));
	return NULL;
}

static int64_t thread_exec(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, execute_in_thread, NULL))
		return -EAGAIN;
	for (;;)
		pause();
}

static int64_t take(enum target_step step)
{
	switch (step) {
	case TARGET_EXEC:
		return execute(TARGET_PROGRAM);
	case TARGET_EXEC_SUID:
		return execute(TARGET_SUID);
	case TARGET_EXEC_UNREADABLE:
		return execute(TARGET_UNREADABLE);
	case TARGET_EXEC_CAPABLE:
		return execute(TARGET_CAPABLE);
	case TARGET_UNDUMPABLE:
		return prctl(PR_SET_DUMPABLE, 0) ? -errno : 0;
	case TARGET_PTRACER_ANY:
		return prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY) ? -errno : 0;
	case TARGET_UNSHARE:
		return unshare(CLONE_NEWUSER) ? -errno : 0;
	case TARGET_SETUID:
		return setresuid(1000, 1000, 1000) ? -errno : 0;
	case TARGET_THREAD:
		return start_thread();
	case TARGET_LEADER_EXITS:
		return leave_leader();
	case TARGET_THREAD_EXEC:
		return thread_exec();
	case TARGET_EXIT:
		_exit(0);
	default:
		return 0;
	}
}

static void *serve(void *unused)
{
	uint64_t step;

	while (hear(TARGET_SOCK, &step))
		if (!say(TARGET_SOCK, take(step)))
			break;
	_exit(0);
}

/* the first message answers the process that had this program executed */
int main(void)
{
	if (!say(TARGET_SOCK, 0))
		return 1;
	serve(NULL);
}
