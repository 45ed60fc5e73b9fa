/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps up the `snat` addresses that this host answers for: announces them again, leaves them to
 * another host, takes them back, and follows changes of the host's routes and devices.
 */
#ifndef TSW_AGENT_ANNOUNCER_H
#define TSW_AGENT_ANNOUNCER_H

#include "agent/rank.h"

/* Call it each second, and when a host's life changes. RO is open for reading. */
int announcer_look(const struct tsw *ro, const struct lives *lives);

#endif
