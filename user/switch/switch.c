// SPDX-License-Identifier: GPL-2.0-only
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/text.h"
#include "door/door.h"
#include "door/door_link.h"
#include "door/router.h"
#include "kernel/system.h"
#include "kernel/tunnel.h"
#include "loader.h"
#include "object/host.h"
#include "object/install.h"
#include "store/attach.h"
#include "store/closed.h"
#include "store/config.h"
#include "store/maps_held.h"
#include "store/pins.h"
#include "switch/session.h"
#include "switch/settings.h"
#include "switch/swap.h"
#include "switch/switch.h"
#include "wire/crypt.h"
#include "wire/slowpath.h"
#include "wire/underlay.h"

static const __u32 zero;

/* bpffs keeps names with a dot for itself. */
static int check_instance(const struct tsw *t)
{
	if (!strchr(t->instance, '.'))
		return 0;
	return misuse("instance %s has a dot, which the BPF filesystem refuses: choose another "
		      "with -i NAME",
		      quoted(t->instance));
}

static int check_new_instance(const struct tsw *t)
{
	struct tsw_name unused;
	int err = check_instance(t);

	if (!err && parse_name(t->instance, &unused)) {
		fail_more("; name the switch with -i NAME");
		err = -EINVAL;
	}
	return err;
}

/* The configuration becomes valid when only the way in from the wire is missing. */
static int start(struct tsw *t, const struct settings *s)
{
	int err;

	t->config = s->config;
	if (getrandom(&t->config.secret, sizeof(t->config.secret), 0) < 0 ||
	    getrandom(&t->config.pass, sizeof(t->config.pass), 0) < 0)
		return fail(errno, "cannot get random numbers: %s", strerror(errno));
	if (system_kernel_is_least(6, 3)) /* has BPF_F_ADJ_ROOM_DECAP_L3_IPV6 */
		t->config.flags |= TSW_CFG_DECAP_L3;
	underlay_note_qdiscs(t);
	err = map_put(&t->maps, MAP_CRYPT, &zero, &s->crypt);
	if (!err)
		err = closed_put(t, &s->close); /* writes the configuration; abi 0: half made */
	err = err ?: slowpath_mend(t);
	err = err ?: crypt_mend(t);
	if (err)
		return err;
	t->config.abi = TSW_ABI_VERSION;
	t->config.version = version_number(TSW_VERSION);
	t->config.build = programs_build();
	return underlay_mend(t, true);
}

/* With clsact any device may have a filter of ours. With tcx all links go with their pins. */
static int detach_filters(struct tsw *t)
{
	struct if_nameindex *all = if_nameindex(), *dev;
	struct tsw_port port;
	int err = 0;

	for (dev = all; dev && dev->if_index && !err; dev++) {
		const struct tsw_underlay *u = underlay_find(&t->config, dev->if_index);
		bool qdisc = t->maps.fd[MAP_PORTS] >= 0 &&
			     !map_get(&t->maps, MAP_PORTS, &dev->if_index, &port) &&
			     port.flags & TSW_PORT_QDISC;

		if (u && u->flags & TSW_UNDERLAY_QDISC)
			qdisc = true;
		err = detach_tc(t, PROG_FROM_WIRE, dev->if_index);
		err = err ?: detach_tc(t, PROG_TO_WIRE, dev->if_index);
		err = err ?: detach_tc(t, PROG_FROM_PORT, dev->if_index);
		err = err ?: detach_tc(t, PROG_TO_PORT, dev->if_index);
		if (!err && qdisc)
			err = link_drop_clsact(dev->if_index);
	}
	if (all)
		if_freenameindex(all);
	return err;
}

/*
 * Filters are in the switch's namespace. -f: that namespace is gone, and the filters with it. The
 * router's is another, and stays.
 */
static int detach_here(struct tsw *t)
{
	int err = t->config.netns ? config_check_netns(t) : 0;

	if (err && !t->force)
		return err;
	detach_all_xdp(t);
	if (err)
		return router_remove(t);
	err = door_close(t);
	return err || t->config.attach == TSW_ATTACH_TCX ? err : detach_filters(t);
}

static int is_own(const char *instance, void *data)
{
	return !strcmp(instance, ((const struct tsw *)data)->instance);
}

bool switch_has_remains(struct tsw *t)
{
	const struct door_link want = {.instance = t->instance, .pair = PAIR_GATEWAY};
	struct link door;

	return tunnel_each(is_own, t) == 1 || !door_link_find(&want, &door) ||
	       !door_link_old(t->instance, &door);
}

/*
 * Filters keep programs and maps alive whose pins were removed, and the maps say what else the
 * switch made. Not for another version, which lacks newer maps anyway.
 */
static void pin_again(struct tsw *t)
{
	if (!config_read(t) && t->config.abi && t->config.abi != TSW_ABI_VERSION)
		return;
	if (held_pin(t))
		detail(&t->log, "%s", failure()->text);
}

/* Works on any remains of a switch. Devices that no map names are searched for. */
static int tear_down(struct tsw *t)
{
	char dir[PINS_PATH];
	int err;

	session_leave(t);
	pin_again(t);
	pins_dir(dir, t->instance);
	if (config_read(t))
		t->config = (struct tsw_config){.attach = TSW_ATTACH_CLSACT};
	maps_open_known(&t->maps, dir);
	err = detach_here(t);
	err = err ?: tunnel_delete(TUNNELS, t->instance, ntohs(t->config.port));
	if (!err) /* after the devices that send by them */
		err = crypt_remove(t);
	session_leave(t);
	if (err)
		return err;
	detach_links(t);
	return pins_remove(t->instance);
}

static int make(struct tsw *t, struct settings *s)
{
	char dir[PINS_PATH];
	struct failure why;
	bool had_key;
	int err = s->local ? 0 : underlay_first_locals(&s->config);

	if (err) {
		lock_remove(t);
		return err;
	}
	pins_dir(dir, t->instance);
	had_key = key_file_exists(t->instance);
	err = pins_make(t->instance);
	err = err ?: lock_pins(t);
	err = err ?: programs_make(dir, s->config.max_tenants, s->config.max_endpoints);
	err = err ?: maps_open(&t->maps, dir, true);
	err = err ?: start(t, s);
	if (!err && s->encrypt && !crypt_is_on(t)) /* `encrypt off` was given */
		err = crypt_remove_key(t);
	if (!err) {
		session_leave(t);
		return 0;
	}
	why = *failure();
	tear_down(t);
	if (!had_key)
		crypt_remove_key(t);
	lock_remove(t);
	return fail_again(&why);
}

/* Attaches the programs of ports whose device is still the one that was added. */
static int mend_ports(struct tsw *t)
{
	cleanup_rows struct rows rows = {};
	size_t i;
	int err = map_rows(&t->maps, MAP_PORTS, &rows);

	for (i = 0; !err && i < rows.n; i++)
		err = port_mend(t, *(const __u32 *)row_key(&rows, i));
	return err;
}

int switch_mend(struct tsw *t, bool named)
{
	int err = switch_follow(t);

	err = err ?: slowpath_mend(t);
	err = err ?: closed_mend(t);
	if (err)
		return err;
	underlay_note_qdiscs(t);
	err = mend_ports(t);
	err = err ?: crypt_mend(t);
	err = err ?: underlay_mend(t, named);
	err = err ?: host_choose_all(t);
	return err || !t->config.gateway ? err : door_open(t);
}

/* -ENOENT: there are at most remains of a switch. */
static int open_pinned(struct tsw *t)
{
	char dir[PINS_PATH];
	int err = config_read(t);

	if (!err && !t->config.abi)
		err = -ENOENT;
	err = err ?: config_check_abi(t);
	err = err ?: config_check_netns(t);
	err = err ?: swap_finish(t);
	pins_dir(dir, t->instance);
	return err ?: maps_open(&t->maps, dir, true);
}

/*
 * Without a BPF filesystem here, a switch that has devices has its pins in another mount. It must
 * not be torn down as remains, so this fails.
 */
static int check_system(struct tsw *t)
{
	int err = system_check_capabilities();

	err = err ?: system_check_kernel();
	return !err && (pins_have_fs() || switch_has_remains(t)) ? pins_check_fs() : err;
}

/* Runs after all checks. It locks, because a second mount would hide the pins of the first. */
static int mount_pins(struct tsw *t)
{
	int lock, err = 0;

	if (pins_have_fs())
		return 0;
	lock = lock_all(t);
	if (lock < 0)
		return lock;
	if (!pins_have_fs()) {
		err = pins_mount_fs();
		if (!err)
			detail(&t->log, "mounted a BPF filesystem on /sys/fs/bpf, with mode 0700");
	}
	lock_all_drop(lock);
	return err;
}

/* All that can be checked before the lock is taken. */
static int check_up(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s)
{
	int err = check_new_instance(t);

	err = err ?: check_system(t);
	return err ?: settings_read(t, w, s);
}

int switch_up(struct tsw *t, const struct tsw_switch_spec *w)
{
	struct settings s;
	int err = check_up(t, w, &s);

	err = err ?: mount_pins(t);
	err = err ?: pins_check_fs();
	session_leave(t);
	err = err ?: lock_take(t);
	if (err)
		return err;
	if (!pins_exist(t->instance) && !switch_has_remains(t))
		return make(t, &s);
	pin_again(t);
	err = lock_pins(t);
	err = err ?: open_pinned(t);
	if (!err) {
		err = settings_compare(t, &s);
		err = err ?: switch_mend(t, true);
		session_leave(t);
		return err;
	}
	if (err != -ENOENT)
		return err;
	note(&t->log, "removing what is left of an earlier switch %s", quoted(t->instance));
	err = tear_down(t);
	return err ?: make(t, &s);
}

/* After a reboot only its key is left. */
static bool is_here(struct tsw *t)
{
	return pins_exist(t->instance) || switch_has_remains(t) || key_file_exists(t->instance);
}

static int check_down(struct tsw *t)
{
	int err = check_instance(t);

	err = err ?: system_check_capabilities();
	err = err ?: pins_check_fs();
	return err || is_here(t) ? err : config_no_switch(t);
}

int switch_down(struct tsw *t)
{
	int err = check_down(t);

	err = err ?: lock_take(t);
	if (!err && !is_here(t)) /* it was taken down while this waited for the lock */
		err = config_no_switch(t);
	else if (!err)
		err = tear_down(t);
	err = err ?: crypt_remove_key(t);
	if (!err || err == -ENOENT)
		lock_remove(t);
	lock_drop(t);
	return err;
}

/* ---- dry runs --------------------------------------------------------------------- */

/* Reads the configuration, whose abi is 0 without a switch. */
static int look_at(struct tsw *t)
{
	int err;

	session_leave(t);
	t->config = (struct tsw_config){};
	err = lock_read(t);
	return err || !pins_exist(t->instance) ? err : config_read(t);
}

static int look_running(struct tsw *t, const struct settings *s)
{
	char dir[PINS_PATH];
	int err = config_check_abi(t);

	err = err ?: config_check_netns(t);
	pins_dir(dir, t->instance);
	err = err ?: maps_open(&t->maps, dir, false);
	if (err == -ENOENT)
		return config_lacks_pins(t);
	return err ?: settings_compare(t, s);
}

int switch_up_look(struct tsw *t, const struct tsw_switch_spec *w, struct settings *s)
{
	int err = check_up(t, w, s);

	err = err ?: pins_check_mount();
	if (!err && pins_have_fs())
		err = pins_check_fs();
	err = err ?: look_at(t);
	if (err || t->config.abi)
		return err ?: look_running(t, s);
	if (!pins_exist(t->instance) && switch_has_remains(t))
		return fail(ENOENT,
			    "the pins of switch %s are gone, and its devices are not: what comes "
			    "back is not known before",
			    quoted(t->instance));
	err = s->local ? 0 : underlay_first_locals(&s->config);
	return err ?: programs_try(s->config.max_tenants, s->config.max_endpoints);
}

int switch_down_look(struct tsw *t)
{
	int err = check_down(t);

	if (err)
		return err;
	err = look_at(t);
	if (err == -ENOENT) /* its configuration is lost */
		err = 0;
	if (!err && !is_here(t)) /* it was taken down while this waited for the lock */
		err = config_no_switch(t);
	return err || !t->config.netns || t->force ? err : config_check_netns(t);
}
