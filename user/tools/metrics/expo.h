/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics in Prometheus' text exposition format 0.0.4, or the same as JSON. The samples of a family
 * stand between expo_begin() and expo_end().
 */
#ifndef TSW_TOOLS_METRICS_EXPO_H
#define TSW_TOOLS_METRICS_EXPO_H

#include "cli/out.h"

#include <tsw/abi.h>

enum expo_type { EXPO_GAUGE, EXPO_COUNTER };

enum { EXPO_LABELS = 8 };

struct expo {
	struct out *out;
	const char *instance; /* label `switch` of each sample */
	const char *name;     /* of the family */
	json_t *family;
	json_t *samples;
	struct {
		const char *key;
		const char *value;
	} label[EXPO_LABELS];
	unsigned int n; /* labels of the next sample */
};

void expo_begin(struct expo *x, const char *name, enum expo_type type, const char *help);
void expo_end(struct expo *x);

/* Adds a label to the next sample. VALUE must stay valid until then. */
void expo_label(struct expo *x, const char *key, const char *value);
void expo_value(struct expo *x, __u64 value);
void expo_seconds(struct expo *x, __u64 ns);

/* A sample with one more label. */
void expo_of(struct expo *x, const char *key, const char *label, __u64 value);

/* A family of one sample without further labels: a gauge, and a counter. */
void expo_one(struct expo *x, const char *name, const char *help, __u64 value);
void expo_total(struct expo *x, const char *name, const char *help, __u64 value);

/* Escapes a label's value for the format: UTF-8 on one line, cut to ROOM. */
void expo_escape(const char *text, char *out, size_t room);

#endif
