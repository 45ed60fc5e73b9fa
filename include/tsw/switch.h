/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libtsw: the switch of this host, for programs. tsw(8) explains the words below.
 *
 * Each function that returns int returns 0 or a negative errno. tsw_error() then says why, until
 * the thread's next call. The library prints nothing and never ends the process. libbpf's messages
 * are off at first; libbpf_set_print() turns them on. Pointers must not be NULL unless noted.
 *
 * A handle belongs to the thread that opened it, from tsw_open() to tsw_close(). Threads with
 * handles of their own do not disturb each other. While a thread waits for a switch's lock,
 * SIGRTMIN wakes it.
 */
#ifndef LIBTSW_SWITCH_H
#define LIBTSW_SWITCH_H

#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>

#include <tsw/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tsw; /* a switch, whether it is up or not */

enum tsw_log {
	TSW_LOG_NOTE,	/* what the user should know */
	TSW_LOG_DETAIL, /* what is being done */
};

#define TSW_WAIT_NONE 0xffffffffU

/* How to use a switch. All zero: the switch of the thread's own network namespace. */
struct tsw_options {
	/* The switch's namespace: a name below /run/netns, or a path; NULL: the thread's own. The
	 * thread is in it from tsw_open() to tsw_close(). Calls in another namespace are refused,
	 * so close this handle before opening one of another namespace. Needs CAP_SYS_ADMIN. */
	const char *netns;
	const char *instance; /* NULL: named for the network namespace, "default" without one */
	__u32 wait_ms;	      /* for another command at work; 0: 10 s; TSW_WAIT_NONE: do not wait */
	bool force;	      /* like the option -f */

	void (*log)(void *context, enum tsw_log level, const char *text); /* may be NULL */
	void *context;
};

/*
 * Opens a handle, which tsw_close() frees. The switch need not be up. -EINVAL: an invalid name;
 * -ENOENT: no such network namespace. OPTIONS may be NULL. Its strings must outlive the handle.
 */
int tsw_open(const struct tsw_options *options, struct tsw **t);

/*
 * A change takes the switch's lock, and the handle keeps it, like a batch. So further calls are
 * fast, and nobody else changes the switch in between. A handle that only reads holds no lock, and
 * sees the switch as it is at each call. This writes what is not written yet and releases the lock.
 * The handle stays valid.
 */
void tsw_release(struct tsw *t);

/* The same, and frees T, which may be NULL. */
void tsw_close(struct tsw *t);

/* Why this thread's last call failed: one line, without a newline. */
const char *tsw_error(void);

/* The exit status of a command with this failure: 1: cannot be done; 2: the request is wrong. */
int tsw_error_status(void);

/* The library's version, such as "0.2.0". */
const char *tsw_version(void);

/* One address of each family; zero: none. */
struct tsw_addr_pair {
	struct tsw_addr of[TSW_FAMILIES];
	__u32 preferred; /* enum tsw_family: the family that was given first */
};

struct tsw_device_list {
	unsigned int n;
	char at[TSW_UNDERLAYS][IFNAMSIZ];
};

/* With AUTO the library chooses. */
enum tsw_ask_attach { TSW_ASK_ATTACH_AUTO, TSW_ASK_ATTACH_TCX, TSW_ASK_ATTACH_CLSACT };
enum tsw_ask_xdp { TSW_ASK_XDP_AUTO, TSW_ASK_XDP_NATIVE, TSW_ASK_XDP_GENERIC, TSW_ASK_XDP_OFF };
/* MIXED: frames to and from hosts without a key are not encrypted. */
enum tsw_ask_encrypt { TSW_ASK_ENCRYPT_OFF, TSW_ASK_ENCRYPT_WIREGUARD, TSW_ASK_ENCRYPT_MIXED };

#define TSW_SWITCH_DEV (1ULL << 0)
#define TSW_SWITCH_LOCAL (1ULL << 1)
#define TSW_SWITCH_NAME (1ULL << 2)
#define TSW_SWITCH_PORT (1ULL << 3)
#define TSW_SWITCH_XDP (1ULL << 4)
#define TSW_SWITCH_ATTACH (1ULL << 5)
#define TSW_SWITCH_MAX_ENDPOINTS (1ULL << 6)
#define TSW_SWITCH_MAX_TENANTS (1ULL << 7)
#define TSW_SWITCH_ZONE (1ULL << 8)
#define TSW_SWITCH_ENCRYPT (1ULL << 9)
#define TSW_SWITCH_WG_PORT (1ULL << 10)
#define TSW_SWITCH_NAT_PORTS (1ULL << 11)
#define TSW_SWITCH_CLOSED (1ULL << 12)

/* Zero: any. */
struct tsw_port_range {
	__u32 first;
	__u32 last;
};

/* Networks closed to tenants: the default list, this list alone, or both. */
enum tsw_closed_how { TSW_CLOSED_DEFAULT, TSW_CLOSED_ALONE, TSW_CLOSED_BESIDE };

struct tsw_closed_list {
	__u32 how; /* enum tsw_closed_how; DEFAULT: n is 0 */
	__u32 n;
	struct tsw_prefix at[TSW_CLOSED_MOST];
};

/* The words of `switch up`. Zero is the same as leaving out the word. */
struct tsw_switch_spec {
	__u64 given; /* TSW_SWITCH_*: the fields that are given; 0: all that are not zero */
	struct tsw_device_list dev;
	struct tsw_addr_pair local;
	struct tsw_name name; /* this host's */
	__u32 port;	      /* UDP, of VXLAN; host byte order */
	__u32 xdp;	      /* enum tsw_ask_xdp */
	__u32 attach;	      /* enum tsw_ask_attach */
	__u32 max_endpoints;
	__u32 max_tenants;
	struct tsw_name zone;		 /* hosts of one zone fail together; empty: unknown */
	__u32 encrypt;			 /* enum tsw_ask_encrypt */
	__u32 wg_port;			 /* UDP, of WireGuard: the first of four; host byte order */
	struct tsw_port_range nat_ports; /* of tenants behind NAT; zero: the switch chooses */
	struct tsw_closed_list closed;	 /* networks that gateways do not reach */
};

/* -EEXIST: it is up with other settings. */
int tsw_switch_up(struct tsw *t, const struct tsw_switch_spec *spec);
/* While it is up: only dev, local, xdp, zone, encrypt, wg_port, nat_ports and closed. */
int tsw_switch_set(struct tsw *t, const struct tsw_switch_spec *spec);
int tsw_switch_down(struct tsw *t);

/* *OK: no problem was found. REPORT, which may be NULL, gets the JSON of `tsw -j switch check`. */
int tsw_switch_check(struct tsw *t, bool *ok, FILE *report);

/* Repairs what can be repaired. */
int tsw_switch_repair(struct tsw *t);

/* Gives a running switch this library's programs and maps; no frame is lost. */
int tsw_switch_upgrade(struct tsw *t);

#ifdef __cplusplus
}
#endif

#endif
