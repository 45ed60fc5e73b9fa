/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about encryption between hosts: the kernel's WireGuard carries the
 * tunnel frames. See abi.h, and docs/encryption.md.
 *
 * A host has one key, and two while it changes keys. The lowest bit of a public key's first octet,
 * its parity, tells them apart: a new key has the other parity. There is a device for each pair of
 * an own key and a parity of the others' keys. So both keys of a host are peers at once, each with
 * that host's tunnel addresses as allowed IPs.
 */
#ifndef TSW_ABI_CRYPT_H
#define TSW_ABI_CRYPT_H

#include <tsw/abi.h>

#define TSW_CRYPT_PORT 51820 /* the UDP port by default */
#define TSW_CRYPT_KEY 32     /* octets of a key */
#define TSW_CRYPT_PARITIES 2
/* Octets that encryption adds: outer IPv6 and UDP 48, WireGuard's own header and tag 32. */
#define TSW_CRYPT_OVERHEAD 80

#define TSW_CRYPT_PARITY(key) ((key)[0] & 1)
/* UDP port of the device for an own key and the others' keys of these parities. */
#define TSW_CRYPT_PORT_OF(port, own, other) ((port) + 2 * (own) + (other))

#define TSW_CRYPT_MIXED (1U << 0) /* frames to hosts without a key are not encrypted */

/* tsw_crypt: entry 0 of an array. Valid while TSW_CFG_ENCRYPT is set. */
struct tsw_crypt {
	__u32 ifindex[TSW_CRYPT_PARITIES][TSW_CRYPT_PARITIES]; /* own, other's; 0: no device */
	__u32 own;   /* parity of the key that this host sends by */
	__u32 flags; /* TSW_CRYPT_* */
	__u32 port;  /* the first of four, host byte order */
	__u32 pad;
};

/* tsw_crypt_devices: ifindex -> ifindex of the devices that exist. */

/* tsw_host_keys: host index -> its public keys. Command alone. */
struct tsw_host_keys {
	__u8 key[TSW_CRYPT_PARITIES][TSW_CRYPT_KEY]; /* by parity; zero: none of this */
};

_Static_assert(sizeof(struct tsw_crypt) == 32, "ABI");
_Static_assert(sizeof(struct tsw_host_keys) == 64, "ABI");

#endif
