/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A user who looks at, and stores to, memory of a process of his by every way there
 * is, while that process executes a program.
 */
#ifndef SELFTESTS_ONLOOKER_H
#define SELFTESTS_ONLOOKER_H

#include <stdint.h>
#include <sys/types.h>

/* what such a program (secret.c) does is what it is told by its arguments and here */
#define SECRET_PROGRAM	"/lib/gpubp/selftests/secret"
#define SECRET_SUID	"/tmp/secret.suid"
#define SECRET_SOCK	100	/* the descriptor that it talks through */
#define SECRET_BYTE	0xa5	/* what its memory is full of */
#define SECRET_ADDR	0x10000000000ULL	/* its memory, where the process had its own */
#define SECRET_SIZE	8192

/**
 * struct onlooker - who does it, and what came of it
 * @program: what the process executes
 * @uid: user; both are his
 * @rounds: how often
 * @looked: (out) rounds in which each way has led to memory of the process, before
 * @leaked: (out) times that he has seen a byte of the program's
 * @changed: (out) bytes of the program's that changed
 * @kept: (out) rounds in which the process's memory has stayed for good
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

/** onlooker_main() - for child_start(), with a struct onlooker: 0, it has done so */
int onlooker_main(int sock, void *arg);

#endif /* SELFTESTS_ONLOOKER_H */
