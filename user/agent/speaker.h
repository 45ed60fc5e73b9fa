/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the agent does for the addresses that this host answers for: it says again that they are
 * here, leaves them to another host, takes them back, and follows the host's routes and devices.
 */
#ifndef TSW_AGENT_SPEAKER_H
#define TSW_AGENT_SPEAKER_H

#include "agent/rank.h"

/* Each second, and when a life is another. T is open, to read. */
int speaker_look(const struct tsw *t, const struct lives *lives);

#endif
