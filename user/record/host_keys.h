/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host's keys as they are in the maps, tsw_host_keys by parity and tsw_host.flags, and as they
 * are asked for and told: a list, the newest last.
 */
#ifndef TSW_HOST_KEYS_H
#define TSW_HOST_KEYS_H

#include <tsw/object.h>

#include "store/tsw.h"

/* Of tsw_host.flags what is said by its keys. */
#define HOST_KEY_FLAGS (TSW_HOST_ODD | TSW_HOST_COMING | TSW_HOST_BOTH)

/* Zero where it has none. */
int host_keys_get(const struct tsw *t, __u32 id, struct tsw_host_keys *keys);

/* Zero: none that is used. */
unsigned int host_keys_used(const struct tsw_host *host);
bool host_has_key(const struct tsw_host_keys *keys);

void host_keys_list(const struct tsw_host *host, const struct tsw_host_keys *keys,
		    struct tsw_key_list *list);

/*
 * HOST and KEYS, which are as they are, become what WANT asks for. A new key of the other parity
 * stands beside the one that is used until there was a handshake by it, unless NOW.
 */
void host_keys_plan(struct tsw_host *host, struct tsw_host_keys *keys,
		    const struct tsw_key_list *want, bool now);

#endif
