/* SPDX-License-Identifier: GPL-2.0-only */
/* Of two hosts whose records have one key: which one is believed. */
#ifndef TSW_AGENT_DESIRED_KEYS_H
#define TSW_AGENT_DESIRED_KEYS_H

#include "agent/desired.h"

/*
 * A host may write any key into its own record, and no claim goes with one. The host itself, and
 * who is known here by that key, keep it; of two others the one whose record is older does. The
 * other one is refused and taken out of S, whose hosts are sorted.
 */
int desired_keys(const struct desired *w, struct state *s);

#endif
