/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What etcd 3.4.23 answered: a store of one member, at revisions 3 to 9; in hex, each a whole
 * frame.
 */
#ifndef ETCD_ANSWERS_H
#define ETCD_ANSWERS_H

#define ETCD_HEAD "HTTP/2 200 \ncontent-type: application/grpc\n\n"
#define ETCD_FINE "grpc-status: 0\ngrpc-message: \n"
#define HEADER "0a1908f8bcad898bc0c2b69c0110fce7bca3fb81aafa4618"
#define CREATED "0000000025" HEADER "03200210011a0612040a021803"
#define THERE "0000000036" HEADER "0320021a190a170a021803120f0a042f742f611003180320012a01312001"
#define TWO                                                                                  \
	"0000000045" HEADER "042002120f0a042f742f611003180320012a013112150a042f742f62100418" \
	"0420012a077b2278223a317d2002"
#define NONE_LEFT "000000001b" HEADER "092002"
#define STATUS                                                                               \
	"000000003b" HEADER "0420021206332e342e32331880a00220fce7bca3fb81aafa46280830023808" \
	"4880a002"
#define KEPT "0000000027" HEADER "062002108d96ca9ff2c0a8fe331802"
#define ENDED "0000000025" HEADER "082002108d96ca9ff2c0a8fe33"
#define TOKEN "0000000030" HEADER "0920021213767842594f544264576d4272777477722e3234"
#define WATCHED_2 "000000001f" HEADER "08200210021801"
#define WATCHED "000000001f" HEADER "08200210011801"
#define EVENTS                                                                                 \
	"0000000057" HEADER "08200210015a11120f0a042f742f611003180320012a01315a1712150a042f74" \
	"2f621004180420012a077b2278223a317d5a0c080112080a042f742f6c1807"
#define COMPACTED "000000001f0a1708f8bcad898bc0c2b69c0110fce7bca3fb81aafa462002100120012805"
#define DENIED                                                                                 \
	"0000000073" HEADER "09200210ffffffffffffffffff01180120013247727063206572726f723a2063" \
	"6f6465203d205065726d697373696f6e44656e6965642064657363203d20657463647365727665723a20" \
	"7065726d697373696f6e2064656e696564"

#endif
