// SPDX-License-Identifier: GPL-2.0
/*
 * A command that waits before it executes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent_env.h"
#include "live_command.h"

static void close_pipe(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* in the child: never returns */
static void command_exec(const char **argv, int messages, int go, int failed)
{
	char byte;
	int error;

	if (read(go, &byte, 1) != 1)
		_exit(0);
	if (messages)
		dup2(messages, STDERR_FILENO);
	agent_env_for_kernel("");
	/* execvp() changes none of them */
	execvp(argv[0], (char **)(uintptr_t)argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

int command_fork(struct live_command *command, const char **argv, int messages,
		 struct grun_err *err)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return grun_fail(err, -errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close_pipe(go);
		return grun_fail(err, -EMFILE, "pipe: %s", strerror(errno));
	}
	command->pid = fork();
	if (!command->pid) {
		close(go[1]);
		command_exec(argv, messages, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	command->go = go[1];
	command->failed = failed[0];
	if (command->pid > 0)
		return 0;
	command->pid = 0;
	return grun_fail(err, -EAGAIN, "fork: %s", strerror(errno));
}

int command_go(struct live_command *command, const char *name,
	       struct grun_err *err)
{
	int error = 0;

	if (write(command->go, "", 1) != 1 ||
	    read(command->failed, &error, sizeof(error)) < 0)
		error = errno;
	close(command->go);
	command->go = -1;
	if (!error)
		return 0;
	return grun_fail(err, -error, "%s: %s", name, strerror(error));
}

bool command_ended(struct live_command *command, bool wait)
{
	pid_t got;

	if (!command->pid || command->ended)
		return true;
	do {
		got = waitpid(command->pid, &command->status,
			      wait ? 0 : WNOHANG);
	} while (got < 0 && errno == EINTR);
	command->ended = got != 0;
	return command->ended;
}

int command_signal(const struct live_command *command)
{
	return command->ended && WIFSIGNALED(command->status) ? WTERMSIG(command->status) : 0;
}

int command_status(const struct live_command *command)
{
	int sig = command_signal(command);

	return sig ? 128 + sig : WEXITSTATUS(command->status);
}
