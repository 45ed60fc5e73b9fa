/* SPDX-License-Identifier: GPL-2.0-only */
/* A command that changed a record of this host's returns when the switch has it. */
#ifndef TSW_AGENT_LOCAL_WAIT_H
#define TSW_AGENT_LOCAL_WAIT_H

#include <tsw/object.h>

#include "cluster/member.h"
#include "store/tsw.h"

/*
 * The endpoint of WANT's tenant and name is as WANT says; or, with GONE, it is not. An agent that
 * runs does it; where none does it is done here. -ETIMEDOUT: not within MS; -EIO: this host cannot
 * have it so. The record stays as it is.
 */
int local_wait_endpoint(struct tsw *t, const struct member *m, const struct tsw_endpoint_spec *want,
			bool gone, unsigned int ms);

#endif
