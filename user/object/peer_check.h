/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether two tenants can be peers: their networks must not overlap. */
#ifndef TSW_PEER_CHECK_H
#define TSW_PEER_CHECK_H

#include "object/peer.h"
#include "record/peer_pair.h"
#include "store/tsw.h"

/* Checks the half of the first side, with the gateways in PAIR. */
int peer_check(const struct tsw *t, const struct pair *pair);

#endif
