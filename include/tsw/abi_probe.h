/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of the ABI that is about probes: what a question and its answer look like, and where
 * answers are noted. See abi.h, which has this.
 */
#ifndef TSW_ABI_PROBE_H
#define TSW_ABI_PROBE_H

#include <tsw/abi.h>

#define TSW_SBFD_PORT 7784 /* RFC 7881: the reflector's */
#define TSW_BFD_VERSION (1 << 5)
#define TSW_BFD_VERSION_MASK 0xe0 /* the others are the diagnostic */
#define TSW_BFD_LENGTH 24	  /* without authentication */
#define TSW_BFD_STATE 0xc0	  /* the others are flags */
#define TSW_BFD_DOWN (1 << 6)
#define TSW_BFD_UP (3 << 6)
#define TSW_BFD_POLL 0x20
#define TSW_BFD_FINAL 0x10
#define TSW_BFD_INDEPENDENT 0x08 /* answered though the host's agent is dead */
#define TSW_BFD_AUTHENTICATED 0x04
#define TSW_BFD_DEMAND 0x02 /* who asks sets it, who answers does not */
#define TSW_BFD_MULTIPOINT 0x01
#define TSW_BFD_PATH_DOWN 6  /* diagnostic: it lives, and its way on to the world is gone */
#define TSW_BFD_MIN_RX 10000 /* microseconds: no one needs to ask more often */

/* RFC 5880 section 4.1. */
struct tsw_bfd {
	__u8 version; /* and diagnostic */
	__u8 flags;   /* and state */
	__u8 multiplier;
	__u8 length;
	__be32 mine, yours; /* discriminators */
	__be32 min_tx, min_rx, min_echo;
};

/* The inner destination that RFC 8971 has for BFD in a tunnel. */
#define TSW_PROBE_MAC                                      \
	{                                                  \
		{                                          \
			0x00, 0x00, 0x5e, 0x00, 0x52, 0x02 \
		}                                          \
	}

/*
 * A socket of the agent's sends with this priority, and the egress of the underlay lets its
 * questions out by it. Never a priority that the kernel itself gives. The kernel shows any user the
 * priority of each socket (INET_DIAG_CLASS_ID), so it is made of a hash, tsw_ask_input() of
 * places.h: who sees it learns nothing of the switch's secrets.
 */
#define TSW_ASK_PRIORITY(hash) ((__u32)(hash) | 1U << 31)

/*
 * By UDP from and to this port the agents of a gateway's hosts tell each other of their flows. What
 * leaves to it for another host needs that priority, too.
 */
#define TSW_FLOWS_PORT 974

/*
 * tsw_probes: host index -> the answers of a host that is asked. The agent makes the entry, the
 * program that hears an answer writes when and which. Without an entry nobody asks.
 *
 * Index 0 is this host: what its agent tells by the answers that the program gives. It counts while
 * it is new (TSW_TELL), for an agent that has ended tells nothing.
 */
struct tsw_probe {
	__u64 answered;	  /* CLOCK_MONOTONIC, ns; 0: not yet. Of index 0: when it was told */
	__be32 mine;	  /* the discriminator that is asked by: random, and in each answer. Of
			     index 0: not 0 where this host has had a way to the world */
	__u32 diagnostic; /* of the last answer */
};

#define TSW_TELL 3000000000ULL /* ns */

_Static_assert(sizeof(struct tsw_bfd) == 24, "the wire's");
_Static_assert(sizeof(struct tsw_probe) == 16, "ABI");

#endif
