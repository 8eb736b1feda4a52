/* Counts, shows and adds objects of an existing database, whatever its classes are.
 *
 *     objects DATABASE count CLASS
 *     objects DATABASE get CLASS KEY                  KEY: the primary key, or the object key where there is none
 *     objects DATABASE add CLASS PROPERTY=VALUE...    one commit, on disk when it returns; prints the object key
 *
 * Other programs may read and write the file at the same time, in any language.
 * Build: cc -std=c11 objects.c $(pkg-config --cflags --libs freehold)
 */
#include <freehold.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROPERTIES = 64 };

/* Prints an error, and returns the program's exit code. */
static int failed(const char *what, freehold_error_code_t code)
{
    if (code == FREEHOLD_ABSENT) {
        fprintf(stderr, "%s: not there\n", what);
        return 1;
    }
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    fprintf(stderr, "%s: %s (%s)\n", what, error.message, freehold_error_name(error.code));
    return 1;
}

/* Parses a value of this type; text and data are not copied. */
static bool parse(freehold_type_t type, const char *text, freehold_value_t *value)
{
    char *end = NULL;
    switch (type) {
    case FREEHOLD_TYPE_BOOL:
        *value = freehold_bool(strcmp(text, "true") == 0);
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    case FREEHOLD_TYPE_INT: *value = freehold_int(strtoll(text, &end, 10)); break;
    case FREEHOLD_TYPE_FLOAT: *value = freehold_float(strtof(text, &end)); break;
    case FREEHOLD_TYPE_DOUBLE: *value = freehold_double(strtod(text, &end)); break;
    case FREEHOLD_TYPE_LINK: *value = freehold_link(strtoll(text, &end, 10)); break;
    case FREEHOLD_TYPE_STRING: *value = freehold_string(text, FREEHOLD_TERMINATED); return true;
    case FREEHOLD_TYPE_DATA: *value = freehold_data(text, strlen(text)); return true;
    default: return false;
    }
    return *text != 0 && *end == 0;
}

static void print(const freehold_value_t *value)
{
    switch (value->type) {
    case FREEHOLD_TYPE_NULL: printf("null"); break;
    case FREEHOLD_TYPE_BOOL: printf("%s", value->as.boolean ? "true" : "false"); break;
    case FREEHOLD_TYPE_INT: printf("%" PRId64, value->as.integer); break;
    case FREEHOLD_TYPE_FLOAT: printf("%g", value->as.single); break;
    case FREEHOLD_TYPE_DOUBLE: printf("%.17g", value->as.real); break;
    case FREEHOLD_TYPE_STRING: printf("%.*s", (int)value->as.string.length, value->as.string.bytes); break;
    case FREEHOLD_TYPE_DATA: printf("%zu bytes", value->as.data.length); break;
    case FREEHOLD_TYPE_DATE: printf("%" PRId64 ".%09d", value->as.date.seconds, value->as.date.nanoseconds); break;
    case FREEHOLD_TYPE_LINK: printf("-> %" PRId64, value->as.link.key); break;
    case FREEHOLD_TYPE_UUID:
        for (int place = 0; place < 16; place++) printf("%02x", value->as.uuid[place]);
        break;
    case FREEHOLD_TYPE_OBJECT_ID:
        for (int place = 0; place < 12; place++) printf("%02x", value->as.object_id[place]);
        break;
    }
}

/* Finds an object by its primary key, or by its object key if its class has none. */
static freehold_error_code_t find(
    const freehold_reader_t *reader, freehold_class_t number, const freehold_class_info_t *info, const char *text,
    freehold_key_t *key)
{
    freehold_value_t value;
    if (info->primary_key == FREEHOLD_NONE) {
        *key = strtoll(text, NULL, 10);
        return freehold_object_exists(reader, number, *key);
    }
    freehold_property_info_t property = { .size = sizeof property };
    freehold_error_code_t code = freehold_property_info(reader, number, info->primary_key, &property);
    if (code != FREEHOLD_OK) return code;
    if (!parse(property.type, text, &value)) return FREEHOLD_ABSENT;
    return freehold_object_find(reader, number, &value, key);
}

static int get(const freehold_reader_t *reader, freehold_class_t number, const char *text)
{
    freehold_class_info_t info = { .size = sizeof info };
    freehold_value_t values[MOST_PROPERTIES];
    freehold_key_t key;
    freehold_error_code_t code = freehold_class_info(reader, number, &info);
    if (code == FREEHOLD_OK) code = find(reader, number, &info, text, &key);
    const uint32_t count = info.property_count < MOST_PROPERTIES ? info.property_count : MOST_PROPERTIES;
    if (code == FREEHOLD_OK) code = freehold_object_get(reader, number, key, count, NULL, values);
    if (code != FREEHOLD_OK) return failed(text, code);
    for (freehold_property_t place = 0; place < count; place++) {
        freehold_property_info_t property = { .size = sizeof property };
        freehold_property_info(reader, number, place, &property);
        printf("%.*s: ", (int)property.name.length, property.name.bytes);
        print(&values[place]);
        printf("\n");
    }
    return 0;
}

/* Parses `name=value` arguments into properties and values, with the primary key separate. */
static int read_values(
    const freehold_reader_t *reader, freehold_class_t number, char **arguments, freehold_property_t *properties,
    freehold_value_t *values, size_t *count, freehold_value_t *primary_key, bool *has_key)
{
    freehold_class_info_t info = { .size = sizeof info };
    freehold_class_info(reader, number, &info);
    for (; *arguments && *count < MOST_PROPERTIES; arguments++) {
        const char *equals = strchr(*arguments, '=');
        const size_t length = equals ? (size_t)(equals - *arguments) : strlen(*arguments);
        freehold_property_info_t property = { .size = sizeof property };
        freehold_property_t place;
        freehold_value_t value;
        freehold_error_code_t code = freehold_property_find(reader, number, *arguments, length, &place);
        if (code == FREEHOLD_OK) code = freehold_property_info(reader, number, place, &property);
        if (code != FREEHOLD_OK) return failed(*arguments, code);
        if (!equals || !parse(property.type, equals + 1, &value)) {
            fprintf(stderr, "%s: no value of the property's type\n", *arguments);
            return 1;
        }
        if (place == info.primary_key) {
            *primary_key = value;
            *has_key = true;
        } else {
            properties[*count] = place;
            values[(*count)++] = value;
        }
    }
    return 0;
}

static int add(freehold_database_t *database, const char *class_name, char **arguments)
{
    freehold_transaction_t *transaction;
    freehold_error_code_t code = freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
    if (code != FREEHOLD_OK) return failed("cannot write", code);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_property_t properties[MOST_PROPERTIES];
    freehold_value_t values[MOST_PROPERTIES], primary_key;
    size_t count = 0;
    bool has_key = false;
    freehold_class_t number;
    freehold_key_t key;
    code = freehold_class_find(reader, class_name, FREEHOLD_TERMINATED, &number);
    int exit_code = code == FREEHOLD_OK
        ? read_values(reader, number, arguments, properties, values, &count, &primary_key, &has_key)
        : failed(class_name, code);
    if (exit_code == 0) {
        code = freehold_object_create(
            transaction, number, has_key ? &primary_key : NULL, count, properties, values, &key);
        if (code != FREEHOLD_OK) exit_code = failed("cannot add", code);
    }
    if (exit_code != 0) {
        freehold_transaction_rollback(transaction);
        return exit_code;
    }
    code = freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
    if (code != FREEHOLD_OK) return failed("cannot commit", code);
    printf("%" PRId64 "\n", key);
    return 0;
}

static int look(freehold_database_t *database, const char *class_name, const char *key)
{
    freehold_snapshot_t *snapshot;
    freehold_error_code_t code = freehold_snapshot_begin(database, &snapshot);
    if (code != FREEHOLD_OK) return failed("cannot read", code);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_class_t number;
    uint64_t count = 0;
    int exit_code = 0;
    code = freehold_class_find(reader, class_name, FREEHOLD_TERMINATED, &number);
    if (code == FREEHOLD_OK && key) exit_code = get(reader, number, key);
    if (code == FREEHOLD_OK && !key) {
        code = freehold_object_count(reader, number, &count);
        if (code == FREEHOLD_OK) printf("%" PRIu64 "\n", count);
    }
    if (code != FREEHOLD_OK) exit_code = failed(class_name, code);
    freehold_snapshot_end(snapshot);
    return exit_code;
}

int main(int count, char **arguments)
{
    const bool is_add = count >= 4 && strcmp(arguments[2], "add") == 0;
    const bool is_count = count == 4 && strcmp(arguments[2], "count") == 0;
    const bool is_get = count == 5 && strcmp(arguments[2], "get") == 0;
    if (!is_add && !is_count && !is_get) {
        fprintf(stderr, "usage: %s DATABASE count CLASS | get CLASS KEY | add CLASS PROPERTY=VALUE...\n", arguments[0]);
        return 2;
    }
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_database_t *database;
    freehold_error_code_t code = freehold_database_open(arguments[1], FREEHOLD_TERMINATED, &options, &database);
    if (code != FREEHOLD_OK) return failed(arguments[1], code);
    const int exit_code = is_add ? add(database, arguments[3], arguments + 4)
                                 : look(database, arguments[3], is_get ? arguments[4] : NULL);
    freehold_database_close(database);
    return exit_code;
}
