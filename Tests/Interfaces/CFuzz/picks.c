/* Arguments: numbers, texts, options, and what is written to. */
#include "../CClient/small_sqlite.h"
#include "fuzz.h"
#include <string.h>

/* -- numbers */

uint32_t pick_number(void) { return pick(20) ? pick(6) : pick(2) ? UINT32_MAX - pick(2) : (uint32_t)draw(); }
freehold_class_t pick_class(void) { return pick(3) ? 2 : pick_number(); }
freehold_property_t pick_property(void) { return pick(20) ? pick(10) : pick_number(); }
freehold_key_t pick_key(void) { return pick(12) ? (freehold_key_t)pick(60) : (int64_t)(draw() >> pick(64)) * (pick(2) ? 1 : -1); }
uint64_t pick_count64(void) { return pick(10) ? pick(12) : draw() >> pick(64); }
int64_t pick_timeout(void) { return pick(4) ? (int64_t)pick(2) : INT64_MIN + (int64_t)pick(3); }
freehold_type_t pick_type(void) { return pick(12) ? pick(16) : (uint32_t)draw(); }
freehold_durability_t pick_durability(void) { return pick(12) ? (int32_t)pick(2) : (int32_t)draw(); }
freehold_error_code_t pick_code(void) { return (freehold_error_code_t)(draw() >> (32 + pick(31))); }
freehold_decimal_t pick_decimal(void)
{
    freehold_decimal_t decimal = { draw() >> pick(64), pick(2) ? 0x3040000000000000u : draw() };
    return decimal;
}
size_t pick_size(void) { return pick(8) ? pick(ROOM) : pick(2) ? 0 : 1; }

/* -- texts */

struct bytes pick_from(const char *const *texts, uint32_t count)
{
    struct bytes text;
    text.bytes = texts[pick(count)];
    text.length = pick(2) ? strlen(text.bytes) : FREEHOLD_TERMINATED;
    return text;
}

struct bytes pick_text(const char *name)
{
    static const char *const classes[] = { "Person", "Home", "Thing", "Other", "New" };
    static const char *const properties[] = { "id", "name", "age", "score", "tags", "links", "any", "home", "photo", "scores" };
    const char *const paths[] = { world_file(), "copy.freehold", "other.freehold", "missing/x.freehold", "." , "" };
    static const char *const queries[] = {
        "age > 20", "name TEXT 'p*' SORT(@score DESC)", "SORT(@distance(score, score, [10, 50])) LIMIT(5)",
        "name BEGINSWITH 'p' SORT(age DESC) LIMIT(3)", "ANY tags = 'a'", "GROUP(age) SELECT(@count)", "TRUEPREDICATE", "age = %@ OR name = $x",
        "home.rooms > 1", "any.@type = 'int'", "age > ", "((((((((", "score BETWEEN {1, 2}", "SUBQUERY(links, $l, $l.age > 1).@count > 0", "name LIKE '*1*'",
    };
    static const char *const decimals[] = { "1.5", "-0", "NaN", "1e6144", "123456789012345678901234567890123456789", "x" };
    static const char *const languages[] = { "english", "german", "de", "en-u-kn", "und", "klingon" };
    static const char *const wrong[] = { "\xff\xfe", "a\xc3", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "" };
    struct bytes text;
    switch (pick(24)) {
    case 0: return PICK_FROM(wrong);
    case 1:
        text.bytes = NULL;
        text.length = pick(2) ? 0 : pick(2) ? 5 : SIZE_MAX;
        return text;
    case 2: /* refused before anything is read */
        text.bytes = "long";
        text.length = ((size_t)1 << 31) + (size_t)(draw() >> 3);
        return text;
    default: break;
    }
    if (strstr(name, "class")) return pick(2) ? pick_from(classes, 1) : PICK_FROM(classes);
    if (strstr(name, "path") || strstr(name, "damaged")) return PICK_FROM(paths);
    if (!strcmp(name, "text")) {
        if (strstr(at, "decimal")) return PICK_FROM(decimals);
        return PICK_FROM(queries);
    }
    if (strstr(name, "language")) return PICK_FROM(languages);
    if (strstr(at, "class_")) return PICK_FROM(classes);
    return PICK_FROM(properties);
}

/* -- options */

/* The largest size of a structure that is not refused. */
enum { LARGEST = 4096 };

/* A structure's size: usually right. */
static size_t pick_struct_size(size_t right)
{
    static const size_t wrong[] = { 0, 1, 7, 8, 12, 24, LARGEST, SIZE_MAX };
    return pick(12) ? right : wrong[pick(8)];
}

const uint8_t *pick_bytes(void)
{
    static const uint8_t bytes[FREEHOLD_KEY_LENGTH * 2] = { 1, 2, 3 };
    return pick(8) ? bytes : NULL;
}

const freehold_open_options_t *pick_options(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_open_options_t options;
        char room[LARGEST];
    } picked;
    if (!pick(2)) return NULL;
    memset(&picked, 0, sizeof picked);
    picked.options.size = pick_struct_size(sizeof picked.options);
    picked.options.read_only = !pick(4);
    picked.options.must_exist = !pick(2);
    picked.options.file_mode = pick(4) ? 0 : 0600;
    picked.options.lock_timeout_milliseconds = 1;
    picked.options.importing = pick(4) ? NULL : pick_import();
    if (!pick(6)) {
        picked.options.encryption_key = pick_bytes();
        picked.options.encryption_key_length = pick(2) ? FREEHOLD_KEY_LENGTH : pick(FREEHOLD_KEY_LENGTH);
    }
    return &picked.options;
}

const freehold_sync_settings_t *pick_sync_settings(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_sync_settings_t settings;
        char room[LARGEST];
    } picked;
    if (!pick(8)) return NULL;
    memset(&picked, 0, sizeof picked);
    picked.settings.size = pick_struct_size(sizeof picked.settings);
    freehold_text_t *const texts[] = { &picked.settings.address, &picked.settings.token, &picked.settings.token_file };
    for (size_t place = 0; place < sizeof texts / sizeof texts[0]; place++) {
        struct bytes text = pick_text("name");
        *texts[place] = (freehold_text_t){ text.bytes, text.length };
    }
    picked.settings.suspended = !pick(4);
    return &picked.settings;
}

static bool hear_progress(void *context, uint64_t written, uint64_t total, bool waiting)
{
    CHECK(context == NULL && written <= total && !waiting);
    return pick(4) != 0;
}

const freehold_import_t *pick_import(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_import_t source;
        char room[LARGEST];
    } picked;
    static bool is_written;
    if (!is_written) is_written = write_small_sqlite("fuzz.sqlite");
    if (!pick(8)) return NULL;
    memset(&picked, 0, sizeof picked);
    struct bytes name = pick_text("name"), path = pick_text("path");
    picked.source.size = pick_struct_size(sizeof picked.source);
    picked.source.path = pick(4) ? "fuzz.sqlite" : path.bytes;
    picked.source.path_length = pick(4) ? FREEHOLD_TERMINATED : path.length;
    if (picked.source.path == path.bytes) picked.source.path_length = path.length;
    picked.source.name = pick(2) ? name.bytes : NULL;
    picked.source.name_length = name.length;
    if (!pick(6)) {
        picked.source.rules = pick_paths();
        picked.source.rule_count = picked.source.rules == NULL ? pick(2) : 1;
    }
    if (!pick(6)) {
        picked.source.key = pick_bytes();
        picked.source.key_length = pick(FREEHOLD_KEY_LENGTH);
    }
    picked.source.must_exist = pick(2);
    picked.source.progress = pick(2) ? hear_progress : NULL;
    return &picked.source;
}

const freehold_json_options_t *pick_json_options(void)
{
    /* As large as the wrong sizes say that it is. */
    static union {
        freehold_json_options_t options;
        char room[LARGEST];
    } picked;
    memset(&picked, 0, sizeof picked);
    struct bytes key = pick_text("name");
    picked.options.size = pick_struct_size(sizeof picked.options);
    picked.options.primary_key.bytes = key.bytes;
    picked.options.primary_key.length = key.length;
    picked.options.skip_bad_records = pick(2);
    return pick(2) ? &picked.options : NULL;
}

/* -- what is written to */

static uint64_t outputs[10][4096];

void *pick_out(int argument)
{
    if (!pick(10)) return NULL;
    uint64_t *place = outputs[argument];
    /* Some are read before: where to go on, for one. */
    for (int i = 0; i < 4; i++) place[i] = (uint64_t)pick_key();
    return place;
}

void *pick_sized(void)
{
    static uint64_t place[1024];
    if (!pick(10)) return NULL;
    memset(place, 0, sizeof place);
    *(size_t *)place = pick_struct_size(sizeof(freehold_property_info_t));
    return place;
}
