/* SPDX-License-Identifier: GPL-2.0-only */
/* `tsw agent`: applies the cluster's records to this host's switch. */
#ifndef TSW_AGENT_AGENT_H
#define TSW_AGENT_AGENT_H

#include "agent/prober.h"
#include "agent/reconcile.h"
#include "cluster/member.h"

/*
 * Applies the records to the switch once, and calls TELL for each change. With DRY it changes
 * nothing, and calls that for each record that it would write. Otherwise it waits up to MS for
 * another such call, because records that were read before it ended are old. -EBUSY: an agent runs.
 * -EIO: some changes failed or wait; T's log says which.
 */
int agent_once(struct tsw *t, const struct member *m, unsigned int ms, reconcile_report *tell,
	       etcd_told *dry, void *context);

/*
 * Applies each change of the records until SIGTERM or SIGINT. SYNC: also sends the flows of this
 * host's gateways to their other hosts. The service manager learns that the agent is ready when the
 * switch has the records, or after WAIT seconds. -EBUSY: another agent runs.
 */
enum { AGENT_READY_SECONDS = 90 };
int agent_run(struct tsw *t, const struct member *m, const struct prober_asks *asks, bool sync,
	      __u32 wait);

#endif
