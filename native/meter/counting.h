/* SPDX-License-Identifier: Apache-2.0
 *
 * A window of packets, marked for an instrument that counts instructions or traces memory.
 *
 * PLANECAST_COUNT holds what is asked, as key=value with blanks between:
 *   port=0         the port whose receive function is hooked
 *   go=PATH        nothing happens before this file is there
 *   burst=32       packets of a burst at most: programs ask for as many as they like
 *   hold=PATH      after the lead PATH.led is made, and nothing comes before PATH is there
 *   lead=0         packets before all else, of which no instrument knows
 *   warmup=65536   packets before the window; a trace follows them without counting
 *   packets=32768  packets of the window; it begins and ends at a poll of the port
 *   report=PATH    where the answer goes (JSON): packets, polls, empty ones and
 *                  packets sent by all ports
 *   mark=callgrind|trace|none   whom to notify of the window's edges
 *   frame=HEX length=60 flows=3125 seed=1 source_step=1 destination_step=1
 *                  Ethernet, IPv4 and UDP headers that each packet gets, its flow at random;
 *                  without `frame` packets stay as the port brings them
 * After the window the program ends with code 0.
 */
#ifndef PLANECAST_METER_COUNTING_H
#define PLANECAST_METER_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "frames.h"

/* Starts a thread that waits for what brings packets; nothing without PLANECAST_COUNT. */
void counting_start(void);

/* Whether PLANECAST_COUNT was there. */
bool counting_asked(void);

/* At the beginning of a poll: whether no packet is to come yet. */
bool counting_waits(void);

/* At its end. */
void counting_came(uint64_t packets);

/* Packets of a poll at most. */
uint16_t counting_burst(void);

/* The flows that packets are to be given; NULL: they stay as they come. */
struct flow_stream *counting_flows(void);

#endif
