// SPDX-License-Identifier: GPL-2.0-only
/* Leases, and the status of a member. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "etcd/call.h"

int etcd_lease(struct etcd *e, unsigned int seconds, __s64 *lease)
{
	EtcdPb__LeaseGrantRequest ask = ETCD_PB__LEASE_GRANT_REQUEST__INIT;
	EtcdPb__LeaseGrantResponse *answer;
	int err;

	*lease = 0;
	if (e->tell)
		return 0;
	ask.ttl = seconds;
	err = etcd_call(e, NULL, "Lease/LeaseGrant", &ask.base,
			&etcd_pb__lease_grant_response__descriptor, &answer);
	if (err)
		return err;
	err = etcd_see(e, answer->header);
	*lease = answer->id;
	if (!err && *answer->error)
		err = fail(EIO, "etcd refuses a lease: %s", quoted(answer->error));
	etcd_pb__lease_grant_response__free_unpacked(answer, NULL);
	return err;
}

/* The call is a stream, but one request and its answer are enough. */
int etcd_lease_keep(struct etcd *e, __s64 lease)
{
	EtcdPb__LeaseKeepAliveRequest ask = ETCD_PB__LEASE_KEEP_ALIVE_REQUEST__INIT;
	EtcdPb__LeaseKeepAliveResponse *answer;
	int err;

	ask.id = lease;
	err = etcd_call(e, NULL, "Lease/LeaseKeepAlive", &ask.base,
			&etcd_pb__lease_keep_alive_response__descriptor, &answer);
	if (err)
		return err;
	err = etcd_see(e, answer->header);
	if (!err && answer->ttl <= 0)
		err = fail(ENOENT, "the lease at etcd has ended");
	etcd_pb__lease_keep_alive_response__free_unpacked(answer, NULL);
	return err;
}

int etcd_lease_end(struct etcd *e, __s64 lease)
{
	EtcdPb__LeaseRevokeRequest ask = ETCD_PB__LEASE_REVOKE_REQUEST__INIT;
	EtcdPb__Nothing *answer;
	int err;

	ask.id = lease;
	err = etcd_call(e, NULL, "Lease/LeaseRevoke", &ask.base, &etcd_pb__nothing__descriptor,
			&answer);
	if (!err)
		etcd_pb__nothing__free_unpacked(answer, NULL);
	return err;
}

/* Errors are such as `memberID:8211f1d0f64f3269 alarm:NOSPACE ` and `etcdserver: no leader`. */
static void read_alarm(const EtcdPb__StatusResponse *answer, char *alarm, size_t room)
{
	static const char word[] = "alarm:";
	const char *at = NULL;
	size_t i;

	for (i = 0; !at && i < answer->n_errors; i++)
		at = strstr(answer->errors[i], word);
	if (at)
		snprintf(alarm, room, "%.*s", (int)strcspn(at + strlen(word), " "),
			 at + strlen(word));
}

int etcd_member(struct etcd *e, size_t i, struct etcd_member *member)
{
	EtcdPb__StatusRequest ask = ETCD_PB__STATUS_REQUEST__INIT;
	EtcdPb__StatusResponse *answer;
	int err;

	*member = (struct etcd_member){};
	if (i >= e->n)
		return fail(ENOENT, "there are only %zu URLs of etcd", e->n);
	snprintf(member->url, sizeof(member->url), "%s", e->member[i]);
	err = etcd_call(e, e->member[i], "Maintenance/Status", &ask.base,
			&etcd_pb__status_response__descriptor, &answer);
	if (err)
		return err;
	snprintf(member->version, sizeof(member->version), "%s", answer->version);
	read_alarm(answer, member->alarm, sizeof(member->alarm));
	member->led = answer->leader;
	member->leader = answer->header && answer->leader == answer->header->member_id;
	etcd_pb__status_response__free_unpacked(answer, NULL);
	return 0;
}
