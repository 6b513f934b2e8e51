// SPDX-License-Identifier: GPL-2.0
/* Users in debugfs: the number of watches of each, for a device and in all. */
#include "harness.h"
#include "books.h"
#include "event.h"
#include "gpu.h"
#include "child.h"
#include "session.h"
#include "simdev.h"

#define DEBUG		"/sys/kernel/debug"
#define NAME		"users"
#define SIZE		4096
#define PATIENCE	60	/* s */
#define NR_DEVICES	2

/**
 * struct user - a process with a context on each device, and its watches there
 * @uid: user
 * @watches: on each device
 * @nr: numbers of the devices, /dev/gpubp_sim<nr>
 * @child: the process
 */
struct user {
	uid_t uid;
	unsigned int watches[NR_DEVICES];
	unsigned int nr[NR_DEVICES];
	struct child child;
};

static int watch(const struct user *u, unsigned int device, int session)
{
	struct grun_mem out;
	struct gpu *gpu = calloc(1, sizeof(*gpu));	/* stays open until exit */
	unsigned int i;
	int err = gpu_open_on(gpu, u->nr[device], "loop") ?:
		  gpu_buffer(gpu, &out, SIZE, 0);

	for (i = 0; i < u->watches[device] && !err; i++) {
		struct perf_event_attr attr =
			event_watch(out.va + i * 64, 4, EVENT_STORES);

		attr.config |= (uint64_t)(grun_info(gpu->dev)->device + 1) <<
			       GPUBP_CONFIG_DEVICE_SHIFT;
		attr.exclude_kernel = 1;
		err = event_open(&attr, 0, -1);
		err = err < 0 ? err : session_sync(session, err, PATIENCE, NULL);
	}
	return err;
}

static int user(int sock, void *arg)
{
	const struct user *u = arg;
	unsigned int i;
	int err = u->uid ? become(u->uid) : 0;
	int session = session_open();

	for (i = 0; i < NR_DEVICES && !err; i++)
		err = watch(u, i, session);
	say(sock, err);
	heard(sock);
	return 0;
}

/* a line of users */
struct figures {
	unsigned int watches, in_all, weight;
	bool unlimited;
	unsigned int lines;
};

/* the line of @uid; .lines: the number of lines */
static struct figures figures_of(unsigned int nr, uid_t uid)
{
	struct figures f = {}, one;
	unsigned long long vtime;
	char path[96], line[256], *rest;
	unsigned int owner;
	FILE *file;

	snprintf(path, sizeof(path), DEBUG "/gpubp/gpubp_sim%u/users", nr);
	file = fopen(path, "re");
	if (!file)
		return f;
	while (fgets(line, sizeof(line), file)) {
		rest = strstr(line, " watches ");
		if (!rest || sscanf(line, "uid %u", &owner) != 1 || owner != uid)
			continue;
		one.lines = f.lines + 1;
		one.unlimited = strstr(line, " unlimited watches ");
		if (sscanf(rest, " watches %u in_all %u weight %u vtime %llu",
			   &one.watches, &one.in_all, &one.weight, &vtime) == 4)
			f = one;
	}
	fclose(file);
	return f;
}

FIXTURE(users) {
	struct user user[3];
	unsigned int nr[NR_DEVICES];
	int paranoid;
};

FIXTURE_SETUP(users)
{
	self->paranoid = event_paranoid(1);
	ASSERT_EQ(0, simdev_mkdir(NAME));
	ASSERT_EQ(0, simdev_set(NAME, "live", "1"));
	self->nr[0] = 0;
	self->nr[1] = simdev_get(NAME, "number");
	ASSERT_LT(0, (int)self->nr[1]);
}

FIXTURE_TEARDOWN(users)
{
	event_paranoid(self->paranoid);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
	EXPECT_EQ(0, simdev_rmdir(NAME));
}

static int begin(FIXTURE_DATA(users) *self, unsigned int i, uid_t uid,
		 unsigned int here, unsigned int there)
{
	struct user *u = &self->user[i];

	*u = (struct user) {
		.uid = uid, .watches = { here, there },
		.nr = { self->nr[0], self->nr[1] },
	};
	return child_start(&u->child, user, u) ?: (int)heard(u->child.sock);
}

#define EXPECT_USER(_u) do {						\
	const struct user *_who = (_u);					\
	unsigned int _i, _all = _who->watches[0] + _who->watches[1];	\
									\
	for (_i = 0; _i < NR_DEVICES; _i++) {				\
		struct figures _f = figures_of(_who->nr[_i], _who->uid); \
									\
		EXPECT_EQ(!!_who->watches[_i], _f.lines)		\
			TH_LOG("uid %u", _who->uid);			\
		if (!_who->watches[_i])					\
			continue;					\
		EXPECT_EQ(_who->watches[_i], _f.watches);		\
		EXPECT_EQ(_all, _f.in_all);				\
		EXPECT_EQ(1, _f.weight);				\
		EXPECT_EQ(!_who->uid, _f.unlimited);			\
	}								\
} while (0)

TEST_F(users, figures)
{
	unsigned int i;

	ASSERT_EQ(0, begin(self, 0, 1000, 3, 2));
	ASSERT_EQ(0, begin(self, 1, 1001, 0, 5));
	ASSERT_EQ(0, begin(self, 2, 0, 1, 0));
	for (i = 0; i < ARRAY_SIZE(self->user); i++)
		EXPECT_USER(&self->user[i]);
	/* a user without watches has no line */
	say(self->user[0].child.sock, 0);
	EXPECT_EQ(0, child_end(&self->user[0].child));
	for (i = 0; i < PATIENCE * 50 && figures_of(0, 1000).lines +
	     figures_of(self->nr[1], 1000).lines; i++)
		usleep(20000);
	memset(self->user[0].watches, 0, sizeof(self->user[0].watches));
	for (i = 0; i < ARRAY_SIZE(self->user); i++)
		EXPECT_USER(&self->user[i]);
	for (i = 1; i < ARRAY_SIZE(self->user); i++) {
		say(self->user[i].child.sock, 0);
		EXPECT_EQ(0, child_end(&self->user[i].child));
	}
}

TEST_HARNESS_MAIN
