// SPDX-License-Identifier: GPL-2.0-only
#include "agent/status.h"
#include "cluster/member.h"
#include "tools/metrics/parts.h"

static void print_probes(struct expo *x, const struct prober_counts *probes)
{
	expo_total(x, "tsw_agent_probes_lost_total",
		   "Probes that ranked hosts of gateways did not answer.", probes->lost);
	expo_total(x, "tsw_agent_flips_total",
		   "Times that the agent moved a gateway to another of its ranked hosts.",
		   probes->flips);
	expo_one(x, "tsw_agent_silent_hosts",
		 "Ranked hosts of gateways that do not answer any more.", probes->silent);
}

static void print_flows(struct expo *x, const struct flows_counts *flows)
{
	expo_total(x, "tsw_agent_flows_sent_total",
		   "Reports of flows that this host sent to the gateways' other hosts.",
		   flows->sent);
	expo_total(x, "tsw_agent_flows_received_total",
		   "Reports of flows that this host received from them and accepted.",
		   flows->received);
	expo_total(x, "tsw_agent_flows_refused_total",
		   "Datagrams or reports of flows that this host refused.", flows->refused);
}

void metrics_agent(struct expo *x)
{
	struct agent_status status;
	const bool runs = status_read(x->instance, &status);

	if (!member_is(x->instance))
		return;
	expo_one(x, "tsw_agent_up", "Does this host's agent run?", runs);
	if (!runs)
		return;
	expo_one(x, "tsw_agent_connected", "Does etcd answer it and let it read the records?",
		 status.connected);
	expo_one(x, "tsw_agent_revision", "Revision of the records that it knows.",
		 (__u64)status.revision);
	expo_begin(x, "tsw_agent_last_event_seconds", EXPO_GAUGE,
		   "When a record changed last that concerns this host, in seconds since 1970; 0: "
		   "not since the agent began.");
	expo_seconds(x, status.last_event);
	expo_end(x);
	expo_total(x, "tsw_agent_resyncs_total", "Times that all records had to be read again.",
		   status.resyncs);
	expo_one(x, "tsw_agent_failed_changes", "Changes that this host cannot make.",
		 status.failed);
	expo_one(x, "tsw_agent_held_deletions",
		 "Deletions that wait for `tsw cluster accept`: their records are gone by mistake, "
		 "or so it looks.",
		 status.held);
	expo_one(x, "tsw_agent_missing_devices",
		 "Endpoints of this host whose device is not there.", status.missing);
	expo_one(x, "tsw_agent_orphan_endpoints",
		 "Records of this host's containers that are gone; the agent deletes them.",
		 status.orphans);
	expo_total(x, "tsw_agent_orphans_deleted_total",
		   "Records of containers that are gone which the agent has deleted.",
		   status.collected);
	expo_total(x, "tsw_agent_entries_refused_total",
		   "Keys and values that etcd told of and that were left out.", status.odd);
	expo_total(x, "tsw_agent_repairs_total",
		   "Repairs of what others broke: devices, programs, pins, the router.",
		   status.mender.repairs);
	expo_one(x, "tsw_agent_unrepaired", "Problems that the last repair left.",
		 status.mender.left);
	expo_one(x, "tsw_agent_unreached_hosts",
		 "Hosts whose agent is alive, and that do not answer this host.",
		 status.unreached.n);
	expo_one(x, "tsw_agent_own_address_wrong",
		 "Do other hosts send to an address that this host does not have?", !!*status.own);
	print_probes(x, &status.probes);
	print_flows(x, &status.flows);
}
