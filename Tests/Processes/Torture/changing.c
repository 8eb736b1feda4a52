/* Operations of a transaction. */
#include "member.h"

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

bool add_to(freehold_transaction_t *writing, const char *name, const freehold_value_t *own, const char *property, int64_t difference)
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

bool count_one(freehold_transaction_t *writing, const char *name)
{
    const freehold_value_t own = freehold_string(name, strlen(name));
    return add_to(writing, "Counter", &own, "count", 1);
}

bool move_amount(freehold_transaction_t *writing, int64_t source, int64_t target, int64_t amount, const char *name)
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

bool operate(void)
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

void commit(void)
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
