/* SPDX-License-Identifier: GPL-2.0-only */
/* The container's network namespace, CNI_NETNS. */
#ifndef TSW_CNI_CONTAINER_NS_H
#define TSW_CNI_CONTAINER_NS_H

#include "cni/cni.h"

/* Opens it, and checks that it is not the host's own. Returns an fd. */
int container_ns_open(struct cni *c);

/* The thread enters it. Returns an fd for container_ns_leave(), which keeps failure(). */
int container_ns_enter(struct cni *c);
int container_ns_leave(int home);

#endif
