/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads values from the user's text. Each returns 0, or misuse() that quotes the text. */
#ifndef TSW_PARSE_H
#define TSW_PARSE_H

#include <stdbool.h>

#include <tsw/object.h>

/* Decimal digits and nothing else. */
int parse_number(const char *text, __u32 min, __u32 max, __u32 *value);

/* Milliseconds, from seconds of 0 to MOST with up to three decimals, like `0.25`. */
int parse_seconds(const char *text, __u32 most, __u32 *ms);

#define RATE_MIN 1000 /* bits a second */
#define RATE_MAX 1000000000000ULL

/* Bits a second, like `100mbit`, with the units of tc; `none` is 0. */
int parse_rate(const char *text, __u64 *rate);

/* Octets, like `256k`; `none` is 0. */
int parse_size(const char *text, __u32 *size);

/* 1 to MAX; `none` is all ones. */
int parse_limit(const char *text, __u32 max, __u32 *limit);

/* Whether WORD asks for help. */
bool is_help(const char *word);

/*
 * 1..63 octets of UTF-8 without blanks, '/' and what is_hidden(), not ".", ".." or help. The second
 * function is for names that may exist already: older versions refused only controls.
 */
int parse_name(const char *text, struct tsw_name *name);
int parse_known_name(const char *text, struct tsw_name *name);

/*
 * A domain of DNS of up to DOMAIN_MAX octets, in labels of RFC 1123, in lower case. TSW_DOMAIN, the
 * default, is stored as the empty name.
 */
enum { DOMAIN_MAX = 62 };
int parse_domain(const char *text, struct tsw_name *domain);

/* Up to 127 octets of UTF-8 in one line, without what is_hidden(); may be empty. */
int parse_description(const char *text, struct tsw_description *description);

/* 1 to 127 octets of ASCII without blanks and controls; `none` is the empty name. */
int parse_boot_file(const char *text, struct tsw_boot_file *file);

/* A unicast MAC: six two-digit hexadecimal octets with ':' between. */
int parse_mac(const char *text, struct tsw_mac *mac);

/* A unicast IPv4 or IPv6 address that an interface on a LAN can have. */
int parse_ip(const char *text, struct tsw_addr *addr);

/* The same, but for the address by which the switch answers. */
int parse_own_ip(const char *text, struct tsw_addr *addr);

/* Such an address and its prefix length, IP/LEN; LEN is at least 1. */
int parse_prefix(const char *text, struct tsw_prefix *prefix);

/* The same for a router's interface: not the network's own address, nor its broadcast. */
int parse_interface(const char *text, struct tsw_prefix *prefix);

/* Refuses an address that cannot be the end of a tunnel. */
int parse_vtep(const struct tsw_addr *addr);

/* IP:PORT, or [IPv6]:PORT. */
int parse_target(const char *text, struct tsw_target *target);

/* Refuses PREFIX, which TEXT says, if a bit is set behind its length. */
int refuse_host_bits(const char *text, const struct tsw_prefix *prefix);

/* A network that hosts on a LAN are in: no bit is set behind its length. */
int parse_network(const char *text, struct tsw_prefix *prefix);

/* The same, if hosts can have all of its addresses. */
int parse_subnet(const char *text, struct tsw_prefix *prefix);

/* The name of a group of endpoints: any name but `none`. */
int parse_group(const char *text, struct tsw_name *name);
/* `any`, `group:G` or `cidr:CIDR`. */
int parse_who(const char *text, struct tsw_policy_who *who);
/* `any`, N or N-M. */
int parse_ports(const char *text, struct tsw_port_range *ports);
/* `auto`, which is zero, or N-M from MIN on. */
int parse_nat_ports(const char *text, __u32 min, struct tsw_port_range *ports);

/* The index of TEXT in CHOICES, which ends with NULL. */
int parse_choice(const char *text, const char *const *choices, __u32 *value);

/* The words of a line. They stay in its text, ended by NULs; `word` grows as needed. */
struct line {
	char **word;
	int n;
	int room;
};

int parse_line(char *text, struct line *line);
void line_free(struct line *line);

#endif
