// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include "borrow.h"

#ifdef __x86_64__
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "borrow_regs.h"
#include "target.h"

#define LOOK_NS		1000000
#define TAKE_MS		10000	/* until a thread can be taken */
#define STOP_MS		10000	/* until one has stopped that is to */
#define RETURN_MS	60000	/* until the function returns */

#define EVENT_OF(status)	((status) >> 16)
#define CALL_STOP		(SIGTRAP | 0x80)	/* PTRACE_O_TRACESYSGOOD */

/**
 * struct thread - a thread that is traced
 * @pid: its process
 * @tid: it
 * @was: what it had
 * @regs: of the call
 * @data: of the call, in its memory
 * @slept: in the call, so that the kernel has forgotten the rest of the time for which it was to
 *	sleep before
 */
struct thread {
	pid_t pid;
	pid_t tid;
	struct borrowed was;
	struct user_regs_struct regs;
	uint64_t data;
	bool slept;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void look_later(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
}

static int trace(long request, pid_t tid, void *addr, void *data)
{
	return ptrace(request, tid, addr, data) < 0 ? -errno : 0;
}

/* ---- stops ---------------------------------------------------------------------------- */

/* its next stop; -ESRCH: it has ended; -ETIMEDOUT */
static int wait_stop(const struct thread *t, int ms, int *status)
{
	const int64_t end = now_ms() + ms;
	bool is_late;
	pid_t got;

	do {
		/* before it looks: this process may have to wait, too */
		is_late = now_ms() >= end;
		got = waitpid(t->tid, status, __WALL | WNOHANG);
		if (got < 0 && errno != EINTR)
			return -ESRCH;
		if (got == t->tid)
			return WIFSTOPPED(*status) ? 0 : -ESRCH;
		look_later();
	} while (!is_late);
	return -ETIMEDOUT;
}

/* a signal that came during the call is the thread's */
static int pass_signal(const struct thread *t, long request, int status)
{
	const bool group_stop = EVENT_OF(status) == PTRACE_EVENT_STOP &&
				WSTOPSIG(status) != SIGTRAP;
	const long sig = EVENT_OF(status) || WSTOPSIG(status) == CALL_STOP ? 0 :
			 WSTOPSIG(status);

	return group_stop ? trace(PTRACE_LISTEN, t->tid, NULL, NULL) :
			    trace(request, t->tid, NULL, (void *)sig);
}

/* it is stopped where it enters user space; -EBUSY: all of its process is */
static int stop_thread(const struct thread *t)
{
	int status, ret = trace(PTRACE_INTERRUPT, t->tid, NULL, NULL);

	while (!ret) {
		ret = wait_stop(t, STOP_MS, &status);
		if (ret)
			break;
		if (EVENT_OF(status) == PTRACE_EVENT_STOP)
			return WSTOPSIG(status) == SIGTRAP ? 0 : -EBUSY;
		ret = pass_signal(t, PTRACE_CONT, status);
	}
	return ret;
}

/* ---- what it has ------------------------------------------------------------------------ */

static int read_thread(struct thread *t)
{
	struct iovec xstate = { t->was.xstate, BORROW_XSTATE };
	int ret = trace(PTRACE_GETREGS, t->tid, NULL, &t->was.regs);

	ret = ret ? ret : trace(PTRACE_GETSIGMASK, t->tid, (void *)8, &t->was.mask);
	ret = ret ? ret : trace(PTRACE_GETREGSET, t->tid, (void *)NT_X86_XSTATE, &xstate);
	t->was.xstate_len = xstate.iov_len;
	if (!ret)
		borrow_number(t->pid, &t->was.regs);
	return ret;
}

/* it is in a critical section of restartable sequences */
static bool is_in_sequence(const struct thread *t)
{
	struct __ptrace_rseq_configuration rseq = { 0 };
	uint64_t section = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, t->tid, (void *)sizeof(rseq), &rseq) !=
	    sizeof(rseq) || !rseq.rseq_abi_pointer)
		return false;
	return !target_read(t->pid, rseq.rseq_abi_pointer + 8, &section, sizeof(section)) ||
	       section;
}

static bool may_take(const struct thread *t)
{
	return borrow_is_safe(t->pid, &t->was.regs) && !is_in_sequence(t);
}

/* ---- the call ---------------------------------------------------------------------------- */

/* from here on it returns by itself to what it did */
static int begin_call(struct thread *t, uint64_t restorer, const struct borrow_call *call)
{
	const uint64_t all = ~0ull;
	int ret;

	if (!borrow_frame(t->pid, &t->was, restorer, call, &t->regs, &t->data))
		return -EAGAIN;
	ret = trace(PTRACE_SETREGS, t->tid, NULL, &t->regs);
	/* its handlers are for what it did */
	return ret ? ret : trace(PTRACE_SETSIGMASK, t->tid, (void *)8, (void *)&all);
}

/* it is where it enters rt_sigreturn() */
static int wait_return(struct thread *t)
{
	const int64_t end = now_ms() + RETURN_MS;
	struct user_regs_struct now;
	int status, ret = trace(PTRACE_SYSCALL, t->tid, NULL, NULL);

	while (!ret) {
		ret = wait_stop(t, (int)(end - now_ms()), &status);
		if (ret)
			break;
		if (WSTOPSIG(status) == CALL_STOP) {
			ret = trace(PTRACE_GETREGS, t->tid, NULL, &now);
			if (!ret && borrow_has_returned(&now, &t->regs))
				return 0;
			t->slept |= now.orig_rax == SYS_nanosleep ||
				    now.orig_rax == SYS_clock_nanosleep;
		}
		ret = ret ? ret : pass_signal(t, PTRACE_SYSCALL, status);
	}
	return ret;
}

/*
 * In place of rt_sigreturn(). The registers are last: without them it restores all by its
 * frame.
 */
static int end_call(struct thread *t, struct borrow_call *call)
{
	struct user_regs_struct regs = borrow_resumed(&t->was.regs, !t->slept);
	struct iovec xstate = { t->was.xstate, t->was.xstate_len };
	int ret = target_read(t->pid, t->data, call->data, BORROW_DATA) ? 0 : -EFAULT;

	ret = ret ? ret : trace(PTRACE_SETSIGMASK, t->tid, (void *)8, &t->was.mask);
	ret = ret ? ret : trace(PTRACE_SETREGSET, t->tid, (void *)NT_X86_XSTATE, &xstate);
	return ret ? ret : trace(PTRACE_SETREGS, t->tid, NULL, &regs);
}

/*
 * In PTRACE_EVENT_STOP: the kernel does with its system call what it would without us, as it has
 * signals for it or not.
 */
static void resume_call(const struct thread *t)
{
	struct user_regs_struct regs = borrow_interrupted(&t->was.regs, !t->slept);

	trace(PTRACE_SETREGS, t->tid, NULL, &regs);
}

/*
 * The next stop is in front of the handlers of signals. It would go on without that, too, but
 * begin its system call anew.
 */
static void stop_behind(const struct thread *t)
{
	int status, ret = trace(PTRACE_INTERRUPT, t->tid, NULL, NULL);

	ret = ret ? ret : trace(PTRACE_CONT, t->tid, NULL, NULL);
	if (ret)
		return;
	do
		ret = wait_stop(t, STOP_MS, &status);
	while (ret == -ETIMEDOUT);
	if (!ret && EVENT_OF(status) == PTRACE_EVENT_STOP)
		resume_call(t);
}

/* one that is not taken: epoll_wait() and others would be interrupted by our stop */
static void leave_thread(struct thread *t)
{
	if (!trace(PTRACE_GETREGS, t->tid, NULL, &t->was.regs))
		resume_call(t);
	trace(PTRACE_DETACH, t->tid, NULL, NULL);
}

/* -EAGAIN: not this one, not now */
static int call_by_stopped(struct thread *t, uint64_t restorer, struct borrow_call *call)
{
	int ret = read_thread(t);

	if (!ret && !may_take(t))
		ret = -EAGAIN;
	ret = ret ? ret : begin_call(t, restorer, call);
	if (ret) {
		leave_thread(t);
		return ret;
	}
	ret = wait_return(t);
	if (!ret)
		ret = end_call(t, call);
	if (!ret)
		stop_behind(t);
	else if (ret == -ETIMEDOUT)
		stop_thread(t);
	trace(PTRACE_DETACH, t->tid, NULL, NULL);
	return ret;
}

static int call_by(pid_t pid, pid_t tid, uint64_t restorer, struct borrow_call *call)
{
	static struct thread t;
	int ret;

	t.pid = pid;
	t.tid = tid;
	t.slept = false;
	ret = trace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
	if (ret)
		return ret;
	ret = stop_thread(&t);
	if (!ret)
		return call_by_stopped(&t, restorer, call);
	trace(PTRACE_DETACH, tid, NULL, NULL);
	return ret;
}

/* ---- which thread -------------------------------------------------------------------------- */

/* of those that sleep, which need not be waited for, or of those that run */
static bool thread_sleeps(pid_t pid, pid_t tid)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return isdigit((unsigned char)text[0]);
}

static int call_by_any(pid_t pid, bool sleeps, uint64_t restorer, struct borrow_call *call)
{
	struct dirent *entry;
	int ret = -EAGAIN;
	char path[64];
	pid_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while ((ret == -EAGAIN || ret == -ESRCH) && (entry = readdir(dir))) {
		tid = atoi(entry->d_name);
		if (tid && thread_sleeps(pid, tid) == sleeps)
			ret = call_by(pid, tid, restorer, call);
	}
	closedir(dir);
	return ret == -ESRCH && !kill(pid, 0) ? -EAGAIN : ret;
}

static int call_by_some(pid_t pid, uint64_t restorer, struct borrow_call *call)
{
	const int64_t end = now_ms() + TAKE_MS;
	int ret;

	do {
		ret = call_by_any(pid, true, restorer, call);
		if (ret == -EAGAIN)
			ret = call_by_any(pid, false, restorer, call);
		if (ret == -EAGAIN)
			look_later();
	} while (ret == -EAGAIN && now_ms() < end);
	return ret;
}

/* mov $SYS_rt_sigreturn, %rax; syscall: where the C library's handlers of signals return to */
static uint64_t find_restorer(pid_t pid)
{
	static const unsigned char code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	return target_code(pid, "libc.so.6", code, sizeof(code));
}

int borrow_call(pid_t pid, struct borrow_call *call, struct grun_err *err)
{
	uint64_t restorer;
	int ret = -EPERM;

	if (target_may(pid)) {
		restorer = find_restorer(pid);
		if (!restorer)
			return grun_fail(err, -EINVAL,
					 "the C library of process %d is none that is known", pid);
		ret = call_by_some(pid, restorer, call);
	}
	switch (ret) {
	case 0:
		return 0;
	case -EPERM:
		return grun_fail(err, ret,
				 "process %d is not yours to debug: as another user than root see /proc/sys/kernel/yama/ptrace_scope, which must be 0",
				 pid);
	case -EBUSY:
		return grun_fail(err, ret, "process %d is stopped: let it go on first", pid);
	case -ESRCH:
		return grun_fail(err, ret, "process %d has ended", pid);
	case -EAGAIN:
		return grun_fail(err, ret,
				 "process %d has no thread that could load a library now: each one is in the C library, or has little stack",
				 pid);
	case -ETIMEDOUT:
		return grun_fail(err, ret,
				 "process %d does not come back from loading a library: does it wait for a lock?",
				 pid);
	default:
		return grun_fail(err, ret, "process %d: %s", pid, strerror(-ret));
	}
}
#else
int borrow_call(pid_t pid, struct borrow_call *call, struct grun_err *err)
{
	return grun_fail(err, -EOPNOTSUPP, "only on x86-64");
}
#endif
