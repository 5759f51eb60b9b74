/* Events to Kafka, by librdkafka. Settings are its own ("bootstrap.servers=a:9092,b:9092;linger.ms=5"), and `topic`. */
#include "helper/sink.h"

#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kafka {
    rd_kafka_t *producer;
    char topic[250];
    uint64_t lost; /* counted by delivery reports, which come while we poll */
} kafka;

static void delivered(rd_kafka_t *producer, const rd_kafka_message_t *message, void *state)
{
    (void)producer;
    kafka *k = state;
    k->lost += message->err != RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* Sets one "key=value". */
static bool set(rd_kafka_conf_t *conf, kafka *k, const char *key, const char *value, char why[256])
{
    if (strcmp(key, "topic") == 0)
        return snprintf(k->topic, sizeof k->topic, "%s", value) < (int)sizeof k->topic;
    return rd_kafka_conf_set(conf, key, value, why, 256) == RD_KAFKA_CONF_OK;
}

static bool read_settings(rd_kafka_conf_t *conf, kafka *k, char *text, char why[256])
{
    char *rest;
    for (char *pair = strtok_r(text, ";", &rest); pair != NULL; pair = strtok_r(NULL, ";", &rest)) {
        char *value = strchr(pair, '=');
        if (value == NULL) {
            snprintf(why, 256, "'%.200s' is no key=value", pair);
            return false;
        }
        *value++ = '\0';
        if (!set(conf, k, pair, value, why))
            return false;
    }
    if (k->topic[0] == '\0')
        snprintf(why, 256, "no topic is given");
    return k->topic[0] != '\0';
}

static void *kafka_open(const char *settings, char why[256])
{
    kafka *k = calloc(1, sizeof *k);
    char *text = strdup(settings ? settings : "");
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    bool ok = k != NULL && text != NULL && read_settings(conf, k, text, why);
    free(text);
    if (ok) {
        rd_kafka_conf_set_opaque(conf, k);
        rd_kafka_conf_set_dr_msg_cb(conf, delivered);
        k->producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, 256);
        ok = k->producer != NULL;
    }
    if (ok)
        return k;
    rd_kafka_conf_destroy(conf); /* it would be the producer's */
    free(k);
    return NULL;
}

static bool kafka_put(void *sink, const char *text, size_t size)
{
    const kafka *k = sink;
    return rd_kafka_producev(k->producer, RD_KAFKA_V_TOPIC(k->topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_VALUE((void *)text, size), RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR_NO_ERROR;
}

static uint64_t take_lost(kafka *k)
{
    uint64_t lost = k->lost;
    k->lost = 0;
    return lost;
}

static uint64_t kafka_poll(void *sink)
{
    kafka *k = sink;
    rd_kafka_poll(k->producer, 0);
    return take_lost(k);
}

static uint64_t kafka_close(void *sink, int milliseconds)
{
    kafka *k = sink;
    rd_kafka_flush(k->producer, milliseconds);
    uint64_t lost = take_lost(k) + (uint64_t)rd_kafka_outq_len(k->producer);
    rd_kafka_destroy(k->producer);
    free(k);
    return lost;
}

extern const sink_plugin hotgate_sink;
__attribute__((visibility("default"))) const sink_plugin hotgate_sink = {SINK_VERSION, "kafka",    kafka_open,
                                                                         kafka_put,    kafka_poll, kafka_close};
