# SPDX-License-Identifier: GPL-2.0
#
# A console without what the debug kernel complains of in itself; lines keep their
# numbers. One thing so far:
#
# perf queues a task work for a SIGTRAP in a hard interrupt (__perf_event_overflow());
# KASAN keeps the stack of who did (6.12: kasan_record_aux_stack() in
# task_work_add()), and takes a page for it now and then. On a kernel that preempts
# in interrupts that would be wrong, and lockdep says so.

function flush(	i)
{
	for (i = 0; i < n; i++)
		print all && perf && depot && kasan ? "" : held[i]
	n = all = perf = depot = kasan = 0
}

!n && !/BUG: Invalid wait context/ { print; next }

{
	held[n++] = $0
	perf = perf || /__perf_event_overflow/
	kasan = kasan || /kasan_record_aux_stack/
	depot = depot || /stack_depot_save/
	all = / <\/TASK>/
	if (all || n == 200)
		flush()
}

END { flush() }
