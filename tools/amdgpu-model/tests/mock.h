/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device of small regions behind a vfu_server, which aborts when it is called
 * with what the server must refuse; and the client's side of the socket. The client sees the protocol as bytes: the layouts are written down
 * here once more, on purpose.
 */
#ifndef TESTS_MOCK_H
#define TESTS_MOCK_H

#include <stdbool.h>
#include "dma.h"
#include "irq.h"
#include "vfio_user.h"

enum { C_VERSION = 1, C_DMA_MAP, C_DMA_UNMAP, C_DEVICE_INFO, C_REGION_INFO,
	C_IRQ_INFO = 7, C_SET_IRQS, C_READ, C_WRITE, C_RESET = 13, C_END };

#define F_REPLY		0x1u
#define F_NO_REPLY	0x10u
#define F_ERROR		0x20u

#define MOCK_PAGE	4096u
/* of the file that DMA_MAP gets */
#define MOCK_PAGES	8u
/* regions: the client maps this one */
#define MOCK_SHARED	0
/* neither can be read */
#define MOCK_WRITE_ONLY	1
/* nor written */
#define MOCK_READ_ONLY	6
/* an access that touches byte MOCK_BROKEN_AT fails with -EIO */
#define MOCK_BROKEN	2
#define MOCK_BROKEN_AT	32
#define MOCK_LARGE	3
/* of all but MOCK_SHARED and MOCK_LARGE */
#define MOCK_SIZE	64u
#define MOCK_NR_MSI	10

/**
 * struct mock - device and client
 * @dev: as it is served
 * @regions: of @dev
 * @irqs: of @dev
 * @memory: of the regions but MOCK_SHARED and MOCK_LARGE
 * @large: of MOCK_LARGE, VFU_MAX_DATA bytes
 * @shared: file of MOCK_SHARED
 * @dma: what is mapped
 * @map_sum: changes with each mapping
 * @lines: of MSI
 * @intx: its only line
 * @resets: how many
 * @refused: messages
 * @why: of the last that was refused
 * @srv: server, NULL when it ended
 * @client: other side of its socket
 */
struct mock {
	struct vfu_device dev;
	struct vfu_region regions[VFIO_PCI_NUM_REGIONS];
	struct vfu_irq irqs[VFIO_PCI_NUM_IRQS];
	unsigned char memory[VFIO_PCI_NUM_REGIONS][MOCK_SIZE];
	unsigned char *large;
	int shared;
	struct dma_space dma;
	uint64_t map_sum;
	struct irq_line lines[MOCK_NR_MSI];
	struct irq_line intx;
	unsigned int resets;
	unsigned int refused;
	const char *why;
	struct vfu_server *srv;
	int client;
};

/** mock_init() - all zero, no connection */
void mock_init(struct mock *mock);

/** mock_exit() - and close everything */
void mock_exit(struct mock *mock);

/** mock_connect() - a new client; @versioned: that has sent VERSION */
void mock_connect(struct mock *mock, bool versioned);

/** mock_disconnect() - both sides */
void mock_disconnect(struct mock *mock);

/** mock_state() - a hash of all that messages can change */
uint64_t mock_state(const struct mock *mock);

/**
 * struct message - to or from the server
 * @bytes: header and payload, the first of them in a long reply
 * @len: of all
 * @fds: that go with it
 * @nr_fds: how many
 */
struct message {
	unsigned char bytes[512];
	size_t len;
	int fds[12];
	unsigned int nr_fds;
};

/** put32() - write at an offset of the payload */
void put32(struct message *m, size_t at, uint32_t value);

/** put64() - same */
void put64(struct message *m, size_t at, uint64_t value);

/** head32() - field of the header */
uint32_t head32(const struct message *m, size_t at);

/** get32() - of the payload */
uint32_t get32(const struct message *m, size_t at);

/** get64() - of the payload */
uint64_t get64(const struct message *m, size_t at);

/** message_init() - header for a @payload of zeroes */
void message_init(struct message *m, unsigned int command, size_t payload);

/** message_resize() - the header's size is set, too */
void message_resize(struct message *m, size_t payload);

/** message_size() - lie about the size */
void message_size(struct message *m, uint32_t size);

/** message_flags() - of the header */
void message_flags(struct message *m, uint32_t flags);

/** client_send() - @len bytes at @from of @m, with its descriptors if @with_fds */
void client_send(struct mock *mock, const struct message *m, size_t from,
		 size_t len, bool with_fds);

/** client_receive() - what is there, up to one message; false if nothing is */
bool client_receive(struct mock *mock, struct message *m);

/** close_fds() - of a message */
void close_fds(struct message *m);

/** exchange() - send, handle, receive; what vfu_handle() returned. @reply has len 0 if none came */
int exchange(struct mock *mock, const struct message *m, struct message *reply);

/**
 * struct sample - a message that is valid
 * @name: what it is
 * @command: of it
 * @payload: size of the reply's payload
 * @reply_fds: descriptors of the reply
 * @kept: descriptors that the device has more than before
 * @build: fills it in; descriptors are the mock's and are not to be closed
 */
struct sample {
	const char *name;
	unsigned int command;
	size_t payload;
	unsigned int reply_fds;
	int kept;
	void (*build)(struct message *m);
};

extern const struct sample samples[];
extern const unsigned int nr_samples;

/** samples_init() - open what samples send; once */
void samples_init(void);

/** sample_file() - the file of DMA_MAP; page n is filled with byte n + 1 */
int sample_file(void);

/** sample_event() - an eventfd */
int sample_event(void);

/** count_fds() - of this process */
unsigned int count_fds(void);

#endif /* TESTS_MOCK_H */
