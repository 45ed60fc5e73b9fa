/* SPDX-License-Identifier: GPL-2.0-only */
/* `trace` on the bench of lab.h, whose header and user/'s name the maps alike. */
#ifndef TSW_TESTS_TRACE_LAB_H
#define TSW_TESTS_TRACE_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

#include "trace/frame.h"

/* A frame as `trace` makes it; from another host where HOST is given. */
struct trace_try {
	__u32 tenant;
	__u32 ifindex; /* where it comes in */
	__u32 host;
	const char *own; /* the MAC of the endpoint that sends, by which it has what it is asked */
	enum trace_proto proto;
	const char *src, *dst, *sip, *dip;
	__u32 length; /* 0: the usual */
};

void trace_lab_open(struct bpf_object *object, int from_port, int from_wire);
void trace_lab_close(void);

/* Explains it, runs it, and compares; what both came to is in TEXT. */
bool trace_lab_agrees(const struct trace_try *try, char *text, size_t len);

#endif
