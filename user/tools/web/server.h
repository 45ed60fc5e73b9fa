/* SPDX-License-Identifier: GPL-2.0-only */
/* HTTP: which requests are answered, and with what. One thread does everything. */
#ifndef TSW_TOOLS_WEB_SERVER_H
#define TSW_TOOLS_WEB_SERVER_H

#include "tools/web/library.h"
#include "tools/web/listen.h"

/* TOKEN: what requests for data must give; NULL: the peer of the unix socket counts. */
int server_start(const struct listener *l, const char *token, struct MHD_Daemon **daemon);

/* Closes connections whose request or answer takes too long. */
void server_tick(void);

#endif
