// SPDX-License-Identifier: GPL-2.0
/* A text that grows, and what an assertion that fails adds to it. */
#include <kunit/test.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "text.h"

#define LINE_MAX_BYTES	512
#define FIRST_BYTES	4096

/* what does not fit for want of memory is not there: the plan says how many lines there are */
static bool text_has_room(struct string_stream *text, size_t len)
{
	size_t size = text->size ?: FIRST_BYTES;
	char *larger;

	while (size <= text->len + len)
		size *= 2;
	if (size == text->size)
		return true;
	larger = krealloc(text->text, size, GFP_KERNEL);
	if (!larger)
		return false;
	text->text = larger;
	text->size = size;
	return true;
}

/* a line, or some; may sleep */
void text_add(struct string_stream *text, const char *fmt, va_list args)
{
	char line[LINE_MAX_BYTES];
	size_t len = vscnprintf(line, sizeof(line), fmt, args);

	guard(mutex)(&text->lock);
	if (!text_has_room(text, len))
		return;
	memcpy(text->text + text->len, line, len + 1);
	text->len += len;
}

void text_clear(struct string_stream *text)
{
	guard(mutex)(&text->lock);
	kfree(text->text);
	text->text = NULL;
	text->len = 0;
	text->size = 0;
}

void kunit_log_append(struct string_stream *log, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text_add(log, fmt, args);
	va_end(args);
}
EXPORT_SYMBOL_GPL(kunit_log_append);

/* ---- assertions that fail ------------------------------------------------ */

static void text_message(struct string_stream *text, const struct va_format *message)
{
	if (message->fmt)
		kunit_log_append(text, "    # %pV\n", message);
}

void kunit_fail_assert_format(const struct kunit_assert *assert,
			      const struct va_format *message,
			      struct string_stream *stream)
{
	text_message(stream, message);
}
EXPORT_SYMBOL_GPL(kunit_fail_assert_format);

void kunit_unary_assert_format(const struct kunit_assert *assert,
			       const struct va_format *message,
			       struct string_stream *stream)
{
	const struct kunit_unary_assert *unary =
		container_of(assert, struct kunit_unary_assert, assert);

	kunit_log_append(stream, "    # expected %s to be %s\n", unary->condition,
			 unary->expected_true ? "true" : "false");
	text_message(stream, message);
}
EXPORT_SYMBOL_GPL(kunit_unary_assert_format);

void kunit_ptr_not_err_assert_format(const struct kunit_assert *assert,
				     const struct va_format *message,
				     struct string_stream *stream)
{
	const struct kunit_ptr_not_err_assert *ptr =
		container_of(assert, struct kunit_ptr_not_err_assert, assert);

	kunit_log_append(stream, "    # expected %s to be no error and not null, is %ld\n",
			 ptr->text, (long)ptr->value);
	text_message(stream, message);
}
EXPORT_SYMBOL_GPL(kunit_ptr_not_err_assert_format);

void kunit_binary_assert_format(const struct kunit_assert *assert,
				const struct va_format *message,
				struct string_stream *stream)
{
	const struct kunit_binary_assert *binary =
		container_of(assert, struct kunit_binary_assert, assert);

	kunit_log_append(stream, "    # expected %s %s %s: %lld and %lld\n",
			 binary->text->left_text, binary->text->operation,
			 binary->text->right_text, binary->left_value,
			 binary->right_value);
	text_message(stream, message);
}
EXPORT_SYMBOL_GPL(kunit_binary_assert_format);

void kunit_binary_ptr_assert_format(const struct kunit_assert *assert,
				    const struct va_format *message,
				    struct string_stream *stream)
{
	const struct kunit_binary_ptr_assert *binary =
		container_of(assert, struct kunit_binary_ptr_assert, assert);

	kunit_log_append(stream, "    # expected %s %s %s: %p and %p\n",
			 binary->text->left_text, binary->text->operation,
			 binary->text->right_text, binary->left_value,
			 binary->right_value);
	text_message(stream, message);
}
EXPORT_SYMBOL_GPL(kunit_binary_ptr_assert_format);
