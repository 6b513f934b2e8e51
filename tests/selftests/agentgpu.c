// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/gpubp.h>
#include "agentgpu.h"
#include "books.h"
#include "event.h"

/* global_store_dword v[0:1], v2, off */
static const uint32_t code[] = { 0xdc708000, 0x007f0200 };

/**
 * struct store_hit - the message of a hit
 * @hit: head
 * @of_addr: v0 and v1
 * @addr: low and high halves of the lanes' addresses
 * @of_data: v2
 * @data: what lanes store
 */
struct store_hit {
	struct gpubp_agent_hit hit;
	struct gpubp_agent_regs of_addr;
	uint32_t addr[2][GPUBP_AGENT_LANES];
	struct gpubp_agent_regs of_data;
	uint32_t data[GPUBP_AGENT_LANES];
};

struct gpubp_agent_join agentgpu_join(void)
{
	return (struct gpubp_agent_join) {
		.isa = "gfx90a",
		.name = AGENT_NAME,
		.node_fd = -1,
		.nr_slots = 4,
		.granule = 64,
		.va_bits = 48,
		.max_block = 1 << 30,
		.modes = 0xf,
		.flags = GPUBP_AGENT_PRECISE,
	};
}

int agentgpu_file(void)
{
	int fd = open("/dev/gpubp_agent", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int agentgpu_call(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

int agentgpu_write(int fd, const void *msg)
{
	const struct gpubp_agent_header *header = msg;
	ssize_t n = write(fd, msg, header->size);

	return n < 0 ? -errno : n == header->size ? 0 : -EIO;
}

/* ---- counts -------------------------------------------------------------- */

static int write_counts(struct agentgpu *gpu, unsigned int slot)
{
	struct agentgpu_counts *counts = &gpu->counts[slot];
	static const struct agentgpu_counts none;
	struct gpubp_agent_counts msg = {
		.header = { sizeof(msg), GPUBP_AGENT_COUNTS },
		.seq = gpu->prog.seq, .slot = slot, .strays = counts->strays,
	};
	int err;

	if (!memcmp(counts, &none, sizeof(none)))
		return 0;
	memcpy(msg.hits, counts->hits, sizeof(msg.hits));
	*counts = none;
	err = agentgpu_write(gpu->fd, &msg);
	gpu->nr_counts += !err;
	return err;
}

static int flush(struct agentgpu *gpu)
{
	unsigned int n;
	int err = 0;

	for (n = 0; !err && n < GPUBP_AGENT_SLOTS; n++)
		err = write_counts(gpu, n);
	return err;
}

int agentgpu_flush(struct agentgpu *gpu)
{
	int err;

	pthread_mutex_lock(&gpu->lock);
	err = flush(gpu);
	pthread_mutex_unlock(&gpu->lock);
	return err;
}

int agentgpu_strays(struct agentgpu *gpu, uint32_t nr)
{
	int err = -ENOENT;

	pthread_mutex_lock(&gpu->lock);
	if (gpu->prog.valid) {
		gpu->counts[__builtin_ctz(gpu->prog.valid)].strays += nr;
		err = flush(gpu);
	}
	pthread_mutex_unlock(&gpu->lock);
	return err;
}

/* ---- programs ------------------------------------------------------------ */

static void serve_program(struct agentgpu *gpu)
{
	struct gpubp_agent_ack ack = {
		.header = { sizeof(ack), GPUBP_AGENT_ACK },
	};
	struct gpubp_agent_program prog;
	unsigned int n;

	if (read(gpu->fd, &prog, sizeof(prog)) != sizeof(prog))
		return;
	flush(gpu);
	ack.seq = prog.seq;
	for (n = 0; n < GPUBP_AGENT_SLOTS; n++) {
		ack.err[n] = prog.valid & 1 << n ? gpu->err[n] : 0;
		if (ack.err[n])
			prog.valid &= ~(1 << n);
	}
	gpu->prog = prog;
	gpu->nr_programs++;
	agentgpu_write(gpu->fd, &ack);
}

static void *serve(void *arg)
{
	struct agentgpu *gpu = arg;
	struct pollfd fds = { .fd = gpu->fd, .events = POLLIN };
	bool ends = false;

	while (!ends) {
		bool news = poll(&fds, 1, 10) > 0;

		pthread_mutex_lock(&gpu->lock);
		ends = gpu->ends;
		if (news && !gpu->mute)
			serve_program(gpu);
		news &= !gpu->mute;
		flush(gpu);
		pthread_mutex_unlock(&gpu->lock);
		if (!news)
			usleep(1000);
	}
	return NULL;
}

int agentgpu_start(struct agentgpu *gpu, const struct gpubp_agent_join *join)
{
	struct gpubp_agent_queue queue = {
		.id = AGENT_QUEUE, .flags = GPUBP_AGENT_QUEUE_HELD,
	};
	int err;

	*gpu = (struct agentgpu) { .join = *join };
	pthread_mutex_init(&gpu->lock, NULL);
	gpu->fd = agentgpu_file();
	if (gpu->fd < 0)
		return gpu->fd;
	err = agentgpu_call(gpu->fd, GPUBP_AGENT_JOIN, &gpu->join);
	if (!err)
		err = agentgpu_call(gpu->fd, GPUBP_AGENT_QUEUE_CREATE, &queue);
	if (!err)
		err = -pthread_create(&gpu->thread, NULL, serve, gpu);
	if (err)
		close(gpu->fd);
	return err;
}

int agentgpu_device(const struct agentgpu *gpu, char name[64])
{
	return books_agent_name(gpu->join.device, name);
}

void agentgpu_stop(struct agentgpu *gpu)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->ends = true;
	pthread_mutex_unlock(&gpu->lock);
	pthread_join(gpu->thread, NULL);
	flush(gpu);
	close(gpu->fd);
}

void agentgpu_mute(struct agentgpu *gpu, bool mute)
{
	pthread_mutex_lock(&gpu->lock);
	gpu->mute = mute;
	pthread_mutex_unlock(&gpu->lock);
}

int agentgpu_wait(struct agentgpu *gpu)
{
	struct gpubp_agent_queue queue = { .id = AGENT_QUEUE };

	gpu->waited = true;
	return agentgpu_call(gpu->fd, GPUBP_AGENT_WAIT_ARMED, &queue);
}

/* ---- hits ---------------------------------------------------------------- */

static void hit_fill(struct store_hit *msg, uint64_t exec, uint32_t slots)
{
	*msg = (struct store_hit) {
		.hit = {
			.header = { sizeof(*msg), GPUBP_AGENT_HIT },
			.pc = AGENT_PC,
			.exec = exec,
			.time = now_ns(),
			.slots = slots,
			.queue = AGENT_QUEUE,
			.flags = GPUBP_AGENT_HIT_DISPATCH | GPUBP_AGENT_HIT_COORDS,
			.dispatch = AGENT_DISPATCH,
			.wg = { 1, 2, 3 },
			.wave_in_group = 4,
			.code_len = sizeof(code),
			.nr_regs = 2,
		},
		.of_addr = { .file = 1, .count = 2 },
		.of_data = { .file = 1, .count = 1, .first = 2 },
	};
	memcpy(msg->hit.code + GPUBP_AGENT_CODE - sizeof(code), code, sizeof(code));
}

int agentgpu_hit(struct agentgpu *gpu, uint64_t exec, const uint64_t addr[64],
		 const uint32_t value[64], uint32_t slots)
{
	struct store_hit msg;
	unsigned int lane;
	int err;

	hit_fill(&msg, exec, slots);
	for (lane = 0; lane < 64; lane++) {
		msg.addr[0][lane] = addr[lane];
		msg.addr[1][lane] = addr[lane] >> 32;
		msg.data[lane] = value[lane];
	}
	err = agentgpu_write(gpu->fd, &msg);
	gpu->nr_hits += !err;
	return err;
}

/* ---- memory, and pauses -------------------------------------------------- */

int agentgpu_freed(const struct agentgpu *gpu, const void *at, uint64_t len)
{
	const struct gpubp_agent_freed freed = {
		.header = { sizeof(freed), GPUBP_AGENT_FREED },
		.start = (uintptr_t)at, .len = len,
	};

	return agentgpu_write(gpu->fd, &freed);
}

int agentgpu_pause(const struct agentgpu *gpu, bool on)
{
	const struct gpubp_agent_pause pause = {
		.header = { sizeof(pause), GPUBP_AGENT_PAUSE }, .on = on,
	};

	return agentgpu_write(gpu->fd, &pause);
}
