/* SPDX-License-Identifier: GPL-2.0-only */
/* DNS (RFC 1035, RFC 6891): what a message is, and reading what an endpoint asks. */
#ifndef TSW_BPF_ANSWER_DNS_READ_H
#define TSW_BPF_ANSWER_DNS_READ_H

#include "port/guard.h"
#include "answer/reply.h"

#define DNS_NAME 255		    /* octets of a name in a message: RFC 1035 section 2.3.4 */
#define DNS_LABEL 63		    /* octets of one label */
#define DNS_QUESTION (DNS_NAME + 4) /* with type and class */

/* Of struct dns_head's flags. */
#define DNS_QR 0x8000
#define DNS_OPCODE 0x7800
#define DNS_AA 0x0400
#define DNS_RD 0x0100
#define DNS_CD 0x0010 /* RFC 4035 section 3.2.2: copied */

enum dns_rcode {
	DNS_FORMERR = 1,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP,
	DNS_REFUSED,
	DNS_BADVERS = 16 /* its upper part is in OPT */
};

enum dns_type { DNS_A = 1, DNS_SOA = 6, DNS_PTR = 12, DNS_AAAA = 28, DNS_OPT = 41, DNS_ANY = 255 };

#define DNS_IN 1 /* class */

struct dns_head {
	__be16 id, flags, questions, answers, authorities, additional;
};

struct dns_opt { /* behind the root's name, an octet 0 */
	__be16 type, size;
	__u8 rcode, version;
	__be16 flags, len;
} __attribute__((packed));

/* The question, and the answer so far. It lies in the room, see reply_at(). */
struct dns_asked {
	struct dns_head head;
	__u32 left;	/* octets of a label that are still to come */
	__u32 end;	/* offset of its end from its begin; 0: none */
	__u32 name_len; /* length of the name as text */
	__u16 type;	/* enum dns_type */
	__u8 rcode;	/* enum dns_rcode */
	/* Not a bool: for a map's value the verifier does not know that it is 0 or 1. */
	__u8 odd; /* no text: a label has a dot, or a NUL */
	__u8 opt;
	__u8 bad, differs; /* the text is wrong; the comparison fails */
	__u16 answers;
	__u16 zone; /* offset of the zone's name that holds the name in question; 0: none */
	__u32 at;   /* offset of the next answer in the message */
	__u32 labels;
	__u32 numbers, digits, value; /* of an address that is read from the text */
	__u32 is_addr;
	struct tsw_addr addr; /* the address that a PTR asks for */
};

_Static_assert(sizeof(struct dns_asked) <= REPLY_LEASE - REPLY_ASKED, "its room");
_Static_assert(sizeof(struct dns_head) + DNS_QUESTION + 1 + sizeof(struct dns_opt) <= REPLY_QUERY,
	       "its room");

/* The parts of the room. */
struct dns_room {
	struct dns_asked *asked;
	__u8 *query; /* the message */
	char *text;  /* the name as it came: labels with dots between them, no dot at the end */
};

static __always_inline bool dns_room(struct dns_room *r)
{
	r->asked = reply_at(REPLY_ASKED);
	r->query = reply_at(REPLY_QUERY_AT);
	r->text = reply_at(REPLY_TEXT_AT);
	return r->asked && r->query && r->text;
}

/* Reads an octet of the name. A question contains no pointer to another name. */
static long dns_name_walk(__u32 i, struct dns_room *r)
{
	struct dns_asked *asked = r->asked;
	__u8 c = r->query[sizeof(struct dns_head) + (i & (REPLY_TEXT - 1))];

	if (!asked->left && !c)
		asked->end = i + 1;
	if (!asked->left && (!c || c > DNS_LABEL))
		return 1;
	if (asked->left) {
		asked->left--;
		asked->odd |= !c || c == '.';
	} else {
		asked->left = c;
		asked->labels++;
		c = '.';
	}
	if (i)
		r->text[(i - 1) & (REPLY_TEXT - 1)] = c;
	return 0;
}

/* After the question there is OPT or nothing. */
static __always_inline int dns_read_opt(struct dns_room *r, __u32 len)
{
	struct dns_asked *asked = r->asked;
	__u64 at = sizeof(struct dns_head) + asked->end + 4;
	struct dns_opt opt;
	__u8 root;

	if (!asked->head.additional)
		return 0;
	if (asked->head.additional != bpf_htons(1) || at + 1 + sizeof(opt) > len ||
	    at + 1 + sizeof(opt) > REPLY_QUERY)
		return DNS_FORMERR;
	TSW_KEEP(at);
	if (at > REPLY_QUERY - 1 - sizeof(opt))
		return DNS_FORMERR;
	root = r->query[at];
	__builtin_memcpy(&opt, &r->query[at + 1], sizeof(opt));
	if (root || opt.type != bpf_htons(DNS_OPT))
		return DNS_FORMERR;
	asked->opt = true;
	return opt.version ? DNS_BADVERS : 0;
}

/* Reads the question of a message of len octets. Returns enum dns_rcode; 0: it can be answered. */
static __always_inline int dns_read_question(struct dns_room *r, __u32 len)
{
	struct dns_asked *asked = r->asked;
	__be16 what[2];
	int rcode;
	__u64 at;

	if (asked->head.flags & bpf_htons(DNS_OPCODE))
		return DNS_NOTIMP;
	if (asked->head.questions != bpf_htons(1) || asked->head.answers || asked->head.authorities)
		return DNS_FORMERR;
	bpf_loop(DNS_NAME, dns_name_walk, r, 0);
	at = sizeof(struct dns_head) + asked->end;
	if (!asked->end || at + sizeof(what) > len)
		return DNS_FORMERR;
	TSW_KEEP(at);
	if (at > REPLY_QUERY - sizeof(what))
		return DNS_FORMERR;
	__builtin_memcpy(what, &r->query[at], sizeof(what));
	asked->type = bpf_ntohs(what[0]);
	asked->name_len = asked->end > 2 ? asked->end - 2 : 0;
	rcode = dns_read_opt(r, len);
	return rcode ?: what[1] == bpf_htons(DNS_IN) ? 0 : DNS_REFUSED;
}

/* 0, with the question in the room; or a drop reason. */
static __noinline int dns_read(struct __sk_buff *skb, const struct frame *f)
{
	__u32 at = f->l4 + sizeof(struct udphdr);
	struct dns_room r;
	struct udphdr udp;
	__u64 len;

	if (!dns_room(&r) || f->fragment || skb->gso_size ||
	    bpf_skb_load_bytes(skb, f->l4, &udp, sizeof(udp)) ||
	    f->l4 + bpf_ntohs(udp.len) > f->end)
		return drop(TSW_DROP_TRUNCATED);
	len = bpf_ntohs(udp.len);
	if (len < sizeof(udp) + sizeof(struct dns_head))
		return drop(TSW_DROP_TRUNCATED);
	len -= sizeof(udp);
	if (len > REPLY_QUERY)
		len = REPLY_QUERY; /* later octets are never read */
	*r.asked = (struct dns_asked){};
	if (reply_copy(skb, at, r.query, len, REPLY_QUERY))
		return drop(TSW_DROP_TRUNCATED);
	__builtin_memcpy(&r.asked->head, r.query, sizeof(r.asked->head));
	if (r.asked->head.flags & bpf_htons(DNS_QR))
		return drop(TSW_DROP_TRUNCATED);
	r.asked->rcode = dns_read_question(&r, len);
	if (r.asked->rcode == DNS_FORMERR)
		r.asked->end = 0; /* no question that could be repeated */
	return 0;
}

#endif
