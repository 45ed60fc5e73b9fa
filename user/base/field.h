/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One description of what an object has. From a table of fields come the KEY VALUE words of
 * commands, the JSON of state files both ways, what two objects differ in, and what `help` tells
 * programs. A table describes one structure; which of its fields are meant is a mask: FIELD(0) is
 * the first of the table.
 */
#ifndef TSW_FIELD_H
#define TSW_FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <tsw/object.h>

#define FIELD(i) (1ULL << (i))

enum field_kind {		    /* what is in the structure */
		  FIELD_NAME,	    /* struct tsw_name: of something that is there */
		  FIELD_NEW_NAME,   /* struct tsw_name, which is given */
		  FIELD_NUMBER,	    /* __u32 from min to max */
		  FIELD_IF_NUMBER,  /* the same; 0 is what is not said, for which `none` stands */
		  FIELD_MTU,	    /* __u32 from min to max, or 0: what the underlay allows */
		  FIELD_CHOICE,	    /* __u32: which of the choices */
		  FIELD_IF_CHOICE,  /* the same; the first is what is not said */
		  FIELD_ON,	    /* bool: the word is `on` or `off` */
		  FIELD_IF_ON,	    /* the same; off is what is not said */
		  FIELD_IF_OFF,	    /* bool, true for `off`; on is what is not said */
		  FIELD_RATE,	    /* __u64: bits a second; 0: none */
		  FIELD_SIZE,	    /* __u32: octets; 0: none */
		  FIELD_LIMIT,	    /* __u32 from 1 to max; all ones: none; 0: not said */
		  FIELD_ZONE,	    /* struct tsw_name: what fails together; empty: none */
		  FIELD_DOMAIN,	    /* struct tsw_name: of DNS; empty: tsw.internal */
		  FIELD_LINE,	    /* struct tsw_description: one line of text; empty: none */
		  FIELD_TEXT,	    /* const char *: as it was given, not kept; a word's alone */
		  FIELD_DEVICE,	    /* char[IFNAMSIZ] */
		  FIELD_MAC,	    /* struct tsw_mac */
		  FIELD_IP,	    /* struct tsw_addr */
		  FIELD_TARGET,	    /* struct tsw_target: IP:PORT */
		  FIELD_WHO,	    /* struct tsw_policy_who: any, group:G or cidr:C */
		  FIELD_PORTS,	    /* struct tsw_port_range: any, N or N-M */
		  FIELD_NAT_PORTS,  /* struct tsw_port_range: auto or N-M, from min to max */
		  FIELD_FIRST_LIST, /* what may be given again and again begins here */
		  FIELD_DEVICES = FIELD_FIRST_LIST, /* struct tsw_device_list */
		  FIELD_IPS,			    /* struct tsw_addr_list */
		  FIELD_VTEPS,			    /* struct tsw_addr_pair: tunnel addresses */
		  FIELD_SNATS,	   /* struct tsw_addr_pair: addresses to leave as */
		  FIELD_RESOLVERS, /* struct tsw_addr_pair: who is asked; often none */
		  FIELD_CIDRS,	   /* struct tsw_prefix_list: addresses in their networks */
		  FIELD_NETWORKS,  /* struct tsw_prefix_list: none is in another */
		  FIELD_NAMES,	   /* struct tsw_name_list: of what is there; often none */
		  FIELD_NETS,	/* the same, of addresses that hosts can have; `none` is a word */
		  FIELD_GROUPS, /* struct tsw_group_list: of what is there; `none` is a word */
		  FIELD_KEYS,	/* struct tsw_key_list: public keys; `none` is a word */
		  FIELD_CLOSED, /* struct tsw_closed_list: networks, `default`; `none` is a word */
		  FIELD_LATER,	/* nothing: whoever reads the object reads it */
		  FIELD_FLAG,	/* nothing: a word that stands alone, without a value */
};

struct field {
	const char *key; /* in JSON; the word has - for each _. NULL ends a table */
	enum field_kind kind;
	size_t offset;
	__u32 min, max;
	const char *const *choices;
	const char *help; /* what the key alone does not say, or NULL */
	__u32 automatic;  /* TSW_AUTO_*: what the word `auto` asks for; 0: it is none */
	__u64 again;	  /* FIELD() of the one that it is when it is given again; 0: none */
};

bool field_is_list(const struct field *f);

/* `max-tenants` is the word of the key `max_tenants`; good for as many uses as a message has. */
bool field_is_word(const struct field *f, const char *word);
const char *field_word(const struct field *f);

/* Puts the value that TEXT says into OBJECT; of a list, one more. Or misuse(), with the text. */
int field_read(const struct field *f, const char *text, void *object);

void field_clear(const struct field *f, void *object);

/* Of a list: there is nothing in it. */
bool field_is_empty(const struct field *f, const void *object);

bool prefixes_equal(const struct tsw_prefix_list *a, const struct tsw_prefix_list *b);

/* Those fields in MASK become FROM's. */
void fields_copy(const struct field *fields, __u64 mask, const void *from, void *to);

/* Of those fields in MASK all are the same in both. */
bool fields_equal(const struct field *fields, __u64 mask, const void *a, const void *b);

#endif
