/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included ahead of all files of a build with mutants. gpubp_mutant() says
 * whether a mutant is on, and notes that its place was reached.
 *
 * In user space GPUBP_MUTANT has the number, and GPUBP_REACHED names a file that
 * gets a byte for each mutant. Nothing is included: what is tested may bring
 * headers of its own under the names of the system's.
 */
#ifndef _GPUBP_MUTANT_H
#define _GPUBP_MUTANT_H

#ifndef __ASSEMBLY__
#define GPUBP_MUTANTS	16000

#ifdef __KERNEL__
extern int gpubp_mutant_on;
extern unsigned char gpubp_mutant_reached[GPUBP_MUTANTS];

/* what User Mode Linux lacks of x86; no suite of KUnit's comes by */
#define instruction_pointer_set(regs, ip) ((void)(PT_REGS_IP(regs) = (ip)))
#define user_64bit_mode(regs) true
#else
char *getenv(const char *name);
int atoi(const char *s);
int open(const char *path, int flags, ...);
int close(int fd);
void *mmap(void *addr, unsigned long len, int prot, int flags, int fd, long offset);

__attribute__((weak)) int gpubp_mutant_on;
__attribute__((weak)) unsigned char gpubp_mutant_unnoted[GPUBP_MUTANTS];
__attribute__((weak)) unsigned char *gpubp_mutant_reached = gpubp_mutant_unnoted;

/* in each program once or more often. The file is shared, as some programs fork. */
__attribute__((constructor, weak)) void gpubp_mutant_init(void)
{
	const char *on = getenv("GPUBP_MUTANT"), *file = getenv("GPUBP_REACHED");
	int fd = file ? open(file, 2 /* O_RDWR */) : -1;

	gpubp_mutant_on = on ? atoi(on) : 0;
	if (fd < 0)
		return;
	gpubp_mutant_reached = mmap(0, GPUBP_MUTANTS, 3 /* PROT_READ, _WRITE */,
				    1 /* MAP_SHARED */, fd, 0);
	close(fd);
}
#endif

static inline __attribute__((always_inline, unused)) int gpubp_mutant(int n)
{
	gpubp_mutant_reached[n] = 1;
	return gpubp_mutant_on == n;
}
#endif
#endif
