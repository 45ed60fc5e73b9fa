/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to one frame. The explanation follows the maps step by step. Then the pinned program
 * itself runs once on that frame (BPF_PROG_TEST_RUN). The two are made independently and compared.
 */
#ifndef TSW_TRACE_H
#define TSW_TRACE_H

#include <jansson.h>

#include "base/field.h"
#include "record/endpoint_find.h"
#include "store/tsw.h"
#include "trace/frame.h"

enum trace_kind {
	TRACE_NEXT,	 /* nothing decided yet */
	TRACE_DROPPED,	 /* with a drop reason */
	TRACE_ANSWERED,	 /* at the port, by the switch itself */
	TRACE_DELIVERED, /* to a port of this host */
	TRACE_TUNNEL,	 /* to another host */
	TRACE_KERNEL,	 /* the same, with outer headers of the kernel's tunnel device */
	TRACE_GATEWAY,	 /* into the router */
	TRACE_FLOODED,	 /* a copy to each member of the tenant's flood lists */
	TRACE_PASSED,	 /* left to the host's stack */
	TRACE_UNSENT,	 /* it never reaches the switch */
};

/* How a frame ends. Fields that belong to other kinds are zero. */
struct trace_end {
	enum trace_kind kind;
	__u16 reason;	 /* enum tsw_drop: of DROPPED, and of ANSWERED if too big */
	__u16 direction; /* of DROPPED: enum tsw_direction */
	__u32 ifindex;	 /* of DELIVERED */
	__u32 host;	 /* of TUNNEL and KERNEL: host index */
	__u32 mark;	 /* of GATEWAY */
};

/* The next hop on the way to another host, as the kernel knows it. */
struct trace_hop {
	__u32 ifindex; /* 0: unknown */
	struct tsw_addr via;
	__u32 mtu;	    /* octets of IP on the underlay */
	struct tsw_mac mac; /* of the next hop */
	bool resolved;	    /* the kernel knows that MAC */
	bool unasked;	    /* the programs leave all this to the kernel */
};

struct trace {
	struct tsw *t;
	__u32 id;
	struct tsw_tenant tenant;
	struct endpoint from;
	struct endpoint to; /* without a name: not an endpoint */
	struct tsw_gateway gw;
	bool has_gw;
	__u32 host;    /* where FROM lives; 0: here */
	__u32 ifindex; /* where the frame comes in: its port, or the underlay */
	struct tsw_port port;
	struct trace_frame frame;
	bool behind;  /* from a MAC behind the sender's port */
	bool relayed; /* to the tenant's DHCP server, with the gateway's address as its source */
	bool reply;   /* the way back of a flow that is there: its connection is known */

	struct trace_end end;	  /* as explained */
	struct trace_end ended;	  /* as the program did it; TRACE_NEXT: it did not run */
	const char *alters;	  /* what a run of the program would change; NULL: nothing */
	const char *unrun;	  /* why it did not run; NULL: it did */
	struct trace_hop hop;	  /* from the kernel's routing */
	struct trace_outer outer; /* of a frame from the wire, or as the program wrote it */

	json_t *asked; /* the steps before the frame is sent */
	json_t *steps;
	json_t *members; /* who gets a copy */
	json_t *problems;
	json_t *unproven;
	char why[640];
	char what_to_do[960];
	int err; /* of the first map that could not be read */
};

/* In the order of trace_fields. */
enum trace_field {
	TRACE_OF_FROM,
	TRACE_OF_TO,
	TRACE_OF_TENANT,
	TRACE_OF_PROTO,
	TRACE_OF_PORT,
	TRACE_OF_LENGTH,
	TRACE_OF_MAC,
	TRACE_OF_IP,
};

struct trace_question {
	__u64 given;	      /* FIELD(TRACE_OF_*); other fields are zero */
	struct tsw_name from; /* an endpoint */
	const char *to;	      /* an endpoint, MAC or IP */
	struct tsw_name tenant;
	__u32 proto; /* enum trace_proto */
	__u32 port;
	__u32 length; /* octets of the IP packet */
	struct tsw_mac mac;
	struct tsw_addr ip;
};

extern const struct field trace_fields[];

/* Checks a question as far as that is possible without a switch. */
int trace_check(const struct trace_question *q);

/* Makes the frame that the sender's own routing would make. */
int trace_ask(struct trace *tr, const struct trace_question *q);

/* Writes the explanation, each time from the start. */
int trace_explain(struct trace *tr);

/* Explains, runs, compares both, and adds the problems that a real frame would meet. */
int trace_explain_and_run(struct trace *tr);

/* Runs the program, unless that would send frames. */
int trace_run(struct trace *tr);

bool trace_agrees(const struct trace *tr);

/* Looks at the sender's container, if it is here, and says what it could not prove. */
int trace_ends(struct trace *tr);

/* Makes the question about the way back of a traced frame. False: it has none to an endpoint. */
bool trace_way_back(const struct trace *tr, const struct trace_question *asked,
		    struct trace_question *q);

/* The commands for what the other host must have for this frame. */
json_t *trace_far(struct trace *tr);

/* ---- shared by the parts of the explanation */

/* The entry that decided a step. MAP_COUNT: not from a map; `entry` NULL: it is missing. */
struct trace_look {
	enum map map;
	const char *key;
	const char *entry;
};

#define TRACE_LOOK(map_, key_, entry_) ((struct trace_look){map_, key_, entry_})

/* Appends a step. */
void trace_step(struct trace *tr, const char *step, struct trace_look look, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The frame ends here; FMT says why. trace_advise() may follow and say what to do. */
int trace_drop(struct trace *tr, enum tsw_drop reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, after a step that says the reason's word. */
int trace_drop_at(struct trace *tr, enum tsw_drop reason, const char *step, struct trace_look look,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Returns how the frame ended. */
int trace_advise(struct trace *tr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int trace_finish(struct trace *tr, enum trace_kind kind);
void trace_problem(struct trace *tr, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The words that follow "not proven:". */
void trace_unproven(struct trace *tr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether the map has the key. The first failure to read stays in `err`. */
bool trace_have(struct trace *tr, enum map map, const void *key, void *value);
/* Whose an address is, as the gateway and rules see it. */
bool trace_owner(struct trace *tr, __u32 tenant, const struct tsw_addr *addr, struct tsw_mac *mac);
/* The same on the link, where an endpoint also has the link-local addresses that it has shown. */
bool trace_neighbour(struct trace *tr, __u32 tenant, const struct tsw_addr *addr,
		     struct tsw_mac *mac);
/* The map that says so for the traced tenant, for TRACE_LOOK(). */
enum map trace_owner_map(struct trace *tr, const struct tsw_addr *addr);
/* The endpoint that has the address in a network behind it. */
bool trace_behind(struct trace *tr, __u32 tenant, const struct tsw_addr *addr,
		  struct tsw_behind *behind);
bool trace_fdb(struct trace *tr, __u32 tenant, const struct tsw_mac *mac, struct tsw_fdb *at);
/*
 * Whether these are the MACs of one endpoint of the traced tenant, which has more than one only
 * while a command changes it.
 */
bool trace_same_port(struct trace *tr, const struct tsw_mac *a, const struct tsw_mac *b);

/* Whether the switch itself answers by ADDR for this tenant; *MAC gets the MAC that it uses. */
bool trace_service(const struct trace *tr, const struct tsw_addr *addr, struct tsw_mac *mac);

/* Whether the address is a vip of the traced tenant. *HOLDER is zero while nobody has it. */
bool trace_is_vip(struct trace *tr, const struct tsw_addr *addr, struct tsw_mac *holder);
bool trace_is_free_vip(struct trace *tr, const struct tsw_addr *addr);
void trace_vip(struct trace *tr, const struct tsw_addr *addr); /* says who has it, if it is one */
/* The frame is one by which its sender takes the vip; adds a step. */
bool trace_vip_take(struct trace *tr);
/* A member's probe for a vip, which its holder answers, and not the switch. */
bool trace_vip_probe(struct trace *tr);
int trace_vip_spoofed(struct trace *tr); /* its source is a vip that the sender lacks */
int trace_vip_ask(struct trace *tr);	 /* its destination is a vip that nobody has */

/*
 * Whether the address is the sender's port's. A link-local one that no endpoint has becomes its
 * own, and so would any other without listed addresses.
 */
bool trace_owns(struct trace *tr, const struct tsw_addr *addr, bool *known, struct tsw_mac *owner);

/* An address that no host can send from: this network, loopback, multicast, broadcast. */
bool trace_is_no_source(const struct tsw_addr *addr);
/* Link-local of either family, which no router forwards. */
bool trace_is_link_local(const struct tsw_addr *addr);
bool trace_may_be_shown(const struct tsw_addr *addr); /* as binding_may_be() */
/* Multicast of either family, or broadcast of IPv4. */
bool trace_is_to_many(const struct tsw_addr *addr);
/* The gateway's address in whose network ADDR is; NULL: none. */
const struct tsw_prefix *trace_gateway_net(const struct trace *tr, const struct tsw_addr *addr);

/* Each returns an enum trace_kind: TRACE_NEXT, or how the frame ended. */
int trace_from_port(struct trace *tr);
int trace_from_wire(struct trace *tr);
int trace_reserved(struct trace *tr);
int trace_macs_from(struct trace *tr); /* the frame then is from the port's own MAC */
int trace_dhcp(struct trace *tr);      /* for a request of DHCP */
int trace_dhcp_server(struct trace *tr);
int trace_limit(struct trace *tr, const struct tsw_port *port, enum tsw_rate which);
int trace_deliver(struct trace *tr, __u32 ifindex);
void trace_macs_to(struct trace *tr, const struct tsw_port *port);
/* ASKED: the program looks up the tenant's policy there. */
int trace_policy(struct trace *tr, bool asked);
int trace_flood(struct trace *tr);
int trace_send(struct trace *tr, __u32 host);
bool trace_answers_dns(struct trace *tr); /* at the port; adds the step */
int trace_port_gateway(struct trace *tr, __u32 *host);
int trace_wire_gateway(struct trace *tr);
/* Whether the frame, whose source is no endpoint of its host, is from a gateway there. */
bool trace_gateway_may_send(struct trace *tr);

/* `host h2`, `port 7 veth1` and so on, in one of a few static buffers: enough for one message. */
const char *trace_host_text(struct trace *tr, __u32 host);
const char *trace_endpoint_text(struct trace *tr, const struct tsw_mac *mac);
const char *trace_device_text(__u32 ifindex);
const char *trace_fdb_text(struct trace *tr, const struct tsw_fdb *at);
const char *trace_kind_text(enum trace_kind kind);
const char *trace_key(const struct trace *tr, const char *rest); /* `red REST` */
const char *trace_word(const char *text);			 /* quoted for a shell if needed */
/* The command that changes the sender; the second lists all of its addresses and MORE. */
const char *trace_endpoint_set(const struct trace *tr);
const char *trace_endpoint_ips(const struct trace *tr, const struct tsw_addr *more);

#endif
