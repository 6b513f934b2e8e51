// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's remove_on_exec, with stores of the GPU in place of instructions
 * of the CPU: see mirrors.sh. Each process has its own context, at the same
 * address, with a kernel that stores for ever; executing an instruction is a
 * store there. It stores also while the process waits for another one, so that
 * such calls must be restarted.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include "harness.h"
#include "event.h"
#include "repeater.h"
#include "trap.h"

#define STRESS		4	/* children */
#define DISABLED	1	/* of these, children with a disabled event */
#define GIVE_TIME	5	/* signals of this process to wait for */
#define EXIT		42

static volatile int signal_count;

static void on_trap(int sig, siginfo_t *siginfo, void *context)
{
	if (trap_info(siginfo)->code == TRAP_PERF)
		signal_count++;
}

/* store for ever, until the process ends */
static int work(struct gpu *gpu)
{
	uint64_t va = REPEATER_VA;
	struct grun_mem stop;

	return repeater_open(gpu, &va) ?: gpu_buffer(gpu, &stop, 4096, 0) ?:
	       gpu_start(gpu, "until", 1, GPU_ARGS(va, stop.va));
}

static bool more_signals(int n)
{
	return trap_spin(&signal_count, signal_count + n);
}

static pid_t fork_exec(int *started)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		execl("/proc/self/exe", "exec_child", NULL);
		_exit(1);
	}
	close(fds[1]);
	*started = fds[0];
	return pid;
}

/* true if it has started by now */
static bool has_started(int started)
{
	int val = 0;

	return read(started, &val, sizeof(val)) == sizeof(val) && val == EXIT &&
	       !close(started);
}

/* it did not get the signal, which would have ended it */
static void expect_alive(struct __test_metadata *_metadata, pid_t pid)
{
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

static int exec_child(void)
{
	const int val = EXIT;
	struct gpu gpu;

	if (trap_handle(on_trap, SA_NODEFER | SA_RESTART) || work(&gpu) ||
	    write(STDOUT_FILENO, &val, sizeof(val)) != sizeof(val))
		return 1;
	while (!signal_count)
		;
	return 1;
}

FIXTURE(remove_on_exec) {
	struct gpu gpu;
	int fd;
};

FIXTURE_SETUP(remove_on_exec)
{
	struct perf_event_attr attr = trap_watch(REPEATER_VA + 4, EVENT_STORES, 0);

	signal_count = 0;
	ASSERT_EQ(0, trap_handle(on_trap, SA_NODEFER | SA_RESTART));
	attr.disabled = 1;
	attr.inherit = 1;
	self->fd = event_open(&attr, 0, -1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(remove_on_exec)
{
	close(self->fd);
	gpu_close(&self->gpu);
}

/* a child with the event: its first signal ends it */
static pid_t fork_only(int enable)
{
	pid_t pid = fork();
	struct gpu gpu;

	if (pid)
		return pid;
	if (work(&gpu) || (enable >= 0 && ioctl(enable, PERF_EVENT_IOC_ENABLE, 0)))
		_exit(1);
	_exit(more_signals(1) ? EXIT : 2);
}

static void expect_signalled(struct __test_metadata *_metadata, pid_t pid)
{
	int status;

	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(EXIT, WEXITSTATUS(status));
}

TEST_F(remove_on_exec, fork_only)
{
	pid_t pid = fork_only(self->fd);

	ASSERT_EQ(0, work(&self->gpu));
	EXPECT_TRUE(more_signals(1));	/* the child has enabled the event */
	expect_signalled(_metadata, pid);
}

TEST_F(remove_on_exec, fork_exec_then_enable)
{
	pid_t pid_only_fork = fork_only(-1), pid_exec;
	int started;

	pid_exec = fork_exec(&started);
	ASSERT_LT(0, pid_exec);
	ASSERT_EQ(0, work(&self->gpu));
	EXPECT_TRUE(has_started(started));
	EXPECT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	EXPECT_TRUE(more_signals(GIVE_TIME));
	expect_alive(_metadata, pid_exec);
	EXPECT_TRUE(more_signals(1));
	expect_signalled(_metadata, pid_only_fork);
}

TEST_F(remove_on_exec, enable_then_fork_exec)
{
	pid_t pid_exec;
	int started;

	EXPECT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	pid_exec = fork_exec(&started);
	ASSERT_LT(0, pid_exec);
	ASSERT_EQ(0, work(&self->gpu));
	EXPECT_TRUE(has_started(started));
	EXPECT_TRUE(more_signals(GIVE_TIME));
	expect_alive(_metadata, pid_exec);
	EXPECT_TRUE(more_signals(1));
}

TEST_F(remove_on_exec, exec_stress)
{
	int started[STRESS], i;
	pid_t pids[STRESS];

	for (i = 0; i < STRESS; i++) {
		pids[i] = fork_exec(&started[i]);
		ASSERT_LT(0, pids[i]);
		if (i >= DISABLED)
			EXPECT_EQ(0, ioctl(self->fd, PERF_EVENT_IOC_ENABLE, 0));
	}
	ASSERT_EQ(0, work(&self->gpu));
	for (i = 0; i < STRESS; i++)
		EXPECT_TRUE(has_started(started[i]));
	EXPECT_TRUE(more_signals(GIVE_TIME));
	for (i = 0; i < STRESS; i++)
		expect_alive(_metadata, pids[i]);
	EXPECT_TRUE(more_signals(1));
}

int main(int argc, char **argv)
{
	if (!strcmp(argv[0], "exec_child"))
		return exec_child();
	return test_harness_run(argc, argv);
}
