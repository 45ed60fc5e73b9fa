// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "agent/quiet.h"

void quiet_begin(struct quiet *q)
{
	*q = (struct quiet){};
	pthread_mutex_init(&q->lock, NULL);
}

void quiet_end(struct quiet *q)
{
	pthread_mutex_destroy(&q->lock);
	free(q->all);
}

void quiet_put(struct quiet *q, struct quiet_host *all, size_t n)
{
	struct quiet_host *old;

	pthread_mutex_lock(&q->lock);
	old = q->all;
	q->all = all;
	q->n = n;
	pthread_mutex_unlock(&q->lock);
	free(old);
}

struct quiet_host *quiet_copy(struct quiet *q, size_t *n)
{
	struct quiet_host *copy = NULL;

	pthread_mutex_lock(&q->lock);
	if (q->n)
		copy = calloc(q->n, sizeof(*copy));
	*n = copy ? q->n : 0;
	if (copy)
		memcpy(copy, q->all, q->n * sizeof(*copy));
	pthread_mutex_unlock(&q->lock);
	return copy;
}
