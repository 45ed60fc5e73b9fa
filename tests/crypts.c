// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crypts.h"

int red, green, large, violet, wire, tun, tun2;
struct tsw_crypt cryptor;

void crypt_set(void)
{
	const __u32 zero = 0;

	lab_set(M_CRYPT, &zero, &cryptor);
	lab_changed();
}

void host_flags(__u32 id, __u16 flags)
{
	struct tsw_host host;

	assert_false(bpf_map_lookup_elem(lab_map(M_HOSTS), &id, &host));
	host.flags = flags;
	lab_set(M_HOSTS, &id, &host);
	lab_changed();
}

static void attach_both(__u32 ifindex)
{
	lab_attach_tc(ifindex, false, lab_program(FROM_WIRE));
	lab_attach_tc(ifindex, true, lab_program(TO_WIRE));
}

int set_up(void **state)
{
	red = lab_attach_port(RED_A, "pra1");
	green = lab_attach_port(GREEN_A, "pga1");
	large = lab_attach_port(LARGE_A, "pla1");
	violet = lab_attach_port(VIOLET_A, "pva1");
	wire = lab_tap("wire1");
	tun = lab_tun("tun");
	tun2 = lab_tun("tun2");
	attach_both(WIRE);
	attach_both(if_nametoindex("tun"));
	attach_both(if_nametoindex("tun2"));
	memset(&cryptor, 0, sizeof(cryptor));
	cryptor.ifindex[0][0] = if_nametoindex("tun");
	cryptor.ifindex[0][1] = if_nametoindex("tun2");
	for (int other = 0; other < TSW_CRYPT_PARITIES; other++)
		lab_set(M_CRYPT_DEVICES, &cryptor.ifindex[0][other], &cryptor.ifindex[0][other]);
	crypt_set();
	lab_config_flag(TSW_CFG_ENCRYPT, 0);
	counts_clear(); /* which makes the hosts' counters */
	(void)state;
	return 0;
}

int tear_down(void **state)
{
	const int fds[] = {red, green, large, violet, wire, tun, tun2};

	lab_detach();
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]); /* those of packets are gone with it */
	memset(&cryptor, 0, sizeof(cryptor));
	crypt_set();
	lab_fill();
	(void)state;
	return 0;
}

void say(int tap, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	lab_say(tap, &f);
}

void adopted(const struct frame *got, const struct outer *outer, const struct spec *inner)
{
	struct spec spec = *inner;
	struct frame want;

	spec.outer = outer;
	frame_build(&spec, &want);
	assert_true(packet_adopt(outer, got, &want));
	assert_true(frame_equal("sent", got, &want));
}

/* A packet; compared with a link header as the wire has it. */
bool read_packet(int fd, int wait_ms, const struct frame *link, struct frame *f)
{
	struct frame packet;

	if (!lab_heard(fd, wait_ms, &packet))
		return false;
	memcpy(f->b, link->b, 14);
	memcpy(f->b + 14, packet.b, packet.len);
	f->len = 14 + packet.len;
	return true;
}

void expect_packet(int fd, const struct spec *inner, const struct outer *outer)
{
	struct spec spec = *inner;
	struct frame link, got;

	spec.outer = outer;
	frame_build(&spec, &link);
	assert_true(read_packet(fd, WAIT_MS, &link, &got));
	adopted(&got, outer, inner);
}

void expect_frame(int tap, const struct spec *spec)
{
	struct frame got, want;

	frame_build(spec, &want);
	assert_true(lab_heard(tap, WAIT_MS, &got));
	assert_true(frame_equal("heard", &got, &want));
}

/* The kernel asks for neighbours of its own accord; only tunnel frames count. */
void expect_nothing(void)
{
	struct frame f;

	while (lab_heard(wire, QUIET_MS, &f))
		assert_true(f.b[12] == 0x08 && f.b[13] == 0x06);
	assert_false(lab_heard(tun, 0, &f));
	assert_false(lab_heard(tun2, 0, &f));
	assert_false(lab_heard(red, 0, &f));
}

__u64 dropped(__u32 tenant, enum tsw_drop reason, enum tsw_direction direction)
{
	static struct counts counts;

	counts_read(&counts);
	return counts.drops[tenant == NOBODY ? TENANTS : lab_slot(tenant)][reason][direction]
		.packets;
}

int tap_of(__u32 tenant)
{
	return tenant == RED ? red : tenant == GREEN ? green : tenant == LARGE ? large : violet;
}

void write_packet(int fd, const struct frame *f)
{
	assert_int_equal(write(fd, f->b + 14, f->len - 14), (ssize_t)f->len - 14);
}

void arrives(int fd, const struct spec *spec)
{
	struct frame f;

	frame_build(spec, &f);
	if (fd == tun || fd == tun2)
		write_packet(fd, &f);
	else
		lab_say(fd, &f);
}

int agent(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(TSW_FLOWS_PORT)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_false(bind(fd, (struct sockaddr *)&at, sizeof(at)));
	return fd;
}

bool hears(int fd)
{
	struct frame f;

	return lab_heard(fd, 10 * QUIET_MS, &f);
}
