/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why WireGuard does not reach a host. It tells nobody why it drops a packet, so this looks at what
 * the host's UDP port answers, at what comes from there, and at what the kernel's peer counts.
 */
#ifndef TSW_TOOLS_DOCTOR_HANDSHAKE_H
#define TSW_TOOLS_DOCTOR_HANDSHAKE_H

#include "store/tsw.h"

enum handshake {
	HANDSHAKE_DONE,	     /* WireGuard reaches it */
	HANDSHAKE_NO_PEER,   /* it is no peer of the switch's device */
	HANDSHAKE_KEPT,	     /* this host's firewall drops packets to its port */
	HANDSHAKE_UNREACHED, /* the network refuses them */
	HANDSHAKE_REFUSED,   /* nothing listens at its port */
	HANDSHAKE_ONE_WAY,   /* its packets come and are right; this host's do not arrive there */
	HANDSHAKE_HEARD,     /* the same, or they arrive: there is a session */
	HANDSHAKE_FOREIGN,   /* its packets come, by other keys */
	HANDSHAKE_NOTHING,   /* nothing comes */
};

enum { HANDSHAKES = 64 }; /* that are watched at once */

struct shaking {
	__u32 host; /* its index; 0: none */
	enum handshake is;
	__u16 port; /* its UDP port */
	/* Of the watch alone. */
	struct tsw_addr addr;
	enum tsw_family family;
	__u64 rx, last; /* octets by its key, and the last handshake, when it began */
	int udp, raw;
	bool fresh; /* there was a session then */
	bool comes; /* packets to WireGuard's ports came from there */
};

/* Watches N hosts, at most HANDSHAKES, for some seconds. */
int handshakes_watch(const struct tsw *t, struct shaking *all, size_t n);

/* What it is, by RX and the LAST handshake at the end. */
void handshake_judge(struct shaking *s, __u64 last, __u64 rx);

#endif
