/* SPDX-License-Identifier: GPL-2.0-only */
/* Which device of this host an endpoint uses: only the host's own index decides. */
#ifndef TSW_AGENT_OWN_DEVICE_H
#define TSW_AGENT_OWN_DEVICE_H

#include <jansson.h>

#include "agent/record_set.h"

struct own_device {
	const struct record *index; /* NULL: absent, or the endpoint is on another host */
	const char *field;	    /* of the record: HOST's device, `dev` or `to_dev` */
	json_t *claimed;	    /* the record's device, if the index has another; or NULL */
	bool named;		    /* the index has a device */
};

/*
 * Many may write an endpoint's record, `e/ID/NAME`. So its device at HOST is taken from HOST's own
 * index, `at/HOST/ID/NAME`, and put into VALUE, the record at KEY. False: VALUE places the endpoint
 * at HOST, but there is no index.
 */
bool own_device_read(const struct record_set *r, const char *host, const char *key, json_t *value,
		     struct own_device *own);
void own_device_end(struct own_device *own);

#endif
