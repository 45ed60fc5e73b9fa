/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tsw 0.2.0 wrote a host's indices without devices, which were only in the endpoints' records (see
 * cluster/host_index.h). An agent adds the devices that its switch has.
 */
#ifndef TSW_AGENT_ADOPT_H
#define TSW_AGENT_ADOPT_H

#include "agent/replica.h"

/* Writes ADOPTED of struct reconciler, and empties it. An error is logged and tried again later. */
void adopt_write(struct complaints *complaints, struct replica *rp, struct record_set *adopted);

#endif
