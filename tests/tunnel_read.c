// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "tunnel_read.h"

static __u32 get32(const __u8 *b)
{
	return get16(b) << 16 | get16(b + 2);
}

static bool see_ipv4(const struct frame *f, struct seen *s, __u8 *proto)
{
	const __u8 *ip = f->b + ETHER_HEADER;
	static const __u8 mapped[12] = {[10] = 0xff, 0xff};

	if (f->len < ETHER_HEADER + 20 || ip[0] != 0x45 || get16(ip + 6) & 0x3fff ||
	    frame_checksum(ip, 20, 0))
		return false;
	for (int i = 0; i < 2; i++) {
		memcpy(s->ends[i], mapped, sizeof(mapped));
		memcpy(s->ends[i] + 12, ip + 12 + 4 * i, 4);
	}
	s->tos = ip[1];
	*proto = ip[9];
	s->inner = ETHER_HEADER + 20;
	s->end = ETHER_HEADER + get16(ip + 2);
	return true;
}

static bool see_ipv6(const struct frame *f, struct seen *s, __u8 *proto)
{
	const __u8 *ip = f->b + ETHER_HEADER;

	if (f->len < ETHER_HEADER + 40 || ip[0] >> 4 != 6)
		return false;
	memcpy(s->ends, ip + 8, sizeof(s->ends));
	s->v6 = true;
	s->tos = get16(ip) >> 4;
	*proto = ip[6];
	s->inner = ETHER_HEADER + 40;
	s->end = s->inner + get16(ip + 4);
	return true;
}

static bool see_vxlan(const struct frame *f, struct seen *s)
{
	const __u8 *udp = f->b + s->inner;

	if (f->len < s->inner + 16 || get16(udp + 2) != 4789 ||
	    get16(udp + 4) != s->end - s->inner || get32(udp + 8) != 0x08000000 || udp[15])
		return false;
	s->tenant = get32(udp + 12) >> 8;
	s->inner += 16;
	return true;
}

/* Options that end where the header says, none of which must be known. */
static bool see_tlvs(const __u8 *at, size_t len)
{
	for (size_t own; len >= 4 && !(at[2] & 0x80); at += own, len -= own) {
		own = 4 + (at[3] & 0x1f) * 4;
		if (own > len)
			return false;
	}
	return !len;
}

/* Reserved bits may be anything. */
static bool see_geneve(const struct frame *f, struct seen *s)
{
	const __u8 *udp = f->b + s->inner;
	size_t words;

	if (f->len < s->inner + 16 || get16(udp + 2) != 6081 ||
	    get16(udp + 4) != s->end - s->inner || udp[8] & 0xc0 || udp[9] & 0xc0 ||
	    get16(udp + 10) != 0x6558)
		return false;
	words = udp[8] & 0x3f;
	if (f->len < s->inner + 16 + words * 4 || !see_tlvs(udp + 16, words * 4))
		return false;
	s->tenant = get32(udp + 12) >> 8;
	s->geneve = true;
	s->inner += 16 + words * 4;
	return true;
}

static bool see_gre(const struct frame *f, struct seen *s)
{
	const __u8 *gre = f->b + s->inner;
	__u32 flags = get16(gre);
	size_t key = flags & 0x8000 ? 8 : 4, len = key + 4 + (flags & 0x1000 ? 4 : 0);

	if (f->len < s->inner + len || !(flags & 0x2000) || flags & 0x4fff ||
	    get16(gre + 2) != 0x6558)
		return false;
	s->tenant = get32(gre + key);
	s->gre = true;
	s->inner += len;
	return true;
}

bool tunnel_read(const struct frame *f, struct seen *s)
{
	__u32 type = get16(f->b + 12);
	__u8 proto;

	memset(s, 0, sizeof(*s));
	if (!(type == 0x0800 && see_ipv4(f, s, &proto)) &&
	    !(type == 0x86dd && see_ipv6(f, s, &proto)))
		return false;
	if (!(proto == 17 && (see_vxlan(f, s) || see_geneve(f, s))) &&
	    !(proto == 47 && see_gre(f, s)))
		return false;
	return s->end <= f->len && s->inner + ETHER_HEADER <= s->end;
}
