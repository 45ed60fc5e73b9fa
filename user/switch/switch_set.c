// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include "store/attach.h"
#include "base/err.h"
#include "object/host.h"
#include "wire/slowpath.h"
#include "base/text.h"
#include "wire/underlay.h"
#include "store/config.h"
#include "door/liberal.h"

/* What changes no device of the underlay. */
#define NO_DEVICE (FIELD(SWITCH_ZONE) | FIELD(SWITCH_TCP_LIBERAL))

/*
 * Puts those that are not on the new list behind it, as leaving: the configuration lists each
 * device that has programs of ours at any moment, so that a kill loses none.
 */
static int add_leaving(const struct tsw_config *old, struct tsw_config *want)
{
	unsigned int n = underlay_count(old), to = underlay_count(want), i;
	struct tsw_underlay *kept;

	for (i = 0; i < n; i++) {
		kept = underlay_find(want, old->underlay[i].ifindex);
		if (kept) {
			kept->flags |= old->underlay[i].flags & TSW_UNDERLAY_QDISC;
			continue;
		}
		if (to == TSW_UNDERLAYS)
			return fail(ENOSPC,
				    "the old devices and the new ones together are more than %d: "
				    "change them in two steps",
				    TSW_UNDERLAYS);
		want->underlay[to] = old->underlay[i];
		want->underlay[to++].flags |= TSW_UNDERLAY_LEAVING;
	}
	return 0;
}

static int choose_xdp(struct tsw_config *want)
{
	unsigned int n = underlay_staying(want), i;
	struct link dev;
	int err;

	for (i = 0; i < n; i++) {
		err = link_by_index(want->underlay[i].ifindex, &dev);
		if (!err)
			err = underlay_choose_xdp(want->xdp_asked, &dev, &want->underlay[i]);
		else if (err == -ENODEV)
			want->underlay[i].xdp = TSW_XDP_OFF;
		if (err && err != -ENODEV)
			return err;
	}
	return 0;
}

static int check_locals(const struct tsw *t, const struct tsw_switch_spec *w)
{
	struct tsw_host host;
	int err, family;
	__u32 id;

	for (family = 0; family < TSW_FAMILIES; family++) {
		if (addr_is_none(&w->local.of[family]))
			continue;
		err = map_get(&t->maps, MAP_VTEPS, &w->local.of[family], &id);
		if (!err)
			err = map_get(&t->maps, MAP_HOSTS, &id, &host);
		if (!err)
			return fail(EEXIST, "%s is already host %s",
				    quoted(addr_text(&w->local.of[family])), quoted(host.name));
		if (err != -ENOENT)
			return err;
	}
	return 0;
}

/* WANT: the configuration that this makes of the one that is. */
static int read_want(struct tsw *t, const struct tsw_switch_spec *w, struct tsw_config *want)
{
	int err = 0;

	*want = t->config;
	if (w->given & FIELD(SWITCH_XDP))
		want->xdp_asked = xdp_asked(w);
	if (w->given & FIELD(SWITCH_ZONE))
		memcpy(want->zone, w->zone.s, sizeof(want->zone));
	if (w->given & FIELD(SWITCH_TCP_LIBERAL))
		want->flags =
			(want->flags & ~TSW_CFG_LIBERAL) | (w->tcp_liberal ? TSW_CFG_LIBERAL : 0);
	if (w->given & FIELD(SWITCH_DEV)) {
		err = underlay_read_devs(t, w, want);
		if (!err)
			err = add_leaving(&t->config, want);
		underlay_note_kinds(want);
	} else if (w->given & FIELD(SWITCH_XDP)) {
		err = choose_xdp(want);
	}
	if (!err)
		err = check_locals(t, w);
	return err ? err : underlay_read_locals(w, want);
}

/* All that may be refused: nothing is taken off yet. */
static int take_new(struct tsw *t, const struct tsw_switch_spec *w)
{
	unsigned int n, i;
	int err;

	underlay_note_qdiscs(t);
	err = config_put(t);
	n = underlay_staying(&t->config);
	for (i = 0; i < n && !err; i++)
		err = underlay_attach(t, &t->config.underlay[i]);
	if (!err && w->given & FIELD(SWITCH_LOCAL)) {
		err = slowpath_mend(t);
		if (!err)
			err = config_put(t);
	}
	return err ? err : host_choose_all(t);
}

static void drop_device(struct tsw *t, __u32 ifindex, __u32 old)
{
	if (!ifindex || ifindex == old)
		return;
	detach_tc(t, PROG_FROM_TUNNEL, ifindex);
	link_delete(ifindex);
}

static void drop_new(struct tsw *t, const struct tsw_config *old)
{
	unsigned int n = underlay_count(&t->config), i;
	int family;

	for (i = 0; i < n; i++)
		if (!underlay_has(old, t->config.underlay[i].ifindex))
			underlay_detach(t, &t->config.underlay[i]);
	for (family = 0; family < TSW_FAMILIES; family++)
		drop_device(t, t->config.gre[family], old->gre[family]);
	drop_device(t, t->config.geneve, old->geneve);
}

static int undo(struct tsw *t, const struct tsw_config *old)
{
	const struct failure why = *failure();

	drop_new(t, old);
	t->config = *old;
	if (underlay_mend(t, true) || host_choose_all(t))
		detail(&t->log, "%s", failure()->text);
	return fail_again(&why);
}

int switch_set(struct tsw *t, const struct tsw_switch_spec *w)
{
	const struct tsw_config old = t->config;
	struct tsw_config want;
	int err = read_want(t, w, &want);

	if (err)
		return err;
	t->config = want;
	if (!(w->given & ~NO_DEVICE))
		err = config_put(t);
	else if (take_new(t, w))
		return undo(t, &old);
	else
		err = underlay_mend(t, true);
	return err || !t->config.gateway ? err : liberal_mend(t);
}
