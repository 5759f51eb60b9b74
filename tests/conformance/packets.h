/* What the packet cases share. */
#ifndef PACKETS_H
#define PACKETS_H

#include "conformance/packets_rows.h"

typedef struct packets_run {
    const char *capture;
    bool ignore_checksums, json, all_ports, passwords, no_http;
} packets_run;

/* Analyses the capture in the peer's way and loads what was logged. False: it could not be done. */
bool packets_analyse(const packets_run *run, const packets_reading readings[PACKETS_LOGS],
                     packets_table tables[PACKETS_LOGS]);

/* Cases of PATH/upstream, as PATH/INDEX.md describes them. */
void packets_upstream(const char *path, conformance_tally *tally);

#endif
