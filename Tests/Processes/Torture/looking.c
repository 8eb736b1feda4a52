/* What a snapshot shows. */
#include "member.h"

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

void get_value(void)
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

void list_keys(void)
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
void count_matching(void)
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

void look_at_bank(void)
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

void read_counter(void)
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

void let_go(void)
{
    if (held) freehold_snapshot_end(held);
    held = NULL;
}

void hold(void)
{
    let_go();
    if (worked(freehold_snapshot_begin(database, &held)) && digest(held, &held_digest)) say("ok");
    else say_failure();
}

void compare_held(void)
{
    uint64_t now;
    if (!held) say("V none");
    else if (digest(held, &now)) say(now == held_digest ? "V same" : "V different");
    else say_failure();
}
