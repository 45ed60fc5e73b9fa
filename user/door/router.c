// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/problem.h"
#include "base/text.h"
#include "door/door_link.h"
#include "door/router.h"
#include "door/router_ns.h"
#include "door/settings.h"
#include "kernel/link_make.h"
#include "kernel/netns.h"
#include "kernel/netns_move.h"
#include "store/config.h"
#include "store/pins.h"

#define LOOPBACK "lo"
#define BEING_MADE 0xffffffffU /* in place of the inode until it exists; known after a kill */

static int inode_of(int fd, __u32 *inode)
{
	struct stat is;

	if (fstat(fd, &is))
		return fail(errno, "cannot look at the router's network namespace: %s",
			    strerror(errno));
	*inode = (__u32)is.st_ino;
	return 0;
}

/* Registers the namespace only if its inode is the configuration's, whatever has its name now. */
void router_register(const struct tsw *t)
{
	int fd = t->config.router ? router_ns_open(t->instance) : -1;
	__u32 inode = 0;

	netns_router(fd);
	if (fd >= 0 && (inode_of(fd, &inode) || inode != t->config.router))
		netns_router(-1);
}

/* Chooses the secret source MAC of frames that cross to the router: local, and no group's. */
static int note_seal(struct tsw *t)
{
	struct tsw_mac *seal = &t->config.seal;

	if (t->config.router)
		return 0;
	if (getrandom(seal, sizeof(*seal), 0) != sizeof(*seal))
		return fail(EIO, "no random numbers: %s", strerror(errno));
	seal->b[0] = (__u8)((seal->b[0] & 0xfc) | 0x02);
	t->config.router = BEING_MADE;
	t->config.nsid = -1;
	return config_put(t);
}

/*
 * 1: a device that no router has, so the namespace is not one of tsw. Ignores devices that the
 * kernel puts into each new namespace (fb_tunnels_only_for_init_net).
 */
static int is_strange(const struct link *link, void *data)
{
	char *name = data;

	if (link->type != ARPHRD_ETHER || link->ifindex == ROUTER_GATEWAY ||
	    link->ifindex == ROUTER_UPLINK || !strcmp(link->name, "gretap0") ||
	    !strcmp(link->name, "erspan0"))
		return 0;
	snprintf(name, IFNAMSIZ, "%s", link->name);
	return 1;
}

/* Refuses a namespace that has the router's name, but devices of its own. */
static int refuse_strange(const char *instance)
{
	char device[IFNAMSIZ];
	int err = netns_visit();

	if (err)
		return err;
	if (link_each(is_strange, device) > 0)
		err = fail(EEXIST,
			   "the network namespace %s is not a router of tsw: it has the device %s",
			   router_ns_name(instance), quoted(device));
	return netns_leave(err);
}

static int note_router(struct tsw *t, int fd)
{
	__u32 inode = 0;
	__s32 nsid = -1;
	int err = inode_of(fd, &inode);

	if (!err && inode != t->config.router)
		err = refuse_strange(t->instance);
	err = err ?: router_ns_number(fd, &nsid);
	if (err || (inode == t->config.router && nsid == t->config.nsid))
		return err;
	t->config.router = inode;
	t->config.nsid = nsid;
	return config_put(t);
}

int router_make(struct tsw *t)
{
	int fd, err = note_seal(t);

	err = err ?: router_ns_make(t->instance);
	if (err)
		return err;
	fd = router_ns_open(t->instance);
	if (fd < 0)
		return fail(fd, "cannot open the router's network namespace %s: %s",
			    router_ns_name(t->instance), strerror(-fd));
	netns_router(fd);
	return note_router(t, fd);
}

int router_configure(const char *instance)
{
	const struct link_conf loopback = {.name = LOOPBACK, .instance = instance, .flags = IFF_UP};
	int err = settings_follow();

	err = err ?: netns_visit();
	if (err)
		return err;
	err = link_configure(&loopback);
	if (err)
		fail(err, "cannot set up the router's device " LOOPBACK ": %s", strerror(-err));
	return netns_leave(err);
}

/* Was it made for this switch? Also true for a file without a mount, which a kill leaves. */
static bool is_ours(const struct tsw *t)
{
	const int fd = router_ns_open(t->instance);
	__u32 inode = 0;
	bool ours;

	if (fd < 0)
		return fd == -ENOENT;
	netns_router(fd);
	ours = !inode_of(fd, &inode) &&
	       (t->config.router == BEING_MADE ? !refuse_strange(t->instance)
					       : inode == t->config.router);
	netns_router(-1);
	return ours;
}

int router_remove(struct tsw *t)
{
	int err;

	netns_router(-1);
	if (!t->config.router)
		return 0;
	err = is_ours(t) ? router_ns_remove(t->instance) : 0;
	if (err)
		return err;
	t->config.router = 0;
	t->config.nsid = -1;
	t->config.seal = (struct tsw_mac){};
	return config_put(t);
}

struct sweep {
	bool dry;
	json_t *removed;
};

/* A router with its devices is in use, even if its switch has lost its pins. */
static bool is_used(const char *instance)
{
	const int fd = router_ns_open(instance);
	char device[IFNAMSIZ];
	struct link link;
	bool used;

	netns_router(fd);
	if (netns_visit())
		return fd != -ENOENT;
	used = link_by_index(ROUTER_GATEWAY, &link) != -ENODEV ||
	       link_each(is_strange, device) != 0;
	netns_leave(0);
	netns_router(-1);
	return used;
}

static int sweep_one(const char *instance, void *data)
{
	const struct sweep *s = data;

	if (pins_exist(instance) || is_used(instance))
		return 0;
	problem(s->removed, "stray_router", router_ns_name(instance), "belongs to no switch");
	return s->dry ? 0 : router_ns_remove(instance);
}

int routers_sweep(const struct tsw *t, bool dry, json_t *removed)
{
	struct sweep s = {dry, removed};
	int err = router_ns_each(sweep_one, &s);

	router_register(t);
	return err;
}

int router_check(const struct tsw *t, json_t *problems)
{
	int err = netns_visit();

	if (err == -ENOENT) {
		problem(problems, "gateway_router", router_ns_name(t->instance),
			"the router's network namespace is missing or was replaced");
		return 0;
	}
	return err ?: netns_leave(0);
}
