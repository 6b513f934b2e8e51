/* SPDX-License-Identifier: GPL-2.0 */
/* The results of a suite: lines of KTAP. */
#ifndef _GPUBP_CONFORM_TEXT_H
#define _GPUBP_CONFORM_TEXT_H

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/stdarg.h>
#include <linux/types.h>

/**
 * struct string_stream - a text that grows, KUnit's name for it
 * @lock: the rest
 * @text: it, or NULL
 * @len: its length
 * @size: bytes of @text
 */
struct string_stream {
	struct mutex lock;
	char *text;
	size_t len;
	size_t size;
};

void __printf(2, 0) text_add(struct string_stream *text, const char *fmt, va_list args);
void text_clear(struct string_stream *text);

#endif /* _GPUBP_CONFORM_TEXT_H */
