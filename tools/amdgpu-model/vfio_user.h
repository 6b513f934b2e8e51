/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A server of the vfio-user protocol (QEMU's docs/interop/vfio-user) for one
 * device and one client. It knows the messages and nothing of the device.
 *
 * What it does not do: server-to-client DMA (guest memory must come with a file
 * descriptor), sparse mmap, ioeventfds, migration. Such commands are -ENOTSUP.
 *
 * A message that is wrong gets an error reply and changes nothing. Only when the
 * length in a header cannot be right the connection ends, since the begin of
 * the next message is unknown.
 */
#ifndef AMDGPU_MODEL_VFIO_USER_H
#define AMDGPU_MODEL_VFIO_USER_H

#include <stddef.h>
#include <stdint.h>
#include <linux/vfio.h>

/* the most bytes that a read or write of a region carries */
#define VFU_MAX_DATA	(1u << 20)
/* the most file descriptors that a message carries */
#define VFU_MAX_FDS	8
/* the most mappings that a client is announced */
#define VFU_MAX_MAPS	65535

/**
 * struct vfu_region - a region of the device, at VFIO_PCI_*_REGION_INDEX
 * @size: bytes, 0: the device has none
 * @flags: VFIO_REGION_INFO_FLAG_READ and _WRITE; _MMAP follows from @fd
 * @fd: file that the client may map instead of sending reads and writes, or -1;
 *	stays the device's
 * @fd_offset: where in @fd the region begins
 */
struct vfu_region {
	uint64_t size;
	uint32_t flags;
	int fd;
	uint64_t fd_offset;
};

/**
 * struct vfu_irq - interrupts of an index, VFIO_PCI_*_IRQ_INDEX
 * @count: how many, 0: the device has none
 * @flags: VFIO_IRQ_INFO_*
 */
struct vfu_irq {
	uint32_t count;
	uint32_t flags;
};

/**
 * struct vfu_irq_set - a checked VFIO_USER_DEVICE_SET_IRQS
 * @index: below nr_irqs
 * @start: first interrupt
 * @count: how many from @start, all of them exist. 0 (with @start 0, no data and
 *	VFIO_IRQ_SET_ACTION_TRIGGER) disables all of @index
 * @action: one of VFIO_IRQ_SET_ACTION_*; _MASK and _UNMASK only where the
 *	index is VFIO_IRQ_INFO_MASKABLE
 * @data: one of VFIO_IRQ_SET_DATA_*
 * @bools: @count bytes if @data is _BOOL: the action is done where they are not 0
 * @fds: @count descriptors if @data is _EVENTFD, or NULL to remove those
 *	that were set. The callee takes one by writing -1 over it; the rest are closed.
 */
struct vfu_irq_set {
	uint32_t index;
	uint32_t start;
	uint32_t count;
	uint32_t action;
	uint32_t data;
	const uint8_t *bools;
	int *fds;
};

/**
 * struct vfu_ops - the device; all called from vfu_handle()
 * @region_read: @len (1..VFU_MAX_DATA) bytes at @offset, which lie inside of
 *	a readable region. @buf is zeroed before.
 * @region_write: same, of a writable region; any length
 * @dma_map: the client's memory [@iova, @iova + @size) is [@offset, @offset + @size)
 *	of @fd; @prot is PROT_READ, PROT_WRITE or both. @fd is -1 where the client
 *	has no file, and is closed after the call. The ranges do not wrap. QEMU
 *	maps its BIOS and BARs that it maps itself without a file; when that is
 *	refused, it prints an error and goes on.
 * @dma_unmap: the range is no longer to be touched once this returned
 * @dma_unmap_all: every range
 * @set_irqs: see struct vfu_irq_set
 * @reset: to the state after power-on; mappings and interrupts stay
 * @refused: for a log, optional: message @command was refused with @err (-errno),
 *	@why is a short sentence
 *
 * All but @refused return 0 or -errno, which goes into the reply; after an error
 * the device is as it was before.
 */
struct vfu_ops {
	int (*region_read)(void *priv, uint32_t region, uint64_t offset,
			   void *buf, uint32_t len);
	int (*region_write)(void *priv, uint32_t region, uint64_t offset,
			    const void *buf, uint32_t len);
	int (*dma_map)(void *priv, uint64_t iova, uint64_t size, int prot,
		       int fd, uint64_t offset);
	int (*dma_unmap)(void *priv, uint64_t iova, uint64_t size);
	int (*dma_unmap_all)(void *priv);
	int (*set_irqs)(void *priv, const struct vfu_irq_set *set);
	int (*reset)(void *priv);
	void (*refused)(void *priv, unsigned int command, int err,
			const char *why);
};

/**
 * struct vfu_device - what is served; must outlive the server
 * @ops: callbacks, all present but @refused
 * @priv: their first argument
 * @regions: by region index
 * @nr_regions: entries of @regions; VFIO_PCI_NUM_REGIONS for a PCI device
 * @irqs: by interrupt index
 * @nr_irqs: entries of @irqs; VFIO_PCI_NUM_IRQS for a PCI device
 * @flags: VFIO_DEVICE_FLAGS_*
 */
struct vfu_device {
	const struct vfu_ops *ops;
	void *priv;
	const struct vfu_region *regions;
	uint32_t nr_regions;
	const struct vfu_irq *irqs;
	uint32_t nr_irqs;
	uint32_t flags;
};

struct vfu_server;

/** vfu_listen() - bind @path, an old socket there is replaced; descriptor or -errno */
int vfu_listen(const char *path);

/**
 * vfu_accept() - wait for a client
 * @listener: of vfu_listen()
 * @dev: what it gets
 *
 * Return: the server, NULL with errno set.
 */
struct vfu_server *vfu_accept(int listener, const struct vfu_device *dev);

/** vfu_open() - serve @dev on the connected @fd, owned from here on; NULL with errno set */
struct vfu_server *vfu_open(int fd, const struct vfu_device *dev);

/** vfu_fd() - to poll for POLLIN */
int vfu_fd(const struct vfu_server *srv);

/**
 * vfu_handle() - receive one message, answer it
 * @srv: server
 *
 * Blocks until all of the message is there.
 *
 * Return: 0, also for a message that was refused; 1 when the client closed the
 * connection between two messages; -EINTR if a signal came before a message did;
 * another -errno if the connection cannot go on.
 */
int vfu_handle(struct vfu_server *srv);

/** vfu_close() - end the connection; NULL is ignored. What the device holds stays. */
void vfu_close(struct vfu_server *srv);

#endif /* AMDGPU_MODEL_VFIO_USER_H */
