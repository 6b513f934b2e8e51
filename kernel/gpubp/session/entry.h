/* SPDX-License-Identifier: GPL-2.0 */
/* Entries: arrays of structs whose entry size the caller gives. */
#ifndef _GPUBP_SESSION_ENTRY_H
#define _GPUBP_SESSION_ENTRY_H

#include <linux/types.h>

int gpubp_entry_check(u32 len, size_t known);
int gpubp_entry_put(void __user *to, u32 len, const void *from, size_t known);
void *gpubp_entries_get(u64 from, u32 nr, u32 len, size_t known);
int gpubp_entries_put(u64 to, u32 nr, u32 len, const void *from, size_t known);

#endif /* _GPUBP_SESSION_ENTRY_H */
