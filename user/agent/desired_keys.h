/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides which host is believed if the records of two have the same encryption key. */
#ifndef TSW_AGENT_DESIRED_KEYS_H
#define TSW_AGENT_DESIRED_KEYS_H

#include "agent/desired.h"

/*
 * A host may write any key into its own record, since keys have no claims. This host keeps its own
 * keys, and a host that is known here by a key keeps it. Of two others the older record wins. The
 * loser is refused and removed from S, whose hosts are sorted.
 */
int desired_keys(const struct desired *w, struct state *s);

#endif
