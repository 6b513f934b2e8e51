/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of a thread of x86-64 that is borrowed, and the frame that restores them.
 */
#ifndef PERF_GPUBP_BORROW_REGS_H
#define PERF_GPUBP_BORROW_REGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>
#include "borrow.h"

#define BORROW_XSTATE	16384

/**
 * struct borrowed - what a thread had
 * @regs: as it was stopped
 * @mask: blocked signals
 * @xstate: vector registers, as XSAVE stores them
 * @xstate_len: bytes of that
 */
struct borrowed {
	struct user_regs_struct regs;
	uint64_t mask;
	unsigned char xstate[BORROW_XSTATE] __attribute__((aligned(64)));
	uint64_t xstate_len;
};

/** borrow_number() - the number with which a thread's system call can begin anew */
void borrow_number(pid_t pid, struct user_regs_struct *regs);

/** borrow_is_safe() - may a thread with these registers call what may lock and allocate? */
bool borrow_is_safe(pid_t pid, const struct user_regs_struct *regs);

/**
 * borrow_resumed() - the registers with which it goes on in user space
 * @regs: as it was stopped
 * @same_task_state: the kernel still knows how to go on with a system call that has a timeout;
 *	else it begins anew
 */
struct user_regs_struct borrow_resumed(const struct user_regs_struct *regs, bool same_task_state);

/**
 * borrow_interrupted() - the registers with which the kernel goes on, where it has been stopped
 * @regs: as it was stopped
 * @same_task_state: as of borrow_resumed()
 *
 * A system call that our stop interrupted begins anew, if no handler of a signal is called.
 */
struct user_regs_struct borrow_interrupted(const struct user_regs_struct *regs,
					   bool same_task_state);

/**
 * borrow_frame() - write the frame and the data of a call onto its stack
 * @pid: process
 * @was: thread
 * @restorer: code that calls rt_sigreturn()
 * @call: call
 * @regs: out: of the call
 * @data: out: address of its data
 *
 * Return: false if there is no room.
 */
bool borrow_frame(pid_t pid, const struct borrowed *was, uint64_t restorer,
		  const struct borrow_call *call, struct user_regs_struct *regs, uint64_t *data);

/** borrow_has_returned() - is it about to call rt_sigreturn(), with the frame of @regs? */
bool borrow_has_returned(const struct user_regs_struct *now, const struct user_regs_struct *regs);

#endif /* PERF_GPUBP_BORROW_REGS_H */
