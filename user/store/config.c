// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "kernel/netns.h"
#include "store/config.h"
#include "store/migrate.h"
#include "store/pins.h"

static const __u32 zero;

int config_no_switch(const struct tsw *t)
{
	return fail(ENOENT, "no switch %s is up; start one with: tsw%s%s%s%s switch up dev DEV",
		    quoted(t->instance), t->netns ? " -n " : "", t->netns ? escaped(t->netns) : "",
		    t->named ? " -i " : "", t->named ? escaped(t->instance) : "");
}

int config_lacks_pins(const struct tsw *t)
{
	if (!pins_exist(t->instance))
		return config_no_switch(t);
	if (pins_count(t->instance, PINS_NEXT "/maps") && !pins_has(t->instance, PINS_NEXT_CONFIG))
		return fail(ENOENT, "an upgrade of switch %s was interrupted: run switch upgrade",
			    quoted(t->instance));
	return fail(ENOENT,
		    "pins of switch %s were removed, see tsw switch check; frames are forwarded as "
		    "before. Run switch repair, or switch up again if that was interrupted",
		    quoted(t->instance));
}

int config_read(struct tsw *t)
{
	__u8 config[MIGRATE_MOST];
	char dir[PINS_PATH];
	__u32 key[MIGRATE_MOST / sizeof(__u32)] = {}, abi;
	int err;

	pins_dir(dir, t->instance);
	err = maps_read_config(dir, config, sizeof(config));
	if (err)
		return err == -ENOENT ? config_lacks_pins(t) : err;
	abi = ((const struct tsw_config *)config)->abi;
	if (abi >= TSW_ABI_OLDEST && abi < TSW_ABI_VERSION)
		migrate_entry(migrations, abi, MAP_CONFIG, key, config);
	memcpy(&t->config, config, sizeof(t->config));
	t->config.abi = abi;
	return 0;
}

int config_check_abi(const struct tsw *t)
{
	const char *who = quoted(t->instance);
	const __u32 abi = t->config.abi;

	if (abi == TSW_ABI_VERSION)
		return 0;
	if (!abi)
		return fail(ENOENT, "the switch %s is only half made: run switch up again", who);
	if (abi > TSW_ABI_VERSION)
		return fail(
			EPROTO,
			"the switch %s was made by a newer tsw: it has ABI version %u, but this "
			"tsw knows only up to %d",
			who, abi, TSW_ABI_VERSION);
	if (abi >= TSW_ABI_OLDEST)
		return fail(EPROTO,
			    "the switch %s has ABI version %u and this tsw %d: run switch upgrade",
			    who, abi, TSW_ABI_VERSION);
	return fail(EPROTO,
		    "the switch %s has ABI version %u, but this tsw can upgrade only %d and later: "
		    "run switch down, then switch up",
		    who, abi, TSW_ABI_OLDEST);
}

int config_check_netns(const struct tsw *t)
{
	__u32 here;
	int err = netns_inode(&here);

	if (err || here == t->config.netns)
		return err;
	return fail(ENODEV,
		    "the switch %s is in another network namespace: use tsw -n NAME; if that is "
		    "gone, tsw -i %s -f switch down",
		    quoted(t->instance), escaped(t->instance));
}

int config_put(const struct tsw *t)
{
	/* A switch of an older ABI is being taken down, so its configuration stays as it is. */
	if (t->maps.fd[MAP_CONFIG] < 0)
		return 0;
	return map_put(&t->maps, MAP_CONFIG, &zero, &t->config);
}

int config_forget_flows(const struct tsw *t)
{
	struct tsw_config now;
	int err = map_get(&t->maps, MAP_CONFIG, &zero, &now);

	if (err)
		return err;
	now.generation++;
	return map_put(&t->maps, MAP_CONFIG, &zero, &now);
}
