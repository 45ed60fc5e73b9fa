/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench of the packet tests: the programs loaded without being pinned or
 * attached, devices in a network namespace of the test's own, and two tenants with the
 * same MACs and addresses.
 *
 *	red, id 100                blue, id 200
 *	A  MAC_A IP_A  port        A  MAC_A IP_A  port
 *	B  MAC_B IP_B  port        B  MAC_B IP_B  port
 *	C  MAC_C IP_C  host 2      C  MAC_C IP_C  host 3
 *	D  MAC_D IP_D  host 3      D  MAC_D IP_D  host 2
 *	N  MAC_N       port, has no addresses
 *
 * Ports have no TSW_PORT_PEER, so that a delivery shows in skb->cb where it goes.
 */
#ifndef TSW_TESTS_LAB_H
#define TSW_TESTS_LAB_H

#include <tsw/abi.h>
#include "frame.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define RED 100
#define BLUE 200
#define NOBODY 0xffffffffU /* as a case's tenant: the drop is counted for none */

#define MAC_N "02:00:00:00:00:01"
#define IP_N "10.0.0.50"
#define IP6_N "fd00::50"
#define LL6_N "fe80::ff:fe00:1"

/* Devices. */
enum {
	RED_A = 101,
	RED_B,
	RED_N,
	BLUE_A,
	BLUE_B,
	STRANGE, /* no port of the switch */
	WIRE,
	TUNNEL, /* in place of tsw-vx */
};

/* Host indices; what lives nowhere else has an endpoint on each, of tenant red. */
enum { HOST2 = 2, HOST3, HOST_SILENT, HOST_NO_ROUTE, HOST_GONE, HOSTS };

#define MAC_ON_SILENT "02:00:00:00:00:14"
#define MAC_ON_NO_ROUTE "02:00:00:00:00:15"
#define MAC_ON_GONE "02:00:00:00:00:16"

#define SECRET 0x1122334455667788ULL
#define TUNNEL_MARK ((0x11223344U ^ 0x55667788U) | 1)
#define UNDERLAY_MTU 1500
#define INNER_MTU (UNDERLAY_MTU - 50)

enum program { FROM_PORT, TO_PORT, FROM_WIRE, FROM_TUNNEL, XDP };

int lab_open(void); /* into the new namespace; 0, or -1 and the reason on stderr */
void lab_close(void);
int lab_program(enum program program); /* its descriptor */

/* The maps that the programs read. Each call sets one entry, or ends the program. */
enum map {
	M_CONFIG,
	M_TENANTS,
	M_HOSTS,
	M_VTEPS,
	M_PORTS,
	M_DEVICES,
	M_FDB,
	M_ADDRS,
	M_GROUPS,
	M_STATS,
	M_HOST_STATS,
	M_DROPS,
	MAPS
};

void lab_fill(void);	   /* all as in the picture above */
int lab_map(enum map map); /* its descriptor */
void lab_unset(enum map map, const void *key);
void lab_clear(enum map map);
void lab_config(struct tsw_config *cfg); /* reads */
void lab_config_set(const struct tsw_config *cfg);
void lab_config_flag(__u32 set, __u32 clear);
void lab_tenant(__u32 tenant, __u32 mtu, __u32 flags);
void lab_port(__u32 ifindex, __u32 tenant, const char *mac, __u32 flags);
void lab_fdb(__u32 tenant, const char *mac, enum tsw_place place, __u32 id);
void lab_fdb_unset(__u32 tenant, const char *mac);
void lab_addr(__u32 tenant, const char *ip, const char *mac);
void lab_host(__u32 id, const char *ip);
void lab_ring(__u32 tenant, __u32 head, const __u32 *members, size_t count);
int lab_tap(const char *dev); /* a socket that hears what arrives at a device */
bool lab_heard(int tap, int wait_ms, struct frame *f); /* the next frame, if there is one */
void lab_ip(const char *commands); /* lines for `ip -batch` in the test's namespace */

#endif
