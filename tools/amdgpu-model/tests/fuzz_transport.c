// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile client: changed, cut, joined and random messages, with and without
 * descriptors of all kinds, against a server with a mock device. What is refused
 * changes nothing, each message gets the reply that it should, no descriptor is
 * lost. The same in each run.
 *
 * usage: fuzz_transport [ROUNDS [SEED]]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "mock.h"
#include "tap.h"

#define ROUNDS	100000ul
#define NR_KINDS 5

static struct mock mock;
static unsigned long long seed = 0xf022;
/* descriptors of each kind that messages carry */
static int kinds[NR_KINDS];
static unsigned long accepted[C_END], refused[C_END], ended, failed;

/* values at which checks decide */
static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 19, 20, 21, 23, 24, 31, 32, 33, 63,
	64, 65, 4095, 4096, 4097, 8192, 0x7000, 0x8000, 0xf000, 0x10000, 0x12000,
	VFU_MAX_DATA - 1, VFU_MAX_DATA, VFU_MAX_DATA + 1, 0x7fffffff, 0x80000000,
	0xfffff000, 0xffffffff, 0x100000000, INT64_MAX, 1ull << 63, 0 - 4096ull,
	0 - 8192ull, UINT64_MAX - 3, UINT64_MAX,
};

static unsigned int pick(unsigned int below)
{
	return tap_random(&seed) % below;
}

/* ---- messages ------------------------------------------------------------------- */

static void change_field(struct message *m)
{
	uint64_t value = edges[pick(sizeof(edges) / sizeof(edges[0]))];
	size_t at = 4 * pick(10);

	if (pick(2))
		put32(m, at, value);
	else
		put64(m, at, value);
}

static void change_byte(struct message *m)
{
	m->bytes[pick(m->len)] ^= 1 << pick(8);
}

static void change_length(struct message *m)
{
	size_t payload = pick(4) ? m->len - 16 + pick(5) : pick(200);

	message_resize(m, payload > 2 ? payload - 2 : 0);
}

static void change_flags(struct message *m)
{
	message_flags(m, pick(3) ? F_NO_REPLY : 1u << pick(32));
}

/* the payload of another command */
static void change_command(struct message *m)
{
	uint16_t command = pick(2) ? pick(18) : pick(65536);

	memcpy(m->bytes + 2, &command, sizeof(command));
}

static void change_fds(struct message *m)
{
	for (m->nr_fds = 0; m->nr_fds < pick(13); m->nr_fds++)
		m->fds[m->nr_fds] = kinds[pick(NR_KINDS)];
}

/* sizes of the header that do not fit what is sent */
static void change_size(struct message *m)
{
	message_size(m, pick(2) ? edges[pick(sizeof(edges) / sizeof(edges[0]))] :
		     m->len + pick(9) - 4);
}

/* bytes of another sample from somewhere on */
static void change_tail(struct message *m)
{
	struct message other;
	size_t at = pick(m->len - 15) + 16;

	samples[pick(nr_samples)].build(&other);
	memcpy(m->bytes + at, other.bytes + at, 64);
}

static void change_all(struct message *m)
{
	size_t i;

	for (i = 8; i < m->len; i++)
		m->bytes[i] = tap_random(&seed);
}

static void (* const changes[])(struct message *m) = {
	change_field, change_field, change_field, change_field, change_byte,
	change_byte, change_length, change_flags, change_command, change_fds,
	change_size, change_tail, change_all,
};

static void message_make(struct message *m)
{
	unsigned int n = pick(4);

	samples[pick(nr_samples)].build(m);
	while (n--)
		changes[pick(sizeof(changes) / sizeof(changes[0]))](m);
}

/* ---- oracle ----------------------------------------------------------------------- */

static unsigned int command_of(const struct message *m)
{
	unsigned int command = head32(m, 0) >> 16;

	return command < C_END ? command : 0;
}

/* a reply must be due, fit the message, and be an error if there are no data */
static bool reply_right(const struct message *m, const struct message *reply,
			bool was_refused)
{
	uint32_t flags = head32(m, 8), expect = F_REPLY | (was_refused ? F_ERROR : 0);

	if (flags & F_NO_REPLY || (flags & 0xf) == F_REPLY)
		return !reply->len;
	return reply->len == head32(reply, 4) && head32(reply, 0) == head32(m, 0) &&
	       head32(reply, 8) == expect && !head32(reply, 12) == !was_refused &&
	       (!was_refused || (reply->len == 16 && !reply->nr_fds));
}

/* one whole message; false if something is wrong */
static bool whole_message(const struct message *m)
{
	uint64_t state = mock_state(&mock);
	unsigned int before = mock.refused;
	struct message reply, more;
	bool was_refused, good;
	int ret = exchange(&mock, m, &reply);

	was_refused = mock.refused != before;
	good = !ret && reply_right(m, &reply, was_refused) &&
	       (!was_refused || mock_state(&mock) == state) &&
	       !client_receive(&mock, &more);
	/* the type of a reply in a command's place */
	if ((head32(m, 8) & 0xf) == F_REPLY)
		good &= mock_state(&mock) == state;
	(was_refused ? refused : accepted)[command_of(m)]++;
	close_fds(&reply);
	return good;
}

/* a stream that ends somewhere: what the server makes of it, until it gives up */
static bool broken_stream(const struct message *m)
{
	struct message reply;
	int ret, n = 0;

	client_send(&mock, m, 0, m->len, true);
	shutdown(mock.client, SHUT_WR);
	do {
		ret = vfu_handle(mock.srv);
	} while (!ret && n++ < 64);
	while (client_receive(&mock, &reply))
		close_fds(&reply);
	ended++;
	mock_connect(&mock, pick(8));
	return ret == 1 || ret == -ECONNRESET || ret == -EMSGSIZE;
}

/* what the device holds */
static unsigned int held_fds(void)
{
	unsigned int i, n = mock.intx.fd >= 0;

	for (i = 0; i < MOCK_NR_MSI; i++)
		n += mock.lines[i].fd >= 0;
	return n;
}

static void run_rounds(unsigned long rounds)
{
	unsigned int fds;
	unsigned long i;
	struct message m;

	mock_init(&mock);
	/* this client reads when the server has sent; the socket has room for so much */
	mock.regions[MOCK_LARGE].size = 65536;
	mock_connect(&mock, true);
	fds = count_fds();
	for (i = 0; i < rounds; i++) {
		message_make(&m);
		if (!(head32(&m, 4) == m.len ? whole_message(&m) : broken_stream(&m))) {
			tap_note("round %lu: command %u is answered wrongly", i,
				 head32(&m, 0) >> 16);
			failed++;
		}
		if (i % 64 == 0 && count_fds() != fds + held_fds()) {
			tap_note("round %lu: descriptors are lost", i);
			failed++;
			fds = count_fds() - held_fds();
		}
	}
	mock_exit(&mock);
}

static void kinds_open(void)
{
	int pipes[2], pair[2];

	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	kinds[0] = sample_file();
	kinds[1] = sample_event();
	/* a write to it is a SIGPIPE */
	kinds[2] = pipes[1];
	close(pipes[0]);
	kinds[3] = pair[0];
	kinds[4] = STDERR_FILENO;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : ROUNDS;
	static const unsigned int all[] = { C_VERSION, C_DMA_MAP, C_DMA_UNMAP,
		C_DEVICE_INFO, C_REGION_INFO, C_IRQ_INFO, C_SET_IRQS, C_READ, C_WRITE,
		C_RESET };
	unsigned int i, fds, both = 0;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0) | 1;
	alarm(300);
	tap_plan(3);
	samples_init();
	kinds_open();
	fds = count_fds();
	run_rounds(rounds);
	tap_ok(!failed, "%lu messages, %lu connections", rounds, ended + 1);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tap_note("command %u: %lu accepted, %lu refused", all[i],
			 accepted[all[i]], refused[all[i]]);
		both += accepted[all[i]] >= rounds / 1000 && refused[all[i]] >= rounds / 1000;
	}
	tap_ok(both == i, "each of %u commands is accepted and refused", i);
	tap_ok(count_fds() == fds, "no descriptor is left");
	return tap_status();
}
