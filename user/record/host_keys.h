/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host's public keys. In the maps a key has a place by its parity (tsw_host_keys), and flags say
 * which is in use (tsw_host.flags). Commands have them as a list, the newest last.
 */
#ifndef TSW_HOST_KEYS_H
#define TSW_HOST_KEYS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* The bits of tsw_host.flags that concern keys. */
#define HOST_KEY_FLAGS (TSW_HOST_ODD | TSW_HOST_COMING | TSW_HOST_BOTH)

/* Reads the keys of the host with that id. Zero: it has no key. */
int host_keys_get(const struct tsw *t, __u32 id, struct tsw_host_keys *keys);

/* The parity of the key in use, 0 or 1: its index in tsw_host_keys. */
unsigned int host_keys_used(const struct tsw_host *host);
bool host_has_key(const struct tsw_host_keys *keys);

void host_keys_list(const struct tsw_host *host, const struct tsw_host_keys *keys,
		    struct tsw_key_list *list);

/*
 * Changes HOST and KEYS to the list WANT. A new key of the other parity waits beside the one in use
 * until its first handshake. NOW: it is used at once.
 */
void host_keys_plan(struct tsw_host *host, struct tsw_host_keys *keys,
		    const struct tsw_key_list *want, bool now);

#endif
