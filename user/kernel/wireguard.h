/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's WireGuard devices of this network namespace, made and read by netlink. Private keys
 * are set and never read back.
 */
#ifndef TSW_WIREGUARD_H
#define TSW_WIREGUARD_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

#include "kernel/link.h"

struct wg_peer {
	__u8 key[TSW_CRYPT_KEY];  /* public */
	struct tsw_addr endpoint; /* zero: unknown */
	__u16 port;		  /* of the endpoint; host byte order, like all here */
	__u16 keepalive;	  /* seconds; 0: none */
	/* Allowed IPs: one address of each family; zero: none. ODD: there are networks, or more. */
	struct tsw_addr allowed[TSW_FAMILIES];
	bool odd;
	__u64 handshake; /* seconds since 1970; 0: never */
	__u64 rx, tx;	 /* octets */
};

struct wg_device {
	__u8 key[TSW_CRYPT_KEY]; /* public; zero: it has no private key */
	__u16 port;
	__u32 mark;	      /* of its packets */
	struct wg_peer *peer; /* sorted by key */
	size_t n;
	__u32 sequence; /* of the answer that is being read */
	bool short_of;	/* there was no memory for all peers */
};

/* -EOPNOTSUPP with a message: this kernel has no WireGuard. May load its module. */
int wg_check_kernel(void);

/* The name that wg_make() gives the N-th device from now on, from 0. */
void wg_next_name(unsigned int n, char name[IFNAMSIZ]);

/* Makes a device that is down, with the first free name of tsw-wg, tsw-wg1, ... */
int wg_make(const char *instance, __u32 mtu, __u32 *ifindex);

/* Sets alias and MTU, without an address; and sets it up. */
int wg_configure(__u32 ifindex, const char *instance, __u32 mtu);
int wg_start(__u32 ifindex);

/* The instance that has this device, or NULL. */
const char *wg_instance(const struct link *link);
bool wg_is_of(__u32 ifindex, const char *instance);

/* Deletes the instance's devices except the N in KEEP, and those that a killed command left. */
int wg_delete_others(const char *instance, const __u32 *keep, size_t n);

/* Reads a device, which wg_free() frees. */
int wg_get(__u32 ifindex, struct wg_device *device);
void wg_free(struct wg_device *device);
const struct wg_peer *wg_find(const struct wg_device *device, const __u8 key[TSW_CRYPT_KEY]);

#define cleanup_wg __attribute__((cleanup(wg_free)))

/* Also clears a mark that somebody else set. */
int wg_set_device(__u32 ifindex, const __u8 private[TSW_CRYPT_KEY], __u16 port);

/*
 * Adds or changes a peer; its other state in the kernel stays. HAVE is the present peer; NULL:
 * none, or unknown. Settings that it has already are not sent again, because while the kernel
 * replaces a peer's allowed IPs, it has none and drops packets.
 */
int wg_set_peer(__u32 ifindex, const struct wg_peer *have, const struct wg_peer *want);
int wg_del_peer(__u32 ifindex, const __u8 key[TSW_CRYPT_KEY]);

/* For tests: the message that wg_set_peer() sends, and the reader of an answer. */
struct nlmsghdr;
struct nlmsghdr *wg_peer_request(void *buffer, __u32 ifindex, const struct wg_peer *have,
				 const struct wg_peer *want);
int wg_read(const struct nlmsghdr *message, void *device);

#endif
