// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lab_world.h"
#include "promise.h"

/* Behind the Ethernet header. */
enum { IPV4_DST = 14 + 16, IPV6_DST = 14 + 24 };

void promise_world_set(void)
{
	lab_uplink(WIRE2, 3);
	lab_uplink_addr(IP_WIRE2, WIRE2);
	lab_uplink_addr(IP6_WIRE2, WIRE2);
	lab_publish(TSW_IPV4, 6, 443, RED);
	lab_publish(TSW_IPV6, 17, 53, RED);
	lab_snat_user(IP_WORLD);
	lab_snat_user(IP6_WORLD);
}

/* This host's address there, or one that tenants leave as. */
static bool is_for_the_router(const struct frame *f)
{
	static const char *const four[] = {IP_WIRE2, IP_WORLD}, *const six[] = {IP6_WIRE2,
										IP6_WORLD};
	__u8 addr[16];

	for (size_t i = 0; i < COUNT(four); i++) {
		frame_ip(addr, four[i]);
		if (f->b[12] == 0x08 && !memcmp(f->b + IPV4_DST, addr + 12, 4))
			return true;
		frame_ip(addr, six[i]);
		if (f->b[12] == 0x86 && !memcmp(f->b + IPV6_DST, addr, 16))
			return true;
	}
	return false;
}

bool promise_from_world(const struct frame *in, const struct packet_run *run)
{
	static const __u8 wire2[6] = {2, 0, 0, 0, 1, 0x11};
	struct frame want = *in;

	if (run->ctx.mark)
		return false;
	if (run->verdict == TC_ACT_UNSPEC)
		return frame_equal("passed", &run->out, in);
	if (run->verdict != TC_ACT_REDIRECT || !is_for_the_router(in) ||
	    memcmp(in->b, wire2, sizeof(wire2)) != 0)
		return false;
	packet_seal(&want, 0, 0);
	return frame_equal("entered", &run->out, &want);
}

bool promise_to_gateway(__u32 mark, const struct frame *in, const struct packet_run *run)
{
	if (run->verdict == TC_ACT_SHOT)
		return true;
	return run->verdict == TC_ACT_UNSPEC && run->ctx.mark == mark &&
	       frame_equal("passed", &run->out, in);
}
