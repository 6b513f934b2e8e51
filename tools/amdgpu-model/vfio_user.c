// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "vfio_user.h"

enum {
	VERSION = 1,
	DMA_MAP = 2,
	DMA_UNMAP = 3,
	DEVICE_GET_INFO = 4,
	DEVICE_GET_REGION_INFO = 5,
	DEVICE_GET_IRQ_INFO = 7,
	DEVICE_SET_IRQS = 8,
	REGION_READ = 9,
	REGION_WRITE = 10,
	DEVICE_RESET = 13,
	NR_COMMANDS,
};

#define TYPE_MASK	0xfu
#define TYPE_COMMAND	0x0u
#define TYPE_REPLY	0x1u
#define FLAG_NO_REPLY	0x10u
#define FLAG_ERROR	0x20u

/* all of it in the byte order of the host, as the protocol says */
struct header {
	uint16_t id;
	uint16_t command;
	uint32_t size;
	uint32_t flags;
	uint32_t error;
};

struct version {
	uint16_t major;
	uint16_t minor;
};

struct map_range {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t iova;
	uint64_t size;
};

struct unmap_range {
	uint32_t argsz;
	uint32_t flags;
	uint64_t iova;
	uint64_t size;
};

/* of linux/vfio.h's without what later kernels appended */
struct device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t nr_regions;
	uint32_t nr_irqs;
};

/* the data follow */
struct access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

_Static_assert(sizeof(struct header) == 16, "");
_Static_assert(sizeof(struct map_range) == 32, "");
_Static_assert(sizeof(struct unmap_range) == 24, "");
_Static_assert(sizeof(struct vfio_region_info) == 32, "");
_Static_assert(sizeof(struct vfio_irq_info) == 16, "");
_Static_assert(sizeof(struct vfio_irq_set) == 20, "");
_Static_assert(sizeof(struct access) == 16, "");

#define MAX_PAYLOAD	(sizeof(struct access) + VFU_MAX_DATA)

/* as many as the kernel lets pass at once (SCM_MAX_FD), so that none is lost */
#define MAX_ANCILLARY	253

/**
 * struct vfu_server - a connection
 * @fd: socket
 * @versioned: the client sent VERSION, and only then anything else
 * @dev: device
 * @head: of the message that is handled
 * @fds: that came with it; -1 were taken
 * @nr_fds: entries of @fds
 * @excess: it had more than VFU_MAX_FDS, which are closed
 * @why: sentence for vfu_ops.refused
 * @send_fd: goes with the reply, or -1
 * @reply_len: bytes of @reply
 * @request: payload of the message. It and @reply are allocated at their exact
 *	size, so that the address sanitizer sees an access beyond the end
 * @reply: payload of the reply, or NULL
 */
struct vfu_server {
	int fd;
	bool versioned;
	const struct vfu_device *dev;
	struct header head;
	int fds[VFU_MAX_FDS];
	unsigned int nr_fds;
	bool excess;
	const char *why;
	int send_fd;
	size_t reply_len;
	unsigned char *request;
	unsigned char *reply;
};

/* ---- receiving ------------------------------------------------------------ */

static void fds_close(struct vfu_server *srv)
{
	unsigned int i;

	for (i = 0; i < srv->nr_fds; i++) {
		if (srv->fds[i] >= 0)
			close(srv->fds[i]);
	}
	srv->nr_fds = 0;
	srv->excess = false;
}

static void fds_keep(struct vfu_server *srv, const unsigned char *data, size_t nr)
{
	size_t i;
	int fd;

	for (i = 0; i < nr; i++) {
		memcpy(&fd, data + i * sizeof(fd), sizeof(fd));
		if (srv->nr_fds < VFU_MAX_FDS) {
			srv->fds[srv->nr_fds++] = fd;
		} else {
			srv->excess = true;
			close(fd);
		}
	}
}

static void fds_collect(struct vfu_server *srv, struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			fds_keep(srv, CMSG_DATA(c),
				 (c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	}
	/* this process has no room for more descriptors */
	if (msg->msg_flags & MSG_CTRUNC)
		srv->excess = true;
}

/* some of @len bytes; 0 at the end of the stream */
static ssize_t receive_some(struct vfu_server *srv, void *buf, size_t len)
{
	union {
		char buf[CMSG_SPACE(MAX_ANCILLARY * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(srv->fd, &msg, MSG_CMSG_CLOEXEC);

	if (got < 0)
		return -errno;
	fds_collect(srv, &msg);
	return got;
}

/* the descriptor may be non-blocking */
static void socket_wait(struct vfu_server *srv, short events)
{
	struct pollfd pfd = { .fd = srv->fd, .events = events };

	poll(&pfd, 1, -1);
}

/*
 * All of @len bytes. @begin: of a message, where the stream may end and a signal
 * is returned.
 */
static int receive_all(struct vfu_server *srv, void *buf, size_t len, bool begin)
{
	size_t done = 0;
	ssize_t got;

	while (done < len) {
		got = receive_some(srv, (char *)buf + done, len - done);
		if (got > 0)
			done += got;
		else if (got == -EAGAIN)
			socket_wait(srv, POLLIN);
		else if (got == -EINTR && !(begin && !done))
			continue;
		else if (got)
			return got;
		else
			return begin && !done ? 1 : -ECONNRESET;
	}
	return 0;
}

/* ---- replying ------------------------------------------------------------- */

static ssize_t send_some(struct vfu_server *srv, struct msghdr *msg)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {};

	if (srv->send_fd >= 0) {
		msg->msg_control = &control;
		msg->msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &srv->send_fd, sizeof(int));
	}
	return sendmsg(srv->fd, msg, MSG_NOSIGNAL);
}

/* header and payload; the descriptor goes with the first byte */
static int send_all(struct vfu_server *srv, struct header *head)
{
	struct iovec iov[2] = {
		{ .iov_base = head, .iov_len = sizeof(*head) },
		{ .iov_base = srv->reply, .iov_len = srv->reply_len },
	};
	size_t i = 0;

	while (i < 2) {
		struct msghdr msg = { .msg_iov = iov + i, .msg_iovlen = 2 - i };
		ssize_t sent = send_some(srv, &msg);

		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (sent < 0) {
			socket_wait(srv, POLLOUT);
			continue;
		}
		srv->send_fd = -1;
		for (; i < 2 && (size_t)sent >= iov[i].iov_len; i++)
			sent -= iov[i].iov_len;
		if (i < 2) {
			iov[i].iov_base = (char *)iov[i].iov_base + sent;
			iov[i].iov_len -= sent;
		}
	}
	return 0;
}

/* @err: 0 or -errno of the command */
static int reply_send(struct vfu_server *srv, int err)
{
	struct header head = {
		.id = srv->head.id,
		.command = srv->head.command,
		.flags = TYPE_REPLY | (err ? FLAG_ERROR : 0),
		.error = -err,
	};

	if (err && srv->dev->ops->refused)
		srv->dev->ops->refused(srv->dev->priv, srv->head.command, err,
				       srv->why);
	if (srv->head.flags & FLAG_NO_REPLY)
		return 0;
	if (err) {
		srv->reply_len = 0;
		srv->send_fd = -1;
	}
	head.size = sizeof(head) + srv->reply_len;
	return send_all(srv, &head);
}

static int message_refuse(struct vfu_server *srv, int err, const char *why)
{
	srv->why = why;
	return err;
}

/* a payload that the command's handler then fills in; NULL without memory */
static void *reply_payload(struct vfu_server *srv, size_t len)
{
	srv->reply = calloc(1, len);
	srv->reply_len = srv->reply ? len : 0;
	return srv->reply;
}

/* @data of the request as payload of the reply */
static int reply_echo(struct vfu_server *srv, const void *data, size_t len)
{
	void *reply = reply_payload(srv, len);

	if (!reply)
		return -ENOMEM;
	memcpy(reply, data, len);
	return 0;
}

/* ---- commands -------------------------------------------------------------- */

static size_t request_len(const struct vfu_server *srv)
{
	return srv->head.size - sizeof(srv->head);
}

static int handle_version(struct vfu_server *srv)
{
	static const char capabilities[] =
		"{\"capabilities\":{\"max_msg_fds\":%u,\"max_data_xfer_size\":%u,"
		"\"pgsizes\":4096,\"max_dma_maps\":%u}}";
	const struct version *asked = (const void *)srv->request;
	size_t len = request_len(srv), text = len - sizeof(*asked);
	struct version *ours;
	char json[160];

	if (srv->versioned)
		return message_refuse(srv, -EINVAL, "second VERSION");
	if (text && memchr(asked + 1, 0, text) != srv->request + len - 1)
		return message_refuse(srv, -EINVAL, "version data is no string");
	if (asked->major)
		return message_refuse(srv, -ENOTSUP, "unknown major version");
	len = snprintf(json, sizeof(json), capabilities, VFU_MAX_FDS, VFU_MAX_DATA,
		       VFU_MAX_MAPS) + 1;
	ours = reply_payload(srv, sizeof(*ours) + len);
	if (!ours)
		return -ENOMEM;
	memcpy(ours + 1, json, len);
	srv->versioned = true;
	return 0;
}

static int handle_dma_map(struct vfu_server *srv)
{
	const struct map_range *map = (const void *)srv->request;
	int prot = (map->flags & VFIO_DMA_MAP_FLAG_READ ? PROT_READ : 0) |
		   (map->flags & VFIO_DMA_MAP_FLAG_WRITE ? PROT_WRITE : 0);

	if (map->argsz < sizeof(*map))
		return message_refuse(srv, -EINVAL, "argsz too small");
	if (map->flags & ~(VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE))
		return message_refuse(srv, -EINVAL, "unknown flags");
	if (!prot)
		return message_refuse(srv, -EINVAL, "neither readable nor writable");
	/* the last byte of the address space can be mapped */
	if (!map->size || map->iova + map->size - 1 < map->iova ||
	    map->offset + map->size < map->offset)
		return message_refuse(srv, -EINVAL, "bad range");
	return srv->dev->ops->dma_map(srv->dev->priv, map->iova, map->size, prot,
				      srv->nr_fds ? srv->fds[0] : -1,
				      map->offset);
}

static int handle_dma_unmap(struct vfu_server *srv)
{
	const struct unmap_range *unmap = (const void *)srv->request;
	int err = reply_echo(srv, unmap, sizeof(*unmap));

	if (err)
		return err;
	if (unmap->argsz < sizeof(*unmap))
		return message_refuse(srv, -EINVAL, "argsz too small");
	if (unmap->flags & ~VFIO_DMA_UNMAP_FLAG_ALL)
		return message_refuse(srv, -EINVAL, "unknown flags");
	if (unmap->flags) {
		if (unmap->iova || unmap->size)
			return message_refuse(srv, -EINVAL, "all, and a range");
		return srv->dev->ops->dma_unmap_all(srv->dev->priv);
	}
	return srv->dev->ops->dma_unmap(srv->dev->priv, unmap->iova, unmap->size);
}

static int handle_device_info(struct vfu_server *srv)
{
	const struct device_info *asked = (const void *)srv->request;
	struct device_info *info;

	if (asked->argsz < sizeof(*info))
		return message_refuse(srv, -EINVAL, "argsz too small");
	info = reply_payload(srv, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->argsz = sizeof(*info);
	info->flags = srv->dev->flags;
	info->nr_regions = srv->dev->nr_regions;
	info->nr_irqs = srv->dev->nr_irqs;
	return 0;
}

static const struct vfu_region *region_at(const struct vfu_server *srv, uint32_t nr)
{
	return nr < srv->dev->nr_regions ? &srv->dev->regions[nr] : NULL;
}

static const struct vfu_irq *irq_at(const struct vfu_server *srv, uint32_t index)
{
	return index < srv->dev->nr_irqs ? &srv->dev->irqs[index] : NULL;
}

static int handle_region_info(struct vfu_server *srv)
{
	const struct vfio_region_info *asked = (const void *)srv->request;
	const struct vfu_region *region = region_at(srv, asked->index);
	struct vfio_region_info *info;

	if (asked->argsz < sizeof(*info))
		return message_refuse(srv, -EINVAL, "argsz too small");
	if (!region)
		return message_refuse(srv, -EINVAL, "no such region");
	info = reply_payload(srv, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->argsz = sizeof(*info);
	info->index = asked->index;
	if (!region->size)
		return 0;
	info->size = region->size;
	info->flags = region->flags;
	if (region->fd >= 0) {
		info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
		info->offset = region->fd_offset;
		srv->send_fd = region->fd;
	}
	return 0;
}

static int handle_irq_info(struct vfu_server *srv)
{
	const struct vfio_irq_info *asked = (const void *)srv->request;
	const struct vfu_irq *irq = irq_at(srv, asked->index);
	struct vfio_irq_info *info;

	if (asked->argsz < sizeof(*info))
		return message_refuse(srv, -EINVAL, "argsz too small");
	if (!irq)
		return message_refuse(srv, -EINVAL, "no such interrupt index");
	info = reply_payload(srv, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->argsz = sizeof(*info);
	info->index = asked->index;
	info->flags = irq->flags;
	info->count = irq->count;
	return 0;
}

/* exactly one bit of @mask is set in @flags */
static bool flag_single(uint32_t flags, uint32_t mask)
{
	return __builtin_popcount(flags & mask) == 1;
}

static int irq_range_check(struct vfu_server *srv, const struct vfio_irq_set *set)
{
	const struct vfu_irq *irq = irq_at(srv, set->index);

	if (!irq)
		return message_refuse(srv, -EINVAL, "no such interrupt index");
	if (set->start > irq->count || set->count > irq->count - set->start)
		return message_refuse(srv, -EINVAL, "no such interrupt");
	if (!set->count &&
	    (set->start || set->flags != (VFIO_IRQ_SET_DATA_NONE |
					  VFIO_IRQ_SET_ACTION_TRIGGER)))
		return message_refuse(srv, -EINVAL, "no interrupts");
	if (!(set->flags & VFIO_IRQ_SET_ACTION_TRIGGER) &&
	    !(irq->flags & VFIO_IRQ_INFO_MASKABLE))
		return message_refuse(srv, -EINVAL, "cannot be masked");
	if (set->flags & VFIO_IRQ_SET_DATA_EVENTFD &&
	    !(irq->flags & VFIO_IRQ_INFO_EVENTFD))
		return message_refuse(srv, -EINVAL, "cannot have eventfds");
	return 0;
}

static int irq_flags_check(struct vfu_server *srv, uint32_t flags)
{
	if (flags & ~(VFIO_IRQ_SET_DATA_TYPE_MASK | VFIO_IRQ_SET_ACTION_TYPE_MASK))
		return message_refuse(srv, -EINVAL, "unknown flags");
	if (!flag_single(flags, VFIO_IRQ_SET_DATA_TYPE_MASK) ||
	    !flag_single(flags, VFIO_IRQ_SET_ACTION_TYPE_MASK))
		return message_refuse(srv, -EINVAL, "not one action on one kind of data");
	return 0;
}

/* the data are as many as the flags and the count say */
static int irq_data_check(struct vfu_server *srv, const struct vfio_irq_set *set)
{
	size_t len = request_len(srv);
	uint32_t bools = set->flags & VFIO_IRQ_SET_DATA_BOOL ? set->count : 0;

	/* no overflow: the count is that of interrupts that exist */
	if (len - sizeof(*set) != bools || set->argsz != len)
		return message_refuse(srv, -EINVAL, "size is not that of the count");
	if (srv->nr_fds && (!(set->flags & VFIO_IRQ_SET_DATA_EVENTFD) ||
			    srv->nr_fds != set->count))
		return message_refuse(srv, -EINVAL, "not one descriptor an interrupt");
	return 0;
}

static int handle_set_irqs(struct vfu_server *srv)
{
	const struct vfio_irq_set *asked = (const void *)srv->request;
	struct vfu_irq_set set = {
		.index = asked->index,
		.start = asked->start,
		.count = asked->count,
		.action = asked->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK,
		.data = asked->flags & VFIO_IRQ_SET_DATA_TYPE_MASK,
	};
	int err;

	err = irq_flags_check(srv, asked->flags);
	if (!err)
		err = irq_range_check(srv, asked);
	if (!err)
		err = irq_data_check(srv, asked);
	if (err)
		return err;
	if (set.data == VFIO_IRQ_SET_DATA_BOOL)
		set.bools = srv->request + sizeof(*asked);
	if (srv->nr_fds)
		set.fds = srv->fds;
	return srv->dev->ops->set_irqs(srv->dev->priv, &set);
}

/* @flag: what the region must allow */
static int access_check(struct vfu_server *srv, const struct access *access,
			uint32_t flag)
{
	const struct vfu_region *region = region_at(srv, access->region);

	if (!region)
		return message_refuse(srv, -EINVAL, "no such region");
	if (!access->count || access->count > VFU_MAX_DATA)
		return message_refuse(srv, -EINVAL, "bad count");
	if (access->offset > region->size ||
	    access->count > region->size - access->offset)
		return message_refuse(srv, -EINVAL, "beyond the region");
	if (!(region->flags & flag))
		return message_refuse(srv, -EPERM, "region does not allow it");
	return 0;
}

static int handle_region_read(struct vfu_server *srv)
{
	const struct access *access = (const void *)srv->request;
	struct access *done;
	int err = access_check(srv, access, VFIO_REGION_INFO_FLAG_READ);

	if (err)
		return err;
	done = reply_payload(srv, sizeof(*done) + access->count);
	if (!done)
		return -ENOMEM;
	*done = *access;
	return srv->dev->ops->region_read(srv->dev->priv, access->region,
					  access->offset, done + 1, access->count);
}

static int handle_region_write(struct vfu_server *srv)
{
	const struct access *access = (const void *)srv->request;
	int err;

	if (request_len(srv) - sizeof(*access) != access->count)
		return message_refuse(srv, -EINVAL, "size is not that of the count");
	err = access_check(srv, access, VFIO_REGION_INFO_FLAG_WRITE);
	if (!err)
		err = reply_echo(srv, access, sizeof(*access));
	if (err)
		return err;
	return srv->dev->ops->region_write(srv->dev->priv, access->region,
					   access->offset, access + 1,
					   access->count);
}

static int handle_reset(struct vfu_server *srv)
{
	return srv->dev->ops->reset(srv->dev->priv);
}

/**
 * struct command - how a command is taken
 * @handle: fills in the reply; 0 or -errno
 * @min: bytes of its payload
 * @max: bytes of its payload. Queries may grow: what is appended is ignored
 * @max_fds: file descriptors that it may carry
 */
struct command {
	int (*handle)(struct vfu_server *srv);
	size_t min;
	size_t max;
	unsigned int max_fds;
};

static const struct command commands[NR_COMMANDS] = {
	[VERSION] = { handle_version, sizeof(struct version), MAX_PAYLOAD, 0 },
	[DMA_MAP] = { handle_dma_map, sizeof(struct map_range),
		      sizeof(struct map_range), 1 },
	[DMA_UNMAP] = { handle_dma_unmap, sizeof(struct unmap_range),
			sizeof(struct unmap_range), 0 },
	[DEVICE_GET_INFO] = { handle_device_info, sizeof(struct device_info),
			      MAX_PAYLOAD, 0 },
	[DEVICE_GET_REGION_INFO] = { handle_region_info,
				     sizeof(struct vfio_region_info),
				     MAX_PAYLOAD, 0 },
	[DEVICE_GET_IRQ_INFO] = { handle_irq_info, sizeof(struct vfio_irq_info),
				  MAX_PAYLOAD, 0 },
	[DEVICE_SET_IRQS] = { handle_set_irqs, sizeof(struct vfio_irq_set),
			      MAX_PAYLOAD, VFU_MAX_FDS },
	[REGION_READ] = { handle_region_read, sizeof(struct access),
			  sizeof(struct access), 0 },
	[REGION_WRITE] = { handle_region_write, sizeof(struct access),
			   MAX_PAYLOAD, 0 },
	[DEVICE_RESET] = { handle_reset, 0, 0, 0 },
};

static int command_run(struct vfu_server *srv)
{
	const struct command *command;
	size_t len = request_len(srv);

	if (srv->head.flags & ~(TYPE_MASK | FLAG_NO_REPLY) ||
	    (srv->head.flags & TYPE_MASK) != TYPE_COMMAND)
		return message_refuse(srv, -EINVAL, "unknown flags of the header");
	if (srv->head.command >= NR_COMMANDS || !commands[srv->head.command].handle)
		return message_refuse(srv, -ENOTSUP, "unknown command");
	command = &commands[srv->head.command];
	if (!srv->versioned && srv->head.command != VERSION)
		return message_refuse(srv, -EINVAL, "before VERSION");
	if (len < command->min || len > command->max)
		return message_refuse(srv, -EINVAL, "size is not the command's");
	if (srv->excess || srv->nr_fds > command->max_fds)
		return message_refuse(srv, -EINVAL, "too many file descriptors");
	return command->handle(srv);
}

static int message_receive(struct vfu_server *srv)
{
	int ret = receive_all(srv, &srv->head, sizeof(srv->head), true);

	if (ret)
		return ret;
	if (srv->head.size < sizeof(srv->head) || request_len(srv) > MAX_PAYLOAD)
		return -EMSGSIZE;
	/* of a size that is not 0, so that NULL is an error */
	srv->request = malloc(request_len(srv) + !request_len(srv));
	if (!srv->request)
		return -ENOMEM;
	return receive_all(srv, srv->request, request_len(srv), false);
}

static int message_handle(struct vfu_server *srv)
{
	int ret = message_receive(srv);
	bool is_reply = (srv->head.flags & TYPE_MASK) == TYPE_REPLY;

	srv->why = "refused by the device";
	if (ret == -EMSGSIZE && !is_reply) {
		srv->why = "impossible size";
		reply_send(srv, ret);
	}
	/* the client is sent no command that it could reply to */
	if (ret || is_reply)
		return ret;
	return reply_send(srv, command_run(srv));
}

static void message_free(struct vfu_server *srv)
{
	fds_close(srv);
	free(srv->request);
	free(srv->reply);
	srv->request = NULL;
	srv->reply = NULL;
	srv->reply_len = 0;
	srv->send_fd = -1;
}

int vfu_handle(struct vfu_server *srv)
{
	int ret = message_handle(srv);

	message_free(srv);
	return ret;
}

/* ---- connection -------------------------------------------------------------- */

/* a socket that a server left behind; no other file is removed */
static void socket_remove(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);
}

int vfu_listen(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	socket_remove(path);
	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, 1))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

struct vfu_server *vfu_open(int fd, const struct vfu_device *dev)
{
	struct vfu_server *srv = calloc(1, sizeof(*srv));

	if (!srv) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	srv->fd = fd;
	srv->dev = dev;
	srv->send_fd = -1;
	return srv;
}

struct vfu_server *vfu_accept(int listener, const struct vfu_device *dev)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	return fd < 0 ? NULL : vfu_open(fd, dev);
}

int vfu_fd(const struct vfu_server *srv)
{
	return srv->fd;
}

void vfu_close(struct vfu_server *srv)
{
	if (!srv)
		return;
	close(srv->fd);
	free(srv);
}
