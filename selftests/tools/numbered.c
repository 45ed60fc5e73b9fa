// SPDX-License-Identifier: GPL-2.0-only
/*
 * numbered ADDRESS PORT MILLISECONDS: sends numbered UDP datagrams to ADDRESS, one in so long,
 * and counts those that come from there. Each tells what its sender has seen. On SIGUSR1 a line of
 * JSON: what was sent, and of each way the first and the highest number, how many came, and how
 * many came twice; `way_there` as the other side told it last.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1 << 20 };

struct seen {
	uint32_t first, highest, count, twice;
};

struct datagram {
	uint32_t number;
	struct seen seen;
};

static uint8_t had[MOST];
static volatile sig_atomic_t asked;

static void ask(int signal)
{
	asked = signal;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void note(struct seen *s, uint32_t number)
{
	if (number >= MOST)
		return;
	if (had[number]++)
		s->twice++;
	else
		s->count++;
	if (!s->first)
		s->first = number;
	if (number > s->highest)
		s->highest = number;
}

static void print_way(const char *way, const struct seen *s)
{
	printf(", \"%s\": {\"first\": %u, \"highest\": %u, \"count\": %u, \"twice\": %u}", way,
	       s->first, s->highest, s->count, s->twice);
}

static void print(uint32_t sent, const struct seen *back, const struct seen *there)
{
	printf("{\"sent\": %u", sent);
	print_way("way_back", back);
	print_way("way_there", there);
	printf("}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = {.sin_family = AF_INET}, to = at;
	struct datagram out = {0}, in;
	struct seen there = {0};
	double next = now_ms(), step;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (argc != 4 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		return 2;
	at.sin_port = to.sin_port = htons((uint16_t)atoi(argv[2]));
	step = atof(argv[3]);
	if (bind(fd, (void *)&at, sizeof(at)) || connect(fd, (void *)&to, sizeof(to)))
		return 1;
	signal(SIGUSR1, ask);
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		double wait = next - now_ms();

		if (wait > 0 && poll(&p, 1, (int)wait + 1) > 0 &&
		    recv(fd, &in, sizeof(in), MSG_DONTWAIT) == sizeof(in)) {
			note(&out.seen, in.number);
			there = in.seen;
		}
		if (asked)
			print(out.number, &out.seen, &there);
		asked = 0;
		if (now_ms() < next)
			continue;
		out.number++;
		send(fd, &out, sizeof(out), MSG_DONTWAIT);
		/* What a pause has made late is not made up for. */
		next = now_ms() - next > 10 * step ? now_ms() + step : next + step;
	}
}
