// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of the program borrowed, which is beside this one, call a function of it, and notice
 * nothing, also if who has them do so is killed at each of its steps. borrowed_static is the
 * same program, linked statically.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "borrow.h"
#include "borrowed.h"
#include "target.h"
#include "tap.h"

#define NUMBER		11
#define WAIT_MS		60000
#define NONE		"0000000000000000"	/* no signal is blocked */

static char program[4096], static_program[4096 + 16];

/* ---- who is killed, who gets signals ---------------------------------------------------- */

/* calls of ptrace() until this process is killed; 0: it is not */
static unsigned int steps;
/* process that gets a signal whenever registers of a thread of it are read; 0: none */
static pid_t signalled;

long __real_ptrace(enum __ptrace_request request, ...);
long __wrap_ptrace(enum __ptrace_request request, ...);

long __wrap_ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	pid_t pid;
	void *addr, *data;

	if (steps && !--steps)
		raise(SIGKILL);
	if (signalled && request == PTRACE_GETREGS)
		kill(signalled, SIGALRM);
	va_start(ap, request);
	pid = va_arg(ap, pid_t);
	addr = va_arg(ap, void *);
	data = va_arg(ap, void *);
	va_end(ap);
	return __real_ptrace(request, pid, addr, data);
}

/* ---- the process ----------------------------------------------------------------------- */

struct process {
	pid_t pid;
	int input;
	struct borrowed_shared *shared;
};

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* a thread that reads has something to read */
static void feed(const struct process *p)
{
	if (write(p->input, "x", 1) != 1)
		sleep_ms(1);
}

static void exec_process(const char *path, const char *mode, int file, int input)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(input, STDIN_FILENO);
	dup2(file, BORROWED_FD);
	execl(path, path, mode, NULL);
	_exit(127);
}

static bool process_is_there(const struct process *p)
{
	return !waitpid(p->pid, NULL, WNOHANG);
}

static void process_begin(struct process *p, const char *path, const char *mode)
{
	int file = memfd_create("borrowed", MFD_CLOEXEC), fds[2], n;

	if (file < 0 || ftruncate(file, sizeof(*p->shared)) || pipe2(fds, O_CLOEXEC))
		exit(1);
	p->shared = mmap(NULL, sizeof(*p->shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	p->pid = fork();
	if (!p->pid)
		exec_process(path, mode, file, fds[0]);
	close(fds[0]);
	close(file);
	p->input = fds[1];
	fcntl(p->input, F_SETFL, O_NONBLOCK);
	for (n = 0; n < WAIT_MS && !p->shared->ready; n++)
		sleep_ms(1);
}

static void process_end(struct process *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	close(p->input);
	munmap(p->shared, sizeof(*p->shared));
}

/* it does more of what it does */
static bool goes_on(struct process *p)
{
	uint32_t rounds = p->shared->rounds;
	int n;

	for (n = 0; n < WAIT_MS && p->shared->rounds < rounds + 3; n++) {
		if (!process_is_there(p))
			return false;
		feed(p);
		sleep_ms(1);
	}
	return p->shared->rounds >= rounds + 3;
}

/* of all of its threads; the C library blocks SIGCANCEL and others nowhere here */
static bool has_mask(const struct process *p, const char *mask)
{
	char path[64], line[256];
	bool is = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", p->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		is |= !strncmp(line, "SigBlk:\t", 8) && !strncmp(line + 8, mask, 16);
	if (file)
		fclose(file);
	return is;
}

/* it may still be in its call, where all are blocked, or in a handler */
static bool gets_mask(const struct process *p, const char *mask)
{
	int n;

	for (n = 0; n < WAIT_MS && !has_mask(p, mask); n++)
		sleep_ms(1);
	return n < WAIT_MS;
}

/* ---- calls ------------------------------------------------------------------------------- */

static int call_number(const struct process *p, uint64_t number, struct grun_err *err)
{
	struct borrow_call call = {
		.function = target_function(p->pid, "borrowed", "borrowed_function"),
		.arg = { 16, number }, .is_data = 1 << 0,
	};
	int ret = target_check(p->pid, err);

	ret = ret ? ret : borrow_call(p->pid, &call, err);
	return ret ? ret : call.data[16] == '!' ? 0 : -EINVAL;
}

static int call(const struct process *p, struct grun_err *err)
{
	return call_number(p, NUMBER, err);
}

static const struct situation {
	const char *mode;
	const char *mask;
	bool is_interrupted;	/* by any tracer that ends early, as by SIGSTOP */
} situations[] = {
	{ .mode = "sleep", .mask = NONE }, { .mode = "futex", .mask = NONE },
	{ .mode = "read", .mask = NONE }, { .mode = "loop", .mask = NONE },
	{ .mode = "epoll", .mask = NONE, .is_interrupted = true }, { .mode = "sigsuspend" },
	{ .mode = "handler", .mask = NONE }, { .mode = "threads", .mask = NONE },
};

#define NR_SITUATIONS	(sizeof(situations) / sizeof(situations[0]))

static void test_calls(const struct situation *s)
{
	struct grun_err err = { "" };
	struct process p;
	int n, ret = 0;

	process_begin(&p, program, s->mode);
	for (n = 0; n < 20 && !ret; n++)
		ret = call(&p, &err);
	tap_ok(!ret && p.shared->called == 20, "%s: the function is called and returns",
		   s->mode);
	if (ret)
		tap_note("%d: %s", ret, err.text);
	tap_ok(goes_on(&p), "%s: it goes on", s->mode);
	tap_ok(!p.shared->noticed, "%s: it notices nothing", s->mode);
	tap_ok(!s->mask || gets_mask(&p, s->mask), "%s: it blocks the signals that it did",
		   s->mode);
	process_end(&p);
}

/* true: it was killed */
static bool call_until(const struct process *p, unsigned int step)
{
	struct grun_err err;
	pid_t pid = fork();
	int status;

	if (!pid) {
		steps = step;
		_exit(call(p, &err) ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status);
}

static void test_killed(const struct situation *s)
{
	bool goes = true, masked = true;
	unsigned int step = 0;
	struct process p;

	process_begin(&p, program, s->mode);
	do {
		step++;
		goes = call_until(&p, step) ? goes_on(&p) : !(masked = false);
		if (!masked)
			break;
		masked = !s->mask || gets_mask(&p, s->mask);
	} while (goes && masked);
	tap_note("%s: %u steps, called %u times", s->mode, step - 1, p.shared->called);
	tap_ok(goes && goes_on(&p), "%s: it goes on, wherever the caller is killed", s->mode);
	tap_ok(step > 10, "%s: which it is at some steps", s->mode);
	tap_ok(s->is_interrupted || !p.shared->noticed, "%s: it notices nothing of that",
		   s->mode);
	tap_ok(!s->mask || gets_mask(&p, s->mask), "%s: it blocks the signals that it did",
		   s->mode);
	process_end(&p);
}

/* the system call in which its thread comes to be */
static bool comes_to_be_in(const struct process *p, long number)
{
	long is = -1;
	char path[64];
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/syscall", p->pid);
	for (n = 0; n < WAIT_MS && is != number; n++) {
		file = fopen(path, "re");
		if (!file || fscanf(file, "%ld", &is) != 1)
			is = -1;
		if (file)
			fclose(file);
		sleep_ms(1);
	}
	return is == number;
}

/* signals, which come faster than it is taken, do not keep it from that */
static void test_signalled(void)
{
	struct grun_err err = { "" };
	struct process p;
	int n, ret = 0;

	process_begin(&p, program, "handler");
	signalled = p.pid;
	for (n = 0; n < 20 && !ret; n++)
		ret = call(&p, &err);
	signalled = 0;
	tap_ok(!ret && p.shared->called == 20, "signals all the time: the function is called");
	if (ret)
		tap_note("%d: %s", ret, err.text);
	tap_ok(goes_on(&p) && !p.shared->noticed, "signals all the time: it goes on");
	process_end(&p);
}

static bool comes_round(const struct process *p, uint32_t rounds)
{
	int n;

	for (n = 0; n < WAIT_MS && p->shared->rounds < rounds; n++)
		sleep_ms(1);
	return p->shared->rounds >= rounds;
}

/* by a signal of the call, or one of before it, as without the call */
static void test_ended(const char *mode, long number)
{
	struct grun_err err = { "" };
	struct process p;

	process_begin(&p, program, mode);
	tap_ok(comes_to_be_in(&p, number) && !call_number(&p, BORROWED_SIGNAL, &err) &&
	       comes_round(&p, 1), "%s: a signal that came in the call ends it", mode);
	signalled = p.pid;
	tap_ok(comes_to_be_in(&p, number) && !call(&p, &err) && comes_round(&p, 2),
	       "%s: one that came before does", mode);
	signalled = 0;
	tap_ok(!p.shared->noticed && p.shared->called == 2, "%s: it notices nothing", mode);
	if (err.text[0])
		tap_note("%s", err.text);
	process_end(&p);
}

/* the rest of the time, which the kernel has, or all of it */
static void test_time(void)
{
	struct grun_err err;
	struct process p;

	process_begin(&p, program, "long");
	tap_ok(comes_to_be_in(&p, SYS_clock_nanosleep) && !call_number(&p, BORROWED_QUICK, &err) &&
	       comes_to_be_in(&p, SYS_restart_syscall),
	       "it sleeps for the rest of its time");
	tap_ok(!call(&p, &err) && comes_to_be_in(&p, SYS_clock_nanosleep),
	       "it sleeps anew, if the function has slept");
	tap_ok(!p.shared->noticed && !p.shared->rounds, "it still does");
	process_end(&p);
}

static void refuses(const char *name, const struct process *p, int expected, const char *text)
{
	struct grun_err err = { "" };
	int ret = call(p, &err);

	tap_ok(ret == expected && strstr(err.text, text), "%s: is refused", name);
	tap_note("%d: %s", ret, err.text);
	tap_ok(!p->shared->called, "%s: nothing was called", name);
}

static void test_refused(void)
{
	struct process p;

	process_begin(&p, static_program, "sleep");
	refuses("a static program", &p, -EINVAL, "linked statically");
	tap_ok(goes_on(&p), "it goes on");
	process_end(&p);

	process_begin(&p, program, "shut");
	refuses("a filter of system calls", &p, -EPERM, "seccomp");
	tap_ok(goes_on(&p), "it goes on");
	process_end(&p);

	process_begin(&p, program, "sleep");
	kill(p.pid, SIGSTOP);
	waitpid(p.pid, NULL, WUNTRACED);
	refuses("a stopped process", &p, -EBUSY, "is stopped");
	kill(p.pid, SIGCONT);
	tap_ok(goes_on(&p), "it goes on");
	kill(p.pid, SIGKILL);
	waitid(P_PID, (id_t)p.pid, NULL, WEXITED | WNOWAIT);
	refuses("a process that has ended", &p, -ESRCH, "has ended");
	process_end(&p);
	refuses("no process", &(struct process){ .pid = p.pid, .shared = &(struct borrowed_shared){ 0 } },
		-ESRCH, "there is no process");
}

/* it ends when it wants to, which may be at any time */
static void test_ends(void)
{
	struct grun_err err = { "" };
	struct process p;
	int n, ret;

	for (n = 0; n < 20; n++) {
		process_begin(&p, program, "ends");
		ret = call(&p, &err);
		process_end(&p);
		if (ret && ret != -ESRCH && ret != -EPERM && ret != -EINVAL && ret != -EAGAIN)
			break;
	}
	tap_ok(n == 20, "a process that ends by itself");
	if (n < 20)
		tap_note("%d: %s", ret, err.text);
}

int main(int argc, char **argv)
{
	unsigned int n;

	snprintf(program, sizeof(program), "%s/borrowed", dirname(strdupa(argv[0])));
	snprintf(static_program, sizeof(static_program), "%s_static", program);
#ifndef __x86_64__
	printf("1..0 # SKIP threads are borrowed on x86-64 only\n");
	return 0;
#endif
	tap_plan(NR_SITUATIONS * 8 + 28);
	for (n = 0; n < NR_SITUATIONS; n++)
		test_calls(&situations[n]);
	for (n = 0; n < NR_SITUATIONS; n++)
		test_killed(&situations[n]);
	test_signalled();
	test_ended("read-ends", SYS_read);
	test_ended("epoll-ends", SYS_epoll_wait);
	test_ended("sleep-ends", SYS_clock_nanosleep);
	test_time();
	test_refused();
	test_ends();
	return tap_status();
}
