// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses and the MAC that are asked for. A runtime may ask by capability or CNI_ARGS. The
 * container itself may choose only those that the network's configuration offers, since rules of a
 * policy can be about addresses.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "cni/want.h"
#include "plug/offer.h"
#include "plug/json.h"

int want_add_ip(const char *text, struct dress *dress)
{
	struct dress_ip *ip = &dress->ip[dress->n_ip];

	if (dress->n_ip == TSW_ENDPOINT_IPS)
		return misuse("%s is one address too many: an interface has at most %d",
			      quoted(text), TSW_ENDPOINT_IPS);
	*ip = (struct dress_ip){};
	dress->n_ip++;
	return strchr(text, '/') ? parse_interface(text, &ip->at)
				 : parse_own_ip(text, &ip->at.addr);
}

/* ---- the runtime's request -------------------------------------------------------- */

/* Forgets the last address if it was there before: `podman network reload` gives one twice. */
static void drop_repeated(struct dress *dress)
{
	unsigned int i, last = dress->n_ip - 1;

	for (i = 0; i < last; i++)
		if (addr_equal(&dress->ip[i].at.addr, &dress->ip[last].at.addr)) {
			dress->n_ip--;
			return;
		}
}

static int read_ips(struct cni *c, struct want *want)
{
	const json_t *list, *item;
	char text[64];
	size_t i;
	int err = cni_list(c, c->runtime, "ips", &list);

	json_array_foreach(list, i, item) {
		err = err ?: want_add_ip(json_string_value(item) ?: "", &want->dress);
		if (!err)
			drop_repeated(&want->dress);
	}
	if (err || want->dress.n_ip)
		return cni_code(c, CNI_BAD_CONFIG, err);
	err = cni_arg(c, "IP", text, sizeof(text));
	if (err)
		return err == -ENOENT ? 0 : err;
	return cni_code(c, CNI_BAD_ENV, want_add_ip(text, &want->dress));
}

static int read_mac(struct cni *c, struct want *want)
{
	const char *text;
	char arg[32];
	int err = cni_text(c, c->runtime, "mac", &text);

	if (!err && text && *text)
		return cni_code(c, CNI_BAD_CONFIG, parse_mac(text, &want->mac));
	err = err ?: cni_arg(c, "MAC", arg, sizeof(arg));
	if (!err)
		return cni_code(c, CNI_BAD_ENV, parse_mac(arg, &want->mac));
	return err == -ENOENT ? 0 : err;
}

/* ---- the container's choice ------------------------------------------------------- */

struct choosing {
	struct cni *c;
	struct want *want;
	const struct tsw_addr *addr; /* NULL: the offers alone are read */
	bool offered;
};

/* One of addressChoice. */
static int offer(void *context, const char *text)
{
	struct choosing *choosing = context;
	struct tsw_prefix net = {};
	int err = strcmp(text, "any") ? parse_prefix(text, &net) : 0;

	if (!err && choosing->addr)
		choosing->offered |= !net.len || prefix_has(&net, choosing->addr);
	return err;
}

static int choose_ip(void *context, const char *text)
{
	struct choosing *choosing = context;
	struct dress *dress = &choosing->want->dress;
	int err = want_add_ip(text, dress);

	if (err)
		return err;
	choosing->addr = &dress->ip[dress->n_ip - 1].at.addr;
	choosing->offered = false;
	err = cni_each_name(choosing->c, "addressChoice", offer, choosing);
	return err || choosing->offered
		       ? err
		       : fail(EPERM, "the network does not let its containers choose address %s",
			      quoted(text));
}

static int choose_ips(void *context, const char *text)
{
	struct choosing *choosing = context;

	if (choosing->c->ipam)
		return misuse("plugin %s chooses the addresses", quoted(choosing->c->ipam));
	if (choosing->want->dress.n_ip)
		return misuse("addresses are given twice, the second time as %s", quoted(text));
	return offer_split(text, choose_ip, choosing);
}

static int choose_mac(void *context, const char *text)
{
	static const struct tsw_mac none;
	const struct choosing *choosing = context;
	struct want *want = choosing->want;
	const struct tsw_mac before = want->mac;
	int err = parse_mac(text, &want->mac);

	if (err)
		return err;
	if (!plug_find(choosing->c->config, "addressChoice"))
		return fail(EPERM, "the network does not let its containers choose a MAC: %s",
			    quoted(text));
	return mac_equal(&before, &none) || mac_equal(&before, &want->mac)
		       ? 0
		       : misuse("two MACs are given, %s and %s", mac_text(&before), quoted(text));
}

int want_addresses(struct cni *c, struct want *want)
{
	struct choosing choosing = {.c = c, .want = want};
	int err = read_ips(c, want);

	err = err ?: read_mac(c, want);
	err = err ?: cni_each_name(c, "addressChoice", offer, &choosing);
	err = err ?: cni_each_word(c, "ip", choose_ips, &choosing);
	return err ?: cni_each_word(c, "mac", choose_mac, &choosing);
}
