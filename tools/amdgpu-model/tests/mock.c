// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include "mock.h"

/* ---- device -------------------------------------------------------------- */

static unsigned char *region_memory(struct mock *mock, uint32_t region)
{
	return region == MOCK_LARGE ? mock->large : mock->memory[region];
}

/* what struct vfu_ops promises to the device */
static void promise_check(bool kept)
{
	if (!kept)
		abort();
}

static void access_check(struct mock *mock, uint32_t region, uint64_t offset,
			 uint32_t len, uint32_t flag)
{
	promise_check(region < VFIO_PCI_NUM_REGIONS && len && len <= VFU_MAX_DATA &&
		      mock->regions[region].flags & flag &&
		      offset <= mock->regions[region].size &&
		      len <= mock->regions[region].size - offset);
}

static bool access_breaks(uint32_t region, uint64_t offset, uint32_t len)
{
	return region == MOCK_BROKEN && offset <= MOCK_BROKEN_AT &&
	       offset + len > MOCK_BROKEN_AT;
}

static int mock_read(void *priv, uint32_t region, uint64_t offset, void *buf,
		     uint32_t len)
{
	struct mock *mock = priv;

	access_check(mock, region, offset, len, VFIO_REGION_INFO_FLAG_READ);
	if (access_breaks(region, offset, len))
		return -EIO;
	if (region == MOCK_SHARED)
		return pread(mock->shared, buf, len, offset) == len ? 0 : -EIO;
	memcpy(buf, region_memory(mock, region) + offset, len);
	return 0;
}

static int mock_write(void *priv, uint32_t region, uint64_t offset,
		      const void *buf, uint32_t len)
{
	struct mock *mock = priv;

	access_check(mock, region, offset, len, VFIO_REGION_INFO_FLAG_WRITE);
	if (access_breaks(region, offset, len))
		return -EIO;
	if (region == MOCK_SHARED)
		return pwrite(mock->shared, buf, len, offset) == len ? 0 : -EIO;
	memcpy(region_memory(mock, region) + offset, buf, len);
	return 0;
}

static uint64_t map_hash(uint64_t iova, uint64_t size)
{
	return (iova * 31 + size) * 0x9e3779b97f4a7c15ull;
}

static int mock_map(void *priv, uint64_t iova, uint64_t size, int prot, int fd,
		    uint64_t offset)
{
	struct mock *mock = priv;
	int err;

	promise_check(size && iova + size - 1 >= iova && offset + size > offset &&
		      prot && !(prot & ~(PROT_READ | PROT_WRITE)));
	err = dma_map(&mock->dma, iova, size, prot, fd, offset, NULL);
	if (!err)
		mock->map_sum += map_hash(iova, size);
	return err;
}

static int mock_unmap(void *priv, uint64_t iova, uint64_t size)
{
	struct mock *mock = priv;
	int err = dma_unmap(&mock->dma, iova, size);

	if (!err)
		mock->map_sum -= map_hash(iova, size);
	return err;
}

static int mock_unmap_all(void *priv)
{
	struct mock *mock = priv;

	dma_unmap_all(&mock->dma);
	mock->map_sum = 0;
	return 0;
}

static int mock_set_irqs(void *priv, const struct vfu_irq_set *set)
{
	struct mock *mock = priv;
	const struct vfu_irq *irq = &mock->irqs[set->index];

	promise_check(set->index < VFIO_PCI_NUM_IRQS && set->start <= irq->count &&
		      set->count <= irq->count - set->start &&
		      !set->bools == (set->data != VFIO_IRQ_SET_DATA_BOOL) &&
		      (!set->fds || set->data == VFIO_IRQ_SET_DATA_EVENTFD));
	if (set->index == VFIO_PCI_MSI_IRQ_INDEX)
		return irq_apply(mock->lines, MOCK_NR_MSI, set);
	return irq_apply(&mock->intx, 1, set);
}

static int mock_reset(void *priv)
{
	struct mock *mock = priv;

	mock->resets++;
	return 0;
}

static void mock_refused(void *priv, unsigned int command, int err,
			 const char *why)
{
	struct mock *mock = priv;

	mock->refused++;
	mock->why = why;
}

static const struct vfu_ops mock_ops = {
	.region_read = mock_read,
	.region_write = mock_write,
	.dma_map = mock_map,
	.dma_unmap = mock_unmap,
	.dma_unmap_all = mock_unmap_all,
	.set_irqs = mock_set_irqs,
	.reset = mock_reset,
	.refused = mock_refused,
};

static void regions_init(struct mock *mock)
{
	const uint32_t both = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++)
		mock->regions[i] = (struct vfu_region){ MOCK_SIZE, both, -1, 0 };
	mock->regions[MOCK_SHARED] =
		(struct vfu_region){ MOCK_PAGE, both, mock->shared, 0 };
	mock->regions[MOCK_LARGE].size = VFU_MAX_DATA;
	mock->regions[MOCK_WRITE_ONLY].flags = VFIO_REGION_INFO_FLAG_WRITE;
	mock->regions[MOCK_READ_ONLY].flags = VFIO_REGION_INFO_FLAG_READ;
	mock->regions[VFIO_PCI_VGA_REGION_INDEX] = (struct vfu_region){ 0, 0, -1, 0 };
}

void mock_init(struct mock *mock)
{
	unsigned int i;

	memset(mock, 0, sizeof(*mock));
	mock->client = -1;
	mock->large = calloc(1, VFU_MAX_DATA);
	mock->shared = memfd_create("shared", MFD_CLOEXEC);
	if (mock->shared < 0 || ftruncate(mock->shared, MOCK_PAGE))
		abort();
	regions_init(mock);
	mock->irqs[VFIO_PCI_INTX_IRQ_INDEX] = (struct vfu_irq){ 1,
		VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE };
	mock->irqs[VFIO_PCI_MSI_IRQ_INDEX] = (struct vfu_irq){ MOCK_NR_MSI,
		VFIO_IRQ_INFO_EVENTFD };
	for (i = 0; i < MOCK_NR_MSI; i++)
		irq_init(&mock->lines[i]);
	irq_init(&mock->intx);
	mock->dev = (struct vfu_device){
		.ops = &mock_ops, .priv = mock,
		.regions = mock->regions, .nr_regions = VFIO_PCI_NUM_REGIONS,
		.irqs = mock->irqs, .nr_irqs = VFIO_PCI_NUM_IRQS,
		.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
	};
}

void mock_exit(struct mock *mock)
{
	unsigned int i;

	mock_disconnect(mock);
	dma_unmap_all(&mock->dma);
	for (i = 0; i < MOCK_NR_MSI; i++)
		irq_clear(&mock->lines[i]);
	irq_clear(&mock->intx);
	close(mock->shared);
	free(mock->large);
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		hash = (hash ^ *p++) * 0x100000001b3ull;
	return hash;
}

static uint64_t hash_line(uint64_t hash, const struct irq_line *line)
{
	int state[3] = { line->fd, line->masked, line->pending };

	return hash_bytes(hash, state, sizeof(state));
}

uint64_t mock_state(const struct mock *mock)
{
	unsigned char shared[MOCK_SIZE];
	uint64_t hash = 0xcbf29ce484222325ull;
	unsigned int i;

	if (pread(mock->shared, shared, sizeof(shared), 0) != sizeof(shared))
		abort();
	hash = hash_bytes(hash, shared, sizeof(shared));
	hash = hash_bytes(hash, mock->memory, sizeof(mock->memory));
	/* no message of struct message reaches farther */
	hash = hash_bytes(hash, mock->large, 512);
	hash = hash_bytes(hash, &mock->map_sum, sizeof(mock->map_sum));
	hash = hash_bytes(hash, &mock->dma.nr, sizeof(mock->dma.nr));
	hash = hash_bytes(hash, &mock->resets, sizeof(mock->resets));
	for (i = 0; i < MOCK_NR_MSI; i++)
		hash = hash_line(hash, &mock->lines[i]);
	return hash_line(hash, &mock->intx);
}

/* ---- client -------------------------------------------------------------- */

void mock_connect(struct mock *mock, bool versioned)
{
	struct message m, reply;
	int pair[2];

	mock_disconnect(mock);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();
	mock->client = pair[0];
	mock->srv = vfu_open(pair[1], &mock->dev);
	if (!mock->srv)
		abort();
	if (!versioned)
		return;
	message_init(&m, C_VERSION, 4);
	if (exchange(mock, &m, &reply) || head32(&reply, 8) != F_REPLY)
		abort();
}

void mock_disconnect(struct mock *mock)
{
	vfu_close(mock->srv);
	if (mock->client >= 0)
		close(mock->client);
	mock->srv = NULL;
	mock->client = -1;
}

void put32(struct message *m, size_t at, uint32_t value)
{
	memcpy(m->bytes + 16 + at, &value, sizeof(value));
}

void put64(struct message *m, size_t at, uint64_t value)
{
	memcpy(m->bytes + 16 + at, &value, sizeof(value));
}

uint32_t head32(const struct message *m, size_t at)
{
	uint32_t value;

	memcpy(&value, m->bytes + at, sizeof(value));
	return value;
}

uint32_t get32(const struct message *m, size_t at)
{
	return head32(m, 16 + at);
}

uint64_t get64(const struct message *m, size_t at)
{
	return get32(m, at) | (uint64_t)get32(m, at + 4) << 32;
}

void message_size(struct message *m, uint32_t size)
{
	memcpy(m->bytes + 4, &size, sizeof(size));
}

void message_flags(struct message *m, uint32_t flags)
{
	memcpy(m->bytes + 8, &flags, sizeof(flags));
}

void message_resize(struct message *m, size_t payload)
{
	m->len = 16 + payload;
	message_size(m, m->len);
}

void message_init(struct message *m, unsigned int command, size_t payload)
{
	uint16_t id = 0x1234, number = command;

	memset(m, 0, sizeof(*m));
	memcpy(m->bytes, &id, sizeof(id));
	memcpy(m->bytes + 2, &number, sizeof(number));
	message_resize(m, payload);
}

void client_send(struct mock *mock, const struct message *m, size_t from,
		 size_t len, bool with_fds)
{
	union {
		char buf[CMSG_SPACE(sizeof(m->fds))];
		struct cmsghdr head;
	} control = {};
	struct iovec iov = { (void *)(m->bytes + from), len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!len)
		return;
	if (with_fds && m->nr_fds) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(m->nr_fds * sizeof(int));
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(m->nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.head), m->fds, m->nr_fds * sizeof(int));
	}
	if (sendmsg(mock->client, &msg, MSG_NOSIGNAL) != (ssize_t)len)
		abort();
}

/* the descriptors of @msg */
static void receive_fds(struct message *m, struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		m->nr_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(m->fds, CMSG_DATA(c), m->nr_fds * sizeof(int));
	}
}

/* up to @size bytes in all; those that @m has no room for are counted */
static void receive_payload(struct mock *mock, struct message *m, size_t size)
{
	unsigned char rest[MOCK_PAGE];
	ssize_t got;

	while (m->len < size) {
		bool fits = m->len < sizeof(m->bytes);
		size_t room = fits ? sizeof(m->bytes) - m->len : sizeof(rest);

		got = recv(mock->client, fits ? m->bytes + m->len : rest,
			   room < size - m->len ? room : size - m->len, MSG_DONTWAIT);
		if (got <= 0)
			break;
		m->len += got;
	}
}

bool client_receive(struct mock *mock, struct message *m)
{
	union {
		char buf[CMSG_SPACE(sizeof(m->fds))];
		struct cmsghdr head;
	} control;
	struct iovec iov = { m->bytes, 16 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control) };

	memset(m, 0, sizeof(*m));
	if (recvmsg(mock->client, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 16)
		return false;
	receive_fds(m, &msg);
	m->len = 16;
	receive_payload(mock, m, head32(m, 4));
	return true;
}

void close_fds(struct message *m)
{
	while (m->nr_fds)
		close(m->fds[--m->nr_fds]);
}

int exchange(struct mock *mock, const struct message *m, struct message *reply)
{
	int ret;

	client_send(mock, m, 0, m->len, true);
	ret = vfu_handle(mock->srv);
	client_receive(mock, reply);
	return ret;
}

unsigned int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* ---- samples -------------------------------------------------------------- */

static int file_fd, event_fd;

void samples_init(void)
{
	unsigned char page[MOCK_PAGE];
	unsigned int i;

	file_fd = memfd_create("guest", MFD_CLOEXEC);
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file_fd < 0 || event_fd < 0)
		abort();
	for (i = 0; i < MOCK_PAGES; i++) {
		memset(page, i + 1, sizeof(page));
		if (write(file_fd, page, sizeof(page)) != sizeof(page))
			abort();
	}
}

int sample_file(void)
{
	return file_fd;
}

int sample_event(void)
{
	return event_fd;
}

static void build_version(struct message *m)
{
	static const char caps[] = "{\"capabilities\":{\"max_msg_fds\":8}}";

	message_init(m, C_VERSION, 4 + sizeof(caps));
	memcpy(m->bytes + 20, caps, sizeof(caps));
}

/* pages 1 and 2 of the file at 0x10000 */
static void build_map(struct message *m)
{
	message_init(m, C_DMA_MAP, 32);
	put32(m, 0, 32);
	put32(m, 4, 3);
	put64(m, 8, MOCK_PAGE);
	put64(m, 16, 0x10000);
	put64(m, 24, 2 * MOCK_PAGE);
	m->fds[m->nr_fds++] = file_fd;
}

static void build_unmap(struct message *m)
{
	message_init(m, C_DMA_UNMAP, 24);
	put32(m, 0, 24);
	put64(m, 8, 0x10000);
	put64(m, 16, 2 * MOCK_PAGE);
}

static void build_unmap_all(struct message *m)
{
	message_init(m, C_DMA_UNMAP, 24);
	put32(m, 0, 24);
	put32(m, 4, 2);
}

static void build_device_info(struct message *m)
{
	message_init(m, C_DEVICE_INFO, 16);
	put32(m, 0, 16);
}

static void build_region_info(struct message *m)
{
	message_init(m, C_REGION_INFO, 32);
	put32(m, 0, 32);
	put32(m, 8, VFIO_PCI_CONFIG_REGION_INDEX);
}

static void build_shared_info(struct message *m)
{
	build_region_info(m);
	put32(m, 8, MOCK_SHARED);
}

static void build_irq_info(struct message *m)
{
	message_init(m, C_IRQ_INFO, 16);
	put32(m, 0, 16);
	put32(m, 8, VFIO_PCI_MSI_IRQ_INDEX);
}

static void build_irqs(struct message *m, uint32_t flags, uint32_t index,
		       uint32_t start, uint32_t count)
{
	message_init(m, C_SET_IRQS, 20);
	put32(m, 0, 20);
	put32(m, 4, flags);
	put32(m, 8, index);
	put32(m, 12, start);
	put32(m, 16, count);
}

static void build_eventfds(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		   VFIO_PCI_MSI_IRQ_INDEX, 1, 2);
	m->fds[m->nr_fds++] = event_fd;
	m->fds[m->nr_fds++] = event_fd;
}

/* as many as a message can carry */
static void build_most(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		   VFIO_PCI_MSI_IRQ_INDEX, 0, VFU_MAX_FDS);
	while (m->nr_fds < VFU_MAX_FDS)
		m->fds[m->nr_fds++] = event_fd;
}

static void build_deassign(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		   VFIO_PCI_MSI_IRQ_INDEX, 1, 1);
}

static void build_bools(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_TRIGGER,
		   VFIO_PCI_MSI_IRQ_INDEX, 0, 3);
	message_resize(m, 23);
	put32(m, 0, 23);
	m->bytes[16 + 21] = 1;
}

static void build_mask(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK,
		   VFIO_PCI_INTX_IRQ_INDEX, 0, 1);
}

static void build_disable(struct message *m)
{
	build_irqs(m, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER,
		   VFIO_PCI_MSI_IRQ_INDEX, 0, 0);
}

static void build_access(struct message *m, unsigned int command, uint64_t offset,
			 uint32_t region, uint32_t count)
{
	message_init(m, command, 16 + (command == C_WRITE ? count : 0));
	put64(m, 0, offset);
	put32(m, 8, region);
	put32(m, 12, count);
}

static void build_read(struct message *m)
{
	build_access(m, C_READ, 60, VFIO_PCI_CONFIG_REGION_INDEX, 4);
}

static void build_read_odd(struct message *m)
{
	build_access(m, C_READ, 1, MOCK_READ_ONLY, 63);
}

static void build_write(struct message *m)
{
	build_access(m, C_WRITE, 60, VFIO_PCI_CONFIG_REGION_INDEX, 4);
	put32(m, 16, 0xdeadbeef);
}

static void build_write_shared(struct message *m)
{
	build_access(m, C_WRITE, 8, MOCK_SHARED, 3);
	memcpy(m->bytes + 32, "abc", 3);
}

static void build_reset(struct message *m)
{
	message_init(m, C_RESET, 0);
}

static const char capabilities[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576,"
	"\"pgsizes\":4096,\"max_dma_maps\":65535}}";

/* in an order in which all are accepted; the first is VERSION */
const struct sample samples[] = {
	{ "VERSION", C_VERSION, 4 + sizeof(capabilities), 0, 0, build_version },
	{ "DMA_MAP", C_DMA_MAP, 0, 0, 0, build_map },
	{ "DMA_UNMAP", C_DMA_UNMAP, 24, 0, 0, build_unmap },
	{ "DMA_UNMAP of all", C_DMA_UNMAP, 24, 0, 0, build_unmap_all },
	{ "GET_INFO", C_DEVICE_INFO, 16, 0, 0, build_device_info },
	{ "GET_REGION_INFO", C_REGION_INFO, 32, 0, 0, build_region_info },
	{ "GET_REGION_INFO, mmap", C_REGION_INFO, 32, 1, 0, build_shared_info },
	{ "GET_IRQ_INFO", C_IRQ_INFO, 16, 0, 0, build_irq_info },
	{ "SET_IRQS, eventfds", C_SET_IRQS, 0, 0, 2, build_eventfds },
	{ "SET_IRQS, booleans", C_SET_IRQS, 0, 0, 0, build_bools },
	{ "SET_IRQS, 8 eventfds", C_SET_IRQS, 0, 0, 6, build_most },
	{ "SET_IRQS, no eventfd", C_SET_IRQS, 0, 0, -1, build_deassign },
	{ "SET_IRQS, mask", C_SET_IRQS, 0, 0, 0, build_mask },
	{ "SET_IRQS, disable all", C_SET_IRQS, 0, 0, -7, build_disable },
	{ "REGION_READ of 4", C_READ, 20, 0, 0, build_read },
	{ "REGION_READ of 63", C_READ, 16 + 63, 0, 0, build_read_odd },
	{ "REGION_WRITE of 4", C_WRITE, 16, 0, 0, build_write },
	{ "REGION_WRITE of 3, mmap", C_WRITE, 16, 0, 0, build_write_shared },
	{ "DEVICE_RESET", C_RESET, 0, 0, 0, build_reset },
};

const unsigned int nr_samples = sizeof(samples) / sizeof(samples[0]);
