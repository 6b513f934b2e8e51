// SPDX-License-Identifier: GPL-2.0
/* GPUBP_REASON: why the last event was refused. */
#include <linux/errno.h>
#include <linux/string.h>
#include <uapi/linux/gpubp.h>

#include "../event/event.h"
#include "reason_cmd.h"

/** gpubp_reason_cmd() - GPUBP_REASON; independent of the session */
long gpubp_reason_cmd(struct gpubp_session *session, void *arg)
{
	enum gpubp_reason reason = gpubp_refusal_take();
	struct gpubp_refusal *refusal = arg;

	if (!reason)
		return -ENOENT;
	refusal->reason = reason;
	refusal->error = gpubp_reason_error(reason);
	strscpy_pad(refusal->text, gpubp_reason_text(reason));
	return 0;
}
