// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "agent/own_device.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cluster/host_index.h"
#include "cluster/member.h"

void own_device_end(struct own_device *own)
{
	json_decref(own->claimed);
	own->claimed = NULL;
}

bool own_device_read(const struct record_set *r, const char *host, const char *key, json_t *value,
		     struct own_device *own)
{
	const bool comes = !strcmp(json_text_in(value, "to_host"), host);
	char index[MEMBER_KEY];
	json_t *device, *claimed;

	*own = (struct own_device){.field = comes ? "to_dev" : "dev"};
	if (!comes && strcmp(json_text_in(value, "host"), host) != 0)
		return true;
	snprintf(index, sizeof(index), "at/%s/%s", host, key + strlen("e/"));
	own->index = record_set_find(r, index);
	if (!own->index) {
		misuse("its index %s is missing", escaped(index));
		return false;
	}
	device = host_index_device(own->index->value);
	own->named = device;
	claimed = json_object_get(value, own->field);
	if (claimed && !json_equal(claimed, device))
		own->claimed = json_incref(claimed);
	if (device)
		json_object_set_new(value, own->field, device);
	else
		json_object_del(value, own->field);
	return true;
}
