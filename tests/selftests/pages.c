// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/gpubp_sim.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "pages.h"

#define PAGE	(PAGES_SIZE / 2)

void *pages_absent(void)
{
	uint8_t *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)p, .len = PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (p == MAP_FAILED || fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		return NULL;
	p[PAGE] = 0;
	return p;	/* fd stays open */
}

int pages_for_gpu(struct gpu *gpu, void *p, uint64_t *va)
{
	struct gpubp_sim_userptr arg = {
		.cpu_addr = (uintptr_t)p, .size = PAGES_SIZE,
	};

	if (ioctl(grun_fd(gpu->dev), GPUBP_SIM_USERPTR, &arg))
		return -errno;
	*va = arg.va;
	return 0;
}
