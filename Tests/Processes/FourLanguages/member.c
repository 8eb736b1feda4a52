/* The C program of the bank that four languages keep in one file; README.md tells the rules. member DATABASE NAME SEED */
#define _POSIX_C_SOURCE 200809L
#include <freehold.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS = 12, TOTAL = ACCOUNTS * 1000 };

/* Ends the program with the error. */
static void must(freehold_error_code_t code, const char *what)
{
    freehold_error_t error = { .size = sizeof error };
    if (code == FREEHOLD_OK) return;
    freehold_last_error(&error);
    fprintf(stderr, "%s: %s: %s\n", what, freehold_error_name(code), error.message);
    exit(1);
}
#define MUST(call) must((call), #call)

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    exit(1);
}

static void say(const char *text)
{
    require(write(1, text, strlen(text)) == (ssize_t)strlen(text), "all is written");
}

static uint64_t state;

static uint64_t chosen(uint64_t bound)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
}

/* The schema is made before anybody starts, and stays. */
static freehold_class_t accounts, counters, moves;
static freehold_property_t balance, count, move_places[5];
static const char *const move_names[5] = { "by", "number", "amount", "source", "target" };

static void find_schema(const freehold_reader_t *reader)
{
    MUST(freehold_class_find(reader, "Account", FREEHOLD_TERMINATED, &accounts));
    MUST(freehold_class_find(reader, "Counter", FREEHOLD_TERMINATED, &counters));
    MUST(freehold_class_find(reader, "Move", FREEHOLD_TERMINATED, &moves));
    MUST(freehold_property_find(reader, accounts, "balance", FREEHOLD_TERMINATED, &balance));
    MUST(freehold_property_find(reader, counters, "count", FREEHOLD_TERMINATED, &count));
    for (int n = 0; n < 5; n++) MUST(freehold_property_find(reader, moves, move_names[n], FREEHOLD_TERMINATED, &move_places[n]));
}

static uint64_t matching(const freehold_reader_t *reader, const char *class_name, const char *text, size_t arguments, const freehold_value_t *values)
{
    freehold_class_t number;
    freehold_query_t *query;
    uint64_t found = 0;
    MUST(freehold_class_find(reader, class_name, FREEHOLD_TERMINATED, &number));
    MUST(freehold_query_prepare(reader, number, text, FREEHOLD_TERMINATED, arguments, values, 0, NULL, &query));
    MUST(freehold_query_count(query, &found));
    MUST(freehold_query_close(query));
    return found;
}

static void check_total(const freehold_reader_t *reader)
{
    int64_t balances[ACCOUNTS + 1], sum = 0;
    freehold_key_t next = INT64_MIN;
    size_t filled = 0;
    MUST(freehold_column_integers(reader, accounts, balance, &next, ACCOUNTS + 1, NULL, balances, NULL, &filled));
    for (size_t n = 0; n < filled; n++) sum += balances[n];
    require(filled == ACCOUNTS && sum == TOTAL, "the balances add up");
}

/* --- observing */

static freehold_watch_t *watch;
static freehold_answer_t order, stop;
static freehold_key_t copy[ACCOUNTS];
static size_t copied;
static uint64_t seen;

static void follow(void *context, const freehold_delivery_t *delivery)
{
    (void)context;
    check_total(delivery->after);
    MUST(freehold_object_count(delivery->after, moves, &seen));
    if (delivery->answer != order) return;
    for (size_t n = delivery->deletions.count; n-- > 0;) {
        const size_t place = (size_t)delivery->deletions.positions[n];
        memmove(copy + place, copy + place + 1, (--copied - place) * sizeof *copy);
    }
    for (size_t n = 0; n < delivery->insertions.count; n++) {
        const size_t place = (size_t)delivery->insertions.positions[n];
        memmove(copy + place + 1, copy + place, (copied++ - place) * sizeof *copy);
        MUST(freehold_watch_keys(watch, order, place, 1, copy + place, NULL));
    }
}

static void observe(void)
{
    freehold_key_t now[ACCOUNTS];
    size_t filled = 0;
    MUST(freehold_watch_deliver(watch, follow, NULL, NULL));
    MUST(freehold_watch_keys(watch, order, 0, ACCOUNTS, now, &filled));
    require(filled == copied && memcmp(now, copy, sizeof now) == 0, "the copy by positions is what there is");
}

static void begin_observing(const freehold_database_t *database)
{
    MUST(freehold_watch_open(database, &watch));
    MUST(freehold_watch_query(watch, "Account", 7, "SORT(balance DESC, id ASC)", FREEHOLD_TERMINATED, 0, NULL, &order));
    MUST(freehold_watch_query(watch, "Control", 7, "stopped = true", FREEHOLD_TERMINATED, 0, NULL, &stop));
    MUST(freehold_watch_keys(watch, order, 0, ACCOUNTS, copy, &copied));
}

/* --- writing */

static int64_t add_to(freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property, int64_t difference)
{
    freehold_value_t value;
    MUST(freehold_object_get(freehold_transaction_reader(transaction), object_class, key, 1, &property, &value));
    value = freehold_int(value.as.integer + difference);
    MUST(freehold_object_set(transaction, object_class, key, 1, &property, &value));
    return value.as.integer;
}

/* False when the bank is closed. */
static bool move_amount(const freehold_database_t *database, const char *name, freehold_key_t counter)
{
    freehold_transaction_t *transaction;
    char told[32];
    const freehold_key_t source = (freehold_key_t)chosen(ACCOUNTS), target = (source + 1 + (freehold_key_t)chosen(ACCOUNTS - 1)) % ACCOUNTS;
    const int64_t amount = 1 + (int64_t)chosen(10);
    MUST(freehold_transaction_begin(database, 60000, &transaction));
    if (matching(freehold_transaction_reader(transaction), "Control", "stopped = true", 0, NULL)) {
        MUST(freehold_transaction_rollback(transaction));
        return false;
    }
    add_to(transaction, accounts, source, balance, -amount);
    add_to(transaction, accounts, target, balance, amount);
    const int64_t number = add_to(transaction, counters, counter, count, 1);
    const freehold_value_t values[5] = {
        freehold_string(name, strlen(name)), freehold_int(number), freehold_int(amount), freehold_int(source), freehold_int(target),
    };
    MUST(freehold_object_create(transaction, moves, NULL, 5, move_places, values, NULL));
    MUST(freehold_transaction_commit(transaction, chosen(16) ? FREEHOLD_DURABILITY_PROCESS_CRASH : FREEHOLD_DURABILITY_FULL, NULL));
    snprintf(told, sizeof told, "%lld\n", (long long)number);
    say(told);
    return true;
}

static freehold_key_t make_counter(const freehold_database_t *database, const char *name)
{
    freehold_transaction_t *transaction;
    freehold_key_t key;
    const freehold_value_t own = freehold_string(name, strlen(name));
    MUST(freehold_transaction_begin(database, 60000, &transaction));
    MUST(freehold_object_create(transaction, counters, &own, 0, NULL, NULL, &key));
    MUST(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    return key;
}

/* What another look at the whole finds, in a snapshot of its own. */
static void look(const freehold_database_t *database, const char *name, freehold_key_t counter)
{
    freehold_snapshot_t *snapshot;
    freehold_value_t counted;
    const freehold_value_t own = freehold_string(name, strlen(name));
    MUST(freehold_snapshot_begin(database, &snapshot));
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    check_total(reader);
    MUST(freehold_object_get(reader, counters, counter, 1, &count, &counted));
    require(matching(reader, "Move", "by = %@", 1, &own) == (uint64_t)counted.as.integer, "the moves are as many as counted");
    MUST(freehold_snapshot_end(snapshot));
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 4) return 2;
    const char *name = arguments[2];
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_database_t *database;
    freehold_snapshot_t *snapshot;
    char told[32];
    state = strtoull(arguments[3], NULL, 10);
    MUST(freehold_database_open(arguments[1], FREEHOLD_TERMINATED, &options, &database));
    MUST(freehold_snapshot_begin(database, &snapshot));
    find_schema(freehold_snapshot_reader(snapshot));
    MUST(freehold_snapshot_end(snapshot));
    const freehold_key_t counter = make_counter(database, name);
    begin_observing(database);
    while (move_amount(database, name, counter)) {
        if (chosen(4) == 0) observe();
        if (chosen(8) == 0) look(database, name, counter);
    }
    uint64_t stopped = 0;
    for (observe(); MUST(freehold_watch_count(watch, stop, &stopped)), stopped == 0; observe()) {
        struct pollfd entry = { .fd = freehold_watch_descriptor(watch), .events = POLLIN };
        require(poll(&entry, 1, 60000) == 1, "the watch is told");
    }
    look(database, name, counter);
    snprintf(told, sizeof told, "saw %llu\n", (unsigned long long)seen);
    say(told);
    MUST(freehold_watch_close(watch));
    MUST(freehold_database_close(database));
    return 0;
}
