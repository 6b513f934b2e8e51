// SPDX-License-Identifier: GPL-2.0
/*
 * The session of watch sets and conditions.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include "pick_session.h"

int pick_session(int *session, struct grun_err *err)
{
	if (*session < 0)
		*session = open("/dev/gpubp", O_RDWR | O_CLOEXEC);
	if (*session < 0)
		return grun_fail(err, -ENODEV, "/dev/gpubp: %s",
				 strerror(errno));
	return 0;
}

int pick_condition(int *session, struct gexpr *e, struct grun_err *err)
{
	int ret = e->conditional ? pick_session(session, err) : 0;

	if (ret || !e->conditional ||
	    !ioctl(*session, GPUBP_CONDITION_CREATE, &e->condition))
		return ret;
	if (errno == ENOTTY)
		return grun_fail(err, -ENODEV,
				 "the kernel's gpubp knows no conditions");
	return grun_fail(err, -ENODEV, "condition: %s", strerror(errno));
}
