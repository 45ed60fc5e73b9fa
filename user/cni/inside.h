/* SPDX-License-Identifier: GPL-2.0-only */
/* The container's network namespace, CNI_NETNS. */
#ifndef TSW_CNI_INSIDE_H
#define TSW_CNI_INSIDE_H

#include "cni/cni.h"

/* An fd of it, which is not the host's own. */
int inside_open(struct cni *c);

/* This thread goes there; an fd of the way back, for inside_leave(), which keeps the failure. */
int inside_enter(struct cni *c);
int inside_leave(int home);

#endif
