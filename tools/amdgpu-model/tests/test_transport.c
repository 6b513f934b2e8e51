// SPDX-License-Identifier: GPL-2.0
/*
 * The vfio-user server over a socket pair: each command and the exact size of
 * its reply, streams that come in pieces or break off, messages that are wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "mock.h"
#include "tap.h"

static struct mock mock;

/* a new client, a new device: samples are accepted in their order */
static void start_over(bool versioned)
{
	if (mock.large)
		mock_exit(&mock);
	mock_init(&mock);
	mock_connect(&mock, versioned);
}

/* the state before sample @n */
static void samples_until(unsigned int n)
{
	struct message m, reply;
	unsigned int i;

	start_over(false);
	for (i = 0; i < n; i++) {
		samples[i].build(&m);
		if (exchange(&mock, &m, &reply) || head32(&reply, 8) != F_REPLY)
			tap_note("%s is not accepted", samples[i].name);
		close_fds(&reply);
	}
}

static bool reply_is(const struct message *reply, unsigned int command,
		     size_t payload, uint32_t flags, uint32_t error)
{
	return reply->len == 16 + payload && head32(reply, 4) == reply->len &&
	       head32(reply, 0) == (0x1234 | command << 16) &&
	       head32(reply, 8) == flags && head32(reply, 12) == error;
}

static void samples_accepted(void)
{
	struct message m, reply, more;
	unsigned int i, fds;

	start_over(false);
	for (i = 0; i < nr_samples; i++) {
		samples[i].build(&m);
		fds = count_fds();
		if (exchange(&mock, &m, &reply))
			reply.len = 0;
		fds += reply.nr_fds + samples[i].kept;
		tap_ok(reply_is(&reply, samples[i].command, samples[i].payload,
				F_REPLY, 0) &&
		       reply.nr_fds == samples[i].reply_fds &&
		       count_fds() == fds && !client_receive(&mock, &more), "%s: reply of %zu bytes",
		       samples[i].name, samples[i].payload);
		close_fds(&reply);
	}
}

static void samples_no_reply(void)
{
	struct message m, reply;
	uint64_t state;
	unsigned int i;
	int ret;

	for (i = 0; i < nr_samples; i++) {
		samples_until(i);
		samples[i].build(&m);
		exchange(&mock, &m, &reply);
		close_fds(&reply);
		state = mock_state(&mock);
		samples_until(i);
		message_flags(&m, F_NO_REPLY);
		ret = exchange(&mock, &m, &reply);
		/* the numbers of descriptors are the same in both runs */
		tap_ok(!ret && !reply.len && mock_state(&mock) == state &&
		       !mock.refused, "%s without reply", samples[i].name);
	}
}

/* ---- what is in the replies --------------------------------------------------- */

static struct message answer(unsigned int sample, size_t at, uint32_t value)
{
	struct message m, reply;

	samples[sample].build(&m);
	put32(&m, at, value);
	exchange(&mock, &m, &reply);
	return reply;
}

static unsigned int sample_of(unsigned int command)
{
	unsigned int i;

	for (i = 0; samples[i].command != command; i++)
		;
	return i;
}

static void content_of_infos(void)
{
	struct message r;
	struct stat got, file;

	start_over(true);
	r = answer(sample_of(C_DEVICE_INFO), 0, 400);
	tap_ok(get32(&r, 0) == 16 && get32(&r, 4) == 3 && get32(&r, 8) == 9 &&
	       get32(&r, 12) == 5 && r.len == 32, "GET_INFO: argsz of the client is larger");
	r = answer(sample_of(C_REGION_INFO), 8, MOCK_READ_ONLY);
	tap_ok(get32(&r, 0) == 32 && get32(&r, 4) == VFIO_REGION_INFO_FLAG_READ &&
	       get32(&r, 8) == MOCK_READ_ONLY && !get32(&r, 12) &&
	       get64(&r, 16) == MOCK_SIZE && !get64(&r, 24), "region: read only");
	r = answer(sample_of(C_REGION_INFO), 8, VFIO_PCI_VGA_REGION_INDEX);
	tap_ok(r.len == 48 && !get32(&r, 4) && !get64(&r, 16), "region: the device has none");
	r = answer(sample_of(C_REGION_INFO), 8, MOCK_SHARED);
	fstat(mock.shared, &file);
	tap_ok(get32(&r, 4) == 7 && get64(&r, 16) == MOCK_PAGE && r.nr_fds == 1 &&
	       !fstat(r.fds[0], &got) && got.st_ino == file.st_ino,
	       "region: its file comes with the reply");
	close_fds(&r);
	r = answer(sample_of(C_IRQ_INFO), 8, VFIO_PCI_MSI_IRQ_INDEX);
	tap_ok(get32(&r, 0) == 16 && get32(&r, 4) == VFIO_IRQ_INFO_EVENTFD &&
	       get32(&r, 8) == 1 && get32(&r, 12) == MOCK_NR_MSI, "interrupts: MSI");
	r = answer(sample_of(C_IRQ_INFO), 8, VFIO_PCI_MSIX_IRQ_INDEX);
	tap_ok(r.len == 32 && !get32(&r, 12), "interrupts: the device has none");
}

static void content_of_version(void)
{
	struct message m, r;

	start_over(false);
	samples[0].build(&m);
	/* minor version of the client */
	m.bytes[18] = 7;
	exchange(&mock, &m, &r);
	tap_ok(!get32(&r, 0) && !r.bytes[r.len - 1] &&
	       strstr((char *)r.bytes + 20, "\"max_data_xfer_size\":1048576") &&
	       strlen((char *)r.bytes + 20) + 21 == r.len, "VERSION 0.7: answer is 0.0");
}

static void content_of_regions(void)
{
	struct message m, r;
	const uint32_t *at;

	start_over(true);
	samples[sample_of(C_WRITE)].build(&m);
	exchange(&mock, &m, &r);
	at = (const uint32_t *)&mock.memory[VFIO_PCI_CONFIG_REGION_INDEX][60];
	tap_ok(*at == 0xdeadbeef && get64(&r, 0) == 60 && get32(&r, 8) == 7 &&
	       get32(&r, 12) == 4, "REGION_WRITE arrives");
	samples[sample_of(C_READ)].build(&m);
	exchange(&mock, &m, &r);
	tap_ok(get64(&r, 0) == 60 && get32(&r, 8) == 7 && get32(&r, 12) == 4 &&
	       get32(&r, 16) == 0xdeadbeef, "REGION_READ brings it back");
}

static void content_of_maps(void)
{
	struct message m, r;
	unsigned char *page;

	start_over(true);
	samples[sample_of(C_DMA_MAP)].build(&m);
	exchange(&mock, &m, &r);
	page = dma_at(&mock.dma, 0x10000, 2 * MOCK_PAGE, true);
	tap_ok(page && page[0] == 2 && page[MOCK_PAGE] == 3, "DMA_MAP: page 1 of the file");
	samples[sample_of(C_DMA_UNMAP)].build(&m);
	exchange(&mock, &m, &r);
	tap_ok(!mock.dma.nr && !memcmp(m.bytes + 16, r.bytes + 16, 24),
	       "DMA_UNMAP: the request comes back");
}

static void content_of_irqs(void)
{
	struct message m, r;
	uint64_t count = 0;

	start_over(true);
	samples[sample_of(C_SET_IRQS)].build(&m);
	exchange(&mock, &m, &r);
	tap_ok(mock.lines[0].fd < 0 && mock.lines[1].fd >= 0 && mock.lines[2].fd >= 0 &&
	       mock.lines[3].fd < 0,
	       "SET_IRQS: as many eventfds as were sent");
	while (read(sample_event(), &count, sizeof(count)) == sizeof(count))
		;
	/* the booleans are 0 1 0 */
	samples[sample_of(C_SET_IRQS) + 1].build(&m);
	exchange(&mock, &m, &r);
	tap_ok(read(sample_event(), &count, sizeof(count)) == 8 && count == 1,
	       "SET_IRQS: triggered where the boolean is set");
}

/* ---- streams --------------------------------------------------------------------- */

/* waits until all that was sent was received */
static void client_drain(void)
{
	int left;

	do {
		sched_yield();
		if (ioctl(mock.client, SIOCOUTQ, &left))
			break;
	} while (left);
}

static struct message sent;

/* each byte is a read of its own; the descriptors come with the 10th */
static void *send_bytes(void *unused)
{
	size_t i;

	for (i = 0; i < sent.len; i++) {
		client_send(&mock, &sent, i, 1, i == 9);
		client_drain();
	}
	return NULL;
}

static void stream_by_bytes(void)
{
	struct message reply;
	unsigned int i, good = 0;
	pthread_t thread;
	int ret;

	start_over(false);
	for (i = 0; i < nr_samples; i++) {
		samples[i].build(&sent);
		pthread_create(&thread, NULL, send_bytes, NULL);
		ret = vfu_handle(mock.srv);
		pthread_join(thread, NULL);
		client_receive(&mock, &reply);
		good += !ret && reply_is(&reply, samples[i].command,
					 samples[i].payload, F_REPLY, 0);
		close_fds(&reply);
	}
	tap_ok(good == nr_samples, "%u messages, byte by byte", good);
}

static void stream_fd_position(void)
{
	struct message m, reply;
	unsigned int good = 0, fds;
	size_t at;

	samples[sample_of(C_DMA_MAP)].build(&m);
	start_over(true);
	fds = count_fds();
	for (at = 0; at < m.len; at++) {
		client_send(&mock, &m, 0, at, false);
		client_send(&mock, &m, at, m.len - at, true);
		good += !vfu_handle(mock.srv) && client_receive(&mock, &reply) &&
			mock.dma.nr == 1 && count_fds() == fds;
		dma_unmap_all(&mock.dma);
	}
	tap_ok(good == m.len, "a descriptor at each of %zu bytes", m.len);
}

/* many at once are handled one by one */
static void stream_of_many(void)
{
	struct message m, reply;
	unsigned int i, good = 0;

	start_over(false);
	for (i = 0; i < nr_samples; i++) {
		samples[i].build(&m);
		client_send(&mock, &m, 0, m.len, true);
	}
	for (i = 0; i < nr_samples; i++) {
		good += !vfu_handle(mock.srv) && client_receive(&mock, &reply) &&
			reply_is(&reply, samples[i].command, samples[i].payload,
				 F_REPLY, 0);
		close_fds(&reply);
	}
	tap_ok(good == nr_samples, "%u messages that were sent before the first was read",
	       good);
}

/* ends after @cut bytes of sample @i; what vfu_handle() said */
static int disconnect_at(unsigned int i, size_t cut)
{
	struct message m;
	uint64_t state;
	unsigned int fds;
	int ret;

	mock_connect(&mock, i > 0);
	state = mock_state(&mock);
	fds = count_fds();
	samples[i].build(&m);
	client_send(&mock, &m, 0, cut, true);
	close(mock.client);
	mock.client = -1;
	ret = vfu_handle(mock.srv);
	if (mock_state(&mock) != state || count_fds() != fds - 1)
		return -EBADF;
	return ret;
}

static void stream_broken_off(void)
{
	struct message m;
	unsigned int i, good;
	size_t cut;

	start_over(false);
	for (i = 0; i < nr_samples; i++) {
		samples[i].build(&m);
		good = disconnect_at(i, 0) == 1;
		for (cut = 1; cut < m.len; cut++)
			good += disconnect_at(i, cut) == -ECONNRESET;
		tap_ok(good == m.len, "%s: disconnected after each of %zu bytes",
		       samples[i].name, m.len);
	}
}

/* the client does not wait for its reply */
static void stream_reply_lost(void)
{
	struct message m;
	int ret;

	start_over(true);
	samples[sample_of(C_READ)].build(&m);
	client_send(&mock, &m, 0, m.len, false);
	shutdown(mock.client, SHUT_RD);
	close(mock.client);
	mock.client = -1;
	ret = vfu_handle(mock.srv);
	tap_ok(ret == -EPIPE || ret == -ECONNRESET, "a reply without a reader: %d", ret);
}

/* ---- large ------------------------------------------------------------------------ */

static unsigned char large[16 + 16 + VFU_MAX_DATA + 1];

static void *handle_one(void *ret)
{
	*(int *)ret = vfu_handle(mock.srv);
	return NULL;
}

/*
 * Send @len bytes of @large, which may be more than the socket takes, and
 * receive @expect bytes there.
 */
static int large_exchange(size_t len, size_t expect)
{
	pthread_t thread;
	size_t done;
	ssize_t n;
	int ret = -EIO;

	pthread_create(&thread, NULL, handle_one, &ret);
	for (done = 0; done < len; done += n) {
		n = send(mock.client, large + done, len - done, MSG_NOSIGNAL);
		if (n < 0)
			break;
	}
	if (recv(mock.client, large, expect, MSG_WAITALL) != (ssize_t)expect)
		ret = -EBADMSG;
	pthread_join(thread, NULL);
	return ret;
}

static void large_header(unsigned int command, uint32_t count, size_t len)
{
	struct message m;

	message_init(&m, command, 16);
	put32(&m, 8, MOCK_LARGE);
	put32(&m, 12, count);
	message_size(&m, len);
	memcpy(large, m.bytes, m.len);
}

static void large_transfers(void)
{
	uint32_t error;
	int ret;

	start_over(true);
	memset(large, 0x5a, sizeof(large));
	large_header(C_WRITE, VFU_MAX_DATA, 32 + VFU_MAX_DATA);
	ret = large_exchange(32 + VFU_MAX_DATA, 32);
	tap_ok(!ret && mock.large[0] == 0x5a && mock.large[VFU_MAX_DATA - 1] == 0x5a,
	       "REGION_WRITE of 1 MiB");
	large_header(C_READ, VFU_MAX_DATA, 32);
	memset(large + 32, 0, sizeof(large) - 32);
	ret = large_exchange(32, 32 + VFU_MAX_DATA);
	tap_ok(!ret && !memcmp(large + 32, mock.large, VFU_MAX_DATA),
	       "REGION_READ of 1 MiB");

	/* a size that no message has: the connection cannot go on */
	large_header(C_WRITE, VFU_MAX_DATA + 1, 33 + VFU_MAX_DATA);
	ret = large_exchange(32, 16);
	memcpy(&error, large + 12, sizeof(error));
	tap_ok(ret == -EMSGSIZE && error == EMSGSIZE && large[8] == 0x21,
	       "a message of 1 MiB and one byte: an error reply, then the end");
}

/* ---- wrong ------------------------------------------------------------------------- */

/**
 * struct wrong - a sample that is changed at one place
 * @name: what is wrong
 * @sample: which, by its name
 * @at: offset in the payload
 * @bytes: of @value: 4 or 8, 0 none is changed
 * @value: new
 * @payload: its new size, 0 as it is
 * @flags: of the header
 * @nr_fds: descriptors, -1 as it is
 * @error: of the reply
 */
struct wrong {
	const char *name;
	const char *sample;
	size_t at;
	unsigned int bytes;
	uint64_t value;
	size_t payload;
	uint32_t flags;
	int nr_fds;
	int error;
};

#define MAX64	UINT64_MAX
#define WRONG4(sample, at, value, error, name) \
	{ name, sample, at, 4, value, 0, 0, -1, error }
#define WRONG8(sample, at, value, error, name) \
	{ name, sample, at, 8, value, 0, 0, -1, error }
#define WRONG_SIZE(sample, payload, name) \
	{ name, sample, 0, 0, 0, payload, 0, -1, EINVAL }
#define WRONG_FDS(sample, nr, error, name) \
	{ name, sample, 0, 0, 0, 0, 0, nr, error }
#define WRONG_FLAGS(sample, flags, name) \
	{ name, sample, 0, 0, 0, 0, flags, -1, EINVAL }

static const struct wrong wrongs[] = {
	WRONG_FLAGS("DEVICE_RESET", 0x20, "error flag in a command"),
	WRONG_FLAGS("DEVICE_RESET", 0x40, "unknown flag of the header"),
	WRONG_FLAGS("DEVICE_RESET", 0x80000000, "highest flag of the header"),
	WRONG_FLAGS("DEVICE_RESET", 0x2, "unknown type of message"),
	WRONG_FLAGS("DEVICE_RESET", 0xf, "highest type of message"),
	WRONG_SIZE("DEVICE_RESET", 1, "reset with a payload"),
	WRONG_FDS("DEVICE_RESET", 1, EINVAL, "reset with a descriptor"),

	WRONG4("VERSION", 0, 0, EINVAL, "a second VERSION"),

	WRONG_SIZE("DMA_MAP", 31, "map: too short"),
	WRONG_SIZE("DMA_MAP", 33, "map: too long"),
	WRONG4("DMA_MAP", 0, 31, EINVAL, "map: argsz too small"),
	WRONG4("DMA_MAP", 4, 0, EINVAL, "map: neither readable nor writable"),
	WRONG4("DMA_MAP", 4, 7, EINVAL, "map: unknown flag"),
	WRONG8("DMA_MAP", 8, 1, EINVAL, "map: offset in a page"),
	WRONG8("DMA_MAP", 8, 0ull - 2 * MOCK_PAGE, EINVAL, "map: offset wraps"),
	WRONG8("DMA_MAP", 8, 7 * MOCK_PAGE, EINVAL, "map: a page beyond the file"),
	WRONG8("DMA_MAP", 16, 0x10001, EINVAL, "map: address in a page"),
	WRONG8("DMA_MAP", 16, 0ull - MOCK_PAGE, EINVAL, "map: address wraps"),
	WRONG8("DMA_MAP", 24, 0, EINVAL, "map: no bytes"),
	WRONG8("DMA_MAP", 24, 1, EINVAL, "map: size in a page"),
	WRONG8("DMA_MAP", 24, MAX64, EINVAL, "map: all addresses"),
	WRONG8("DMA_MAP", 24, 1ull << 62, EINVAL, "map: beyond the file"),
	WRONG_FDS("DMA_MAP", 0, EOPNOTSUPP, "map: no descriptor"),
	WRONG_FDS("DMA_MAP", 2, EINVAL, "map: two descriptors"),
	WRONG_FDS("DMA_MAP", 9, EINVAL, "map: nine descriptors"),
	WRONG_FDS("DMA_MAP", 12, EINVAL, "map: twelve descriptors"),

	WRONG_SIZE("DMA_UNMAP", 23, "unmap: too short"),
	WRONG_SIZE("DMA_UNMAP", 32, "unmap: too long"),
	WRONG4("DMA_UNMAP", 0, 23, EINVAL, "unmap: argsz too small"),
	WRONG4("DMA_UNMAP", 4, 1, EINVAL, "unmap: dirty bitmap"),
	WRONG4("DMA_UNMAP", 4, 2, EINVAL, "unmap: all, but a range"),
	WRONG8("DMA_UNMAP", 8, 0x11000, ENOENT, "unmap: another address"),
	WRONG8("DMA_UNMAP", 16, MOCK_PAGE, ENOENT, "unmap: a part"),
	WRONG8("DMA_UNMAP", 16, 0, ENOENT, "unmap: no bytes"),
	WRONG_FDS("DMA_UNMAP", 1, EINVAL, "unmap: a descriptor"),

	WRONG_SIZE("GET_INFO", 15, "device info: too short"),
	WRONG4("GET_INFO", 0, 15, EINVAL, "device info: argsz too small"),
	WRONG_SIZE("GET_REGION_INFO", 31, "region info: too short"),
	WRONG4("GET_REGION_INFO", 0, 31, EINVAL, "region info: argsz too small"),
	WRONG4("GET_REGION_INFO", 8, 9, EINVAL, "region info: no such region"),
	WRONG4("GET_REGION_INFO", 8, 0xffffffff, EINVAL, "region info: highest index"),
	WRONG4("GET_REGION_INFO, mmap", 0, 31, EINVAL, "region info with file: argsz too small"),
	WRONG_SIZE("GET_IRQ_INFO", 15, "interrupt info: too short"),
	WRONG4("GET_IRQ_INFO", 0, 0, EINVAL, "interrupt info: argsz too small"),
	WRONG4("GET_IRQ_INFO", 8, 5, EINVAL, "interrupt info: no such index"),
	WRONG4("GET_IRQ_INFO", 8, 0xffffffff, EINVAL, "interrupt info: highest index"),

	WRONG_SIZE("SET_IRQS, eventfds", 19, "interrupts: too short"),
	WRONG_SIZE("SET_IRQS, eventfds", 28, "interrupts: data that are not counted"),
	WRONG4("SET_IRQS, eventfds", 0, 19, EINVAL, "interrupts: argsz too small"),
	WRONG4("SET_IRQS, eventfds", 0, 28, EINVAL, "interrupts: argsz is not the size"),
	WRONG4("SET_IRQS, eventfds", 4, 0x26, EINVAL, "interrupts: two kinds of data"),
	WRONG4("SET_IRQS, eventfds", 4, 0x20, EINVAL, "interrupts: no kind of data"),
	WRONG4("SET_IRQS, eventfds", 4, 0x34, EINVAL, "interrupts: two actions"),
	WRONG4("SET_IRQS, eventfds", 4, 0x04, EINVAL, "interrupts: no action"),
	WRONG4("SET_IRQS, eventfds", 4, 0x64, EINVAL, "interrupts: unknown flag"),
	WRONG4("SET_IRQS, eventfds", 4, 0x0c, EINVAL, "interrupts: MSI cannot be masked"),
	WRONG4("SET_IRQS, eventfds", 4, 0x21, EINVAL, "interrupts: descriptors that are no data"),
	WRONG4("SET_IRQS, eventfds", 8, 5, EINVAL, "interrupts: no such index"),
	WRONG4("SET_IRQS, eventfds", 8, 0xffffffff, EINVAL, "interrupts: highest index"),
	WRONG4("SET_IRQS, eventfds", 8, 2, EINVAL, "interrupts: index without interrupts"),
	WRONG4("SET_IRQS, eventfds", 12, 9, EINVAL, "interrupts: one beyond the last"),
	WRONG4("SET_IRQS, eventfds", 12, 0xffffffff, EINVAL, "interrupts: start and count wrap"),
	WRONG4("SET_IRQS, eventfds", 16, 10, EINVAL, "interrupts: count too large"),
	WRONG4("SET_IRQS, eventfds", 16, 0xffffffff, EINVAL, "interrupts: highest count"),
	WRONG4("SET_IRQS, eventfds", 16, 0, EINVAL, "interrupts: descriptors of none"),
	WRONG_FDS("SET_IRQS, eventfds", 1, EINVAL, "interrupts: one descriptor for two"),
	WRONG_FDS("SET_IRQS, eventfds", 9, EINVAL, "interrupts: nine descriptors"),
	WRONG_FDS("SET_IRQS, 8 eventfds", 9, EINVAL, "interrupts: nine descriptors for eight"),
	WRONG_FDS("SET_IRQS, 8 eventfds", 7, EINVAL, "interrupts: seven descriptors for eight"),
	WRONG4("SET_IRQS, no eventfd", 16, 10, EINVAL, "interrupts: remove too many"),
	WRONG4("SET_IRQS, no eventfd", 16, 0xffffffff, EINVAL, "interrupts: remove, count wraps"),
	WRONG4("SET_IRQS, no eventfd", 12, 0xffffffff, EINVAL, "interrupts: remove, start wraps"),
	WRONG4("SET_IRQS, booleans", 16, 2, EINVAL, "interrupts: a boolean too many"),
	WRONG_SIZE("SET_IRQS, booleans", 22, "interrupts: a boolean too few"),
	WRONG_FDS("SET_IRQS, booleans", 1, EINVAL, "interrupts: booleans and a descriptor"),
	WRONG4("SET_IRQS, mask", 16, 0, EINVAL, "interrupts: mask none"),
	WRONG4("SET_IRQS, mask", 4, 0x0c, ENOTSUP, "interrupts: remove the eventfd of masking"),
	WRONG4("SET_IRQS, disable all", 12, 1, EINVAL, "interrupts: disable all from 1 on"),

	WRONG_SIZE("REGION_READ of 4", 15, "read: too short"),
	WRONG_SIZE("REGION_READ of 4", 20, "read: with data"),
	WRONG8("REGION_READ of 4", 0, 61, EINVAL, "read: last byte beyond the region"),
	WRONG8("REGION_READ of 4", 0, 64, EINVAL, "read: at the end"),
	WRONG8("REGION_READ of 4", 0, MAX64, EINVAL, "read: offset wraps"),
	WRONG8("REGION_READ of 4", 0, MAX64 - 3, EINVAL, "read: end is 0"),
	WRONG4("REGION_READ of 4", 8, 9, EINVAL, "read: no such region"),
	WRONG4("REGION_READ of 4", 8, 0xffffffff, EINVAL, "read: highest region"),
	WRONG4("REGION_READ of 4", 8, 8, EINVAL, "read: region of no bytes"),
	WRONG4("REGION_READ of 4", 8, MOCK_WRITE_ONLY, EPERM, "read: only writes are allowed"),
	WRONG4("REGION_READ of 4", 12, 0, EINVAL, "read: no bytes"),
	WRONG4("REGION_READ of 4", 12, 5, EINVAL, "read: count beyond the region"),
	WRONG4("REGION_READ of 4", 12, 0xffffffff, EINVAL, "read: highest count"),
	WRONG4("REGION_READ of 4", 12, VFU_MAX_DATA + 1, EINVAL, "read: more than 1 MiB"),
	WRONG4("REGION_READ of 63", 8, MOCK_BROKEN, EIO, "read: the device fails"),
	WRONG_FDS("REGION_READ of 4", 1, EINVAL, "read: a descriptor"),

	WRONG_SIZE("REGION_WRITE of 4", 15, "write: too short"),
	WRONG_SIZE("REGION_WRITE of 4", 16, "write: no data"),
	WRONG_SIZE("REGION_WRITE of 4", 19, "write: a byte missing"),
	WRONG_SIZE("REGION_WRITE of 4", 21, "write: a byte too many"),
	WRONG8("REGION_WRITE of 4", 0, 61, EINVAL, "write: last byte beyond the region"),
	WRONG8("REGION_WRITE of 4", 0, MAX64, EINVAL, "write: offset wraps"),
	WRONG4("REGION_WRITE of 4", 8, 9, EINVAL, "write: no such region"),
	WRONG4("REGION_WRITE of 4", 8, MOCK_READ_ONLY, EPERM, "write: only reads are allowed"),
	WRONG4("REGION_WRITE of 4", 12, 3, EINVAL, "write: count smaller than the data"),
	WRONG4("REGION_WRITE of 4", 12, 0xffffffff, EINVAL, "write: highest count"),
	WRONG4("REGION_WRITE of 4", 12, 0xfffffff4, EINVAL, "write: count and header wrap"),
};

static const struct sample *sample_named(const char *name)
{
	unsigned int i;

	for (i = 0; strcmp(samples[i].name, name); i++)
		;
	return &samples[i];
}

static void wrong_build(const struct wrong *wrong, struct message *m)
{
	sample_named(wrong->sample)->build(m);
	if (wrong->bytes == 4)
		put32(m, wrong->at, wrong->value);
	if (wrong->bytes == 8)
		put64(m, wrong->at, wrong->value);
	if (wrong->payload)
		message_resize(m, wrong->payload);
	message_flags(m, wrong->flags);
	if (wrong->nr_fds < 0)
		return;
	for (m->nr_fds = 0; m->nr_fds < (unsigned int)wrong->nr_fds; m->nr_fds++)
		m->fds[m->nr_fds] = sample_event();
}

/* something is mapped and two interrupts are set, which must stay */
static void wrong_start(void)
{
	struct message m, reply;

	start_over(true);
	sample_named("DMA_MAP")->build(&m);
	exchange(&mock, &m, &reply);
	sample_named("SET_IRQS, eventfds")->build(&m);
	exchange(&mock, &m, &reply);
}

static void wrong_messages(void)
{
	struct message m, reply;
	unsigned int i, fds;
	uint64_t state;
	int ret;

	wrong_start();
	for (i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		const struct wrong *wrong = &wrongs[i];

		/* else it is refused because it overlaps */
		if (!strcmp(wrong->sample, "DMA_MAP"))
			dma_unmap_all(&mock.dma);
		wrong_build(wrong, &m);
		state = mock_state(&mock);
		fds = count_fds();
		mock.why = NULL;
		ret = exchange(&mock, &m, &reply);
		tap_ok(!ret && reply_is(&reply, sample_named(wrong->sample)->command, 0,
					F_REPLY | F_ERROR, wrong->error) &&
		       mock_state(&mock) == state && count_fds() == fds && mock.why,
		       "%s: %s", wrong->name, strerror(wrong->error));
		if (!strcmp(wrong->sample, "DMA_MAP"))
			wrong_start();
	}
}

/* all that is not a command of the protocol, or of this server */
static void wrong_commands(void)
{
	struct message m, reply;
	unsigned int command, good = 0, bad = 0;
	uint64_t state;

	start_over(true);
	state = mock_state(&mock);
	for (command = 0; command < 65536; command++) {
		if (command && command <= C_RESET && command != 6 &&
		    command != 11 && command != 12)
			continue;
		message_init(&m, command, 32);
		bad++;
		good += !exchange(&mock, &m, &reply) &&
			reply_is(&reply, command, 0, F_REPLY | F_ERROR, ENOTSUP);
	}
	tap_ok(good == bad && mock_state(&mock) == state, "%u unknown commands", bad);
}

static void wrong_before_version(void)
{
	struct message m, reply;
	unsigned int i, good = 0;
	uint64_t state;

	start_over(false);
	state = mock_state(&mock);
	for (i = 1; i < nr_samples; i++) {
		samples[i].build(&m);
		good += !exchange(&mock, &m, &reply) &&
			reply_is(&reply, samples[i].command, 0, F_REPLY | F_ERROR, EINVAL);
	}
	tap_ok(good == nr_samples - 1 && mock_state(&mock) == state,
	       "%u commands before VERSION", good);
}

/* the connection can still agree on a version afterwards */
static void wrong_version(const char *name, struct message *m, int error)
{
	struct message reply;
	bool refused;

	start_over(false);
	refused = !exchange(&mock, m, &reply) &&
		  reply_is(&reply, C_VERSION, 0, F_REPLY | F_ERROR, error);
	samples[0].build(m);
	tap_ok(refused && !exchange(&mock, m, &reply) && head32(&reply, 8) == F_REPLY,
	       "VERSION: %s", name);
}

static void wrong_versions(void)
{
	struct message m;

	message_init(&m, C_VERSION, 3);
	wrong_version("too short", &m, EINVAL);
	message_init(&m, C_VERSION, 4);
	put32(&m, 0, 1);
	wrong_version("1.0", &m, ENOTSUP);
	samples[0].build(&m);
	m.bytes[m.len - 1] = 'x';
	wrong_version("data are not terminated", &m, EINVAL);
	samples[0].build(&m);
	m.bytes[30] = 0;
	wrong_version("data end early", &m, EINVAL);
	samples[0].build(&m);
	m.fds[m.nr_fds++] = sample_event();
	wrong_version("a descriptor", &m, EINVAL);
}

/* sizes that a message cannot have */
static void wrong_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 15, 33 + VFU_MAX_DATA, 0x7fffffff,
		0x80000000, 0xffffffff };
	struct message m, reply;
	unsigned int i, fds;
	int ret;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		start_over(true);
		fds = count_fds();
		message_init(&m, C_READ, 0);
		message_size(&m, sizes[i]);
		m.fds[m.nr_fds++] = sample_event();
		ret = exchange(&mock, &m, &reply);
		tap_ok(ret == -EMSGSIZE && count_fds() == fds &&
		       reply_is(&reply, C_READ, 0, F_REPLY | F_ERROR, EMSGSIZE),
		       "a size of %#x ends the connection", sizes[i]);
	}
}

/* errors are not replied to either */
static void wrong_no_reply(void)
{
	struct message m, reply;

	start_over(true);
	message_init(&m, 99, 0);
	message_flags(&m, F_NO_REPLY);
	tap_ok(!exchange(&mock, &m, &reply) && !reply.len && mock.refused == 1,
	       "an unknown command without reply");
}

/* replies to commands that were never sent are dropped, with what they carry */
static void replies_ignored(void)
{
	struct message m, reply;
	unsigned int i, good = 0, fds;

	for (i = 0; i < nr_samples; i++) {
		uint64_t state;

		samples_until(i);
		state = mock_state(&mock);
		fds = count_fds();
		samples[i].build(&m);
		message_flags(&m, F_REPLY);
		good += !exchange(&mock, &m, &reply) && !reply.len && !mock.refused &&
			mock_state(&mock) == state && count_fds() == fds;
	}
	tap_ok(good == nr_samples, "%u replies to nothing", good);
}

/*
 * The kernel drops descriptors that this process has no room for. None at all
 * would mean to remove those that were set.
 */
static void no_room_for_fds(unsigned int room)
{
	struct rlimit old, low;
	struct message m, reply;
	int ret;

	start_over(true);
	sample_named("SET_IRQS, 8 eventfds")->build(&m);
	exchange(&mock, &m, &reply);
	sample_named("SET_IRQS, eventfds")->build(&m);
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = dup(0);
	close(low.rlim_cur);
	low.rlim_cur += room;
	setrlimit(RLIMIT_NOFILE, &low);
	ret = exchange(&mock, &m, &reply);
	setrlimit(RLIMIT_NOFILE, &old);
	tap_ok(!ret && reply_is(&reply, C_SET_IRQS, 0, F_REPLY | F_ERROR, EINVAL) &&
	       mock.lines[1].fd >= 0, "room for %u of two descriptors", room);
}

/* ---- connection ----------------------------------------------------------------------- */

static void nothing_done(int signal)
{
}

static void *signal_main(void *thread)
{
	usleep(20000);
	pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

static void signal_ends_wait(void)
{
	const struct sigaction act = { .sa_handler = nothing_done };
	pthread_t self = pthread_self(), thread;
	struct message m, reply;
	int ret;

	start_over(true);
	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&thread, NULL, signal_main, &self);
	ret = vfu_handle(mock.srv);
	pthread_join(thread, NULL);
	samples[sample_of(C_READ)].build(&m);
	tap_ok(ret == -EINTR && !exchange(&mock, &m, &reply) && reply.len == 36,
	       "a signal ends the wait for a message, not the connection");
}

static void listen_and_accept(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/vfio-user-XXXXXX";
	struct vfu_server *srv;
	int fd, again, client;

	if (!mkdtemp(dir))
		abort();
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/socket", dir);
	fd = vfu_listen(addr.sun_path);
	again = vfu_listen(addr.sun_path);
	tap_ok(fd >= 0 && again >= 0, "an old socket is replaced");
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(client, (struct sockaddr *)&addr, sizeof(addr));
	srv = vfu_accept(again, &mock.dev);
	close(client);
	tap_ok(srv && vfu_fd(srv) >= 0 && vfu_handle(srv) == 1,
	       "a client connects and leaves");
	vfu_close(srv);
	close(fd);
	close(again);
	unlink(addr.sun_path);
	close(open(addr.sun_path, O_CREAT | O_WRONLY, 0600));
	tap_ok(vfu_listen(addr.sun_path) == -EADDRINUSE && !access(addr.sun_path, F_OK),
	       "a file that is no socket stays");
	unlink(addr.sun_path);
	rmdir(dir);
	memset(addr.sun_path, 'x', sizeof(addr.sun_path) - 1);
	tap_ok(vfu_listen("/tmp/a-name-that-is-too-long-for-a-socket-which-has-room-"
			  "for-one-hundred-and-eight-bytes-of-its-path-only-not-more") ==
	       -ENAMETOOLONG, "a path that is too long");
}

int main(void)
{
	unsigned int fds;

	/* a server that waits for more than was sent */
	alarm(120);
	samples_init();
	tap_plan(3 * nr_samples + 6 + 1 + 2 + 2 + 2 + 3 + 1 + 3 +
		 sizeof(wrongs) / sizeof(wrongs[0]) + 2 + 5 + 7 + 4 + 1 + 4 + 1);
	fds = count_fds();
	samples_accepted();
	samples_no_reply();
	content_of_infos();
	content_of_version();
	content_of_regions();
	content_of_maps();
	content_of_irqs();
	stream_by_bytes();
	stream_fd_position();
	stream_of_many();
	stream_broken_off();
	stream_reply_lost();
	large_transfers();
	wrong_messages();
	wrong_commands();
	wrong_before_version();
	wrong_versions();
	wrong_sizes();
	wrong_no_reply();
	replies_ignored();
	no_room_for_fds(0);
	no_room_for_fds(1);
	signal_ends_wait();
	listen_and_accept();
	mock_exit(&mock);
	tap_ok(count_fds() == fds, "no descriptor is left");
	return tap_status();
}
