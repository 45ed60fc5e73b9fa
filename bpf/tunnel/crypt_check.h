/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that a tunnel frame came encrypted, if it must. */
#ifndef TSW_BPF_TUNNEL_CRYPT_CHECK_H
#define TSW_BPF_TUNNEL_CRYPT_CHECK_H

#include "tunnel/crypt.h"
#include "core/drop.h"
#include "core/host.h"
#include "tunnel/outer.h"

/* Must frames between this host and that one be encrypted? Not if there is no such host. */
static __always_inline bool crypt_is_required(const struct tsw_host *host)
{
	return host && !(host->flags & TSW_HOST_CLEAR);
}

/* A tunnel frame from the wire. The device that decrypted it proves its outer source. */
__noinline int tsw_crypt_guard(struct __sk_buff *skb, const struct tunnel *t)
{
	struct tsw_addr from;

	if (!t)
		return drop(TSW_DROP_INTERNAL);
	from = t->from;
	return crypt_has(skb->ifindex) || !crypt_is_required(host_get(host_by_vtep(&from)))
		       ? NEXT
		       : drop(TSW_DROP_NOT_ENCRYPTED);
}

#endif
