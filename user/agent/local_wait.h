/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that changed a record of this host returns when the switch has the change. */
#ifndef TSW_AGENT_LOCAL_WAIT_H
#define TSW_AGENT_LOCAL_WAIT_H

#include <tsw/object.h>

#include "cluster/member.h"
#include "store/tsw.h"

/*
 * Waits until the endpoint is as WANT says; GONE: until it does not exist. Without a running agent
 * applies the records itself. -ETIMEDOUT: not within MS; -EIO: this host cannot apply it. The
 * record stays as it is.
 */
int local_wait_endpoint(struct tsw *t, const struct member *m, const struct tsw_endpoint_spec *want,
			bool gone, unsigned int ms);

#endif
