// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames a second from one network namespace to a UDP socket in another, and as JSON how many were
 * sent and how many of them came.
 *
 * Packet sockets put whole frames with UDP on the device, past the queueing discipline, many by one
 * system call. A ring, PACKET_TX_RING, is slower: its frames are pages that the far end has to copy
 * from. What arrived is the far stack's own count of datagrams (/proc/net/snmp), which costs
 * nothing. Nobody reads the socket, so its buffer is full at once, and each further datagram is
 * dropped there, the same way for all that is compared.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/netns_move.h"
#include "program.h"

enum { LENGTH_MIN = 14 + 20 + 8, LENGTH_MAX = 9014, BATCH = 64, THREADS_MAX = 16, PORT = 9 };
enum { FIRST_PORT = 20000, PORTS_MAX = 40000, ADDRESSES_MAX = 64 };

struct options {
	const char *from, *to, *dev;
	struct tsw_addr ip;
	struct tsw_mac mac;
	__u32 length, ms, threads, ports, addresses;
};

struct sender {
	const struct options *o;
	pthread_t thread;
	__u32 n;
	int fd;
	int err;
	__u32 flow; /* of the next frame, where there are more than a batch has frames */
	unsigned long long sent;
	unsigned char frames[BATCH][LENGTH_MAX];
};

/* ---- the far end -------------------------------------------------------------------- */

struct far {
	int sink, snmp;
};

static int far_open(const struct options *o, struct far *far)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int one = 1, err = netns_enter(o->to);

	if (err)
		return err;
	far->sink = socket(AF_INET, SOCK_DGRAM, 0);
	if (far->sink < 0 || bind(far->sink, (struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(far->sink, IPPROTO_IP, IP_PKTINFO, &one, sizeof(one)))
		return fail(errno, "cannot have UDP port %u in %s: %s", PORT, quoted(o->to),
			    strerror(errno));
	/* It stays that of this namespace. */
	far->snmp = open("/proc/thread-self/net/snmp", O_RDONLY);
	return far->snmp < 0 ? fail(errno, "/proc/net/snmp: %s", strerror(errno)) : 0;
}

/* From now on nobody reads it. */
static int far_full(const struct far *far)
{
	int least = 1;

	if (setsockopt(far->sink, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)))
		return fail(errno, "socket buffer: %s", strerror(errno));
	return 0;
}

/* Takes a batch, or what has come of it, and sends it back from the addresses that it came to. */
static void far_answer(const struct far *far)
{
	static struct sockaddr_in who[BATCH];
	static char data[BATCH][64], control[BATCH][64];
	struct pollfd ready = {.fd = far->sink, .events = POLLIN};
	struct mmsghdr messages[BATCH] = {};
	struct iovec parts[BATCH];
	int got = 0, n;

	for (int i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){data[i], sizeof(data[i])};
		messages[i].msg_hdr = (struct msghdr){.msg_name = &who[i],
						      .msg_namelen = sizeof(who[i]),
						      .msg_iov = &parts[i],
						      .msg_iovlen = 1,
						      .msg_control = control[i],
						      .msg_controllen = sizeof(control[i])};
	}
	while (got < BATCH && poll(&ready, 1, 20) > 0) {
		n = recvmmsg(far->sink, messages + got, (unsigned int)(BATCH - got), MSG_DONTWAIT,
			     NULL);
		if (n <= 0)
			break;
		sendmmsg(far->sink, messages + got, (unsigned int)n, 0);
		got += n;
	}
}

/* Datagrams that came to the far end, taken or not. */
static int far_count(const struct far *far, unsigned long long *count)
{
	unsigned long long in, no_port, errors;
	char text[8192], *udp;
	ssize_t len = pread(far->snmp, text, sizeof(text) - 1, 0);

	if (len < 0)
		return fail(errno, "/proc/net/snmp: %s", strerror(errno));
	text[len] = '\0';
	udp = strstr(text, "\nUdp: ");
	udp = udp ? strstr(udp + 1, "\nUdp: ") : NULL; /* behind the line of names */
	if (!udp || sscanf(udp, "\nUdp: %llu %llu %llu", &in, &no_port, &errors) != 3)
		return fail(EPROTO, "/proc/net/snmp has no numbers for Udp");
	*count = in + no_port + errors;
	return 0;
}

/* ---- frames ------------------------------------------------------------------------- */

/* The address that the host itself would send from. */
static int source(const struct options *o, __be32 *ip)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0), err = 0;

	at.sin_addr.s_addr = o->ip.w[3];
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		err = fail(errno, "no way to %s: %s", quoted(addr_text(&o->ip)), strerror(errno));
	if (fd >= 0)
		close(fd);
	*ip = at.sin_addr.s_addr;
	return err;
}

static int source_mac(int fd, const struct options *o, unsigned char mac[ETH_ALEN])
{
	struct ifreq req = {};

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", o->dev);
	if (ioctl(fd, SIOCGIFHWADDR, &req))
		return fail(errno, "device %s: %s", quoted(o->dev), strerror(errno));
	memcpy(mac, req.ifr_hwaddr.sa_data, ETH_ALEN);
	return 0;
}

static __be16 check(const void *data, size_t words)
{
	const __u16 *w = data;
	__u32 sum = 0;

	while (words--)
		sum += *w++;
	sum = (sum >> 16) + (sum & 0xffff);
	return (__be16) ~(sum + (sum >> 16));
}

/* Makes a frame one of that flow: first the ports are others, then the addresses. */
static void frame_flow(const struct sender *s, unsigned char *frame, __u32 flow)
{
	const struct options *o = s->o;
	struct iphdr ip;
	__be16 port = htons((__u16)(FIRST_PORT + s->n * o->ports + flow % o->ports));

	memcpy(&ip, frame + ETH_HLEN, sizeof(ip));
	ip.daddr = htonl(ntohl(o->ip.w[3]) + flow / o->ports % o->addresses);
	ip.check = 0;
	ip.check = check(&ip, sizeof(ip) / 2);
	memcpy(frame + ETH_HLEN, &ip, sizeof(ip));
	memcpy(frame + ETH_HLEN + sizeof(ip) + offsetof(struct udphdr, source), &port,
	       sizeof(port));
}

static bool flows_many(const struct options *o)
{
	return o->ports * o->addresses > BATCH;
}

/* More flows than a batch has frames: the next ones. */
static void frames_turn(struct sender *s)
{
	if (!flows_many(s->o))
		return;
	for (__u32 i = 0; i < BATCH; i++)
		frame_flow(s, s->frames[i], s->flow++);
	s->flow %= s->o->ports * s->o->addresses;
}

/* Without UDP checksum, which is how VXLAN itself goes: nobody computes one. */
static int frames_make(struct sender *s)
{
	const struct options *o = s->o;
	struct ethhdr eth = {.h_proto = htons(ETH_P_IP)};
	struct iphdr ip = {.version = 4,
			   .ihl = 5,
			   .tot_len = htons((__u16)(o->length - sizeof(eth))),
			   .frag_off = htons(0x4000), /* DF */
			   .ttl = 64,
			   .protocol = IPPROTO_UDP,
			   .daddr = o->ip.w[3]};
	struct udphdr udp = {.dest = htons(PORT),
			     .len = htons((__u16)(o->length - sizeof(eth) - sizeof(ip)))};
	int err = source(o, &ip.saddr);

	err = err ?: source_mac(s->fd, o, eth.h_source);
	if (err)
		return err;
	memcpy(eth.h_dest, &o->mac, ETH_ALEN);
	for (__u32 i = 0; i < BATCH; i++) {
		memcpy(s->frames[i], &eth, sizeof(eth));
		memcpy(s->frames[i] + sizeof(eth), &ip, sizeof(ip));
		memcpy(s->frames[i] + sizeof(eth) + sizeof(ip), &udp, sizeof(udp));
		frame_flow(s, s->frames[i], i);
	}
	s->flow = BATCH;
	return 0;
}

/* ---- sending ------------------------------------------------------------------------ */

static int sender_open(struct sender *s)
{
	struct sockaddr_ll at = {.sll_family = AF_PACKET};
	int one = 1;

	at.sll_ifindex = (int)if_nametoindex(s->o->dev);
	if (!at.sll_ifindex)
		return fail(errno, "no device %s in %s: %s", quoted(s->o->dev), quoted(s->o->from),
			    strerror(errno));
	/* Protocol 0: what the device receives is not for this socket. */
	s->fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof(at)) ||
	    setsockopt(s->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)))
		return fail(errno, "packet socket on %s: %s", quoted(s->o->dev), strerror(errno));
	return frames_make(s);
}

static void batch_make(struct sender *s, struct mmsghdr messages[BATCH], struct iovec parts[BATCH])
{
	memset(messages, 0, BATCH * sizeof(*messages));
	for (int i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){s->frames[i], s->o->length};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Each flow once, with an answer: what is between has seen both ways of it then. */
static void answer_all(struct sender *s, const struct far *far)
{
	const __u32 flows = s->o->ports * s->o->addresses;
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];

	batch_make(s, messages, parts);
	for (__u32 done = 0; done < flows; done += BATCH) {
		sendmmsg(s->fd, messages, BATCH, 0);
		frames_turn(s);
		far_answer(far);
	}
}

static void *sending(void *arg)
{
	struct sender *s = arg;
	struct mmsghdr messages[BATCH];
	struct iovec parts[BATCH];
	double end = now() + s->o->ms / 1e3;
	int n;

	batch_make(s, messages, parts);
	while (!stopped && now() < end) {
		n = sendmmsg(s->fd, messages, BATCH, 0);
		if (n > 0) {
			s->sent += (unsigned int)n;
			frames_turn(s);
		} else if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR) {
			s->err = errno;
			break;
		}
	}
	return NULL;
}

static int send_all(const struct options *o, struct sender *senders)
{
	int err = 0;
	__u32 started;

	for (started = 0; started < o->threads; started++) {
		err = pthread_create(&senders[started].thread, NULL, sending, &senders[started]);
		if (err) {
			fail(err, "cannot start a thread: %s", strerror(err));
			break;
		}
	}
	for (__u32 i = 0; i < started; i++) {
		pthread_join(senders[i].thread, NULL);
		if (senders[i].err)
			err = fail(senders[i].err, "cannot send by %s: %s", quoted(o->dev),
				   strerror(senders[i].err));
	}
	return err;
}

/* What is under way arrives: until a hundredth of a second brings nothing more. */
static int settle(const struct far *far, unsigned long long *count)
{
	unsigned long long last;
	int err;

	do {
		last = *count;
		poll(NULL, 0, 10);
		err = far_count(far, count);
	} while (!err && *count != last);
	return err;
}

static int measure(const struct options *o, struct sender *senders, const struct far *far)
{
	unsigned long long before = 0, after = 0, sent = 0;
	double start, took;
	int err;

	for (__u32 i = 0; flows_many(o) && i < o->threads; i++)
		answer_all(&senders[i], far);
	err = far_full(far);
	err = err ?: far_count(far, &before);
	if (err)
		return err;
	start = now();
	err = send_all(o, senders);
	took = now() - start;
	err = err ?: settle(far, &after);
	if (err)
		return err;
	for (__u32 i = 0; i < o->threads; i++)
		sent += senders[i].sent;
	printf("{\"sent\":%.0f,\"received\":%.0f,\"frames\":%llu,\"seconds\":%.3f}\n",
	       (double)sent / took, (double)(after - before) / took, sent, took);
	return 0;
}

static int run(const struct options *o)
{
	struct sender *senders = calloc(o->threads, sizeof(*senders));
	struct far far = {};
	int err;

	if (!senders)
		return fail_memory();
	err = far_open(o, &far);
	err = err ?: netns_enter(o->from);
	for (__u32 i = 0; i < o->threads && !err; i++) {
		senders[i].o = o;
		senders[i].n = i;
		err = sender_open(&senders[i]);
	}
	err = err ?: measure(o, senders, &far);
	free(senders);
	return err;
}

/* ---- the command line --------------------------------------------------------------- */

static const char usage[] =
	"usage: bench_pps from NETNS to NETNS ip IP mac MAC [dev DEV] [length OCTETS] [ms N]\n"
	"                 [threads N] [ports N] [addresses N]\n"
	"Sends frames of that length, Ethernet header included, out of DEV (eth0) of the one\n"
	"namespace by the next hop MAC to IP in the other one, with that many source ports in\n"
	"each thread, and from each to so many addresses, from IP on. Where these are\n"
	"more than 64 flows, each has an answer first. Prints frames a second, sent and received.\n";

#define AT(field) offsetof(struct options, field)

static const struct field words[] = {
	{"from", FIELD_TEXT, AT(from)},
	{"to", FIELD_TEXT, AT(to)},
	{"ip", FIELD_IP, AT(ip)},
	{"mac", FIELD_MAC, AT(mac)},
	{"dev", FIELD_TEXT, AT(dev)},
	{"length", FIELD_NUMBER, AT(length), .min = LENGTH_MIN, .max = LENGTH_MAX},
	{"ms", FIELD_NUMBER, AT(ms), .min = 1, .max = 3600000},
	{"threads", FIELD_NUMBER, AT(threads), .min = 1, .max = THREADS_MAX},
	{"ports", FIELD_NUMBER, AT(ports), .min = 1, .max = PORTS_MAX},
	{"addresses", FIELD_NUMBER, AT(addresses), .min = 1, .max = ADDRESSES_MAX},
	{},
};

static int check_and_run(void *options, __u64 given)
{
	const struct options *o = options;

	(void)given;
	if (o->threads * o->ports > PORTS_MAX)
		return misuse("%u threads of %u ports each: more than %u", o->threads, o->ports,
			      PORTS_MAX);
	if (!addr_is_v4(&o->ip))
		return misuse("ip %s: IPv4 alone", quoted(addr_text(&o->ip)));
	return run(o);
}

int main(int argc, char **argv)
{
	static const struct program program = {"bench_pps", usage, words,
					       FIELD(0) | FIELD(1) | FIELD(2) | FIELD(3),
					       check_and_run};
	struct options o = {
		.dev = "eth0", .length = 64, .ms = 2000, .threads = 1, .ports = 16, .addresses = 1};

	(void)argc;
	return program_main(&program, argv, &o);
}
