/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of GPUBP_AGENT that a tool has: agents of the processes that it starts connect to
 * it. See agent_wire.h.
 */
#ifndef PERF_GPUBP_LINK_H
#define PERF_GPUBP_LINK_H

#include <stdbool.h>
#include <sys/types.h>
#include "agent_wire.h"
#include "gpubp_run.h"

/* one message of an agent */
union link_message {
	uint32_t type;
	struct agent_hello hello;
	struct agent_ack ack;
	struct agent_paused paused;
	struct {
		struct agent_hits hits;
		unsigned char places[AGENT_BATCH][AGENT_PLACE];
	};
};

#define LINK_NAME	64

/**
 * link_begin() - wait for agents
 * @name: out: what GPUBP_AGENT has to be, of LINK_NAME bytes
 * @err: error
 *
 * Return: a file, on which link_accept() has one if it is readable; or a negative errno.
 */
int link_begin(char *name, struct grun_err *err);

/**
 * link_accept() - an agent
 * @listener: of link_begin()
 * @pid: its process, of any user; 0: one of the same user
 *
 * Return: a file; -1: there is none.
 */
int link_accept(int listener, pid_t pid);

/**
 * link_receive() - wait for its next message
 * @fd: the agent
 * @message: out
 *
 * Return: false if it is gone, or says what no agent does.
 */
bool link_receive(int fd, union link_message *message);

/** link_send() - say what is wanted; false: it is gone */
bool link_send(int fd, const struct agent_program *program);

#endif /* PERF_GPUBP_LINK_H */
