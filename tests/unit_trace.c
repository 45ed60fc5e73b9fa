// SPDX-License-Identifier: GPL-2.0-only
/* `trace`: its words, the frames that it makes, outer headers read back, and the comparison. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Before cmocka.h, which makes fail a macro. */
#include "cli/command.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/text.h"
#include "trace/trace.h"

#include <cmocka.h>

enum { ETH = 14, WORDS_MAX = 24 };

static struct trace_frame f;

static struct tsw_addr ip(const char *text)
{
	struct tsw_addr addr = addr_from_v4(0);

	if (inet_pton(AF_INET, text, &addr.w[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &addr), 1);
	return addr;
}

static void make(enum trace_proto proto, const char *sip, const char *dip, __u32 length)
{
	memset(&f, 0xa5, sizeof(f)); /* nothing of before may be left in it */
	f.proto = proto;
	f.src = (struct tsw_mac){{2, 0, 0, 0, 0, 1}};
	f.dst = (struct tsw_mac){{2, 0, 0, 0, 0, 2}};
	f.sip = ip(sip);
	f.dip = ip(dip);
	f.sport = 40000;
	f.dport = 80;
	f.l3_len = length;
	trace_frame_build(&f);
	assert_int_equal(f.len, ETH + length);
}

/* The sum of an upper layer with its pseudo-header, taken apart from how it was made. */
static __u16 sum_of(__u32 l3, __u32 addrs, __u32 addrs_len, __u8 proto)
{
	const __u32 len = f.len - ETH - l3;
	__u32 sum = proto + len, i;

	for (i = 0; i < addrs_len; i += 2)
		sum += (__u32)f.octets[addrs + i] << 8 | f.octets[addrs + i + 1];
	for (i = ETH + l3; i < f.len; i++)
		sum += (i - ETH - l3) % 2 ? f.octets[i] : (__u32)f.octets[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (__u16)sum;
}

static void frames_v4(void **state)
{
	static const __u8 protos[] = {[TRACE_TCP] = 6, [TRACE_UDP] = 17, [TRACE_ICMP] = 1};
	static const __u32 lengths[] = {40, 41, 1500, 65535};
	enum trace_proto proto;
	size_t i;

	(void)state;
	for (proto = TRACE_TCP; proto <= TRACE_ICMP; proto++)
		for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			make(proto, "10.0.0.1", "10.0.0.2", lengths[i]);
			assert_memory_equal(f.octets, "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0\x45", 15);
			assert_int_equal(f.octets[16] << 8 | f.octets[17], lengths[i]);
			assert_int_equal(f.octets[23], protos[proto]);
			assert_memory_equal(f.octets + 26, "\x0a\0\0\1\x0a\0\0\2", 8);
			assert_int_equal(checksum(f.octets + ETH, 20, 0), 0);
			if (proto == TRACE_ICMP)
				assert_int_equal(checksum(f.octets + 34, f.len - 34, 0), 0);
			else
				assert_int_equal(sum_of(20, 26, 8, protos[proto]), 0xffff);
		}
	make(TRACE_TCP, "10.0.0.1", "10.0.0.2", 40);
	assert_int_equal(f.octets[34] << 8 | f.octets[35], 40000);
	assert_int_equal(f.octets[36] << 8 | f.octets[37], 80);
	assert_int_equal(f.octets[47], 0x02); /* SYN and nothing else */
}

/* RFC 768: a sum of zero is sent as all ones, since zero means that there is none. */
static void sum_of_zero(void **state)
{
	(void)state;
	make(TRACE_UDP, "10.0.0.1", "10.0.0.2", 84);
	f.sport = (__u16)(f.sport + (f.octets[40] << 8 | f.octets[41]));
	if (f.sport < 40000) /* a carry, which is added at the other end */
		f.sport++;
	trace_frame_build(&f);
	assert_int_equal(f.octets[40] << 8 | f.octets[41], 0xffff);
	assert_int_equal(sum_of(20, 26, 8, 17), 0xffff);
}

static void frames_v6(void **state)
{
	static const __u8 protos[] = {
		[TRACE_TCP] = 6, [TRACE_UDP] = 17, [TRACE_ICMP] = 58, [TRACE_ND] = 58};
	static const enum trace_proto all[] = {TRACE_TCP, TRACE_UDP, TRACE_ICMP, TRACE_ND};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		make(all[i], "fd00::1", "fd00::2", 72);
		assert_memory_equal(f.octets + 12, "\x86\xdd\x60\0\0\0\0\x20", 8);
		assert_int_equal(f.octets[20], protos[all[i]]);
		assert_int_equal(f.octets[21], all[i] == TRACE_ND ? 255 : 64);
		assert_int_equal(sum_of(40, 22, 32, protos[all[i]]), 0xffff);
	}
	assert_int_equal(f.octets[54], 135);
	assert_memory_equal(f.octets + 62, &f.dip, 16);
	assert_memory_equal(f.octets + 78, "\1\1\2\0\0\0\0\1", 8);
}

static void frames_other(void **state)
{
	(void)state;
	make(TRACE_ARP, "10.0.0.1", "10.0.0.2", 28);
	assert_memory_equal(
		f.octets + 12,
		"\x08\x06\0\1\x08\0\6\4\0\1\2\0\0\0\0\1\x0a\0\0\1\0\0\0\0\0\0\x0a\0\0\2", 30);
	make(TRACE_RAW, "10.0.0.1", "10.0.0.2", 46);
	assert_memory_equal(f.octets + 12, "\x88\xb5\0\0", 4);
}

/* The switch does not send the same frame with one thing changed; lengths are right. */
static void not_ours(const struct trace_outer *o)
{
	const __u32 l4 = ETH + (o->family ? 40 : 20);
	struct trace_outer back;

	assert_int_equal(o->family ? f.octets[18] << 8 | f.octets[19]
				   : (f.octets[16] << 8 | f.octets[17]) - 20,
			 f.len - l4);
	assert_false(
		trace_outer_read(f.octets, TSW_OVERHEAD(TSW_ENCAP_VXLAN, TSW_IPV6) - 1, &back));
	if (o->encap == TSW_ENCAP_GRE) {
		assert_memory_equal(f.octets + l4, "\x20\0\x65\x58", 4);
		f.octets[l4] ^= 0x10; /* with a sequence number */
		assert_false(trace_outer_read(f.octets, f.len, &back));
		f.octets[l4] ^= 0x10;
		f.octets[l4 + 3] ^= 1;
		assert_false(trace_outer_read(f.octets, f.len, &back));
	} else {
		assert_int_equal(f.octets[l4 + 4] << 8 | f.octets[l4 + 5], f.len - l4);
		assert_memory_equal(f.octets + l4 + 8,
				    o->encap == TSW_ENCAP_GENEVE ? "\0\0\x65\x58" : "\x08\0\0\0",
				    4);
	}
	if (o->encap == TSW_ENCAP_GENEVE) {
		f.octets[l4 + 8] ^= 1; /* with an option */
		assert_false(trace_outer_read(f.octets, f.len, &back));
		f.octets[l4 + 8] ^= 1;
	}
	if (o->family == TSW_IPV4) {
		f.octets[ETH] = 0x46; /* options */
		assert_false(trace_outer_read(f.octets, f.len, &back));
	}
}

static void outers(void **state)
{
	static const __u16 ports[TSW_ENCAPS] = {
		[TSW_ENCAP_VXLAN] = 4789, [TSW_ENCAP_GENEVE] = 6081};
	struct trace_outer o, back;
	int encap, family;

	(void)state;
	for (encap = 0; encap < TSW_ENCAPS; encap++)
		for (family = 0; family < TSW_FAMILIES; family++) {
			make(TRACE_TCP, "10.0.0.1", "10.0.0.2", 40);
			o = (struct trace_outer){
				.there = true,
				.encap = (enum tsw_encap)encap,
				.family = (enum tsw_family)family,
				.src = ip(family ? "2001:db8::1" : "192.0.2.1"),
				.dst = ip(family ? "2001:db8::2" : "192.0.2.2"),
				.id = encap == TSW_ENCAP_GRE ? 0xfffffffe : 0xfffffe,
				.sport = encap == TSW_ENCAP_GRE ? 0 : 50000,
				.dport = ports[encap],
				.label = family ? 0xabcde : 0,
				.tos = 0xb9,
				.ttl = 64,
				.df = !family,
				.len = TSW_OVERHEAD((__u32)encap, (__u32)family),
			};
			trace_frame_wrap(&f, &o, &f.dst, &f.src);
			assert_int_equal(f.len, 54 + o.len);
			assert_memory_equal(f.octets + o.len, "\2\0\0\0\0\2\2\0\0\0\0\1\x08\0\x45",
					    15);
			if (!family)
				assert_int_equal(checksum(f.octets + ETH, 20, 0), 0);
			assert_true(trace_outer_read(f.octets, f.len, &back));
			assert_int_equal(back.encap, o.encap);
			assert_int_equal(back.family, o.family);
			assert_true(addr_equal(&back.src, &o.src));
			assert_true(addr_equal(&back.dst, &o.dst));
			assert_int_equal(back.id, o.id);
			assert_int_equal(back.sport, o.sport);
			assert_int_equal(back.dport, o.dport);
			assert_int_equal(back.label, o.label);
			assert_int_equal(back.tos, o.tos);
			assert_int_equal(back.ttl, o.ttl);
			assert_int_equal(back.df, o.df);
			assert_int_equal(back.len, o.len);
			not_ours(&o);
		}
	make(TRACE_TCP, "10.0.0.1", "10.0.0.2", 200);
	assert_false(trace_outer_read(f.octets, f.len, &back));
	assert_false(trace_outer_read(f.octets, 40, &back));
}

/* The words after `trace`: 0, or refused with that text quoted. */
static void words(const char *text, const char *quote)
{
	char line[256], *argv[WORDS_MAX + 1] = {};
	const struct command *command;
	struct words w;
	int argc = 0, err;

	assert_true(snprintf(line, sizeof(line), "trace %s", text) < (int)sizeof(line));
	for (char *p = strtok(line, " "); p && argc < WORDS_MAX; p = strtok(NULL, " "))
		argv[argc++] = p;
	err = command_parse(argc, argv, false, &command, &w);
	if (!err != !quote || (err && failure()->status != EXIT_MISUSE) ||
	    (err && !strstr(failure()->text, quote)))
		fail_msg("%s: %s", text, err ? failure()->text : "taken");
}

static void asked(void **state)
{
	(void)state;
	words("from a to b", NULL);
	words("from a to 10.0.0.1 tenant red proto tcp port 80 length 1500", NULL);
	words("from a to ff:ff:ff:ff:ff:ff", NULL);
	words("from a to 02:00:00:00:00:0A mac 02:00:00:00:00:09 ip 10.0.0.9", NULL);
	words("from a to 255.255.255.255 proto udp", NULL);
	words("from a to fd00::1 proto nd", NULL);
	words("from a to b proto arp", NULL);
	words("from a to 02:00:00:00:00:0g", NULL); /* a name, if an odd one */
	words("from a", "\"to\" is missing");
	words("to b", "\"from\" is missing");
	words("from a to x/y", "x/y");
	words("from a to help", "help");
	words("from a to b proto sctp", "sctp");
	words("from a to b port 80", "port");
	words("from a to b proto icmp port 80", "port");
	words("from a to b proto tcp port 0", "0");
	words("from a to b proto tcp port 65536", "65536");
	words("from a to b length 27", "27");
	words("from a to b length 65536", "65536");
	words("from a to b proto nd length 80", "length");
	words("from a to 10.0.0.1 proto nd", "10.0.0.1");
	words("from a to fd00::1 proto arp", "fd00::1");
	words("from a to b ip none", "\"none\"");
	words("from a to b ip 10.0.0.1 ip 10.0.0.2", "ip");
	words("from a to b mac 01:00:5e:00:00:01", "01:00:5e:00:00:01");
	words("from a from b to c", "from");
}

/* Whatever the program does otherwise than explained is told. */
static void compared(void **state)
{
	static struct trace tr;
	const struct trace_end drop = {.kind = TRACE_DROPPED,
				       .reason = TSW_DROP_NO_ROUTE,
				       .direction = TSW_DIR_FROM_ENDPOINT};
	const struct trace_end tunnel = {.kind = TRACE_TUNNEL, .host = 1};

	(void)state;
	tr.end = tr.ended = drop;
	assert_true(trace_agrees(&tr));
	tr.ended.reason = TSW_DROP_SPOOFED_IP;
	assert_false(trace_agrees(&tr));
	tr.ended = drop;
	tr.ended.direction = TSW_DIR_TO_ENDPOINT;
	assert_false(trace_agrees(&tr));
	tr.ended = (struct trace_end){.kind = TRACE_DELIVERED};
	assert_false(trace_agrees(&tr));
	tr.unrun = "it was not run";
	assert_true(trace_agrees(&tr));
	tr.unrun = NULL;
	tr.end = tr.ended = tunnel;
	assert_true(trace_agrees(&tr));
	tr.outer.encap = TSW_ENCAP_GRE;
	assert_false(trace_agrees(&tr));
	tr.outer.encap = TSW_ENCAP_VXLAN;
	tr.ended.host = 2;
	assert_false(trace_agrees(&tr));
	tr.end = tr.ended = (struct trace_end){.kind = TRACE_GATEWAY, .mark = 0x74500001};
	assert_true(trace_agrees(&tr));
	tr.ended.mark = 0x74500002;
	assert_false(trace_agrees(&tr));
	tr.end = tr.ended = (struct trace_end){.kind = TRACE_DELIVERED, .ifindex = 4};
	tr.ended.ifindex = 5;
	assert_false(trace_agrees(&tr));
	tr.ended.ifindex = 0; /* not told */
	assert_true(trace_agrees(&tr));
	tr.end = tr.ended = (struct trace_end){.kind = TRACE_ANSWERED};
	tr.ended.reason = TSW_DROP_TOO_BIG;
	assert_false(trace_agrees(&tr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_v4),	cmocka_unit_test(frames_v6),
		cmocka_unit_test(frames_other), cmocka_unit_test(sum_of_zero),
		cmocka_unit_test(outers),	cmocka_unit_test(asked),
		cmocka_unit_test(compared),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
