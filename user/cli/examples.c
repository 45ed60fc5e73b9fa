// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "cli/help.h"

/* For each row of the table of commands, words that it takes. */
static const struct {
	const char *title, *words;
} examples[] = {
	{"switch up", "dev eth0"},
	{"switch set", "dev eth1 xdp native"},
	{"switch show", ""},
	{"switch list", ""},
	{"switch check", ""},
	{"switch gc", "dry-run on"},
	{"switch repair", ""},
	{"switch upgrade", ""},
	{"switch rekey", "wait 60"},
	{"switch down", ""},
	{"tenant add", "red id 100 net 10.0.0.0/24"},
	{"tenant replace", "red id 100 mtu 1400"},
	{"tenant set", "red rate-out 100mbit description \"web shop\""},
	{"tenant del", "red force on"},
	{"tenant show", "red"},
	{"host add", "h2 ip 192.0.2.2"},
	{"host replace", "h2 ip 192.0.2.2 zone east"},
	{"host set", "h2 ip 192.0.2.22"},
	{"host del", "h2 force on"},
	{"host show", "h2"},
	{"host probe", "h2"},
	{"endpoint add", "web tenant red mac auto ip 10.0.0.2 dev veth1"},
	{"endpoint replace", "web tenant red mac 02:00:00:00:00:01 ip 10.0.0.2 host h2"},
	{"endpoint set", "web tenant red host h2"},
	{"endpoint del", "web tenant red"},
	{"endpoint show", "tenant red"},
	{"gateway add", "red ip 10.0.0.254/24 host h1"},
	{"gateway replace", "red ip 10.0.0.254/24 nat off"},
	{"gateway set", "red host h2 drain 60"},
	{"gateway del", "red force on"},
	{"gateway show", "red"},
	{"gateway place", "spread host h1 host h2"},
	{"publish add", "red proto tcp port 80 to 10.0.0.2:8080"},
	{"publish del", "red proto tcp port 80"},
	{"publish show", "red"},
	{"peer add", "red with blue proto tcp port 443"},
	{"peer del", "red with blue"},
	{"peer show", "red"},
	{"group add", "red web db"},
	{"group del", "red web"},
	{"group show", "red"},
	{"policy add", "red sql from group web to group db proto tcp port 5432"},
	{"policy replace", "red sql from group web to group db proto tcp port 5432"},
	{"policy set", "red sql action deny"},
	{"policy del", "red sql"},
	{"policy show", "red"},
	{"stats show", "tenant red"},
	{"stats drops", "tenant red"},
	{"stats policy", "tenant red"},
	{"flows show", "tenant red top 10"},
	{"flows audited", "tenant red"},
	{"flows export", "to 192.0.2.50:4739 every 60"},
	{"flows", "tenant red top 10"},
	{"monitor", "tenant red drops"},
	{"capture", "tenant red count 100 write red.pcapng"},
	{"trace", "from web to 10.0.0.3 tenant red proto tcp port 80"},
	{"metrics", ""},
	{"top", "interval 2"},
	{"graph", "tenant red"},
	{"web", "port 8480"},
	{"save", ""},
	{"apply", "state.json"},
	{"diff", "state.json"},
	{"check", ""},
	{"gc", "dry-run on"},
	{"cluster join", "etcd http://192.0.2.9:2379"},
	{"cluster leave", ""},
	{"cluster show", ""},
	{"cluster import", "state.json"},
	{"cluster wait", "timeout 60"},
	{"cluster accept", ""},
	{"agent", "once on"},
	{"status", ""},
	{"doctor", ""},
	{"test", "host h2"},
	{"sysdump", "dump.tar"},
	{"features", ""},
	{"version", ""},
};

const char *help_example(const struct command *c)
{
	static _Thread_local char text[256];
	size_t i;

	for (i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (!strcmp(examples[i].title, command_title(c))) {
			snprintf(text, sizeof(text), "%s%s%s", examples[i].title,
				 *examples[i].words ? " " : "", examples[i].words);
			return text;
		}
	return "";
}
