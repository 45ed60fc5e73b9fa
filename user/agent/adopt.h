/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw 0.2.0 wrote this host's indices without devices, which stood in the endpoints' records alone:
 * see cluster/host_index.h. The devices that the switch has are written into them.
 */
#ifndef TSW_AGENT_ADOPT_H
#define TSW_AGENT_ADOPT_H

#include "agent/replica.h"

/* ADOPTED, of struct carry, which is empty then. What fails is told, and comes again. */
void adopt_write(struct complaints *complaints, struct replica *rp, struct record_set *adopted);

#endif
