// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command.h"
#include "cmd/cmd.h"

#define READ COMMAND_OPEN
#define WRITE (COMMAND_OPEN | COMMAND_WRITE)
#define COUNT (WRITE | COMMAND_COUNT)
/* The command of a switch, which is also that of the records with -c. */
#define ON(what, command) .run = (command), .cluster = (command), .kind = OBJECT_##what
#define F FIELD
#define ALL_UP                                                                 \
	(SWITCH_CHANGES | F(SWITCH_NAME) | F(SWITCH_PORT) | F(SWITCH_ATTACH) | \
	 F(SWITCH_MAX_ENDPOINTS) | F(SWITCH_MAX_TENANTS))
#define ALL_TENANT                                                                          \
	(F(TENANT_ID) | F(TENANT_ENCAP) | F(TENANT_MTU) | F(TENANT_BROADCAST) |             \
	 F(TENANT_RATE_OUT) | F(TENANT_RATE_IN) | F(TENANT_BURST) | F(TENANT_CONNECTIONS) | \
	 F(TENANT_HALF_OPEN) | TENANT_ANSWERED | F(TENANT_DESCRIPTION) | F(TENANT_POLICY) | \
	 F(TENANT_DEFAULT) | F(TENANT_FLOWS) | F(TENANT_FLOW_ENTRIES) | F(TENANT_MAX_ENDPOINTS))
#define ALL_ENDPOINT                                                               \
	(F(ENDPOINT_TENANT) | F(ENDPOINT_MAC) | F(ENDPOINT_IP) | F(ENDPOINT_DEV) | \
	 F(ENDPOINT_HOST) | ENDPOINT_TO | ENDPOINT_OPTIONS | ENDPOINT_LIMITS | F(ENDPOINT_GROUP))
#define ALL_GATEWAY /* `set` also takes drain */                                                 \
	(F(GATEWAY_IP) | F(GATEWAY_HOST) | F(GATEWAY_BACKUP) | F(GATEWAY_MAC) | F(GATEWAY_NAT) | \
	 F(GATEWAY_SNAT) | F(GATEWAY_RESOLVER) | F(GATEWAY_FAST) | F(GATEWAY_METADATA) |         \
	 GATEWAY_TRACKING)
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
#define ALL_POLICY                                                                             \
	(F(POLICY_FROM) | F(POLICY_TO) | F(POLICY_PROTO) | F(POLICY_PORT) | F(POLICY_ACTION) | \
	 F(POLICY_PRIORITY) | F(POLICY_LOG))
#define ALL_AGENT (F(OPTION_ONCE) | F(OPTION_PROBE) | F(OPTION_HOLD) | F(OPTION_SYNC))
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
	{.object = "switch", .verb = "up",
	 .synopsis = "dev DEV [dev DEV]... [local IP] [local IP6] [name HOST] [port N]"
		" [xdp auto|native|generic|off] [attach auto|tcx|clsact] [max-endpoints N] [max-tenants N] [zone ZONE]"
		ENCRYPT_WORDS CLOSED_WORDS,
	 .help = "start the switch on the underlay devices DEV",
	 .words = &switch_words, .takes = ALL_UP, .needs = F(SWITCH_DEV), .run = cmd_switch_up},
	{.object = "switch", .verb = "set",
	 .synopsis = "[dev DEV]... [local IP] [local IP6] [xdp auto|native|generic|off] [zone ZONE|none]"
		ENCRYPT_WORDS CLOSED_WORDS,
	 .help = "change the named settings; dev and closed replace the whole list",
	 .flags = WRITE, .words = &switch_words, .takes = SWITCH_CHANGES, .fit = fit_switch_set,
	 .run = cmd_switch_set},
	{.object = "switch", .verb = "show",
	 .synopsis = "",
	 .help = "print the switch's settings and how full it is",
	 .flags = READ, .run = cmd_switch_show},
	{.object = "switch", .verb = "check",
	 .synopsis = "",
	 .help = "compare maps, programs, devices and rules; exit status 1 if anything is wrong",
	 .run = cmd_switch_check},
	{.object = "switch", .verb = "gc",
	 .synopsis = "[dry-run on|off] [endpoints on|off]",
	 .help = "delete endpoints whose device is gone, and entries without an owner; endpoints off: only free ended connections of policies",
	 .flags = COMMAND_WRITE, .words = &option_words,
	 .takes = F(OPTION_DRY_RUN) | F(OPTION_ENDPOINTS), .run = cmd_switch_gc},
	{.object = "switch", .verb = "repair",
	 .synopsis = "",
	 .help = "repair what switch check finds; exit status 1 if anything is left",
	 .flags = COMMAND_WRITE, .run = cmd_switch_repair},
	{.object = "switch", .verb = "upgrade",
	 .synopsis = "",
	 .help = "give a running switch this tsw's programs, without loss; -f: also if it has them already",
	 .run = cmd_switch_upgrade},
	{.object = "switch", .verb = "rekey",
	 .synopsis = "[wait SECONDS] [force on|off]",
	 .help = "make a new key for encryption, without loss; run it again to continue; force: do not wait for all hosts",
	 .words = &option_words, .takes = F(OPTION_WAIT) | F(OPTION_FORCE),
	 .run = cmd_switch_rekey},
	{.object = "switch", .verb = "down",
	 .synopsis = "",
	 .help = "remove everything that tsw made, and nothing else",
	 .run = cmd_switch_down},
	{.object = "tenant", .verb = "add",
	 .synopsis = "NAME id N|auto " TENANT_WORDS,
	 .help = "make a tenant; id is 1..16777215 with vxlan and geneve, 1..4294967295 with gre; auto: the lowest free id",
	 .flags = WRITE, .name = NAME_NEW, .words = &tenant_words, .takes = ALL_TENANT,
	 .needs = F(TENANT_ID), .fit = fit_tenant, ON(TENANT, cmd_add), .chosen = F(TENANT_ID)},
	{.object = "tenant", .verb = "replace",
	 .synopsis = "NAME id N|auto " TENANT_WORDS,
	 .help = "add it, or change it if it exists",
	 .flags = WRITE, .name = NAME_NEW, .words = &tenant_words, .takes = ALL_TENANT,
	 .needs = F(TENANT_ID), .fit = fit_tenant, ON(TENANT, cmd_replace), .chosen = F(TENANT_ID)},
	{.object = "tenant", .verb = "set",
	 .synopsis = "NAME [id N|auto] " TENANT_WORDS " [net none]",
	 .help = "change the named settings; net replaces the whole list",
	 .flags = WRITE, .name = NAME_MUST, .words = &tenant_words, .takes = ALL_TENANT,
	 .fit = fit_tenant_set, ON(TENANT, cmd_set)},
	{.object = "tenant", .verb = "del",
	 .synopsis = "NAME [force on|off]",
	 .help = "delete it, and its groups and policies; force: also its endpoints and its gateway",
	 .flags = WRITE, .name = NAME_MUST, .words = &option_words, .takes = F(OPTION_FORCE),
	 ON(TENANT, cmd_del)},
	{.object = "tenant", .verb = "show",
	 .synopsis = "[NAME]",
	 .help = "list tenants, with the MTU that their endpoints must use; -s: with counters",
	 .flags = READ, .name = NAME_MAY, .run = cmd_tenant_show, .cluster = cmd_tenant_records},
	{.object = "host", .verb = "add",
	 .synopsis = "NAME ip IP [ip IP] [zone ZONE] [key KEY [key KEY]]",
	 .help = "add another machine with a switch, by its tunnel address, or one of each family; machines of one ZONE fail together",
	 .flags = WRITE, .name = NAME_NEW, .words = &host_words, .takes = HOST_TOLD,
	 .needs = F(HOST_IP), .fit = fit_host, ON(HOST, cmd_add)},
	{.object = "host", .verb = "replace",
	 .synopsis = "NAME ip IP [ip IP] [zone ZONE] [key KEY [key KEY]]",
	 .help = "add it, or change it if it exists",
	 .flags = WRITE, .name = NAME_NEW, .words = &host_words, .takes = HOST_TOLD,
	 .needs = F(HOST_IP), .fit = fit_host, ON(HOST, cmd_replace)},
	{.object = "host", .verb = "set",
	 .synopsis = "NAME [ip IP [ip IP]] [zone ZONE|none] [key none | key KEY [key KEY]]",
	 .help = "change the named settings; ip replaces the whole list; a new key is used after the host has answered by it",
	 .flags = WRITE, .name = NAME_MUST, .words = &host_words, .takes = HOST_TOLD,
	 .fit = fit_host_set, ON(HOST, cmd_set)},
	{.object = "host", .verb = "del",
	 .synopsis = "NAME",
	 .help = "delete it; refused while endpoints live there. With -c: NAME [force on] deletes them, too",
	 .flags = WRITE, .name = NAME_MUST, ON(HOST, cmd_del),
	 .also = F(OPTION_FORCE)},
	{.object = "host", .verb = "show",
	 .synopsis = "[NAME]",
	 .help = "list the other hosts; -s: with counters",
	 .flags = READ, .name = NAME_MAY, .run = cmd_host_show, .cluster = cmd_host_records},
	{.object = "endpoint", .verb = "add",
	 .synopsis = "NAME " ENDPOINT_WORDS,
	 .help = "add a container's or VM's port, here or on another host; ip auto: a free address of each net of the tenant",
	 .flags = COUNT, .name = NAME_NEW, .words = &endpoint_words, .takes = ALL_ENDPOINT,
	 .needs = F(ENDPOINT_TENANT) | F(ENDPOINT_MAC), .fit = fit_endpoint,
	 ON(ENDPOINT, cmd_add), .chosen = F(ENDPOINT_MAC)},
	{.object = "endpoint", .verb = "replace",
	 .synopsis = "NAME " ENDPOINT_WORDS,
	 .help = "add it, or change it if it exists",
	 .flags = COUNT, .name = NAME_NEW, .words = &endpoint_words, .takes = ALL_ENDPOINT,
	 .needs = F(ENDPOINT_TENANT) | F(ENDPOINT_MAC), .fit = fit_endpoint,
	 ON(ENDPOINT, cmd_replace),
	 .chosen = F(ENDPOINT_MAC)},
	{.object = "endpoint", .verb = "set",
	 .synopsis = "NAME [tenant T] [mac MAC|auto] [ip IP|auto]... [ip none] [dev DEV | host HOST]"
		TO_WORDS LIMIT_WORDS OPTION_WORDS GROUP_WORD " [group none]",
	 .help = "change the named settings; ip and group replace the whole list; dev or host moves it now, to-dev or to-host"
		" when it announces itself there",
	 .flags = COUNT, .name = NAME_MUST, .words = &endpoint_words, .takes = ALL_ENDPOINT,
	 .fit = fit_endpoint_set, ON(ENDPOINT, cmd_set)},
	{.object = "endpoint", .verb = "del",
	 .synopsis = "NAME [tenant T]",
	 .help = "delete it, also if its device is gone",
	 .flags = COUNT, .name = NAME_MUST, .words = &endpoint_words, .takes = F(ENDPOINT_TENANT),
	 ON(ENDPOINT, cmd_del)},
	{.object = "endpoint", .verb = "show",
	 .synopsis = "[NAME] [tenant T]",
	 .help = "list endpoints, and where they live",
	 .flags = READ, .name = NAME_MAY, .words = &endpoint_words, .takes = F(ENDPOINT_TENANT),
	 .run = cmd_endpoint_show, .cluster = cmd_endpoint_records},
	{.object = "gateway", .verb = "add",
	 .synopsis = GATEWAY_WORDS,
	 .help = "add a tenant's way out; without host each host serves its own endpoints; of several hosts the first serves, the others take over in this order",
	 .flags = WRITE, .name = NAME_MUST, .words = &gateway_words, .takes = ALL_GATEWAY,
	 .needs = F(GATEWAY_IP), .fit = fit_gateway, ON(GATEWAY, cmd_add)},
	{.object = "gateway", .verb = "replace",
	 .synopsis = GATEWAY_WORDS,
	 .help = "add it, or change it if it exists",
	 .flags = WRITE, .name = NAME_MUST, .words = &gateway_words, .takes = ALL_GATEWAY,
	 .needs = F(GATEWAY_IP), .fit = fit_gateway, ON(GATEWAY, cmd_replace)},
	{.object = "gateway", .verb = "set",
	 .synopsis = "TENANT [ip CIDR]... [host none | host HOST [host|backup HOST]... [drain SECONDS]] [mac MAC] [nat on|off]"
		" [snat none | snat IP [snat IP6]] [resolver none | resolver IP [resolver IP6]] [fast on|off] [metadata on|off]"
		TRACKING_WORDS,
	 .help = "change the named settings; ip, host, snat and resolver replace the whole list; another first host moves it;"
		" drain: the old host keeps its flows for so long",
	 .flags = WRITE, .name = NAME_MUST, .words = &gateway_words,
	 .takes = ALL_GATEWAY | F(GATEWAY_DRAIN), .fit = fit_gateway_set, ON(GATEWAY, cmd_set)},
	{.object = "gateway", .verb = "del",
	 .synopsis = "TENANT [force on|off]",
	 .help = "delete it; force: also its published ports and peerings",
	 .flags = WRITE, .name = NAME_MUST, .words = &option_words, .takes = F(OPTION_FORCE),
	 ON(GATEWAY, cmd_del)},
	{.object = "gateway", .verb = "show",
	 .synopsis = "[TENANT]",
	 .help = "list tenants' gateways, and which host serves each",
	 .flags = READ, .name = NAME_MAY, .run = cmd_gateway_show, .cluster = cmd_gateway_records},
	{.object = "gateway", .verb = "place",
	 .synopsis = "(central host H | spread [host H [weight N]]... [load FILE]...) [drain SECONDS] [--apply]",
	 .help = "print the commands that put all tenants' gateways on one host, or spread them over hosts by load;"
		" FILE is another host's `stats show` in JSON; --apply runs them on this host",
	 .flags = WRITE, .words = &option_words, .takes = ALL_PLACE, .fit = fit_gateway_place,
	 .run = cmd_gateway_place},
	{.object = "publish", .verb = "add",
	 .synopsis = "TENANT proto tcp|udp port N to IP:PORT",
	 .help = "lead a port of this host's addresses to an endpoint; IPv6: [IP]:PORT. With -c also host HOST",
	 .flags = WRITE, .name = NAME_MUST, .words = &publish_words, .takes = ALL_PUBLISH,
	 .needs = ALL_PUBLISH, ON(PUBLISH, cmd_add),
	 .also = F(PUBLISH_HOST)},
	{.object = "publish", .verb = "del",
	 .synopsis = "TENANT proto tcp|udp port N [to IP:PORT]",
	 .help = "withdraw a published port; without to: for IPv4 and IPv6",
	 .flags = WRITE, .name = NAME_MUST, .words = &publish_words, .takes = ALL_PUBLISH,
	 .needs = F(PUBLISH_PROTO) | F(PUBLISH_PORT), ON(PUBLISH, cmd_del),
	 .also = F(PUBLISH_HOST)},
	{.object = "publish", .verb = "show",
	 .synopsis = "[TENANT]",
	 .help = "list published ports; active: this host serves the gateway",
	 .flags = READ, .name = NAME_MAY, .run = cmd_publish_show, .cluster = cmd_publish_records},
	{.object = "peer", .verb = "add",
	 .synopsis = "TENANT with TENANT [proto tcp|udp port N] [prefix CIDR]...",
	 .help = "add one half: the second tenant may reach this part of the first; the way opens with the other half",
	 .flags = WRITE, .name = NAME_MUST, .words = &peer_words, .takes = ALL_PEER,
	 .needs = F(PEER_WITH), .fit = fit_peer, ON(PEER, cmd_add)},
	{.object = "peer", .verb = "del",
	 .synopsis = "TENANT with TENANT",
	 .help = "remove that half, which closes the way at once",
	 .flags = WRITE, .name = NAME_MUST, .words = &peer_words, .takes = F(PEER_WITH),
	 .needs = F(PEER_WITH), ON(PEER, cmd_del)},
	{.object = "peer", .verb = "show",
	 .synopsis = "[TENANT]",
	 .help = "list halves of peerings; open: both halves exist and allow something",
	 .flags = READ, .name = NAME_MAY, .run = cmd_peer_show, .cluster = cmd_peer_records},
	{.object = "group", .verb = "add",
	 .synopsis = "TENANT NAME...",
	 .help = "add groups of a tenant's endpoints, for its policies",
	 .flags = WRITE, .name = NAME_SEVERAL, .fit = fit_group, ON(GROUP, cmd_add)},
	{.object = "group", .verb = "del",
	 .synopsis = "TENANT NAME",
	 .help = "delete it; refused while an endpoint is in it or a policy names it",
	 .flags = WRITE, .name = NAME_TWO, ON(GROUP, cmd_del)},
	{.object = "group", .verb = "show",
	 .synopsis = "[TENANT]",
	 .help = "list groups, with their numbers of endpoints and policies",
	 .flags = READ, .name = NAME_MAY, .run = cmd_group_show, .cluster = cmd_group_records},
	{.object = "policy", .verb = "add",
	 .synopsis = POLICY_WORDS,
	 .help = "add a rule: which endpoints or networks may begin connections to which others; the highest priority (1..65535, default 1000) decides,"
		" deny before allow",
	 .flags = WRITE, .name = NAME_TWO_NEW, .words = &policy_words, .takes = ALL_POLICY,
	 .needs = F(POLICY_FROM) | F(POLICY_TO), .fit = fit_policy, ON(POLICY, cmd_add)},
	{.object = "policy", .verb = "replace",
	 .synopsis = POLICY_WORDS,
	 .help = "add it, or change it if it exists",
	 .flags = WRITE, .name = NAME_TWO_NEW, .words = &policy_words, .takes = ALL_POLICY,
	 .needs = F(POLICY_FROM) | F(POLICY_TO), .fit = fit_policy, ON(POLICY, cmd_replace)},
	{.object = "policy", .verb = "set",
	 .synopsis = "TENANT NAME [from (group G | cidr CIDR | any)] [to (group G | cidr CIDR | any)]"
		" [proto any|tcp|udp|icmp|sctp] [port N|N-M|any] [action allow|deny] [priority N] [log on|off]",
	 .help = "change the named settings",
	 .flags = WRITE, .name = NAME_TWO, .words = &policy_words, .takes = ALL_POLICY,
	 .fit = fit_policy_set, ON(POLICY, cmd_set)},
	{.object = "policy", .verb = "del",
	 .synopsis = "TENANT NAME",
	 .help = "delete it, which ends connections that only it had allowed",
	 .flags = WRITE, .name = NAME_TWO, ON(POLICY, cmd_del)},
	{.object = "policy", .verb = "show",
	 .synopsis = "[TENANT [NAME]]",
	 .help = "list rules, with the frames that each has decided",
	 .flags = READ, .name = NAME_TWO_MAY, .run = cmd_policy_show,
	 .cluster = cmd_policy_records},
	{.object = "stats", .verb = "show",
	 .synopsis = "[tenant T]",
	 .help = "print packets and bytes of each tenant",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT), .run = cmd_stats_show},
	{.object = "stats", .verb = "drops",
	 .synopsis = "[tenant T]",
	 .help = "print dropped packets and bytes, by reason and direction",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT), .run = cmd_stats_drops},
	{.object = "stats", .verb = "policy",
	 .synopsis = "[tenant T]",
	 .help = "print packets and bytes that each rule has decided; null: no rule",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT),
	 .run = cmd_stats_policy},
	{.object = "flows", .verb = "show",
	 .synopsis = FLOWS_WORDS,
	 .help = FLOWS_HELP,
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT) | F(OPTION_TOP),
	 .run = cmd_flows_show},
	{.object = "flows", .verb = "export",
	 .synopsis = "to IP:PORT [tenant T] [every SECONDS] [domain N]",
	 .help = "send these flows to a collector by IPFIX, once; every: send new counts repeatedly",
	 .flags = READ, .words = &option_words,
	 .takes = F(OPTION_TO) | F(OPTION_TENANT) | F(OPTION_EVERY) | F(OPTION_DOMAIN),
	 .needs = F(OPTION_TO), .run = cmd_flows_export},
	{.object = "flows",
	 .synopsis = FLOWS_WORDS,
	 .help = "the same as flows show",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT) | F(OPTION_TOP),
	 .run = cmd_flows_show},
	{.object = "monitor",
	 .synopsis = "[tenant T] [drops] [count N] [rate N]",
	 .help = "print frames as they are sent or dropped; drops: only those; rate: at most N a second",
	 .flags = READ, .words = &option_words,
	 .takes = F(OPTION_TENANT) | F(OPTION_DROPS) | F(OPTION_COUNT) | F(OPTION_RATE),
	 .run = cmd_monitor},
	{.object = "capture",
	 .synopsis = "[tenant T] [endpoint E] [count N] [snaplen N] [write FILE]",
	 .help = "write frames as they come in and go out, as pcapng for Wireshark",
	 .flags = READ, .words = &option_words,
	 .takes = F(OPTION_TENANT) | F(OPTION_ENDPOINT) | F(OPTION_COUNT) | F(OPTION_SNAPLEN) |
		F(OPTION_WRITE),
	 .fit = fit_capture, .run = cmd_capture},
	{.object = "trace",
	 .synopsis = "from ENDPOINT to (ENDPOINT | MAC | IP) [tenant T] [proto tcp|udp|icmp|arp|nd] [port N] [length N]"
		" [mac MAC] [ip IP]",
	 .help = "run the switch's program on that frame, once, and print each step; mac, ip: another source",
	 .flags = READ, .words = &trace_words, .takes = ALL_TRACE,
	 .needs = F(TRACE_OF_FROM) | F(TRACE_OF_TO), .fit = fit_trace, .run = cmd_trace},
	{.object = "metrics",
	 .synopsis = "[tenants on|off]",
	 .help = "print all counters and how full the switch is, for Prometheus; tenants off: sums in place of each tenant's",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANTS), .run = cmd_metrics},
	{.object = "top",
	 .synopsis = "[interval SECONDS]",
	 .help = "show tenants by rate, live; q ends it. Without a terminal, or with -j: once, over one interval",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_INTERVAL), .run = cmd_top},
	{.object = "graph",
	 .synopsis = "[tenant T] [policies]",
	 .help = "print hosts, tenants, endpoints, gateways, peerings and published ports in Graphviz' DOT; policies: groups and rules instead",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_TENANT) | F(OPTION_POLICIES),
	 .run = cmd_graph},
	{.object = "save",
	 .synopsis = "[known FILE]",
	 .help = "print the whole state as JSON, for apply; known: an older FILE with the names of devices that are gone",
	 .flags = READ, .words = &option_words, .takes = F(OPTION_KNOWN), .run = cmd_save,
	 .cluster = cmd_whole_save},
	{.object = "apply",
	 .synopsis = "FILE|- [name HOST] [wait SECONDS] [missing fail|skip]",
	 .help = "make this host's switch equal to the file, and print the changes; name: which of the file's"
		" hosts this is; wait: for devices; missing skip: leave out endpoints without device",
	 .name = NAME_FILE, .words = &option_words,
	 .takes = F(OPTION_NAME) | F(OPTION_WAIT) | F(OPTION_MISSING), .run = cmd_apply,
	 .cluster = cmd_whole_apply},
	{.object = "diff",
	 .synopsis = "FILE|- [name HOST]",
	 .help = "print what apply would change; exit status 1 if anything",
	 .name = NAME_FILE, .words = &option_words, .takes = F(OPTION_NAME), .run = cmd_diff,
	 .cluster = cmd_whole_diff},
	{.object = "check",
	 .synopsis = "",
	 .help = "with -c: check that the cluster's records agree with each other; without: the same as switch check",
	 .run = cmd_switch_check, .cluster = cmd_whole_check},
	{.object = "cluster", .verb = "join",
	 .synopsis = "etcd URL[,URL]... [name CLUSTER] [ca FILE] [cert FILE key FILE] [user USER password-file FILE]",
	 .help = "make this host's switch a member of a cluster in etcd; again: update its record",
	 .flags = READ, .words = &join_words, .takes = ALL_JOIN, .needs = F(JOIN_ETCD),
	 .fit = fit_cluster_join, .run = cmd_cluster_join},
	{.object = "cluster", .verb = "leave",
	 .synopsis = "[force on|off]",
	 .help = "leave the cluster and remove this host's records; force: also while etcd does not answer, then they stay",
	 .words = &option_words, .takes = F(OPTION_FORCE), .run = cmd_cluster_leave},
	{.object = "cluster", .verb = "show",
	 .synopsis = "[NAME]",
	 .help = "list etcd's members, and the cluster's hosts: which are alive and up to date",
	 .name = NAME_MAY, .run = cmd_cluster_show},
	{.object = "cluster", .verb = "import",
	 .synopsis = "FILE|-",
	 .help = "add the content of a state file to the cluster's records; nothing is deleted",
	 .name = NAME_FILE, .run = cmd_cluster_import, .cluster = cmd_cluster_import},
	{.object = "cluster", .verb = "wait",
	 .synopsis = "[host H]... [timeout SECONDS]",
	 .help = "wait until all living hosts, or the named ones, have carried out the present records; default 30 s",
	 .words = &option_words, .takes = F(OPTION_HOST) | F(OPTION_TIMEOUT),
	 .run = cmd_cluster_wait},
	{.object = "cluster", .verb = "accept",
	 .synopsis = "",
	 .help = "confirm that records were deleted on purpose: agents now delete those objects",
	 .run = cmd_cluster_accept},
	{.object = "agent",
	 .synopsis = "[once on|off] [probe MS] [hold SECONDS] [sync on|off]",
	 .help = "keep this host's switch equal to the cluster's records; once: do it once and end",
	 .words = &option_words, .takes = ALL_AGENT, .run = cmd_agent},
	{.object = "features",
	 .synopsis = "",
	 .help = "print what this kernel offers tsw",
	 .run = cmd_features},
	{.object = "version",
	 .synopsis = "",
	 .help = "print versions of tsw, its ABI, libbpf and the kernel",
	 .run = cmd_version},
	{},
};
/* clang-format on */
