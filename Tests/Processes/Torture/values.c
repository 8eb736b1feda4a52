/* The protocol's words, to and from values. */
#include "member.h"

char *growing;
size_t growing_length, growing_capacity;

void add(const char *text)
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

size_t unhex(const char *text, uint8_t *bytes)
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

void *lend(size_t length)
{
    if (lent_count == 4096) protocol("too many values");
    void *memory = malloc(length + 1);
    if (!memory) abort();
    return lent[lent_count++] = memory;
}

void free_lent(void)
{
    while (lent_count > 0) free(lent[--lent_count]);
}

/* --- names */

const freehold_reader_t *reader_in_use;

bool find_class(const char *name, freehold_class_t *number)
{
    return worked(freehold_class_find(reader_in_use, name, strlen(name), number));
}

bool find_property(freehold_class_t number, const char *name, freehold_property_t *property)
{
    return worked(freehold_property_find(reader_in_use, number, name, strlen(name), property));
}

freehold_error_code_t find_object(freehold_class_t number, const char *id, freehold_key_t *key)
{
    const freehold_value_t own = freehold_int(strtoll(id, NULL, 10));
    return freehold_object_find(reader_in_use, number, &own, key);
}

/* Class, object and property of a command's words. */
bool find_place(freehold_class_t *number, freehold_key_t *key, freehold_property_t *property)
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

freehold_value_t parsed(const char *word)
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

void add_value(const freehold_value_t *value)
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
