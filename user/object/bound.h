/* SPDX-License-Identifier: GPL-2.0-only */
/* The link-local addresses that an endpoint has shown, which the programs write. */
#ifndef TSW_BOUND_H
#define TSW_BOUND_H

#include "store/tsw.h"

/* Reads them, *N of them. */
int bound_read(const struct tsw *t, const struct tsw_fdb_key *who,
	       struct tsw_addr addr[TSW_BINDINGS], size_t *n);

/* The endpoint is gone: no program may find its entry of tsw_fdb, nor its port, any more. */
int bound_drop(const struct tsw *t, const struct tsw_fdb_key *who);

#endif
