// SPDX-License-Identifier: GPL-2.0
/*
 * borrowed MODE: a process whose threads test_borrow borrows, and which says in memory that it
 * shares with it what it notices of that. A byte comes on its standard input now and then.
 *
 *	sleep, futex, read, epoll	its only thread is in that system call
 *	long	it sleeps, for longer than the test takes
 *	sigsuspend	likewise, with another mask of signals
 *	loop		it is in none, and compares its registers
 *	handler		likewise, with signals that it handles
 *	read-ends, epoll-ends, sleep-ends	it is in that system call until a signal ends it
 *	threads		some of that, by several threads
 *	shut		as read, with a filter that ends it when it maps memory
 *	ends		it ends at once
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "borrowed.h"

static struct borrowed_shared *shared;

void borrowed_function(char *data, uint64_t number);

/* it needs stack, memory, and registers that a called function may change */
__attribute__((visibility("default"))) void borrowed_function(char *data, uint64_t number)
{
	volatile double sum = 0;
	char *copy = malloc(100000);
	int n;

	for (n = 0; n < 1000; n++)
		sum += (double)number * 1.5;
	memset(copy, 7, 100000);
	free(copy);
	if (number == BORROWED_SIGNAL)
		kill(getpid(), SIGALRM);
	/* a signal would be handled here */
	for (n = 0; n < 3 && number != BORROWED_QUICK; n++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	data[0] = sum == (double)number * 1500 ? '!' : '?';
	__atomic_add_fetch(&shared->called, 1, __ATOMIC_SEQ_CST);
}

static void note(long ret)
{
	if (ret < 0)
		__atomic_add_fetch(&shared->noticed, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&shared->rounds, 1, __ATOMIC_SEQ_CST);
	shared->ready = 1;
}

static void mode_sleep(void)
{
	note(nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL));
}

static void mode_long(void)
{
	shared->ready = 1;
	note(nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL));
}

static void mode_futex(void)
{
	static uint32_t word;
	const struct timespec time = { .tv_nsec = 20000000 };
	long ret = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, NULL, 0);

	note(ret < 0 && errno == ETIMEDOUT ? 0 : ret);
}

static void mode_read(void)
{
	char byte;
	long ret;

	shared->ready = 1;
	ret = read(STDIN_FILENO, &byte, 1);
	if (!ret)
		_exit(0);
	note(ret);
}

static void mode_epoll(void)
{
	static int fd = -1;
	struct epoll_event event = { .events = EPOLLIN };

	if (fd < 0) {
		fd = epoll_create1(0);
		epoll_ctl(fd, EPOLL_CTL_ADD, STDIN_FILENO, &event);
		shared->ready = 1;
	}
	if (epoll_wait(fd, &event, 1, -1) < 0)
		note(-1);
	else
		mode_read();
}

static volatile sig_atomic_t handled;

static void handle(int sig)
{
	handled++;
}

/* SIGALRM is blocked but in the call */
static void mode_sigsuspend(void)
{
	sigset_t blocked, none;
	sig_atomic_t before = handled;

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGALRM);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	signal(SIGALRM, handle);
	if (!shared->ready)
		setitimer(ITIMER_REAL, &(struct itimerval){ .it_interval.tv_usec = 20000,
							    .it_value.tv_usec = 20000 }, NULL);
	sigsuspend(&none);
	note(handled > before ? 0 : -1);
}

/* no data come, and SIGALRM does not have it begin anew */
static void is_ended(long (*wait)(void))
{
	static const struct sigaction action = { .sa_handler = handle };
	long ret;

	if (!shared->ready)
		sigaction(SIGALRM, &action, NULL);
	shared->ready = 1;
	ret = wait();
	note(ret < 0 && errno == EINTR && handled ? 0 : -1);
}

static long wait_read(void)
{
	char byte;

	return read(STDIN_FILENO, &byte, 1);
}

static long wait_epoll(void)
{
	static int fd = -1;
	struct epoll_event event;

	if (fd < 0)
		fd = epoll_create1(0);
	return epoll_wait(fd, &event, 1, -1);
}

static long wait_sleep(void)
{
	return nanosleep(&(struct timespec){ .tv_sec = 100000 }, NULL);
}

static void mode_read_ends(void)
{
	is_ended(wait_read);
}

static void mode_epoll_ends(void)
{
	is_ended(wait_epoll);
}

static void mode_sleep_ends(void)
{
	is_ended(wait_sleep);
}

/* registers that are not the compiler's keep what they have */
static long compare_registers(void)
{
#ifdef __x86_64__
	uint64_t wrong = 0, low;

	__asm__ volatile("mov $0x1234567, %%r12; mov $0x89abcde, %%r11; mov $0x777, %%r10\n\t"
			 "movq %%r12, %%xmm15; movq %%r11, %%xmm2; mov $3000000, %%rcx\n"
			 "1:\tdec %%rcx; jnz 1b\n\t"
			 "movq %%xmm15, %1; sub %%r12, %1; or %1, %0\n\t"
			 "movq %%xmm2, %1; sub %%r11, %1; or %1, %0\n\t"
			 "sub $0x1234567, %%r12; or %%r12, %0\n\t"
			 "sub $0x89abcde, %%r11; or %%r11, %0\n\t"
			 "sub $0x777, %%r10; or %%r10, %0"
			 : "+r"(wrong), "=&r"(low)
			 : : "r10", "r11", "r12", "rcx", "xmm2", "xmm15", "cc", "memory");
	return wrong ? -1 : 0;
#else
	return 0;
#endif
}

static void mode_loop(void)
{
	note(compare_registers());
}

static void mode_handler(void)
{
	static const struct itimerval often = {
		.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000,
	};

	if (!shared->ready) {
		signal(SIGALRM, handle);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	mode_loop();
}

/* what maps memory is ended by the filter */
static void mode_shut(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (!shared->ready && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)))
		_exit(3);
	mode_read();
}

static const struct mode {
	const char *name;
	void (*round)(void);
} modes[] = {
	{ "sleep", mode_sleep }, { "futex", mode_futex }, { "read", mode_read },
	{ "epoll", mode_epoll }, { "sigsuspend", mode_sigsuspend }, { "loop", mode_loop },
	{ "handler", mode_handler }, { "long", mode_long }, { "shut", mode_shut },
	{ "read-ends", mode_read_ends }, { "epoll-ends", mode_epoll_ends },
	{ "sleep-ends", mode_sleep_ends },
};

static void *run(void *mode)
{
	for (;;)
		((const struct mode *)mode)->round();
	return NULL;
}

static void run_threads(void)
{
	pthread_t thread;
	unsigned int n;

	for (n = 0; n < 6; n++)
		if (modes[n].round != mode_read && modes[n].round != mode_sigsuspend &&
		    modes[n].round != mode_epoll)
			pthread_create(&thread, NULL, run, (void *)&modes[n]);
	run((void *)&modes[2]);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	unsigned int n;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, BORROWED_FD, 0);
	if (shared == MAP_FAILED)
		return 2;
	for (n = 0; n < sizeof(modes) / sizeof(modes[0]); n++)
		if (!strcmp(name, modes[n].name))
			run((void *)&modes[n]);
	if (!strcmp(name, "threads"))
		run_threads();
	shared->ready = 1;
	return strcmp(name, "ends") ? 2 : 0;
}
