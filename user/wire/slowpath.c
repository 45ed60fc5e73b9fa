// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "kernel/forward.h"
#include "kernel/tunnel.h"
#include "store/attach.h"
#include "wire/slowpath.h"

static const enum tunnel gre[TSW_FAMILIES] = {
	[TSW_IPV4] = TUNNEL_GRE,
	[TSW_IPV6] = TUNNEL_GRE6,
};

static int run(struct tsw *t, __u32 ifindex, bool *up)
{
	int err = attach_qdisc(t, ifindex);

	err = err ?: attach_tc(t, PROG_FROM_TUNNEL, ifindex);
	return err ?: tunnel_start(ifindex, up);
}

/* The programs look up IPv6 routes as if from tsw-vx, which therefore must forward. */
static void forward(const struct tsw *t)
{
	int err = addr_is_none(&t->config.local[TSW_IPV6]) ? 0 : forward_ipv6(t->config.tunnel);

	if (err)
		note(&t->log,
		     "cannot turn on IPv6 forwarding on the switch's own tunnel device: %s; the "
		     "kernel will route each frame",
		     strerror(-err));
}

static int run_vxlan(struct tsw *t)
{
	bool up;
	int err = run(t, t->config.tunnel, &up);

	if (err)
		return err;
	forward(t);
	t->config.flags &= ~TSW_CFG_SLOW_PATH;
	if (up)
		t->config.flags |= TSW_CFG_SLOW_PATH;
	else
		note(&t->log,
		     "another vxlan device holds UDP port %u: the switch does without the slow "
		     "path",
		     ntohs(t->config.port));
	return 0;
}

static int make(struct tsw *t, enum tunnel tunnel, __u32 *ifindex)
{
	/* Removes the pin of a device that is gone. */
	int err = *ifindex ? detach_tc(t, PROG_FROM_TUNNEL, *ifindex) : 0;

	*ifindex = 0;
	if (!err) /* a device that a killed command left */
		err = tunnel_delete(tunnel, t->instance, ntohs(t->config.port));
	return err ?: tunnel_make(tunnel, t->instance, ntohs(t->config.port), ifindex);
}

static int mend_vxlan(struct tsw *t)
{
	int err;

	if (tunnel_is_of(t->config.tunnel, t->instance))
		err = tunnel_configure(t->config.tunnel, t->instance);
	else
		err = make(t, TUNNEL_VXLAN, &t->config.tunnel);
	return err ?: run_vxlan(t);
}

static int mend_gre(struct tsw *t, enum tsw_family family)
{
	__u32 *ifindex = &t->config.gre[family];
	bool up;
	int err;

	if (addr_is_none(&t->config.local[family]))
		return 0;
	if (tunnel_is_of(*ifindex, t->instance))
		err = tunnel_configure(*ifindex, t->instance);
	else
		err = make(t, gre[family], ifindex);
	if (!*ifindex && (err == -EOPNOTSUPP || err == -EEXIST)) {
		detail(&t->log, "no GRE device over %s: %s", family_text(family),
		       err == -EEXIST ? "another one takes all keys" : "the kernel has none");
		return 0;
	}
	return err ?: run(t, *ifindex, &up);
}

/* If another socket has the port, the device cannot be set up, and is removed. */
static int start_geneve(struct tsw *t)
{
	const __u32 ifindex = t->config.geneve;
	bool up;
	int err = run(t, ifindex, &up);

	if (err || up)
		return err;
	detail(&t->log, "no Geneve device: another socket has UDP port %u", TSW_GENEVE_PORT);
	t->config.geneve = 0;
	err = detach_tc(t, PROG_FROM_TUNNEL, ifindex);
	return err ?: link_delete(ifindex);
}

static int mend_geneve(struct tsw *t)
{
	__u32 *ifindex = &t->config.geneve;
	int err;

	if (tunnel_is_of(*ifindex, t->instance))
		err = tunnel_configure(*ifindex, t->instance);
	else
		err = make(t, TUNNEL_GENEVE, ifindex);
	if (!*ifindex && (err == -EOPNOTSUPP || err == -EEXIST)) {
		detail(&t->log, "no Geneve device: %s",
		       err == -EEXIST ? "another one has its port" : "the kernel has none");
		return 0;
	}
	return err ?: start_geneve(t);
}

int slowpath_mend(struct tsw *t)
{
	int err = mend_vxlan(t), family;

	for (family = 0; !err && family < TSW_FAMILIES; family++)
		err = mend_gre(t, family);
	return err ?: mend_geneve(t);
}
