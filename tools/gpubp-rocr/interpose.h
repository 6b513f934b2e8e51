/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of HIP, ROCr and the C library, of which the linker of a program that began without this
 * library has bound the next functions.
 */
#ifndef GPUBP_ROCR_INTERPOSE_H
#define GPUBP_ROCR_INTERPOSE_H

/**
 * interpose_all() - call this library's functions in place of them
 *
 * In the program and in all libraries that are loaded now, but for addresses of functions that
 * they have stored somewhere, or found by dlsym().
 */
void interpose_all(void);

#endif /* GPUBP_ROCR_INTERPOSE_H */
