// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "reload.h"

#define DIR		"/lib/gpubp/"
#define PATIENCE	20	/* s */

int module_load(const char *name)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), DIR "%s.ko", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return ret == -EEXIST ? 0 : ret;
}

int module_unload_now(const char *name)
{
	if (!syscall(SYS_delete_module, name, O_NONBLOCK) || errno == ENOENT)
		return 0;
	return -errno;
}

int module_unload(const char *name)
{
	int i, ret;

	for (i = 0; i < PATIENCE * 100; i++) {
		ret = module_unload_now(name);
		if (ret != -EAGAIN && ret != -EBUSY)
			break;
		usleep(10000);
	}
	return ret;
}

int modules_load(void)
{
	return module_load("gpubp") ?: module_load("gpubp_gfx9") ?:
	       module_load("gpubp_sim") ?: module_load("gpubp_agent");
}

int modules_unload(void)
{
	return module_unload("gpubp_agent") ?: module_unload("gpubp_sim") ?:
	       module_unload("gpubp_gfx9") ?: module_unload("gpubp");
}
