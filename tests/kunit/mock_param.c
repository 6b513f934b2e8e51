// SPDX-License-Identifier: GPL-2.0
/* The core's module parameters, accessed like root does. */
#include <linux/fs.h>
#include <linux/string.h>

#include "mock.h"

#define PARAMETERS	"/sys/module/gpubp/parameters/"

struct param {
	char path[64];
	unsigned int old;
};

static struct file *param_open(struct kunit *test, const char *path, int flags)
{
	struct file *file = filp_open(path, flags, 0);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(file), "%s: %ld", path,
			       PTR_ERR(file));
	return file;
}

static unsigned int param_read(struct kunit *test, const char *path)
{
	struct file *file = param_open(test, path, O_RDONLY);
	char text[16] = {};
	unsigned int value;
	loff_t pos = 0;

	kernel_read(file, text, sizeof(text) - 1, &pos);
	filp_close(file, NULL);
	if (!strcmp(text, "Y\n") || !strcmp(text, "N\n"))
		return text[0] == 'Y';
	KUNIT_ASSERT_EQ(test, kstrtouint(text, 0, &value), 0);
	return value;
}

static void param_write(const char *path, unsigned int value)
{
	struct file *file = filp_open(path, O_WRONLY, 0);
	char text[16];
	loff_t pos = 0;

	if (WARN_ON(IS_ERR(file)))
		return;
	snprintf(text, sizeof(text), "%u", value);
	WARN_ON(kernel_write(file, text, strlen(text), &pos) < 0);
	filp_close(file, NULL);
}

static void param_restore(void *arg)
{
	struct param *p = arg;

	param_write(p->path, p->old);
}

/* for the rest of the test; restored when it ends */
void mock_param(struct kunit *test, const char *name, unsigned int value)
{
	struct param *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	snprintf(p->path, sizeof(p->path), PARAMETERS "%s", name);
	p->old = param_read(test, p->path);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, param_restore, p),
			0);
	param_write(p->path, value);
	KUNIT_ASSERT_EQ(test, param_read(test, p->path), value);
}

/* Short quanta, for tests of which watches are armed and not of when. */
void mock_short_quanta(struct kunit *test)
{
	mock_param(test, "quantum_us", 4000);
	mock_param(test, "max_overhead_percent", 100);
}

int mock_init_short(struct kunit *test)
{
	mock_short_quanta(test);
	return mock_init(test);
}
