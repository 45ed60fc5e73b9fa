/* SPDX-License-Identifier: GPL-2.0-only */
/* Moves gateways to the ranked hosts that should serve them. */
#ifndef TSW_AGENT_FLIP_H
#define TSW_AGENT_FLIP_H

#include "agent/rank.h"
#include "store/tsw.h"

/*
 * RO is open for reading; takes the lock only if a gateway has to move. *MOVES: how many did. If it
 * fails, the next call finds the same and tries it again.
 */
int flip_all(const struct tsw *ro, const struct lives *lives, size_t *moves);

#endif
