/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lock that allows one agent for each instance, /run/tsw/INSTANCE.agent. The agent also writes
 * its status there. If nobody holds the lock, the agent has ended.
 */
#ifndef TSW_AGENT_STATUS_H
#define TSW_AGENT_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "agent/flows.h"
#include "agent/mender.h"
#include "agent/own_host.h"
#include "agent/prober.h"
#include "agent/unreached.h"

struct agent_status {
	__u32 size; /* of this structure; another version's status is ignored */
	__u32 connected;
	__s64 revision;		/* with which it is in step */
	__u64 last_event;	/* ns of CLOCK_REALTIME; 0: none yet */
	__u64 resyncs;		/* how often all records were read again */
	__u64 failed;		/* changes that this host cannot make */
	__u64 held;		/* deletions that wait for `cluster accept` */
	__u64 missing;		/* this host's endpoints whose device does not exist */
	__u64 orphans;		/* of these: a plugin made them, and their containers are gone */
	__u64 collected;	/* how many of such the agent has deleted */
	__u64 odd;		/* entries of etcd that were ignored, see etcd_odd() */
	char own[OWN_HOST_WHY]; /* see struct own_host */
	__u32 elsewhere;
	__u32 unknown; /* frames in the last minute from addresses that no host has */
	struct unreached unreached;
	struct prober_counts probes;
	struct flows_counts flows;
	struct mender_counts mender;
};

/* Takes the lock and returns its fd; closing it releases the lock. -EBUSY: another agent runs. */
int status_take(const char *instance);
/* The same, but waits up to MS for an `agent once` to end. */
int status_wait(const char *instance, unsigned int ms);
/* 0, or -EBUSY: an agent runs. Takes no lock, and makes no file. */
int status_look(const char *instance);
void status_write(int fd, const struct agent_status *status);

/* False: no agent runs, or only an `agent once`. */
bool status_read(const char *instance, struct agent_status *status);

/*
 * etcd answers a command: the agent is to ask it now, and not after its pause, which may be 30 s.
 * The command gives the directory of the switch's lock, PATH, a new time.
 */
enum { STATUS_WAKE_PATH = 128 };
void status_wake_path(const char *instance, char path[STATUS_WAKE_PATH]);
void status_wake(const char *instance);

/* Adds what the agent of a member knows to be wrong, for `switch check`. */
void status_check(const char *instance, json_t *problems, json_t *warnings);

#endif
