/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carries out requests for objects, by a command or a program. GIVEN has a bit FIELD() of the
 * object's table for each field that the request names; HOW says what the others get. The caller
 * has checked each value by itself, and these functions check it against the switch.
 */
#ifndef TSW_SPEC_H
#define TSW_SPEC_H

#include <tsw/object.h>

#include "record/endpoint_find.h"
#include "record/fields.h"
#include "record/policy_find.h"
#include "rules/rules.h"
#include "store/tsw.h"

/* -EINVAL: the name is NO_HOST, which stands for no host. */
int spec_check_host(const struct tsw_name *name);
int spec_host(struct tsw *t, const struct tsw_host_spec *spec, __u64 given, enum spec_how how);

int spec_tenant(struct tsw *t, const struct tsw_tenant_spec *spec, __u64 given, enum spec_how how);
/* -EINVAL: the encapsulation cannot carry the id that is given. */
int spec_check_id(const struct tsw_tenant_spec *spec, __u64 given);
int spec_get_tenant(const struct tsw *t, const struct tsw_name *name, struct tsw_tenant_spec *spec);

/* -EINVAL: neither dev nor host is given, or both. */
int spec_check_place(__u64 given);
/* -EINVAL: both to-dev and to-host are given. */
int spec_check_to(__u64 given);
int spec_endpoint(struct tsw *t, const struct tsw_endpoint_spec *spec, __u64 given,
		  enum spec_how how);
int spec_get_endpoint(const struct tsw *t, const struct endpoint *ep,
		      struct tsw_endpoint_spec *spec);
/* The same, with TENANT, the name of its tenant, and GROUPS, which has the tenant's. */
struct tsw_endpoint_spec endpoint_to_spec(const struct tsw *t, const struct endpoint *ep,
					  const char *tenant, const struct policy_groups *groups);

/* -EINVAL: the values contradict each other. */
int spec_check_gateway(const struct tsw_gateway_spec *spec, __u64 given);
int spec_gateway(struct tsw *t, const struct tsw_name *tenant, const struct tsw_gateway_spec *spec,
		 __u64 given, enum spec_how how);
int spec_get_gateway(const struct tsw *t, const struct tsw_gateway *gw,
		     struct tsw_gateway_spec *spec);

int spec_policy(struct tsw *t, const struct tsw_name *tenant, const struct tsw_policy_spec *spec,
		__u64 given, enum spec_how how);
int spec_policy_del(struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name);
int spec_get_policy(const struct tsw *t, const struct tsw_name *tenant, const struct tsw_name *name,
		    struct tsw_policy_spec *spec);

int spec_publish(struct tsw *t, const struct tsw_name *tenant, const struct tsw_publish_spec *spec,
		 bool del);
/* -EINVAL: only one of protocol and port is given. */
int spec_check_peer(__u64 given);
int spec_peer(struct tsw *t, const struct tsw_peer_spec *spec);

#endif
