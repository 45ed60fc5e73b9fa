/* SPDX-License-Identifier: GPL-2.0-only */
/* The public keys of other hosts: tsw_host_keys; their peers are crypt.h's. */
#ifndef TSW_HOST_KEY_H
#define TSW_HOST_KEY_H

#include <tsw/object.h>

#include "store/tsw.h"

/* -EINVAL, -EEXIST: it is this host's own, or another's than HOST. -ENOKEY: it needs one. */
int host_key_check(const struct tsw *t, const struct tsw_host *host,
		   const struct tsw_key_list *want);

/* HOST's flags and KEYS, which are as they are, become what WANT asks for. */
int host_key_plan(const struct tsw *t, struct tsw_host *host, struct tsw_host_keys *keys,
		  const struct tsw_key_list *want);

/* Only written: the peers are crypt_put_host()'s. */
int host_key_put(const struct tsw *t, __u32 id, const struct tsw_host_keys *keys);

#endif
