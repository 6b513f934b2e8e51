/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A command that waits before it executes, and lists of threads.
 */
#ifndef PERF_GPUBP_LIVE_COMMAND_H
#define PERF_GPUBP_LIVE_COMMAND_H

#include <sys/types.h>
#include "live.h"

/**
 * struct live_command - a command
 * @pid: its process, 0 none
 * @go: one byte written here starts it, a closed pipe ends it; -1 afterwards
 * @failed: errno of its execve() comes from here; -1 afterwards
 * @ended: it was waited for
 * @status: of waitpid()
 */
struct live_command {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
};

/**
 * command_fork() - make the process, which waits
 * @command: out
 * @argv: what it will execute
 * @messages: its standard error, 0 ours
 * @err: error
 */
int command_fork(struct live_command *command, const char **argv, int messages,
		 struct grun_err *err);

/** command_go() - let it execute; -errno of execve() */
int command_go(struct live_command *command, const char *name,
	       struct grun_err *err);

/** command_ended() - has it ended? Waits for that if @wait is set */
bool command_ended(struct live_command *command, bool wait);

/** command_status() - of a command that has ended, as a shell's $? */
int command_status(const struct live_command *command);

/** command_signal() - that ended it, 0 none */
int command_signal(const struct live_command *command);

/**
 * struct live_tasks - threads
 * @tids: ids
 * @nr: entries of @tids
 */
struct live_tasks {
	pid_t *tids;
	int nr;
};

/**
 * tasks_find() - the threads that -p, -t and -G of @target say
 *
 * Return: 0, -EINVAL, -ESRCH (there are none).
 */
int tasks_find(struct live_tasks *tasks, const struct live_target *target,
	       struct grun_err *err);

/** tasks_alive() - is one of them? */
bool tasks_alive(const struct live_tasks *tasks);

#endif /* PERF_GPUBP_LIVE_COMMAND_H */
