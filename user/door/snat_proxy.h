/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses of tsw_snats for which this host answers on its networks. The programs answer
 * requests; this file announces the addresses, and joins the groups in which neighbours ask.
 */
#ifndef TSW_SNAT_PROXY_H
#define TSW_SNAT_PROXY_H

#include <jansson.h>

#include "kernel/link.h"
#include "store/tsw.h"

/* Finds the device on whose network ADDR is. -ENOENT without message: no such device. */
int snat_proxy_device(const struct tsw_addr *addr, struct link *link);

/* Announces ADDR on its network. Errors are only logged, because neighbours also ask. */
void snat_proxy_announce(const struct tsw *t, const struct tsw_addr *addr, const struct link *link);

/* Follow the host's routes: the devices and, for IPv6, the groups in which neighbours ask. */
int snat_proxy_mend(struct tsw *t);
int snat_proxy_close(void);
int snat_proxy_check(const struct tsw *t, json_t *problems);

#endif
