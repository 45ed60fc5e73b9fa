/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening the switch for a run of commands, and putting it in order behind them. */
#ifndef TSW_SESSION_H
#define TSW_SESSION_H

#include "store/tsw.h"

/* Opens the pinned switch, for writing under its lock; again: nothing to do. */
int session_open(struct tsw *t);

/* Writes what was counted and not written yet. */
int session_flush(struct tsw *t);

/* Writes the totals and closes the switch; keeps the lock. */
void session_leave(struct tsw *t);

/* The same, and gives the lock back. */
void session_close(struct tsw *t);

/* Writes t->config: programs see the old one or the new one. */
int session_put_config(const struct tsw *t);

/* -ENOENT with the message that no switch is up. */
int session_no_switch(const struct tsw *t);

/* Reads t->config as today's, of whatever ABI that this tsw knows; -ENOENT: session_no_switch(). */
int session_read_config(struct tsw *t);

/* The switch has this version of the layout; T->config.abi is what it has. */
int session_check_abi(const struct tsw *t);

/* The switch is in this network namespace; elsewhere it can be read only. */
int session_check_netns(const struct tsw *t);

#endif
