/* SPDX-License-Identifier: GPL-2.0 */
/* The functions in place of which this library's are called. */
#ifndef GPUBP_ROCR_NEXT_H
#define GPUBP_ROCR_NEXT_H

/**
 * next_function() - the address of HIP's or ROCr's function, or libc's
 * @name: of this library's function, too
 *
 * Return: it, or NULL if no library that is loaded has one.
 */
void *next_function(const char *name);

/* @next, a pointer to it that is NULL at first: found once; or NULL */
#define NEXT(next, function)						\
	((next) ?: ((next) = (__typeof__(next))next_function(#function)))

/* hipErrorNotSupported */
#define HIP_LACKS	801

#endif /* GPUBP_ROCR_NEXT_H */
