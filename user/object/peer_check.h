/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether two tenants can be peers: which networks routes between them would lead to. */
#ifndef TSW_PEER_CHECK_H
#define TSW_PEER_CHECK_H

#include "object/peer.h"
#include "record/peer_pair.h"
#include "store/tsw.h"

/* The half of the first side, with both gateways as they are in PAIR. */
int peer_check(const struct tsw *t, const struct pair *pair);

#endif
