/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encryption between hosts: which device of the switch's own a tunnel frame must go by, and came
 * by. The kernel's WireGuard does the rest; its devices have no link header, no address and no
 * route. See abi_crypt.h.
 */
#ifndef TSW_BPF_CRYPT_H
#define TSW_BPF_CRYPT_H

#include <tsw/bpf/config.h>

TSW_SINGLE(tsw_crypt, struct tsw_crypt);

/* Kept by the command. */
TSW_HASH(tsw_host_keys, __u32, struct tsw_host_keys);

static __always_inline struct tsw_crypt *crypt_get(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&tsw_crypt, &zero);
}

#endif
