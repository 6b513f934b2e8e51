/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in. */
#ifndef _SHIM_LIST_H
#define _SHIM_LIST_H

#include <stdbool.h>
#include <linux/kernel.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline bool list_is_singular(const struct list_head *list)
{
	return !list_empty(list) && list->next == list->prev;
}

static inline void shim_list_join(struct list_head *a, struct list_head *b)
{
	a->next = b;
	b->prev = a;
}

static inline void list_add(struct list_head *node, struct list_head *list)
{
	shim_list_join(node, list->next);
	shim_list_join(list, node);
}

static inline void list_add_tail(struct list_head *node, struct list_head *list)
{
	list_add(node, list->prev);
}

/* poison: the links of a deleted node must not be followed */
static inline void list_del(struct list_head *node)
{
	shim_list_join(node->prev, node->next);
	node->next = NULL;
	node->prev = NULL;
}

static inline void list_del_init(struct list_head *node)
{
	shim_list_join(node->prev, node->next);
	INIT_LIST_HEAD(node);
}

static inline void list_move(struct list_head *node, struct list_head *list)
{
	list_del(node);
	list_add(node, list);
}

static inline void list_move_tail(struct list_head *node,
				  struct list_head *list)
{
	list_del(node);
	list_add_tail(node, list);
}

static inline void list_splice_tail_init(struct list_head *from,
					 struct list_head *to)
{
	if (list_empty(from))
		return;
	shim_list_join(to->prev, from->next);
	shim_list_join(from->prev, to);
	INIT_LIST_HEAD(from);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(list, type, member) \
	list_entry((list)->next, type, member)
#define list_last_entry(list, type, member) \
	list_entry((list)->prev, type, member)
#define list_first_entry_or_null(list, type, member) \
	(list_empty(list) ? NULL : list_first_entry(list, type, member))
#define list_next_entry(pos, member) \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) \
	list_entry((pos)->member.prev, __typeof__(*(pos)), member)

#define list_for_each_entry(pos, list, member)				\
	for (pos = list_first_entry(list, __typeof__(*pos), member);	\
	     &pos->member != (list);					\
	     pos = list_next_entry(pos, member))

#define list_for_each_entry_reverse(pos, list, member)			\
	for (pos = list_last_entry(list, __typeof__(*pos), member);	\
	     &pos->member != (list);					\
	     pos = list_prev_entry(pos, member))

#define list_for_each_entry_continue_reverse(pos, list, member)		\
	for (pos = list_prev_entry(pos, member);			\
	     &pos->member != (list);					\
	     pos = list_prev_entry(pos, member))

#define list_for_each_entry_safe(pos, n, list, member)			\
	for (pos = list_first_entry(list, __typeof__(*pos), member),	\
	     n = list_next_entry(pos, member);				\
	     &pos->member != (list);					\
	     pos = n, n = list_next_entry(n, member))

#endif
