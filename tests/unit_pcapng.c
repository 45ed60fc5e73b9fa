// SPDX-License-Identifier: GPL-2.0-only
/* The capture file: blocks are whole and padded, options are where the draft wants them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tools/capture/pcapng.h"

#include <cmocka.h>

enum { OPTION_MOST = 0xffff };

static __u8 content[1 << 18];
static size_t length;

static void read_back(int fd)
{
	ssize_t n = pread(fd, content, sizeof(content), 0);

	assert_true(n >= 0);
	length = (size_t)n;
}

static __u32 word(size_t at)
{
	__u32 value;

	assert_true(at + 4 <= length);
	memcpy(&value, content + at, 4);
	return value;
}

/* Where the N-th block begins; each one says its length at both ends. */
static size_t block(int n)
{
	size_t at = 0;

	while (n--)
		at += word(at + 4);
	assert_int_equal(word(at + 4) % 4, 0);
	assert_int_equal(word(at + word(at + 4) - 4), word(at + 4));
	return at;
}

/* The option with that code, of those that begin at AT; its length. */
static size_t option(size_t at, __u16 code, const __u8 **value)
{
	while ((word(at) & 0xffff) != code) {
		assert_int_not_equal(word(at) & 0xffff, 0);
		at += 4 + ((word(at) >> 16) + 3) / 4 * 4;
	}
	*value = content + at + 4;
	return word(at) >> 16;
}

static void statistics(size_t at)
{
	const __u8 *value;
	__u64 number;

	assert_int_equal(word(at), 5);
	assert_int_equal(option(at + 20, 5, &value), 8);
	memcpy(&number, value, 8);
	assert_int_equal(number, 3);
	assert_int_equal(word(at + 12), 0x11223344);
	assert_int_equal(word(at + 16), 0x55667788);
	assert_int_equal(option(at + 20, 4, &value), 8);
	memcpy(&number, value, 8);
	assert_int_equal(number, 7);
}

static void blocks(void **state)
{
	const __u8 frame[] = {1, 2, 3, 4, 5, 6, 7};
	const struct pcapng_packet packet = {.device = 1,
					     .time = 0x123456789abcdefULL,
					     .captured = sizeof(frame),
					     .length = 1500,
					     .data = frame,
					     .comment = "tenant red",
					     .outbound = true,
					     .id = 0x1122334455667788ULL};
	int fd = memfd_create("pcapng", 0);
	struct pcapng file;
	const __u8 *value;
	size_t at;

	(void)state;
	assert_int_equal(pcapng_begin(&file, fd, 1000, "tsw"), 0);
	assert_int_equal(pcapng_device(&file, "eth0", "wire"), 0);
	assert_int_equal(pcapng_device(&file, "a", NULL), 1);
	assert_int_equal(pcapng_packet(&file, &packet), 0);
	assert_int_equal(pcapng_statistics(&file, 1, 0x1122334455667788ULL, 7, 3), 0);
	read_back(fd);
	assert_int_equal(word(0), 0x0a0d0d0a);
	assert_int_equal(word(8), 0x1a2b3c4d);
	at = block(1);
	assert_int_equal(word(at), 1);
	assert_int_equal(word(at + 8), 1);
	assert_int_equal(word(at + 12), 1000);
	assert_int_equal(option(at + 16, 2, &value), 4);
	assert_memory_equal(value, "eth0", 4);
	assert_int_equal(option(at + 16, 9, &value), 1);
	assert_int_equal(*value, 9);
	at = block(3);
	assert_int_equal(word(at), 6);
	assert_int_equal(word(at + 8), 1);
	assert_int_equal(word(at + 12), 0x1234567);
	assert_int_equal(word(at + 16), 0x89abcdef);
	assert_int_equal(word(at + 20), 7);
	assert_int_equal(word(at + 24), 1500);
	assert_memory_equal(content + at + 28, frame, 7);
	assert_int_equal(content[at + 35], 0);
	assert_int_equal(option(at + 36, 1, &value), 10);
	assert_memory_equal(value, "tenant red", 10);
	assert_int_equal(option(at + 36, 2, &value), 4);
	assert_int_equal(*value, 2);
	assert_int_equal(option(at + 36, 5, &value), 8);
	assert_memory_equal(value, &packet.id, 8);
	statistics(block(4));
	assert_int_equal(file.size, length);
	pcapng_free(&file);
	close(fd);
}

static bool has_option(size_t at, __u16 code)
{
	while ((word(at) & 0xffff) != code && (word(at) & 0xffff))
		at += 4 + ((word(at) >> 16) + 3) / 4 * 4;
	return (word(at) & 0xffff) == code;
}

/* Who wrote it, on what; and what is not known has no option. */
static void options(void **state)
{
	const __u8 frame[] = {1, 2, 3, 4};
	const struct pcapng_packet packet = {
		.captured = sizeof(frame), .length = sizeof(frame), .data = frame, .comment = ""};
	int fd = memfd_create("pcapng", 0);
	struct utsname system;
	struct pcapng file;
	const __u8 *value;
	size_t at;

	(void)state;
	uname(&system);
	assert_int_equal(pcapng_begin(&file, fd, 0, "tsw 1"), 0);
	assert_int_equal(pcapng_device(&file, "eth0", "wire"), 0);
	assert_int_equal(pcapng_device(&file, "eth1", NULL), 1);
	assert_int_equal(pcapng_packet(&file, &packet), 0);
	read_back(fd);
	assert_int_equal(word(12), 1); /* version 1.0 */
	assert_int_equal(word(16), 0xffffffff);
	assert_int_equal(word(20), 0xffffffff);
	assert_int_equal(option(24, 3, &value), strlen(system.release));
	assert_memory_equal(value, system.release, strlen(system.release));
	assert_int_equal(option(24, 4, &value), 5);
	assert_memory_equal(value, "tsw 1", 5);
	assert_int_equal(option(block(1) + 16, 3, &value), 4);
	assert_memory_equal(value, "wire", 4);
	assert_false(has_option(block(2) + 16, 3));
	at = block(3) + 28 + sizeof(frame);
	assert_false(has_option(at, 1));
	assert_false(has_option(at, 5));
	assert_int_equal(option(at, 2, &value), 4);
	assert_int_equal(*value, 1); /* inbound */
	pcapng_free(&file);
	close(fd);
}

/* An option's length has 16 bits: what is longer is refused and leaves nothing. */
static void long_comment(void **state)
{
	static char comment[OPTION_MOST + 2];
	const struct pcapng_packet packet = {.comment = comment};
	int fd = memfd_create("pcapng", 0);
	struct pcapng file;
	const __u8 *value;

	(void)state;
	assert_int_equal(pcapng_begin(&file, fd, 0, "tsw"), 0);
	memset(comment, 'x', OPTION_MOST + 1);
	assert_int_equal(pcapng_packet(&file, &packet), -EMSGSIZE);
	comment[OPTION_MOST] = '\0';
	assert_int_equal(pcapng_packet(&file, &packet), 0);
	read_back(fd);
	assert_int_equal(option(block(1) + 28, 1, &value), OPTION_MOST);
	assert_int_equal(file.size, length);
	pcapng_free(&file);
	close(fd);
}

/*
 * A reader who takes what there is each second time that the writer is interrupted: the first time
 * a part was written, the second time nothing.
 */
static int drain;

static void read_some(int number)
{
	static unsigned int calls;
	ssize_t n = 0;

	if (!number || ++calls % 2)
		n = read(drain, content + length, sizeof(content) - length);
	if (n > 0)
		length += (size_t)n;
}

/* Into a pipe, where a block goes in parts and with signals between them. */
static void slow_reader(void **state)
{
	static const __u8 frame[60000] = {1, [59999] = 2};
	const struct sigaction act = {.sa_handler = read_some}; /* no SA_RESTART */
	const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {};
	const struct pcapng_packet packet = {
		.captured = sizeof(frame), .length = sizeof(frame), .data = frame};
	struct sigaction before;
	struct pcapng file;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
	drain = ends[0];
	length = 0;
	sigaction(SIGALRM, &act, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(pcapng_begin(&file, ends[1], 65535, "tsw"), 0);
	assert_int_equal(pcapng_packet(&file, &packet), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	read_some(0);
	assert_int_equal(length, file.size);
	assert_memory_equal(content + block(1) + 28, frame, sizeof(frame));
	pcapng_free(&file);
	close(ends[0]);
	close(ends[1]);
}

/* What is there is always whole: a block that does not fit leaves none of itself. */
static void no_room(void **state)
{
	const __u8 frame[4096] = {};
	const struct pcapng_packet packet = {
		.captured = sizeof(frame), .length = sizeof(frame), .data = frame};
	int fd = memfd_create("pcapng", MFD_ALLOW_SEALING), i;
	struct pcapng file;

	(void)state;
	assert_int_equal(pcapng_begin(&file, fd, 65000, "tsw"), 0);
	assert_int_equal(pcapng_device(&file, "eth0", NULL), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(pcapng_packet(&file, &packet), 0);
	/* As if the disk were full. */
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	assert_int_equal(pcapng_packet(&file, &packet), -EPERM);
	read_back(fd);
	assert_int_equal(length, file.size);
	assert_int_equal(word(block(4)), 6);
	pcapng_free(&file);
	close(fd);
}

static void full_device(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct pcapng file;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pcapng_begin(&file, fd, 65000, "tsw"), -ENOSPC);
	assert_int_equal(file.size, 0);
	pcapng_free(&file);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),	cmocka_unit_test(options),
		cmocka_unit_test(long_comment), cmocka_unit_test(slow_reader),
		cmocka_unit_test(no_room),	cmocka_unit_test(full_device),
	};

	return cmocka_run_group_tests_name("pcapng", tests, NULL, NULL);
}
