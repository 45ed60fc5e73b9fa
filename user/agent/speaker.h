/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the agent does for the addresses that this host answers for: it says once more that they are
 * here, in the first seconds, and follows the host's routes and devices.
 */
#ifndef TSW_AGENT_SPEAKER_H
#define TSW_AGENT_SPEAKER_H

#include "store/tsw.h"

/* Each second. T is open, to read. */
int speaker_look(const struct tsw *t);

#endif
