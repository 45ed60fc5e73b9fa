/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the router in step with the host's devices and addresses, which others change. */
#ifndef TSW_AGENT_UPLINKS_H
#define TSW_AGENT_UPLINKS_H

#include "store/tsw.h"

/* HERE is open to read; where there is something to do, the lock is taken. */
int uplinks_look(struct tsw *here);

#endif
