/* SPDX-License-Identifier: GPL-2.0-only */
/* Of two hosts whose records have one key: which one is believed. */
#ifndef TSW_AGENT_WANT_KEY_H
#define TSW_AGENT_WANT_KEY_H

#include "agent/want.h"

/*
 * A host may write any key into its own record, and no claim goes with one. The host itself, and
 * who is known here by that key, keep it; of two others the one whose record is older does. The
 * other one is refused and taken out of S, whose hosts are sorted.
 */
int want_keys(const struct wanted *w, struct state *s);

#endif
