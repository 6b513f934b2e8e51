/* SPDX-License-Identifier: GPL-2.0 */
/* A file that a user serves (FUSE), and how well: a page of it never comes. */
#ifndef SELFTESTS_SLOWFS_H
#define SELFTESTS_SLOWFS_H

#include <stdint.h>
#include <sys/types.h>
#include "child.h"

#define SLOWFS_SIZE	8192	/* bytes: two pages, of which the first one never comes */
#define SLOWFS_WORD	1	/* what the second one is full of */

/**
 * struct slowfs - a file system with one file
 * @server: who answers, as root: nobody's rights are asked for
 * @dir: where it is mounted
 */
struct slowfs {
	struct child server;
	char dir[32];
};

/**
 * slowfs_start() - mount one, as fusermount(1) would
 * @fs: out
 * @uid: user whose file system it is
 * @delay_ms: before the second page comes
 *
 * Root only. Return: 0 or a negative errno; -ENOENT: this kernel has no FUSE.
 */
int slowfs_start(struct slowfs *fs, uid_t uid, unsigned int delay_ms);

/** slowfs_end() - who still waits for the file is told that it is gone */
void slowfs_end(struct slowfs *fs);

/** slowfs_open() - the file, to be read; a descriptor or a negative errno */
int slowfs_open(const struct slowfs *fs);

#endif /* SELFTESTS_SLOWFS_H */
