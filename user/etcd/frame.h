/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gRPC's messages in a stream of octets: a flag, the length in four octets in network byte order,
 * and the message (gRPC over HTTP/2, "Length-Prefixed-Message").
 */
#ifndef TSW_ETCD_FRAME_H
#define TSW_ETCD_FRAME_H

#include <stdint.h>
#include <stdio.h>

enum {
	FRAME_HEAD = 5,	       /* octets before each message */
	FRAME_MOST = 16 << 20, /* octets of the largest accepted message; etcd's limit is 1.5 MiB */
};

void frame_head(uint8_t head[FRAME_HEAD], size_t len);

typedef int frame_each(void *context, const uint8_t *message, size_t len);

/* The received part of an incomplete message. All zero: nothing. */
struct frames {
	uint8_t *at;
	size_t used, room;
};

void frames_free(struct frames *f);

/*
 * Takes LEN octets, and calls EACH for every message that they complete. -EPROTO: not gRPC, or
 * compressed without a request for it; -EMSGSIZE: above FRAME_MOST; or what EACH returned. Sets no
 * message.
 */
int frames_take(struct frames *f, const void *octets, size_t len, frame_each *each, void *context);

#endif
