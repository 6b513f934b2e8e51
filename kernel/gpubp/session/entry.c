// SPDX-License-Identifier: GPL-2.0
/*
 * Entries: arrays of structs in user memory whose entry size the caller gives:
 * see entry_len in the uapi header.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/gpubp.h>

#include "../core/core.h"
#include "entry.h"

/**
 * gpubp_entry_check() - check the size of an entry
 * @len: the caller's size, bytes
 * @known: size in the first version, bytes
 *
 * Return: 0, -EINVAL (shorter), -E2BIG.
 */
int gpubp_entry_check(u32 len, size_t known)
{
	if (len < known)
		return -EINVAL;
	return len > GPUBP_ENTRY_LEN_MAX ? -E2BIG : 0;
}

/**
 * gpubp_entry_put() - write one entry to user memory
 * @to: user address
 * @len: the caller's size, checked
 * @from: entry
 * @known: the kernel's size
 *
 * Bytes beyond the kernel's size are set to 0. May sleep.
 *
 * Return: 0 or -EFAULT.
 */
int gpubp_entry_put(void __user *to, u32 len, const void *from, size_t known)
{
	size_t size = min_t(size_t, len, known);

	if (copy_to_user(to, from, size) || clear_user(to + size, len - size))
		return -EFAULT;
	return 0;
}

/* user space chooses the number of entries: allow it to be killed */
static int entry_may_continue(void)
{
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int entries_copy_from_user(void *entries, const void __user *from,
				  u32 nr, u32 len, size_t known)
{
	int err = 0;

	for (; !err && nr; nr--, entries += known, from += len)
		err = copy_struct_from_user(entries, known, from, len) ?:
		      entry_may_continue();
	return err;
}

/**
 * gpubp_entries_get() - copy an array from user memory
 * @from: user address
 * @nr: entries
 * @len: the caller's size of an entry
 * @known: the kernel's size of an entry
 *
 * May sleep.
 *
 * Return: the array, charged to the memcg of current, to be freed with
 * kvfree(); or ERR_PTR() of -EINVAL, -E2BIG (@len, or an entry is not 0 beyond
 * @known), -ENOMEM, -EFAULT, -EINTR.
 */
void *gpubp_entries_get(u64 from, u32 nr, u32 len, size_t known)
{
	int err = gpubp_entry_check(len, known);
	void *entries;

	if (err)
		return ERR_PTR(err);
	entries = kvmalloc_array(max(nr, 1u), known, GPUBP_GFP_USER);
	if (!entries)
		return ERR_PTR(-ENOMEM);
	err = entries_copy_from_user(entries, u64_to_user_ptr(from), nr, len,
				     known);
	if (!err)
		return entries;
	kvfree(entries);
	return ERR_PTR(err);
}

/**
 * gpubp_entries_put() - copy an array to user memory
 * @to: user address
 * @nr: entries
 * @len: the caller's size of an entry, checked
 * @from: the entries
 * @known: the kernel's size of an entry
 *
 * May sleep.
 *
 * Return: 0, -EFAULT, -EINTR.
 */
int gpubp_entries_put(u64 to, u32 nr, u32 len, const void *from, size_t known)
{
	int err = 0;

	for (; !err && nr; nr--, from += known, to += len)
		err = gpubp_entry_put(u64_to_user_ptr(to), len, from, known) ?:
		      entry_may_continue();
	return err;
}
