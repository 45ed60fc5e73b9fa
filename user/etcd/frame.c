// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "etcd/frame.h"

enum { KEPT = 1 << 16 };

void frame_head(uint8_t head[FRAME_HEAD], size_t len)
{
	head[0] = 0;
	head[1] = (uint8_t)(len >> 24);
	head[2] = (uint8_t)(len >> 16);
	head[3] = (uint8_t)(len >> 8);
	head[4] = (uint8_t)len;
}

void frames_free(struct frames *f)
{
	free(f->at);
	*f = (struct frames){};
}

/* Room grows with the octets received, not with the length that a sender announces. */
static int keep(struct frames *f, const void *octets, size_t len)
{
	size_t room = f->room ? f->room : 4096;
	uint8_t *at;

	while (room - f->used < len)
		room *= 2;
	if (room != f->room) {
		at = realloc(f->at, room);
		if (!at)
			return -ENOMEM;
		f->at = at;
		f->room = room;
	}
	memcpy(f->at + f->used, octets, len);
	f->used += len;
	return 0;
}

int frames_take(struct frames *f, const void *octets, size_t len, frame_each *each, void *context)
{
	size_t done = 0, whole;
	int err = keep(f, octets, len);

	while (!err && f->used - done >= FRAME_HEAD) {
		const uint8_t *head = f->at + done;

		whole = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 |
			head[4];
		if (head[0])
			return -EPROTO;
		if (whole > FRAME_MOST)
			return -EMSGSIZE;
		if (f->used - done - FRAME_HEAD < whole)
			break;
		err = each(context, head + FRAME_HEAD, whole);
		done += FRAME_HEAD + whole;
	}
	if (done) {
		memmove(f->at, f->at + done, f->used - done);
		f->used -= done;
	}
	/* Frees the room of one large message. */
	if (!f->used && f->room > KEPT)
		frames_free(f);
	return err;
}
