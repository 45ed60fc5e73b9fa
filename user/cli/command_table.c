// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command.h"
#include "cmd/cmd.h"

#define READ COMMAND_OPEN
#define WRITE (COMMAND_OPEN | COMMAND_WRITE)
#define COUNT (WRITE | COMMAND_COUNT)
#define ON(what, run) run, run, .kind = OBJECT_##what /* of a switch, or with -c of records */
#define F FIELD
#define ALL_UP                                                                 \
	(SWITCH_CHANGES | F(SWITCH_NAME) | F(SWITCH_PORT) | F(SWITCH_ATTACH) | \
	 F(SWITCH_MAX_ENDPOINTS) | F(SWITCH_MAX_TENANTS))
#define ALL_TENANT (F(TENANT_GATEWAY) - F(TENANT_ID)) /* up to what is an object of its own */
#define ALL_ENDPOINT                                                               \
	(F(ENDPOINT_TENANT) | F(ENDPOINT_MAC) | F(ENDPOINT_IP) | F(ENDPOINT_DEV) | \
	 F(ENDPOINT_HOST) | ENDPOINT_TO | ENDPOINT_OPTIONS | ENDPOINT_LIMITS | F(ENDPOINT_GROUP))
#define ALL_GATEWAY (F(GATEWAY_DRAIN) - F(GATEWAY_IP)) /* drain goes with `set` alone */
#define ALL_PLACE                                                                   \
	(F(OPTION_CENTRAL) | F(OPTION_SPREAD) | F(OPTION_HOST) | F(OPTION_WEIGHT) | \
	 F(OPTION_LOAD) | F(OPTION_DRAIN) | F(OPTION_APPLY))
#define ALL_PUBLISH (F(PUBLISH_PROTO) | F(PUBLISH_PORT) | F(PUBLISH_TO))
#define ALL_PEER (F(PEER_WITH) | PEER_SERVICE | F(PEER_PREFIX))
#define ALL_TRACE                                                                     \
	(F(TRACE_OF_FROM) | F(TRACE_OF_TO) | F(TRACE_OF_TENANT) | F(TRACE_OF_PROTO) | \
	 F(TRACE_OF_PORT) | F(TRACE_OF_LENGTH) | F(TRACE_OF_MAC) | F(TRACE_OF_IP))
#define ALL_JOIN                                                                                \
	(F(JOIN_ETCD) | F(JOIN_NAME) | F(JOIN_CA) | F(JOIN_CERT) | F(JOIN_KEY) | F(JOIN_USER) | \
	 F(JOIN_PASSWORD_FILE))
#define ALL_POLICY ((F(POLICY_LOG) << 1) - F(POLICY_FROM))
#define LIMIT_WORDS " [rate-out RATE] [rate-in RATE] [burst SIZE]"
#define OPTION_WORDS " [server on|off] [xdp on|off]"
#define GROUP_WORD " [group G [G]...]"
#define TO_WORDS " [to-dev DEV | to-host HOST]"
#define ENDPOINT_WORDS                                                                     \
	"tenant T mac MAC|auto [ip IP|auto]... (dev DEV | host HOST)" TO_WORDS LIMIT_WORDS \
		OPTION_WORDS GROUP_WORD
#define TRACKING_WORDS                                                                           \
	" [timeout-tcp-established N|host] [timeout-tcp-close-wait N|host] [timeout-udp N|host]" \
	" [timeout-udp-stream N|host] [helper-ftp on|off] [helper-tftp on|off] [helper-sip on|off]"
#define GATEWAY_WORDS                                                                                               \
	"TENANT ip CIDR [ip CIDR]... [host HOST [host|backup HOST]...] [mac MAC] [nat on|off] [snat IP [snat IP6]]" \
	" [resolver IP [resolver IP6]] [fast on|off] [metadata on|off]" TRACKING_WORDS
#define TENANT_WORDS                                                                        \
	"[encap vxlan|gre|geneve] [mtu N] [broadcast on|off]" LIMIT_WORDS                   \
	" [connections N|none] [half-open N|none] [net CIDR]... [dhcp on|off] [dns on|off]" \
	" [domain DOMAIN] [description TEXT] [policy off|audit|on] [default allow|deny]"    \
	" [flows on|off] [flow-entries N|none] [max-endpoints N|none]"
#define ENCRYPT_WORDS " [encrypt off|wireguard|wireguard,mixed [wg-port N]] [nat-ports auto|LO-HI]"
#define CLOSED_WORDS " [closed none | closed default|CIDR|IP [closed CIDR|IP]...]"
#define FLOWS_WORDS "[tenant T] [top N]"
#define FLOWS_HELP \
	"list flows of tenants with flows on, the most bytes first; verdict: forwarded, or the drop reason"
#define POLICY_WORDS                                                                  \
	"TENANT NAME from (group G | cidr CIDR | any) to (group G | cidr CIDR | any)" \
	" [proto any|tcp|udp|icmp|sctp [port N|N-M|any]] [action allow|deny]"         \
	" [priority N] [log on|off]"

/* clang-format off */
const struct command commands[] = {
	{"switch", "up",
	 "dev DEV [dev DEV]... [local IP] [local IP6] [name HOST] [port N]"
	 " [xdp auto|native|generic|off] [attach auto|tcx|clsact] [max-endpoints N] [max-tenants N] [zone ZONE]"
	 ENCRYPT_WORDS CLOSED_WORDS,
	 "start the switch on the underlay devices DEV",
	 0, NAME_NONE, &switch_words, ALL_UP, F(SWITCH_DEV), NULL, cmd_switch_up},
	{"switch", "set", "[dev DEV]... [local IP] [local IP6] [xdp auto|native|generic|off] [zone ZONE|none]"
	 ENCRYPT_WORDS CLOSED_WORDS,
	 "change the named settings; dev and closed replace the whole list",
	 WRITE, NAME_NONE, &switch_words,
	 SWITCH_CHANGES, 0, fit_switch_set, cmd_switch_set},
	{"switch", "show", "", "print the switch's settings and how full it is",
	 READ, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_show},
	{"switch", "check", "", "compare maps, programs, devices and rules; exit status 1 if anything is wrong",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_check},
	{"switch", "gc", "[dry-run on|off] [endpoints on|off]",
	 "delete endpoints whose device is gone, and entries without an owner; endpoints off: only free ended connections of policies",
	 COMMAND_WRITE, NAME_NONE, &option_words, F(OPTION_DRY_RUN) | F(OPTION_ENDPOINTS), 0, NULL,
	 cmd_switch_gc},
	{"switch", "repair", "", "repair what switch check finds; exit status 1 if anything is left",
	 COMMAND_WRITE, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_repair},
	{"switch", "upgrade", "", "give a running switch this tsw's programs, without loss; -f: also if it has them already",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_upgrade},
	{"switch", "rekey", "[wait SECONDS] [force on|off]",
	 "make a new key for encryption, without loss; run it again to continue; force: do not wait for all hosts",
	 0, NAME_NONE, &option_words, F(OPTION_WAIT) | F(OPTION_FORCE), 0, NULL, cmd_switch_rekey},
	{"switch", "down", "", "remove everything that tsw made, and nothing else",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_down},
	{"tenant", "add", "NAME id N|auto " TENANT_WORDS,
	 "make a tenant; id is 1..16777215 with vxlan and geneve, 1..4294967295 with gre; auto: the lowest free id",
	 WRITE, NAME_NEW, &tenant_words, ALL_TENANT, F(TENANT_ID), fit_tenant, ON(TENANT, cmd_add), .chosen = F(TENANT_ID)},
	{"tenant", "replace", "NAME id N|auto " TENANT_WORDS, "add it, or change it if it exists",
	 WRITE, NAME_NEW, &tenant_words,
	 ALL_TENANT, F(TENANT_ID), fit_tenant, ON(TENANT, cmd_replace), .chosen = F(TENANT_ID)},
	{"tenant", "set", "NAME [id N|auto] " TENANT_WORDS " [net none]",
	 "change the named settings; net replaces the whole list",
	 WRITE, NAME_MUST, &tenant_words, ALL_TENANT, 0, fit_tenant_set, ON(TENANT, cmd_set)},
	{"tenant", "del", "NAME [force on|off]", "delete it, and its groups and policies; force: also its endpoints and its gateway",
	 WRITE, NAME_MUST, &option_words, F(OPTION_FORCE), 0, NULL, ON(TENANT, cmd_del)},
	{"tenant", "show", "[NAME]", "list tenants, with the MTU that their endpoints must use; -s: with counters",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_tenant_show, cmd_tenant_records},
	{"host", "add", "NAME ip IP [ip IP] [zone ZONE] [key KEY [key KEY]]",
	 "add another machine with a switch, by its tunnel address, or one of each family; machines of one ZONE fail together",
	 WRITE, NAME_NEW, &host_words, HOST_TOLD, F(HOST_IP), fit_host, ON(HOST, cmd_add)},
	{"host", "replace", "NAME ip IP [ip IP] [zone ZONE] [key KEY [key KEY]]", "add it, or change it if it exists",
	 WRITE, NAME_NEW, &host_words, HOST_TOLD, F(HOST_IP), fit_host, ON(HOST, cmd_replace)},
	{"host", "set", "NAME [ip IP [ip IP]] [zone ZONE|none] [key none | key KEY [key KEY]]",
	 "change the named settings; ip replaces the whole list; a new key is used after the host has answered by it",
	 WRITE, NAME_MUST, &host_words, HOST_TOLD, 0, fit_host_set, ON(HOST, cmd_set)},
	{"host", "del", "NAME",
	 "delete it; refused while endpoints live there. With -c: NAME [force on] deletes them, too",
	 WRITE, NAME_MUST, NULL, 0, 0, NULL, ON(HOST, cmd_del), .also = F(OPTION_FORCE)},
	{"host", "show", "[NAME]", "list the other hosts; -s: with counters",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_host_show, cmd_host_records},
	{"endpoint", "add", "NAME " ENDPOINT_WORDS,
	 "add a container's or VM's port, here or on another host; ip auto: a free address of each net of the tenant",
	 COUNT, NAME_NEW, &endpoint_words,
	 ALL_ENDPOINT, F(ENDPOINT_TENANT) | F(ENDPOINT_MAC), fit_endpoint, ON(ENDPOINT, cmd_add), .chosen = F(ENDPOINT_MAC)},
	{"endpoint", "replace", "NAME " ENDPOINT_WORDS, "add it, or change it if it exists",
	 COUNT, NAME_NEW, &endpoint_words,
	 ALL_ENDPOINT, F(ENDPOINT_TENANT) | F(ENDPOINT_MAC), fit_endpoint, ON(ENDPOINT, cmd_replace), .chosen = F(ENDPOINT_MAC)},
	{"endpoint", "set", "NAME [tenant T] [mac MAC|auto] [ip IP|auto]... [ip none] [dev DEV | host HOST]"
	 TO_WORDS LIMIT_WORDS OPTION_WORDS GROUP_WORD " [group none]",
	 "change the named settings; ip and group replace the whole list; dev or host moves it now, to-dev or to-host"
	 " when it announces itself there",
	 COUNT, NAME_MUST, &endpoint_words, ALL_ENDPOINT, 0, fit_endpoint_set, ON(ENDPOINT, cmd_set)},
	{"endpoint", "del", "NAME [tenant T]", "delete it, also if its device is gone",
	 COUNT, NAME_MUST, &endpoint_words, F(ENDPOINT_TENANT), 0, NULL, ON(ENDPOINT, cmd_del)},
	{"endpoint", "show", "[NAME] [tenant T]", "list endpoints, and where they live",
	 READ, NAME_MAY, &endpoint_words, F(ENDPOINT_TENANT), 0, NULL, cmd_endpoint_show,
	 cmd_endpoint_records},
	{"gateway", "add", GATEWAY_WORDS, "add a tenant's way out; without host each host serves its own endpoints; of several hosts the first serves, the others take over in this order",
	 WRITE, NAME_MUST, &gateway_words,
	 ALL_GATEWAY, F(GATEWAY_IP), fit_gateway, ON(GATEWAY, cmd_add)},
	{"gateway", "replace", GATEWAY_WORDS, "add it, or change it if it exists",
	 WRITE, NAME_MUST, &gateway_words,
	 ALL_GATEWAY, F(GATEWAY_IP), fit_gateway, ON(GATEWAY, cmd_replace)},
	{"gateway", "set",
	 "TENANT [ip CIDR]... [host none | host HOST [host|backup HOST]... [drain SECONDS]] [mac MAC] [nat on|off]"
	 " [snat none | snat IP [snat IP6]] [resolver none | resolver IP [resolver IP6]] [fast on|off] [metadata on|off]"
	 TRACKING_WORDS,
	 "change the named settings; ip, host, snat and resolver replace the whole list; another first host moves it;"
	 " drain: the old host keeps its flows for so long",
	 WRITE, NAME_MUST, &gateway_words,
	 ALL_GATEWAY | F(GATEWAY_DRAIN), 0, fit_gateway_set, ON(GATEWAY, cmd_set)},
	{"gateway", "del", "TENANT [force on|off]", "delete it; force: also its published ports and peerings",
	 WRITE, NAME_MUST, &option_words, F(OPTION_FORCE), 0, NULL, ON(GATEWAY, cmd_del)},
	{"gateway", "show", "[TENANT]", "list tenants' gateways, and which host serves each",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_gateway_show, cmd_gateway_records},
	{"gateway", "place", "(central host H | spread [host H [weight N]]... [load FILE]...) [drain SECONDS] [--apply]",
	 "print the commands that put all tenants' gateways on one host, or spread them over hosts by load;"
	 " FILE is another host's `stats show` in JSON; --apply runs them on this host",
	 WRITE, NAME_NONE, &option_words, ALL_PLACE, 0, fit_gateway_place, cmd_gateway_place},
	{"publish", "add", "TENANT proto tcp|udp port N to IP:PORT",
	 "lead a port of this host's addresses to an endpoint; IPv6: [IP]:PORT. With -c also host HOST",
	 WRITE, NAME_MUST, &publish_words, ALL_PUBLISH, ALL_PUBLISH, NULL, ON(PUBLISH, cmd_add), .also = F(PUBLISH_HOST)},
	{"publish", "del", "TENANT proto tcp|udp port N [to IP:PORT]",
	 "withdraw a published port; without to: for IPv4 and IPv6",
	 WRITE, NAME_MUST, &publish_words,
	 ALL_PUBLISH, F(PUBLISH_PROTO) | F(PUBLISH_PORT), NULL, ON(PUBLISH, cmd_del), .also = F(PUBLISH_HOST)},
	{"publish", "show", "[TENANT]", "list published ports; active: this host serves the gateway",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_publish_show, cmd_publish_records},
	{"peer", "add", "TENANT with TENANT [proto tcp|udp port N] [prefix CIDR]...",
	 "add one half: the second tenant may reach this part of the first; the way opens with the other half",
	 WRITE, NAME_MUST, &peer_words, ALL_PEER, F(PEER_WITH), fit_peer, ON(PEER, cmd_add)},
	{"peer", "del", "TENANT with TENANT", "remove that half, which closes the way at once",
	 WRITE, NAME_MUST, &peer_words, F(PEER_WITH), F(PEER_WITH), NULL, ON(PEER, cmd_del)},
	{"peer", "show", "[TENANT]", "list halves of peerings; open: both halves exist and allow something",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_peer_show, cmd_peer_records},
	{"group", "add", "TENANT NAME...", "add groups of a tenant's endpoints, for its policies",
	 WRITE, NAME_SEVERAL, NULL, 0, 0, fit_group, ON(GROUP, cmd_add)},
	{"group", "del", "TENANT NAME", "delete it; refused while an endpoint is in it or a policy names it",
	 WRITE, NAME_TWO, NULL, 0, 0, NULL, ON(GROUP, cmd_del)},
	{"group", "show", "[TENANT]", "list groups, with their numbers of endpoints and policies",
	 READ, NAME_MAY, NULL, 0, 0, NULL, cmd_group_show,
	 cmd_group_records},
	{"policy", "add", POLICY_WORDS,
	 "add a rule: which endpoints or networks may begin connections to which others; the highest priority (1..65535, default 1000) decides,"
	 " deny before allow",
	 WRITE, NAME_TWO_NEW, &policy_words, ALL_POLICY, F(POLICY_FROM) | F(POLICY_TO), fit_policy,
	 ON(POLICY, cmd_add)},
	{"policy", "replace", POLICY_WORDS, "add it, or change it if it exists",
	 WRITE, NAME_TWO_NEW, &policy_words, ALL_POLICY, F(POLICY_FROM) | F(POLICY_TO), fit_policy,
	 ON(POLICY, cmd_replace)},
	{"policy", "set",
	 "TENANT NAME [from (group G | cidr CIDR | any)] [to (group G | cidr CIDR | any)]"
	 " [proto any|tcp|udp|icmp|sctp] [port N|N-M|any] [action allow|deny] [priority N] [log on|off]",
	 "change the named settings",
	 WRITE, NAME_TWO, &policy_words, ALL_POLICY, 0, fit_policy_set, ON(POLICY, cmd_set)},
	{"policy", "del", "TENANT NAME", "delete it, which ends connections that only it had allowed",
	 WRITE, NAME_TWO, NULL, 0, 0, NULL, ON(POLICY, cmd_del)},
	{"policy", "show", "[TENANT [NAME]]", "list rules, with the frames that each has decided",
	 READ, NAME_TWO_MAY, NULL, 0, 0, NULL, cmd_policy_show,
	 cmd_policy_records},
	{"stats", "show", "[tenant T]", "print packets and bytes of each tenant",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT), 0, NULL, cmd_stats_show},
	{"stats", "drops", "[tenant T]", "print dropped packets and bytes, by reason and direction",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT), 0, NULL, cmd_stats_drops},
	{"stats", "policy", "[tenant T]", "print packets and bytes that each rule has decided; null: no rule",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT), 0, NULL, cmd_stats_policy},
	{"flows", "show", FLOWS_WORDS, FLOWS_HELP,
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT) | F(OPTION_TOP), 0, NULL, cmd_flows_show},
	{"flows", "export", "to IP:PORT [tenant T] [every SECONDS] [domain N]",
	 "send these flows to a collector by IPFIX, once; every: send new counts repeatedly",
	 READ, NAME_NONE, &option_words,
	 F(OPTION_TO) | F(OPTION_TENANT) | F(OPTION_EVERY) | F(OPTION_DOMAIN), F(OPTION_TO), NULL,
	 cmd_flows_export},
	{"flows", NULL, FLOWS_WORDS, "the same as flows show",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT) | F(OPTION_TOP), 0, NULL, cmd_flows_show},
	{"monitor", NULL, "[tenant T] [drops] [count N] [rate N]",
	 "print frames as they are sent or dropped; drops: only those; rate: at most N a second",
	 READ, NAME_NONE, &option_words,
	 F(OPTION_TENANT) | F(OPTION_DROPS) | F(OPTION_COUNT) | F(OPTION_RATE),
	 0, NULL, cmd_monitor},
	{"capture", NULL, "[tenant T] [endpoint E] [count N] [snaplen N] [write FILE]",
	 "write frames as they come in and go out, as pcapng for Wireshark",
	 READ, NAME_NONE, &option_words,
	 F(OPTION_TENANT) | F(OPTION_ENDPOINT) | F(OPTION_COUNT) | F(OPTION_SNAPLEN) |
	 F(OPTION_WRITE),
	 0, fit_capture, cmd_capture},
	{"trace", NULL,
	 "from ENDPOINT to (ENDPOINT | MAC | IP) [tenant T] [proto tcp|udp|icmp|arp|nd] [port N] [length N]"
	 " [mac MAC] [ip IP]",
	 "run the switch's program on that frame, once, and print each step; mac, ip: another source",
	 READ, NAME_NONE, &trace_words,
	 ALL_TRACE, F(TRACE_OF_FROM) | F(TRACE_OF_TO), fit_trace, cmd_trace},
	{"metrics", NULL, "[tenants on|off]",
	 "print all counters and how full the switch is, for Prometheus; tenants off: sums in place of each tenant's",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANTS), 0, NULL, cmd_metrics},
	{"top", NULL, "[interval SECONDS]",
	 "show tenants by rate, live; q ends it. Without a terminal, or with -j: once, over one interval",
	 READ, NAME_NONE, &option_words, F(OPTION_INTERVAL), 0, NULL, cmd_top},
	{"graph", NULL, "[tenant T] [policies]",
	 "print hosts, tenants, endpoints, gateways, peerings and published ports in Graphviz' DOT; policies: groups and rules instead",
	 READ, NAME_NONE, &option_words, F(OPTION_TENANT) | F(OPTION_POLICIES), 0, NULL, cmd_graph},
	{"save", NULL, "[known FILE]",
	 "print the whole state as JSON, for apply; known: an older FILE with the names of devices that are gone",
	 READ, NAME_NONE, &option_words, F(OPTION_KNOWN), 0, NULL, cmd_save, cmd_whole_save},
	{"apply", NULL, "FILE|- [name HOST] [wait SECONDS] [missing fail|skip]",
	 "make this host's switch equal to the file, and print the changes; name: which of the file's"
	 " hosts this is; wait: for devices; missing skip: leave out endpoints without device",
	 0, NAME_FILE, &option_words,
	 F(OPTION_NAME) | F(OPTION_WAIT) | F(OPTION_MISSING), 0, NULL, cmd_apply, cmd_whole_apply},
	{"diff", NULL, "FILE|- [name HOST]", "print what apply would change; exit status 1 if anything",
	 0, NAME_FILE, &option_words, F(OPTION_NAME), 0, NULL, cmd_diff, cmd_whole_diff},
	{"check", NULL, "", "with -c: check that the cluster's records agree with each other; without: the same as switch check",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_switch_check, cmd_whole_check},
	{"cluster", "join",
	 "etcd URL[,URL]... [name CLUSTER] [ca FILE] [cert FILE key FILE] [user USER password-file FILE]",
	 "make this host's switch a member of a cluster in etcd; again: update its record",
	 READ, NAME_NONE, &join_words, ALL_JOIN, F(JOIN_ETCD), fit_cluster_join, cmd_cluster_join},
	{"cluster", "leave", "[force on|off]",
	 "leave the cluster and remove this host's records; force: also while etcd does not answer, then they stay",
	 0, NAME_NONE, &option_words, F(OPTION_FORCE), 0, NULL, cmd_cluster_leave},
	{"cluster", "show", "[NAME]", "list etcd's members, and the cluster's hosts: which are alive and up to date",
	 0, NAME_MAY, NULL, 0, 0, NULL, cmd_cluster_show},
	{"cluster", "import", "FILE|-",
	 "add the content of a state file to the cluster's records; nothing is deleted",
	 0, NAME_FILE, NULL, 0, 0, NULL, cmd_cluster_import, cmd_cluster_import},
	{"cluster", "wait", "[host H]... [timeout SECONDS]",
	 "wait until all living hosts, or the named ones, have carried out the present records; default 30 s",
	 0, NAME_NONE, &option_words, F(OPTION_HOST) | F(OPTION_TIMEOUT), 0, NULL,
	 cmd_cluster_wait},
	{"cluster", "accept", "", "confirm that records were deleted on purpose: agents now delete those objects",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_cluster_accept},
	{"agent", NULL, "[once on|off] [probe MS] [hold SECONDS] [sync on|off]",
	 "keep this host's switch equal to the cluster's records; once: do it once and end",
	 0, NAME_NONE, &option_words, F(OPTION_TIMEOUT) - F(OPTION_ONCE), 0, NULL, cmd_agent},
	{"features", NULL, "", "print what this kernel offers tsw",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_features},
	{"version", NULL, "", "print versions of tsw, its ABI, libbpf and the kernel",
	 0, NAME_NONE, NULL, 0, 0, NULL, cmd_version},
	{NULL, NULL, NULL, NULL, 0, NAME_NONE, NULL, 0, 0, NULL, NULL},
};
/* clang-format on */
