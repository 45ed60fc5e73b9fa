/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TSW_NETNS_H
#define TSW_NETNS_H

/* Moves this process into a network namespace, by name or by path; pins stay where they are. */
int netns_enter(const char *netns);

#endif
