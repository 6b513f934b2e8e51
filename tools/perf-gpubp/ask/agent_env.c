// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agent_env.h"
#include "sysfile.h"

#define LIBRARY	"libgpubp-rocr.so"

const char *agent_library(void)
{
	return getenv("GPUBP_ROCR") ?: LIBDIR "/../gpubp/" LIBRARY;
}

/* in front of what a list has, if it is not there */
static void list_add_library(const char *name, const char *separator)
{
	const char *list = getenv(name);
	char text[2 * PATH_MAX];

	if (list && strstr(list, LIBRARY))
		return;
	snprintf(text, sizeof(text), "%s%s%s", agent_library(), list ? separator : "",
		 list ?: "");
	setenv(name, text, 1);
}

void agent_env_set(const char *asker)
{
	list_add_library("LD_PRELOAD", ":");
	list_add_library("HSA_TOOLS_LIB", " ");
	setenv("GPUBP_AGENT", asker, 1);
}

bool agent_env_is_asked(const char *root)
{
	return sys_exists(root, "/dev/gpubp_agent") && sys_exists(root, "/dev/kfd") &&
	       /* amdgpu.ko uses gpubp.ko: it has the provider */
	       !sys_exists(root, "/sys/module/gpubp/holders/amdgpu");
}

void agent_env_for_kernel(const char *root)
{
	if (!getenv("GPUBP_AGENT") && agent_env_is_asked(root) &&
	    sys_exists("", agent_library()))
		agent_env_set("kernel");
}
