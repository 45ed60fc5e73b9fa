/* SPDX-License-Identifier: GPL-2.0-only */
/* The KEY VALUE words of a command, read into one structure. */
#ifndef TSW_WORDS_H
#define TSW_WORDS_H

#include <tsw/abi.h>

/* One bit for each key: which were given, which a command takes and needs. */
#define W_TENANT (1U << 0)
#define W_HOST (1U << 1)
#define W_DEV (1U << 2)
#define W_MAC (1U << 3)
#define W_IP (1U << 4)
#define W_ID (1U << 5)
#define W_ENCAP (1U << 6)
#define W_MTU (1U << 7)
#define W_BROADCAST (1U << 8)
#define W_FORCE (1U << 9)
#define W_LOCAL (1U << 10)
#define W_HOST_NAME (1U << 11)
#define W_PORT (1U << 12)
#define W_XDP (1U << 13)
#define W_ATTACH (1U << 14)
#define W_MAX_ENDPOINTS (1U << 15)
#define W_MAX_TENANTS (1U << 16)
#define W_DEVS (1U << 17)
#define W_NAME (1U << 31) /* the NAME behind the verb, which has no key */

#define WORDS_IPS 64 /* addresses of one endpoint */

/* The values of `attach` and `xdp`, in the order of their words. */
enum { ATTACH_AUTO, ATTACH_TCX, ATTACH_CLSACT };
enum { XDP_AUTO, XDP_NATIVE, XDP_GENERIC, XDP_OFF };

struct words {
	__u32 given; /* W_*; what was not given is zero */
	struct tsw_name name;
	struct tsw_name tenant;
	struct tsw_name host;
	struct tsw_name host_name;
	const char *dev;
	const char *devs[TSW_UNDERLAYS];
	unsigned int n_devs;
	const char *id_text; /* its range depends on encap */
	__u32 id;
	__u32 encap; /* enum tsw_encap */
	__u32 mtu;
	__u32 broadcast;
	__u32 force;
	__u32 port;
	__u32 xdp;
	__u32 attach;
	__u32 max_endpoints;
	__u32 max_tenants;
	struct tsw_mac mac;
	struct tsw_addr local[TSW_FAMILIES]; /* zero: none of this family */
	struct tsw_addr ip[WORDS_IPS];
	unsigned int n_ip;
};

/* Reads KEY VALUE ... up to NULL; TAKES says which keys the command knows. */
int words_read(char *const *word, __u32 takes, struct words *w);

/* The first of the keys in MASK. */
const char *words_key(__u32 mask);

#endif
