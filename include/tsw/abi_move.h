/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the programs and the command share of endpoints that move. Read by abi.h. */
#ifndef TSW_ABI_MOVE_H
#define TSW_ABI_MOVE_H

#include <tsw/abi.h>

/*
 * Its endpoint moves: one of both places is this port. What it sends is held back while tsw_fdb
 * leads elsewhere.
 */
#define TSW_PORT_MOVES (1U << 5)

/*
 * tsw_moves: struct tsw_fdb_key -> from where to where, while an endpoint moves. Where it is says
 * tsw_fdb, as of any: that entry is one of both. The programs make it `to`, once and for all, when
 * the endpoint announces itself at the port `to`, or sends from the host `to`; the command alone
 * makes it `from` again.
 */
struct tsw_move {
	struct tsw_fdb from, to;
};

_Static_assert(sizeof(struct tsw_move) == 16, "ABI");

#endif
