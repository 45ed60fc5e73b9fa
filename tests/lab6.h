/* SPDX-License-Identifier: GPL-2.0-only */
/* What A's tenant is, for router advertisements and DHCPv6. Each fills the lab in anew. */
#ifndef TSW_LAB6_H
#define TSW_LAB6_H

#include "asked.h"

/* Domains as DNS writes them: the tenant's, and the longest that a tenant may have. */
#define WIRE "037265640374737708696e7465726e616c00"
#define LONGEST "3f" D63_HEX "3e" D59_HEX "78797a00"

/* DHCP is on, and there is a gateway; A has an address. */
void lab6_usual(void);
void lab6_relayed(void); /* B is the server; N has a name and no address */
void lab6_dhcp_off(void);
void lab6_no_gateway(void);
/* With names; the domain is red.tsw.internal. */
void lab6_named(void);
void lab6_never_default(void);
void lab6_longest_name(void);
/* The same without a gateway. */
void lab6_named_alone(void);
void lab6_longest_alone(void);
void lab6_no_domain(void);
/* A has IPv4 only. */
void lab6_four_alone(void);
/* Frames to A go by the veth's own way. */
void lab6_peer_elsewhere(void);
/* An MTU below what IPv6 has. */
void lab6_narrow(void);
/* Another answer has the room. */
void lab6_busy(void);

#endif
