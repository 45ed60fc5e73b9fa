/* SPDX-License-Identifier: GPL-2.0-only */
/* Tells the service manager how the agent is, by the protocol of sd_notify(3). */
#ifndef TSW_AGENT_NOTIFY_H
#define TSW_AGENT_NOTIFY_H

/* STATE: lines such as `READY=1`. Does nothing if no manager asks. */
void notify_manager(const char *state);

#endif
