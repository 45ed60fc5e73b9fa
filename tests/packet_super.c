// SPDX-License-Identifier: GPL-2.0-only
/*
 * Super-frames as a guest sends them, through the attached program: up to what the outer header's
 * length field can tell.
 */
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "packet.h"

#define HEADERS 66 /* Ethernet, IPv4, TCP with timestamps */
#define SEGMENT 1000
#define LONGEST 65535

struct super {
	struct virtio_net_hdr vnet;
	__u8 b[14 + LONGEST];
} __attribute__((packed));

/* A TCP super-frame with an IPv4 packet of so many octets; its checksum is left to the device. */
static void build(const struct packet_way *way, __u32 octets, struct super *f)
{
	const struct spec spec = {.kind = KIND_TCP, .dst = way->mac, .to = way->ip, .left = true};
	struct frame head;
	__u16 sum;

	frame_build(&spec, &head);
	memset(f, 0, sizeof(*f));
	memcpy(f->b, head.b, HEADERS);
	f->b[16] = octets >> 8;
	f->b[17] = octets & 0xff;
	f->b[24] = f->b[25] = 0;
	sum = frame_checksum(f->b + 14, 20, 0);
	f->b[24] = sum >> 8;
	f->b[25] = sum & 0xff;
	f->vnet = (struct virtio_net_hdr){
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_TCPV4,
		.hdr_len = HEADERS,
		.gso_size = SEGMENT,
		.csum_start = 34,
		.csum_offset = 16,
	};
}

static int container(const struct packet_way *way)
{
	const int on = 1;
	int tap = lab_tap(way->tenant == RED	 ? "pra1"
			  : way->tenant == GREEN ? "pga1"
			  : way->tenant == LARGE ? "pla1"
						 : "pva1");

	assert_int_equal(setsockopt(tap, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	return tap;
}

static void send_super(const struct packet_way *way, int tap, __u32 octets, bool fits)
{
	static struct super f;
	__u32 payload = 14 + octets - HEADERS, count = (payload + SEGMENT - 1) / SEGMENT;
	struct tsw_counter size = {.packets = count, .bytes = payload + count * HEADERS};
	struct counts got, want = {};
	int slot = lab_slot(way->tenant);

	if (fits) {
		want.stats[slot][TX] = size;
		want.hosts[way->host][0] = size;
	} else {
		want.drops[slot][TSW_DROP_TOO_BIG][TSW_DIR_FROM_ENDPOINT] = size;
	}
	build(way, octets, &f);
	counts_clear();
	assert_int_equal(send(tap, &f, sizeof(f.vnet) + 14 + octets, 0),
			 sizeof(f.vnet) + 14 + octets);
	/* A veth hands it over in the sender's own time, or shortly after. */
	for (int ms = 0; ms < 2000; ms++) {
		counts_read(&got);
		if (!memcmp(&got, &want, sizeof(got)))
			break;
		usleep(1000);
	}
	assert_true(counts_equal(way->name, &got, &want));
}

static void at_the_border(void **state)
{
	const struct packet_way *way = *state;
	const bool v6 = frame_is_v6(&way->outer);
	/* IPv4's length counts its own header, IPv6's does not. */
	__u32 most = LONGEST - (UNDERLAY_MTU - way->mtu) + (v6 ? 40 : 0);
	int tap = container(way);

	lab_attach_tc(way->dev, false, lab_program(FROM_PORT));
	send_super(way, tap, 20000, true);
	send_super(way, tap, most - 1, true);
	send_super(way, tap, most, true);
	send_super(way, tap, most + 1, false);
	send_super(way, tap, LONGEST - 14, false); /* longer ones a veth cuts */
	lab_detach();
	close(tap);
}

int main(void)
{
	const struct CMUnitTest checks[] = {cmocka_unit_test(at_the_border)};

	return packet_main_matrix(&(const struct packet_matrix){
		"super", checks, COUNT(checks), packet_ways, sizeof(packet_ways[0]), WAYS});
}
