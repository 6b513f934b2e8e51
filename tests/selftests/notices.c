// SPDX-License-Identifier: GPL-2.0
/* read(2) and poll(2) of a session: what happens to its targets and its waves. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "harness.h"
#include "books.h"
#include "breakcode.h"
#include "catch.h"
#include "event.h"
#include "roles.h"
#include "session.h"
#include "waves.h"

#define PATIENCE	60	/* s */
#define LOOPS		1000000	/* that take longer than a test */
#define EXTRA		40	/* notices more than are kept */

union notice {
	struct gpubp_notice head;
	struct gpubp_notice_lost lost;
	struct gpubp_notice_stop stop;
	struct gpubp_notice_wave wave;
	struct gpubp_notice_context context;
	struct gpubp_notice_detached detached;
	struct gpubp_notice_fault fault;
	uint8_t bytes[256];
};

static bool ready(int session)
{
	struct pollfd p = { .fd = session, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

static int set_nonblock(int session)
{
	return fcntl(session, F_SETFL, O_RDWR | O_NONBLOCK);
}

/* as many bytes at most: how many were read, or a negative errno */
static int read_some(int session, void *buf, size_t len)
{
	int n = read(session, buf, len);

	return n < 0 ? -errno : n;
}

/* the next notice: its type, or a negative errno. Its size is what the type says */
static int next(int session, union notice *n)
{
	static const uint32_t sizes[] = {
		[GPUBP_NOTICE_LOST] = sizeof(n->lost),
		[GPUBP_NOTICE_STOP] = sizeof(n->stop),
		[GPUBP_NOTICE_STEPPED] = sizeof(n->wave),
		[GPUBP_NOTICE_ENDED] = sizeof(n->wave),
		[GPUBP_NOTICE_CONTEXT] = sizeof(n->context),
		[GPUBP_NOTICE_DETACHED] = sizeof(n->detached),
		[GPUBP_NOTICE_FAULT] = sizeof(n->fault),
	};
	uint32_t len;
	int got;

	/* one at a time: in room for the smallest, and more until it fits */
	for (len = sizeof(n->head); len <= sizeof(*n); len += 8) {
		got = read_some(session, n, len);
		if (got != -EINVAL)
			break;
	}
	if (got < 0)
		return got;
	if (got != (int)n->head.size || n->head.type >= ARRAY_SIZE(sizes) ||
	    n->head.size != sizes[n->head.type] || !n->head.time)
		return -EPROTO;
	return n->head.type;
}

static int drain(int session)
{
	union notice n;
	int nr = 0, type;

	while ((type = next(session, &n)) > 0)
		nr++;
	return type == -EAGAIN ? nr : type;
}

FIXTURE(notices) {
	struct breakcode bc;
	struct owner o;
	struct gpubp_wave_entry w[MAX_WAVES];
	int fd;
};

FIXTURE_SETUP(notices)
{
	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, bc_open(&self->bc));
	ASSERT_EQ(0, owner_open(&self->o, 0, true));
	ASSERT_EQ(0, set_nonblock(self->o.session));
	self->fd = -1;
}

FIXTURE_TEARDOWN(notices)
{
	owner_close(&self->o);
	close(self->fd);
	bc_close(&self->bc);
	EXPECT_TRUE(books_idle(PATIENCE)) books_print();
}

/* ---- contexts ------------------------------------------------------------ */

TEST_F(notices, contexts)
{
	struct breakcode more;
	struct gpubp_context c[2];
	union notice n;

	EXPECT_TRUE(ready(self->o.session));
	ASSERT_EQ(GPUBP_NOTICE_CONTEXT, next(self->o.session, &n));
	EXPECT_EQ(1, n.head.seq);
	EXPECT_EQ(self->o.id, n.context.event);
	EXPECT_EQ(self->o.ctx, n.context.context);
	EXPECT_EQ(0, n.context.gone);
	EXPECT_FALSE(ready(self->o.session));
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	ASSERT_EQ(0, bc_open(&more));
	EXPECT_TRUE(ready(self->o.session));
	ASSERT_EQ(2, contexts(&self->o, c, 2));
	ASSERT_EQ(GPUBP_NOTICE_CONTEXT, next(self->o.session, &n));
	EXPECT_EQ(2, n.head.seq);
	EXPECT_EQ(c[0].id + c[1].id - self->o.ctx, n.context.context);
	EXPECT_EQ(0, n.context.gone);
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	bc_close(&more);
	ASSERT_EQ(GPUBP_NOTICE_CONTEXT, next(self->o.session, &n));
	EXPECT_EQ(3, n.head.seq);
	EXPECT_EQ(1, n.context.gone);
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
}

/* those that come and go while a session attaches are shown once, and gone once */
static void *churn(void *arg)
{
	volatile bool *stop = arg;
	struct breakcode bc;

	while (!*stop)
		if (!bc_open(&bc))
			bc_close(&bc);
	return NULL;
}

TEST(contexts_that_come_and_go_while_a_session_attaches)
{
	volatile bool stop = false;
	pthread_t thread;
	struct owner o;
	union notice n;
	int i, type, open;
	uint32_t now = 0;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, churn, (void *)&stop));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, owner_open(&o, 0, true));
		ASSERT_EQ(0, set_nonblock(o.session));
		for (open = 0; (type = next(o.session, &n)) > 0;) {
			ASSERT_EQ(GPUBP_NOTICE_CONTEXT, type);
			ASSERT_EQ(open, n.context.gone);
			ASSERT_EQ(true, !n.context.gone || n.context.context == now);
			now = n.context.context;
			open = !n.context.gone;
		}
		ASSERT_EQ(-EAGAIN, type);
		owner_close(&o);
	}
	stop = true;
	pthread_join(thread, NULL);
}

/* ---- waves --------------------------------------------------------------- */

static int start(FIXTURE_DATA(notices) *self, uint32_t loops)
{
	self->bc.data[0] = 0;
	self->bc.data[1] = 0;
	return bc_start(&self->bc, BC_LOOP, 1, loops, 0);
}

static void catch_all(struct __test_metadata *_metadata, FIXTURE_DATA(notices) *self,
		      unsigned int at, uint32_t loops)
{
	struct gpubp_catch c = { .event = self->o.id };

	ASSERT_EQ(1, drain(self->o.session));
	self->fd = event_open_break(BC_PC(at), 0);
	ASSERT_LE(0, self->fd);
	c.fd = self->fd;
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_CATCH, &c));
	EXPECT_EQ(2, c.seq);
	ASSERT_EQ(0, session_sync(self->o.session, self->fd, PATIENCE, NULL));
	ASSERT_EQ(0, start(self, loops));
	ASSERT_EQ(BC_WAVES, await_caught(&self->o, self->w, BC_WAVES));
}

static bool is_one_of(const struct gpubp_wave_entry *w, uint64_t wave)
{
	int i;

	for (i = 0; i < BC_WAVES; i++)
		if (w[i].wave == wave)
			return true;
	return false;
}

TEST_F(notices, hits_steps_and_halts)
{
	uint64_t seen[BC_WAVES], w;
	struct gpubp_run r;
	union notice n;
	int i, k;

	catch_all(_metadata, self, BC_LOOP_SUB, LOOPS);
	for (i = 0; i < BC_WAVES; i++) {
		ASSERT_EQ(GPUBP_NOTICE_STOP, next(self->o.session, &n));
		EXPECT_EQ(2 + i, n.head.seq);
		EXPECT_EQ(GPUBP_WHY_CATCH, n.stop.why);
		EXPECT_EQ(self->o.id, n.stop.event);
		EXPECT_EQ(self->o.ctx, n.stop.context);
		EXPECT_EQ(session_id(self->fd), n.stop.caught);
		EXPECT_EQ(BC_PC(BC_LOOP_SUB), n.stop.pc);
		EXPECT_EQ(BC_PC(BC_LOOP_SUB), n.stop.addr);
		EXPECT_EQ(~0ULL, n.stop.lanes);
		EXPECT_TRUE(is_one_of(self->w, n.stop.wave));
		seen[i] = n.stop.wave;
		for (k = 0; k < i; k++)
			EXPECT_NE(seen[k], seen[i]);
	}
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	/* a step, and one that comes to the break again */
	w = seen[0];
	ASSERT_EQ(0, step(&self->o, w));
	ASSERT_EQ(GPUBP_NOTICE_STEPPED, next(self->o.session, &n));
	EXPECT_EQ(w, n.wave.wave);
	EXPECT_EQ(self->o.id, n.wave.event);
	ASSERT_EQ(0, step_to(&self->o, w, BC_PC(BC_LOOP_SUB)));
	ASSERT_LT(0, drain(self->o.session));
	ASSERT_EQ(0, step(&self->o, w));
	ASSERT_EQ(GPUBP_NOTICE_STOP, next(self->o.session, &n));
	EXPECT_EQ(GPUBP_WHY_STEP, n.stop.why);
	EXPECT_EQ(w, n.stop.wave);
	ASSERT_EQ(GPUBP_NOTICE_STEPPED, next(self->o.session, &n));
	/* the call says which notice is the first one of its own */
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(0, resume(&self->o, w));
	r = (struct gpubp_run) {
		.event = self->o.id, .waves = (uintptr_t)&w,
		.context = self->o.ctx, .nr = 1,
	};
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_HALT, &r));
	ASSERT_EQ(GPUBP_NOTICE_STOP, next(self->o.session, &n));
	EXPECT_EQ(r.seq, n.head.seq);
	EXPECT_EQ(GPUBP_WHY_HALT, n.stop.why);
	EXPECT_EQ(w, n.stop.wave);
	EXPECT_EQ(0, n.stop.caught);
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	ASSERT_EQ(0, bc_queue_destroy(&self->bc));
	/* of a wave that is gone the session learns when it resumes it */
	EXPECT_NE(0, resume(&self->o, w));
}

TEST_F(notices, a_wave_that_ends_in_its_step)
{
	union notice n;

	catch_all(_metadata, self, BC_LOOP_END, 1);
	ASSERT_EQ(BC_WAVES, drain(self->o.session));
	EXPECT_EQ(-ESRCH, step(&self->o, self->w[0].wave));
	ASSERT_EQ(GPUBP_NOTICE_ENDED, next(self->o.session, &n));
	EXPECT_EQ(self->w[0].wave, n.wave.wave);
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
}

/* what the session holds already is said to a second attachment */
TEST_F(notices, what_is_held_when_it_attaches)
{
	struct gpubp_attach a = { };
	union notice n;
	int i;

	catch_all(_metadata, self, BC_LOOP_SUB, 1);
	ASSERT_EQ(BC_WAVES, drain(self->o.session));
	a.fd = self->fd;	/* of the own process: it may read */
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_ATTACH, &a));
	ASSERT_EQ(GPUBP_NOTICE_CONTEXT, next(self->o.session, &n));
	EXPECT_EQ(a.seq, n.head.seq);
	EXPECT_EQ(a.id, n.context.event);
	for (i = 0; i < BC_WAVES; i++) {
		ASSERT_EQ(GPUBP_NOTICE_STOP, next(self->o.session, &n));
		EXPECT_EQ(GPUBP_WHY_HELD, n.stop.why);
		EXPECT_EQ(a.id, n.stop.event);
		EXPECT_TRUE(is_one_of(self->w, n.stop.wave));
	}
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
}

/* ---- readers ------------------------------------------------------------- */

TEST_F(notices, a_reader_that_is_too_slow)
{
	unsigned int i;
	union notice n;
	uint64_t w;

	catch_all(_metadata, self, BC_LOOP_SUB, LOOPS);
	ASSERT_EQ(0, uncatch(&self->o, self->fd));
	ASSERT_EQ(BC_WAVES, drain(self->o.session));
	w = self->w[0].wave;
	for (i = 0; i < GPUBP_NOTICES + EXTRA; i++)
		ASSERT_EQ(0, step(&self->o, w));
	/* those that were kept, in order; then that others are lost; then new ones */
	for (i = 0; i < GPUBP_NOTICES; i++) {
		ASSERT_EQ(GPUBP_NOTICE_STEPPED, next(self->o.session, &n));
		ASSERT_EQ(2 + BC_WAVES + i, n.head.seq);
	}
	EXPECT_TRUE(ready(self->o.session));
	ASSERT_EQ(0, step(&self->o, w));
	ASSERT_EQ(GPUBP_NOTICE_LOST, next(self->o.session, &n));
	EXPECT_EQ(EXTRA, n.lost.nr);
	EXPECT_EQ(1 + BC_WAVES + GPUBP_NOTICES + EXTRA, n.head.seq);
	ASSERT_EQ(GPUBP_NOTICE_STEPPED, next(self->o.session, &n));
	EXPECT_EQ(2 + BC_WAVES + GPUBP_NOTICES + EXTRA, n.head.seq);
	EXPECT_FALSE(ready(self->o.session));
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
	/* what is held can be listed all the same */
	EXPECT_EQ(BC_WAVES, list(&self->o, self->w, MAX_WAVES));
	EXPECT_TRUE(self->w[0].flags & GPUBP_WAVE_MINE);
	ASSERT_EQ(0, bc_queue_destroy(&self->bc));
}

TEST_F(notices, whole_records_only)
{
	union notice n;
	uint8_t buf[4096];
	int size = sizeof(n.stop), i;

	catch_all(_metadata, self, BC_LOOP_SUB, 1);
	EXPECT_EQ(-EINVAL, read_some(self->o.session, buf, 0));
	EXPECT_EQ(-EINVAL, read_some(self->o.session, buf, size - 1));
	EXPECT_EQ(size, read_some(self->o.session, buf, 2 * size - 1));
	EXPECT_EQ(-EFAULT, read_some(self->o.session, (void *)8, size));
	EXPECT_EQ(3 * size, read_some(self->o.session, buf, sizeof(buf)));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(3 + i, ((struct gpubp_notice *)(buf + i * size))->seq);
	EXPECT_EQ(-EAGAIN, read_some(self->o.session, buf, sizeof(buf)));
	ASSERT_EQ(0, run(&self->o, GPUBP_RESUME, NULL, 0, 0));
	EXPECT_EQ(0, bc_wait(&self->bc, PATIENCE));
}

/* nothing was attached; and what another process reads */
TEST_F(notices, who_may_read)
{
	union notice n;
	int session = session_open();
	pid_t pid;
	int status;

	ASSERT_LE(0, session);
	EXPECT_EQ(-EINVAL, read_some(session, &n, sizeof(n)));
	EXPECT_FALSE(ready(session));
	close(session);
	pid = fork();
	if (!pid)
		_exit(read_some(self->o.session, &n, sizeof(n)) == -EPERM ? 0 : 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(1, drain(self->o.session));
}

static void on_signal(int signal)
{
	(void)signal;
}

struct waiter {
	int session;
	union notice n;
	int ret;
};

static void *wait_for_notice(void *arg)
{
	struct waiter *w = arg;

	w->ret = read_some(w->session, &w->n, sizeof(w->n.context));
	return NULL;
}

TEST_F(notices, a_reader_waits)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* no restart */
	struct waiter w = { .session = self->o.session };
	struct breakcode more;
	pthread_t thread;

	ASSERT_EQ(1, drain(self->o.session));
	ASSERT_EQ(0, fcntl(self->o.session, F_SETFL, O_RDWR));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_notice, &w));
	usleep(100000);
	ASSERT_EQ(0, bc_open(&more));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ((int)sizeof(w.n.context), w.ret);
	EXPECT_EQ(GPUBP_NOTICE_CONTEXT, w.n.head.type);
	ASSERT_EQ(0, sigaction(SIGUSR1, &sa, NULL));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_notice, &w));
	do {
		usleep(10000);
		pthread_kill(thread, SIGUSR1);
	} while (pthread_tryjoin_np(thread, NULL));
	EXPECT_EQ(-EINTR, w.ret);
	bc_close(&more);
}

/* ---- the end of an attachment --------------------------------------------- */

/* the next notice, within a second or so */
static int await(int session, union notice *n)
{
	struct pollfd p = { .fd = session, .events = POLLIN };

	return poll(&p, 1, PATIENCE * 1000) == 1 ? next(session, n) : -ETIMEDOUT;
}

TEST_F(notices, detached)
{
	struct gpubp_attach a = { .id = self->o.id };
	union notice n;

	ASSERT_EQ(1, drain(self->o.session));
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_DETACH, &a));
	ASSERT_EQ(GPUBP_NOTICE_DETACHED, next(self->o.session, &n));
	EXPECT_EQ(GPUBP_DETACH_CALL, n.detached.why);
	EXPECT_EQ(self->o.id, n.detached.event);
	/* again, and its event is closed */
	a.fd = self->o.fd;
	ASSERT_EQ(0, session_call(self->o.session, GPUBP_ATTACH, &a));
	ASSERT_EQ(1, drain(self->o.session));
	close(self->o.fd);
	self->o.fd = -1;
	ASSERT_EQ(GPUBP_NOTICE_DETACHED, await(self->o.session, &n));
	EXPECT_EQ(GPUBP_DETACH_CLOSED, n.detached.why);
	EXPECT_EQ(-EAGAIN, next(self->o.session, &n));
}

TEST(a_target_that_executes_a_program_or_exits)
{
	struct target t;
	union notice n;
	struct owner o;

	ASSERT_EQ(0, caps_idle(CAP_BIT(KILL)));
	ASSERT_EQ(0, target_start(&t, 0));
	ASSERT_EQ(0, owner_open(&o, t.pid, true));
	ASSERT_EQ(0, set_nonblock(o.session));
	ASSERT_EQ(-EAGAIN, next(o.session, &n));
	ASSERT_EQ(0, target_do(&t, TARGET_EXEC));
	ASSERT_EQ(GPUBP_NOTICE_DETACHED, await(o.session, &n));
	EXPECT_EQ(GPUBP_DETACH_EXEC, n.detached.why);
	EXPECT_EQ(o.id, n.detached.event);
	owner_close(&o);
	ASSERT_EQ(0, owner_open(&o, t.pid, true));
	target_do(&t, TARGET_EXIT);
	ASSERT_EQ(GPUBP_NOTICE_DETACHED, await(o.session, &n));
	EXPECT_EQ(GPUBP_DETACH_EXIT, n.detached.why);
	target_end(&t);
	owner_close(&o);
}

TEST_HARNESS_MAIN
