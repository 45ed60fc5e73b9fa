// SPDX-License-Identifier: GPL-2.0-only
#include "answer.h"

#define QUOTE4 548  /* so that the answer has 576 octets: RFC 1812 section 4.3.2.3 */
#define QUOTE6 1232 /* so that the answer has 1280 octets: RFC 4443 section 2.4 (c) */

static void put16(struct frame *f, __u16 v)
{
	const __u8 b[] = {v >> 8, v & 0xff};

	frame_put(f, b, sizeof(b));
}

static void set16(struct frame *f, size_t at, __u16 v)
{
	f->b[at] = v >> 8;
	f->b[at + 1] = v & 0xff;
}

/* Back to the sender, in the name of whom it wrote to. */
static void put_ether(const struct frame *in, struct frame *out)
{
	out->len = 0;
	frame_put(out, in->b + 6, 6);
	frame_put(out, in->b, 6);
	frame_put(out, in->b + 12, 2);
}

/* RFC 792 and RFC 1191: type 3, code 4, next-hop MTU. */
void answer_too_big4(const struct frame *in, struct frame *out, __u16 mtu)
{
	static const __u8 head[] = {
		0x45, 0, (28 + QUOTE4) >> 8, (28 + QUOTE4) & 0xff, 0, 0, 0, 0, 64, 1, 0, 0};
	static const __u8 icmp[] = {3, 4, 0, 0, 0, 0};

	put_ether(in, out);
	frame_put(out, head, sizeof(head));
	frame_put(out, in->b + 14 + 16, 4);
	frame_put(out, in->b + 14 + 12, 4);
	set16(out, 14 + 10, frame_checksum(out->b + 14, 20, 0));
	frame_put(out, icmp, sizeof(icmp));
	put16(out, mtu);
	frame_put(out, in->b + 14, QUOTE4);
	set16(out, 34 + 2, frame_checksum(out->b + 34, out->len - 34, 0));
}

/* RFC 4443 section 3.2: type 2, code 0, MTU. */
void answer_too_big6(const struct frame *in, struct frame *out, __u16 mtu)
{
	static const __u8 head[] = {0x60, 0, 0, 0, (8 + QUOTE6) >> 8, (8 + QUOTE6) & 0xff, 58, 64};
	static const __u8 icmp[] = {2, 0, 0, 0, 0, 0};
	const __u8 pseudo[] = {0, 0, (8 + QUOTE6) >> 8, (8 + QUOTE6) & 0xff, 0, 0, 0, 58};
	__u32 sum;

	put_ether(in, out);
	frame_put(out, head, sizeof(head));
	frame_put(out, in->b + 14 + 24, 16);
	frame_put(out, in->b + 14 + 8, 16);
	frame_put(out, icmp, sizeof(icmp));
	put16(out, mtu);
	frame_put(out, in->b + 14, QUOTE6);
	sum = frame_sum(out->b + 14 + 8, 32, frame_sum(pseudo, sizeof(pseudo), 0));
	set16(out, 54 + 2, frame_checksum(out->b + 54, out->len - 54, sum));
}
