/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host's keys. The maps have them by parity (tsw_host_keys) with flags (tsw_host.flags); commands
 * have them as a list, the newest last.
 */
#ifndef TSW_HOST_KEYS_H
#define TSW_HOST_KEYS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* The bits of tsw_host.flags that are about its keys. */
#define HOST_KEY_FLAGS (TSW_HOST_ODD | TSW_HOST_COMING | TSW_HOST_BOTH)

/* Zero: it has none. */
int host_keys_get(const struct tsw *t, __u32 id, struct tsw_host_keys *keys);

/* How many of its keys are in use. */
unsigned int host_keys_used(const struct tsw_host *host);
bool host_has_key(const struct tsw_host_keys *keys);

void host_keys_list(const struct tsw_host *host, const struct tsw_host_keys *keys,
		    struct tsw_key_list *list);

/*
 * Changes HOST and KEYS to what WANT asks for. A new key of the other parity is kept beside the one
 * in use until the first handshake by it. NOW: it is used at once.
 */
void host_keys_plan(struct tsw_host *host, struct tsw_host_keys *keys,
		    const struct tsw_key_list *want, bool now);

#endif
