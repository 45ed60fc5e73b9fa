/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What programs and command share about endpoints that move. Read by abi.h. */
#ifndef TSW_ABI_MOVE_H
#define TSW_ABI_MOVE_H

#include <tsw/abi.h>

/*
 * The port's endpoint moves: one of its two places is this port. Its frames are held back while
 * tsw_fdb has the other place.
 */
#define TSW_PORT_MOVES (1U << 5)

/*
 * tsw_moves: struct tsw_fdb_key -> both places of an endpoint that moves. tsw_fdb has the current
 * one. The programs set it to `to`, for good, when the endpoint announces itself at the port `to`
 * or sends from the host `to`. Only the command sets it back to `from`.
 */
struct tsw_move {
	struct tsw_fdb from, to;
};

_Static_assert(sizeof(struct tsw_move) == 16, "ABI");

#endif
