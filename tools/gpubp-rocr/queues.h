/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program's queues are given: for the work-items of hits, and where the program
 * launched. The functions may be called by any thread.
 */
#ifndef GPUBP_ROCR_QUEUES_H
#define GPUBP_ROCR_QUEUES_H

/**
 * launch_begin() - this thread is about to launch a kernel
 * @caller: who calls, as for grun_callsite()
 *
 * Up to launch_end() packets of the thread are of that place. Of other launches it is
 * where the program calls a runtime.
 */
void launch_begin(const void *caller);

/** launch_end() - it has */
void launch_end(void);

#endif /* GPUBP_ROCR_QUEUES_H */
