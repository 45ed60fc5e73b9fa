// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "relay6.h"

static const struct relay6_row *now;

/* Writes the message at the frame's end, which is as long. */
static void put(struct frame *f, const struct spec *s, const struct message *m)
{
	__u8 *udp = f->b + f->len - s->payload - 8, pseudo[40] = {}, *at = udp + 8;
	const size_t len = s->payload + 8U;
	__u16 csum;
	__u32 i;

	at += asked_hex(m->hex, at);
	for (i = 0; i < m->fill; i++)
		*at++ = (__u8)(i * 7 + 1);
	at += asked_hex(m->then, at);
	assert_ptr_equal(at, f->b + f->len);
	frame_ip(pseudo, s->from ?: IP6_A);
	frame_ip(pseudo + 16, s->to ?: IP6_B);
	memcpy(pseudo + 34, (__u8[]){(__u8)(len >> 8), (__u8)len, 0, 0, 0, 17}, 6);
	memset(udp + 6, 0, 2);
	if (f->b[12] != 0x86 && !s->outer)
		return;
	csum = frame_checksum(udp, len, frame_sum(pseudo, sizeof(pseudo), 0)) ?: 0xffff;
	udp[6] = (__u8)(csum >> 8);
	udp[7] = (__u8)csum;
}

static struct spec with_room(const struct spec *s, const struct message *m)
{
	struct spec room = *s;
	__u8 octets[512];

	room.payload = (__u16)(asked_hex(m->hex, octets) + m->fill + asked_hex(m->then, octets));
	return room;
}

static void change(struct frame *in)
{
	const struct spec s = with_room(&now->c.in, &now->in);
	__u8 *udp;

	frame_build(&s, in);
	put(in, &s, &now->in);
	udp = in->b + in->len - s.payload - 8;
	udp[5] = (__u8)(udp[5] + now->udp_lie);
	if (now->no_csum)
		memset(udp + 6, 0, 2);
}

static void make(const struct frame *in, struct frame *out)
{
	const struct spec s = with_room(now->c.out, &now->out);

	(void)in;
	frame_build(&s, out);
	put(out, &s, &now->out);
}

static void server(__u32 tenant, const char *ip)
{
	struct tsw_relay relay = {};

	frame_ip((__u8 *)&relay.server[TSW_IPV6], ip);
	lab_set(M_RELAYS, &tenant, &relay);
}

void relay6_set_up(const char *ip)
{
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST | TSW_TENANT_DHCP);
	lab_name(RED, MAC_A, "a1", IP6_A);
	lab_net(RED, "fd00::", 64);
	server(RED, ip);
	server(BLUE, "fd00::77");
}

void relay6_by_b(void)
{
	relay6_set_up(IP6_B);
}

void relay6_by_c(void)
{
	relay6_set_up(IP6_C);
}

void relay6_off(void)
{
	relay6_set_up(IP6_B);
	lab_tenant(RED, 0, TSW_TENANT_BROADCAST);
	lab_clear(M_GROUPS);
}

void relay6_one(void **state)
{
	struct packet_case c;

	now = *state;
	c = now->c;
	c.name = now->name;
	c.change = change;
	if (c.out) {
		const struct spec s = with_room(c.out, &now->out);

		c.make = make;
		c.size = (struct tsw_counter){1, frame_inner_len(&s)};
	}
	lab_clear(M_RELAYS);
	packet_check(&c);
}
