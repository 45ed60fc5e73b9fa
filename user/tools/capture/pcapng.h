/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the PCAP Next Generation capture file format (draft-ietf-opsawg-pcapng): one section, with
 * one write for each block, so that the file can be read whatever happens to the writer.
 */
#ifndef TSW_TOOLS_CAPTURE_PCAPNG_H
#define TSW_TOOLS_CAPTURE_PCAPNG_H

#include <stdbool.h>

#include <tsw/abi.h>

struct pcapng {
	int fd;
	__u32 snap;
	__u64 size;    /* octets written in whole blocks */
	__u32 devices; /* interface blocks so far */
	__u8 *block;   /* the block that is being made */
	__u32 used;
	__u32 room;
};

struct pcapng_packet {
	__u32 device; /* as pcapng_device() returned it */
	__u64 time;   /* nanoseconds since 1970 */
	__u32 captured;
	__u32 length;
	const __u8 *data;
	const char *comment;
	bool outbound;
	__u64 id; /* the same for a packet that is captured at several places; 0: none */
};

/* All return 0 or -errno without a message. */
int pcapng_begin(struct pcapng *file, int fd, __u32 snap, const char *program);
/* Adds an Ethernet interface with times in nanoseconds. Returns its number, or -errno. */
int pcapng_device(struct pcapng *file, const char *name, const char *what);
int pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet);
/* Written at the end: how many of a device's packets were received and lost; LOST 0: unknown. */
int pcapng_statistics(struct pcapng *file, __u32 device, __u64 time, __u64 received, __u64 lost);
void pcapng_free(struct pcapng *file);

#endif
