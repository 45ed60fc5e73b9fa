// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tenant's boot server and file, in answers of DHCP and DHCPv6. Beside a domain and a client's
 * id, options have room up to a length. A longer option is left out as a whole.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"
#include "told.h"

#define BOOT_AT (14 + 20 + 8) /* where DHCP begins */
#define DHCP6_AT (14 + 40 + 8)
#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X63 "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
#define SERVER "10.0.0.9"
#define URL "tftp://[fd00::9]/"

struct row {
	const char *name;
	const char *file; /* NULL: no boot server of DHCP */
	const char *url;  /* of DHCPv6; NULL: none */
	const char *domain;
	__u8 id; /* octets of the client's id */
	bool six;
	__u8 type;
	const char *wanted;
	/* DHCP: up to the options that may be left out, and which of those are told. */
	bool text, search, options;
	const char *told; /* DHCPv6: all behind the client's id, or nothing */
	bool nak;
};

/* ---- what is there -------------------------------------------------------------------- */

static __u32 put(__u8 *at, __u32 len, __u8 code, const char *text)
{
	at[len] = code;
	at[len + 1] = (__u8)strlen(text);
	memcpy(at + len + 2, text, strlen(text));
	return len + 2 + (__u32)strlen(text);
}

static void boots(__u32 tenant, const char *file, const char *url)
{
	struct tsw_boot boot = {};
	__u8 *option = boot.option[TSW_IPV4];

	if (file) {
		frame_ip((__u8 *)&boot.server[TSW_IPV4], SERVER);
		strcpy(boot.file, file);
		boot.len[TSW_IPV4] = put(option, put(option, 0, 66, SERVER), 67, file);
	}
	if (url) {
		option = boot.option[TSW_IPV6];
		boot.len[TSW_IPV6] = 4 + (__u32)strlen(url);
		memcpy(option, (__u8[]){0, 59, 0, (__u8)strlen(url)}, 4);
		memcpy(option + 4, url, strlen(url));
	}
	lab_set(M_BOOT, &tenant, &boot);
}

static void set_up(const struct row *r)
{
	lab_fill();
	lab_tenant(RED, 0,
		   TSW_TENANT_BROADCAST | TSW_TENANT_DHCP | (r->domain ? TSW_TENANT_DNS : 0));
	lab_name(RED, MAC_A, "a1", r->six ? IP6_A : IP_A);
	lab_clear(M_GROUPS);
	lab_net(RED, r->six ? "fd00::" : "10.0.0.0", r->six ? 64 : 96 + 24);
	if (r->domain)
		lab_domain(RED, r->domain);
	lab_clear(M_BOOT);
	boots(BLUE, "of-blue", "tftp://[fd00::b]/of-blue");
	if (r->file || r->url)
		boots(RED, r->file, r->url);
}

/* ---- requests ---------------------------------------------------------------------------- */

static void ask(const struct row *r, struct frame *f)
{
	const struct spec spec = {.from = "0.0.0.0",
				  .to = "255.255.255.255",
				  .dst = MAC_BROADCAST,
				  .sport = 68,
				  .dport = 67};
	const __u8 head[2] = {61, r->id}, type[3] = {53, 1, r->type ?: 1}, end = 255;
	__u8 boot[240] = {1, 1, 6, 0}, id[256];
	struct in_addr wanted;

	frame_mac(boot + 28, MAC_A);
	memcpy(boot + 236, "\x63\x82\x53\x63", 4);
	memset(id, 7, sizeof(id));
	frame_build(&spec, f);
	f->len = BOOT_AT;
	frame_put(f, boot, sizeof(boot));
	frame_put(f, type, sizeof(type));
	if (r->wanted && inet_pton(AF_INET, r->wanted, &wanted) == 1) {
		frame_put(f, "\x32\x04", 2);
		frame_put(f, &wanted, 4);
	}
	if (r->id) {
		frame_put(f, head, 2);
		frame_put(f, id, r->id);
	}
	frame_put(f, &end, 1);
	asked_settle(f);
}

static void ask6(const struct row *r, struct frame *f)
{
	const struct spec spec = {.from = LL6_A,
				  .to = "ff02::1:2",
				  .dst = "33:33:00:01:00:02",
				  .sport = 546,
				  .dport = 547};
	const __u8 head[4] = {r->type ?: 1, 1, 2, 3}, ia[16] = {0, 3, 0, 12, 0, 0, 0, 7};
	__u8 id[4 + 256];

	memset(id, 7, sizeof(id));
	memcpy(id, (__u8[]){0, 1, 0, r->id}, 4);
	frame_build(&spec, f);
	f->len = DHCP6_AT;
	frame_put(f, head, sizeof(head));
	frame_put(f, id, 4U + r->id);
	if (r->type != 11)
		frame_put(f, ia, sizeof(ia));
	asked_settle(f);
}

/* ---- answers ----------------------------------------------------------------------------- */

static void say_hex(char *text, __u8 code, const char *value)
{
	told_say(text, " %u:", code);
	for (; *value; value++)
		told_say(text, "%02x", (__u8)*value);
}

/* Each label of the domain behind its length, and 0. */
static void say_wire(char *text, const char *domain)
{
	size_t len;

	told_say(text, " 119:");
	for (; *domain; domain += len + !!domain[len]) {
		len = strcspn(domain, ".");
		told_say(text, "%02zx", len);
		for (size_t i = 0; i < len; i++)
			told_say(text, "%02x", (__u8)domain[i]);
	}
	told_say(text, "00");
}

static void say_id(char *text, const struct row *r, __u8 code)
{
	if (r->id)
		told_say(text, " %u:", code);
	for (int i = 0; i < r->id; i++)
		told_say(text, "07");
}

static void say(const struct row *r, char *text)
{
	const bool inform = r->type == 8, in_file = r->search && !r->file;

	told_say(text, "%s to 10.0.0.1 of 10.0.0.254 you %s ci 0.0.0.0", inform ? "ack" : "offer",
		 IP_A);
	if (r->file)
		told_say(text, " next " SERVER);
	told_say(text, "%s 54:0a0000fe 51:00000e10 58:00000708 59:00000c4e 1:ffffff00 3:0a0000fe",
		 in_file ? " 52:01" : "");
	told_say(text, "%s 26:0596 121:000a0000fe 12:6131", r->domain ? " 6:0a0000fe" : "");
	say_id(text, r, 61);
	if (r->text)
		say_hex(text, 15, r->domain);
	if (r->search)
		say_wire(text, r->domain);
	if (r->options) {
		say_hex(text, 66, SERVER);
		say_hex(text, 67, r->file);
	}
	if (r->file)
		told_say(text, " file %s", r->file);
}

static void say6(const struct row *r, char *text)
{
	told_say(text, "%s to " LL6_A " of fe80::ff:fe00:fe 2:000300010200000000fe",
		 r->type == 11 ? "reply" : "advertise");
	told_say(text, "%s%s", r->type == 11 ? "" : " ia 7 1800 2880 fd00::1 3600",
		 r->domain ? " dns fd00::fe" : "");
	say_id(text, r, 1);
	if (r->domain) {
		char wire[TOLD_TEXT] = "";

		say_wire(wire, r->domain);
		told_say(text, " 24:%s", wire + strlen(" 119:"));
	}
	told_say(text, "%s", r->told ?: "");
}

static void one(void **state)
{
	const struct row *r = *state;
	char text[TOLD_TEXT] = "";
	struct asked want = {.name = r->name, .told = text, .all = true};
	struct packet_run ran;
	struct frame in;

	set_up(r);
	if (r->nak)
		strcpy(text, "nak to 255.255.255.255 for all of 10.0.0.254 you 0.0.0.0 ci 0.0.0.0 "
			     "54:0a0000fe");
	else if (r->six)
		say6(r, text);
	else
		say(r, text);
	(r->six ? ask6 : ask)(r, &in);
	asked_check(&want, &in, r->six ? told_dhcp6 : told_dhcp, &ran);
	assert_true(ran.out.len <= 14 + 576);
}

#define RED_DOMAIN .domain = "red.tsw.internal"
#define SIX .six = true
#define LONGEST_URL URL X64 X64 X64 D36 "0123456"

static const struct row rows[] = {
	{"another tenant's alone"},
	{"a boot file", .file = "pxelinux.0", .options = true},
	{"one octet", .file = "x", .options = true},
	{"127 octets", .file = X64 X63, .options = true},
	{"refused", .file = "pxelinux.0", .type = 3, .wanted = "10.9.9.9", .nak = true},
	{"DHCPv6's alone", .url = URL "x"},
	{"behind an id", .file = "pxelinux.0", .id = 17, .options = true},
	{"behind the longest id", .file = "23-octets-are-its-room.", .id = 136, .options = true},
	{"one octet more, behind it", .file = "24-octets-are-too-many..", .id = 136},
	{"beside a domain", .file = "pxelinux.0", RED_DOMAIN, .text = true, .search = true,
	 .options = true},
	{"beside a domain, behind an id", .file = "pxelinux.0", RED_DOMAIN, .id = 17, .text = true,
	 .search = true, .options = true},
	{"the longest file beside both", .file = X64 D36 "0123", RED_DOMAIN, .id = 17, .text = true,
	 .search = true, .options = true},
	{"one octet more, beside both", .file = X64 D36 "01234", RED_DOMAIN, .id = 17, .text = true,
	 .search = true},
	{"the longest domain to search: no room for it", .file = "pxelinux.0",
	 .domain = D63 "." D59, .text = true, .options = true},
	{"no boot file: it has", .domain = D63 "." D59, .text = true, .search = true},

	{"DHCPv6: another tenant's alone", SIX, .id = 14},
	{"DHCPv6: DHCP's alone", SIX, .id = 14, .file = "pxelinux.0"},
	{"DHCPv6: a URL", SIX, .id = 14, .url = URL "boot.efi", .told = " boot " URL "boot.efi"},
	{"DHCPv6: a URL, for who asks that alone", SIX, .type = 11, .id = 14, .url = URL "boot.efi",
	 .told = " boot " URL "boot.efi"},
	{"DHCPv6: behind the domain", SIX, .id = 14, .url = URL "boot.efi", RED_DOMAIN,
	 .told = " boot " URL "boot.efi"},
	{"DHCPv6: the longest file behind the longest rest", SIX, .id = 130, .url = URL X64 X63,
	 .domain = D63 "." D59 "xyz", .told = " boot " URL X64 X63},
	{"DHCPv6: the longest URL that has room", SIX, .id = 26, .url = LONGEST_URL,
	 .domain = D63 "." D59 "xyz", .told = " boot " LONGEST_URL},
	{"DHCPv6: an octet more before it", SIX, .id = 27, .url = LONGEST_URL,
	 .domain = D63 "." D59 "xyz"},
};

int main(void)
{
	const struct asked_suite suite = {
		.name = "boot",
		.rows = rows,
		.row_size = sizeof(*rows),
		.row_count = COUNT(rows),
		.one = one,
	};

	return asked_main(&suite);
}
