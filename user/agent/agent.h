/* SPDX-License-Identifier: GPL-2.0-only */
/* `tsw agent`: this host's switch follows the cluster's records. */
#ifndef TSW_AGENT_AGENT_H
#define TSW_AGENT_AGENT_H

#include "agent/reconcile.h"
#include "agent/prober.h"
#include "cluster/member.h"

/*
 * Makes the switch what the records say now, once. One after the other, for at most MS: what was
 * read before somebody else read and carried out is old. -EBUSY: an agent is at work. TELL is told
 * of each change. -EIO: not all of it could be done; what single records cannot have is told by T's
 * log.
 */
int agent_once(struct tsw *t, const struct member *m, unsigned int ms, reconcile_report *tell,
	       void *context);

/*
 * The same, on and on, until SIGTERM or SIGINT; SYNC: the other hosts of its gateways are told of
 * flows. -EBUSY: another agent is at work.
 */
int agent_run(struct tsw *t, const struct member *m, const struct prober_asks *asks, bool sync);

#endif
