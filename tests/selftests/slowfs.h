/* SPDX-License-Identifier: GPL-2.0 */
/* A file served by a user process (FUSE), of which one page is never served. */
#ifndef SELFTESTS_SLOWFS_H
#define SELFTESTS_SLOWFS_H

#include <stdint.h>
#include <sys/types.h>
#include "child.h"

#define SLOWFS_SIZE	8192	/* bytes: two pages, of which the first one is never served */
#define SLOWFS_WORD	1	/* contents of the second page */

/**
 * struct slowfs - a file system with one file
 * @server: server process, which runs as root, without permission checks
 * @dir: mount point
 */
struct slowfs {
	struct child server;
	char dir[32];
};

/**
 * slowfs_start() - mount one, like fusermount(1)
 * @fs: out
 * @uid: user who owns the file system
 * @delay_ms: delay of the second page
 *
 * Root only. Return: 0 or a negative errno; -ENOENT: this kernel has no FUSE.
 */
int slowfs_start(struct slowfs *fs, uid_t uid, unsigned int delay_ms);

/** slowfs_end() - end the server: pending requests for the file fail */
void slowfs_end(struct slowfs *fs);

/** slowfs_open() - open the file for reading; a descriptor or a negative errno */
int slowfs_open(const struct slowfs *fs);

#endif /* SELFTESTS_SLOWFS_H */
