/* The C program of the torture; README.md tells the protocol. */
#define _GNU_SOURCE
#include <freehold.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS = 16, MOST_WORDS = 512 };

static freehold_database_t *database;
static freehold_transaction_t *transaction;
static freehold_durability_t durability;
static freehold_snapshot_t *held;
static uint64_t held_digest;
static freehold_error_code_t failure;
static char failure_text[400];

static char *words[MOST_WORDS];
static size_t word_count;

/* --- answers */

static void say(const char *text)
{
    fputs(text, stdout);
    fputc('\n', stdout);
    fflush(stdout);
}

static void describe(freehold_error_code_t code)
{
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    snprintf(failure_text, sizeof failure_text, "%s", code < 1000 ? "nothing there" : error.message);
    for (char *c = failure_text; *c; c++)
        if (*c == '\n') *c = ' ';
}

static bool worked(freehold_error_code_t code)
{
    if (code == FREEHOLD_OK) return true;
    failure = code;
    describe(code);
    return false;
}

static void say_failure(void)
{
    char line[500];
    snprintf(line, sizeof line, "E %d %s", (int)failure, failure_text);
    failure = FREEHOLD_OK;
    say(line);
}

static void protocol(const char *what)
{
    fprintf(stderr, "protocol: %s (%s)\n", what, word_count ? words[0] : "");
    exit(2);
}

/* --- text */

static char *growing;
static size_t growing_length, growing_capacity;

static void add(const char *text)
{
    const size_t length = strlen(text);
    if (growing_length + length + 1 > growing_capacity) {
        growing_capacity = 2 * (growing_length + length + 1);
        growing = realloc(growing, growing_capacity);
        if (!growing) abort();
    }
    memcpy(growing + growing_length, text, length + 1);
    growing_length += length;
}

static void add_hex(const void *bytes, size_t length)
{
    char pair[3];
    for (size_t n = 0; n < length; n++) {
        snprintf(pair, sizeof pair, "%02x", ((const uint8_t *)bytes)[n]);
        add(pair);
    }
}

static size_t unhex(const char *text, uint8_t *bytes)
{
    const size_t length = strlen(text) / 2;
    for (size_t n = 0; n < length; n++) {
        const char pair[3] = { text[2 * n], text[2 * n + 1], 0 };
        bytes[n] = (uint8_t)strtoul(pair, NULL, 16);
    }
    return length;
}

static uint8_t pattern(uint64_t n, uint64_t seed) { return (uint8_t)(seed + 7 * n + (n >> 8)); }

/* What a command lends the library; freed when its transaction ends. */
static void *lent[4096];
static size_t lent_count;

static void *lend(size_t length)
{
    if (lent_count == 4096) protocol("too many values");
    void *memory = malloc(length + 1);
    if (!memory) abort();
    return lent[lent_count++] = memory;
}

static void free_lent(void)
{
    while (lent_count > 0) free(lent[--lent_count]);
}

/* --- names */

static const freehold_reader_t *reader_in_use;

static bool find_class(const char *name, freehold_class_t *number)
{
    return worked(freehold_class_find(reader_in_use, name, strlen(name), number));
}

static bool find_property(freehold_class_t number, const char *name, freehold_property_t *property)
{
    return worked(freehold_property_find(reader_in_use, number, name, strlen(name), property));
}

static freehold_error_code_t find_object(freehold_class_t number, const char *id, freehold_key_t *key)
{
    const freehold_value_t own = freehold_int(strtoll(id, NULL, 10));
    return freehold_object_find(reader_in_use, number, &own, key);
}

/* Class, object and property of a command's words. */
static bool find_place(freehold_class_t *number, freehold_key_t *key, freehold_property_t *property)
{
    return find_class(words[1], number) && worked(find_object(*number, words[2], key)) && find_property(*number, words[3], property);
}

/* --- values */

static freehold_value_t pattern_value(const char *text)
{
    const uint64_t length = strtoull(text, NULL, 10), seed = strtoull(strchr(text, ':') + 1, NULL, 10);
    uint8_t *bytes = lend(length);
    for (uint64_t n = 0; n < length; n++) bytes[n] = pattern(n, seed);
    return freehold_data(bytes, length);
}

static freehold_value_t bytes_value(char kind, const char *text)
{
    uint8_t *bytes = lend(strlen(text) / 2);
    const size_t length = unhex(text, bytes);
    switch (kind) {
    case 's': return freehold_string((const char *)bytes, length);
    case 'u': return freehold_uuid(bytes);
    case 'o': return freehold_object_id(bytes);
    default: return freehold_data(bytes, length);
    }
}

static freehold_value_t real_value(char kind, const char *text)
{
    const uint64_t bits = strtoull(text, NULL, 16);
    const uint32_t small = (uint32_t)bits;
    double real;
    float single;
    memcpy(&real, &bits, sizeof real);
    memcpy(&single, &small, sizeof single);
    return kind == 'f' ? freehold_float(single) : freehold_double(real);
}

static freehold_value_t link_value(const char *text)
{
    freehold_class_t thing;
    freehold_key_t key = 0;
    if (!find_class("Thing", &thing) || !worked(find_object(thing, text, &key))) return freehold_null();
    return freehold_object(key, thing);
}

static freehold_value_t parsed(const char *word)
{
    const char *text = word + 1;
    freehold_decimal_t decimal;
    switch (word[0]) {
    case 'n': return freehold_null();
    case 't': return freehold_bool(text[0] == '1');
    case 'i': return freehold_int(strtoll(text, NULL, 10));
    case 'f':
    case 'd': return real_value(word[0], text);
    case 'D': return freehold_date(strtoll(text, NULL, 10), (int32_t)(1000 * strtol(strchr(text, '.') + 1, NULL, 10)));
    case 'm':
        worked(freehold_decimal_parse(text, strlen(text), &decimal));
        return freehold_decimal(decimal);
    case 'l': return link_value(text);
    case 'P': return pattern_value(text);
    default: return bytes_value(word[0], text);
    }
}

static bool is_pattern(const freehold_data_t *data)
{
    const uint64_t seed = data->bytes[0];
    for (uint64_t n = 0; n < data->length; n++)
        if (data->bytes[n] != pattern(n, seed)) return false;
    return true;
}

static void add_link(const freehold_value_t *value)
{
    freehold_class_info_t info = { .size = sizeof info };
    freehold_property_t first[2];
    freehold_value_t values[2];
    char text[64];
    if (!worked(freehold_class_info(reader_in_use, value->as.link.object_class, &info))) return;
    const bool is_box = info.name.length == 3;
    if (!find_property(value->as.link.object_class, is_box ? "label" : "id", first)) return;
    if (is_box && !find_property(value->as.link.object_class, "size", first + 1)) return;
    if (!worked(freehold_object_get(reader_in_use, value->as.link.object_class, value->as.link.key, is_box ? 2 : 1, first, values))) return;
    if (!is_box) {
        snprintf(text, sizeof text, "l%" PRId64, values[0].as.integer);
        add(text);
        return;
    }
    add_hex(values[0].as.string.bytes, values[0].as.string.length);
    snprintf(text, sizeof text, "/%" PRId64, values[1].as.integer);
    add(text);
}

static void add_value(const freehold_value_t *value)
{
    char text[FREEHOLD_DECIMAL_TEXT + 32];
    uint64_t bits;
    uint32_t small;
    switch (value->type) {
    case FREEHOLD_TYPE_NULL: add("n"); return;
    case FREEHOLD_TYPE_BOOL: add(value->as.boolean ? "t1" : "t0"); return;
    case FREEHOLD_TYPE_INT: snprintf(text, sizeof text, "i%" PRId64, value->as.integer); break;
    case FREEHOLD_TYPE_FLOAT:
        memcpy(&small, &value->as.single, sizeof small);
        snprintf(text, sizeof text, "f%08" PRIx32, small);
        break;
    case FREEHOLD_TYPE_DOUBLE:
        memcpy(&bits, &value->as.real, sizeof bits);
        snprintf(text, sizeof text, "d%016" PRIx64, bits);
        break;
    case FREEHOLD_TYPE_DATE:
        snprintf(text, sizeof text, "D%" PRId64 ".%d", value->as.date.seconds, (int)(value->as.date.nanoseconds / 1000));
        break;
    case FREEHOLD_TYPE_DECIMAL:
        text[0] = 'm';
        worked(freehold_decimal_format(value->as.decimal, text + 1, sizeof text - 1));
        break;
    case FREEHOLD_TYPE_STRING: add("s"); add_hex(value->as.string.bytes, value->as.string.length); return;
    case FREEHOLD_TYPE_DATA:
        if (value->as.data.length > 1000 && is_pattern(&value->as.data)) {
            snprintf(text, sizeof text, "P%zu:%d", value->as.data.length, value->as.data.bytes[0]);
            break;
        }
        add("b");
        add_hex(value->as.data.bytes, value->as.data.length);
        return;
    case FREEHOLD_TYPE_UUID: add("u"); add_hex(value->as.uuid, 16); return;
    case FREEHOLD_TYPE_OBJECT_ID: add("o"); add_hex(value->as.object_id, 12); return;
    case FREEHOLD_TYPE_LINK: add_link(value); return;
    case FREEHOLD_TYPE_LIST:
    case FREEHOLD_TYPE_SET:
        for (size_t n = 0; n < value->as.list.count; n++) {
            if (n) add(" ");
            add_value(value->as.list.values + n);
        }
        return;
    case FREEHOLD_TYPE_MAP:
        for (size_t n = 0; n < value->as.map.count; n++) {
            const freehold_entry_t *entry = value->as.map.entries + n;
            const bool is_list = entry->value.type == FREEHOLD_TYPE_LIST;
            if (n) add(" ");
            add_hex(entry->key.bytes, entry->key.length);
            add(is_list ? "=[" : "=");
            add_value(&entry->value);
            if (is_list) add("]");
        }
        return;
    default: add("?"); return;
    }
    add(text);
}

/* --- operations of a transaction */

static bool change_collection(const char *what)
{
    freehold_class_t number;
    freehold_key_t key;
    freehold_property_t property;
    freehold_collection_t *collection;
    if (!find_place(&number, &key, &property)) return false;
    if (!worked(freehold_collection_open(reader_in_use, number, key, property, &collection))) return false;
    freehold_error_code_t code = FREEHOLD_OK;
    if (!strcmp(what, "clr")) {
        code = freehold_collection_clear(collection);
    } else if (!strcmp(what, "rem")) {
        code = freehold_list_remove(collection, strtoull(words[4], NULL, 10), 1);
    } else if (!strcmp(what, "ins") || !strcmp(what, "rep")) {
        const freehold_value_t value = parsed(words[5]);
        const uint64_t index = strtoull(words[4], NULL, 10);
        code = what[0] == 'i' ? freehold_list_insert(collection, index, 1, &value) : freehold_list_set(collection, index, &value);
    } else if (!strcmp(what, "sin") || !strcmp(what, "sre")) {
        const freehold_value_t value = parsed(words[4]);
        code = what[1] == 'i' ? freehold_set_insert(collection, 1, &value) : freehold_set_remove(collection, 1, &value);
    } else {
        uint8_t *text = lend(strlen(words[4]) / 2);
        const size_t length = unhex(words[4], text);
        if (!strcmp(what, "mde")) {
            code = freehold_map_remove(collection, (const char *)text, length);
        } else if (!strcmp(what, "mse")) {
            const freehold_value_t value = parsed(words[5]);
            code = freehold_map_set(collection, (const char *)text, length, &value);
        } else {
            const size_t count = strtoull(words[5], NULL, 10);
            freehold_value_t *values = lend(count * sizeof *values);
            for (size_t n = 0; n < count; n++) values[n] = parsed(words[6 + n]);
            const freehold_value_t list = freehold_list(values, count);
            code = freehold_map_set(collection, (const char *)text, length, &list);
        }
    }
    const bool is_done = worked(code);
    freehold_collection_close(collection);
    return is_done;
}

static bool make_box(bool is_appended)
{
    freehold_class_t number, box;
    freehold_key_t key;
    freehold_property_t property, own[2];
    if (!find_place(&number, &key, &property) || !find_class("Box", &box)) return false;
    if (!find_property(box, "label", own) || !find_property(box, "size", own + 1)) return false;
    uint8_t *label = lend(strlen(words[4]) / 2);
    const size_t length = unhex(words[4], label);
    const freehold_value_t values[2] = { freehold_string((const char *)label, length), freehold_int(strtoll(words[5], NULL, 10)) };
    if (!is_appended) return worked(freehold_object_embed(transaction, number, key, property, box, 2, own, values, NULL));
    freehold_collection_t *list;
    if (!worked(freehold_collection_open(reader_in_use, number, key, property, &list))) return false;
    const bool is_done = worked(freehold_collection_embed(list, NULL, box, 2, own, values, NULL));
    freehold_collection_close(list);
    return is_done;
}

static bool make_new(void)
{
    freehold_class_t number;
    freehold_property_t slot;
    const freehold_value_t own = freehold_int(strtoll(words[2], NULL, 10)), value = freehold_int(strtoll(words[3], NULL, 10));
    return find_class(words[1], &number) && find_property(number, "slot", &slot) &&
           worked(freehold_object_create(transaction, number, &own, 1, &slot, &value, NULL));
}

static bool add_to(freehold_transaction_t *writing, const char *name, const freehold_value_t *own, const char *property, int64_t difference)
{
    const freehold_reader_t *reader = freehold_transaction_reader(writing);
    freehold_class_t number;
    freehold_property_t place;
    freehold_key_t key;
    freehold_value_t value;
    if (!worked(freehold_class_find(reader, name, strlen(name), &number))) return false;
    if (!worked(freehold_property_find(reader, number, property, strlen(property), &place))) return false;
    freehold_error_code_t code = freehold_object_find(reader, number, own, &key);
    if (code == FREEHOLD_ABSENT) code = freehold_object_create(writing, number, own, 0, NULL, NULL, &key);
    if (!worked(code) || !worked(freehold_object_get(reader, number, key, 1, &place, &value))) return false;
    value = freehold_int(value.as.integer + difference);
    return worked(freehold_object_set(writing, number, key, 1, &place, &value));
}

static bool count_one(freehold_transaction_t *writing, const char *name)
{
    const freehold_value_t own = freehold_string(name, strlen(name));
    return add_to(writing, "Counter", &own, "count", 1);
}

static bool move_amount(freehold_transaction_t *writing, int64_t source, int64_t target, int64_t amount, const char *name)
{
    static const char *const names[4] = { "source", "target", "amount", "by" };
    const freehold_reader_t *reader = freehold_transaction_reader(writing);
    const freehold_value_t from = freehold_int(source), to = freehold_int(target);
    const freehold_value_t values[4] = { from, to, freehold_int(amount), freehold_string(name, strlen(name)) };
    freehold_class_t moves;
    freehold_property_t places[4];
    if (!add_to(writing, "Account", &from, "balance", -amount) || !add_to(writing, "Account", &to, "balance", amount)) return false;
    if (!worked(freehold_class_find(reader, "Move", 4, &moves))) return false;
    for (int n = 0; n < 4; n++)
        if (!worked(freehold_property_find(reader, moves, names[n], strlen(names[n]), places + n))) return false;
    return worked(freehold_object_create(writing, moves, NULL, 4, places, values, NULL));
}

static bool operate(void)
{
    freehold_class_t number;
    freehold_key_t key;
    freehold_property_t property;
    const char *what = words[0];
    if (!strcmp(what, "new")) return make_new();
    if (!strcmp(what, "del")) return find_class(words[1], &number) && worked(find_object(number, words[2], &key)) && worked(freehold_object_delete(transaction, number, key));
    if (!strcmp(what, "box") || !strcmp(what, "bxa")) return make_box(what[2] == 'a');
    if (!strcmp(what, "cnt")) return count_one(transaction, words[1]);
    if (!strcmp(what, "mov")) return move_amount(transaction, strtoll(words[1], NULL, 10), strtoll(words[2], NULL, 10), strtoll(words[3], NULL, 10), words[4]);
    if (strcmp(what, "set")) return change_collection(what);
    if (!find_place(&number, &key, &property)) return false;
    const freehold_value_t value = parsed(words[4]);
    return failure == FREEHOLD_OK && worked(freehold_object_set(transaction, number, key, 1, &property, &value));
}

static void commit(void)
{
    char line[64];
    freehold_version_t version = 0;
    freehold_transaction_t *ending = transaction;
    transaction = NULL;
    if (!ending || failure != FREEHOLD_OK) {
        const freehold_error_code_t first = failure;
        if (ending) freehold_transaction_rollback(ending);
        failure = first;
        say_failure();
    } else if (worked(freehold_transaction_commit(ending, durability, &version))) {
        snprintf(line, sizeof line, "A %" PRIu64, version);
        say(line);
    } else {
        say_failure();
    }
    free_lent();
}

/* --- looking */

static freehold_snapshot_t *looking;

static bool begin_looking(void)
{
    looking = NULL;
    if (!worked(freehold_snapshot_begin(database, &looking))) return false;
    reader_in_use = freehold_snapshot_reader(looking);
    growing_length = 0;
    add("V ");
    return true;
}

static void end_looking(void)
{
    if (looking && !worked(freehold_snapshot_end(looking))) failure = failure ? failure : FREEHOLD_ERROR_LEASE_LOST;
    looking = NULL;
    if (failure != FREEHOLD_OK) say_failure();
    else say(growing);
}

static void get_value(void)
{
    freehold_class_t number;
    freehold_key_t key;
    freehold_property_t property;
    freehold_value_t value;
    if (begin_looking() && find_class(words[1], &number) && find_property(number, words[3], &property)) {
        const freehold_error_code_t code = find_object(number, words[2], &key);
        if (code == FREEHOLD_ABSENT) add("-");
        else if (worked(code) && worked(freehold_object_get(reader_in_use, number, key, 1, &property, &value))) add_value(&value);
    }
    end_looking();
}

static bool query(const char *name, const char *text, const freehold_value_t *value, freehold_query_t **made)
{
    freehold_class_t number;
    return find_class(name, &number) && worked(freehold_query_prepare(reader_in_use, number, text, strlen(text), value ? 1 : 0, value, 0, NULL, made));
}

static void list_keys(void)
{
    const freehold_value_t slot = freehold_int(strtoll(words[1], NULL, 10));
    freehold_query_t *found;
    freehold_results_t *results;
    freehold_class_t thing;
    freehold_property_t id;
    char text[32];
    if (begin_looking() && query("Thing", "slot = %@ SORT(id ASC)", &slot, &found)) {
        if (find_class("Thing", &thing) && find_property(thing, "id", &id) && worked(freehold_query_run(found, &results))) {
            int64_t ids[256];
            size_t filled = 256;
            for (uint64_t first = 0; filled == 256 && worked(freehold_results_integers(results, id, first, 256, ids, NULL, &filled)); first += filled) {
                for (size_t n = 0; n < filled; n++) {
                    snprintf(text, sizeof text, "%s%" PRId64, first + n ? " " : "", ids[n]);
                    add(text);
                }
            }
            freehold_results_close(results);
        }
        freehold_query_close(found);
    }
    end_looking();
}

/* The condition is all that is left of the line. */
static void count_matching(void)
{
    freehold_query_t *found;
    uint64_t count = 0;
    char text[32];
    if (begin_looking() && query(words[1], words[2], NULL, &found)) {
        if (worked(freehold_query_count(found, &count))) {
            snprintf(text, sizeof text, "%" PRIu64, count);
            add(text);
        }
        freehold_query_close(found);
    }
    end_looking();
}

static void add_sum(const char *name, const char *property)
{
    freehold_class_t number;
    freehold_property_t place;
    freehold_key_t next = INT64_MIN;
    int64_t values[256], sum = 0;
    size_t filled = 256;
    char text[32];
    if (!find_class(name, &number) || !find_property(number, property, &place)) return;
    while (filled == 256 && worked(freehold_column_integers(reader_in_use, number, place, &next, 256, NULL, values, NULL, &filled)))
        for (size_t n = 0; n < filled; n++) sum += values[n];
    snprintf(text, sizeof text, "%" PRId64 " ", sum);
    add(text);
}

static void look_at_bank(void)
{
    freehold_class_t moves;
    uint64_t count = 0;
    char text[32];
    if (begin_looking() && find_class("Move", &moves) && worked(freehold_object_count(reader_in_use, moves, &count))) {
        add_sum("Account", "balance");
        add_sum("Counter", "count");
        snprintf(text, sizeof text, "%" PRIu64, count);
        add(text);
    }
    end_looking();
}

static void read_counter(void)
{
    freehold_class_t number;
    freehold_property_t place;
    freehold_key_t key;
    freehold_value_t value;
    const freehold_value_t own = freehold_string(words[1], strlen(words[1]));
    char text[32];
    if (begin_looking() && find_class("Counter", &number) && find_property(number, "count", &place)) {
        const freehold_error_code_t code = freehold_object_find(reader_in_use, number, &own, &key);
        if (code == FREEHOLD_ABSENT) add("-");
        else if (worked(code) && worked(freehold_object_get(reader_in_use, number, key, 1, &place, &value))) {
            snprintf(text, sizeof text, "%" PRId64, value.as.integer);
            add(text);
        }
    }
    end_looking();
}

static bool digest_text(void *context, const char *bytes, size_t length)
{
    uint64_t *digest = context;
    for (size_t n = 0; n < length; n++) *digest = (*digest ^ (uint8_t)bytes[n]) * 1099511628211u;
    return true;
}

static bool digest(freehold_snapshot_t *snapshot, uint64_t *found)
{
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    static const char *const names[3] = { "Thing", "Account", "Counter" };
    *found = 14695981039346656037u;
    for (int n = 0; n < 3; n++) {
        freehold_class_t number;
        if (!worked(freehold_class_find(reader, names[n], strlen(names[n]), &number))) return false;
        if (!worked(freehold_json_class(reader, number, FREEHOLD_JSON_LINES, digest_text, found))) return false;
    }
    return true;
}

static void let_go(void)
{
    if (held) freehold_snapshot_end(held);
    held = NULL;
}

static void hold(void)
{
    let_go();
    if (worked(freehold_snapshot_begin(database, &held)) && digest(held, &held_digest)) say("ok");
    else say_failure();
}

static void compare_held(void)
{
    uint64_t now;
    if (!held) say("V none");
    else if (digest(held, &now)) say(now == held_digest ? "V same" : "V different");
    else say_failure();
}

/* --- what a process does to others and to itself */

struct storm {
    const char *name;
    long rounds;
    freehold_durability_t durability;
    unsigned seed;
    uint64_t made;
};

static void *storm_thread(void *context)
{
    struct storm *storm = context;
    unsigned state = storm->seed;
    for (long n = 0; n < storm->rounds; n++) {
        freehold_transaction_t *writing;
        if (freehold_transaction_begin(database, 60000, &writing) != FREEHOLD_OK) break;
        const int source = rand_r(&state) % ACCOUNTS, target = (source + 1 + rand_r(&state) % (ACCOUNTS - 1)) % ACCOUNTS;
        if (!move_amount(writing, source, target, 1 + rand_r(&state) % 9, storm->name) || !count_one(writing, storm->name)) {
            freehold_transaction_rollback(writing);
            break;
        }
        const freehold_error_code_t code = freehold_transaction_commit(writing, storm->durability, NULL);
        if (code != FREEHOLD_OK) break;
        storm->made++;
    }
    return NULL;
}

static void run_storm(void)
{
    struct storm storms[16];
    pthread_t threads[16];
    const long count = strtol(words[2], NULL, 10);
    uint64_t made = 0;
    char line[64];
    for (long n = 0; n < count; n++) {
        storms[n] = (struct storm){ words[1], strtol(words[3], NULL, 10), !strcmp(words[4], "full") ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH,
                                    (unsigned)n * 7919u + (unsigned)getpid(), 0 };
        if (pthread_create(threads + n, NULL, storm_thread, storms + n)) abort();
    }
    for (long n = 0; n < count; n++) {
        pthread_join(threads[n], NULL);
        made += storms[n].made;
    }
    failure = FREEHOLD_OK;
    snprintf(line, sizeof line, "ok %" PRIu64, made);
    say(line);
}

static void *begin_and_end(void *context)
{
    (void)context;
    freehold_transaction_t *lost;
    if (worked(freehold_transaction_begin(database, 10000, &lost))) add_to(lost, "Counter", &(freehold_value_t){ .type = FREEHOLD_TYPE_STRING, .as.string = { "lost", 4 } }, "count", 1000000);
    return NULL;
}

static void lose_transaction(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, begin_and_end, NULL)) abort();
    pthread_join(thread, NULL);
    if (failure != FREEHOLD_OK) say_failure();
    else say("ok");
}

static void fork_child(void)
{
    char line[64];
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        freehold_snapshot_t *snapshot;
        freehold_transaction_t *writing;
        const freehold_error_code_t read = freehold_snapshot_begin(database, &snapshot), write = freehold_transaction_begin(database, 0, &writing);
        if (read != FREEHOLD_ERROR_FORKED || write != FREEHOLD_ERROR_FORKED) {
            fprintf(stderr, "a forked child got %d and %d\n", (int)read, (int)write);
            fflush(stderr);
        }
        close(0);
        close(1);
        for (;;) pause();
    }
    snprintf(line, sizeof line, "ok %d", (int)child);
    say(line);
}

static void open_database(void)
{
    uint8_t key[FREEHOLD_KEY_LENGTH];
    char line[64];
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true, .lock_timeout_milliseconds = 60000, .flush_timeout_milliseconds = 60000 };
    options.read_only = !strcmp(words[3], "ro");
    if (words[2][0] != '-') {
        options.encryption_key_length = unhex(words[2], key);
        options.encryption_key = key;
    }
    if (!worked(freehold_database_open(words[1], FREEHOLD_TERMINATED, &options, &database))) {
        database = NULL;
        say_failure();
        return;
    }
    snprintf(line, sizeof line, "ok %d", (int)getpid());
    say(line);
}

static void close_database(void)
{
    let_go();
    const bool is_closed = !database || worked(freehold_database_close(database));
    database = NULL;
    if (is_closed) say("ok");
    else say_failure();
}

static void check_file(void)
{
    freehold_check_report_t report = { .size = sizeof report };
    char line[64];
    if (!worked(freehold_database_check(database, &report, NULL, NULL))) {
        say_failure();
        return;
    }
    snprintf(line, sizeof line, "ok %" PRIu64, (uint64_t)report.problem_count);
    say(line);
}

static void begin(void)
{
    durability = !strcmp(words[1], "full") ? FREEHOLD_DURABILITY_FULL : FREEHOLD_DURABILITY_PROCESS_CRASH;
    failure = FREEHOLD_OK;
    if (worked(freehold_transaction_begin(database, -1, &transaction))) reader_in_use = freehold_transaction_reader(transaction);
    else transaction = NULL;
}

static void finish(freehold_error_code_t code)
{
    if (worked(code)) say("ok");
    else say_failure();
}

static void obey(void)
{
    const char *what = words[0];
    if (!strcmp(what, "open")) open_database();
    else if (!strcmp(what, "close")) close_database();
    else if (!strcmp(what, "begin")) begin();
    else if (!strcmp(what, "commit")) commit();
    else if (!strcmp(what, "get")) get_value();
    else if (!strcmp(what, "keys")) list_keys();
    else if (!strcmp(what, "count")) count_matching();
    else if (!strcmp(what, "counter")) read_counter();
    else if (!strcmp(what, "bank")) look_at_bank();
    else if (!strcmp(what, "hold")) hold();
    else if (!strcmp(what, "same")) compare_held();
    else if (!strcmp(what, "drop")) { let_go(); say("ok"); }
    else if (!strcmp(what, "storm")) run_storm();
    else if (!strcmp(what, "compact")) finish(freehold_database_compact(database, NULL, NULL));
    else if (!strcmp(what, "backup")) finish(freehold_database_backup(database, words[1], FREEHOLD_TERMINATED, NULL));
    else if (!strcmp(what, "check")) check_file();
    else if (!strcmp(what, "fork")) fork_child();
    else if (!strcmp(what, "closefrom")) { closefrom(3); say("ok"); }
    else if (!strcmp(what, "lose")) lose_transaction();
    else if (failure == FREEHOLD_OK && transaction) operate();
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        line[length - 1] = 0;
        word_count = 0;
        for (char *rest = line, *word; word_count < MOST_WORDS && (word = strsep(&rest, "\t"));) words[word_count++] = word;
        obey();
    }
    return 0;
}
