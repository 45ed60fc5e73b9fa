/* SPDX-License-Identifier: GPL-2.0-only */
/* The public keys of other hosts, in tsw_host_keys. wire/crypt.h makes WireGuard peers of them. */
#ifndef TSW_HOST_KEY_H
#define TSW_HOST_KEY_H

#include <tsw/object.h>

#include "store/tsw.h"

/*
 * Checks the keys WANT of HOST. -EINVAL: a key of this host itself. -EEXIST: a key of a third host.
 * -ENOKEY: the switch encrypts, so HOST needs a key.
 */
int host_key_check(const struct tsw *t, const struct tsw_host *host,
		   const struct tsw_key_list *want);

/* Changes the flags of HOST and the present KEYS as WANT asks; NULL asks for none. */
void host_key_plan(const struct tsw *t, struct tsw_host *host, struct tsw_host_keys *keys,
		   const struct tsw_key_list *want);

/* Writes the entry of tsw_host_keys. crypt_put_host() changes the peers. */
int host_key_put(const struct tsw *t, __u32 id, const struct tsw_host_keys *keys);

#endif
