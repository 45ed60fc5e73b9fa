/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What becomes of one frame: explained from the maps, step by step, and told by the pinned program
 * itself, run once on that frame (BPF_PROG_TEST_RUN). The two are made apart from each other
 * and compared.
 */
#ifndef TSW_TRACE_H
#define TSW_TRACE_H

#include <jansson.h>

#include "trace/trace_frame.h"
#include "store/tsw.h"
#include "base/field.h"
#include "record/endpoint_find.h"

enum trace_kind {
	TRACE_NEXT,	 /* nothing decided yet */
	TRACE_DROPPED,	 /* for a reason */
	TRACE_ANSWERED,	 /* at the port, by the switch itself */
	TRACE_DELIVERED, /* to a port of this host */
	TRACE_TUNNEL,	 /* to another host */
	TRACE_KERNEL,	 /* the same, with outer headers of the kernel's tunnel device */
	TRACE_GATEWAY,	 /* into the router */
	TRACE_FLOODED,	 /* a copy to each member of the tenant's group */
	TRACE_PASSED,	 /* left to the host's stack */
	TRACE_UNSENT,	 /* it never gets to the switch */
};

/* How it ends. What goes with other kinds is zero. */
struct trace_end {
	enum trace_kind kind;
	__u16 reason;	 /* of DROPPED; of ANSWERED, where it is too big: enum tsw_drop */
	__u16 direction; /* of DROPPED: enum tsw_direction */
	__u32 ifindex;	 /* of DELIVERED */
	__u32 host;	 /* of TUNNEL and KERNEL: host index */
	__u32 mark;	 /* of GATEWAY */
};

/* The next hop on the way to another host, as the kernel knows it. */
struct trace_hop {
	__u32 ifindex; /* 0: none is known */
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
	struct endpoint to; /* no name: it is none */
	struct tsw_gateway gw;
	bool has_gw;
	__u32 host;    /* where FROM lives; 0: here */
	__u32 ifindex; /* where the frame comes in: its port, or the underlay */
	struct tsw_port port;
	struct trace_frame frame;

	struct trace_end end;	  /* as explained */
	struct trace_end ended;	  /* as the program did it; no kind: it was not run */
	const char *unrun;	  /* why it was not; NULL: it was */
	struct trace_hop hop;	  /* as the kernel's routing tells it */
	struct trace_outer outer; /* of a frame from the wire, or as the program put it on */

	json_t *asked; /* the steps before the frame was sent */
	json_t *steps;
	json_t *members; /* who gets a copy */
	json_t *problems;
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
	__u64 given;	      /* FIELD(TRACE_OF_*); what was not given is zero */
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

/* What is asked makes sense, as far as that can be told without a switch. */
int trace_check(const struct trace_question *q);

/* To a frame, as the sender's own routing would make it. */
int trace_ask(struct trace *tr, const struct trace_question *q);

/* The explanation: begins anew each time. */
int trace_explain(struct trace *tr);

/* Both, which are compared, and what a frame on its real way would meet. */
int trace_explain_and_run(struct trace *tr);

/* The program's part, where a run sends nothing. */
int trace_run(struct trace *tr);

bool trace_agrees(const struct trace *tr);

/* What the other host must have for it, each as a command of its own. */
json_t *trace_far(struct trace *tr);

/* ---- what the parts of the explanation share */

/* The entry that decided a step. MAP_COUNT: none of a map; no entry: it is missing. */
struct trace_look {
	enum map map;
	const char *key;
	const char *entry;
};

#define TRACE_LOOK(map_, key_, entry_) ((struct trace_look){map_, key_, entry_})

/* Writes down a step. */
void trace_step(struct trace *tr, const char *step, struct trace_look look, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The frame ends here; FMT: why. Followed by trace_advise(), where more can be told. */
int trace_drop(struct trace *tr, enum tsw_drop reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void trace_advise(struct trace *tr, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int trace_finish(struct trace *tr, enum trace_kind kind);
void trace_problem(struct trace *tr, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* True where the map has the key; a failure to read is kept in ERR. */
bool trace_have(struct trace *tr, enum map map, const void *key, void *value);
bool trace_owner(struct trace *tr, __u32 tenant, const struct tsw_addr *addr, struct tsw_mac *mac);
bool trace_fdb(struct trace *tr, __u32 tenant, const struct tsw_mac *mac, struct tsw_fdb *at);

/* Of the address by which the switch itself answers, where it does; its MAC goes to *MAC. */
bool trace_service(const struct trace *tr, const struct tsw_addr *addr, struct tsw_mac *mac);

/* No host's own: this network, loopback, multicast, broadcast. */
bool trace_is_no_source(const struct tsw_addr *addr);
/* Of either family: no router forwards it. */
bool trace_is_link_local(const struct tsw_addr *addr);

/* Each returns a trace_kind: TRACE_NEXT, or how it ended. */
int trace_from_port(struct trace *tr);
int trace_from_wire(struct trace *tr);
int trace_reserved(struct trace *tr);
int trace_dhcp(struct trace *tr); /* of a frame that asks it */
int trace_dhcp_server(struct trace *tr);
int trace_limit(struct trace *tr, const struct tsw_port *port, enum tsw_rate which);
int trace_deliver(struct trace *tr, __u32 ifindex);
/* asked: the program asks the tenant's policy there. */
int trace_policy(struct trace *tr, bool asked);
int trace_flood(struct trace *tr);
int trace_send(struct trace *tr, __u32 host);
bool trace_answers_dns(struct trace *tr); /* at the port; told, if it does */
int trace_port_gateway(struct trace *tr, __u32 *host);
int trace_wire_gateway(struct trace *tr);
/* From another host, and its source is no endpoint there: is it a gateway that may? */
bool trace_gateway_may_send(struct trace *tr);

/* `host "h2"`, `port "veth1"` and so on; each good for as many uses as a message has. */
const char *trace_host_text(struct trace *tr, __u32 host);
const char *trace_device_text(__u32 ifindex);
const char *trace_fdb_text(struct trace *tr, const struct tsw_fdb *at);
const char *trace_kind_text(enum trace_kind kind);
const char *trace_key(const struct trace *tr, const char *rest); /* `red REST` */
const char *trace_word(const char *text); /* one word of a shell, whatever is in it */
/* The command that changes the sender; with all of its addresses and one more. */
const char *trace_endpoint_set(const struct trace *tr);
const char *trace_endpoint_ips(const struct trace *tr, const struct tsw_addr *more);

#endif
