/* librdkafka's mock cluster with a consumer: prints where it is, then each message of the topic, until there were so many
 * or half a minute is over. usage: kafka_peer TOPIC COUNT */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <stdio.h>
#include <stdlib.h>

static void set(rd_kafka_conf_t *conf, const char *key, const char *value)
{
    char why[256];
    if (rd_kafka_conf_set(conf, key, value, why, sizeof why) == RD_KAFKA_CONF_OK)
        return;
    fprintf(stderr, "%s\n", why);
    exit(2);
}

static rd_kafka_t *make(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
    char why[256];
    rd_kafka_t *k = rd_kafka_new(type, conf, why, sizeof why);
    if (k == NULL) {
        fprintf(stderr, "%s\n", why);
        exit(2);
    }
    return k;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    rd_kafka_t *host = make(RD_KAFKA_PRODUCER, rd_kafka_conf_new());
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(host, 1);
    if (cluster == NULL || rd_kafka_mock_topic_create(cluster, argv[1], 1, 1) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return 2;
    printf("%s\n", rd_kafka_mock_cluster_bootstraps(cluster));
    fflush(stdout);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster));
    set(conf, "group.id", "test");
    rd_kafka_t *consumer = make(RD_KAFKA_CONSUMER, conf);
    rd_kafka_topic_partition_list_t *from = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(from, argv[1], 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
    rd_kafka_assign(consumer, from);
    int left = atoi(argv[2]);
    for (int tries = 0; tries < 300 && left > 0; tries++) {
        rd_kafka_message_t *m = rd_kafka_consumer_poll(consumer, 100);
        if (m != NULL && m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            printf("%.*s\n", (int)m->len, (const char *)m->payload);
            fflush(stdout);
            left--;
        }
        if (m != NULL)
            rd_kafka_message_destroy(m);
    }
    rd_kafka_topic_partition_list_destroy(from);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(host);
    return left > 0;
}
