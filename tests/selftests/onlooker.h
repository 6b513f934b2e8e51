/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A user who reads and writes memory of one of their own processes by every
 * possible way, while that process executes a program.
 */
#ifndef SELFTESTS_ONLOOKER_H
#define SELFTESTS_ONLOOKER_H

#include <stdint.h>
#include <sys/types.h>

/* such a program (secret.c) is controlled by its arguments and these constants */
#define SECRET_PROGRAM	"/lib/gpubp/selftests/secret"
#define SECRET_SUID	"/tmp/secret.suid"
#define SECRET_SOCK	100	/* the descriptor of its socket */
#define SECRET_BYTE	0xa5	/* contents of its memory */
#define SECRET_ADDR	0x10000000000ULL	/* of its memory; before exec, of the process's */
#define SECRET_SIZE	8192

/**
 * struct onlooker - parameters and results
 * @program: program that the process executes
 * @uid: user of both processes
 * @rounds: number of repetitions
 * @looked: (out) rounds in which each way accessed memory of the process before
 *	exec
 * @leaked: (out) number of times that a byte of the program was read
 * @changed: (out) number of bytes of the program that changed
 * @kept: (out) rounds in which the process's memory was never released
 *
 * To be shared with child processes.
 */
struct onlooker {
	const char *program;
	uid_t uid;
	unsigned int rounds;
	unsigned int looked;
	unsigned int leaked;
	unsigned int changed;
	unsigned int kept;
};

/** onlooker_programs() - install SECRET_SUID; 0 or a negative errno */
int onlooker_programs(void);

/** onlooker_main() - for child_start(), with a struct onlooker; returns 0 if it ran */
int onlooker_main(int sock, void *arg);

#endif /* SELFTESTS_ONLOOKER_H */
