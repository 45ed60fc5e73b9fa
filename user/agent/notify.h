/* SPDX-License-Identifier: GPL-2.0-only */
/* What a service manager wants to know, by sd_notify(3)'s protocol. */
#ifndef TSW_AGENT_NOTIFY_H
#define TSW_AGENT_NOTIFY_H

/* STATE: lines as `READY=1`. Where nobody asked nothing happens. */
void notify_manager(const char *state);

#endif
