/* Sells at a market's stalls, at a file that an agent keeps in sync with a server: stall DATABASE NAME LOG
 *
 * Each line of the input is a number of sales to make; the program ends with its input. A sale adds to a counter, and
 * each tenth one writes a note. It is logged once it is committed. The agent is a process of its own, so nothing here
 * knows of a network. Stall.swift and stall.py are the same program in Swift and Python, and demo.py runs all three.
 * Build: cc -std=c11 stall.c $(pkg-config --cflags --libs freehold)
 */
#define _POSIX_C_SOURCE 200809L
#include <freehold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const stalls[] = { "apples", "bread", "cheese", "honey" };

/* The properties, in the order in which `prepare` creates them. */
enum { ID, SOLD, NOTE, PROPERTIES };

struct seller {
    freehold_database_t *database;
    freehold_class_t stall;
    freehold_property_t sold, note;
    const char *name;
    FILE *log;
    long sales;
};

static freehold_text_t text(const char *name)
{
    return (freehold_text_t){ name, strlen(name) };
}

/* Commits if all went well, on disk when it returns. */
static freehold_error_code_t end(freehold_transaction_t *transaction, freehold_error_code_t code)
{
    if (code == FREEHOLD_OK) return freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
    freehold_transaction_rollback(transaction);
    return code;
}

/* Creates the class, unless it is there, and looks up its numbers. */
static freehold_error_code_t prepare(struct seller *seller)
{
    const size_t size = sizeof(freehold_property_info_t);
    const freehold_property_info_t properties[PROPERTIES] = {
        [ID] = { .size = size, .name = text("id"), .type = FREEHOLD_TYPE_STRING, .flags = FREEHOLD_PROPERTY_PRIMARY_KEY },
        /* Pieces sold: what all files add is added up. */
        [SOLD] = { .size = size, .name = text("sold"), .type = FREEHOLD_TYPE_INT, .flags = FREEHOLD_PROPERTY_COUNTER },
        /* Of two notes the later one stays. */
        [NOTE] = { .size = size, .name = text("note"), .type = FREEHOLD_TYPE_STRING },
    };
    const freehold_class_definition_t definition = {
        .size = sizeof definition, .name = text("Stall"), .property_count = PROPERTIES, .properties = properties,
        .sync = FREEHOLD_SYNC_DELETION_WINS,
    };
    freehold_transaction_t *transaction;
    freehold_error_code_t code = freehold_transaction_begin(seller->database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
    if (code != FREEHOLD_OK) return code;
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    code = freehold_classes_create(transaction, 1, &definition);
    if (code == FREEHOLD_OK) code = freehold_class_find(reader, "Stall", FREEHOLD_TERMINATED, &seller->stall);
    if (code == FREEHOLD_OK) code = freehold_property_find(reader, seller->stall, "sold", FREEHOLD_TERMINATED, &seller->sold);
    if (code == FREEHOLD_OK) code = freehold_property_find(reader, seller->stall, "note", FREEHOLD_TERMINATED, &seller->note);
    return end(transaction, code);
}

/* What one transaction writes. */
static freehold_error_code_t write_sale(
    const struct seller *seller, freehold_transaction_t *transaction, const char *id, int pieces, const char *note)
{
    const freehold_value_t primary_key = freehold_string(id, FREEHOLD_TERMINATED);
    const freehold_value_t value = freehold_string(note, FREEHOLD_TERMINATED);
    freehold_key_t key;
    freehold_error_code_t code = freehold_object_find(freehold_transaction_reader(transaction), seller->stall, &primary_key, &key);
    if (code == FREEHOLD_ABSENT) code = freehold_object_create(transaction, seller->stall, &primary_key, 0, NULL, NULL, &key);
    if (code == FREEHOLD_OK) code = freehold_object_increment(transaction, seller->stall, key, seller->sold, pieces, NULL);
    if (code == FREEHOLD_OK && *note) code = freehold_object_set(transaction, seller->stall, key, 1, &seller->note, &value);
    return code;
}

static freehold_error_code_t sell(struct seller *seller)
{
    const char *id = stalls[(size_t)rand() % (sizeof stalls / sizeof *stalls)];
    const int pieces = rand() % 3 + 1;
    char note[80] = "";
    freehold_transaction_t *transaction;
    if (++seller->sales % 10 == 0) snprintf(note, sizeof note, "%s, sale %ld", seller->name, seller->sales);
    freehold_error_code_t code = freehold_transaction_begin(seller->database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
    if (code != FREEHOLD_OK) return code;
    code = end(transaction, write_sale(seller, transaction, id, pieces, note));
    if (code != FREEHOLD_OK) return code;
    fprintf(seller->log, "sold %s %d\n", id, pieces);
    if (*note) fprintf(seller->log, "note %s %s\n", id, note);
    fflush(seller->log);
    return code;
}

static freehold_error_code_t run(struct seller *seller, const char *path)
{
    const struct timespec pause = { .tv_nsec = 5000000 }; /* customers come one by one */
    char line[80];
    freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, NULL, &seller->database);
    if (code == FREEHOLD_OK) code = prepare(seller);
    while (code == FREEHOLD_OK && fgets(line, sizeof line, stdin))
        for (long sales = strtol(line, NULL, 10); sales > 0 && code == FREEHOLD_OK; sales--) {
            code = sell(seller);
            nanosleep(&pause, NULL);
        }
    return code;
}

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: stall DATABASE NAME LOG\n");
        return 2;
    }
    struct seller seller = { .name = arguments[2], .log = fopen(arguments[3], "w") };
    if (!seller.log) {
        perror(arguments[3]);
        return 1;
    }
    srand((unsigned)time(NULL));
    const freehold_error_code_t code = run(&seller, arguments[1]);
    if (code != FREEHOLD_OK) {
        freehold_error_t error = { .size = sizeof error };
        freehold_last_error(&error);
        fprintf(stderr, "%s: %s\n", freehold_error_name(code), error.message);
    }
    if (seller.database) freehold_database_close(seller.database);
    fclose(seller.log);
    return code == FREEHOLD_OK ? 0 : 1;
}
