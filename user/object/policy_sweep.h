/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes room for connections: deletes buckets whose connections are all over. Otherwise a bucket
 * belongs to its tenant for ever.
 *
 * Programs run meanwhile, and take only the lock of each bucket. So a bucket is taken out under its
 * lock, with its contents at that moment, and is put back if a connection has begun in it. A
 * program that found the bucket before may still write to it: that connection is lost, as if its
 * first frame had not been seen. The initiator's next frame is judged by the rules.
 */
#ifndef TSW_POLICY_SWEEP_H
#define TSW_POLICY_SWEEP_H

#include "store/tsw.h"

/*
 * Deletes such buckets of all tenants, and all buckets of forgotten tables. *N is their number.
 * With DRY it only counts them. Needs no lock of the switch.
 */
int policy_sweep(const struct tsw *t, bool dry, size_t *n);

#endif
