/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests that red's A makes of the switch itself: DHCP, DHCPv6 and DNS. */
#ifndef TSW_TESTS_ASKED_H
#define TSW_TESTS_ASKED_H

#include "packet.h"

/* Labels of long domains, and in hexadecimal. */
#define D36 "abcdefghijklmnopqrstuvwxyz0123456789"
#define D59 D36 "abcdefghijklmnopqrstuvw"
#define D63 D59 "xy-0"
#define D36_HEX "6162636465666768696a6b6c6d6e6f707172737475767778797a30313233343536373839"
#define D59_HEX D36_HEX "6162636465666768696a6b6c6d6e6f7071727374757677"
#define D63_HEX D59_HEX "78792d30"

/* What an answer tells, as text: told_dhcp() or told_dhcp6(). */
typedef bool asked_read(const struct frame *f, char *text);

/* What comes of it. */
struct asked {
	const char *name;
	const char *told; /* NULL: no answer */
	enum tsw_drop drop;
	bool passed; /* on to the others, of whom the test has none: dropped for that or sent */
	bool all;    /* to all of them */
	__u16 gso_size;
};

/* Octets from hexadecimal TEXT; how many. NULL: none. */
size_t asked_hex(const char *text, __u8 *to);

/* The lengths of IP and UDP, and IPv4's checksum. UDP's is left out: the switch does not look. */
void asked_settle(struct frame *f);

/* From red's A. */
void asked_run(const struct frame *in, __u16 gso_size, struct packet_run *run);
/* Runs it once: counters, verdict and answer must be as wanted. */
void asked_check(const struct asked *want, const struct frame *in, asked_read *read,
		 struct packet_run *run);

/* What of a mutated request's answer is right; READ's text is made on the way. */
struct asked_mutations {
	const struct frame *base;
	__u32 n;
	__u32 from, head; /* see mutate() */
	asked_read *read;
	bool (*is_right)(const struct frame *in, const struct packet_run *ran);
};

void asked_mutated(const struct asked_mutations *m);

/* A test for each of ROWS, whose first member is its name; then those of MORE; and the cases. */
struct asked_suite {
	const char *name;
	const void *rows;
	size_t row_size, row_count;
	CMUnitTestFunction one; /* its state is the row */
	const struct CMUnitTest *more;
	size_t more_count;
	const struct packet_case *cases;
	size_t case_count;
};

int asked_main(const struct asked_suite *s);

#endif
