/* SPDX-License-Identifier: GPL-2.0-only */
/* From the user's text to values: each returns 0, or misuse() with the text quoted. */
#ifndef TSW_PARSE_H
#define TSW_PARSE_H

#include <stdbool.h>

#include <tsw/abi.h>

/* Decimal digits and nothing else. */
int parse_number(const char *text, __u32 min, __u32 max, __u32 *value);

/* The words that ask for help. */
bool is_help(const char *word);

/* 1..63 octets of UTF-8 without control characters, blanks and '/', not ".", ".." or help. */
int parse_name(const char *text, struct tsw_name *name);

/* A unicast MAC: six two-digit hexadecimal octets with ':' between. */
int parse_mac(const char *text, struct tsw_mac *mac);

/* A unicast IPv4 or IPv6 address that an interface on a LAN can have. */
int parse_ip(const char *text, struct tsw_addr *addr);

/* Of such an address: a tunnel can end there. */
int parse_vtep(const struct tsw_addr *addr);

/* One of CHOICES, which a NULL ends: its place in the list. */
int parse_choice(const char *text, const char *const *choices, __u32 *value);

/* A line's words: in LINE itself, ended by NULs; WORD grows as needed. */
struct line {
	char **word;
	int n;
	int room;
};

int parse_line(char *text, struct line *line);
void line_free(struct line *line);

#endif
