// SPDX-License-Identifier: GPL-2.0
/* FUSE's protocol, as far as needed for one file of two pages. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "slowfs.h"

#define PAGE		(SLOWFS_SIZE / 2)
#define FILE_NODE	2
#define FILE_NAME	"file"
#define FOR_EVER	3600	/* s */

/* what the server has */
static struct {
	int fd;
	uid_t uid;
	unsigned int delay_ms;
} self;

/* ---- the server ---------------------------------------------------------- */

union request {
	struct {
		struct fuse_in_header header;
		union {
			struct fuse_init_in init;
			struct fuse_read_in read;
		};
	};
	char bytes[1 << 16];
};

static void reply(const union request *r, int err, const void *data, size_t len)
{
	struct fuse_out_header header = {
		.len = sizeof(header) + len,
		.error = err,
		.unique = r->header.unique,
	};
	struct iovec part[] = {
		{ &header, sizeof(header) }, { (void *)data, len },
	};

	/* -ENOENT: the process with the request has exited */
	if (writev(self.fd, part, 2) < 0 && errno != ENOENT)
		perror("# slowfs");
}

static struct fuse_attr attr_of(uint64_t node)
{
	bool file = node == FILE_NODE;

	return (struct fuse_attr) {
		.ino = node,
		.size = file ? SLOWFS_SIZE : 0,
		.mode = file ? S_IFREG | 0644 : S_IFDIR | 0755,
		.nlink = 1,
		.uid = self.uid,
		.gid = self.uid,
		.blksize = PAGE,
	};
}

/* no readahead, so that there are only reads with a waiter */
static void init(const union request *r)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = PAGE,
	};

	reply(r, 0, &out, sizeof(out));
}

static void lookup(const union request *r)
{
	const struct fuse_entry_out out = {
		.nodeid = FILE_NODE,
		.entry_valid = FOR_EVER,
		.attr_valid = FOR_EVER,
		.attr = attr_of(FILE_NODE),
	};
	const char *name = r->bytes + sizeof(r->header);

	if (strcmp(name, FILE_NAME))
		reply(r, -ENOENT, NULL, 0);
	else
		reply(r, 0, &out, sizeof(out));
}

static void getattr(const union request *r)
{
	const struct fuse_attr_out out = {
		.attr_valid = FOR_EVER,
		.attr = attr_of(r->header.nodeid),
	};

	reply(r, 0, &out, sizeof(out));
}

static void open_file(const union request *r)
{
	const struct fuse_open_out out = {};

	reply(r, 0, &out, sizeof(out));
}

static void read_page(const union request *r)
{
	uint32_t words[PAGE / sizeof(uint32_t)];
	unsigned int i;

	if (r->read.offset < PAGE)
		return;
	for (i = 0; i < PAGE / sizeof(uint32_t); i++)
		words[i] = SLOWFS_WORD;
	usleep(self.delay_ms * 1000);
	reply(r, 0, words, sizeof(words));
}

static void serve_one(const union request *r)
{
	switch (r->header.opcode) {
	case FUSE_INIT:
		return init(r);
	case FUSE_LOOKUP:
		return lookup(r);
	case FUSE_GETATTR:
		return getattr(r);
	case FUSE_OPEN:
		return open_file(r);
	case FUSE_READ:
		return read_page(r);
	case FUSE_RELEASE:
		return reply(r, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		return reply(r, -ENOSYS, NULL, 0);
	}
}

static int serve(int sock, void *arg)
{
	static union request r;

	for (;;) {
		ssize_t n = read(self.fd, &r, sizeof(r));

		if (n >= (ssize_t)sizeof(r.header))
			serve_one(&r);
		else if (errno != EINTR && errno != ENOENT)
			return 0;
	}
}

/* ---- mounting ------------------------------------------------------------ */

int slowfs_start(struct slowfs *fs, uid_t uid, unsigned int delay_ms)
{
	char options[64];
	int err = 0;

	self.uid = uid;
	self.delay_ms = delay_ms;
	self.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (self.fd < 0)
		return -errno;
	snprintf(fs->dir, sizeof(fs->dir), "/tmp/slowfs.%d", getpid());
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u",
		 self.fd, uid, uid);
	if (mkdir(fs->dir, 0755) ||
	    mount("slowfs", fs->dir, "fuse", MS_NOSUID | MS_NODEV, options))
		err = -errno;
	err = err ?: child_start(&fs->server, serve, NULL);
	close(self.fd);	/* only the server has it: its exit ends the file system */
	return err;
}

void slowfs_end(struct slowfs *fs)
{
	child_kill(&fs->server);
	umount2(fs->dir, MNT_DETACH);
	rmdir(fs->dir);
}

int slowfs_open(const struct slowfs *fs)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, fs->dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
