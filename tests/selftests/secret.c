// SPDX-License-Identifier: GPL-2.0
/*
 * usage: secret ADDRESS...
 *
 * A program with private memory at these addresses. Reports that it runs, and,
 * once it receives a message, how many bytes changed there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include "child.h"
#include "onlooker.h"

#define MAX_PLACES	4

/* NULL: the address is in use */
static uint8_t *make_secret(uint64_t addr)
{
	void *p = mmap((void *)addr, SECRET_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return p == MAP_FAILED ? NULL : memset(p, SECRET_BYTE, SECRET_SIZE);
}

/* count bytes that differ from the expected value, and restore them */
static unsigned int count_changed(volatile uint8_t *p)
{
	unsigned int i, n = 0;

	for (i = 0; p && i < SECRET_SIZE; i++) {
		n += p[i] != SECRET_BYTE;
		p[i] = SECRET_BYTE;
	}
	return n;
}

static bool is_called(int sock)
{
	uint64_t value;

	return recv(sock, &value, sizeof(value), MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

int main(int argc, char **argv)
{
	uint8_t *place[MAX_PLACES];
	int i, n = argc - 1 < MAX_PLACES ? argc - 1 : MAX_PLACES;
	uint64_t changed = 0;
	bool called;

	for (i = 0; i < n; i++)
		place[i] = make_secret(strtoull(argv[i + 1], NULL, 0));
	if (!n || !place[0] || !say(SECRET_SOCK, 0))
		return 1;
	do {
		called = is_called(SECRET_SOCK);
		for (i = 0; i < n; i++)
			changed += count_changed(place[i]);
	} while (!called);
	return !say(SECRET_SOCK, changed);
}
