// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/capture/pcapng.h"

/* Block types, section 11.1 of the draft, and option codes of sections 3.5, 4.1 to 4.3 and 4.6. */
enum {
	SECTION = 0x0a0d0d0a,
	INTERFACE = 1,
	STATISTICS = 5,
	PACKET = 6,
	ORDER_MAGIC = 0x1a2b3c4d,
	LINKTYPE_ETHERNET = 1,
};

enum {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_OS = 3,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_DESCRIPTION = 3,
	IF_TSRESOL = 9,
	EPB_FLAGS = 2,
	EPB_PACKETID = 5,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
};

enum { NANOSECONDS = 9, INBOUND = 1, OUTBOUND = 2, OPTION_MOST = 0xffff };

/* Appends, padded to 32 bits. */
static int put(struct pcapng *file, const void *data, __u32 len)
{
	__u32 padded = (len + 3) & ~3U;
	__u8 *block;

	if (file->used + padded > file->room) {
		block = realloc(file->block, file->used + padded + 4096);
		if (!block)
			return -ENOMEM;
		file->block = block;
		file->room = file->used + padded + 4096;
	}
	memset(file->block + file->used, 0, padded);
	if (len)
		memcpy(file->block + file->used, data, len);
	file->used += padded;
	return 0;
}

static int put32(struct pcapng *file, __u32 value)
{
	return put(file, &value, sizeof(value));
}

static int put_option(struct pcapng *file, __u16 code, const void *data, size_t len)
{
	const __u16 head[2] = {code, (__u16)len};

	if (len > OPTION_MOST)
		return -EMSGSIZE;
	return put(file, head, sizeof(head)) ?: put(file, data, (__u32)len);
}

static int put_text(struct pcapng *file, __u16 code, const char *text)
{
	return text && *text ? put_option(file, code, text, strlen(text)) : 0;
}

/* Begins a block. end() writes its length, which follows the type. */
static int begin(struct pcapng *file, __u32 type)
{
	file->used = 0;
	return put32(file, type) ?: put32(file, 0);
}

/* Removes a block that was written only in part, if the file can be cut. */
static int give_up(const struct pcapng *file, int err)
{
	struct stat st;

	if (!fstat(file->fd, &st) && S_ISREG(st.st_mode) && ftruncate(file->fd, (off_t)file->size))
		return -err; /* the first error counts */
	return -err;
}

/* Ends the options and the block, and writes it. */
static int end(struct pcapng *file)
{
	__u32 len = file->used + 8, done = 0;
	ssize_t n;
	int err = put_option(file, OPT_END, NULL, 0) ?: put32(file, len);

	if (err)
		return err;
	memcpy(file->block + 4, &len, sizeof(len));
	while (done < len) {
		n = write(file->fd, file->block + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return give_up(file, n ? errno : EIO);
		done += (__u32)n;
	}
	file->size += len;
	return 0;
}

int pcapng_begin(struct pcapng *file, int fd, __u32 snap, const char *program)
{
	static const __u16 version[2] = {1, 0};
	const __u64 unknown = ~0ULL; /* length of the section */
	struct utsname system = {};
	int err;

	*file = (struct pcapng){.fd = fd, .snap = snap};
	uname(&system);
	err = begin(file, SECTION) ?: put32(file, ORDER_MAGIC);
	err = err ?: put(file, version, sizeof(version));
	err = err ?: put(file, &unknown, sizeof(unknown));
	err = err ?: put_text(file, SHB_OS, system.release);
	err = err ?: put_text(file, SHB_USERAPPL, program);
	return err ?: end(file);
}

int pcapng_device(struct pcapng *file, const char *name, const char *what)
{
	static const __u16 type[2] = {LINKTYPE_ETHERNET, 0};
	static const __u8 resolution = NANOSECONDS;
	int err = begin(file, INTERFACE) ?: put(file, type, sizeof(type));

	err = err ?: put32(file, file->snap);
	err = err ?: put_text(file, IF_NAME, name);
	err = err ?: put_text(file, IF_DESCRIPTION, what);
	err = err ?: put_option(file, IF_TSRESOL, &resolution, sizeof(resolution));
	err = err ?: end(file);
	return err ?: (int)file->devices++;
}

static int put_time(struct pcapng *file, __u64 time)
{
	return put32(file, (__u32)(time >> 32)) ?: put32(file, (__u32)time);
}

int pcapng_packet(struct pcapng *file, const struct pcapng_packet *packet)
{
	const __u32 flags = packet->outbound ? OUTBOUND : INBOUND;
	int err = begin(file, PACKET) ?: put32(file, packet->device);

	err = err ?: put_time(file, packet->time);
	err = err ?: put32(file, packet->captured);
	err = err ?: put32(file, packet->length);
	err = err ?: put(file, packet->data, packet->captured);
	err = err ?: put_text(file, OPT_COMMENT, packet->comment);
	err = err ?: put_option(file, EPB_FLAGS, &flags, sizeof(flags));
	if (packet->id)
		err = err ?: put_option(file, EPB_PACKETID, &packet->id, sizeof(packet->id));
	return err ?: end(file);
}

int pcapng_statistics(struct pcapng *file, __u32 device, __u64 time, __u64 received, __u64 lost)
{
	int err = begin(file, STATISTICS) ?: put32(file, device);

	err = err ?: put_time(file, time);
	err = err ?: put_option(file, ISB_IFRECV, &received, sizeof(received));
	err = err ?: put_option(file, ISB_IFDROP, &lost, sizeof(lost));
	return err ?: end(file);
}

void pcapng_free(struct pcapng *file)
{
	free(file->block);
	file->block = NULL;
}
