/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * libtsw: the switch of this host, for programs. `tsw` is one of them, tsw(8) explains what the
 * words below mean.
 *
 * Each function that returns int returns 0, or errno's number negative; tsw_error() then says why,
 * until the thread's next call. Nothing is printed, nothing ends the process; libbpf's messages are
 * off from the start, and libbpf_set_print() turns them on. Pointers are not NULL unless said.
 *
 * A handle belongs to the thread that opened it, from tsw_open() to tsw_close(); threads with
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
	TSW_LOG_DETAIL, /* what is done */
};

#define TSW_WAIT_NONE 0xffffffffU

/* How a switch is used. All zero: the one of the thread's own network namespace. */
struct tsw_options {
	/* Of the switch: a name below /run/netns or a path; NULL: the thread's own. From tsw_open()
	 * to tsw_close() the thread is in it, and a call that finds it elsewhere is refused: close
	 * the handle of one namespace before you open that of another. Needs CAP_SYS_ADMIN. */
	const char *netns;
	const char *instance; /* NULL: named for the network namespace, "default" without one */
	__u32 wait_ms; /* for another command that is at work; 0: 10 s; TSW_WAIT_NONE: not at all */
	bool force;    /* as the option -f */

	void (*log)(void *context, enum tsw_log level, const char *text); /* may be NULL */
	void *context;
};

/*
 * *T is the caller's until tsw_close(). The switch need not be up. -EINVAL: a name that is none;
 * -ENOENT: no such network namespace. OPTIONS may be NULL; its strings must outlive *T.
 */
int tsw_open(const struct tsw_options *options, struct tsw **t);

/*
 * A change takes the switch's lock, and T keeps it, as a batch does: what follows is quick, and
 * comes with nobody else's change in between. Who only reads holds no lock, and sees the switch as
 * it is at each call. This writes what is not written yet and gives the lock back; T stays good.
 */
void tsw_release(struct tsw *t);

/* The same, and frees T, which may be NULL. */
void tsw_close(struct tsw *t);

/* Why this thread's last call failed, in one line without its end. */
const char *tsw_error(void);

/* The exit status of a command that fails so: 1, it could not be done; 2, it is asked wrongly. */
int tsw_error_status(void);

/* "0.2.0": the library's own. */
const char *tsw_version(void);

/* Addresses of a tunnel's end, or to leave as: one of each family, zero where there is none. */
struct tsw_addr_pair {
	struct tsw_addr of[TSW_FAMILIES];
	__u32 preferred; /* enum tsw_family: the one that was given first */
};

struct tsw_device_list {
	unsigned int n;
	char at[TSW_UNDERLAYS][IFNAMSIZ];
};

/* What can be asked for: programs choose by AUTO. */
enum tsw_ask_attach { TSW_ASK_ATTACH_AUTO, TSW_ASK_ATTACH_TCX, TSW_ASK_ATTACH_CLSACT };
enum tsw_ask_xdp { TSW_ASK_XDP_AUTO, TSW_ASK_XDP_NATIVE, TSW_ASK_XDP_GENERIC, TSW_ASK_XDP_OFF };
/* MIXED: hosts that have no key are spoken to in the clear. */
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

/* What is closed to tenants: this list alone, or beside the default one. */
enum tsw_closed_how { TSW_CLOSED_DEFAULT, TSW_CLOSED_ALONE, TSW_CLOSED_BESIDE };

struct tsw_closed_list {
	__u32 how; /* enum tsw_closed_how; DEFAULT: n is 0 */
	__u32 n;
	struct tsw_prefix at[TSW_CLOSED_MOST];
};

/* As `switch up`. What is zero is as it is without the word. */
struct tsw_switch_spec {
	__u64 given; /* TSW_SWITCH_*: these fields are meant; 0: those that are not zero */
	struct tsw_device_list dev;
	struct tsw_addr_pair local;
	struct tsw_name name; /* this host's */
	__u32 port;	      /* UDP, of VXLAN; host byte order */
	__u32 xdp;	      /* enum tsw_ask_xdp */
	__u32 attach;	      /* enum tsw_ask_attach */
	__u32 max_endpoints;
	__u32 max_tenants;
	struct tsw_name zone;		 /* what fails together with this host; empty: not said */
	__u32 encrypt;			 /* enum tsw_ask_encrypt: what goes between hosts */
	__u32 wg_port;			 /* UDP, of WireGuard: the first of four; host byte order */
	struct tsw_port_range nat_ports; /* by which tenants leave as this host; zero: it chooses */
	struct tsw_closed_list closed;	 /* where no gateway leads */
};

/* -EEXIST: it is up with other settings. */
int tsw_switch_up(struct tsw *t, const struct tsw_switch_spec *spec);
/* Of one that is up; dev, local, xdp, zone, encrypt, wg_port, nat_ports and closed alone. */
int tsw_switch_set(struct tsw *t, const struct tsw_switch_spec *spec);
int tsw_switch_down(struct tsw *t);

/* *OK: all is there and fits. REPORT, which may be NULL, gets the JSON of `tsw -j switch check`. */
int tsw_switch_check(struct tsw *t, bool *ok, FILE *report);

/* Puts back what can be put back. */
int tsw_switch_repair(struct tsw *t);

/* This library's programs and maps for a switch that is up; no frame is lost. */
int tsw_switch_upgrade(struct tsw *t);

#ifdef __cplusplus
}
#endif

#endif
