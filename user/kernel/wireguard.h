/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * WireGuard devices of this network namespace: the kernel's, made and asked by netlink. Private
 * keys go in and never come out.
 */
#ifndef TSW_WIREGUARD_H
#define TSW_WIREGUARD_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/abi.h>

#include "kernel/link.h"

struct wg_peer {
	__u8 key[TSW_CRYPT_KEY];  /* public */
	struct tsw_addr endpoint; /* zero: not known */
	__u16 port;		  /* of that, the host's byte order, as all here */
	__u16 keepalive;	  /* seconds; 0: none */
	/* Allowed IPs: these addresses. ODD: there are networks among them, or more. */
	struct tsw_addr allowed[TSW_FAMILIES]; /* zero: none of this family */
	bool odd;
	__u64 handshake; /* seconds since 1970; 0: there was none */
	__u64 rx, tx;	 /* octets */
};

struct wg_device {
	__u8 key[TSW_CRYPT_KEY]; /* public; zero: it has no private one */
	__u16 port;
	__u32 mark;	      /* of what it sends */
	struct wg_peer *peer; /* by key */
	size_t n;
	__u32 sequence; /* of the answer that it is read from */
	bool short_of;	/* there was no memory for all of them */
};

/* -EOPNOTSUPP with a message: this kernel has none. May load its module. */
int wg_check_kernel(void);

/* Makes one, down, by the first name of ours that is free. */
int wg_make(const char *instance, __u32 mtu, __u32 *ifindex);

/* Alias, MTU, no address of its own; and up. */
int wg_configure(__u32 ifindex, const char *instance, __u32 mtu);
int wg_start(__u32 ifindex);

/* Whose it is; NULL: none of ours. */
const char *wg_instance(const struct link *link);
bool wg_is_of(__u32 ifindex, const char *instance);

/* Deletes all that the instance made but those in KEEP, of N; also what a kill left unfinished. */
int wg_delete_others(const char *instance, const __u32 *keep, size_t n);

/* For wg_free(). */
int wg_get(__u32 ifindex, struct wg_device *device);
void wg_free(struct wg_device *device);
const struct wg_peer *wg_find(const struct wg_device *device, const __u8 key[TSW_CRYPT_KEY]);

#define cleanup_wg __attribute__((cleanup(wg_free)))

/* Also takes a mark away that somebody set. */
int wg_set_device(__u32 ifindex, const __u8 private[TSW_CRYPT_KEY], __u16 port);

/*
 * Adds it, or makes it so; of what the kernel knows of it nothing else changes. HAVE: what is there
 * of it; NULL: nothing, or that is not known. What it has already is not sent again: while the
 * kernel replaces a peer's allowed IPs it has none, and what is on its way is dropped.
 */
int wg_set_peer(__u32 ifindex, const struct wg_peer *have, const struct wg_peer *want);
int wg_del_peer(__u32 ifindex, const __u8 key[TSW_CRYPT_KEY]);

/* For tests: the message that wg_set_peer() sends, and what is read of an answer. */
struct nlmsghdr;
struct nlmsghdr *wg_peer_request(void *buffer, __u32 ifindex, const struct wg_peer *have,
				 const struct wg_peer *want);
int wg_read(const struct nlmsghdr *message, void *device);

#endif
