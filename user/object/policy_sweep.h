/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room for connections: buckets in which all is over, which stay their tenants' otherwise.
 *
 * The programs go on meanwhile, and know of no lock but each bucket's. So a bucket is taken out
 * with what it has at that moment, under its lock; where something has begun in it, it is put back.
 * What a program that had found it before writes into it afterwards is lost: one connection, as if
 * its first frame had not been seen. The next one from who began it is judged by the rules.
 */
#ifndef TSW_POLICY_SWEEP_H
#define TSW_POLICY_SWEEP_H

#include "store/tsw.h"

/*
 * Of all tenants, and all of tables that were forgotten. *N: how many, and with DRY how many there
 * are. Needs no lock of the switch.
 */
int policy_sweep(const struct tsw *t, bool dry, size_t *n);

#endif
