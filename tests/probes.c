// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <string.h>

#include "probes.h"

/* Of an IP header without options, outer or inner. */
size_t probe_ip_len(const struct frame *f)
{
	return f->b[12] == 0x86 ? 40 : 20;
}

static size_t outer_len(const struct frame *f)
{
	return probe_ip_len(f) == 40 ? 40 : (f->b[14] & 0x0f) * 4;
}

bool probe_is_gre(const struct frame *f)
{
	return f->b[14 + (probe_ip_len(f) == 40 ? 6 : 9)] == 47;
}

size_t probe_id_at(const struct frame *f)
{
	return 14 + outer_len(f) + (probe_is_gre(f) ? 4 : UDP_LEN + 4);
}

size_t probe_ip_at(const struct frame *f)
{
	return probe_id_at(f) + 4 + 14;
}

size_t probe_udp_at(const struct frame *f)
{
	return probe_ip_at(f) + probe_ip_len(f);
}

__u8 *probe_bfd(struct frame *f)
{
	return f->b + probe_udp_at(f) + UDP_LEN;
}

void probe_put32(__u8 *at, __u32 v)
{
	v = htonl(v);
	memcpy(at, &v, sizeof(v));
}

/* Of an IPv4 header that was changed. */
static void sum_ip(struct frame *f, size_t at)
{
	__u16 sum;

	f->b[at + 10] = f->b[at + 11] = 0;
	sum = htons(frame_checksum(f->b + at, 20, 0));
	memcpy(f->b + at + 10, &sum, sizeof(sum));
}

/* Of UDP and BFD, with the addresses that are there. */
void probe_sum_udp(struct frame *f)
{
	const size_t udp = probe_udp_at(f), addrs = probe_ip_len(f) == 40 ? 32 : 8;
	__u32 sum = frame_sum(f->b + udp - addrs, addrs, 17 + UDP_LEN + BFD_LEN);
	__u16 check;

	f->b[udp + 6] = f->b[udp + 7] = 0;
	check = htons(frame_checksum(f->b + udp, UDP_LEN + BFD_LEN, sum));
	memcpy(f->b + udp + 6, &check, sizeof(check));
}

/* 192.0.2.1, or the words of 2001:db8::1 in one. */
static __u32 discriminator(const struct frame *f)
{
	return probe_ip_len(f) == 40 ? 0x20010db8 ^ 1 : 0xc0000201;
}

static void put_bfd(struct frame *f)
{
	__u8 *b = probe_bfd(f);

	b[0] = 0x20; /* version 1, no diagnostic */
	b[1] = 0x42; /* down, demand */
	b[2] = 3;
	b[3] = BFD_LEN;
	probe_put32(b + 4, 0x01020304);
	probe_put32(b + 8, discriminator(f));
	probe_put32(b + 12, 200000);
	probe_put32(b + 16, 0);
	probe_put32(b + 20, 7);
}

void probe_id_0(struct frame *f)
{
	probe_put32(f->b + probe_id_at(f), 0);
}

void probe_ask(struct frame *f)
{
	probe_id_0(f);
	put_bfd(f);
	probe_sum_udp(f);
}

/* An IP header from this host to who asked. */
static void turn_ip(struct frame *f, size_t at, __u8 ttl)
{
	const size_t len = probe_ip_len(f) == 40 ? 16 : 4, addrs = at + (len == 16 ? 8 : 12);
	__u8 from[16];

	memcpy(from, f->b + addrs, len);
	memcpy(f->b + addrs, f->b + 14 + (len == 16 ? 24 : 16), len); /* where it was sent to */
	memcpy(f->b + addrs + len, from, len);
	f->b[at + (len == 16 ? 7 : 8)] = ttl;
	if (len == 4)
		sum_ip(f, at);
}

void probe_answer(const struct frame *in, struct frame *out)
{
	const size_t udp = probe_udp_at(in);
	__u8 *b;

	*out = *in;
	turn_ip(out, probe_ip_at(in), 255);
	turn_ip(out, 14, 64);
	memcpy(out->b + udp, in->b + udp + 2, 2);
	memcpy(out->b + udp + 2, in->b + udp, 2);
	b = probe_bfd(out);
	b[0] = 0x20;
	b[1] = 0xc8 | (b[1] & 0x20 ? 0x10 : 0); /* up, of the program; final, if polled */
	memcpy(b + 8, b + 4, 4);
	probe_put32(b + 4, discriminator(in));
	probe_put32(b + 16, 10000);
	probe_put32(b + 20, 0);
	probe_sum_udp(out);
}
