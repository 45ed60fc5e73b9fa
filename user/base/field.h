/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One description of each object: a table of its fields. From it follow the KEY VALUE words of
 * commands, the JSON of state files in both directions, the comparison of two objects, and `help
 * -j`. A table describes one structure. A mask names some of its fields; FIELD(0) is the first.
 */
#ifndef TSW_FIELD_H
#define TSW_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/object.h>

#define FIELD(i) (1ULL << (i))

enum field_kind {		   /* what the structure holds; JSON leaves out defaults of IF */
		  FIELD_NAME,	   /* struct tsw_name: of an object that exists */
		  FIELD_NEW_NAME,  /* struct tsw_name: of an object that is made */
		  FIELD_NUMBER,	   /* __u32 from min to max */
		  FIELD_IF_NUMBER, /* the same, or 0, the default, by the word `none` */
		  FIELD_MTU,	   /* __u32 from min to max, or 0: what the underlay allows */
		  FIELD_CHOICE,	   /* __u32: which of the choices */
		  FIELD_IF_CHOICE, /* the same; the first is the default */
		  FIELD_ON,	   /* bool: the word is `on` or `off` */
		  FIELD_IF_ON,	   /* the same; the default is off */
		  FIELD_IF_OFF,	   /* bool; the default is on. The flag of its row stands for off */
		  FIELD_RATE,	   /* __u64: bits a second; 0: none */
		  FIELD_SIZE,	   /* __u32: octets; 0: none */
		  FIELD_LIMIT,	   /* __u32 from 1 to max; all ones: none; 0: the default */
		  FIELD_ZONE,	   /* struct tsw_name: hosts that fail together; empty: none */
		  FIELD_DOMAIN,	   /* struct tsw_name: of DNS; empty: tsw.internal */
		  FIELD_LINE,	   /* struct tsw_description: one line of text; empty: none */
		  FIELD_FILE,	   /* struct tsw_boot_file; `none` is a word */
		  FIELD_TEXT,	   /* const char *: the caller's text, only in words */
		  FIELD_DEVICE,	   /* char[IFNAMSIZ] */
		  FIELD_MAC,	   /* struct tsw_mac */
		  FIELD_IP,	   /* struct tsw_addr */
		  FIELD_TARGET,	   /* struct tsw_target: IP:PORT */
		  FIELD_WHO,	   /* struct tsw_policy_who: any, group:G or cidr:C */
		  FIELD_PORTS,	   /* struct tsw_port_range: any, N or N-M */
		  FIELD_NAT_PORTS, /* struct tsw_port_range: auto or N-M, from min to max */
		  FIELD_FIRST_LIST, /* here begin kinds whose word may be repeated */
		  FIELD_DEVICES = FIELD_FIRST_LIST, /* struct tsw_device_list */
		  FIELD_IPS,			    /* struct tsw_addr_list */
		  FIELD_VTEPS,			    /* struct tsw_addr_pair: tunnel addresses */
		  FIELD_SNATS,	   /* struct tsw_addr_pair: addresses to leave as */
		  FIELD_RESOLVERS, /* struct tsw_addr_pair: DNS servers; often none */
		  FIELD_CIDRS,	   /* struct tsw_prefix_list: addresses with their prefix lengths */
		  FIELD_NETWORKS,  /* struct tsw_prefix_list: networks that do not overlap */
		  FIELD_NAMES,	   /* struct tsw_name_list: of objects that exist; often none */
		  FIELD_NETS,	   /* FIELD_NETWORKS of hosts' addresses; `none` is a word */
		  FIELD_GROUPS, /* struct tsw_group_list: of groups that exist; `none` is a word */
		  FIELD_VIPS,	/* struct tsw_vip_list; `none` is a word */
		  FIELD_KEYS,	/* struct tsw_key_list: public keys; `none` is a word */
		  FIELD_CLOSED, /* struct tsw_closed_list: networks, `default`; `none` is a word */
		  FIELD_LATER,	/* nothing: the object's own reader reads this key */
		  FIELD_FLAG,	/* nothing: a word without a value */
};

struct field {
	const char *key; /* in JSON; the word has - for each _; NULL ends a table */
	enum field_kind kind;
	size_t offset;
	__u32 min, max;
	const char *const *choices;
	const char *help; /* beyond what the key itself says, or NULL */
	__u32 automatic;  /* TSW_AUTO_*: what the word `auto` asks for; 0: no such word */
	__u64 again;	  /* FIELD() that a repeated word sets instead; 0: none */
	__u32 flag;	  /* of a bool: the bit that stands for it in the object's entry; 0: none */
};

bool field_is_list(const struct field *f);

/* The word of the key `max_tenants` is `max-tenants`. field_word() has four buffers in turn. */
bool field_is_word(const struct field *f, const char *word);
const char *field_word(const struct field *f);

/* Sets the field in OBJECT to what TEXT says, or adds it to a list; or misuse() with the text. */
int field_read(const struct field *f, const char *text, void *object);

void field_clear(const struct field *f, void *object);

/* A list's items, each of SIZE octets. SIZE is 0 for other fields and other kinds of lists. */
struct field_items {
	const char *at;
	size_t size;
	__u32 n, most; /* a program may have set N beyond MOST */
};

struct field_items field_items(const struct field *f, const void *object);

/* For lists: there is nothing in it. */
bool field_is_empty(const struct field *f, const void *object);

/* Copies the fields in MASK. */
void fields_copy(const struct field *fields, __u64 mask, const void *from, void *to);

/* Whether all fields in MASK are equal in A and B. */
bool fields_equal(const struct field *fields, __u64 mask, const void *a, const void *b);

#endif
