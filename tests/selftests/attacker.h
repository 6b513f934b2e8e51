/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attacking processes that should not disturb others: each performs one hostile
 * act after another until it is killed, possibly by another attacker.
 */
#ifndef SELFTESTS_ATTACKER_H
#define SELFTESTS_ATTACKER_H

#include <stdbool.h>
#include <sys/types.h>

#define ATTACKERS	8
#define MAX_ACTS	16

/**
 * struct attackers - state shared by all attackers
 * @pid: process id of each
 * @done: number of times that each act was begun, over all attackers
 * @next: act to be done next
 * @only: number of the only act to perform, from 1; 0: all
 * @over: the storm has ended
 */
struct attackers {
	pid_t pid[ATTACKERS];
	unsigned int done[MAX_ACTS];
	unsigned int next;
	unsigned int only;
	bool over;
};

/** attacker_act() - name of act number @act; NULL: no such act */
const char *attacker_act(unsigned int act);

/** attackers_map() - allocate the shared state; NULL if there is no memory */
struct attackers *attackers_map(void);

/**
 * attacker_start() - start an attacker, in a process group of its own
 * @all: shared state
 * @nr: number of the attacker
 * @seed: random seed
 * @uid: user
 *
 * Return: 0 or a negative errno.
 */
int attacker_start(struct attackers *all, unsigned int nr, unsigned int seed, uid_t uid);

/** attacker_end() - kill an attacker and all that it forked */
void attacker_end(struct attackers *all, unsigned int nr);

#endif /* SELFTESTS_ATTACKER_H */
