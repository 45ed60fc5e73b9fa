// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/wireguard.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/key.h"
#include "base/text.h"
#include "kernel/netlink.h"
#include "kernel/sockets.h"
#include "kernel/wireguard.h"

enum { BITS4 = 32, BITS6 = 128, GROW = 64 };

/* ---- generic netlink -------------------------------------------------------------- */

static int read_family(const struct nlmsghdr *message, void *data)
{
	__u16 *family = data;

	*family = attr_u16(attrs_of(message, sizeof(struct genlmsghdr)).at[CTRL_ATTR_FAMILY_ID]);
	return MNL_CB_OK;
}

static struct nlmsghdr *begin(void *buffer, int type, __u8 command, int flags)
{
	struct nlmsghdr *request = netlink_begin(buffer, type, flags, sizeof(struct genlmsghdr));
	struct genlmsghdr *header = mnl_nlmsg_get_payload(request);

	header->cmd = command;
	header->version = 1;
	return request;
}

/* The family has a number for this boot. Asking for it by name loads the kernel's module. */
static int find_family(__u16 *family)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	int err;

	*family = 0;
	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, WG_GENL_NAME);
	err = netlink_talk_on(NETLINK_GENERIC, request, read_family, family);
	if (err == -ENOENT || (!err && !*family))
		return fail(EOPNOTSUPP,
			    "this kernel has no WireGuard: run modprobe wireguard, or use a kernel "
			    "with CONFIG_WIREGUARD");
	return err ? fail(err, "cannot find the kernel's WireGuard: %s", strerror(-err)) : 0;
}

int wg_check_kernel(void)
{
	__u16 family;

	return find_family(&family);
}

static void begin_set(struct nlmsghdr *request, __u32 ifindex)
{
	mnl_attr_put_u32(request, WGDEVICE_A_IFINDEX, ifindex);
}

static int send_set(struct nlmsghdr *request, __u32 ifindex)
{
	__u16 family;
	int err = find_family(&family);

	if (err)
		return err;
	request->nlmsg_type = family;
	err = netlink_talk_on(NETLINK_GENERIC, request, NULL, NULL);
	return err ? fail(err, "cannot change the WireGuard device %u: %s", ifindex, strerror(-err))
		   : 0;
}

int wg_set_device(__u32 ifindex, const __u8 private[TSW_CRYPT_KEY], __u16 port)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, 0, WG_CMD_SET_DEVICE, NLM_F_ACK);
	int err;

	begin_set(request, ifindex);
	mnl_attr_put(request, WGDEVICE_A_PRIVATE_KEY, TSW_CRYPT_KEY, private);
	mnl_attr_put_u16(request, WGDEVICE_A_LISTEN_PORT, port);
	mnl_attr_put_u32(request, WGDEVICE_A_FWMARK, 0);
	err = send_set(request, ifindex);
	explicit_bzero(buffer, sizeof(buffer));
	if (err == -EADDRINUSE)
		err = fail(EADDRINUSE,
			   "another socket has UDP port %u, which WireGuard needs: give wg-port N, "
			   "the same on each host",
			   port);
	return err;
}

static void put_endpoint(struct nlmsghdr *request, const struct tsw_addr *addr, __u16 port)
{
	struct sockaddr_storage at;
	const socklen_t len = socket_address(addr_family(addr), addr, htons(port), &at);

	mnl_attr_put(request, WGPEER_A_ENDPOINT, len, &at);
}

static void put_allowed(struct nlmsghdr *request, const struct tsw_addr *addr)
{
	struct nlattr *one = mnl_attr_nest_start(request, 0);
	const bool v4 = addr_is_v4(addr);

	mnl_attr_put_u16(request, WGALLOWEDIP_A_FAMILY, (__u16)netlink_af(addr_family(addr)));
	attr_put_addr(request, WGALLOWEDIP_A_IPADDR, addr);
	mnl_attr_put_u8(request, WGALLOWEDIP_A_CIDR_MASK, v4 ? BITS4 : BITS6);
	mnl_attr_nest_end(request, one);
}

/* Whether it has addresses that WANT does not have. */
static bool has_others(const struct wg_peer *have, const struct wg_peer *want)
{
	bool others = have->odd;
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		others |= !addr_is_none(&have->allowed[family]) &&
			  !addr_equal(&have->allowed[family], &want->allowed[family]);
	return others;
}

static void put_all_allowed(struct nlmsghdr *request, const struct wg_peer *peer)
{
	struct nlattr *allowed = mnl_attr_nest_start(request, WGPEER_A_ALLOWEDIPS);
	int family;

	for (family = 0; family < TSW_FAMILIES; family++)
		if (!addr_is_none(&peer->allowed[family]))
			put_allowed(request, &peer->allowed[family]);
	mnl_attr_nest_end(request, allowed);
}

struct nlmsghdr *wg_peer_request(void *buffer, __u32 ifindex, const struct wg_peer *have,
				 const struct wg_peer *want)
{
	struct nlmsghdr *request = begin(buffer, 0, WG_CMD_SET_DEVICE, NLM_F_ACK);
	const bool replace = !have || has_others(have, want);
	struct nlattr *peers, *one;

	begin_set(request, ifindex);
	peers = mnl_attr_nest_start(request, WGDEVICE_A_PEERS);
	one = mnl_attr_nest_start(request, 0);
	mnl_attr_put(request, WGPEER_A_PUBLIC_KEY, TSW_CRYPT_KEY, want->key);
	mnl_attr_put_u32(request, WGPEER_A_FLAGS, replace ? WGPEER_F_REPLACE_ALLOWEDIPS : 0);
	if (!have || have->port != want->port || !addr_equal(&have->endpoint, &want->endpoint))
		put_endpoint(request, &want->endpoint, want->port);
	mnl_attr_put_u16(request, WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL, want->keepalive);
	if (replace || memcmp(have->allowed, want->allowed, sizeof(want->allowed)))
		put_all_allowed(request, want);
	mnl_attr_nest_end(request, one);
	mnl_attr_nest_end(request, peers);
	return request;
}

int wg_set_peer(__u32 ifindex, const struct wg_peer *have, const struct wg_peer *want)
{
	char buffer[NETLINK_BUFFER];

	return send_set(wg_peer_request(buffer, ifindex, have, want), ifindex);
}

int wg_del_peer(__u32 ifindex, const __u8 key[TSW_CRYPT_KEY])
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request = begin(buffer, 0, WG_CMD_SET_DEVICE, NLM_F_ACK);
	struct nlattr *peers, *one;

	begin_set(request, ifindex);
	peers = mnl_attr_nest_start(request, WGDEVICE_A_PEERS);
	one = mnl_attr_nest_start(request, 0);
	mnl_attr_put(request, WGPEER_A_PUBLIC_KEY, TSW_CRYPT_KEY, key);
	mnl_attr_put_u32(request, WGPEER_A_FLAGS, WGPEER_F_REMOVE_ME | WGPEER_F_UPDATE_ONLY);
	mnl_attr_nest_end(request, one);
	mnl_attr_nest_end(request, peers);
	return send_set(request, ifindex);
}

/* ---- reading ---------------------------------------------------------------------- */

/* A peer that did not fit into one message continues in the next one, with the same key. */
static struct wg_peer *peer_of(struct wg_device *device, const struct nlattr *public)
{
	__u8 key[TSW_CRYPT_KEY];
	struct wg_peer *grown;

	if (!attr_copy(public, key, sizeof(key)))
		return NULL;
	if (device->n && key_equal(device->peer[device->n - 1].key, key))
		return &device->peer[device->n - 1];
	if (!(device->n % GROW)) {
		grown = realloc(device->peer, (device->n + GROW) * sizeof(*grown));
		if (!grown) {
			device->short_of = true;
			return NULL;
		}
		device->peer = grown;
	}
	device->peer[device->n] = (struct wg_peer){};
	memcpy(device->peer[device->n].key, key, TSW_CRYPT_KEY);
	return &device->peer[device->n++];
}

static void read_endpoint(const struct nlattr *attr, struct wg_peer *peer)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (attr_copy(attr, &v4, sizeof(v4))) {
		peer->endpoint = addr_from_v4(v4.sin_addr.s_addr);
		peer->port = ntohs(v4.sin_port);
	} else if (attr_copy(attr, &v6, sizeof(v6))) {
		memcpy(&peer->endpoint, &v6.sin6_addr, sizeof(peer->endpoint));
		peer->port = ntohs(v6.sin6_port);
	}
}

static int read_allowed(const struct nlattr *allowed, void *data)
{
	const struct attrs a = attrs_nested(allowed);
	struct wg_peer *peer = data;
	struct tsw_addr addr = {};
	enum tsw_family family;

	attr_addr(a.at[WGALLOWEDIP_A_IPADDR], &addr);
	family = addr_family(&addr);
	if (attr_u8(a.at[WGALLOWEDIP_A_CIDR_MASK]) != (family == TSW_IPV4 ? BITS4 : BITS6) ||
	    (!addr_is_none(&peer->allowed[family]) && !addr_equal(&peer->allowed[family], &addr)))
		peer->odd = true;
	else
		peer->allowed[family] = addr;
	return MNL_CB_OK;
}

/* The rest of a peer, in a later message, has only its key and further addresses. */
static int read_peer(const struct nlattr *nested, void *data)
{
	const struct attrs a = attrs_nested(nested);
	struct wg_peer *peer = peer_of(data, a.at[WGPEER_A_PUBLIC_KEY]);
	const struct nlattr *handshake = a.at[WGPEER_A_LAST_HANDSHAKE_TIME];

	if (!peer)
		return MNL_CB_OK;
	read_endpoint(a.at[WGPEER_A_ENDPOINT], peer);
	if (a.at[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL])
		peer->keepalive = attr_u16(a.at[WGPEER_A_PERSISTENT_KEEPALIVE_INTERVAL]);
	if (handshake) /* two 64-bit numbers, the first of seconds */
		memcpy(&peer->handshake, mnl_attr_get_payload(handshake), sizeof(peer->handshake));
	attr_copy(a.at[WGPEER_A_RX_BYTES], &peer->rx, sizeof(peer->rx));
	attr_copy(a.at[WGPEER_A_TX_BYTES], &peer->tx, sizeof(peer->tx));
	if (a.at[WGPEER_A_ALLOWEDIPS])
		mnl_attr_parse_nested(a.at[WGPEER_A_ALLOWEDIPS], read_allowed, peer);
	return MNL_CB_OK;
}

int wg_read(const struct nlmsghdr *message, void *data)
{
	const struct attrs a = attrs_of(message, sizeof(struct genlmsghdr));
	struct wg_device *device = data;
	const struct nlattr *attr;

	if (device->sequence != message->nlmsg_seq) /* the dump was repeated after a change */
		device->n = 0;
	device->sequence = message->nlmsg_seq;
	attr_copy(a.at[WGDEVICE_A_PUBLIC_KEY], device->key, TSW_CRYPT_KEY);
	attr_copy(a.at[WGDEVICE_A_LISTEN_PORT], &device->port, sizeof(device->port));
	attr_copy(a.at[WGDEVICE_A_FWMARK], &device->mark, sizeof(device->mark));
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(attr) == WGDEVICE_A_PEERS)
			mnl_attr_parse_nested(attr, read_peer, device);
	return MNL_CB_OK;
}

static int compare(const void *a, const void *b)
{
	return memcmp(((const struct wg_peer *)a)->key, ((const struct wg_peer *)b)->key,
		      TSW_CRYPT_KEY);
}

int wg_get(__u32 ifindex, struct wg_device *device)
{
	char buffer[NETLINK_BUFFER];
	struct nlmsghdr *request;
	__u16 family;
	int err = find_family(&family);

	*device = (struct wg_device){};
	if (err)
		return err;
	request = begin(buffer, family, WG_CMD_GET_DEVICE, NLM_F_DUMP);
	mnl_attr_put_u32(request, WGDEVICE_A_IFINDEX, ifindex);
	err = netlink_talk_on(NETLINK_GENERIC, request, wg_read, device);
	if (!err && device->short_of)
		err = -ENOMEM;
	if (!err && device->n)
		qsort(device->peer, device->n, sizeof(*device->peer), compare);
	if (!err)
		return 0;
	wg_free(device);
	return fail(err, "cannot read the WireGuard device %u: %s", ifindex, strerror(-err));
}

void wg_free(struct wg_device *device)
{
	free(device->peer);
	*device = (struct wg_device){};
}

const struct wg_peer *wg_find(const struct wg_device *device, const __u8 key[TSW_CRYPT_KEY])
{
	struct wg_peer wanted;

	memcpy(wanted.key, key, TSW_CRYPT_KEY);
	return device->n ? bsearch(&wanted, device->peer, device->n, sizeof(wanted), compare)
			 : NULL;
}
