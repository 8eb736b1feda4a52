/* Logs what a sensor measures, while other programs read and write: logger DATABASE SENSOR PLACE <measurements
 *
 * Each line of the input is a temperature; it is committed by itself, and its number is said. cpp/dashboard.cpp and python/notebook.py show what
 * is logged as it comes. */
#define _POSIX_C_SOURCE 200809L
#include <freehold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct logger {
    freehold_database_t *database;
    freehold_class_t sensors, samples;
    freehold_property_t place, sensor, at, celsius;
};

static freehold_text_t text(const char *name)
{
    return (freehold_text_t){ name, strlen(name) };
}

/* Creates the classes, unless the same classes exist already, and looks up the numbers. */
static freehold_error_code_t prepare(struct logger *logger, freehold_transaction_t *transaction)
{
    const size_t size = sizeof(freehold_property_info_t);
    const freehold_property_info_t of_sensor[] = {
        { .size = size, .name = text("name"), .type = FREEHOLD_TYPE_STRING, .flags = FREEHOLD_PROPERTY_PRIMARY_KEY },
        { .size = size, .name = text("place"), .type = FREEHOLD_TYPE_STRING, .flags = FREEHOLD_PROPERTY_INDEXED },
    };
    const freehold_property_info_t of_sample[] = {
        { .size = size, .name = text("sensor"), .type = FREEHOLD_TYPE_LINK, .flags = FREEHOLD_PROPERTY_NULLABLE, .link_target = text("Sensor") },
        { .size = size, .name = text("at"), .type = FREEHOLD_TYPE_DATE },
        { .size = size, .name = text("celsius"), .type = FREEHOLD_TYPE_DOUBLE },
    };
    const struct {
        const char *name;
        freehold_property_t *number;
    } wanted[] = { { "sensor", &logger->sensor }, { "at", &logger->at }, { "celsius", &logger->celsius } };
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_error_code_t code = freehold_class_create(transaction, "Sensor", FREEHOLD_TERMINATED, 2, of_sensor, &logger->sensors);
    if (code == FREEHOLD_OK) code = freehold_class_create(transaction, "Sample", FREEHOLD_TERMINATED, 3, of_sample, &logger->samples);
    if (code == FREEHOLD_OK) code = freehold_property_find(reader, logger->sensors, "place", FREEHOLD_TERMINATED, &logger->place);
    for (size_t n = 0; n < 3 && code == FREEHOLD_OK; n++)
        code = freehold_property_find(reader, logger->samples, wanted[n].name, FREEHOLD_TERMINATED, wanted[n].number);
    return code;
}

/* Finds the sensor of this name, or creates it. */
static freehold_error_code_t find_sensor(
    const struct logger *logger, freehold_transaction_t *transaction, const char *name, const char *place, freehold_key_t *key)
{
    const freehold_value_t called = freehold_string(name, strlen(name)), stands = freehold_string(place, strlen(place));
    const freehold_error_code_t code = freehold_object_find(freehold_transaction_reader(transaction), logger->sensors, &called, key);
    if (code != FREEHOLD_ABSENT) return code;
    return freehold_object_create(transaction, logger->sensors, &called, 1, &logger->place, &stands, key);
}

static freehold_error_code_t log_sample(
    const struct logger *logger, freehold_transaction_t *transaction, freehold_key_t sensor, double celsius)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const freehold_property_t properties[] = { logger->sensor, logger->at, logger->celsius };
    const freehold_value_t values[] = {
        freehold_object(sensor, FREEHOLD_NONE), freehold_date(now.tv_sec, (int32_t)now.tv_nsec), freehold_double(celsius),
    };
    return freehold_object_create(transaction, logger->samples, NULL, 3, properties, values, NULL);
}

/* Ends a transaction: commits it if all went well. Losing a sample in a power cut is acceptable, so the commit does not
 * wait for the disk. */
static freehold_error_code_t end(freehold_transaction_t *transaction, freehold_error_code_t code)
{
    if (code == FREEHOLD_OK) return freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL);
    freehold_transaction_rollback(transaction);
    return code;
}

static freehold_error_code_t run(struct logger *logger, const char *path, const char *name, const char *place)
{
    freehold_transaction_t *transaction;
    freehold_key_t sensor = 0;
    char line[80];
    long number = 0;
    freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, NULL, &logger->database);
    if (code == FREEHOLD_OK) code = freehold_transaction_begin(logger->database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
    if (code != FREEHOLD_OK) return code;
    code = prepare(logger, transaction);
    if (code == FREEHOLD_OK) code = find_sensor(logger, transaction, name, place, &sensor);
    code = end(transaction, code);
    while (code == FREEHOLD_OK && fgets(line, sizeof line, stdin)) {
        code = freehold_transaction_begin(logger->database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
        if (code != FREEHOLD_OK) break;
        code = end(transaction, log_sample(logger, transaction, sensor, strtod(line, NULL)));
        if (code == FREEHOLD_OK) printf("%ld\n", ++number);
        fflush(stdout);
    }
    return code;
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: logger DATABASE SENSOR PLACE <measurements\n");
        return 2;
    }
    struct logger logger = { 0 };
    freehold_error_code_t code = run(&logger, arguments[1], arguments[2], arguments[3]);
    if (code != FREEHOLD_OK) {
        freehold_error_t error = { .size = sizeof error };
        freehold_last_error(&error);
        fprintf(stderr, "%s: %s\n", freehold_error_name(code), error.message);
    }
    if (logger.database) freehold_database_close(logger.database);
    return code == FREEHOLD_OK ? 0 : 1;
}
