// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a suite of KUnit where the kernel has no KUnit: the functions that the macros of
 * its <kunit/test.h> call, as far as the conformance suite has them, with the parameter
 * and the files of the real one.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/glob.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "text.h"

static char filter_glob[128] = "*";
module_param_string(filter_glob, filter_glob, sizeof(filter_glob), 0644);
MODULE_PARM_DESC(filter_glob, "SUITE[.CASE] that are run, * and ? match");

static struct dentry *kunit_dir;
static struct string_stream kunit_text = {
	.lock = __MUTEX_INITIALIZER(kunit_text.lock),
};

/* ---- what is undone at the end of a case ----------------------------------- */

/**
 * struct undo - one thing
 * @node: in kunit.resources, the last one first
 * @action: does it
 * @data: its argument
 */
struct undo {
	struct list_head node;
	kunit_action_t *action;
	void *data;
};

static int undo_push(struct kunit *test, kunit_action_t *action, void *data)
{
	struct undo *undo = kmalloc(sizeof(*undo), GFP_KERNEL);

	if (!undo)
		return -ENOMEM;
	*undo = (struct undo) { .action = action, .data = data };
	list_add(&undo->node, &test->resources);
	return 0;
}

static void undo_all(struct kunit *test)
{
	struct undo *undo;

	while ((undo = list_first_entry_or_null(&test->resources, struct undo, node))) {
		list_del(&undo->node);
		undo->action(undo->data);
		kfree(undo);
	}
}

int kunit_add_action_or_reset(struct kunit *test, kunit_action_t *action, void *ctx)
{
	int err = undo_push(test, action, ctx);

	if (err)
		action(ctx);
	return err;
}
EXPORT_SYMBOL_GPL(kunit_add_action_or_reset);

void kunit_release_action(struct kunit *test, kunit_action_t *action, void *ctx)
{
	struct undo *undo;

	list_for_each_entry(undo, &test->resources, node)
		if (undo->action == action && undo->data == ctx) {
			list_del(&undo->node);
			kfree(undo);
			action(ctx);
			return;
		}
}
EXPORT_SYMBOL_GPL(kunit_release_action);

static void undo_alloc(void *data)
{
	kfree(data);
}

void *kunit_kmalloc_array(struct kunit *test, size_t n, size_t size, gfp_t gfp)
{
	void *data = kmalloc_array(n, size, gfp);

	if (data && kunit_add_action_or_reset(test, undo_alloc, data))
		return NULL;
	return data;
}
EXPORT_SYMBOL_GPL(kunit_kmalloc_array);

/* ---- the end of a case that is not its last line --------------------------- */

void kunit_try_catch_throw(struct kunit_try_catch *try_catch)
{
	kthread_complete_and_exit(try_catch->context, 0);
}
EXPORT_SYMBOL_GPL(kunit_try_catch_throw);

void __kunit_abort(struct kunit *test)
{
	kunit_try_catch_throw(&test->try_catch);
}
EXPORT_SYMBOL_GPL(__kunit_abort);

void __kunit_do_failed_assertion(struct kunit *test, const struct kunit_loc *loc,
				 enum kunit_assert_type type,
				 const struct kunit_assert *assert,
				 assert_format_t assert_format, const char *fmt, ...)
{
	struct va_format message = { .fmt = fmt };
	va_list args;

	kunit_set_failure(test);
	kunit_log_append(test->log, "    # %s: %s FAILED at %s:%d\n", test->name,
			 type == KUNIT_ASSERTION ? "ASSERTION" : "EXPECTATION",
			 loc->file, loc->line);
	va_start(args, fmt);
	message.va = &args;
	assert_format(assert, &message, test->log);
	va_end(args);
}
EXPORT_SYMBOL_GPL(__kunit_do_failed_assertion);

/* ---- cases ----------------------------------------------------------------- */

/**
 * struct case_run - a part of a case, in a thread of its own that may end in the middle
 * @suite: its suite
 * @kase: it
 * @test: the running test
 * @done: that thread has ended
 */
struct case_run {
	struct kunit_suite *suite;
	struct kunit_case *kase;
	struct kunit test;
	struct completion done;
};

static int case_body(void *arg)
{
	struct case_run *run = arg;
	int err = run->suite->init ? run->suite->init(&run->test) : 0;

	if (err) {
		kunit_log_append(run->test.log, "    # failed to initialize: %d\n", err);
		kunit_set_failure(&run->test);
	} else {
		run->kase->run_case(&run->test);
	}
	kthread_complete_and_exit(&run->done, 0);
}

static int case_exit(void *arg)
{
	struct case_run *run = arg;

	if (run->suite->exit)
		run->suite->exit(&run->test);
	kthread_complete_and_exit(&run->done, 0);
}

static void case_thread(struct case_run *run, int (*body)(void *))
{
	struct task_struct *thread;

	init_completion(&run->done);
	run->test.try_catch.context = &run->done;
	thread = kthread_run(body, run, "kunit_try_catch");
	if (IS_ERR(thread))
		kunit_set_failure(&run->test);
	else
		wait_for_completion(&run->done);
}

static enum kunit_status case_run(struct case_run *run, unsigned int number)
{
	struct kunit *test = &run->test;
	bool skipped;

	*test = (struct kunit) { .name = run->kase->name, .log = &kunit_text };
	spin_lock_init(&test->lock);
	INIT_LIST_HEAD(&test->resources);
	case_thread(run, case_body);
	case_thread(run, case_exit);
	undo_all(test);
	skipped = test->status == KUNIT_SKIPPED;
	kunit_log_append(&kunit_text, "    %s %u %s%s%s\n",
			 kunit_status_to_ok_not_ok(test->status), number, test->name,
			 skipped ? " # SKIP " : "", skipped ? test->status_comment : "");
	return test->status;
}

/* ---- suites ---------------------------------------------------------------- */

static bool case_is_wanted(const struct kunit_suite *suite, const char *name)
{
	char full[sizeof(suite->name) + 128];

	snprintf(full, sizeof(full), "%s.%s", suite->name, name);
	return glob_match(filter_glob, strchr(filter_glob, '.') ? full : suite->name);
}

static unsigned int suite_count(struct kunit_suite *suite)
{
	struct kunit_case *kase;
	unsigned int nr = 0;

	kunit_suite_for_each_test_case(suite, kase)
		nr += case_is_wanted(suite, kase->name);
	return nr;
}

static enum kunit_status suite_cases(struct case_run *run)
{
	enum kunit_status all = KUNIT_SUCCESS;
	struct kunit_case *kase;
	unsigned int number = 0;

	kunit_suite_for_each_test_case(run->suite, kase) {
		if (!case_is_wanted(run->suite, kase->name))
			continue;
		run->kase = kase;
		if (case_run(run, ++number) == KUNIT_FAILURE)
			all = KUNIT_FAILURE;
	}
	return all;
}

static int results_show(struct seq_file *m, void *unused)
{
	guard(mutex)(&kunit_text.lock);
	if (kunit_text.text)
		seq_write(m, kunit_text.text, kunit_text.len);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(results);

static int suite_run(struct kunit_suite *suite)
{
	struct case_run *run = kzalloc(sizeof(*run), GFP_KERNEL);
	enum kunit_status status;

	if (!run)
		return -ENOMEM;
	run->suite = suite;
	text_clear(&kunit_text);
	kunit_log_append(&kunit_text, "KTAP version 1\n1..1\n    KTAP version 1\n");
	kunit_log_append(&kunit_text, "    # Subtest: %s\n    1..%u\n", suite->name,
			 suite_count(suite));
	status = suite_cases(run);
	kunit_log_append(&kunit_text, "%s 1 %s\n", kunit_status_to_ok_not_ok(status),
			 suite->name);
	kfree(run);
	suite->debugfs = debugfs_create_dir(suite->name, kunit_dir);
	debugfs_create_file("results", 0444, suite->debugfs, NULL, &results_fops);
	return 0;
}

/* one at a time: the results are those of the last one */
int __kunit_test_suites_init(struct kunit_suite * const * const suites, int num_suites)
{
	int i, err = 0;

	for (i = 0; i < num_suites && !err; i++)
		if (suite_count(suites[i]))
			err = suite_run(suites[i]);
	return err;
}
EXPORT_SYMBOL_GPL(__kunit_test_suites_init);

void __kunit_test_suites_exit(struct kunit_suite **suites, int num_suites)
{
	while (num_suites--) {
		debugfs_remove(suites[num_suites]->debugfs);
		suites[num_suites]->debugfs = NULL;
	}
}
EXPORT_SYMBOL_GPL(__kunit_test_suites_exit);

static int __init kunit_begin(void)
{
	kunit_dir = debugfs_create_dir("kunit", NULL);
	return 0;
}

static void __exit kunit_end(void)
{
	debugfs_remove(kunit_dir);
	text_clear(&kunit_text);
}

module_init(kunit_begin);
module_exit(kunit_end);

MODULE_DESCRIPTION("gpubp: runs the conformance suite where the kernel has no KUnit");
MODULE_LICENSE("GPL");
