/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that do what others should not notice: each does one hostile thing after
 * another, until somebody kills it, which may be another one of them.
 */
#ifndef SELFTESTS_ATTACKER_H
#define SELFTESTS_ATTACKER_H

#include <stdbool.h>
#include <sys/types.h>

#define ATTACKERS	8
#define MAX_ACTS	16

/**
 * struct attackers - what they share
 * @pid: of each
 * @done: how often each thing was begun, by all
 * @next: what is done next
 * @only: number of the only thing that they do, from 1 on; 0: all
 * @over: the storm is
 */
struct attackers {
	pid_t pid[ATTACKERS];
	unsigned int done[MAX_ACTS];
	unsigned int next;
	unsigned int only;
	bool over;
};

/** attacker_act() - what number @act is; NULL: there are not so many */
const char *attacker_act(unsigned int act);

/** attackers_map() - memory for them; NULL: there is none */
struct attackers *attackers_map(void);

/**
 * attacker_start() - a process, the first of a group
 * @all: what they share
 * @nr: which one
 * @seed: of its random numbers
 * @uid: user
 *
 * Return: 0 or a negative errno.
 */
int attacker_start(struct attackers *all, unsigned int nr, unsigned int seed, uid_t uid);

/** attacker_end() - kill it and all that it forked */
void attacker_end(struct attackers *all, unsigned int nr);

#endif /* SELFTESTS_ATTACKER_H */
